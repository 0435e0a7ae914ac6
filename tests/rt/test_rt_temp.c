/* SPDX-License-Identifier: MIT
 * test_rt_temp.c - versions of temp tensors, from the text of the semantics: who waits for whom, what the heap arena holds and when it has it back. */
#include "tests/rt/builder/temp_builder.h"

/* ---- edges ------------------------------------------------------------------------------------------------------- */

TEST(who_writes_a_key_without_reading_it_waits_for_nobody)
{
	struct builder *b = temp_pipelined();
	struct outcome *o = builder_run(b, NULL);

	check_starts(o, (uint64_t[]){0, 10, 0, 10}, 4);
	CHECK_UINT(o->stats.total_cycles, 20);
	CHECK_UINT(o->stats.edges, 2);
	CHECK(outcome_has_edge(o, 0, 1) && outcome_has_edge(o, 2, 3));
	check_resource(o, "heap", 128, 0, 0);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_YES);
	outcome_done(b, o);
}

TEST(by_keys_it_is_the_same)
{
	struct builder *b = temp_pipelined();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 0, 10}, 4);
	CHECK_UINT(o->stats.edges, 2);
	outcome_done(b, o);
}

TEST(a_tensor_that_is_no_temp_is_not_renamed)
{
	struct builder *b = temp_pipelined();
	struct outcome *o;

	builder_role(b, 0, PTOWSP_ROLE_INOUT);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 20, 30}, 4);
	check_resource(o, "heap", 0, 0, 0);
	outcome_done(b, o);
}

/* write, read, read and write, read: the third stays in the version */
static void staying_run(bool raw, uint64_t third, uint64_t edges)
{
	struct builder *b = temp_builder();
	struct outcome *o;

	temp_executors(b, 4);
	if (raw)
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	builder_task(b, 0, 10, "w", temp_tile(b, 0, 0));
	builder_task(b, 0, 10, "r", temp_tile(b, 0, 0));
	builder_task(b, 0, 10, "m", temp_tile(b, 0, 0));
	builder_task(b, 0, 10, "r", temp_tile(b, 0, 0));
	o = builder_run(b, &(struct outcome_how){.idle = true});
	check_starts(o, (uint64_t[]){0, 10, third, third + 10}, 4);
	CHECK_UINT(o->stats.edges, edges);
	CHECK_INT(outcome_has_edge(o, 1, 2), !raw);
	check_resource(o, "heap", 64, 0, 0);
	outcome_done(b, o);
}

TEST(who_stays_in_a_version_waits_for_its_readers)
{
	staying_run(false, 20, 4);
}

TEST(with_raw_hazards_it_waits_for_the_writer_alone)
{
	staying_run(true, 10, 3);
}

/* Arguments 0 and 1 are the same key in this run, which nothing but their values says. */
TEST(a_key_that_another_argument_reads_stays_too)
{
	struct builder *b = temp_builder();
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 1);
	uint32_t row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 2), 0);
	uint32_t same = builder_region(b, 0, row, builder_const(b, 4), TILE_ROWS, TILE_COLUMNS);
	struct outcome *o;

	temp_executors(b, 3);
	builder_task(b, 0, 10, "w", temp_tile(b, 2, 4));
	builder_task(b, 0, 10, "r", temp_tile(b, 2, 4));
	builder_task(b, 1, 10, "rw", same, temp_tile(b, 2, 4));
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 20}, 3);
	CHECK_UINT(o->stats.edges, 3);
	check_resource(o, "heap", 64, 0, 0);
	outcome_done(b, o);
}

TEST(versions_are_made_without_inferred_edges_too)
{
	struct builder *b = temp_pipelined();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	o = builder_run(b, &(struct outcome_how){.idle = true});
	check_starts(o, (uint64_t[]){0, 0, 0, 0}, 4);
	check_resource(o, "heap", 128, 0, 0);
	outcome_done(b, o);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* F(1) = 20: there task 2 has room, as what it replaces is back. */
TEST(a_heap_for_one_version_makes_it_later)
{
	struct builder *b = temp_pipelined();
	struct outcome *wide = builder_run(b, NULL), *o;

	temp_heap(b, 64);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 20, 30}, 4);
	check_resource(o, "heap", 64, 1, 20);
	CHECK_UINT(outcome_resource(o, "heap")->capacity, 64);
	CHECK_MEM(o->memory, wide->memory, wide->memory_count * sizeof(*o->memory));
	outcome_destroy(wide);
	outcome_done(b, o);
}

/* A scope in which key i is written and read. */
static void key_scope(struct builder *b, int i)
{
	builder_scope(b);
	builder_task(b, 0, 10, "w", temp_tile(b, 2 * i, 0));
	builder_task(b, 1, 10, "rw", temp_tile(b, 2 * i, 0), temp_out_tile(b, 2 * i));
	builder_end(b);
}

/* Two keys, each in a scope of its own, in a heap for one: F(1) = 20. */
TEST(a_scope_gives_its_versions_back)
{
	struct builder *b = temp_builder_in(64);
	struct outcome *o;

	temp_executors(b, 4);
	for (int i = 0; i < 2; i++)
		key_scope(b, i);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 20, 30}, 4);
	check_resource(o, "heap", 64, 1, 20);
	outcome_done(b, o);
}

TEST(a_version_that_no_heap_holds_is_too_large)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct builder *b = temp_pipelined();
	struct rt_program *program;
	struct outcome *o;

	temp_heap(b, 63);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_needs_check(program, &error), PTOWSP_TOO_SMALL); /* before any run, too */
	CHECK_CONTAINS(error.text, "task 0, kernel k, needs 64 of heap, and the schedule states 63; state heap=64 or more");
	rt_program_destroy(program);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "task 0, kernel k, needs 64 bytes of heap, which has 63; raise it with --schedule heap=64");
	CHECK_UINT(o->calls, 0);
	outcome_done(b, o);
}

static void deadlock_check(const struct outcome *o, uint64_t task, uint64_t proposed)
{
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_HEAP);
	CHECK_UINT(o->deadlock.task, task);
	CHECK_UINT(o->deadlock.proposed, proposed);
	CHECK_STR(o->deadlock.option, check_fmt("--schedule heap=%u", (unsigned)proposed));
}

static struct builder *keys_written(uint32_t count, int64_t heap)
{
	struct builder *b = temp_builder();

	temp_heap(b, heap);
	for (uint32_t i = 0; i < count; i++)
		builder_task(b, 0, 1, "w", temp_tile(b, 2 * (i % 4), 4 * (i / 4)));
	return b;
}

TEST(a_version_without_successor_is_held)
{
	struct builder *b = keys_written(5, 128);
	struct outcome *o = builder_run(b, NULL);

	deadlock_check(o, 2, 192);
	CHECK_UINT(o->deadlock.used, 128);
	CHECK_UINT(o->deadlock.scope_held, 0);
	outcome_done(b, o);
	b = keys_written(5, 320);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_done(b, o);
	b = keys_written(5, 319);
	o = builder_run(b, NULL);
	deadlock_check(o, 4, 320);
	outcome_done(b, o);
}

/* The same key three times: what is replaced is back when the scope is over, and not before. */
static struct builder *scope_written(int64_t heap)
{
	struct builder *b = temp_builder();

	temp_heap(b, heap);
	builder_scope(b);
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "w", temp_tile(b, 0, 0));
	builder_end(b);
	return b;
}

TEST(a_scope_holds_what_was_replaced_inside)
{
	struct builder *b = scope_written(64);
	struct outcome *o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS});

	deadlock_check(o, 1, 128);
	CHECK_UINT(o->deadlock.scope_held, 1);
	CHECK_UINT(o->deadlock.scope_depth, 1);
	outcome_done(b, o);
	b = scope_written(192);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	check_resource(o, "heap", 192, 0, 0);
	outcome_done(b, o);
}

/* An alloc waits for what versions hold, and the proposal counts both. */
TEST(alloc_and_versions_share_the_heap)
{
	struct builder *b = temp_builder_in(64);
	uint32_t other = builder_tensor(b, "h", PTOWSP_I64, 2, 4), large = builder_tensor(b, "l", PTOWSP_I64, 4, 4);
	struct outcome *o;

	builder_task(b, 0, 10, "w", temp_tile(b, 0, 0));
	builder_emit(b, PTOWSP_OP_ALLOC, 0, other);
	builder_task(b, 0, 10, "w", temp_tile(b, 2, 0));
	builder_emit(b, PTOWSP_OP_FREE, 0, other);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, large);
	o = builder_run(b, NULL);
	deadlock_check(o, 1, 128);
	CHECK_CONTAINS(o->error.text, "the alloc before task 1");
	outcome_done(b, o);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Two instances, each with a scope around its own key, in a heap for one: the second goes on when the first has ended its scope, at 20. */
TEST(a_scope_of_an_instance_gives_back)
{
	struct builder *b = temp_builder_in(64);
	struct outcome *o;

	for (int i = 0; i < 2; i++) {
		builder_process(b, i ? "q" : "p", 1);
		key_scope(b, i);
	}
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10, 20, 30}, 4);
	check_resource(o, "heap", 64, 1, 20);
	outcome_done(b, o);
}

TEST(instances_that_hold_the_heap_are_told_the_least_that_is_missing)
{
	struct builder *b = temp_builder_in(128);
	struct outcome *o;

	for (int i = 0; i < 4; i++) {
		builder_process(b, check_fmt("p%d", i), 1);
		builder_task(b, 0, 10, "w", temp_tile(b, 2 * i, 0));
	}
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_STR(o->deadlock.option, "--schedule heap=192");
	outcome_done(b, o);
}
