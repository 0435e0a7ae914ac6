/* SPDX-License-Identifier: MIT
 * test_ascend_process.c - pipelines of processes on the machine. Where its protocol costs nothing and there are cores for all, each process's tasks, tokens and waits
 * are those of the semantic clock; with costs, results and tokens are. Random pipelines name their seed in a failure: PTOWSP_SEED=N runs one. */
#include "check.h"
#include "ascend/machine.h"
#include "rt_builder.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static uint32_t rows_somewhere(struct builder *b)
{
	return builder_region(b, pick(2), builder_const(b, pick(7)), builder_const(b, pick(5)), 2, 1 + pick(4));
}

static void tasks_add(struct builder *b, bool slots)
{
	static const char *const access[] = {"rw", "rr", "mr", "mw"};

	for (uint32_t n = pick(3); n; n--) {
		bool scope = !pick(5);

		if (scope)
			builder_scope(b);
		builder_task(b, pick(2), 1 + pick(30), access[pick(4)], rows_somewhere(b), rows_somewhere(b));
		if (slots && !pick(4))
			builder_slot_load(b, 0, rows_somewhere(b));
		if (slots && !pick(4))
			builder_slot_set(b, 0, builder_expr(b, PTOWSP_EXPR_AND, builder_expr(b, PTOWSP_EXPR_VALUE, 0, 0, 0), builder_const(b, 3), 0));
		if (scope)
			builder_end(b);
	}
}

/* Stages of instances; the first ones make tokens, the others take and pass them on. */
static struct builder *pipeline_make(bool slots)
{
	static const char *const names[] = {"a", "b", "c"};
	struct builder *b = builder_create();
	uint32_t stages = 1 + pick(3), channels[3];

	builder_slot(b, "s", PTOWSP_SLOT_SLOT, 1);
	for (int i = 0; i < 2; i++) {
		builder_kernel(b, i ? "l" : "k", PTOWSP_UNIT_AIV, 1, 2);
		builder_tensor(b, i ? "u" : "t", PTOWSP_I64, 8, 8);
	}
	if (pick(2))
		builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(8 + pick(30)));
	if (!pick(3))
		builder_schedule(b, PTOWSP_DIRECTIVE_DEP_LIST, PTOWSP_DEP_LIST_CAPACITY, "n", (int64_t)(20 + pick(20)));
	if (!pick(3))
		builder_schedule(b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", (int64_t)(1 + pick(20)));
	if (!pick(3))
		builder_schedule(b, PTOWSP_DIRECTIVE_STREAMS, PTOWSP_STREAMS_COUNT, "n", (int64_t)(1 + pick(3)));
	for (uint32_t i = 0; i < stages; i++)
		channels[i] = builder_channel(b, names[i], pick(4), pick(6));
	if (pick(2))
		builder_task(b, 0, 25, "rw", rows_somewhere(b), rows_somewhere(b));
	for (uint32_t i = 0; i <= stages; i++) {
		builder_process(b, "p", 1 + pick(3));
		if (i)
			builder_uses(b, channels[i - 1], PTOWSP_CHANNEL_CONSUMES);
		if (i < stages)
			builder_uses(b, channels[i], PTOWSP_CHANNEL_PRODUCES);
		if (i)
			builder_consume(b, channels[i - 1]);
		else
			builder_loop_n(b, pick(2) ? PTOWSP_OP_FOR_EACH : PTOWSP_OP_PARALLEL_FOR, "i", 1 + pick(8));
		tasks_add(b, slots);
		if (i < stages)
			builder_send(b, channels[i], builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0));
		tasks_add(b, slots);
		builder_end(b);
	}
	return b;
}

static struct ascend_machine machine_make(bool costs)
{
	struct ascend_machine machine = {.config = {.clusters = 16, .vectors_each = 2, .first_vector = 16, .rings = 4, .payloads = 1}};

	if (costs)
		machine.config.cost = (struct ascend_protocol){.lookup = 2, .submit = 3, .dispatch = 2, .token = 4, .pickup = 1, .fin = 5, .complete = 2, .notify = 1,
							       .notice = 3, .hear = 1};
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

	state = seed * UINT64_C(0x9E3779B97F4A7C15) + 5;
	b = pipeline_make(seed % 3 == 0);
	plain = builder_run(b, &(struct outcome_how){.seed = seed});
	timed = builder_run(b, &(struct outcome_how){.seed = seed, .engine = &engine, .schedulers = schedulers});
	again = builder_run(b, &(struct outcome_how){.seed = seed, .engine = &engine, .schedulers = schedulers, .pool = pool});
	what = plain->status != timed->status || plain->error.where[0] != timed->error.where[0] ? "status"
	       : plain->status						 ? NULL
	       : !tasks_same(plain, timed, !costs)			 ? "tasks"
	       : !channels_same(plain, timed, !costs)			 ? "channels"
	       : plain->stats.edges != timed->stats.edges		 ? "edges"
	       : !edges_kept(timed)					 ? "a task before its predecessor"
	       : memcmp(plain->memory, timed->memory, plain->memory_count * sizeof(*plain->memory)) ? "memory"
	       : !tasks_same(timed, again, true)			 ? "times of another run"
									 : NULL;
	if (what) {
		CHECK_FAIL("seed %ju, %u instances%s: %s; status %d (%.150s) and %d (%.150s), %ju cycles and %ju", (uintmax_t)seed, schedulers, costs ? ", costs" : "", what,
			   plain->status, plain->error.text, timed->status, timed->error.text, (uintmax_t)plain->stats.total_cycles,
			   (uintmax_t)timed->stats.total_cycles);
		for (uint32_t c = 0; getenv("PTOWSP_SEED") && c < plain->stats.channel_count; c++)
			printf("# channel %u: high %ju %ju, full %ju %ju, %ju %ju, empty %ju %ju, %ju %ju\n", c, (uintmax_t)plain->channels[c].high_water,
			       (uintmax_t)timed->channels[c].high_water, (uintmax_t)plain->channels[c].full_count, (uintmax_t)plain->channels[c].full_cycles,
			       (uintmax_t)timed->channels[c].full_count, (uintmax_t)timed->channels[c].full_cycles, (uintmax_t)plain->channels[c].empty_count,
			       (uintmax_t)plain->channels[c].empty_cycles, (uintmax_t)timed->channels[c].empty_count, (uintmax_t)timed->channels[c].empty_cycles);
		for (uint32_t i = 0; getenv("PTOWSP_SEED") && i < plain->task_count && i < timed->task_count; i++)
			printf("# %u: %ju..%ju, %ju..%ju\n", i, (uintmax_t)plain->tasks[i].start, (uintmax_t)plain->tasks[i].end, (uintmax_t)timed->tasks[i].start,
			       (uintmax_t)timed->tasks[i].end);
	}
	outcome_destroy(plain);
	outcome_destroy(timed);
	outcome_destroy(again);
	builder_destroy(b);
	return !what;
}

static void seeds_run(bool costs)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 300;
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, costs, costs ? 1 + (uint32_t)(seed % 4) : 1, pool))
			break;
	rt_pool_destroy(pool);
}

static void without_costs_processes_have_the_times_of_the_semantic_clock(void)
{
	seeds_run(false);
}

static void with_costs_results_and_tokens_are_the_same(void)
{
	seeds_run(true);
}

void suite_ascend_process(CU_pSuite s)
{
	TEST(s, without_costs_processes_have_the_times_of_the_semantic_clock);
	TEST(s, with_costs_results_and_tokens_are_the_same);
}
