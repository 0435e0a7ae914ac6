/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_core.h"

static int vector_at(const struct slow *s, int cluster, int k)
{
	return (int)s->config->clusters + cluster * (int)s->config->vectors_each + k;
}

void slow_cores_make(struct slow *s)
{
	int clusters = (int)s->config->clusters, each = (int)s->config->vectors_each;

	s->core_count = clusters * (1 + each);
	for (int p = 0; p < s->m->instances; p++) {
		struct slow_instance *instance = &s->instances[p];

		instance->first = clusters * p / s->m->instances;
		instance->clusters = clusters * (p + 1) / s->m->instances - instance->first;
		for (int c = instance->first; c < instance->first + instance->clusters; c++) {
			s->cores[c] = (struct slow_core){.instance = p, .kind = SLOW_CUBE};
			for (int k = 0; k < each; k++)
				s->cores[vector_at(s, c, k)] = (struct slow_core){.instance = p, .kind = SLOW_VECTOR};
		}
	}
}

static bool cluster_idle(const struct slow *s, int cluster)
{
	bool idle = !s->cores[cluster].count;

	for (int k = 0; k < (int)s->config->vectors_each; k++)
		idle &= !s->cores[vector_at(s, cluster, k)].count;
	return idle;
}

static int cluster_find(const struct slow *s, const struct slow_instance *instance)
{
	for (int c = instance->first; c < instance->first + instance->clusters; c++)
		if (cluster_idle(s, c))
			return c;
	return SLOW_NONE;
}

int slow_core_find(struct slow *s, int p, enum slow_kind kind, int *cursor_out)
{
	const struct slow_instance *instance = &s->instances[p];
	int base = kind == SLOW_CUBE ? instance->first : vector_at(s, instance->first, 0);
	int count = instance->clusters * (kind == SLOW_CUBE ? 1 : (int)s->config->vectors_each);

	*cursor_out = kind == SLOW_MIX ? 0 : instance->cursor[kind];
	if (kind == SLOW_MIX)
		return cluster_find(s, instance);
	for (int c = 0; c < count; c++)
		if (!s->cores[base + c].count)
			return base + c;
	for (int k = 0; k < count && s->config->payloads > 1; k++) {
		int c = (instance->cursor[kind] + k) % count;

		if (s->cores[base + c].count == 1) {
			*cursor_out = (c + 1) % count;
			return base + c;
		}
	}
	return SLOW_NONE;
}

static void cluster_count(struct slow *s, int cluster, int count)
{
	s->cores[cluster].count = count;
	for (int k = 0; k < (int)s->config->vectors_each; k++)
		s->cores[vector_at(s, cluster, k)].count = count;
}

/* A mixed task has both payloads of all cores of its cluster. */
void slow_core_hold(struct slow *s, int at, enum slow_kind kind)
{
	if (kind == SLOW_MIX)
		cluster_count(s, at, 2);
	else
		s->cores[at].count++;
}

void slow_core_free(struct slow *s, int at, enum slow_kind kind)
{
	if (kind == SLOW_MIX)
		cluster_count(s, at, 0);
	else
		s->cores[at].count--;
}

uint32_t slow_core_number(const struct slow *s, int at)
{
	return at < (int)s->config->clusters ? s->config->first_cube + (uint32_t)at : s->config->first_vector + (uint32_t)at - s->config->clusters;
}

void slow_core_send(struct slow *s, int at, int task)
{
	struct slow_core *core = &s->cores[at];
	struct slow_task_times *t = &s->m->tasks[task];

	s->rows[task].core = at;
	t->core = slow_core_number(s, at);
	t->start = slow_later(s->now + s->cost->token, core->free) + s->cost->pickup;
	t->end = core->free = t->start + slow_task(s->p, task)->rt.cycles;
	core->tasks[core->running] = task;
	core->fins[core->running++] = t->end + s->cost->fin;
}

bool slow_core_fin(struct slow *s)
{
	for (int c = 0; c < s->core_count; c++) {
		struct slow_core *core = &s->cores[c];
		struct slow_instance *instance = &s->instances[core->instance];

		if (!core->running || core->fins[0] > s->now)
			continue;
		instance->seen[instance->seen_count++] = core->tasks[0];
		core->tasks[0] = core->tasks[1];
		core->fins[0] = core->fins[1];
		core->running--;
		return true;
	}
	return false;
}

uint64_t slow_core_time(const struct slow *s)
{
	uint64_t time = UINT64_MAX;

	for (int c = 0; c < s->core_count; c++)
		if (s->cores[c].running && s->cores[c].fins[0] < time)
			time = s->cores[c].fins[0];
	return time;
}
