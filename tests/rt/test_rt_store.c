/* SPDX-License-Identifier: MIT
 * test_rt_store.c - what kernels see of temp tensors: versions, holes in the heap, graphs that are built first. */
#include "rt/threads/crew.h"
#include "tests/rt/builder/temp_builder.h"

#include <string.h>

static const uint64_t *tensor_at(const struct outcome *o, uint32_t tensor, uint32_t element)
{
	return &o->memory[(tensor ? 64 : 0) + element];
}

static void same_check(const struct outcome *o, uint32_t row, uint32_t tensor, uint32_t with)
{
	for (uint32_t r = 0; r < TILE_ROWS; r++)
		for (uint32_t c = 0; c < TILE_COLUMNS; c++)
			CHECK_UINT(*tensor_at(o, 1, (row + r) * 8 + c), *tensor_at(o, tensor, (with + r) * 8 + c));
}

/* A key shows its tensor until a version is made, and again when a scope has given that back. */
static struct outcome *without_version_run(void)
{
	struct builder *b = temp_builder();
	struct outcome *o;

	builder_copy(b, temp_tile(b, 4, 0), temp_out_tile(b, 0));
	builder_scope(b);
	builder_task(b, 0, 1, "w", temp_tile(b, 4, 0));
	builder_copy(b, temp_tile(b, 4, 0), temp_out_tile(b, 2));
	builder_end(b);
	builder_copy(b, temp_tile(b, 4, 0), temp_out_tile(b, 4));
	builder_task(b, 0, 1, "m", temp_tile(b, 4, 0));
	builder_copy(b, temp_tile(b, 4, 0), temp_out_tile(b, 6));
	o = builder_run(b, &(struct outcome_how){.seed = 7});
	builder_destroy(b);
	return o;
}

TEST(a_key_without_a_version_shows_its_tensor)
{
	struct outcome *o = without_version_run();

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(*tensor_at(o, 1, 0) != *tensor_at(o, 1, 16));
	same_check(o, 4, 1, 0);
	same_check(o, 6, 0, 4);
	outcome_destroy(o);
}

/* The task writes one element of eight; the memory was another version's before. */
TEST(a_version_begins_as_zeros)
{
	struct builder *b = temp_builder_in(64);
	uint32_t one = builder_kernel(b, "one", PTOWSP_UNIT_AIV, 1, 1);
	struct outcome *o;

	builder_touch(b, one, 0, 0, 1, PTOWSP_WRITE);
	builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_task(b, one, 1, "w", temp_tile(b, 0, 0));
	builder_copy(b, temp_tile(b, 0, 0), temp_out_tile(b, 0));
	o = builder_run(b, &(struct outcome_how){.seed = 3});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(*tensor_at(o, 1, 0) != 0);
	for (uint32_t i = 1; i < TILE_COLUMNS; i++) {
		CHECK_UINT(*tensor_at(o, 1, i), 0);
		CHECK_UINT(*tensor_at(o, 1, 8 + i), 0);
	}
	outcome_done(b, o);
}

/* Blocks of 64 bytes that come back beside versions that are in use: a version of 128 bytes takes their bytes. */
static struct builder *holes(int64_t heap, bool later)
{
	struct builder *b = temp_builder();
	uint32_t large = builder_tensor(b, "y", PTOWSP_I64, 4, 4), region;

	builder_role(b, large, PTOWSP_ROLE_TEMP);
	if (later)
		builder_kernel_flags(b, 0, BUILDER_LATER);
	temp_executors(b, 3);
	temp_heap(b, heap);
	region = builder_region(b, large, builder_const(b, 0), builder_const(b, 0), 4, 4);
	for (int i = 0; i < 4; i++)
		builder_task(b, 0, 5, "w", temp_tile(b, 2 * i, 0));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i += 2)
			builder_task(b, 0, 3, "w", temp_tile(b, 2 * i, 0));
		builder_task(b, 0, 2, "w", region);
		builder_task(b, 1, 2, "rw", region, temp_out_tile(b, 8 + 2 * round));
	}
	for (int i = 0; i < 4; i++)
		builder_copy(b, temp_tile(b, 2 * i, 0), temp_out_tile(b, 2 * i));
	return b;
}

TEST(versions_take_the_bytes_of_those_of_other_sizes)
{
	const struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = holes(1 << 20, false);
	struct outcome *wide = builder_run(b, NULL);

	builder_destroy(b);
	for (uint32_t k = 0; k < 8; k++) {
		struct outcome *o;

		rt_crew_rules.brief_ns = k & 1 ? 0 : usual.brief_ns; /* 0: with threads all tasks are handed over */
		b = holes(384, k & 2);
		o = builder_run(b, &(struct outcome_how){.threads = k & 4 ? 3 : 1});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(outcome_resource(o, "heap")->high_water, 384);
		CHECK(outcome_resource(o, "heap")->stall_count > 0);
		REQUIRE_UINT(o->memory_count, wide->memory_count);
		CHECK_MEM(o->memory, wide->memory, wide->memory_count * sizeof(*o->memory));
		outcome_done(b, o);
	}
	rt_crew_rules = usual;
	outcome_destroy(wide);
}

/* Producers and consumers through a few keys, as fast as the heap lets them. */
static struct builder *many(int64_t heap)
{
	struct builder *b = temp_builder();
	uint32_t i, row, to;

	builder_kernel_flags(b, 0, BUILDER_LATER);
	builder_kernel_flags(b, 1, BUILDER_LATER);
	if (heap)
		temp_heap(b, heap);
	temp_executors(b, 3);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 500);
	i = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_MOD, i, builder_const(b, 4), 0), builder_const(b, 2), 0);
	to = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_MOD, i, builder_const(b, 8), 0), builder_const(b, 2), 0);
	builder_scope(b);
	builder_task(b, 0, 3, "w", builder_region(b, 0, row, builder_const(b, 0), 2, 4));
	builder_task(b, 0, 2, "m", builder_region(b, 0, row, builder_const(b, 0), 2, 4));
	builder_task(b, 1, 2, "rm", builder_region(b, 0, row, builder_const(b, 0), 2, 4), builder_region(b, 1, to, builder_const(b, 0), 2, 8));
	builder_end(b);
	builder_end(b);
	return b;
}

TEST(threads_and_capacity_change_no_result)
{
	static const int64_t heaps[] = {0, 64, 128, 192, 1 << 16};
	const struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = many(0);
	struct outcome *first = builder_run(b, NULL);

	builder_destroy(b);
	CHECK_INT(first->status, PTOWSP_OK);
	for (uint32_t k = 0; k < 20; k++) {
		struct outcome *o, *alone;

		rt_crew_rules.brief_ns = k & 1 ? 0 : usual.brief_ns;
		b = many(heaps[k % 5]);
		o = builder_run(b, &(struct outcome_how){.threads = 1 + k % 4});
		alone = builder_run(b, NULL);
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_MEM(o->memory, first->memory, first->memory_count * sizeof(*o->memory));
		CHECK_UINT(o->stats.total_cycles, alone->stats.total_cycles);
		CHECK_UINT(outcome_resource(o, "heap")->stall_cycles, outcome_resource(alone, "heap")->stall_cycles);
		outcome_destroy(alone);
		outcome_done(b, o);
	}
	rt_crew_rules = usual;
	outcome_destroy(first);
}

/* Task 0 is slow, and no edge leads from it to the copy: what it wrote is there all the same. */
TEST(a_key_that_shows_its_tensor_again_waits_for_who_used_it_before)
{
	const struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = temp_builder();
	uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1);
	struct outcome *o;

	rt_crew_rules.brief_ns = 0;
	builder_kernel_flags(b, slow, BUILDER_SLOW);
	temp_executors(b, 3);
	builder_task(b, slow, 10, "m", temp_tile(b, 0, 0));
	builder_scope(b);
	builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_end(b);
	builder_copy(b, temp_tile(b, 0, 0), temp_out_tile(b, 0));
	for (uint32_t k = 0; k < 10; k++) {
		o = builder_run(b, &(struct outcome_how){.threads = 3, .seed = k});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.edges, 1);
		same_check(o, 0, 0, 0);
		outcome_destroy(o);
	}
	rt_crew_rules = usual;
	builder_destroy(b);
}

TEST(a_graph_that_is_built_first_has_versions)
{
	struct builder *b = temp_pipelined();
	struct outcome *first = builder_run(b, NULL), *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
	for (uint32_t threads = 1; threads <= 3; threads++) {
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.edges, 2);
		CHECK_MEM(o->memory, first->memory, first->memory_count * sizeof(*o->memory));
		outcome_destroy(o);
	}
	temp_heap(b, 64);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "no version of a temp tensor is given back, and heap with its capacity of 64");
	outcome_destroy(first);
	outcome_done(b, o);
}
