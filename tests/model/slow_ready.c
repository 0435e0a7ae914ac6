/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_ready.h"

static bool has_idle(const struct slow *s, int instance, enum slow_kind kind)
{
	for (int c = 0; c < s->core_count; c++)
		if (s->cores[c].instance == instance && s->cores[c].kind == (int)kind && !s->cores[c].count)
			return true;
	return false;
}

void slow_ready_count(struct slow *s, int task)
{
	struct slow_row *row = &s->rows[task];

	if (--row->waits)
		return;
	row->stage = SLOW_READY;
	row->since = s->now;
	if (row->any)
		row->kind = !has_idle(s, row->owner, SLOW_VECTOR) && has_idle(s, row->owner, SLOW_CUBE) ? SLOW_CUBE : SLOW_VECTOR;
}

/* ---- pipeline_depth ---------------------------------------------------------------------------------------------- */

static int domain_of(const struct slow *s, uint32_t d, int task)
{
	const struct rt_item *item = &slow_task(s->p, task)->rt;

	switch (s->p->depths[d].domain) {
	case RT_DOMAIN_STREAM: return s->p->limits.streams ? (int)item->stream : 0;
	case RT_DOMAIN_POOL: return (int)item->pool;
	case RT_DOMAIN_LOOP: return item->depth_loops >> d & 1 ? 0 : SLOW_NONE;
	default: return 0;
	}
}

/* Between dispatch and handled FIN. */
static uint64_t in_flight(const struct slow *s, uint32_t d, int domain)
{
	uint64_t count = 0;

	for (int i = 0; i < s->p->task_count; i++)
		count += (s->rows[i].stage == SLOW_CHOSEN || s->rows[i].stage == SLOW_TAKEN) && domain_of(s, d, i) == domain;
	return count;
}

static int full_row(const struct slow *s, int task)
{
	for (uint32_t d = 0; d < s->p->limits.depth_count; d++)
		if (domain_of(s, d, task) != SLOW_NONE && in_flight(s, d, domain_of(s, d, task)) >= s->p->depths[d].depth)
			return (int)d;
	return SLOW_NONE;
}

static bool goes_before(const struct slow *s, int a, int b)
{
	if (b == SLOW_NONE || s->config->by_number || s->rows[a].since == s->rows[b].since)
		return b == SLOW_NONE || a < b;
	return s->rows[a].since < s->rows[b].since;
}

void slow_ready_leave(struct slow *s, int task)
{
	for (uint32_t d = 0; d < s->p->limits.depth_count; d++) {
		int domain = domain_of(s, d, task), first = SLOW_NONE;

		for (int i = 0; i < s->p->task_count && domain != SLOW_NONE; i++)
			if (s->rows[i].stage == SLOW_PARKED && s->rows[i].full == (int)d && s->rows[i].domain == domain && goes_before(s, i, first))
				first = i;
		if (first != SLOW_NONE)
			s->rows[first].stage = SLOW_READY;
	}
}

int slow_ready_first(struct slow *s, int instance, enum slow_kind kind)
{
	for (;;) {
		int first = SLOW_NONE, row;

		for (int i = 0; i < s->p->task_count; i++)
			if (s->rows[i].stage == SLOW_READY && s->rows[i].owner == instance && s->rows[i].kind == kind && goes_before(s, i, first))
				first = i;
		row = first == SLOW_NONE ? SLOW_NONE : full_row(s, first);
		if (row == SLOW_NONE)
			return first;
		s->rows[first].stage = SLOW_PARKED;
		s->rows[first].full = row;
		s->rows[first].domain = domain_of(s, (uint32_t)row, first);
	}
}
