/* SPDX-License-Identifier: MIT
 * test_rt_view.c - bytes of a tensor that kernels see as elements of another type: edges, windows, ends, what is refused. */
#include "rt/threads/crew.h"
#include "tests/check_outcome.h"

enum { BYTES = 256 };

/* Kernel 0 has no tensors, 1 one, 2 two; all cycles come from the first scalar. */
static struct builder *bytes_builder(uint32_t *tensor_out, unsigned flags)
{
	struct builder *b = builder_create();

	builder_kernel(b, "none", PTOWSP_UNIT_AIV, 1, 0);
	builder_kernel_flags(b, builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), flags);
	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)4);
	*tensor_out = builder_tensor(b, "bytes", PTOWSP_U8, BYTES, 0);
	return b;
}

static uint32_t at(struct builder *b, uint32_t tensor, int64_t from, uint32_t count, uint32_t unit, unsigned dtype)
{
	return builder_view(b, tensor, builder_const(b, from), count, unit, dtype);
}

/* Four ranges: the second overlaps the first by one byte's element, the third touches neither, the fourth both ends. */
TEST(ranges_of_bytes_are_ordered_where_they_overlap)
{
	for (uint32_t unit = 0; unit < 2; unit++) {
		uint32_t t;
		struct builder *b = bytes_builder(&t, BUILDER_NO_FOOTPRINT);
		struct outcome *o;

		builder_task(b, 1, 10, "w", at(b, t, 0, 64, unit, PTOWSP_I64));
		builder_task(b, 1, 10, "w", at(b, t, 56, 64, unit, PTOWSP_I64));
		builder_task(b, 1, 10, "w", at(b, t, 128, 64, unit, PTOWSP_I64));
		builder_task(b, 1, 10, "r", at(b, t, 112, 24, unit, PTOWSP_I64));
		for (uint32_t threads = 1; threads < 3; threads++) {
			o = builder_run(b, &(struct outcome_how){.threads = threads});
			CHECK_INT(o->status, PTOWSP_OK);
			CHECK_STR(o->error.text, "");
			CHECK_UINT(o->stats.edges, 3);
			CHECK(outcome_has_edge(o, 0, 1) && outcome_has_edge(o, 1, 3) && outcome_has_edge(o, 2, 3));
			check_starts(o, (uint64_t[]){0, 10, 0, 20}, 4);
			outcome_destroy(o);
		}
		builder_destroy(b);
	}
}

/* The kernel touches elements 1 and 2 of 8 bytes each. */
TEST(what_a_kernel_touches_counts_in_its_own_elements)
{
	uint32_t t;
	struct builder *b = bytes_builder(&t, 0);
	struct outcome *o;

	builder_touch(b, 1, 0, 1, 2, PTOWSP_WRITE);
	builder_task(b, 1, 10, "w", at(b, t, 0, 0, 1, PTOWSP_I64));   /* bytes 8 to 23 */
	builder_task(b, 1, 10, "w", at(b, t, 16, 0, 1, PTOWSP_I64));  /* bytes 24 to 39 */
	builder_task(b, 1, 10, "w", at(b, t, 8, 0, 1, PTOWSP_I64));   /* bytes 16 to 31 */
	builder_task(b, 1, 10, "w", at(b, t, 232, 0, 1, PTOWSP_I64)); /* the last 16 */
	o = builder_run(b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->stats.edges, 2);
	CHECK(outcome_has_edge(o, 0, 2) && outcome_has_edge(o, 1, 2));
	outcome_done(b, o);
	b = bytes_builder(&t, 0);
	builder_touch(b, 1, 0, 1, 2, PTOWSP_WRITE);
	builder_task(b, 1, 10, "w", at(b, t, 240, 0, 1, PTOWSP_I64));
	check_refused(b, PTOWSP_RUN_FAILED, "task 0, kernel k, touches elements 248 to 263 of tensor bytes, which has 256");
}

TEST(a_window_ends_where_it_was_said)
{
	uint32_t t;
	struct builder *b = bytes_builder(&t, 0);

	builder_touch(b, 1, 0, 1, 2, PTOWSP_WRITE);
	builder_task(b, 1, 10, "w", at(b, t, 0, 24, 1, PTOWSP_I64));
	builder_task(b, 1, 10, "w", at(b, t, 0, 16, 1, PTOWSP_I64));
	check_refused(b, PTOWSP_RUN_FAILED, "task 1, kernel k, touches element 2 behind the start of its window of tensor bytes, which has 2 i64");
}

TEST(a_view_begins_at_an_element)
{
	for (uint32_t unit = 0; unit < 2; unit++) {
		uint32_t t;
		struct builder *b = bytes_builder(&t, BUILDER_NO_FOOTPRINT);
		uint32_t slot = builder_slot(b, "from", PTOWSP_SLOT_SYMBOL, 16);
		const uint64_t values[] = {16, 20};
		struct outcome *o;

		builder_task(b, 1, 10, "w", builder_view(b, t, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), 64, unit, PTOWSP_I64));
		o = builder_run(b, &(struct outcome_how){.values = values, .value_count = 1});
		CHECK_INT(o->status, PTOWSP_OK);
		outcome_destroy(o);
		o = builder_run(b, &(struct outcome_how){.values = values + 1, .value_count = 1});
		CHECK_INT(o->status, PTOWSP_RUN_FAILED);
		CHECK_STR(o->error.text, "task 0, kernel k, sees tensor bytes as i64 from byte 20 on, which is no multiple of 8; from is 20");
		outcome_done(b, o);
	}
}

/* In a loop too, whose tasks have a plan. */
TEST(a_loop_over_views_is_a_loop_over_bytes)
{
	uint32_t t;
	struct builder *b = bytes_builder(&t, BUILDER_NO_FOOTPRINT | BUILDER_STEADY);
	uint32_t step = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, 8), 0);
	struct outcome *o;

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 31);
	builder_task(b, 1, 3, "m", builder_view(b, t, step, 16, 0, PTOWSP_I64));
	builder_end(b);
	for (uint32_t threads = 1; threads < 3; threads++) {
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_STR(o->error.text, "");
		CHECK_UINT(o->stats.edges, 30);
		CHECK_UINT(o->stats.total_cycles, 31 * 3);
		outcome_destroy(o);
	}
	builder_destroy(b);
}

/* A task that is handed over has its windows made from a plan, on a thread of its own. */
TEST(a_view_is_the_same_on_another_thread)
{
	const struct rt_crew_rules usual = rt_crew_rules;
	uint32_t t;
	struct builder *b = bytes_builder(&t, BUILDER_NO_FOOTPRINT | BUILDER_STEADY);
	uint32_t loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	struct outcome *told, *o;

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 31);
	builder_task(b, 1, 3, "m", builder_view(b, t, builder_expr(b, PTOWSP_EXPR_MUL, loop, builder_const(b, 8), 0), 16, 0, PTOWSP_I64));
	builder_task(b, 1, 3, "m", builder_view(b, t, builder_const(b, 8), 32, 0, PTOWSP_I64));
	builder_end(b);
	told = builder_run(b, &(struct outcome_how){.seed = 1});
	rt_crew_rules.brief_ns = 0;
	o = builder_run(b, &(struct outcome_how){.seed = 1, .threads = 2, .no_sinks = true});
	rt_crew_rules = usual;
	outcome_same(1, "2 threads", told, o, true);
	outcome_destroy(told);
	outcome_done(b, o);
}

/* A slot is loaded from bytes 4 to 7; who wrote the last of them is waited for. */
TEST(a_slot_is_loaded_from_an_element_of_the_view)
{
	uint32_t t;
	struct builder *b = bytes_builder(&t, BUILDER_NO_FOOTPRINT);
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
	struct outcome *o;

	builder_task(b, 1, 50, "w", builder_region(b, t, builder_const(b, 0), builder_const(b, 7), 1, 1));
	builder_slot_load(b, slot, at(b, t, 4, 4, 0, PTOWSP_I32));
	builder_task_list(b, 0, builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 0), 0), 0, "", NULL);
	o = builder_run(b, &(struct outcome_how){0});
	CHECK_STR(o->error.text, "");
	check_starts(o, (uint64_t[]){0, 50}, 2);
	outcome_done(b, o);
}

static void refused(uint32_t region[2], struct builder *b, const char *want)
{
	struct rt_program *program = NULL;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	builder_task(b, 1, 1, "w", region[0]);
	if (region[1] != PTOWSP_NONE)
		builder_task(b, 1, 1, "w", region[1]);
	CHECK_INT(builder_program(b, &program, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, want);
	builder_destroy(b);
}

TEST(views_that_make_no_sense_are_refused)
{
	uint32_t t, whole;
	struct builder *b = bytes_builder(&t, 0);

	whole = builder_tensor(b, "whole", PTOWSP_I32, BYTES, 0);
	refused((uint32_t[]){at(b, whole, 0, 8, 0, PTOWSP_F32), PTOWSP_NONE}, b,
		"a region of tensor whole is seen as f32; only a tensor of u8 is seen as something else");
	b = bytes_builder(&t, 0);
	refused((uint32_t[]){at(b, t, 0, 10, 0, PTOWSP_F32), PTOWSP_NONE}, b,
		"a region of tensor bytes has 10 bytes, which is no multiple of the 4 of an element of f32");
	b = bytes_builder(&t, 0);
	refused((uint32_t[]){at(b, t, 0, 8, 0, 77), PTOWSP_NONE}, b, "a region of tensor bytes is seen as the unknown type 77");
	b = bytes_builder(&t, 0);
	refused((uint32_t[]){at(b, t, 0, 8, 1, PTOWSP_F32), at(b, t, 0, 8, 1, PTOWSP_I64)}, b,
		"tensor argument 0 of kernel k is a view of bytes at one task and none, or another one, at the next");
}
