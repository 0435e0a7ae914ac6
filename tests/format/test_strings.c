/* SPDX-License-Identifier: MIT
 * test_strings.c - which strings a package may have: UTF-8 by a second rule, by numbers of characters, and no control characters. */
#include "format/writer.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

static bool is_taken(const char *string)
{
	struct pkg_writer *w = pkg_writer_create();
	void *bytes = NULL;
	size_t size;
	ptowsp_status status;

	REQUIRE(w != NULL);
	error = (struct ptowsp_error){.text = ""};
	pkg_writer_level(w, 1);
	pkg_writer_string(w, string);
	status = pkg_writer_seal(w, &bytes, &size, &error);
	CHECK(!status || status == PTOWSP_BAD_PACKAGE);
	free(bytes);
	pkg_writer_destroy(w);
	return !status;
}

/* The shortest form of a character up to U+10FFFF that is no half of a pair. */
static bool is_character(const uint8_t *at, unsigned length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned wanted = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF8 ? 4 : 0;
	uint32_t number = at[0] & (0x7Fu >> wanted);

	if (wanted != length)
		return false;
	for (unsigned i = 1; i < length; i++) {
		if (at[i] < 0x80 || at[i] > 0xBF)
			return false;
		number = number << 6 | (at[i] & 0x3F);
	}
	return number >= least[length] && number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
}

TEST(first_bytes_have_their_second_ones)
{
	static const uint8_t firsts[] = {0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF},
			     seconds[] = {0x7E, 0x7F, 0xC0, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF}, more[] = {0x7F, 0xC0, 0x80, 0xBF};

	for (size_t i = 0; i < sizeof(firsts); i++)
		for (unsigned length = 1; length <= 4; length++)
			for (size_t k = 0; k < (length > 1 ? sizeof(seconds) : 1); k++)
				for (size_t m = 0; m < (length > 2 ? sizeof(more) : 1); m++) {
					uint8_t bytes[5] = {firsts[i], seconds[k], more[m], 0x80, 0};

					bytes[length] = 0;
					CHECK(is_taken((const char *)bytes) == is_character(bytes, length));
				}
	CHECK(!is_taken("\xF1\x80\x80\xC0"));
	CHECK_STR(error.text, "new package: STRS: the bytes at 1 are not UTF-8");
}

TEST(control_characters_are_refused_but_tabs_and_newlines)
{
	for (int c = 1; c < 0x80; c++) {
		const char text[] = {'a', (char)c, 0};

		CHECK(is_taken(text) == ((c >= ' ' && c < 0x7F) || c == '\t' || c == '\n'));
	}
	CHECK(!is_taken("a\x7F"));
	CHECK_STR(error.text, "new package: STRS: the byte at 2 is the control character 0x7f");
}
