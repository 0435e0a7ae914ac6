/* SPDX-License-Identifier: MIT
 * test_rt_footprint.c - what a task touches of its tensors: windows of known and unknown length, extents that are measured. */
#include "rt/access/footprint.h"
#include "tests/check_outcome.h"

TEST(extents_from_a_symbol_name_it_when_they_leave_the_tensor)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 4, 8);
	uint32_t n = builder_slot(b, "offset", PTOWSP_SLOT_SYMBOL, 3), zero = builder_const(b, 0);
	uint32_t row = builder_expr(b, PTOWSP_EXPR_VALUE, n, 0, 0);
	const uint64_t values[] = {4, (uint64_t)-1, 3};
	struct outcome *o;

	builder_task(b, k, 1, "w", builder_region(b, t, row, zero, 1, 8));
	o = builder_run(b, &(struct outcome_how){.values = values, .value_count = 1});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_STR(o->error.text, "task 0, kernel k, touches 1 x 8 elements at 4, 0 of tensor t, which is 4 x 8; offset is 4");
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.values = values + 1, .value_count = 1});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.values = values + 2, .value_count = 1});
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_done(b, o);
}

TEST(flat_windows_are_checked_with_what_the_kernel_touches)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 32, 0);
	uint32_t zero = builder_const(b, 0);
	struct outcome *o;

	builder_touch(b, k, 0, 8, 8, PTOWSP_READ);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	builder_task(b, k, 1, "r", builder_window(b, t, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), zero, 8));
	builder_end(b);
	o = builder_run(b, NULL); /* 24 + 8 .. 24 + 16 */
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "task 3, kernel k, touches elements 32 to 39 of tensor t, which has 32");
	outcome_done(b, o);
}

/* So many elements of the first tensor are needed, none of another one; gives the builder back. */
static void extent_is(struct builder *b, uint64_t want)
{
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	uint64_t elements[2] = {7, 7};

	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_extents(program, &args, elements, 2, &error), PTOWSP_OK);
	CHECK_UINT(elements[0], want);
	CHECK_UINT(elements[1], 0);
	rt_program_destroy(program);
	builder_destroy(b);
}

TEST(extents_of_a_tensor_without_shape_are_measured)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_F32, 0, 0);

	builder_touch(b, k, 0, 4, 8, PTOWSP_WRITE);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5);
	builder_task(b, k, 1, "w", builder_window(b, t, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, 0), 16));
	builder_end(b);
	builder_kernel_flags(b, k, BUILDER_LATER | BUILDER_UNUSABLE);
	extent_is(b, 4 * 16 + 12);
}

/* Loops without tasks whose end nobody sees, in the workload and in a process: no length can be told, and the look ends all the same. */
TEST(extents_of_a_program_without_end_cannot_be_told)
{
	for (int process = 0; process < 2; process++) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_F32, 0, 0);

		builder_touch(b, k, 0, 0, 8, PTOWSP_WRITE);
		if (process)
			builder_process(b, "p", 1);
		builder_task(b, k, 1, "w", builder_window(b, t, builder_const(b, 0), builder_const(b, 0), 8));
		builder_while(b, builder_const(b, 1));
		builder_end(b);
		extent_is(b, UINT64_MAX);
	}
}

/* The kernel's footprint unknown: the rest of the tensor counts as touched. */
TEST(without_a_footprint_the_rest_of_the_tensor_is_touched)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 32, 0);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), two = builder_const(b, 2);
	struct outcome *o;

	builder_kernel_flags(b, k, BUILDER_NO_FOOTPRINT);
	builder_task(b, k, 1, "w", builder_window(b, t, two, zero, 8));
	builder_task(b, k, 1, "r", builder_window(b, t, one, zero, 8));
	builder_task(b, k, 1, "r", builder_window(b, t, builder_const(b, 4), zero, 8)); /* nothing is left there */
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->edge_count, 1);
	CHECK(outcome_has_edge(o, 0, 1));
	outcome_done(b, o);
}

enum { PIECES = 400000, READ_ARGS = 5 };

/* Element by element of five tensors in turn, `step` apart: more than any look back sees, and than there is room for. */
static ptowsp_status element_by_element(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	(void)context, (void)kernel;
	for (int64_t i = 0; i < PIECES; i++)
		for (uint32_t a = 0; a < READ_ARGS; a++)
			touch(sink, a, i * (int64_t)args[0], 1, 0, PTOWSP_READ);
	return PTOWSP_OK;
}

TEST(what_is_one_span_in_the_end_counts_once)
{
	const struct rt_kernels kernels = {.footprint = element_by_element};
	const uint8_t scales[READ_ARGS] = {0};
	const uint64_t step = 1;
	struct rt_footprint footprint = {0};

	CHECK_INT(rt_footprint_ask(&footprint, &kernels, 0, &step, scales, READ_ARGS), PTOWSP_OK);
	CHECK(footprint.known && !footprint.too_many);
	for (uint32_t a = 0; a < READ_ARGS && footprint.known; a++) {
		CHECK_UINT(footprint.args[a].read_count, 1);
		CHECK_UINT(footprint.args[a].write_count, 0);
		CHECK_INT(footprint.spans[footprint.args[a].read].start, 0);
		CHECK_INT(footprint.spans[footprint.args[a].read].end, PIECES);
		CHECK_INT(footprint.args[a].most, PIECES);
	}
	rt_footprint_finish(&footprint);
}

/* Found as 1.5 GiB that --explain took of a package whose kernel stores one element of 2^25 rows. */
TEST(too_many_pieces_are_not_kept)
{
	const struct rt_kernels kernels = {.footprint = element_by_element};
	const uint8_t scales[READ_ARGS] = {0};
	const uint64_t steps[] = {3, 1};
	struct rt_footprint footprint = {0};

	CHECK_INT(rt_footprint_ask(&footprint, &kernels, 0, &steps[0], scales, READ_ARGS), PTOWSP_OK);
	CHECK(footprint.too_many && !footprint.known);
	CHECK_UINT(footprint.raw_room + footprint.span_room, 0);
	CHECK_INT(rt_footprint_ask(&footprint, &kernels, 0, &steps[1], scales, READ_ARGS), PTOWSP_OK); /* with other arguments */
	CHECK(!footprint.too_many && footprint.known);
	rt_footprint_finish(&footprint);
}

/* Cycles of value `cycles` of one kernel are asked for, and its footprint, so many times in a run of a program that has run before. */
static void questions_are(struct builder *b, struct rt_program *program, uint64_t cycles, uint64_t questions)
{
	struct outcome *o = builder_run_program(b, program, &(struct outcome_how){.values = &cycles, .value_count = 1});

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, cycles);
	CHECK_UINT(o->questions, questions);
	outcome_destroy(o);
}

TEST(a_later_run_asks_only_about_other_arguments)
{
	struct builder *b = builder_create();
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 8, 0);
	uint32_t cycles = builder_expr(b, PTOWSP_EXPR_VALUE, builder_slot(b, "cycles", PTOWSP_SLOT_SYMBOL, 3), 0, 0), zero = builder_const(b, 0);
	const uint32_t region = builder_window(b, t, zero, zero, 8);
	struct rt_program *program;

	builder_touch(b, k, 0, 0, 8, PTOWSP_WRITE);
	builder_task_list(b, k, cycles, 1, "w", &region);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	questions_are(b, program, 3, 2);
	questions_are(b, program, 3, 0);
	questions_are(b, program, 4, 2);
	questions_are(b, program, 4, 0);
	questions_are(b, program, 3, 2);
	rt_program_destroy(program);
	builder_destroy(b);
}
