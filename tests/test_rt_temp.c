/* SPDX-License-Identifier: MIT
 * test_rt_temp.c - versions of temp tensors, from the text of the semantics: who waits for whom, what the heap arena holds and when it has it back, what
 * kernels see. A tile is 2 x 4 elements of 8 bytes, 64 bytes. */
#include "check.h"
#include "rt/crew.h"
#include "rt/run.h"
#include "rt_builder.h"

#include <string.h>

enum { TILE_ROWS = 2, TILE_COLUMNS = 4 };

/* A builder with kernel 0 of one tensor and kernel 1 of two, tensor 0 the temp tensor "z" of 8 x 8, tensor 1 "out" of 16 x 8. */
static struct builder *with_temp(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1);
	builder_kernel(b, "two", PTOWSP_UNIT_AIV, 1, 2);
	builder_role(b, builder_tensor(b, "z", PTOWSP_I64, 8, 8), PTOWSP_ROLE_TEMP);
	builder_tensor(b, "out", PTOWSP_I64, 16, 8);
	return b;
}

static uint32_t tile(struct builder *b, int64_t row, int64_t column)
{
	return builder_region(b, 0, builder_const(b, row), builder_const(b, column), TILE_ROWS, TILE_COLUMNS);
}

static uint32_t out_tile(struct builder *b, int64_t row)
{
	return builder_region(b, 1, builder_const(b, row), builder_const(b, 0), TILE_ROWS, TILE_COLUMNS);
}

static void heap_state(struct builder *b, int64_t bytes)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
}

static void executors(struct builder *b, int64_t n)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", n);
}

static void starts_check(const struct outcome *o, uint32_t count, const uint64_t *start)
{
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].start, start[i]);
}

static void heap_check(const struct outcome *o, uint64_t high_water, uint64_t stalls, uint64_t cycles)
{
	const struct ptowsp_resource_stats *heap = outcome_resource(o, "heap");

	CHECK_UINT(heap->high_water, high_water);
	CHECK_UINT(heap->stall_count, stalls);
	CHECK_UINT(heap->stall_cycles, cycles);
}

static void done(struct builder *b, struct outcome *o)
{
	outcome_destroy(o);
	builder_destroy(b);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* write, read, write, read of one key, 10 cycles each, an executor each */
static struct builder *pipelined(void)
{
	struct builder *b = with_temp();

	executors(b, 4);
	for (int i = 0; i < 2; i++) {
		builder_task(b, 0, 10, "w", tile(b, 2, 4));
		builder_task(b, 1, 10, "rw", tile(b, 2, 4), out_tile(b, 2 * i));
	}
	return b;
}

static void who_writes_a_key_without_reading_it_waits_for_nobody(void)
{
	struct builder *b = pipelined();
	struct outcome *o = builder_run(b, NULL);

	starts_check(o, 4, (uint64_t[]){0, 10, 0, 10});
	CHECK_UINT(o->stats.total_cycles, 20);
	CHECK_UINT(o->stats.edges, 2);
	CHECK(outcome_has_edge(o, 0, 1) && outcome_has_edge(o, 2, 3));
	heap_check(o, 128, 0, 0);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_YES);
	done(b, o);
}

static void by_keys_it_is_the_same(void)
{
	struct builder *b = pipelined();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	o = builder_run(b, NULL);
	starts_check(o, 4, (uint64_t[]){0, 10, 0, 10});
	CHECK_UINT(o->stats.edges, 2);
	done(b, o);
}

static void a_tensor_that_is_no_temp_is_not_renamed(void)
{
	struct builder *b = pipelined();
	struct outcome *o;

	builder_role(b, 0, PTOWSP_ROLE_INOUT);
	o = builder_run(b, NULL);
	starts_check(o, 4, (uint64_t[]){0, 10, 20, 30});
	heap_check(o, 0, 0, 0);
	done(b, o);
}

/* write, read, read and write, read: the third stays in the version */
static void staying_run(bool raw, uint64_t third, uint64_t edges)
{
	struct builder *b = with_temp();
	struct outcome *o;

	executors(b, 4);
	if (raw)
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	builder_task(b, 0, 10, "w", tile(b, 0, 0));
	builder_task(b, 0, 10, "r", tile(b, 0, 0));
	builder_task(b, 0, 10, "m", tile(b, 0, 0));
	builder_task(b, 0, 10, "r", tile(b, 0, 0));
	o = builder_run(b, &(struct outcome_how){.idle = true});
	starts_check(o, 4, (uint64_t[]){0, 10, third, third + 10});
	CHECK_UINT(o->stats.edges, edges);
	CHECK_INT(outcome_has_edge(o, 1, 2), !raw);
	heap_check(o, 64, 0, 0);
	done(b, o);
}

static void who_stays_in_a_version_waits_for_its_readers(void)
{
	staying_run(false, 20, 4);
}

static void with_raw_hazards_it_waits_for_the_writer_alone(void)
{
	staying_run(true, 10, 3);
}

/* Arguments 0 and 1 are the same key in this run, which nothing but their values says. */
static void a_key_that_another_argument_reads_stays_too(void)
{
	struct builder *b = with_temp();
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 1);
	uint32_t row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 2), 0);
	uint32_t same = builder_region(b, 0, row, builder_const(b, 4), TILE_ROWS, TILE_COLUMNS);
	struct outcome *o;

	executors(b, 3);
	builder_task(b, 0, 10, "w", tile(b, 2, 4));
	builder_task(b, 0, 10, "r", tile(b, 2, 4));
	builder_task(b, 1, 10, "rw", same, tile(b, 2, 4));
	o = builder_run(b, NULL);
	starts_check(o, 3, (uint64_t[]){0, 10, 20});
	CHECK_UINT(o->stats.edges, 3);
	heap_check(o, 64, 0, 0);
	done(b, o);
}

static void versions_are_made_without_inferred_edges_too(void)
{
	struct builder *b = pipelined();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	o = builder_run(b, &(struct outcome_how){.idle = true});
	starts_check(o, 4, (uint64_t[]){0, 0, 0, 0});
	heap_check(o, 128, 0, 0);
	done(b, o);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* F(1) = 20: there task 2 has room, as what it replaces is back. */
static void a_heap_for_one_version_makes_it_later(void)
{
	struct builder *b = pipelined();
	struct outcome *wide = builder_run(b, NULL), *o;

	heap_state(b, 64);
	o = builder_run(b, NULL);
	starts_check(o, 4, (uint64_t[]){0, 10, 20, 30});
	heap_check(o, 64, 1, 20);
	CHECK_UINT(outcome_resource(o, "heap")->capacity, 64);
	CHECK_MEM(o->memory, wide->memory, wide->memory_count * sizeof(*o->memory));
	outcome_destroy(wide);
	done(b, o);
}

/* Two keys, each in a scope of its own, in a heap for one: F(1) = 20. */
static void a_scope_gives_its_versions_back(void)
{
	struct builder *b = with_temp();
	struct outcome *o;

	executors(b, 4);
	heap_state(b, 64);
	for (int i = 0; i < 2; i++) {
		builder_scope(b);
		builder_task(b, 0, 10, "w", tile(b, 2 * i, 0));
		builder_task(b, 1, 10, "rw", tile(b, 2 * i, 0), out_tile(b, 2 * i));
		builder_end(b);
	}
	o = builder_run(b, NULL);
	starts_check(o, 4, (uint64_t[]){0, 10, 20, 30});
	heap_check(o, 64, 1, 20);
	done(b, o);
}

static void a_version_that_no_heap_holds_is_too_large(void)
{
	struct builder *b = pipelined();
	struct outcome *o;

	heap_state(b, 63);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "task 0, kernel k, needs 64 bytes of heap, which has 63; raise it with --schedule heap=64");
	CHECK_UINT(o->calls, 0);
	done(b, o);
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
	struct builder *b = with_temp();

	heap_state(b, heap);
	for (uint32_t i = 0; i < count; i++)
		builder_task(b, 0, 1, "w", tile(b, 2 * (i % 4), 4 * (i / 4)));
	return b;
}

static void a_version_without_successor_is_held(void)
{
	struct builder *b = keys_written(5, 128);
	struct outcome *o = builder_run(b, NULL);

	deadlock_check(o, 2, 320);
	CHECK_UINT(o->deadlock.used, 128);
	CHECK_UINT(o->deadlock.scope_held, 0);
	done(b, o);
	b = keys_written(5, 320); /* as proposed */
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	done(b, o);
	b = keys_written(5, 319);
	o = builder_run(b, NULL);
	deadlock_check(o, 4, 320);
	done(b, o);
}

/* The same key three times: what is replaced is back when the scope is over, and not before. */
static struct builder *scope_written(int64_t heap)
{
	struct builder *b = with_temp();

	heap_state(b, heap);
	builder_scope(b);
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_end(b);
	return b;
}

static void a_scope_holds_what_was_replaced_inside(void)
{
	struct builder *b = scope_written(64);
	struct outcome *o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS});

	deadlock_check(o, 1, 192);
	CHECK_UINT(o->deadlock.scope_held, 1);
	CHECK_UINT(o->deadlock.scope_depth, 1);
	done(b, o);
	b = scope_written(192);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	heap_check(o, 192, 0, 0);
	done(b, o);
}

/* An alloc waits for what versions hold, and the proposal counts both. */
static void alloc_and_versions_share_the_heap(void)
{
	struct builder *b = with_temp();
	uint32_t other = builder_tensor(b, "h", PTOWSP_I64, 2, 4), large = builder_tensor(b, "l", PTOWSP_I64, 4, 4);
	struct outcome *o;

	heap_state(b, 64);
	builder_task(b, 0, 10, "w", tile(b, 0, 0));
	builder_emit(b, PTOWSP_OP_ALLOC, 0, other);
	builder_task(b, 0, 10, "w", tile(b, 2, 0));
	builder_emit(b, PTOWSP_OP_FREE, 0, other);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, large); /* two versions and this one: 256 */
	o = builder_run(b, NULL);
	deadlock_check(o, 1, 256);
	CHECK_CONTAINS(o->error.text, "the alloc before task 1");
	done(b, o);
}

/* ---- what kernels see -------------------------------------------------------------------------------------------- */

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
	struct builder *b = with_temp();
	struct outcome *o;

	builder_copy(b, tile(b, 4, 0), out_tile(b, 0));
	builder_scope(b);
	builder_task(b, 0, 1, "w", tile(b, 4, 0));
	builder_copy(b, tile(b, 4, 0), out_tile(b, 2));
	builder_end(b);
	builder_copy(b, tile(b, 4, 0), out_tile(b, 4));
	builder_task(b, 0, 1, "m", tile(b, 4, 0));
	builder_copy(b, tile(b, 4, 0), out_tile(b, 6));
	o = builder_run(b, &(struct outcome_how){.seed = 7});
	builder_destroy(b);
	return o;
}

static void a_key_without_a_version_shows_its_tensor(void)
{
	struct outcome *o = without_version_run();

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(*tensor_at(o, 1, 0) != *tensor_at(o, 1, 16));
	same_check(o, 4, 1, 0);
	same_check(o, 6, 0, 4);
	outcome_destroy(o);
}

/* The task writes one element of eight; the memory was another version's before. */
static void a_version_begins_as_zeros(void)
{
	struct builder *b = with_temp();
	uint32_t one = builder_kernel(b, "one", PTOWSP_UNIT_AIV, 1, 1);
	struct outcome *o;

	builder_touch(b, one, 0, 0, 1, PTOWSP_WRITE);
	heap_state(b, 64);
	builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_task(b, one, 1, "w", tile(b, 0, 0));
	builder_copy(b, tile(b, 0, 0), out_tile(b, 0));
	o = builder_run(b, &(struct outcome_how){.seed = 3});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(*tensor_at(o, 1, 0) != 0);
	for (uint32_t i = 1; i < TILE_COLUMNS; i++) {
		CHECK_UINT(*tensor_at(o, 1, i), 0);
		CHECK_UINT(*tensor_at(o, 1, 8 + i), 0);
	}
	done(b, o);
}

/* Holes of 64 bytes beside versions that are in use: a version of 128 bytes makes them move together. */
static struct builder *holes(int64_t heap, bool later)
{
	struct builder *b = with_temp();
	uint32_t large = builder_tensor(b, "y", PTOWSP_I64, 4, 4), region;

	builder_role(b, large, PTOWSP_ROLE_TEMP);
	if (later)
		builder_kernel_flags(b, 0, BUILDER_LATER);
	executors(b, 3);
	heap_state(b, heap);
	region = builder_region(b, large, builder_const(b, 0), builder_const(b, 0), 4, 4);
	for (int i = 0; i < 4; i++)
		builder_task(b, 0, 5, "w", tile(b, 2 * i, 0));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i += 2)
			builder_task(b, 0, 3, "w", tile(b, 2 * i, 0));
		builder_task(b, 0, 2, "w", region);
		builder_task(b, 1, 2, "rw", region, out_tile(b, 8 + 2 * round));
	}
	for (int i = 0; i < 4; i++)
		builder_copy(b, tile(b, 2 * i, 0), out_tile(b, 2 * i));
	return b;
}

static void versions_move_together_where_holes_are_too_small(void)
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
		done(b, o);
	}
	rt_crew_rules = usual;
	outcome_destroy(wide);
}

/* Producers and consumers through a few keys, as fast as the heap lets them. */
static struct builder *many(int64_t heap)
{
	struct builder *b = with_temp();
	uint32_t i, row, to;

	builder_kernel_flags(b, 0, BUILDER_LATER);
	builder_kernel_flags(b, 1, BUILDER_LATER);
	if (heap)
		heap_state(b, heap);
	executors(b, 3);
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

static void threads_and_capacity_change_no_result(void)
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
		done(b, o);
	}
	rt_crew_rules = usual;
	outcome_destroy(first);
}

/* Task 0 is slow, and no edge leads from it to the copy: what it wrote is there all the same. */
static void a_key_that_shows_its_tensor_again_waits_for_who_used_it_before(void)
{
	const struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = with_temp();
	uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1);
	struct outcome *o;

	rt_crew_rules.brief_ns = 0;
	builder_kernel_flags(b, slow, BUILDER_SLOW);
	executors(b, 3);
	builder_task(b, slow, 10, "m", tile(b, 0, 0));
	builder_scope(b);
	builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_end(b);
	builder_copy(b, tile(b, 0, 0), out_tile(b, 0));
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

static void a_graph_that_is_built_first_has_versions(void)
{
	struct builder *b = pipelined();
	struct outcome *first = builder_run(b, NULL), *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
	for (uint32_t threads = 1; threads <= 3; threads++) {
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.edges, 2);
		CHECK_MEM(o->memory, first->memory, first->memory_count * sizeof(*o->memory));
		outcome_destroy(o);
	}
	heap_state(b, 64);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "no version of a temp tensor is given back, and heap with its capacity of 64");
	outcome_destroy(first);
	done(b, o);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Two instances, each with a scope around its own key, in a heap for one: the second goes on when the first has ended its scope, at 20. */
static void a_scope_of_an_instance_gives_back(void)
{
	struct builder *b = with_temp();
	struct outcome *o;

	heap_state(b, 64);
	for (int i = 0; i < 2; i++) {
		builder_process(b, i ? "q" : "p", 1);
		builder_scope(b);
		builder_task(b, 0, 10, "w", tile(b, 2 * i, 0));
		builder_task(b, 1, 10, "rw", tile(b, 2 * i, 0), out_tile(b, 2 * i));
		builder_end(b);
	}
	o = builder_run(b, NULL);
	starts_check(o, 4, (uint64_t[]){0, 10, 20, 30});
	heap_check(o, 64, 1, 20);
	done(b, o);
}

static void instances_that_hold_the_heap_are_told_how_much_would_do(void)
{
	struct builder *b = with_temp();
	struct outcome *o;

	heap_state(b, 128);
	for (int i = 0; i < 4; i++) {
		builder_process(b, check_fmt("p%d", i), 1);
		builder_task(b, 0, 10, "w", tile(b, 2 * i, 0));
	}
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_STR(o->deadlock.option, "--schedule heap=256");
	done(b, o);
}

/* ---- which tensors ----------------------------------------------------------------------------------------------- */

/* Not renamed, and why. */
static void ordinary_check(struct builder *b, const char *reason)
{
	struct outcome *o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS});

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_CONTAINS(o->log, "temp tensor z is not renamed but an ordinary one: ");
	CHECK_CONTAINS(o->log, reason);
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 0);
	done(b, o);
}

static void keys_that_may_overlap_are_not_renamed(void)
{
	struct builder *b = with_temp();

	builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_task(b, 0, 1, "w", tile(b, 1, 0));
	ordinary_check(b, "may overlap in part");
	b = with_temp();
	builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_const(b, 4), builder_const(b, 0), 1, 4));
	ordinary_check(b, "differ in shape");
	b = with_temp();
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, 0), 2, 4));
	builder_end(b);
	ordinary_check(b, "may overlap in part");
}

static void what_others_look_into_is_not_renamed(void)
{
	struct builder *b = with_temp();

	builder_kernel_flags(b, 0, BUILDER_NO_FOOTPRINT);
	builder_task(b, 0, 1, "w", builder_window(b, 0, builder_const(b, 0), builder_const(b, 0), 8));
	ordinary_check(b, "flat window");
	b = with_temp();
	builder_task(b, 0, 1, "w", tile(b, 0, 0));
	builder_slot_load(b, builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), builder_region(b, 0, builder_const(b, 0), builder_const(b, 0), 1, 1));
	ordinary_check(b, "a slot is loaded from it");
	b = with_temp();
	builder_task(b, 1, 1, "wb", tile(b, 0, 0), tile(b, 0, 0));
	ordinary_check(b, "bound without saying");
}

/* Steps of 2 in a loop, of 3 by a factor, of 4 behind an offset or in a loop: all no smaller than the tile. */
static void steps_of_loops_and_factors_prove_it(void)
{
	static const struct {
		int64_t low, high, step, factor, offset, rows;
	} cases[] = {{0, 8, 2, 1, 0, 2}, {1, 7, 2, 1, 0, 2}, {0, 2, 1, 3, 1, 3}, {0, 2, 1, 4, 1, 3}, {0, 8, 4, 1, 2, 2}};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct builder *b = with_temp();
		uint32_t row;
		struct outcome *o;

		builder_loop(b, PTOWSP_OP_PARALLEL_FOR,
			     builder_axis(b, "i", builder_const(b, cases[k].low), builder_const(b, cases[k].high), builder_const(b, cases[k].step), PTOWSP_NONE));
		row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), builder_const(b, cases[k].factor), 0);
		row = builder_expr(b, PTOWSP_EXPR_ADD, row, builder_const(b, cases[k].offset), 0);
		builder_task(b, 0, 1, "w", builder_region(b, 0, row, builder_const(b, 0), (uint32_t)cases[k].rows, 4));
		builder_end(b);
		o = builder_run(b, NULL);
		CHECK_STR(o->error.text, "");
		CHECK_STR(o->log, "");
		CHECK(outcome_resource(o, "heap")->high_water >= 64);
		done(b, o);
	}
}

/* 3 * i wraps: rows 0 and 1 are no multiple of 3 apart, and the regions of 3 rows would overlap. */
static void an_index_that_wraps_off_its_lattice_is_a_run_error(void)
{
	struct builder *b = with_temp();
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, INT64_C(6148914691236517206)), row; /* 3 * it = 2^64 + 2 */
	struct outcome *o;

	row = builder_expr(b, PTOWSP_EXPR_MUL, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 3), 0);
	builder_task(b, 0, 1, "w", builder_region(b, 0, builder_const(b, 0), builder_const(b, 0), 3, 4));
	builder_task(b, 0, 1, "w", builder_region(b, 0, row, builder_const(b, 0), 3, 4));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "went beyond 64 bits");
	done(b, o);
}

static struct outcome *strict_run(bool stays)
{
	struct builder *b = with_temp();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	for (int i = 0; i < 2; i++) {
		builder_task(b, 0, 1, "w", tile(b, 0, 0));
		builder_task(b, 0, 1, "r", tile(b, 0, 0));
	}
	if (stays)
		builder_task(b, 0, 1, "m", tile(b, 0, 0));
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT | PTOWSP_RUN_NO_KERNELS});
	builder_destroy(b);
	return o;
}

static void strict_finds_races_inside_a_version_only(void)
{
	struct outcome *o = strict_run(false);

	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	o = strict_run(true);
	CHECK_INT(o->status, PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(o->error.text, "race: task 3 (k) and task 4 (k)");
	outcome_destroy(o);
}

void suite_rt_temp(CU_pSuite s)
{
	TEST(s, who_writes_a_key_without_reading_it_waits_for_nobody);
	TEST(s, by_keys_it_is_the_same);
	TEST(s, a_tensor_that_is_no_temp_is_not_renamed);
	TEST(s, who_stays_in_a_version_waits_for_its_readers);
	TEST(s, with_raw_hazards_it_waits_for_the_writer_alone);
	TEST(s, a_key_that_another_argument_reads_stays_too);
	TEST(s, versions_are_made_without_inferred_edges_too);
	TEST(s, a_heap_for_one_version_makes_it_later);
	TEST(s, a_scope_gives_its_versions_back);
	TEST(s, a_version_that_no_heap_holds_is_too_large);
	TEST(s, a_version_without_successor_is_held);
	TEST(s, a_scope_holds_what_was_replaced_inside);
	TEST(s, alloc_and_versions_share_the_heap);
	TEST(s, a_key_without_a_version_shows_its_tensor);
	TEST(s, a_version_begins_as_zeros);
	TEST(s, versions_move_together_where_holes_are_too_small);
	TEST(s, threads_and_capacity_change_no_result);
	TEST(s, a_key_that_shows_its_tensor_again_waits_for_who_used_it_before);
	TEST(s, a_graph_that_is_built_first_has_versions);
	TEST(s, a_scope_of_an_instance_gives_back);
	TEST(s, instances_that_hold_the_heap_are_told_how_much_would_do);
	TEST(s, keys_that_may_overlap_are_not_renamed);
	TEST(s, what_others_look_into_is_not_renamed);
	TEST(s, steps_of_loops_and_factors_prove_it);
	TEST(s, an_index_that_wraps_off_its_lattice_is_a_run_error);
	TEST(s, strict_finds_races_inside_a_version_only);
}
