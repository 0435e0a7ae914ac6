/* SPDX-License-Identifier: MIT */
/* test_schedule.c - KEY=VALUE texts of the schedule, and the expressions in them. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "registry/names.h"
#include "registry/schedule.h"
#include "registry/text.h"

static const char *const loop_names[] = {"%q_tile", "i"};
static const uint32_t loop_strings[] = {11, 22};
static const char *const value_names[] = {"n", "%seq"};
static const uint32_t value_rows[] = {3, 5};
static const struct reg_scope scope = {loop_names, loop_strings, value_names, value_rows, 2, 2};

static struct ptowsp_error error;
static struct reg_schedule schedule;

/* Parses one text into a fresh schedule; the row, or NULL with the sentence in error. */
static const struct ptowsp_directive_record *parse(const char *text)
{
	reg_schedule_finish(&schedule);
	reg_schedule_init(&schedule, 1000, 50);
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	return reg_schedule_add(&schedule, text, &scope, &error) ? NULL : &schedule.rows[0];
}

/* What the row reads like when printed again. */
static const char *printed(const struct ptowsp_directive_record *row)
{
	static char memory[128], strings[2048];
	static struct ptowsp_expr_record expr[50 + 64];
	static const struct ptowsp_slot_record slots[6] = {[3].name = 33, [5].name = 44};
	struct reg_expression_tables tables = {.expr = expr, .slot = slots, .strings = strings, .strings_size = sizeof(strings), .slot_count = 6};
	struct reg_text text;

	tables.expr_count = 50 + schedule.expressions.count;
	REQUIRE(tables.expr_count <= sizeof(expr) / sizeof(*expr));
	if (schedule.expressions.count)
		memcpy(expr + 50, schedule.expressions.at, schedule.expressions.count * sizeof(*expr));
	memset(strings, 0, sizeof(strings));
	strcpy(strings + 33, "n");
	strcpy(strings + 44, "seq");
	strcpy(strings + 11, "q_tile");
	strcpy(strings + 22, "i");
	memcpy(strings + 1000, schedule.strings ? schedule.strings : "", schedule.string_bytes);
	reg_text_init(&text, memory, sizeof(memory));
	if (row)
		reg_directive_print(row, &tables, &text);
	return row ? memory : error.text;
}

TEST(texts_of_every_kind_are_taken)
{
	static const char *const rows[][2] = {
		{"deps=tensor_map_exact", "deps=tensor_map_exact"},
		{"hazards=raw", "hazards=raw"},
		{"task_window=64", "task_window=64"},
		{"task_window=0", "task_window=0"},
		{"task_window=abort(64)", "task_window=64,abort"},
		{"task_window=64,abort", "task_window=64,abort"},
		{"task_window=64, tasks, benchmark", "task_window=64,benchmark"},
		{"task_window=64,tasks", "task_window=64"},
		{"dispatch=round_robin(4)", "dispatch=round_robin(4)"},
		{" dispatch = round_robin( 4 ) ", "dispatch=round_robin(4)"},
		{"dispatch=affinity(q_tile,4)", "dispatch=affinity(q_tile,4)"},
		{"dispatch=hash(i*4+n,4)", "dispatch=hash(i * 4 + n,4)"},
		{"dispatch=custom((i + 1) % 2, 2)", "dispatch=custom((i + 1) % 2,2)"},
		{"dispatch=static_partition(10,20,30)", "dispatch=static_partition(10,20,30)"},
		{"dispatch=threshold(n, round_robin(2), 100: work_steal(4))", "dispatch=threshold(n,round_robin(2),100,work_steal(4))"},
		{"pipeline_depth=2", "pipeline_depth=2"},
		{"pipeline_depth=stream(2)", "pipeline_depth=stream,2"},
		{"pipeline_depth=(i,1)", "pipeline_depth=i,1"},
		{"pipeline_depth=pool,3", "pipeline_depth=pool,3"},
		{"pools=by_exec_unit", "pools=by_exec_unit"},
		{"pools=custom(i)", "pools=custom(i)"},
		{"streams=2", "streams=2"},
		{"stream_by=i % 4", "stream_by=i % 4"},
		{"stream_by=(i+1)*2", "stream_by=(i + 1) * 2"},
		{"stream_by=-i - (q_tile - min(task, 0x10))", "stream_by=-i - (q_tile - min(task, 16))"},
		{"stream_by=select(!i, seq, ~(i << 2))", "stream_by=select(!i, seq, ~(i << 2))"},
		{"issue_cost=3", "issue_cost=3"},
		{"issue_cost=0", "issue_cost=0"},
		{"timing=rate_limit(4)", "timing=rate_limit(4)"},
		{"timing=immediate", "timing=immediate"},
		{"start=threshold(5)", "start=threshold(5)"},
		{"start=after_orchestration", "start=after_orchestration"},
		{"tensor_map=2", "tensor_map=2"},
		{"dep_list=1", "dep_list=1"},
		{"heap=65536", "heap=65536"},
		{"ready_queue=1", "ready_queue=1"},
		{"batch_deps=16", "batch_deps=16"},
		{"spatial_map=4,4", "spatial_map=4,4"},
		{"spatial_map=(4, 4)", "spatial_map=4,4"},
		{"deps=hybrid", "deps=hybrid"},
		{"deps=hybrid(bytes_overlap)", "deps=hybrid(bytes_overlap)"},
		{"ready=priority", "ready=priority"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_STR(printed(parse(rows[i][0])), rows[i][1]);
		CHECK_STR(printed(parse(rows[i][1])), rows[i][1]); /* what is printed can be typed */
	}
}

TEST(wrong_texts_are_refused_with_the_reason)
{
	static const char *const rows[][2] = {
		{"task_windwo=64", "schedule directive \"task_windwo\" is unknown; known: task_window, timing, hazards, dep_list, dispatch, streams, "
				   "stream_by, batch_deps, start, issue_cost, ready, layout, trace, tensor_map and 7 more"},
		{"windows", "schedule \"windows\" is not KEY=VALUE, such as task_window=64"},
		{"dispatch=work_steal,4", "dispatch: arguments of work_steal stand in parentheses; write dispatch=work_steal(4)"},
		{"dispatch= work_steal , 4 ", "dispatch: arguments of work_steal stand in parentheses; write dispatch=work_steal(4)"},
		{"ready=work_steal,4", "ready: work_steal takes no arguments; write ready=work_steal"},
		{"dispatch=fifo", "\"fifo\" is a word of ready, not of dispatch; write ready=fifo"},
		{"ready=round_robin(4)", "\"round_robin\" is a word of dispatch, not of ready; write dispatch=round_robin(...)"},
		{"=64", "schedule directive \"\" is unknown; known: deps, heap, pools, start, ready, trace, timing, layout, hazards, streams, dispatch, "
			"dep_list, stream_by, batch_deps, issue_cost, tensor_map and 5 more"},
		{"dispatch=round_robbin(4)", "dispatch word \"round_robbin\" is unknown; known: round_robin, work_steal, custom, auto, threshold, affinity, "
					     "hash, static_partition, spatial_map"},
		{"dispatch=round_robin(0)", "dispatch: 0 is too small, the least is 1"},
		{"dispatch=round_robin(-1)", "dispatch: -1 is too small, the least is 1"},
		{"dispatch=round_robin", "dispatch round_robin takes 1 argument, got 0: executor k mod n"},
		{"dispatch=round_robin(1,2)", "dispatch round_robin takes 1 argument, got 2: executor k mod n"},
		{"dispatch=round_robin(four)", "dispatch: \"four\" is no number"},
		{"dispatch=round_robin(99999999999999999999)", "dispatch: \"99999999999999999999\" is no number"},
		{"dispatch=round_robin(4", "\"round_robin(4\": the parentheses do not match"},
		{"dispatch=round_robin(4))", "\"round_robin(4))\": the parentheses do not match"},
		{"dispatch=round_robin(4))(", "\"round_robin(4))(\": the parentheses do not match"},
		{"spatial_map=4),(4", "\"4),(4\": the parentheses do not match"},
		{"dispatch=affinity(k,4)", "loop \"k\" is unknown; known: i, %q_tile"},
		{"pipeline_depth=k,4", "loop \"k\" is unknown; known: i, %q_tile"},
		{"dispatch=hash(i+,4)", "expression \"i+\", character 3: an operand is missing"},
		{"dispatch=hash(unknown,4)", "name \"unknown\" is unknown; known: n, %q_tile, i, %seq, task"},
		{"dispatch=threshold(n,a,b)", "dispatch threshold takes an expression, a policy, and pairs threshold: policy"},
		{"dispatch=threshold(n,a)",
		 "dispatch word \"a\" is unknown; known: hash, auto, custom, affinity, threshold, work_steal, spatial_map, round_robin, static_partition"},
		{"dispatch=threshold(n,round_robin(2),b,round_robin(2))", "dispatch: \"b\" is no number"},
		{"dispatch=threshold(n,auto(2))", "dispatch threshold cannot hold auto"},
		{"dispatch=threshold(n,affinity(k,2))", "loop \"k\" is unknown; known: i, %q_tile"},
		{"pipeline_depth=0", "pipeline_depth: 0 is too small, the least is 1"},
		{"pipeline_depth=stream(0)", "pipeline_depth: 0 is too small, the least is 1"},
		{"streams=0", "streams: 0 is too small, the least is 1"},
		{"task_window=-1", "task_window: -1 is too small, the least is 0"},
		{"task_window=", "task_window: \"\" is no number; write task_window=64, or task_window=64,abort"},
		{"task_window=sometimes(4)", "task_window: \"sometimes(4)\" is no number; write task_window=64, or task_window=64,abort"},
		{"task_window=64 tasks abort", "task_window: \"64 tasks abort\" is no number; write task_window=64, or task_window=64,abort"},
		{"pipeline_depth=2 in stream", "pipeline_depth: \"2 in stream\" is no number; write pipeline_depth=2, or pipeline_depth=stream,2"},
		{"channel_capacity=2,c", "channel_capacity: \"c\" is no number; write channel_capacity=CHANNEL,2"},
		{"spatial_map=4", "spatial_map (grid) takes 2 arguments, got 1: (R, C): executor by the two outermost parallel loops"},
		{"pipeline_depth=i,1,2", "pipeline_depth (depth) takes 1 to 2 arguments, got 3: (domain, d): at most d tasks of the domain overlap"},
		{"hazards=raw(1)", "hazards raw takes 0 arguments, got 1: read after write only"},
		{"stream_by=i % ", "expression \"i %\", character 4: an operand is missing"},
		{"stream_by=i 4", "expression \"i 4\", character 3: this does not belong to an expression"},
		{"stream_by=9223372036854775808", "expression \"9223372036854775808\", character 1: that is no 64-bit number"},
		{"stream_by=0777", "expression \"0777\", character 1: that is no 64-bit number"},
		{"stream_by=min 1", "expression \"min 1\", character 5: '(' is missing behind min, max or select"},
		{"stream_by=min(1)", "expression \"min(1)\", character 6: ',' and another argument are missing"},
		{"stream_by=min(1,2", "\"min(1,2\": the parentheses do not match"},
		{"stream_by=(1", "\"(1\": the parentheses do not match"},
		{"stream_by=11111111111111111111111111111111", "expression \"11111111111111111111111111111111\", character 1: the number is too long"},
		{"dispatch=custom(,2)", "expression \"\", character 1: an operand is missing"},
		{"layout=,a", "layout: an argument is empty"},
		{"dispatch=threshold(n,round_robin(1,2))", "round_robin takes 1 argument, got 2"},
		{"layout=a,b,c,d,e,f,g,h,i", "\"a,b,c,d,e,f,g,h,i\" has more than 8 arguments"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(parse(rows[i][0]) == NULL);
		CHECK_INT(error.code, PTOWSP_INVALID);
		CHECK_STR(error.text, rows[i][1]);
	}
}

TEST(unknown_keys_list_the_nearest_first)
{
	CHECK(parse("task_windw=3") == NULL);
	CHECK_STR(error.text, "schedule directive \"task_windw\" is unknown; known: task_window, timing, hazards, dep_list, dispatch, streams, batch_deps, "
			      "start, issue_cost, ready, layout, trace, tensor_map, ready_queue and 7 more");
	CHECK(parse("dispatch=hsh(i,2)") == NULL);
	CHECK_STR(error.text,
		  "dispatch word \"hsh\" is unknown; known: hash, auto, custom, threshold, affinity, work_steal, round_robin, spatial_map, static_partition");
}

TEST(a_later_text_replaces_an_earlier_one)
{
	parse("task_window=64");
	CHECK_INT(reg_schedule_add(&schedule, "task_window=8", &scope, &error), 0);
	CHECK_UINT(schedule.count, 1);
	CHECK_INT(schedule.rows[0].a0, 8);
	CHECK_INT(reg_schedule_add(&schedule, "pipeline_depth=stream(2)", &scope, &error), 0);
	CHECK_INT(reg_schedule_add(&schedule, "pipeline_depth=pool(3)", &scope, &error), 0);
	CHECK_INT(reg_schedule_add(&schedule, "pipeline_depth=stream(4)", &scope, &error), 0);
	CHECK_UINT(schedule.count, 3);
	CHECK_INT(schedule.rows[1].a1, 4);
}

TEST(arguments_have_their_kinds)
{
	const struct ptowsp_directive_record *row = parse("dispatch=hash(i, 4)");

	REQUIRE(row != NULL);
	CHECK_UINT(row->kinds, PTOWSP_ARGUMENT_EXPR);
	CHECK_INT(row->a0, 50);
	CHECK_INT(row->a1, 4);
	row = parse("dispatch=affinity(%q_tile, 4)");
	REQUIRE(row != NULL);
	CHECK_UINT(row->kinds, PTOWSP_ARGUMENT_WORD);
	CHECK_INT(row->a0, 11); /* the string of the package */
	row = parse("pipeline_depth=stream(2)");
	REQUIRE(row != NULL);
	CHECK_UINT(row->kinds, PTOWSP_ARGUMENT_WORD);
	CHECK_INT(row->a0, 1000); /* an extra string */
	CHECK_STR(schedule.strings, "stream");
}

/* ---- expressions: rows evaluated here with i = 7, q_tile = 3, n = 100, seq = -9, task = 12 ---------------------- */

static int64_t evaluate(const struct reg_rows *rows, uint32_t row)
{
	const struct ptowsp_expr_record *e = &rows->at[row - rows->base];
	int64_t a = e->op >= PTOWSP_EXPR_ADD ? evaluate(rows, e->a) : 0;
	int64_t b = e->op >= PTOWSP_EXPR_ADD && e->op < PTOWSP_EXPR_NEG ? evaluate(rows, e->b) : 0;

	switch (e->op) {
	case PTOWSP_EXPR_CONST: return (int64_t)((uint64_t)e->c << 32 | e->b);
	case PTOWSP_EXPR_VALUE: return e->a == 3 ? 100 : e->a == 5 ? -9 : -1000;
	case PTOWSP_EXPR_AXIS: return e->a == 11 ? 3 : e->a == 22 ? 7 : -1000;
	case PTOWSP_EXPR_TASK: return 12;
	case PTOWSP_EXPR_ADD: return a + b;
	case PTOWSP_EXPR_SUB: return a - b;
	case PTOWSP_EXPR_MUL: return a * b;
	case PTOWSP_EXPR_DIV: return a / b;
	case PTOWSP_EXPR_MOD: return a % b;
	case PTOWSP_EXPR_MIN: return a < b ? a : b;
	case PTOWSP_EXPR_MAX: return a > b ? a : b;
	case PTOWSP_EXPR_AND: return a & b;
	case PTOWSP_EXPR_OR: return a | b;
	case PTOWSP_EXPR_XOR: return a ^ b;
	case PTOWSP_EXPR_SHL: return a << b;
	case PTOWSP_EXPR_SHR: return a >> b;
	case PTOWSP_EXPR_EQ: return a == b;
	case PTOWSP_EXPR_NE: return a != b;
	case PTOWSP_EXPR_LT: return a < b;
	case PTOWSP_EXPR_LE: return a <= b;
	case PTOWSP_EXPR_GT: return a > b;
	case PTOWSP_EXPR_GE: return a >= b;
	case PTOWSP_EXPR_LAND: return a && b;
	case PTOWSP_EXPR_LOR: return a || b;
	case PTOWSP_EXPR_NEG: return -a;
	case PTOWSP_EXPR_NOT: return ~a;
	case PTOWSP_EXPR_LNOT: return !a;
	}
	return -12345;
}

TEST(expressions_bind_as_in_c)
{
	const int64_t i = 7, q_tile = 3, n = 100, seq = -9, task = 12;
	const struct {
		const char *text;
		int64_t value;
	} rows[] = {
#define E(expression) {#expression, expression}
		E(1 + 2 * 3),
		E((1 + 2) * 3),
		E(10 - 4 - 3),
		E(100 / 7 / 2),
		E(100 % 7 % 4),
		E(i * 4 + n),
		E(-i + n),
		E(-(i + n)),
		E(~i & 15),
		E(!i),
		E(!(i - 7)),
		E(1 << 4 | 1),
		E(seq / 2),
		E(seq % 4),
		E(seq >> 1),
		E(task - i - 1),
		E(n <= 100),
		E(n >= 101),
		E(q_tile * q_tile),
		E(0x10 + 1),
		E(2147483648 * 2),
		E(- -3),
#undef E
		{"min(i, n)", 7},
		{"max(i, min(n, 50)) + 1", 51},
		{"%i + %seq", -2},
		{"1 | 2 ^ 3 & 4", 1 | (2 ^ (3 & 4))},
		{"i < n && n > seq || 0", 1},
		{"i == 7 != 0", 1},
		{"0 == 0 < 1", 0},
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		struct reg_rows out = {.base = 50};
		uint32_t row;

		if (reg_expression_compile(rows[r].text, strlen(rows[r].text), &scope, &out, &row, &error))
			CHECK_FAIL("%s: %s", rows[r].text, error.text);
		else if (evaluate(&out, row) != rows[r].value)
			CHECK_FAIL("%s is %lld", rows[r].text, (long long)evaluate(&out, row));
		reg_rows_finish(&out);
	}
}

/* The same texts, by the function that tells shapes before a run; some use what only a task knows. */
TEST(values_are_known_before_a_run_or_said_not_to_be)
{
	static const struct {
		const char *text;
		int status;
		int64_t value;
	} rows[] = {{"n * 8 + 1", 0, 801},
		    {"min(n, 7) << 2", 0, 28},
		    {"n / 7 % 3 - max(1, n)", 0, -98},
		    {"n >> 1", 0, 50},
		    {"seq + 1", PTOWSP_NOT_FOUND, 0},
		    {"n / 0", PTOWSP_INVALID, 0},
		    {"task + 1", PTOWSP_UNSUPPORTED, 0},
		    {"n < 3", PTOWSP_UNSUPPORTED, 0},
		    {"n % 0", PTOWSP_INVALID, 0},
		    {"(0 - n) / 7", 0, -14},
		    {"(0 - n) % 7", 0, -2},
		    {"n / (0 - 1)", 0, -100},
		    {"n % (0 - 1)", 0, 0},
		    {"(0 - 9223372036854775807 - 1) / (0 - 1)", 0, INT64_MIN},
		    {"(0 - 9223372036854775807 - 1) % (0 - 1)", 0, 0},
		    {"9223372036854775807 + n", 0, INT64_MIN + 99},
		    {"0 - 9223372036854775807 - n", 0, INT64_MAX - 98},
		    {"9223372036854775807 * n", 0, -100},
		    {"n << 1", 0, 200},
		    {"n << 63", 0, 0},
		    {"1 << 63", 0, INT64_MIN},
		    {"n << 64", 0, 100},
		    {"n << 65", 0, 200},
		    {"n >> 3", 0, 12},
		    {"n >> 63", 0, 0},
		    {"n >> 65", 0, 50},
		    {"(0 - n) >> 3", 0, -13},
		    {"(0 - 1) >> 63", 0, -1},
		    {"max(n, 100) - min(100, n)", 0, 0}};
	static const uint64_t bits[] = {0, 0, 0, 100, 0, 0};
	static const uint8_t known[] = {0, 0, 0, 1, 0, 0}; /* n; not seq */

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		const struct reg_values values = {bits, known, 6};
		struct reg_rows out = {.base = 0};
		int64_t value = 0;
		uint32_t row;
		int status;

		REQUIRE_INT(reg_expression_compile(rows[r].text, strlen(rows[r].text), &scope, &out, &row, &error), 0);
		status = reg_expression_value(out.at, out.count, row, &values, &value);
		CHECK_INT(status, rows[r].status);
		if (!status)
			CHECK_INT(value, rows[r].value);
		CHECK_INT(reg_expression_value(out.at, out.count, out.count, &values, &value), PTOWSP_BAD_PACKAGE);
		reg_rows_finish(&out);
	}
}

/* A row that is used twice by the next one is looked at twice: 2^(n + 1) - 1 times for n rows of sums. */
TEST(values_of_shared_rows_are_bounded)
{
	const struct reg_values values = {0};
	struct ptowsp_expr_record rows[14] = {{.op = PTOWSP_EXPR_CONST, .b = 1}};
	int64_t value = 0;

	for (uint32_t r = 1; r < 14; r++)
		rows[r] = (struct ptowsp_expr_record){.op = PTOWSP_EXPR_ADD, .a = r - 1, .b = r - 1};
	CHECK_INT(reg_expression_value(rows, 14, 11, &values, &value), PTOWSP_OK);
	CHECK_INT(value, 2048);
	rows[12].op = PTOWSP_EXPR_ADD, rows[12].a = 11, rows[12].b = 0; /* 4,095 and 1, and itself */
	CHECK_INT(reg_expression_value(rows, 14, 12, &values, &value), PTOWSP_BAD_PACKAGE);
	rows[11].b = 9; /* 2,047 + 511 + 1 */
	CHECK_INT(reg_expression_value(rows, 14, 12, &values, &value), PTOWSP_OK);
	CHECK_INT(value, 1024 + 512 + 1);
	CHECK_INT(reg_expression_value(rows, 14, 14, &values, &value), PTOWSP_BAD_PACKAGE);
}

TEST(operands_are_earlier_rows)
{
	struct reg_rows out = {.base = 0};
	const char *text = "(i + n) * (task - 4) % 5";
	uint32_t row;

	REQUIRE_INT(reg_expression_compile(text, strlen(text), &scope, &out, &row, &error), 0);
	CHECK_UINT(row, out.count - 1);
	for (uint32_t k = 0; k < out.count; k++)
		if (out.at[k].op >= PTOWSP_EXPR_ADD)
			CHECK(out.at[k].a < k && out.at[k].b < k);
	reg_rows_finish(&out);
}

/* One row of the table, as text. */
static const char *row_text(const struct ptowsp_expr_record *rows, uint32_t count, uint32_t row)
{
	static const char *const loops[] = {"i"};
	static char memory[256];
	const struct reg_expression_tables tables = {.expr = rows, .expr_count = count, .strings = "", .strings_size = 1, .loops = loops, .loop_count = 1};
	struct reg_text text;

	reg_text_init(&text, memory, sizeof(memory));
	reg_expression_print(&tables, row, 0, &text);
	return memory;
}

/* Listings show tables that no verifier has seen. */
TEST(rows_that_say_nothing_are_shown_as_such)
{
	enum { CODES = 256 };
	struct ptowsp_expr_record rows[70] = {
		{.op = PTOWSP_EXPR_LOOP, .a = 0}, {.op = PTOWSP_EXPR_LOOP, .a = 1}, {.op = PTOWSP_EXPR_VALUE, .a = 0},
		{.op = PTOWSP_EXPR_AXIS, .a = 1}, {.op = PTOWSP_EXPR_NEG, .a = 70},
	};
	static const char *const texts[] = {"i", "loop(1)", "?", "?", "-EXPR[70]?"};
	unsigned unknown = 0;

	for (uint32_t r = 0; r < sizeof(texts) / sizeof(*texts); r++)
		CHECK_STR(row_text(rows, 70, r), texts[r]);
	for (unsigned code = 0; code < CODES; code++) {
		rows[5].op = (uint8_t)code, rows[5].a = rows[5].b = rows[5].c = 6, rows[6] = (struct ptowsp_expr_record){.op = PTOWSP_EXPR_CONST, .b = 1};
		unknown += !strcmp(row_text(rows, 70, 5), "?");
	}
	CHECK(unknown > CODES / 2);

	rows[0] = (struct ptowsp_expr_record){.op = PTOWSP_EXPR_CONST, .b = 7};
	for (uint32_t r = 1; r < 70; r++)
		rows[r] = (struct ptowsp_expr_record){.op = PTOWSP_EXPR_NEG, .a = r - 1};
	CHECK_STR(row_text(rows, 70, 63), "---------------------------------------------------------------7");
	CHECK_STR(row_text(rows, 70, 64), "----------------------------------------------------------------...");
}

TEST(nesting_and_length_are_bounded)
{
	char text[3000];
	struct reg_rows out = {.base = 0};
	uint32_t row;

	memset(text, '(', 1000);
	CHECK_INT(reg_expression_compile(text, 1000, &scope, &out, &row, &error), PTOWSP_INVALID);
	CHECK_STR(error.text,
		  "expression \"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\", character 65: it is nested too deeply");
	memset(text, '-', 1000);
	CHECK_INT(reg_expression_compile(text, 1000, &scope, &out, &row, &error), PTOWSP_INVALID);
	for (int i = 0; i < 1500; i++)
		memcpy(text + 2 * i, "1+", 2);
	CHECK_INT(reg_expression_compile(text, 2999, &scope, &out, &row, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "expression \"1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+\", character 1026: the "
			      "expressions are too long together");
	reg_rows_finish(&out);
	CHECK_INT(reg_expression_compile("(1", 2, &scope, &out, &row, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "expression \"(1\", character 3: ')' is missing");
	CHECK_INT(reg_expression_compile("min(1,2", 7, &scope, &out, &row, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "expression \"min(1,2\", character 8: ')' is missing");
	reg_rows_finish(&out);
}

TEST(texts_at_their_limits_are_taken)
{
	char text[4200], nested[200];
	struct reg_rows out = {.base = 0};
	uint32_t row;

	snprintf(text, sizeof(text), "task_window=%*d", 4096 - 12, 64);
	CHECK_STR(printed(parse(text)), "task_window=64");
	snprintf(text, sizeof(text), "task_window=%*d", 4097 - 12, 64);
	CHECK(parse(text) == NULL);
	CHECK_CONTAINS(error.text, "is not KEY=VALUE, such as task_window=64");
	CHECK_STR(printed(parse("layout=a,b,c,d,e,f,g,h")), "layout=a,b,c,d,e,f,g,h");
	CHECK_STR(printed(parse("stream_by=9223372036854775807")), "stream_by=9223372036854775807");

	for (int depth = 63; depth <= 65; depth++) {
		snprintf(nested, sizeof(nested), "%.*s1%.*s", depth, "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", depth,
			 "))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))");
		CHECK_INT(reg_expression_compile(nested, strlen(nested), &scope, &out, &row, &error), depth < 64 ? PTOWSP_OK : PTOWSP_INVALID);
		reg_rows_finish(&out);
	}
}

/* Words of a schedule are kept in one megabyte, and each directive may name as many domains as there are rows. */
TEST(words_and_domains_are_bounded)
{
	char text[4000], name[64];
	ptowsp_status status = PTOWSP_OK;

	parse("streams=1");
	for (int i = 0; i < 1000 && !status; i++) {
		snprintf(text, sizeof(text), "layout=t,%03990d", i); /* one row, and each time another word */
		status = reg_schedule_add(&schedule, text, &scope, &error);
	}
	CHECK_INT(status, PTOWSP_INVALID);
	CHECK_STR(error.text, "the schedule's words are too long together");
	status = PTOWSP_OK;
	parse("streams=1");
	for (int i = 0; i < 1000 && !status; i++) {
		snprintf(name, sizeof(name), "channel_capacity=c%d,1", i);
		status = reg_schedule_add(&schedule, name, &scope, &error);
	}
	CHECK_INT(status, PTOWSP_INVALID);
	CHECK_STR(error.text, "channel_capacity names too many domains");
}

TEST(sentences_are_cut_and_never_overflow)
{
	char memory[8];
	struct reg_text text;
	struct ptowsp_error e;

	reg_text_init(&text, memory, sizeof(memory));
	reg_text_add(&text, "abcdef\xC3\xA9");
	CHECK_STR(memory, "abcdef"); /* the cut letter is gone as a whole */
	reg_text_add(&text, "g");
	CHECK_STR(memory, "abcdefg");
	reg_text_add(&text, "h");
	CHECK_STR(memory, "abcdefg");
	reg_text_init(&text, memory, sizeof(memory));
	reg_text_add(&text, "abcde\xE2\x82\xAC");
	CHECK_STR(memory, "abcde");
	CHECK_INT(reg_fail(&e, PTOWSP_INVALID, "%0300d", 1), PTOWSP_INVALID);
	CHECK_UINT(strlen(e.text), sizeof(e.text) - 1);
	CHECK_INT(reg_fail(NULL, PTOWSP_IO, "nobody listens"), PTOWSP_IO);
}

TEST(states_and_strange_codes_have_words)
{
	struct ptowsp_directive_record row = {.directive = 99, .policy = 98};
	struct reg_feature feature;
	char memory[64];
	struct reg_text text;

	CHECK_STR(reg_state_meaning(PTOWSP_STATE_UNSUPPORTED), "refused before anything is loaded");
	CHECK_STR(reg_state_meaning(PTOWSP_STATE_DIAGNOSED), "ignored, and said so once");
	CHECK_STR(reg_state_meaning(PTOWSP_STATE_RECORDED), "kept in the program's metadata, behaviour unchanged, said so once");
	CHECK_STR(reg_state_meaning(PTOWSP_STATE_ENFORCED), "changes behaviour; --verify shows how");
	CHECK_STR(reg_status_text((ptowsp_status)-9999), "unknown status");
	CHECK(!reg_feature(0xABC, &feature));
	CHECK_STR(feature.name, "feature 0x0abc");
	reg_text_init(&text, memory, sizeof(memory));
	reg_directive_print(&row, &(struct reg_expression_tables){.strings = "", .strings_size = 1}, &text);
	CHECK_STR(memory, "directive 99=policy 98");
}

TEST(every_policy_and_feature_has_a_name)
{
	struct reg_feature feature, again;
	uint32_t count;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		CHECK(*feature.name && feature.id);
		REQUIRE(reg_feature(feature.id, &again));
		CHECK_STR(again.name, feature.name); /* no two features have one id */
		CHECK(i < reg_feature_count());
	}
	CHECK(!reg_feature(0xFFFF, &feature));
	reg_policies(&count);
	for (uint32_t i = 0; i < count; i++) {
		const struct reg_policy *p = &reg_policies(&count)[i];

		CHECK_UINT(strlen(p->kinds), p->most);
		CHECK(p->least <= p->most && p->most <= 8);
		CHECK(reg_directive(p->directive) != NULL);
	}
}
