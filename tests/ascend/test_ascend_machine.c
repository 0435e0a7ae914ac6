/* SPDX-License-Identifier: MIT
 * test_ascend_machine.c - the event-driven machine: results, tasks and edges are those of the semantic clock's runs, and its times keep every rule that tasks,
 * cores, windows, streams and depths have. Random programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "ascend/machine/machine.h"
#include "rt/threads/crew.h"
#include "rt/threads/walker.h"
#include "tests/check.h"
#include "tests/rt/builder/random_schedule.h"

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 3, CUBES = CLUSTERS, VECTORS = 2 * CLUSTERS };

static struct ascend_machine machine_make(uint32_t payloads, bool costs)
{
	struct ascend_machine machine = {.config = {.clusters = CLUSTERS, .vectors_each = 2, .first_cube = 0, .first_vector = CUBES, .payloads = payloads}};

	machine.config.by_number = !costs && payloads == 2;
	if (costs)
		machine.config.cost = (struct ascend_protocol){.lookup = 2,
							       .lookup_use = 1,
							       .submit = 3,
							       .dispatch = 2,
							       .token = 4,
							       .pickup = 1,
							       .fin = 5,
							       .complete = 2,
							       .notify = 1,
							       .notice = 3,
							       .hear = 1};
	return machine;
}

/* ---- what every run keeps ----------------------------------------------------------------------------------------- */

static bool edges_kept(const struct outcome *o, const char *who)
{
	for (uint32_t i = 0; i < o->edge_count; i++) {
		const struct ptowsp_trace_task *from = &o->tasks[o->edges[i].producer], *to = &o->tasks[o->edges[i].consumer];

		if (from->end > to->start) {
			CHECK_FAIL("%s: task %ju starts at %ju, its predecessor %ju ends at %ju", who, (uintmax_t)to->task, (uintmax_t)to->start,
				   (uintmax_t)from->task, (uintmax_t)from->end);
			return false;
		}
	}
	return true;
}

static bool overlap(const struct ptowsp_trace_task *a, const struct ptowsp_trace_task *b)
{
	return a->start < b->end && b->start < a->end;
}

static bool cores_kept(const struct outcome *o, const char *who)
{
	for (uint32_t i = 0; i < o->task_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (o->tasks[i].executor == o->tasks[k].executor && overlap(&o->tasks[i], &o->tasks[k])) {
				CHECK_FAIL("%s: tasks %u and %u are on core %u at the same time", who, k, i, o->tasks[i].executor);
				return false;
			}
	return true;
}

/* What lies a window back has ended when a task starts, and so has the previous task of its stream. */
static bool order_kept(const struct outcome *o, const struct random *r, const char *who)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < o->task_count; i++) {
		if (r->window && !r->benchmark && i >= r->window)
			reach = o->tasks[i - r->window].end > reach ? o->tasks[i - r->window].end : reach;
		if (o->tasks[i].start < reach) {
			CHECK_FAIL("%s: task %u starts at %ju while the window holds it until %ju", who, i, (uintmax_t)o->tasks[i].start, (uintmax_t)reach);
			return false;
		}
		for (uint32_t k = i; r->streams && k--;)
			if (o->tasks[k].stream == o->tasks[i].stream) {
				if (o->tasks[k].end > o->tasks[i].start) {
					CHECK_FAIL("%s: task %u starts before task %u of its stream ends", who, i, k);
					return false;
				}
				break;
			}
	}
	return true;
}

/* Which pool a kernel of any unit joins depends on the clock, and with it the turn of its stream. */
static bool times_kept(const struct outcome *o, const struct random *r, const struct outcome *want, const char *who)
{
	bool streams = !r->by_unit || r->stream_by;

	for (uint32_t i = 0; i < o->task_count; i++) {
		const struct ptowsp_trace_task *got = &o->tasks[i], *task = &want->tasks[i];

		if (got->task == i && got->kernel == task->kernel && (!streams || got->stream == task->stream) &&
		    got->end - got->start == task->end - task->start)
			continue;
		CHECK_FAIL("%s: task %u: kernel %u, %ju cycles, not kernel %u, %ju", who, i, got->kernel, (uintmax_t)(got->end - got->start), task->kernel,
			   (uintmax_t)(task->end - task->start));
		return false;
	}
	return true;
}

static bool edges_same(const struct outcome *o, const struct outcome *want, const char *who)
{
	bool same = o->edge_count == want->edge_count;

	for (uint32_t i = 0; same && i < o->edge_count; i++)
		same = o->edges[i].producer == want->edges[i].producer && o->edges[i].consumer == want->edges[i].consumer;
	if (!same)
		CHECK_FAIL("%s: edges differ", who);
	return same;
}

static bool memory_same(const struct outcome *o, const struct outcome *want, const char *who)
{
	if (o->memory_count == want->memory_count && !memcmp(o->memory, want->memory, o->memory_count * sizeof(*o->memory)))
		return true;
	CHECK_FAIL("%s: memory differs", who);
	return false;
}

/* want: by the semantic clock, which model/compare.py looks at. Depths and ordered constructs are held to account by test_ascend_slow.c. */
static bool all_kept(const struct random *r, const struct outcome *o, const struct outcome *want, const char *who)
{
	if (r->abort && (want->status == PTOWSP_RUN_FAILED || o->status == PTOWSP_RUN_FAILED)) /* when a window is full first depends on the clock */
		return true;
	if (o->status != want->status || (want->status && o->error.where[0] != want->error.where[0])) {
		CHECK_FAIL("%s: status %d at task %ju (%s), not %d at task %ju", who, o->status, (uintmax_t)o->error.where[0], o->error.text, want->status,
			   (uintmax_t)want->error.where[0]);
		return false;
	}
	if (want->status)
		return true;
	if (o->task_count != want->task_count) {
		CHECK_FAIL("%s: %u tasks, not %u", who, o->task_count, want->task_count);
		return false;
	}
	return times_kept(o, r, want, who) && edges_same(o, want, who) && edges_kept(o, who) && cores_kept(o, who) && order_kept(o, r, who) &&
	       memory_same(o, want, who);
}

/* ---- random programs ---------------------------------------------------------------------------------------------- */

static bool same_times(const struct outcome *a, const struct outcome *b, const char *who)
{
	bool same = a->status == b->status && a->task_count == b->task_count && a->stats.total_cycles == b->stats.total_cycles;

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = !memcmp(&a->tasks[i], &b->tasks[i], sizeof(a->tasks[i]));
	if (!same)
		CHECK_FAIL("%s: another run has other times: status %d (%s) and %d (%s), %u tasks and %u, %ju cycles and %ju", who, a->status, a->error.text,
			   b->status, b->error.text, a->task_count, b->task_count, (uintmax_t)a->stats.total_cycles, (uintmax_t)b->stats.total_cycles);
	return same;
}

static bool one(uint64_t seed, struct rt_pool *pool)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct random r;
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .fixed_map = seed & 1};
	struct outcome *want;
	bool ok = true;

	random_schedule_make(&r, seed);
	want = builder_run(r.b, &how);
	for (uint32_t k = 0; ok && k < 4; k++) {
		struct ascend_machine machine = machine_make(1 + (k & 1), k > 1);
		struct rt_engine engine = ascend_machine_engine(&machine);
		const char *who = check_fmt("seed %ju, %u instances, %u payloads%s", (uintmax_t)seed, 1 + k % 3, 1 + (k & 1), k > 1 ? ", costs" : "");
		struct outcome *first, *again;

		how.engine = &engine;
		how.schedulers = 1 + k % 3;
		how.pool = NULL;
		how.idle = false;
		first = builder_run(r.b, &how);
		ok = all_kept(&r, first, want, who);
		how.pool = k & 1 ? pool : NULL;
		how.idle = r.unsafe;
		if (ok && !(r.unsafe && r.loads)) {
			again = builder_run(r.b, &how);
			ok = (r.unsafe || all_kept(&r, again, want, who)) && same_times(first, again, who);
			outcome_destroy(again);
		}
		outcome_destroy(first);
	}
	outcome_destroy(want);
	builder_destroy(r.b);
	return ok;
}

TEST(random_programs_keep_every_rule)
{
	uint64_t count, first = check_seeds(&count, 500);
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, pool))
			break;
	rt_pool_destroy(pool);
}

/* ---- a thread that walks ahead ------------------------------------------------------------------------------------ */

static bool same_stats(const struct outcome *a, const struct outcome *b)
{
	return a->stats.tasks == b->stats.tasks && a->stats.edges == b->stats.edges && a->stats.total_cycles == b->stats.total_cycles &&
	       a->stats.cross_edges == b->stats.cross_edges && a->stats.notifications == b->stats.notifications && a->stats.executors == b->stats.executors &&
	       a->stats.resource_count == b->stats.resource_count && a->stats.kernel_count == b->stats.kernel_count &&
	       !memcmp(a->kernels, b->kernels, a->stats.kernel_count * sizeof(*a->kernels)) &&
	       !memcmp(a->schedulers, b->schedulers, a->stats.scheduler_count * sizeof(*a->schedulers));
}

/* All but the time that threads really waited. */
static bool same_resources(const struct outcome *a, const struct outcome *b)
{
	bool same = true;

	for (uint32_t i = 0; i < a->stats.resource_count; i++)
		same &= a->resources[i].high_water == b->resources[i].high_water && a->resources[i].stall_count == b->resources[i].stall_count &&
			a->resources[i].stall_cycles == b->resources[i].stall_cycles;
	return same;
}

static bool same_ends(const struct outcome *a, const struct outcome *b)
{
	return a->calls == b->calls && a->memory_count == b->memory_count && !memcmp(a->memory, b->memory, a->memory_count * sizeof(*a->memory)) &&
	       !memcmp(&a->deadlock, &b->deadlock, sizeof(a->deadlock));
}

/* Where a full ring ends the run, tasks behind that one may have been made, and may have run: how many is the thread's. */
static bool same_outcome(const struct outcome *a, const struct outcome *b, const char *who)
{
	bool aborted = a->status == PTOWSP_RUN_FAILED && b->status == PTOWSP_RUN_FAILED;
	bool same =
		same_times(a, b, who) && same_resources(a, b) && !strcmp(a->error.text, b->error.text) && (aborted || (same_stats(a, b) && same_ends(a, b)));

	if (!same)
		CHECK_FAIL("%s: another thread that walks makes a difference: %s and %s", who, a->error.text, b->error.text);
	return same;
}

static bool one_walked(uint64_t seed, struct rt_pool *pool)
{
	static const uint64_t plenties[] = {1, 3, 20, 256};
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct ascend_machine machine = machine_make(1 + (seed & 1), seed % 4 > 1);
	struct rt_engine engine = ascend_machine_engine(&machine);
	struct outcome_how how = {.seed = seed | 1,
				  .max_tasks = 300,
				  .values = values,
				  .value_count = SLOTS,
				  .engine = &engine,
				  .unlinked = true,
				  .flags = seed % 7 ? 0 : PTOWSP_RUN_NO_KERNELS};
	struct outcome *alone, *walked;
	struct random r;
	bool same;

	rt_walker_rules = (struct rt_walker_rules){.after = seed % 3 ? 0 : seed % 50, .plenty = plenties[seed % 4]};
	rt_crew_rules.brief_ns = seed % 5 ? UINT32_MAX : 0;
	rt_crew_rules.brief_run = seed % 2 ? 1 : 16;
	(seed & 1 ? random_schedule_make : random_schedule_make_synced)(&r, seed);
	how.idle = r.unsafe;
	how.schedulers = 1 + (uint32_t)(seed % CLUSTERS);
	alone = builder_run(r.b, &how);
	how.pool = pool;
	walked = builder_run(r.b, &how);
	same = (r.unsafe && r.loads) || same_outcome(alone, walked, check_fmt("seed %ju", (uintmax_t)seed));
	outcome_destroy(alone);
	outcome_destroy(walked);
	builder_destroy(r.b);
	return same;
}

TEST(a_thread_that_walks_makes_no_difference)
{
	uint64_t count, first = check_seeds(&count, 1000);
	const struct rt_walker_rules usual = rt_walker_rules;
	const struct rt_crew_rules crew = rt_crew_rules;
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one_walked(seed, pool))
			break;
	rt_pool_destroy(pool);
	rt_walker_rules = usual;
	rt_crew_rules = crew;
	printf("# ascend_machine: PTOWSP_SEED=%ju, %ju programs walked by another thread\n", (uintmax_t)first, (uintmax_t)count);
}
