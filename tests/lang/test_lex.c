/* SPDX-License-Identifier: MIT
 * test_lex.c - tokens, their places, and the comments that mean something. */
#include "lang/parse/lex.h"
#include "tests/check.h"

#include <string.h>

static struct lang_unit unit;
static struct lang_source source;
static struct lang_tokens tokens;

/* Tokens of a text. The unit stays until the next call. */
static void lex(const char *text)
{
	if (unit.list) {
		lang_diagnostics_destroy(&unit.list->head);
		common_arena_finish(&unit.arena);
	}
	source = (struct lang_source){"test.pto", text, strlen(text)};
	memset(&unit, 0, sizeof(unit));
	unit.sources = &source;
	unit.source_count = 1;
	unit.list = lang_list_create(&unit.out);
	common_arena_init(&unit.arena, 1 << 24, &unit.out);
	if (setjmp(unit.out) == 0)
		lang_lex(&unit, 0, &tokens);
	else
		CHECK_FAIL("lexing ends without an answer");
}

static void is(uint32_t at, enum lang_token_kind kind, const char *text)
{
	REQUIRE(at < tokens.count);
	CHECK_INT(tokens.rows[at].kind, kind);
	CHECK_STR(tokens.rows[at].text, text);
}

TEST(a_statement_is_its_tokens)
{
	lex("%x = tadds %y, %-1.5e-05 : !pto.tile<8x8xf32>, f32");
	is(0, LANG_NAME, "x");
	is(1, LANG_MARK, "=");
	is(2, LANG_WORD, "tadds");
	is(3, LANG_NAME, "y");
	is(4, LANG_MARK, ",");
	is(5, LANG_LITERAL, "-1.5e-05");
	is(6, LANG_MARK, ":");
	is(7, LANG_TYPE, "pto.tile");
	is(8, LANG_MARK, "<");
	is(9, LANG_NUMBER, "8x8xf32");
	is(10, LANG_MARK, ">");
	is(13, LANG_END, "");
}

TEST(a_byte_order_mark_is_no_token_and_no_column)
{
	lex("\xef\xbb\xbf"
	    "return \xef\xbb\xbf");
	is(0, LANG_WORD, "return");
	CHECK_UINT(tokens.rows[0].at.column, 1);
	CHECK_UINT(unit.list->head.errors, 1); /* the one behind */
	is(1, LANG_END, "");
}

TEST(dots_dims_and_words_with_dots_stay_whole)
{
	lex("!pto.memref<gm,...,f32> tmatmul.acc #pto.cmp<GT> @f.g 0:idx -inf");
	is(4, LANG_NUMBER, "...");
	is(8, LANG_WORD, "tmatmul.acc");
	is(9, LANG_HASH, "pto.cmp");
	is(13, LANG_AT, "f.g");
	is(14, LANG_NUMBER, "0");
	is(15, LANG_MARK, ":");
	is(16, LANG_WORD, "idx");
	is(17, LANG_NUMBER, "-inf");
}

TEST(a_sign_behind_an_exponent_belongs_to_the_number)
{
	lex("1e-05 1E+3 2e5 0x-1 8x8-1");
	is(0, LANG_NUMBER, "1e-05");
	is(1, LANG_NUMBER, "1E+3");
	is(2, LANG_NUMBER, "2e5");
	is(3, LANG_NUMBER, "0x");
	is(4, LANG_NUMBER, "-1");
	is(5, LANG_NUMBER, "8x8");
}

TEST(places_count_lines_and_bytes_from_one)
{
	lex("a\n\t bb\r\n  ccc");
	CHECK_UINT(tokens.rows[0].at.line, 1);
	CHECK_UINT(tokens.rows[0].at.column, 1);
	CHECK_UINT(tokens.rows[1].at.line, 2);
	CHECK_UINT(tokens.rows[1].at.column, 3);
	CHECK_UINT(tokens.rows[2].at.line, 3);
	CHECK_UINT(tokens.rows[2].at.column, 3);
	CHECK_UINT(tokens.rows[2].at.length, 3);
	CHECK_INT(tokens.rows[2].first, 1);
}

TEST(comments_are_dropped_but_for_the_four_that_mean_something)
{
	lex("// Generated\n// PTO Module: m1 \n// Entry: @go\n//Function Type: Orchestration (and more)\nfunc a // Function Type: InCore\nfunc");
	CHECK_STR(tokens.module.text, "m1");
	CHECK_STR(tokens.entry.text, "@go");
	CHECK_UINT(tokens.entry.at.column, 11);
	CHECK_INT(tokens.rows[0].note, LANG_NOTE_ORCHESTRATION);
	CHECK_INT(tokens.rows[1].note, LANG_NOTE_NONE);
	CHECK_INT(tokens.rows[2].note, LANG_NOTE_INCORE);
	CHECK(tokens.program.text == NULL);
}

TEST(bytes_that_begin_nothing_are_told_once_a_run)
{
	lex("a \xff\xfe\xfd b $ c");
	CHECK_UINT(unit.list->head.errors, 2);
	is(0, LANG_WORD, "a");
	is(1, LANG_WORD, "b");
	is(2, LANG_WORD, "c");
}

TEST(text_need_not_end_with_anything)
{
	char text[] = {'a', ' ', '/', '/', ' ', 'E', 'n', 't', 'r', 'y', ':'};

	lex("");
	CHECK_UINT(tokens.count, 1);
	source.text = text;
	source.size = sizeof(text);
	lang_lex(&unit, 0, &tokens);
	CHECK_UINT(tokens.count, 2);
	CHECK(tokens.entry.text == NULL);
	for (size_t size = 0; size < 3; size++) {
		source.text = &"%-i"[3 - size];
		source.size = size;
		lang_lex(&unit, 0, &tokens);
	}
}

TEST(an_arena_leaves_when_its_limit_is_reached)
{
	struct common_arena arena;
	jmp_buf out;
	volatile int rounds = 0;

	common_arena_init(&arena, 200000, &out);
	if (!setjmp(out)) {
		for (;; rounds++)
			memset(common_alloc(&arena, 1000), 1, 1000);
	}
	CHECK(rounds > 100 && rounds < 200);
	common_arena_finish(&arena);
}
