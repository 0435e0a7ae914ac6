/* SPDX-License-Identifier: MIT
 * rt_model_time.c - sections 3 to 5: where a task goes, what it stalls on, when it starts and ends. */
#include "tests/model/rt_model_parts.h"

#include <stdlib.h>
#include <string.h>
#include "ptowsp/caps.h"

static uint64_t mod(int64_t v, int64_t n)
{
	return (uint64_t)((v % n + n) % n);
}

static uint64_t free_time(const struct model *m, uint64_t executor)
{
	uint64_t time = 0;

	for (int j = 0; j < m->count; j++)
		if (m->tasks[j].executor == executor)
			time = m->tasks[j].end;
	return time;
}

static uint64_t least_free(const struct model *m, uint64_t pool, uint64_t *time_out)
{
	uint64_t best = 0;

	for (uint64_t e = 1; e < (uint64_t)m->schedule->executors; e++)
		if (free_time(m, pool * (uint64_t)m->schedule->executors + e) < free_time(m, pool * (uint64_t)m->schedule->executors + best))
			best = e;
	*time_out = free_time(m, pool * (uint64_t)m->schedule->executors + best);
	return best;
}

/* A task of the program names a kernel of this unit. */
bool model_unit_named(const struct model *m, uint16_t unit)
{
	struct ptowsp_instruction in;

	for (uint32_t at = 0; (in = model_code(m, at)).opcode != PTOWSP_OP_HALT; at++)
		if (in.opcode == PTOWSP_OP_TASK && ROW(m, KREG, kernel, in.operand1)->unit == unit)
			return true;
	return false;
}

static uint64_t pool_of(struct model *m, uint32_t kernel)
{
	static const uint16_t order[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIC_AIV, PTOWSP_UNIT_HOST, PTOWSP_UNIT_AICPU,
					 PTOWSP_UNIT_AIE_CORE};
	uint64_t vector, cube, pool = 0;
	uint16_t unit = ROW(m, KREG, kernel, kernel)->unit;

	if (m->schedule->pools == MODEL_BY_EXPR)
		return (uint64_t)model_use(m, m->schedule->pool_expr);
	if (m->schedule->pools == MODEL_SINGLE)
		return 0;
	if (unit == PTOWSP_UNIT_ANY) {
		least_free(m, 0, &vector);
		least_free(m, 1, &cube);
		return cube < vector;
	}
	for (int u = 0; u < 6 && order[u] != unit; u++)
		pool += u < 2 || model_unit_named(m, order[u]);
	return pool;
}

static uint64_t hash64(uint64_t z)
{
	z ^= z >> 30;
	z *= 0xBF58476D1CE4E5B9u;
	z ^= z >> 27;
	z *= 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint64_t executor_of(struct model *m, uint64_t pool, uint64_t k)
{
	const struct model_schedule *s = m->schedule;
	int64_t v = 0, found = 0, grid[2] = {0, 0};
	uint64_t time;

	switch (s->dispatch) {
	case MODEL_NONE: return 0;
	case MODEL_ROUND_ROBIN: return k % (uint64_t)s->executors;
	case MODEL_AFFINITY:
		for (int d = 0; d < m->loop_count; d++)
			if (!strcmp(model_text(m, m->loop_names[d]), s->axis))
				v = m->loops[d];
		return mod(v, s->executors);
	case MODEL_HASH: return hash64((uint64_t)model_use(m, s->dispatch_expr)) % (uint64_t)s->executors;
	case MODEL_CUSTOM: return mod(model_use(m, s->dispatch_expr), s->executors);
	case MODEL_PARTITION:
		for (int64_t b = 0; b < s->bound_count; b++)
			v += s->bounds[b] <= m->count;
		return (uint64_t)v;
	case MODEL_STEAL: return least_free(m, pool, &time);
	case MODEL_GRID:
		for (int d = 0; d < m->loop_count; d++)
			if (m->loop_parallel[d] && found < 2)
				grid[found++] = m->loops[d];
		return mod(grid[0], s->grid[0]) * (uint64_t)s->grid[1] + mod(grid[1], s->grid[1]);
	}
	return 0;
}

void model_place(struct model *m, struct model_task *t)
{
	const struct model_schedule *s = m->schedule;
	uint64_t k = 0;

	t->pool = pool_of(m, t->kernel);
	for (int j = 0; j < m->count; j++)
		k += m->tasks[j].pool == t->pool;
	t->executor = t->pool * (uint64_t)s->executors + executor_of(m, t->pool, k);
	if (s->streams)
		t->stream = s->stream_by ? mod(model_use(m, s->stream_expr), (int64_t)s->streams) : k % s->streams;
	if (m->pools <= (int)t->pool)
		m->pools = (int)t->pool + 1;
}

/* F of all tasks, from their ends and scopes. */
static void leaves(struct model *m)
{
	uint64_t f = 0;
	bool defined = true;

	for (int j = 0; j < m->count; j++) {
		struct model_task *t = &m->tasks[j];

		if (t->scope >= 0 && m->scope_open[t->scope])
			defined = false;
		t->left = defined;
		f = model_later(f, model_later(t->end, t->scope >= 0 && defined ? m->scope_close[t->scope] : 0));
		t->leave = f;
	}
}

enum kind { RING, MAP, DEPS, READY };

static uint64_t amount(const struct model *m, int j, enum kind kind, uint64_t pool)
{
	const struct model_task *t = &m->tasks[j];

	return kind == RING ? 1 : kind == MAP ? t->map_need : kind == DEPS ? t->edge_count : t->pool == pool;
}

static uint64_t used(const struct model *m, enum kind kind, uint64_t pool, uint64_t time)
{
	uint64_t sum = 0;

	for (int j = 0; j < m->count; j++) {
		const struct model_task *t = &m->tasks[j];
		bool back = kind == READY ? t->start <= time : t->left && t->leave <= time;

		sum += back ? 0 : amount(m, j, kind, pool);
	}
	return sum;
}

/* The earliest time at which there is room; false if there is none. */
static bool room_time(const struct model *m, enum kind kind, uint64_t pool, uint64_t capacity, uint64_t need, uint64_t *time_out)
{
	bool found = false;

	*time_out = m->a;
	if (!capacity || !need || used(m, kind, pool, m->a) + need <= capacity)
		return true;
	for (int j = 0; j < m->count; j++) {
		uint64_t t = kind == READY ? m->tasks[j].start : m->tasks[j].leave;

		if ((kind == READY || m->tasks[j].left) && t > m->a && used(m, kind, pool, t) + need <= capacity &&
		    (!found || t < *time_out)) {
			*time_out = t;
			found = true;
		}
	}
	return found;
}

static void stall(struct model *m, struct model_task *t, enum kind kind, uint64_t capacity, uint64_t need, struct model_meter *meter)
{
	static const unsigned names[] = {PTOWSP_RESOURCE_TASK_RING, PTOWSP_RESOURCE_TENSOR_MAP, PTOWSP_RESOURCE_DEP_LIST,
					 PTOWSP_RESOURCE_READY};
	uint64_t time;

	if (m->status)
		return;
	if (!room_time(m, kind, t->pool, capacity, need, &time)) {
		model_stop(m, PTOWSP_DEADLOCK);
		m->resource = names[kind];
		m->proposed = need;
		for (int j = 0; j < m->count; j++)
			m->proposed += m->tasks[j].left ? 0 : amount(m, j, kind, t->pool);
		return;
	}
	if (time <= m->a)
		return;
	meter->stalls++;
	meter->cycles += time - m->a;
	if (kind == RING && m->schedule->abort)
		model_stop(m, PTOWSP_RUN_FAILED);
	if (!(kind == RING && m->schedule->benchmark))
		m->a = time;
}

static void mark(struct model *m, struct model_task *t, enum kind kind, uint64_t need, struct model_meter *meter)
{
	meter->high_water = model_later(meter->high_water, used(m, kind, t->pool, m->a) + need);
}

/* order(i): ends of earlier iterations of every ordered construct around. */
static uint64_t order_time(const struct model *m, const struct model_task *t)
{
	uint64_t time = 0;

	for (int j = 0; j < m->count; j++)
		for (int x = 0; x < t->order_count; x++)
			for (int y = 0; y < m->tasks[j].order_count; y++)
				if (t->order_instance[x] == m->tasks[j].order_instance[y] && m->tasks[j].order_step[y] < t->order_step[x])
					time = model_later(time, m->tasks[j].end);
	return time;
}

static bool in_domain(const struct model *m, int d, const struct model_task *t, const struct model_task *j)
{
	switch (m->schedule->depths[d].domain) {
	case MODEL_STREAM: return t->stream == j->stream;
	case MODEL_POOL: return t->pool == j->pool;
	case MODEL_LOOP: return t->in_depth[d] && j->in_depth[d];
	default: return true;
	}
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static uint64_t depth_time(const struct model *m, const struct model_task *t)
{
	uint64_t ends[MODEL_TASKS], time = 0;

	for (int d = 0; d < m->schedule->depth_count; d++) {
		uint64_t n = 0, depth = m->schedule->depths[d].depth;

		for (int j = 0; j < m->count; j++)
			if (in_domain(m, d, t, &m->tasks[j]))
				ends[n++] = m->tasks[j].end;
		qsort(ends, n, sizeof(*ends), descending);
		if (n >= depth)
			time = model_later(time, ends[depth - 1]);
	}
	return time;
}

static uint64_t start_time(const struct model *m, const struct model_task *t)
{
	uint64_t start = model_later(m->a, model_later(m->floor, free_time(m, t->executor)));

	start = model_later(model_later(start, m->barrier_time), model_later(order_time(m, t), depth_time(m, t)));
	for (int j = 0; j < m->count; j++)
		if (t->preds[j] || (m->schedule->streams && m->tasks[j].stream == t->stream))
			start = model_later(start, m->tasks[j].end);
	return start;
}

static void too_small(struct model *m, const struct model_task *t)
{
	if ((m->schedule->map && t->map_need > m->schedule->map) || (m->schedule->deps && t->edge_count > m->schedule->deps))
		model_stop(m, PTOWSP_TOO_SMALL);
}

void model_time_task(struct model *m, struct model_task *t, uint64_t cycles)
{
	const struct model_schedule *s = m->schedule;
	struct model_meter *ready = &m->ready[t->pool];

	if (m->count && m->tasks[m->count - 1].issue + s->spacing > m->a)
		m->a = m->tasks[m->count - 1].issue + s->spacing;
	leaves(m);
	too_small(m, t);
	stall(m, t, RING, s->window, 1, &m->ring);
	stall(m, t, MAP, s->map, t->map_need, &m->map);
	stall(m, t, DEPS, s->deps, t->edge_count, &m->deps);
	stall(m, t, READY, s->ready, 1, ready);
	if (m->status)
		return;
	mark(m, t, RING, 1, &m->ring);
	mark(m, t, MAP, t->map_need, &m->map);
	mark(m, t, DEPS, t->edge_count, &m->deps);
	mark(m, t, READY, 1, ready);
	t->issue = m->a;
	t->start = start_time(m, t);
	t->end = t->start + cycles;
	m->total = model_later(m->total, t->end);
}
