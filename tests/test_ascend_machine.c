/* SPDX-License-Identifier: MIT
 * test_ascend_machine.c - the event-driven machine: results, tasks and edges are those of the semantic clock's runs, and its times keep every rule that tasks,
 * cores, windows, streams and depths have. Random programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "ascend/machine.h"
#include "model/rt_model.h"
#include "random_schedule.h"
#include "rt/crew.h"
#include "rt/walker.h"

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 3, CUBES = CLUSTERS, VECTORS = 2 * CLUSTERS };

static struct ascend_machine machine_make(uint32_t payloads, bool costs)
{
	struct ascend_machine machine = {.config = {.clusters = CLUSTERS, .vectors_each = 2, .first_cube = 0, .first_vector = CUBES, .rings = 4, .payloads = payloads}};

	machine.config.by_number = !costs && payloads == 2;
	if (costs)
		machine.config.cost = (struct ascend_protocol){.lookup = 2, .lookup_use = 1, .submit = 3, .dispatch = 2, .token = 4, .pickup = 1, .fin = 5, .complete = 2,
							       .notify = 1, .notice = 3, .hear = 1};
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
static bool order_kept(const struct outcome *o, const struct model_schedule *schedule, const char *who)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < o->task_count; i++) {
		if (schedule->window && !schedule->benchmark && i >= schedule->window)
			reach = o->tasks[i - schedule->window].end > reach ? o->tasks[i - schedule->window].end : reach;
		if (o->tasks[i].start < reach) {
			CHECK_FAIL("%s: task %u starts at %ju while the window holds it until %ju", who, i, (uintmax_t)o->tasks[i].start, (uintmax_t)reach);
			return false;
		}
		for (uint32_t k = i; schedule->streams && k--;)
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
static bool times_kept(const struct outcome *o, const struct model *m, const char *who)
{
	bool streams = m->schedule->pools != MODEL_BY_UNIT || m->schedule->stream_by;

	for (uint32_t i = 0; i < o->task_count; i++)
		if (o->tasks[i].task != i || o->tasks[i].kernel != m->tasks[i].kernel || (streams && o->tasks[i].stream != m->tasks[i].stream) ||
		    o->tasks[i].end - o->tasks[i].start != m->tasks[i].end - m->tasks[i].start) {
			CHECK_FAIL("%s: task %u: kernel %u, %ju cycles, not kernel %u, %ju", who, i, o->tasks[i].kernel,
				   (uintmax_t)(o->tasks[i].end - o->tasks[i].start), m->tasks[i].kernel, (uintmax_t)(m->tasks[i].end - m->tasks[i].start));
			return false;
		}
	return true;
}

/* Tasks of earlier iterations of every ordered construct around have ended. */
static bool constructs_kept(const struct outcome *o, const struct model *m, const char *who)
{
	for (int i = 0; i < m->count; i++)
		for (int k = 0; k < i; k++) {
			const struct model_task *task = &m->tasks[i], *other = &m->tasks[k];
			bool after = false;

			for (int d = 0; d < task->order_count && d < other->order_count && task->order_instance[d] == other->order_instance[d]; d++)
				after |= other->order_step[d] < task->order_step[d];
			if (after && o->tasks[k].end > o->tasks[i].start) {
				CHECK_FAIL("%s: task %d starts before task %d of an earlier iteration ends", who, i, k);
				return false;
			}
		}
	return true;
}

/* Of no domain more are under way than its depth. */
static bool depths_kept(const struct outcome *o, const struct model *m, const char *who)
{
	for (int d = 0; d < m->schedule->depth_count; d++)
		for (int i = 0; i < m->count; i++) {
			enum model_domain domain = m->schedule->depths[d].domain;
			uint64_t under_way = 1;

			if (domain == MODEL_POOL || o->tasks[i].start == o->tasks[i].end || (domain == MODEL_LOOP && !m->tasks[i].in_depth[d]))
				continue;
			for (int k = 0; k < m->count; k++)
				under_way += k != i && o->tasks[k].start <= o->tasks[i].start && o->tasks[k].end > o->tasks[i].start &&
					     (domain != MODEL_STREAM || !m->schedule->streams || o->tasks[k].stream == o->tasks[i].stream) &&
					     (domain != MODEL_LOOP || m->tasks[k].in_depth[d]);
			if (under_way > m->schedule->depths[d].depth) {
				CHECK_FAIL("%s: %ju tasks of domain %d are under way with task %d, at most %ju", who, (uintmax_t)under_way, (int)domain, i,
					   (uintmax_t)m->schedule->depths[d].depth);
				for (int k = 0; k < m->count && getenv("PTOWSP_SEED"); k++)
					printf("# %d: %ju..%ju on %u, stream %u\n", k, (uintmax_t)o->tasks[k].start, (uintmax_t)o->tasks[k].end, o->tasks[k].executor,
					       o->tasks[k].stream);
				return false;
			}
		}
	return true;
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
	return at == o->edge_count;
}

static bool memory_same(const struct outcome *o, const struct model *m, const char *who)
{
	uint64_t elements = 0;

	for (uint32_t t = 0; t < TENSORS; t++)
		elements += m->tensor_rows[t] * m->tensor_columns[t];
	if (!memcmp(o->memory, m->memory, elements * sizeof(*m->memory)))
		return true;
	CHECK_FAIL("%s: memory differs", who);
	return false;
}

static bool all_kept(const struct random *r, const struct outcome *o, const struct model *m, const char *who, bool memory)
{
	bool abort = r->schedule.abort && (m->status == PTOWSP_RUN_FAILED || o->status == PTOWSP_RUN_FAILED);

	if (abort) /* when a window is full first depends on the clock */
		return true;
	if (o->status != m->status || (m->status && o->error.where[0] != (uint64_t)m->stopped_at)) {
		CHECK_FAIL("%s: status %d at task %ju (%s), not %d at task %d", who, o->status, (uintmax_t)o->error.where[0], o->error.text, m->status,
			   m->stopped_at);
		return false;
	}
	if (m->status)
		return true;
	if (o->task_count != (uint32_t)m->count) {
		CHECK_FAIL("%s: %u tasks, not %d", who, o->task_count, m->count);
		return false;
	}
	return times_kept(o, m, who) && edges_same(o, m, who) && edges_kept(o, who) && cores_kept(o, who) && order_kept(o, &r->schedule, who) &&
	       constructs_kept(o, m, who) && depths_kept(o, m, who) &&
	       (!memory || memory_same(o, m, who));
}

/* ---- random programs ---------------------------------------------------------------------------------------------- */

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

static bool one(uint64_t seed, struct model *m, struct rt_pool *pool)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct random r;
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .fixed_map = seed & 1};
	bool ok = true;

	random_schedule_make(&r, seed);
	model_prepare(&r, m, how.seed, values);
	rt_model_run(m);
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
		ok = all_kept(&r, first, m, who, true);
		how.pool = k & 1 ? pool : NULL;
		how.idle = r.unsafe;
		if (ok && !(r.unsafe && r.loads)) {
			again = builder_run(r.b, &how);
			ok = (r.unsafe || all_kept(&r, again, m, who, true)) && same_times(first, again, who);
			outcome_destroy(again);
		}
		outcome_destroy(first);
	}
	free(m->memory);
	builder_destroy(r.b);
	return ok;
}

static void random_programs_keep_every_rule(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 500;
	struct model *m = calloc(1, sizeof(*m));
	struct rt_pool *pool;

	REQUIRE(m && !rt_pool_create(&pool, 2, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, m, pool))
			break;
	rt_pool_destroy(pool);
	free(m);
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

static bool same_outcome(const struct outcome *a, const struct outcome *b, const char *who)
{
	bool same = same_times(a, b, who) && same_stats(a, b) && same_resources(a, b) && !strcmp(a->error.text, b->error.text) && a->calls == b->calls &&
		    a->memory_count == b->memory_count && !memcmp(a->memory, b->memory, a->memory_count * sizeof(*a->memory)) &&
		    !memcmp(&a->deadlock, &b->deadlock, sizeof(a->deadlock));

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
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .engine = &engine, .unlinked = true,
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

static void a_thread_that_walks_makes_no_difference(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 1000;
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

void suite_ascend_machine(CU_pSuite s)
{
	TEST(s, random_programs_keep_every_rule);
	TEST(s, a_thread_that_walks_makes_no_difference);
}
