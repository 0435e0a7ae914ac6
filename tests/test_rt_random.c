/* SPDX-License-Identifier: MIT
 * test_rt_random.c - random programs by the runtime core and by the plain model of model/rt_model.h: the same tasks, edges, executors, times,
 * stalls, high-water marks and memory, with one thread and with several. A failure names its seed: PTOWSP_SEED=N runs one seed,
 * PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "random_schedule.h"
#include "rt/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static bool meter_same(const struct outcome *o, const char *name, const struct model_meter *want, const char *who)
{
	const struct ptowsp_resource_stats *got = outcome_resource(o, name);

	if (got->high_water == want->high_water && got->stall_count == want->stalls && got->stall_cycles == want->cycles)
		return true;
	CHECK_FAIL("%s: %s: high water %ju stalls %ju cycles %ju, not %ju %ju %ju", who, name, (uintmax_t)got->high_water,
		   (uintmax_t)got->stall_count, (uintmax_t)got->stall_cycles, (uintmax_t)want->high_water, (uintmax_t)want->stalls,
		   (uintmax_t)want->cycles);
	return false;
}

static const char *pool_name(const struct random *r, const struct outcome *o, int pool)
{
	(void)r;
	return 4u + (unsigned)pool < o->stats.resource_count ? o->resources[4 + pool].name : "";
}

static bool tasks_same(const struct outcome *o, const struct model *m, const char *who)
{
	bool same = o->task_count == (uint32_t)m->count;

	for (int i = 0; same && i < m->count; i++) {
		const struct ptowsp_trace_task *got = &o->tasks[i];
		const struct model_task *want = &m->tasks[i];

		same = got->task == (uint64_t)i && got->kernel == want->kernel && got->executor == want->executor && got->start == want->start &&
		       got->end == want->end && got->stream == want->stream;
		if (!same)
			CHECK_FAIL("%s: task %d: kernel %u executor %u stream %u %ju..%ju, not kernel %u executor %ju stream %ju %ju..%ju", who, i,
				   got->kernel, got->executor, got->stream, (uintmax_t)got->start, (uintmax_t)got->end, want->kernel,
				   (uintmax_t)want->executor, (uintmax_t)want->stream, (uintmax_t)want->start, (uintmax_t)want->end);
	}
	if (o->task_count != (uint32_t)m->count)
		CHECK_FAIL("%s: %u tasks, not %d", who, o->task_count, m->count);
	return same;
}

static bool edges_same(const struct outcome *o, const struct model *m, const char *who)
{
	uint32_t at = 0;

	for (int i = 0; i < m->count; i++)
		for (int p = 0; p < i; p++) {
			bool have = at < o->edge_count && o->edges[at].producer == (uint64_t)p && o->edges[at].consumer == (uint64_t)i;

			if (have != m->tasks[i].preds[p]) {
				CHECK_FAIL("%s: edge %d -> %d is %s", who, p, i, have ? "there" : "missing");
				return false;
			}
			at += have;
		}
	CHECK_UINT(o->stats.edges, m->edges);
	return at == o->edge_count;
}

static bool stats_same(const struct random *r, const struct outcome *o, const struct model *m, const char *who)
{
	bool same = o->stats.total_cycles == m->total && o->stats.executors == (uint64_t)m->pools * (uint64_t)r->schedule.executors &&
		    o->stats.batches == m->batches && o->stats.flushes == m->flushes && o->stats.tasks == (uint64_t)m->count;

	if (!same)
		CHECK_FAIL("%s: cycles %ju executors %ju batches %ju flushes %ju, not %ju %ju %ju %ju", who, (uintmax_t)o->stats.total_cycles,
			   (uintmax_t)o->stats.executors, (uintmax_t)o->stats.batches, (uintmax_t)o->stats.flushes, (uintmax_t)m->total,
			   (uintmax_t)m->pools * (uintmax_t)r->schedule.executors, (uintmax_t)m->batches, (uintmax_t)m->flushes);
	same = meter_same(o, "task_ring", &m->ring, who) && same;
	same = meter_same(o, "tensor_map", &m->map, who) && same;
	same = meter_same(o, "dep_list", &m->deps, who) && same;
	for (int p = 0; p < m->pools; p++)
		same = meter_same(o, pool_name(r, o, p), &m->ready[p], who) && same;
	return same;
}

static bool same(const struct random *r, const struct outcome *o, const struct model *m, const char *who, bool memory)
{
	uint64_t elements = 0;

	if (o->status != m->status || (m->status && o->error.where[0] != (uint64_t)m->stopped_at)) {
		CHECK_FAIL("%s: status %d at task %ju (%s), not %d at task %d", who, o->status, (uintmax_t)o->error.where[0], o->error.text,
			   m->status, m->stopped_at);
		return false;
	}
	if (m->status == PTOWSP_DEADLOCK &&
	    (o->deadlock.resource != m->resource || o->deadlock.proposed != m->proposed || o->deadlock.task != (uint64_t)m->stopped_at)) {
		CHECK_FAIL("%s: deadlock of %u proposes %ju, not of %u proposes %ju", who, o->deadlock.resource, (uintmax_t)o->deadlock.proposed,
			   m->resource, (uintmax_t)m->proposed);
		return false;
	}
	if (m->status)
		return true;
	if (!tasks_same(o, m, who) || !edges_same(o, m, who) || !stats_same(r, o, m, who))
		return false;
	for (uint32_t t = 0; t < TENSORS; t++)
		elements += m->tensor_rows[t] * m->tensor_columns[t];
	if (memory && memcmp(o->memory, m->memory, elements * sizeof(*m->memory))) {
		CHECK_FAIL("%s: memory differs", who);
		return false;
	}
	return true;
}

static void model_prepare(struct random *r, struct model *m, uint64_t seed, const uint64_t *values)
{
	struct ptowsp_binding bindings[TENSORS];
	uint64_t count;

	m->sections = builder_sections(r->b, &m->section_count);
	m->schedule = &r->schedule;
	m->kernels = r->kernels;
	m->values = values;
	m->max_tasks = 300;
	m->memory = builder_memory(r->b, seed, bindings, &count);
	for (uint32_t t = 0; t < TENSORS; t++) {
		m->tensor_data[t] = bindings[t].data;
		m->tensor_rows[t] = random_shapes[t][1] ? (uint64_t)random_shapes[t][0] : 1;
		m->tensor_columns[t] = (uint64_t)(random_shapes[t][1] ? random_shapes[t][1] : random_shapes[t][0]);
	}
}

/* Counted without kernels it is the same program only if no slot depends on them, and cycles that only a run tells count 1. */
static bool countable(const struct random *r)
{
	return !r->loads && !r->later;
}

/* The blocked task proceeds with the capacity that a deadlock report proposes, and does not with one less. */
static bool cure_same(struct random *r, struct model *m, const struct outcome *o)
{
	const struct model_schedule was = r->schedule;
	unsigned resource = m->resource;
	uint64_t *capacity = resource == PTOWSP_RESOURCE_TASK_RING    ? &r->schedule.window
			     : resource == PTOWSP_RESOURCE_TENSOR_MAP ? &r->schedule.map
								      : &r->schedule.deps;
	bool ok;

	*capacity = o->deadlock.proposed;
	rt_model_run(m);
	ok = m->status != PTOWSP_DEADLOCK || m->resource != resource || (uint64_t)m->stopped_at > o->deadlock.task;
	*capacity = o->deadlock.proposed - 1;
	rt_model_run(m);
	ok = ok && m->status != PTOWSP_OK && (uint64_t)m->stopped_at == o->deadlock.task;
	if (!ok)
		CHECK_FAIL("resource %u: %ju is proposed", resource, (uintmax_t)o->deadlock.proposed);
	r->schedule = was;
	return ok;
}

/* A strict run of a schedule that is a promise ends at the first task that races. */
static bool strict_same(struct random *r, const struct model *m, const struct outcome_how *how)
{
	struct outcome_how strict = *how;
	struct outcome *o;
	bool ok;

	strict.flags = PTOWSP_RUN_STRICT;
	o = builder_run(r->b, &strict);
	ok = m->race < 0 ? o->status == PTOWSP_OK && o->stats.deterministic == PTOWSP_DETERMINISTIC_YES
			 : o->status == PTOWSP_UNSUPPORTED && o->error.where[0] == (uint64_t)m->race &&
				   o->stats.deterministic == PTOWSP_DETERMINISTIC_NO;
	if (!ok)
		CHECK_FAIL("seed %ju, strict: status %d at task %ju (%s), the race is at %d", (uintmax_t)how->seed, o->status,
			   (uintmax_t)o->error.where[0], o->error.text, m->race);
	outcome_destroy(o);
	return ok;
}

static bool resources_same(const struct ptowsp_run_stats *a, const struct ptowsp_run_stats *b)
{
	bool ok = a->resource_count == b->resource_count;

	for (uint32_t i = 0; ok && i < a->resource_count; i++)
		ok = a->resources[i].high_water == b->resources[i].high_water && a->resources[i].stall_count == b->resources[i].stall_count &&
		     a->resources[i].stall_cycles == b->resources[i].stall_cycles;
	return ok;
}

/* A run that tells nobody of its tasks may take shorter ways; all that it counts and leaves behind is as if it had told. */
static bool untold_same(struct random *r, const struct outcome *told, const struct outcome_how *how)
{
	struct outcome_how quiet = *how;
	struct outcome *o;
	bool ok;

	quiet.untold = true;
	o = builder_run(r->b, &quiet);
	ok = o->status == told->status && o->stats.tasks == told->stats.tasks && o->stats.edges == told->stats.edges &&
	     o->stats.total_cycles == told->stats.total_cycles && resources_same(&o->stats, &told->stats) && o->memory_count == told->memory_count &&
	     !memcmp(o->memory, told->memory, told->memory_count * sizeof(*told->memory));
	if (!ok)
		CHECK_FAIL("seed %ju, untold: status %d (%d), %ju tasks (%ju), %ju edges (%ju), %ju cycles (%ju)", (uintmax_t)how->seed, o->status,
			   told->status, (uintmax_t)o->stats.tasks, (uintmax_t)told->stats.tasks, (uintmax_t)o->stats.edges,
			   (uintmax_t)told->stats.edges, (uintmax_t)o->stats.total_cycles, (uintmax_t)told->stats.total_cycles);
	outcome_destroy(o);
	return ok;
}

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

static bool one(uint64_t seed, struct model *m, struct rt_pool *const *pools, uint64_t *tasks)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct random r;
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .fixed_map = seed & 1};
	struct outcome *o;
	bool ok = true;

	rules_set(seed);
	random_schedule_make(&r, seed);
	model_prepare(&r, m, how.seed, values);
	rt_model_run(m);
	*tasks += (uint64_t)m->count;
	for (uint32_t k = check_only_threads(); ok && k < 3; k++) {
		how.pool = k ? pools[k - 1] : NULL;
		how.idle = k && r.unsafe;
		if (k && r.unsafe && r.loads)
			continue; /* a race may decide what is loaded, and with that the program */
		o = builder_run(r.b, &how);
		ok = same(&r, o, m, check_fmt("seed %ju, %s", (uintmax_t)seed, k == 0 ? "1 thread" : k == 1 ? "2 threads" : "8 threads"),
			  k == 0 || !r.unsafe);
		if (ok && !k)
			ok = untold_same(&r, o, &how);
		if (ok && !k && m->status == PTOWSP_DEADLOCK && !r.loads) {
			ok = cure_same(&r, m, o);
			rt_model_run(m);
		}
		outcome_destroy(o);
	}
	how.pool = NULL;
	how.idle = false;
	if (ok && r.unsafe && !m->status && !check_only_threads())
		ok = strict_same(&r, m, &how);
	how.flags = PTOWSP_RUN_NO_KERNELS;
	if (ok && countable(&r) && !check_only_threads()) {
		o = builder_run(r.b, &how);
		ok = same(&r, o, m, check_fmt("seed %ju, no kernels", (uintmax_t)seed), false);
		outcome_destroy(o);
	}
	free(m->memory);
	builder_destroy(r.b);
	return ok;
}

static void random_programs_agree_with_the_model(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 2000, tasks = 0;
	struct model *m = calloc(1, sizeof(*m));
	struct rt_pool *pools[2];

	REQUIRE(m && !rt_pool_create(&pools[0], 2, NULL) && !rt_pool_create(&pools[1], 8, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if ((only || check_seed_wanted(seed)) && !one(seed, m, pools, &tasks))
			break;
	CHECK(only || tasks > count * (check_only_threads() ? 1 : 5)); /* the programs are not empty */
	rules_set(4);
	rt_pool_destroy(pools[0]);
	rt_pool_destroy(pools[1]);
	free(m);
}

void suite_rt_random(CU_pSuite s)
{
	TEST(s, random_programs_agree_with_the_model);
}
