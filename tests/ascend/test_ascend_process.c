/* SPDX-License-Identifier: MIT
 * test_ascend_process.c - pipelines of processes on the machine. Where its protocol costs nothing and there are cores for all, each process's tasks, tokens and waits
 * are those of the semantic clock; with costs, results and tokens are. Random pipelines name their seed in a failure: PTOWSP_SEED=N runs one. */
#include "ascend/machine/machine.h"
#include "tests/check.h"
#include "tests/rt/builder/random_pipeline.h"

#include <stdlib.h>
#include <string.h>

static struct ascend_machine machine_make(bool costs)
{
	struct ascend_machine machine = {.config = {.clusters = 16, .vectors_each = 2, .first_vector = 16, .payloads = 1}};

	if (costs)
		machine.config.cost = (struct ascend_protocol){
			.lookup = 2, .submit = 3, .dispatch = 2, .token = 4, .pickup = 1, .fin = 5, .complete = 2, .notify = 1, .notice = 3, .hear = 1};
	return machine;
}

static bool channels_same(const struct outcome *a, const struct outcome *b, bool times)
{
	bool same = a->stats.channel_count == b->stats.channel_count;

	for (uint32_t c = 0; same && c < a->stats.channel_count; c++) {
		const struct ptowsp_channel_stats *x = &a->channels[c], *y = &b->channels[c];

		same = x->sends == y->sends && x->consumes == y->consumes && x->high_water == y->high_water;
		if (same && times)
			same = x->full_count == y->full_count && x->full_cycles == y->full_cycles && x->empty_count == y->empty_count &&
			       x->empty_cycles == y->empty_cycles;
	}
	return same;
}

static bool tasks_same(const struct outcome *a, const struct outcome *b, bool times)
{
	bool same = a->task_count == b->task_count && (!times || a->stats.total_cycles == b->stats.total_cycles);

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = a->tasks[i].task == b->tasks[i].task && a->tasks[i].kernel == b->tasks[i].kernel &&
		       (!times || (a->tasks[i].start == b->tasks[i].start && a->tasks[i].end == b->tasks[i].end));
	return same;
}

static bool edges_kept(const struct outcome *o)
{
	for (uint32_t e = 0; e < o->edge_count; e++)
		if (o->tasks[o->edges[e].producer].end > o->tasks[o->edges[e].consumer].start)
			return false;
	return true;
}

static bool one(uint64_t seed, bool costs, uint32_t schedulers, struct rt_pool *pool)
{
	struct ascend_machine machine = machine_make(costs);
	struct rt_engine engine = ascend_machine_engine(&machine);
	struct outcome *plain, *timed, *again;
	struct builder *b;
	const char *what;

	b = random_pipeline_make(seed, seed % 3 ? RANDOM_PIPELINE_PLAIN : RANDOM_PIPELINE_SLOTS);
	plain = builder_run(b, &(struct outcome_how){.seed = seed});
	timed = builder_run(b, &(struct outcome_how){.seed = seed, .engine = &engine, .schedulers = schedulers});
	again = builder_run(b, &(struct outcome_how){.seed = seed, .engine = &engine, .schedulers = schedulers, .pool = pool});
	what = plain->status != timed->status || plain->error.where[0] != timed->error.where[0]     ? "status"
	       : plain->status                                                                      ? NULL
	       : !tasks_same(plain, timed, !costs)                                                  ? "tasks"
	       : !channels_same(plain, timed, !costs)                                               ? "channels"
	       : plain->stats.edges != timed->stats.edges                                           ? "edges"
	       : !edges_kept(timed)                                                                 ? "a task before its predecessor"
	       : memcmp(plain->memory, timed->memory, plain->memory_count * sizeof(*plain->memory)) ? "memory"
	       : !tasks_same(timed, again, true)                                                    ? "times of another run"
												    : NULL;
	if (what) {
		CHECK_FAIL("seed %ju, %u instances%s: %s; status %d (%.150s) and %d (%.150s), %ju cycles and %ju", (uintmax_t)seed, schedulers,
			   costs ? ", costs" : "", what, plain->status, plain->error.text, timed->status, timed->error.text,
			   (uintmax_t)plain->stats.total_cycles, (uintmax_t)timed->stats.total_cycles);
		for (uint32_t c = 0; getenv("PTOWSP_SEED") && c < plain->stats.channel_count; c++)
			printf("# channel %u: high %ju %ju, full %ju %ju, %ju %ju, empty %ju %ju, %ju %ju\n", c, (uintmax_t)plain->channels[c].high_water,
			       (uintmax_t)timed->channels[c].high_water, (uintmax_t)plain->channels[c].full_count, (uintmax_t)plain->channels[c].full_cycles,
			       (uintmax_t)timed->channels[c].full_count, (uintmax_t)timed->channels[c].full_cycles, (uintmax_t)plain->channels[c].empty_count,
			       (uintmax_t)plain->channels[c].empty_cycles, (uintmax_t)timed->channels[c].empty_count,
			       (uintmax_t)timed->channels[c].empty_cycles);
		for (uint32_t i = 0; getenv("PTOWSP_SEED") && i < plain->task_count && i < timed->task_count; i++)
			printf("# %u: %ju..%ju, %ju..%ju\n", i, (uintmax_t)plain->tasks[i].start, (uintmax_t)plain->tasks[i].end,
			       (uintmax_t)timed->tasks[i].start, (uintmax_t)timed->tasks[i].end);
	}
	outcome_destroy(plain);
	outcome_destroy(timed);
	outcome_destroy(again);
	builder_destroy(b);
	return !what;
}

static void seeds_run(bool costs)
{
	uint64_t count, first = check_seeds(&count, 300);
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, costs, costs ? 1 + (uint32_t)(seed % 4) : 1, pool))
			break;
	rt_pool_destroy(pool);
}

/* Two tiles of each stage, in turns, and a process aside whose long tasks have numbers among theirs and touch none of these. */
static struct builder *stages_make(uint64_t seed)
{
	struct builder *b = builder_create();
	uint32_t x = builder_tensor(b, "x", PTOWSP_I64, 24, 4), t[3], tile[3], z = builder_tensor(b, "z", PTOWSP_I64, 24, 4);
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), up = builder_kernel(b, "up", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0);
	uint32_t in = builder_payload(b, "in", seed % 3, seed % 2), out = builder_payload(b, "out", seed / 3 % 3, 1),
		 token = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	uint32_t turn = builder_expr(b, PTOWSP_EXPR_MOD, token, builder_const(b, 1 + (int64_t)(seed / 9 % 3)), 0);
	uint32_t place = builder_expr(b, PTOWSP_EXPR_MUL, turn, builder_const(b, 2), 0), row = builder_expr(b, PTOWSP_EXPR_MUL, token, builder_const(b, 2), 0);

	for (int i = 0; i < 3; i++) {
		t[i] = builder_tensor(b, i ? i == 1 ? "a" : "b" : "l", PTOWSP_I64, 6, 4);
		tile[i] = builder_region(b, t[i], place, zero, 2, 4);
	}
	builder_process(b, "load", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 12);
	builder_task(b, k, 3 + (int64_t)(seed % 5), "rw", builder_region(b, x, row, zero, 2, 4), tile[0]);
	builder_send_block(b, in, token, tile[0]);
	builder_end(b);
	builder_process(b, "aside", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 12);
	builder_task(b, up, 100, "m", builder_region(b, z, row, zero, 2, 4));
	builder_end(b);
	builder_process(b, "compute", 1);
	builder_consume_block(b, in, tile[1]);
	builder_task(b, k, 5 + (int64_t)(seed % 7), "rw", tile[1], tile[2]);
	builder_send_block(b, out, token, tile[2]);
	builder_end(b);
	builder_process(b, "store", 1);
	builder_consume_block(b, out, builder_region(b, t[0], builder_const(b, 4), zero, 2, 4));
	builder_task(b, up, 2, "r", builder_region(b, t[0], builder_const(b, seed % 4 ? 5 : 4), zero, 1, 4));
	builder_end(b);
	return b;
}

/* What arrives waits for those who touch its place, and for nobody else. */
TEST(what_arrives_waits_for_who_touches_its_place)
{
	struct ascend_machine machine = machine_make(false);
	struct rt_engine engine = ascend_machine_engine(&machine);

	for (uint64_t seed = 0; seed < 108; seed++) {
		struct builder *b = stages_make(seed);
		struct outcome *plain = builder_run(b, &(struct outcome_how){.seed = seed}),
			       *timed = builder_run(b, &(struct outcome_how){.seed = seed, .engine = &engine});

		CHECK_STR(timed->error.text, "");
		if (!tasks_same(plain, timed, true) || !channels_same(plain, timed, true) ||
		    memcmp(plain->memory, timed->memory, plain->memory_count * sizeof(*plain->memory)))
			CHECK_FAIL("program %ju: %ju cycles, not %ju", (uintmax_t)seed, (uintmax_t)timed->stats.total_cycles,
				   (uintmax_t)plain->stats.total_cycles);
		outcome_destroy(plain);
		outcome_destroy(timed);
		builder_destroy(b);
	}
}

TEST(without_costs_processes_have_the_times_of_the_semantic_clock)
{
	seeds_run(false);
}

TEST(with_costs_results_and_tokens_are_the_same)
{
	seeds_run(true);
}
