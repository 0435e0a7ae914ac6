/* SPDX-License-Identifier: MIT
 * test_rt_slot.c - slots and expressions, sentence by sentence of what is said about them: patterns, errors, waiting, what is fixed when. */
#include "tests/check_outcome.h"

#include <string.h>

static uint32_t value_of(struct builder *b, uint32_t slot)
{
	return builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0);
}

/* Sets the flags of the latest instruction. */
static void flags_set(struct builder *b, uint8_t flags)
{
	uint32_t count;
	struct ptowsp_instruction *code = builder_code(b, &count);

	code[count - 1].flags = flags;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

struct loaded {
	unsigned dtype;
	uint64_t bits;
	int64_t want;
};

/* A load of an element with those bits gives the value that is wanted: there is one task only if it does. */
static void load_check(const struct loaded *row, uint8_t flags)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), t = builder_tensor(b, "t", row->dtype, 1, 0);
	uint32_t s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), zero = builder_const(b, 0);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_binding binding = {.data = (void *)&row->bits, .elements = 1, .extents = {1}, .dtype = (uint16_t)row->dtype, .rank = 1};
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .bindings = &binding, .binding_count = 1, .binding_stride = sizeof(binding)};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_program *program;

	builder_slot_load(b, s, builder_region(b, t, zero, zero, 1, 1));
	flags_set(b, flags);
	builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_EQ, value_of(b, s), builder_const(b, row->want), 0));
	builder_task(b, k, 1, "");
	builder_end(b);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_run(program, &(struct rt_run_args){.args = &args}, &stats, NULL, &error), PTOWSP_OK);
	if (stats.tasks != 1)
		CHECK_FAIL("type %u, bits %jx", row->dtype, (uintmax_t)row->bits);
	rt_program_destroy(program);
	builder_destroy(b);
}

TEST(slots_are_loaded_from_every_type)
{
	static const struct loaded rows[] = {
		{PTOWSP_I8, 0x80, -128},
		{PTOWSP_U8, 0x80, 128},
		{PTOWSP_BOOL, 1, 1},
		{PTOWSP_I16, 0x8000, -32768},
		{PTOWSP_U16, 0x8000, 32768},
		{PTOWSP_I32, 0x80000000, INT32_MIN},
		{PTOWSP_U32, 0x80000000, INT64_C(0x80000000)},
		{PTOWSP_I64, UINT64_MAX, -1},
		{PTOWSP_U64, UINT64_MAX, -1},
		{PTOWSP_F32, 0xC0200000, -2},                /* -2.5 */
		{PTOWSP_F32, 0x7FC00000, 0},                 /* NaN */
		{PTOWSP_F32, 0x7F800000, INT64_MAX},         /* infinity */
		{PTOWSP_F64, 0xC3E0000000000000, INT64_MIN}, /* -2^63 */
		{PTOWSP_F64, 0x4059000000000000, 100},
		{PTOWSP_F16, 0x4200, 3},
		{PTOWSP_F16, 0xFC00, INT64_MIN},
		{PTOWSP_F16, 0x3BFF, 0},
		{PTOWSP_BF16, 0xC2C8, -100},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		load_check(&rows[i], 0);
}

TEST(a_load_of_bits_gives_the_pattern_of_every_type)
{
	static const struct loaded rows[] = {
		{PTOWSP_I8, 0xFFFFFFFFFFFFFF80, 0x80},
		{PTOWSP_U16, 0xFFFFFFFFFFFF8000, 0x8000},
		{PTOWSP_I32, 0xFFFFFFFF80000000, INT64_C(0x80000000)},
		{PTOWSP_I64, UINT64_MAX, -1},
		{PTOWSP_F32, 0xC0200000, INT64_C(0xC0200000)},
		{PTOWSP_F32, 0xFFFFFFFF7FC00001, 0x7FC00001}, /* NaN */
		{PTOWSP_F64, 0x7FF0000000000000, INT64_C(0x7FF0000000000000)},
		{PTOWSP_F16, 0xFFFFFFFFFFFFFC00, 0xFC00},
		{PTOWSP_BF16, 0xC2C8, 0xC2C8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		load_check(&rows[i], PTOWSP_SLOT_LOAD_BITS);
}

TEST(flags_that_nobody_knows_are_refused)
{
	static const struct {
		bool load;
		uint8_t flags;
	} rows[] = {{true, PTOWSP_CHECKED}, {true, 4}, {true, PTOWSP_SLOT_LOAD_BITS | 128}, {false, PTOWSP_SLOT_LOAD_BITS}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct builder *b = builder_create();
		uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 1, 0), s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), zero = builder_const(b, 0);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_program *program;

		if (rows[i].load)
			builder_slot_load(b, s, builder_region(b, t, zero, zero, 1, 1));
		else
			builder_slot_set(b, s, zero);
		flags_set(b, rows[i].flags);
		CHECK_INT(builder_program(b, &program, &error), PTOWSP_BAD_PACKAGE);
		CHECK_CONTAINS(error.text, "flags");
		builder_destroy(b);
	}
}

/* The writer has another key than the load, and no rule but one would make an edge between them. */
TEST(a_load_waits_for_the_writer_of_its_element_whatever_deps_says)
{
	static const unsigned deps[] = {PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_DEPS_EXPLICIT, PTOWSP_DEPS_HYBRID};

	for (size_t d = 0; d < sizeof(deps) / sizeof(*deps); d++)
		for (uint32_t threads = 1; threads <= 3; threads += 2) {
			struct builder *b = builder_create();
			uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 4, 8);
			uint32_t s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), zero = builder_const(b, 0), two = builder_const(b, 2);
			struct outcome *o;

			builder_kernel_flags(b, k, BUILDER_LATER);
			builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, deps[d], "");
			builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", INT64_C(4));
			builder_task(b, k, 100, "w", builder_region(b, t, zero, zero, 4, 8)); /* all of it */
			builder_task(b, k, 7, "w", builder_region(b, t, zero, zero, 1, 8));   /* not this element */
			builder_slot_load(b, s, builder_region(b, t, two, two, 1, 1));
			builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_GE, value_of(b, s), builder_const(b, INT64_MIN), 0));
			builder_task(b, k, 1, "r", builder_region(b, t, builder_const(b, 3), zero, 1, 8));
			builder_end(b);
			o = builder_run(b, &(struct outcome_how){.threads = threads, .idle = true});
			REQUIRE_INT(o->status, PTOWSP_OK);
			REQUIRE_UINT(o->task_count, 3);
			if (o->tasks[2].start < 100)
				CHECK_FAIL("deps %u: the task behind the load starts at %llu", deps[d], (unsigned long long)o->tasks[2].start);
			outcome_done(b, o);
		}
}

TEST(a_slot_without_a_bound_tensor_is_0_and_said_once)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 4, 0), s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 9), zero = builder_const(b, 0);
	uint32_t r = builder_region(b, t, zero, zero, 1, 1);
	struct outcome *o;
	const char *at;

	builder_slot_load(b, s, r);
	builder_slot_load(b, s, r);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true});
	CHECK_INT(o->status, PTOWSP_OK);
	at = strstr(o->log, "which is not bound: it is 0");
	REQUIRE(at);
	CHECK(!strstr(at + 1, "which is not bound"));
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.bare = true});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "bound to no memory");
	outcome_done(b, o);
}

/* A loop whose number of iterations a task computes. */
TEST(control_flow_follows_what_a_task_wrote)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		struct builder *b = builder_create();
		uint32_t w = builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
		uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 4, 0), s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
		uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), r = builder_region(b, t, zero, zero, 1, 1);
		uint32_t bound = builder_expr(b, PTOWSP_EXPR_AND, builder_expr(b, PTOWSP_EXPR_VALUE, s, 0, 0), builder_const(b, 15), 0);
		struct outcome *o;

		builder_kernel_flags(b, w, BUILDER_SLOW);
		builder_task(b, w, 50, "w", r);
		builder_slot_load(b, s, r);
		builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, bound, one, PTOWSP_NONE));
		builder_task(b, k, 1, "");
		builder_end(b);
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->task_count, 1 + (o->memory[0] & 15));
		CHECK(o->task_count > 1);
		CHECK_UINT(o->tasks[1].start, 50);
		outcome_done(b, o);
	}
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

TEST(parameters_are_fixed_when_the_task_is_issued)
{
	for (uint32_t threads = 1; threads <= 3; threads += 2) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 5);
		struct outcome *o;

		builder_kernel_flags(b, k, BUILDER_LATER);
		builder_task_list(b, k, value_of(b, s), 0, "", NULL);
		builder_slot_set(b, s, builder_const(b, 9));
		builder_task_list(b, k, value_of(b, s), 0, "", NULL);
		builder_slot_set(b, s, builder_expr(b, PTOWSP_EXPR_MUL, value_of(b, s), value_of(b, s), 0));
		builder_task_list(b, k, value_of(b, s), 0, "", NULL);
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		REQUIRE_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.total_cycles, 5 + 9 + 81);
		outcome_done(b, o);
	}
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

enum place { SET, LOAD, TASK, COND, LOOP, WHILE, DISPATCH, STREAM, POOL, PLACES };

static void zero_put(struct builder *b, enum place place, uint32_t bad)
{
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), t = builder_tensor(b, "t", PTOWSP_I64, 4, 0);
	uint32_t s = builder_slot(b, "other", PTOWSP_SLOT_SLOT, 0), zero = builder_const(b, 0), one = builder_const(b, 1);

	if (place == DISPATCH)
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en", bad, INT64_C(2));
	if (place == STREAM)
		builder_schedule(b, PTOWSP_DIRECTIVE_STREAMS, PTOWSP_STREAMS_COUNT, "n", INT64_C(2));
	if (place == STREAM)
		builder_schedule(b, PTOWSP_DIRECTIVE_STREAM_BY, PTOWSP_STREAM_BY_EXPRESSION, "e", bad);
	if (place == POOL)
		builder_schedule(b, PTOWSP_DIRECTIVE_POOLS, PTOWSP_POOLS_CUSTOM, "e", bad);
	builder_emit(b, PTOWSP_OP_NOP, 0, 0);
	switch (place) {
	case SET: builder_slot_set(b, s, bad); return;
	case LOAD: builder_slot_load(b, s, builder_region(b, t, bad, zero, 1, 1)); return;
	case COND: builder_branches(b, PTOWSP_OP_COND, 2, bad); break;
	case LOOP: builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, bad, one, PTOWSP_NONE)); break;
	case WHILE: builder_while(b, bad); break;
	case TASK: builder_task_list(b, k, bad, 0, "", NULL); return;
	default: builder_task(b, k, 1, ""); return;
	}
	builder_task(b, k, 1, "");
	builder_end(b);
}

/* Both sides of a logic operation are evaluated: this one could have stopped at the first. */
TEST(division_by_zero_names_its_instruction_wherever_it_stands)
{
	for (enum place place = SET; place < PLACES; place++)
		for (int modulo = 0; modulo < 2; modulo++) {
			struct builder *b = builder_create();
			uint32_t s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), v = value_of(b, s);
			uint32_t quotient = builder_expr(b, modulo ? PTOWSP_EXPR_MOD : PTOWSP_EXPR_DIV, builder_const(b, 1), v, 0);
			uint32_t bad = builder_expr(b, PTOWSP_EXPR_LAND, builder_expr(b, PTOWSP_EXPR_NE, v, builder_const(b, 0), 0), quotient, 0);
			struct outcome *o;

			zero_put(b, place, bad);
			o = builder_run(b, NULL);
			if (o->status != PTOWSP_RUN_FAILED || !strstr(o->error.text, "instruction 1") ||
			    (!strstr(o->error.text, "divides by zero") && !strstr(o->error.text, "division by zero")))
				CHECK_FAIL("place %d: status %d, \"%s\"", (int)place, o->status, o->error.text);
			outcome_done(b, o);
		}
}

TEST(a_division_by_a_symbol_that_is_zero_names_its_instruction)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), s = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 0);
	uint32_t bad = builder_expr(b, PTOWSP_EXPR_DIV, builder_const(b, 1), builder_expr(b, PTOWSP_EXPR_VALUE, s, 0, 0), 0);
	struct outcome *o;

	builder_emit(b, PTOWSP_OP_NOP, 0, 0);
	builder_task_list(b, k, bad, 0, "", NULL);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "division by zero");
	CHECK_CONTAINS(o->error.text, "instruction 1");
	outcome_done(b, o);
}

/* Named: the slot, its value, the limit. */
TEST(what_a_slot_puts_outside_is_an_error_that_names_slot_value_and_limit)
{
	static const struct {
		int64_t value;
		enum { ROW, COLUMN, FLAT, ELEMENT, EXTENT } where;
		const char *limit;
	} rows[] = {
		{4, ROW, "which is 4 x 8"},           {-1, ROW, "which is 4 x 8"}, {1, COLUMN, "which is 4 x 8"},     {INT64_MIN, COLUMN, "which is 4 x 8"},
		{33, FLAT, "which has 32"},           {-3, FLAT, "which has 32"},  {INT64_MAX, FLAT, "which has 32"}, {4, ELEMENT, "which is 4 x 8"},
		{-1, EXTENT, "it must be 0 or more"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 4, 8);
		uint32_t s = builder_slot(b, "place", PTOWSP_SLOT_SLOT, rows[i].value), other = builder_slot(b, "other", PTOWSP_SLOT_SLOT, 0);
		uint32_t v = value_of(b, s), zero = builder_const(b, 0);
		struct outcome *o;

		builder_slot_set(b, other, zero);
		switch (rows[i].where) {
		case ROW: builder_task(b, k, 1, "w", builder_region(b, t, v, zero, 1, 8)); break;
		case COLUMN: builder_task(b, k, 1, "w", builder_region(b, t, zero, v, 1, 8)); break;
		case FLAT:
			builder_touch(b, k, 0, 0, 1, PTOWSP_WRITE);
			builder_task(b, k, 1, "w", builder_window(b, t, zero, v, 1));
			break;
		case ELEMENT: builder_slot_load(b, other, builder_region(b, t, v, zero, 1, 1)); break;
		case EXTENT:
			builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis_rows(b, "i", PTOWSP_AXIS_DENSE_DYN, v, PTOWSP_NONE, PTOWSP_NONE, PTOWSP_NONE));
			builder_task(b, k, 1, "w", builder_region(b, t, zero, zero, 1, 8));
			builder_end(b);
			break;
		}
		o = builder_run(b, NULL);
		if (o->status != PTOWSP_RUN_FAILED || !strstr(o->error.text, "place") || !strstr(o->error.text, rows[i].limit) ||
		    !strstr(o->error.text, check_fmt("%lld", (long long)rows[i].value)))
			CHECK_FAIL("row %zu: status %d, \"%s\"", i, o->status, o->error.text);
		outcome_done(b, o);
	}
}
