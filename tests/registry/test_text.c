/* SPDX-License-Identifier: MIT
 * test_text.c - sentences in bounded memory: what is cut where, and which names are shown first. */
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "registry/names.h"
#include "registry/schedule.h"
#include "registry/text.h"

static const char *nearest(size_t room, const char *wanted, const char *const *names, uint32_t count)
{
	static char memory[256];
	struct reg_text text;

	REQUIRE(room <= sizeof(memory));
	memset(memory, '#', sizeof(memory));
	reg_text_init(&text, memory, room);
	reg_text_add_nearest(&text, wanted, names, count);
	CHECK_UINT(text.length, strlen(memory));
	CHECK(room == sizeof(memory) || memory[room] == '#');
	return memory;
}

TEST(the_nearest_names_come_first_and_equal_ones_as_they_stand)
{
	static const char *const names[] = {"sitting", "mitten", "kitten", "bitten", "kit", "kitchen"};

	CHECK_STR(nearest(256, "kitten", names, 6), "kitten, mitten, bitten, kitchen, sitting, kit");
	CHECK_STR(nearest(256, "", names, 6), "kit, mitten, kitten, bitten, sitting, kitchen");
	CHECK_STR(nearest(256, "kitten", names, 0), "none");
}

/* Each name needs two bytes for ", ", all but the last one 24 for what would be said of the others, and an end. */
TEST(names_that_do_not_fit_are_counted)
{
	static const char *const names[] = {"aa", "ab", "ac"};

	CHECK_STR(nearest(5, "aa", names, 1), "aa");
	CHECK_STR(nearest(29, "aa", names, 2), "aa, ab");
	CHECK_STR(nearest(28, "aa", names, 2), "2 more");
	CHECK_STR(nearest(30, "aa", names, 3), "aa and 2 more");
	CHECK_STR(nearest(31, "aa", names, 3), "aa, ab, ac");
}

TEST(of_very_many_names_the_last_may_be_the_nearest)
{
	static char memory[140][24];
	const char *names[140];

	for (int i = 0; i < 140; i++) {
		snprintf(memory[i], sizeof(memory[i]), "other%d", i);
		names[i] = memory[i];
	}
	for (int i = 126; i < 131; i++) {
		names[i] = "wanted";
		CHECK(!strncmp(nearest(64, "wanted", names, 140), "wanted, other", 13));
		names[i] = memory[i];
	}
}

static const char *cut(size_t room, const char *what)
{
	static char memory[64];
	struct reg_text text;

	reg_text_init(&text, memory, room);
	reg_text_add(&text, "%s", what);
	reg_text_add(&text, "%s", "");
	CHECK_UINT(text.length, strlen(memory));
	return memory;
}

TEST(texts_are_cut_between_characters)
{
	CHECK_STR(cut(6, "abcde"), "abcde");
	CHECK_STR(cut(5, "abcde"), "abcd");
	CHECK_STR(cut(5, "abc\xC3\xA9"), "abc");
	CHECK_STR(cut(6, "abc\xC3\xA9"), "abc\xC3\xA9");
	CHECK_STR(cut(6, "abc\xE2\x82\xAC"), "abc");
	CHECK_STR(cut(7, "abc\xE2\x82\xAC"), "abc\xE2\x82\xAC");
	CHECK_STR(cut(7, "abc\xF0\x9F\x98\x80"), "abc");
	CHECK_STR(cut(3, "\xE2\x82\xAC"), "");
	CHECK_STR(cut(2, "\xC3\xA9"), "");
}

TEST(shapes_are_written_as_lists)
{
	static const uint64_t extents[] = {0, 7, UINT64_MAX};
	char memory[64];

	CHECK_STR(reg_shape_text(extents, 0, memory, sizeof(memory)), "[]");
	CHECK_STR(reg_shape_text(extents, 3, memory, sizeof(memory)), "[0, 7, 18446744073709551615]");
}

/* A word may stand at the first byte of the strings, and not behind their last. */
TEST(words_of_directives_lie_in_the_strings)
{
	static const char strings[8] = "i\0j";
	static const struct reg_expression_tables tables = {.strings = strings, .strings_size = sizeof(strings)};
	static const struct {
		int64_t offset;
		const char *text;
	} words[] = {{0, "dispatch=affinity(i)"},
		     {2, "dispatch=affinity(j)"},
		     {7, "dispatch=affinity()"},
		     {8, "dispatch=affinity(EXPR[8]?)"},
		     {-1, "dispatch=affinity(EXPR[4294967295]?)"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const struct ptowsp_directive_record row = {.directive = PTOWSP_DIRECTIVE_DISPATCH,
							    .policy = PTOWSP_DISPATCH_AFFINITY,
							    .count = 1,
							    .kinds = PTOWSP_ARGUMENT_WORD,
							    .a0 = words[i].offset};
		char memory[64];
		struct reg_text text;

		reg_text_init(&text, memory, sizeof(memory));
		reg_directive_print(&row, &tables, &text);
		CHECK_STR(memory, words[i].text);
	}
}

TEST(features_have_a_last_one)
{
	struct reg_feature feature;
	uint32_t count = reg_feature_count();

	CHECK(reg_feature_at(0, &feature));
	CHECK(reg_feature_at(count - 1, &feature));
	CHECK(!reg_feature_at(count, &feature));
	CHECK(!reg_feature_at(count + 1, &feature));
	CHECK(!reg_feature_at(UINT32_MAX, &feature));
}

TEST(plain_text_has_no_commands_and_one_line)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{"", ""},
		{"row max 0~", "row max 0~"},
		{"a\tb\nc\x1b[2J\x7f", "a?b?c?[2J?"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xc2\x9b"
		 "31m\xc2\xa0",
		 "?31m\xc2\xa0"},
		{"x\xe2\x80\xae"
		 "y\xe2\x81\xa6z\xe2\x80\xa8\xd8\x9c",
		 "x?y?z??"},
		{"\x9b\xff\xe2\x82", "????"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64];

		strcpy(text, cases[i].text);
		CHECK_INT(reg_text_is_plain(text), !strcmp(cases[i].text, cases[i].plain));
		reg_text_plain(text, '?');
		CHECK_STR(text, cases[i].plain);
		CHECK(reg_text_is_plain(text));
	}
}
