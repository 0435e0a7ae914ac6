/* SPDX-License-Identifier: MIT */
#include "ascend/emit/name.h"

#include <ctype.h>
#include <string.h>

enum { KEPT = 44 }; /* bytes of a name that an identifier keeps */

/* Words of C++, macros that headers of a C library have in lower case, and what generated code calls by these names (builder.h). */
static const char *const words[] = {
#include "registry/common/common_c_words.def"
	"at",           "b",        "block",   "choice",     "chosen",           "flat",
	"larger",       "place",    "replica", "s",          "smaller",          "state",
	"alignas",      "alignof",  "and",     "and_eq",     "bitand",           "bitor",
	"char16_t",     "char32_t", "compl",   "const_cast", "constexpr",        "decltype",
	"dynamic_cast", "errno",    "half",    "main",       "noexcept",         "not",
	"not_eq",       "nullptr",  "or",      "or_eq",      "reinterpret_cast", "static_assert",
	"static_cast",  "stderr",   "stdin",   "stdout",     "thread_local",     "typeid",
	"wchar_t",      "xor",      "xor_eq",
};

static bool is_word(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static bool is_type(const char *name)
{
	const size_t length = strlen(name);

	return length > 2 && !strcmp(name + length - 2, "_t");
}

/* Names that the implementation keeps, and macros, begin or look like this. */
static void plain_make(char plain[ASCEND_NAME], const char *name, char letter)
{
	size_t at = 0;
	bool small = false;

	if (!isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80)
		plain[at++] = letter;
	for (; *name && at < KEPT; name++) {
		const unsigned char c = (unsigned char)*name;
		const bool plainly = c < 0x80 && isalnum(c);

		small |= plainly && islower(c);
		if (plainly || (at && plain[at - 1] != '_')) /* no two '_' beside each other */
			plain[at++] = plainly ? (char)c : '_';
	}
	plain[at] = '\0';
	if (is_word(plain) || is_type(plain) || (!small && at > 1))
		memcpy(plain + at, plain[at - 1] == '_' ? "x" : "_", 2);
}

const char *ascend_names_add(struct common_names *names, const char *name, char letter)
{
	char plain[ASCEND_NAME];

	plain_make(plain, name, letter);
	if (letter == ASCEND_LOCAL)
		plain[0] = (char)tolower((unsigned char)plain[0]);
	if (!common_names_choose(names, plain, sizeof(plain), plain[strlen(plain) - 1] == '_' ? "" : "_"))
		return NULL;
	return names->rows[names->count - 1].text;
}
