/* SPDX-License-Identifier: MIT
 * test_ascend_machine.c - the event-driven machine: results, tasks and edges are those of the semantic clock's runs, and its times keep every rule that tasks,
 * cores, windows, streams and depths have. Random programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "ascend/machine.h"
#include "model/machine_model.h"
#include "model/rt_model_parts.h"
#include "random_schedule.h"

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

/* ---- the slow model ----------------------------------------------------------------------------------------------- */

static uint64_t draws;

static uint32_t draw(uint32_t n)
{
	draws ^= draws << 13;
	draws ^= draws >> 7;
	draws ^= draws << 17;
	return (uint32_t)(draws >> 20) % n;
}

/* Any machine: few cores, so that they are what is waited for; costs of nothing, of little, of much. */
static struct ascend_machine machine_draw(uint64_t seed)
{
	static const uint32_t most[] = {1, 1, 4, 10, 60};
	struct ascend_machine machine;
	uint32_t n;

	draws = seed * UINT64_C(0x9E3779B97F4A7C15) + 3;
	n = most[draw(5)];
	machine = (struct ascend_machine){.config = {.clusters = 1 + draw(4), .vectors_each = 1 + draw(2), .first_cube = 0, .first_vector = 100, .rings = 4,
						     .payloads = 1 + draw(2), .streams = draw(3), .by_number = !draw(3)}};
	machine.config.cost = (struct ascend_protocol){.lookup = draw(n), .lookup_use = draw(n), .submit = draw(n), .dispatch = draw(n), .token = draw(n),
						       .pickup = draw(n), .fin = draw(n), .complete = draw(n), .notify = draw(n), .notice = draw(n), .hear = draw(n)};
	return machine;
}

/* What the model knows: which instance a task has, and which kind of core, does not hang on a clock that it has not. */
static int instances_of(const struct random *r, const struct model *m, const struct ascend_machine *machine)
{
	int instances = 1 + (int)draw(machine->config.clusters);

	for (int i = 0; i < m->count && r->schedule.pools == MODEL_BY_UNIT; i++)
		if (ROW(m, KREG, kernel, m->tasks[i].kernel)->unit == PTOWSP_UNIT_ANY)
			return 0;
	if (m->status || r->schedule.abort || (r->schedule.benchmark && r->loads))
		return 0;
	return instances;
}

static bool meter_same(const struct outcome *o, const char *name, const struct model_meter *want, const char *who)
{
	const struct ptowsp_resource_stats *got = outcome_resource(o, name);

	if (got->high_water == want->high_water && got->stall_count == want->stalls && got->stall_cycles == want->cycles)
		return true;
	CHECK_FAIL("%s: %s: high water %ju stalls %ju cycles %ju, not %ju %ju %ju", who, name, (uintmax_t)got->high_water, (uintmax_t)got->stall_count,
		   (uintmax_t)got->stall_cycles, (uintmax_t)want->high_water, (uintmax_t)want->stalls, (uintmax_t)want->cycles);
	return false;
}

static bool model_same(const struct outcome *o, const struct machine_model *want, const char *who)
{
	bool same = !o->status && o->task_count == (uint32_t)want->program->count && want->ended == want->program->count;

	if (!same)
		CHECK_FAIL("%s: status %d (%s), %u tasks; %d of %d have ended in the model", who, o->status, o->error.text, o->task_count, want->ended, want->program->count);
	for (uint32_t i = 0; same && i < o->task_count; i++) {
		const struct ptowsp_trace_task *got = &o->tasks[i];
		const struct machine_model_task *task = &want->tasks[i];

		same = got->start == task->start && got->end == task->end && got->executor == task->core;
		if (!same)
			CHECK_FAIL("%s: task %u: %ju..%ju on %u, not %ju..%ju on %u", who, i, (uintmax_t)got->start, (uintmax_t)got->end, got->executor,
				   (uintmax_t)task->start, (uintmax_t)task->end, task->core);
	}
	if (!same)
		return false;
	CHECK_UINT(o->stats.total_cycles, want->total);
	CHECK_UINT(o->stats.cross_edges, want->crossing);
	CHECK_UINT(o->stats.notifications, want->notifications);
	same &= meter_same(o, "task_ring", &want->ring, who);
	same &= meter_same(o, "tensor_map", &want->map, who);
	same &= meter_same(o, "dep_list", &want->deps, who);
	for (int p = 0; p < want->program->pools && 4u + (unsigned)p < o->stats.resource_count; p++)
		same &= meter_same(o, o->resources[4 + p].name, &want->ready[p], who);
	return same && o->stats.total_cycles == want->total && o->stats.cross_edges == want->crossing && o->stats.notifications == want->notifications;
}

/* 1: compared; 0: not; -1: differs. */
static int one_modelled(uint64_t seed, struct model *m, struct machine_model *slow)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct ascend_machine machine = machine_draw(seed);
	struct rt_engine engine = ascend_machine_engine(&machine);
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .engine = &engine};
	struct outcome *o;
	struct random r;
	int same = 0;

	(seed & 1 ? random_schedule_make : random_schedule_make_synced)(&r, seed);
	model_prepare(&r, m, how.seed, values);
	rt_model_run(m);
	slow->program = m;
	slow->config = &machine.config;
	slow->instances = instances_of(&r, m, &machine);
	how.schedulers = (uint32_t)slow->instances;
	if (slow->instances && machine_model_run(slow)) {
		o = builder_run(r.b, &how);
		same = model_same(o, slow, check_fmt("seed %ju, %d instances", (uintmax_t)seed, slow->instances)) ? 1 : -1;
		outcome_destroy(o);
	}
	free(m->memory);
	builder_destroy(r.b);
	return same;
}

static void times_are_those_of_the_slow_model(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : getenv("PTOWSP_TEST_LONG") ? 20000 : 1000;
	struct model *m = calloc(1, sizeof(*m));
	struct machine_model *slow = calloc(1, sizeof(*slow));
	uint64_t compared = 0;
	int same = 0;

	REQUIRE(m && slow);
	for (uint64_t seed = first; seed < first + count && same >= 0; seed++) {
		same = one_modelled(seed, m, slow);
		compared += same > 0;
	}
	printf("# ascend_machine: %ju of PTOWSP_SEED=%ju to %ju compared with the slow model\n", (uintmax_t)compared, (uintmax_t)first, (uintmax_t)(first + count - 1));
	free(slow);
	free(m);
}

void suite_ascend_machine(CU_pSuite s)
{
	TEST(s, random_programs_keep_every_rule);
	TEST(s, times_are_those_of_the_slow_model);
}
