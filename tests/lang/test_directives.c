/* SPDX-License-Identifier: MIT
 * test_directives.c - schedule { }: every spelling packed, printed back, packed again; what the table says against the runtime core. */
#include "lang/lang_schedule.h"
#include "registry/schedule.h"
#include "tests/check_outcome.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops i and q_tile, symbol n, tensor x, channel c; the directive goes to the end. */
static const char frame[] = "symbol %n : u64 = 12\n"
			    "tensor %x : f32[16, 8] inout\n"
			    "channel %c : token\n"
			    "func @one(%x: !pto.memref<gm,...,f32>) {\n"
			    "  %t = alloc_tile : !pto.tile<1x8xf32>\n"
			    "  %t = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<1x8xf32>\n"
			    "  tstore %t, %x[0, 0]\n"
			    "  return\n"
			    "}\n"
			    "// Function Type: Orchestration\n"
			    "func @all(%m: !pto.memref<gm,...,f32>) {\n"
			    "  CALL @one(%x -> %m)\n"
			    "  return\n"
			    "}\n"
			    "process @left produces(%c) {\n"
			    "  parallel_for %q_tile in 0 to 4 {\n"
			    "    parallel_for %i in 0 to 2 {\n"
			    "      call @one(%x -> %x[%q_tile * 2 + %i, 0])\n"
			    "      send %c, %i\n"
			    "    }\n"
			    "  }\n"
			    "}\n"
			    "process @right consumes(%c) { consume %c as %token { } }\n";

static struct source packed(const char *directives)
{
	/* Graphs of pipelines are not built first. */
	const char *around = strstr(directives, "after_orchestration") ? "workload @main { parallel_for %i in 0 to 4 { barrier } }\n" : frame;
	char *text = malloc(strlen(around) + strlen(directives) + 32);
	struct source s;

	sprintf(text, "%sschedule {\n%s\n}\n", around, directives);
	s = source_compile(text);
	free(text);
	return s;
}

/* The block as the printer writes it, without its first and last line. */
static const char *printed(const struct source *s)
{
	static char memory[8192];
	struct reg_text text;
	uint32_t row = 0;

	reg_text_init(&text, memory, sizeof(memory));
	REQUIRE(s->t != NULL);
	if (!lang_schedule_print(s->t, &text, &row))
		return check_fmt("row %u cannot be written", row);
	REQUIRE(text.length > 13 && !strncmp(memory, "schedule {\n", 11));
	memory[text.length - 3] = '\0'; /* "\n}\n" */
	return memory + 11;
}

/* --- every row of the table --- */

/* An example of an argument. */
static const char *example(const char *piece, char kind)
{
	if (piece[2] == '+')
		return "4, 8, 15";
	switch (piece[2] ? piece[2] : kind) {
	case 'n':
	case 'N': return "4";
	case 'e': return "%i * 4 + %n % 3";
	case 'a': return "%q_tile";
	case 'd': return "stream";
	case 'c': return "%c";
	case 't': return "%x";
	case 's': return "R, S(1)";
	case 'p':
		return "round_robin(1), 8: hash(%i + 1, 4), 64: affinity(%i, 2), 65: work_steal(3), 66: static_partition(1, 2), 67: custom(%n, 2), 68: "
		       "spatial_map(2, 3)";
	default: return "bytes_overlap";
	}
}

/* The spelling with examples in it. optional: words that may be left out are written. */
static void spell(const struct lang_spelling *spelling, int optional, char *out)
{
	const struct reg_policy *policy = reg_policy(spelling->directive, spelling->policy);
	int count = lang_spelling_arguments(spelling);
	char piece[LANG_PIECE_BYTES];

	out += sprintf(out, "%s", spelling->word);
	for (const char *at = spelling->text; (at = lang_spelling_piece(at, piece));)
		if (*piece == '$')
			out += sprintf(out, " %s",
				       example(piece, lang_argument_kind(policy, count < 0 ? policy->most : (unsigned)count, (unsigned)(piece[1] - '0'))));
		else if (*piece != '?' || optional)
			out += sprintf(out, " %s", piece + (*piece == '?'));
}

static void row_check(const struct lang_spelling *spelling, int optional)
{
	char text[1024], again[1024];
	struct source s, back;

	spell(spelling, optional, text);
	if (spelling->directive == PTOWSP_DIRECTIVE_STREAM_BY)
		strcat(text, "\nstreams 2");
	if (spelling->directive == PTOWSP_DIRECTIVE_LAYOUT)
		strcat(text, "\nspatial_map(2, 2)");
	s = packed(text);
	if (!s.t) {
		CHECK_FAIL("%s: %s", text, s.messages);
		source_free(&s);
		return;
	}
	CHECK_STR(s.messages, "");
	CHECK(s.t->directive_count >= 1);
	CHECK_UINT(s.t->directive[0].directive, spelling->directive);
	CHECK_UINT(s.t->directive[0].policy, spelling->policy);
	snprintf(again, sizeof(again), "%s", printed(&s));
	back = packed(again);
	if (!back.t)
		CHECK_FAIL("%s printed as %s: %s", text, again, back.messages);
	else if (back.size != s.size || memcmp(back.bytes, s.bytes, s.size) != 0)
		CHECK_FAIL("%s printed as %s is another package", text, again);
	source_free(&back);
	source_free(&s);
}

TEST(every_spelling_comes_back_as_the_same_package)
{
	uint32_t count;
	const struct lang_spelling *rows = lang_spellings(&count);

	for (uint32_t i = 0; i < count; i++) {
		row_check(&rows[i], 0);
		row_check(&rows[i], 1);
	}
}

/* What is shown to who wrote the directive wrongly is right. */
TEST(every_example_is_taken)
{
	const struct lang_spelling *rows;
	struct common_arena arena;
	uint32_t count;
	jmp_buf out;

	common_arena_init(&arena, 1 << 20, &out);
	if (setjmp(out)) {
		CHECK_FAIL("no memory for examples");
		return;
	}
	rows = lang_spellings(&count);
	for (uint32_t i = 0; i < count; i++) {
		const char *example = lang_spelling_example(&arena, &rows[i]);
		const char *beside = rows[i].directive == PTOWSP_DIRECTIVE_STREAM_BY ? "\nstreams 2"
				     : rows[i].directive == PTOWSP_DIRECTIVE_LAYOUT  ? "\nspatial_map(2, 2)"
										     : "";
		struct source s = packed(check_fmt("%s%s", example, beside));

		CHECK_STR(s.messages, "");
		if (!s.t)
			CHECK_FAIL("%s", example);
		else
			CHECK_INT(s.t->directive[0].directive == rows[i].directive && s.t->directive[0].policy == rows[i].policy, 1);
		source_free(&s);
	}
	common_arena_finish(&arena);
}

TEST(every_policy_of_the_abi_has_a_spelling)
{
	uint32_t count, policies;
	const struct lang_spelling *rows = lang_spellings(&count);
	const struct reg_policy *policy = reg_policies(&policies);

	for (uint32_t i = 0; i < policies; i++) {
		uint32_t at = 0;

		while (at < count && (rows[at].directive != policy[i].directive || rows[at].policy != policy[i].code))
			at++;
		if (at == count)
			CHECK_FAIL("directive %u has no spelling for %s", policy[i].directive, policy[i].word);
	}
}

/* What the command line makes of the same directive is the same row. */
TEST(directives_read_as_one_likes_to_write_them)
{
	static const char *const rows[][2] = {
		{"dispatch round_robin(4)", "dispatch round_robin(4)"},
		{"dispatch hash(%i * 4 + %q_tile, 8) required", "dispatch hash(%i * 4 + %q_tile, 8) required"},
		{"dispatch hash(-(%i - (2 - %n)) << 1, 8)", "dispatch hash(-(%i - (2 - %n)) << 1, 8)"},
		{"dispatch custom((%i + %n) / (2 * 3) == min(task, 4), 8)", "dispatch custom((%i + %n) / (2 * 3) == min(task, 4), 8)"},
		{"dispatch custom(select(%n > 4, max(%i, 1), instance), 8)", "dispatch custom(select(%n > 4, max(%i, 1), instance), 8)"},
		{"dispatch custom(\n    %i // the inner loop\n    + 1, 8)", "dispatch custom(%i + 1, 8)"},
		{"dispatch_threshold(%n, round_robin(1), 4: work_steal(2))", "dispatch threshold(%n, round_robin(1), 4: work_steal(2))"},
		{"task_window 8192", "task_window 8192 tasks stall"},
		{"task_window 64 abort", "task_window 64 tasks abort"},
		{"task_window(64, tasks, benchmark)", "task_window 64 tasks benchmark"},
		{"pipeline_depth 2", "pipeline_depth 2"},
		{"pipeline_depth(stream, 2)", "pipeline_depth 2 in stream"},
		{"pipeline_depth 2 in %i", "pipeline_depth 2 in %i"},
		{"pipeline_depth 2 in stream\n  pipeline_depth 3 in %i\n  pipeline_depth 4",
		 "pipeline_depth 2 in stream\n  pipeline_depth 3 in %i\n  pipeline_depth 4"},
		{"streams 2 stream_by %i % 2", "streams 2\n  stream_by(%i % 2)"},
		{"stream_by (%i + 1) % 2\nstreams 2", "stream_by((%i + 1) % 2)\n  streams 2"},
		{"deps hybrid(bytes_overlap) hazards raw", "deps hybrid(bytes_overlap)\n  hazards raw"},
		{"start threshold 20", "start threshold 20"},
		{"timing rate_limit(10)", "timing rate_limit(10)"},
		{"channel_capacity 4 of %c", "channel_capacity 4 of %c"},
		{"spatial_map(4, 4) layout %x(S(0), R)", "spatial_map(4, 4)\n  layout %x(S(0), R)"},
		{"tensor_map 1024 dep_list 2048 heap 65536 ready_queue 16",
		 "tensor_map 1024 entries\n  dep_list 2048 entries\n  heap 65536 bytes\n  ready_queue 16 tasks"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct source s = packed(rows[i][0]);

		CHECK_STR(s.messages, "");
		if (s.t)
			CHECK_STR(printed(&s), check_fmt("  %s", rows[i][1]));
		source_free(&s);
	}
}

TEST(the_row_is_that_of_the_command_line)
{
	static const char *const loops[] = {"q_tile"}, *const values[] = {"n"};
	static const uint32_t strings[] = {7}, slots[] = {0};
	const struct reg_scope scope = {loops, strings, values, slots, 1, 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct reg_schedule schedule;
	struct source s = packed("dispatch threshold(%n, round_robin(1), 64: round_robin(4)) required\npipeline_depth 2 in stream");

	reg_schedule_init(&schedule, 100000, 50);
	REQUIRE_INT(reg_schedule_add(&schedule, "dispatch=threshold(n, round_robin(1), 64: round_robin(4))", &scope, &error), 0);
	REQUIRE_INT(reg_schedule_add(&schedule, "pipeline_depth=stream,2", &scope, &error), 0);
	REQUIRE(s.t != NULL && s.t->directive_count == 2);
	for (int i = 0; i < 2; i++) {
		CHECK_UINT(s.t->directive[i].directive, schedule.rows[i].directive);
		CHECK_UINT(s.t->directive[i].policy, schedule.rows[i].policy);
		CHECK_UINT(s.t->directive[i].count, schedule.rows[i].count);
		CHECK_UINT(s.t->directive[i].kinds, schedule.rows[i].kinds);
	}
	CHECK_UINT(s.t->directive[0].flags, PTOWSP_DIRECTIVE_MUST);
	CHECK_UINT(s.t->directive[1].flags, 0);
	CHECK_INT(s.t->directive[1].a1, 2);
	CHECK_INT(s.t->directive[0].a2, 64);
	CHECK_STR(pkg_string(s.t, (uint32_t)s.t->directive[1].a0), "stream");
	CHECK_STR(pkg_string(s.t, (uint32_t)s.t->directive[0].a3), "round_robin(4)");
	reg_schedule_finish(&schedule);
	source_free(&s);
}

/* A run has to give what the schedule reads and nothing else reads. */
TEST(entries_need_the_symbols_of_the_schedule)
{
	struct source s = packed("dispatch threshold(task, round_robin(1), 8: hash(%n, 4))");
	int all = source_entry(&s, "all"), one = source_entry(&s, "one");

	REQUIRE(s.t != NULL && all >= 0 && one >= 0);
	CHECK_UINT(s.t->entry[all].value_count, 1);
	CHECK_STR(pkg_string(s.t, s.t->slot[s.t->entry_value[s.t->entry[all].values].slot].name), "n");
	CHECK_UINT(s.t->entry[one].value_count, 0);
	source_free(&s);
}

/* --- the largest numbers --- */

static ptowsp_status core_says(const struct lang_spelling *spelling, const char *args, int64_t n)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct builder *b = builder_grid();
	struct rt_program *program = NULL;
	ptowsp_status status;

	builder_schedule(b, spelling->directive, spelling->policy, args, n, INT64_C(1));
	status = builder_program(b, &program, &error);
	if (!status)
		rt_program_destroy(program);
	builder_destroy(b);
	return status;
}

/* Of policies with numbers alone. */
TEST(the_largest_number_of_each_row_is_that_of_the_core)
{
	uint32_t count;
	const struct lang_spelling *rows = lang_spellings(&count);
	int asked = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct reg_policy *policy = reg_policy(rows[i].directive, rows[i].policy);
		const char *args = rows[i].directive == PTOWSP_DIRECTIVE_SPATIAL_MAP ? "nn" : "n";
		int64_t most = rows[i].most;

		if (lang_spelling_arguments(&rows[i]) != (int)strlen(args) || !strchr("nNd", *policy->kinds) || !*policy->kinds)
			continue;
		asked++;
		if (core_says(&rows[i], args, most) != PTOWSP_OK)
			CHECK_FAIL("%s %s: the core refuses %lld", rows[i].word, rows[i].text, (long long)most);
		if (most < INT64_MAX && core_says(&rows[i], args, most + 1) == PTOWSP_OK)
			CHECK_FAIL("%s %s: the core takes %lld", rows[i].word, rows[i].text, (long long)most + 1);
	}
	CHECK(asked >= 15);
}

/* --- rows that no source makes --- */

TEST(rows_without_words_are_said_to_have_none)
{
	static struct ptowsp_expr_record exprs[] = {{.op = PTOWSP_EXPR_LOOP}, {.op = PTOWSP_EXPR_TASK}};
	static struct ptowsp_directive_record rows[] = {
		{.directive = 99, .policy = 1},
		{.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = PTOWSP_DISPATCH_ROUND_ROBIN, .count = 1, .kinds = 1, .a0 = 1000},
		{.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = PTOWSP_DISPATCH_HASH, .count = 2, .kinds = 2, .a0 = 0, .a1 = 4},
		{.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = PTOWSP_DISPATCH_AFFINITY, .count = 2, .kinds = 1, .a0 = 1, .a1 = 4},
		{.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = PTOWSP_DISPATCH_THRESHOLD, .count = 2, .kinds = 0x102, .a0 = 1, .a1 = 9},
		{.directive = PTOWSP_DIRECTIVE_TASK_WINDOW, .policy = PTOWSP_TASK_WINDOW_STALL, .count = 2, .kinds = 0x100, .a0 = 4, .a1 = 1},
	};
	static const char strings[] = "\0a loop\0hash(#7,4)";
	struct pkg_tables tables = {.strings = strings,
				    .strings_size = sizeof(strings),
				    .expr = exprs,
				    .expr_count = 2,
				    .directive = rows,
				    .directive_count = sizeof(rows) / sizeof(*rows)};
	char memory[256];
	struct reg_text text;

	for (uint32_t i = 0; i < tables.directive_count; i++) {
		reg_text_init(&text, memory, sizeof(memory));
		if (lang_directive_print(&tables, i, &text))
			CHECK_FAIL("row %u is printed as %s", i, memory);
	}
}
