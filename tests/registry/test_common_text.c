/* SPDX-License-Identifier: MIT
 * test_common_text.c - text that grows: pieces of every length, names as JSON, memory that runs out. */
#include "tests/check.h"

#include <stdint.h>
#include <string.h>

#include "registry/common/common_text.h"

TEST(an_empty_text_is_shown_as_one)
{
	struct common_text text = {0};

	CHECK_STR(common_text_view(&text), "");
	common_text_put(&text, "");
	CHECK_STR(common_text_view(&text), "");
	CHECK_INT(text.length, 0);
	common_text_finish(&text);
}

/* Each length once below, at and above what is allocated at first and at each growth. */
TEST(pieces_of_every_length_follow_each_other)
{
	struct common_text text = {0};
	size_t length = 0;

	for (int size = 0; size < 700; size++) {
		common_text_add(&text, "%*s|", size, "");
		common_text_bytes(&text, "a\0b", 3);
		length += (size_t)size + 4;
		REQUIRE_INT(text.length, length);
		CHECK_INT(text.bytes[length - 4], '|');
		CHECK_INT(text.bytes[length], '\0');
	}
	CHECK(!text.failed);
	common_text_finish(&text);
	CHECK(!text.bytes && !text.length && !text.room);
}

TEST(what_cannot_be_held_fails_the_text)
{
	struct common_text text = {0};

	common_text_put(&text, "kept");
	common_text_bytes(&text, "", SIZE_MAX / 2);
	CHECK(text.failed);
	common_text_put(&text, "lost");
	CHECK_STR(common_text_view(&text), "kept");
	common_text_finish(&text);
}

TEST(names_are_strings_of_json)
{
	static const struct {
		const char *name, *json;
	} rows[] = {
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"<&>", "\"<&>\""},
		{"\x01\n", "\"\\u0001\\u000a\""},
		{"\xff\xc3", "\"??\""},
		{"\xc3\xa4\xe2\x96\xb8\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x96\xb8\xf0\x9f\x98\x80\""},
		{"\xed\xa0\x80", "\"???\""},
		{"\xc0\x80", "\"??\""},
		{"\xf4\x90\x80\x80", "\"????\""},
		{"", "\"\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct common_text text = {0};

		common_text_json(&text, rows[i].name);
		CHECK_STR(common_text_view(&text), rows[i].json);
		common_text_finish(&text);
	}
}
