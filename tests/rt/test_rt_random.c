/* SPDX-License-Identifier: MIT
 * test_rt_random.c - random programs by the runtime core in every way it has: one thread and several, a device that ends tasks later, told and untold, either tensor map, with kernels and without,
 * strictly. Whatever way, tasks, edges, executors, times, stalls, high-water marks, reports and memory are those of one thread; that those are right is what
 * tests/model/compare.py looks at. A failure names its seed: PTOWSP_SEED=N runs one seed, PTOWSP_SEEDS=N that many. */
#include "ptowsp/note.h"
#include "rt/threads/crew.h"
#include "tests/check.h"
#include "tests/check_outcome.h"
#include "tests/rt/builder/random_schedule.h"
#include "tests/rt/builder/rt_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool task_same(const struct ptowsp_trace_task *a, const struct ptowsp_trace_task *b)
{
	return a->task == b->task && a->kernel == b->kernel && a->executor == b->executor && a->stream == b->stream && a->start == b->start && a->end == b->end;
}

/* The same tasks and edges, one by one, or the same report. */
static bool all_same(uint64_t seed, const char *who, const struct outcome *first, const struct outcome *o, bool memory)
{
	bool same = o->task_count == first->task_count && o->edge_count == first->edge_count && o->stats.batches == first->stats.batches &&
		    o->stats.flushes == first->stats.flushes && o->stats.executors == first->stats.executors;

	if (first->status) /* how far threads got beside the failure is theirs */
		same = o->status == first->status && o->error.where[0] == first->error.where[0] &&
		       (first->status != PTOWSP_DEADLOCK || (o->deadlock.task == first->deadlock.task && o->deadlock.resource == first->deadlock.resource &&
							     o->deadlock.proposed == first->deadlock.proposed));
	for (uint32_t i = 0; same && !first->status && i < first->task_count; i++)
		same = task_same(&o->tasks[i], &first->tasks[i]);
	for (uint32_t i = 0; same && !first->status && i < first->edge_count; i++)
		same = o->edges[i].producer == first->edges[i].producer && o->edges[i].consumer == first->edges[i].consumer;
	if (!same)
		CHECK_FAIL("seed %ju, %s: tasks, edges, batches or the report differ from those of one thread: status %d at %ju (%d at %ju): %s",
			   (uintmax_t)seed, who, o->status, (uintmax_t)o->error.where[0], first->status, (uintmax_t)first->error.where[0], o->error.text);
	return same && (first->status || outcome_same(seed, who, first, o, memory));
}

static uint64_t devices_started, devices_most; /* tasks, of all seeds; at a time */

/* With several threads a run shares its tasks, or goes alone while kernels are brief: the seed says whether never, or as soon as it can, or as usual. */
static void rules_set(uint64_t seed)
{
	static const struct rt_crew_rules never = {.brief_ns = 0, .brief_run = 1, .sample_every = 64};
	static const struct rt_crew_rules often = {.brief_ns = UINT32_MAX, .brief_run = 2, .sample_every = 3};
	static struct rt_crew_rules usual;

	if (!usual.sample_every)
		usual = rt_crew_rules;
	rt_crew_rules = seed % 4 == 0 ? usual : seed % 4 == 1 ? often : never;
}

static bool again(struct random *r, const struct outcome *first, const struct outcome_how *how, const char *who, bool memory)
{
	struct outcome *o = builder_run(r->b, how);
	bool ok = how->no_sinks ? outcome_same(how->seed, who, first, o, memory) : all_same(how->seed, who, first, o, memory);

	outcome_destroy(o);
	return ok;
}

/* On threads; where tasks may race they touch no memory, and nothing is asked where a race may decide what is loaded, and with that the program. */
static bool threads_same(struct random *r, const struct outcome *first, struct outcome_how how, struct rt_pool *const *pools)
{
	bool ok = true;

	how.idle = r->unsafe;
	for (uint32_t k = 0; ok && k < 2 && !(r->unsafe && r->loads); k++) {
		how.pool = pools[k];
		ok = again(r, first, &how, k ? "8 threads" : "2 threads", !r->unsafe);
	}
	return ok;
}

/* On a device that tells ends later, with a worker thread beside it or without. */
static bool started_same(struct random *r, const struct outcome *first, struct outcome_how how, struct rt_pool *pool)
{
	struct rt_device device;
	bool ok;

	if (r->unsafe && r->loads)
		return true;
	rt_device_init(&device, builder_kernels(r->b), how.seed);
	how.idle = r->unsafe;
	how.queues = &device.queues;
	how.pool = how.seed & 2 ? pool : NULL;
	ok = again(r, first, &how, "a device", !r->unsafe) && CHECK(!device.wrong && !device.count);
	devices_started += device.started;
	devices_most = device.most > devices_most ? device.most : devices_most;
	return ok;
}

/* Without kernels it is the same program only if no slot depends on them, and cycles that only a run tells count 1. */
static bool others_same(struct random *r, const struct outcome *first, struct outcome_how how)
{
	bool ok;

	how.no_sinks = true;
	ok = again(r, first, &how, "untold", true);
	how.no_sinks = false;
	how.fixed_map = !how.fixed_map;
	ok = ok && again(r, first, &how, "the other map", true);
	how.flags = PTOWSP_RUN_NO_KERNELS;
	return ok && (r->loads || r->later || again(r, first, &how, "no kernels", false));
}

/* A strict run of a safe schedule finds nothing, of a promise the same race whatever the map. */
static bool strict_same(struct random *r, const struct outcome *first, struct outcome_how how)
{
	struct outcome *one, *other;
	bool ok;

	how.flags = PTOWSP_RUN_STRICT;
	one = builder_run(r->b, &how);
	how.fixed_map = !how.fixed_map;
	other = builder_run(r->b, &how);
	ok = one->status == other->status && one->error.where[0] == other->error.where[0] &&
	     (one->status == first->status || (r->unsafe && one->status == PTOWSP_UNSUPPORTED));
	if (!ok)
		CHECK_FAIL("seed %ju, strict: status %d (%s), %d (%s)", (uintmax_t)how.seed, one->status, one->error.text, other->status, other->error.text);
	outcome_destroy(one);
	outcome_destroy(other);
	return ok;
}

static bool one(uint64_t seed, struct rt_pool *const *pools, uint64_t *tasks)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .fixed_map = seed & 1};
	struct random r;
	struct outcome *first;
	bool ok;

	rules_set(seed);
	random_schedule_make(&r, seed);
	if (seed / 4 % 4) /* else nothing is stated */
		builder_schedule(r.b, PTOWSP_DIRECTIVE_READY, (unsigned)(seed / 4 % 4), "");
	first = builder_run(r.b, &how);
	*tasks += first->stats.tasks;
	ok = threads_same(&r, first, how, pools) && started_same(&r, first, how, pools[0]);
	if (ok && !check_only_threads())
		ok = others_same(&r, first, how) && (first->status || strict_same(&r, first, how));
	outcome_destroy(first);
	builder_destroy(r.b);
	return ok;
}

TEST(random_programs_are_the_same_in_every_way)
{
	const char *only = getenv("PTOWSP_SEED");
	uint64_t count, first = check_seeds(&count, 2000), tasks = 0;
	struct rt_pool *pools[2];

	REQUIRE(!rt_pool_create(&pools[0], 2, NULL) && !rt_pool_create(&pools[1], 8, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if ((only || check_seed_wanted(seed)) && !one(seed, pools, &tasks))
			break;
	CHECK(only || tasks > count * (PTOWSP_SANITIZER ? 1 : 5)); /* the programs are not empty */
	CHECK(only || (devices_started > count / 2 && devices_most > 8));
	rules_set(4);
	rt_pool_destroy(pools[0]);
	rt_pool_destroy(pools[1]);
}
