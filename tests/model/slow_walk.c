/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_walk.h"

#include "ptowsp/caps.h"
#include "tests/model/slow_process.h"
#include "tests/model/slow_ready.h"
#include "tests/model/slow_room.h"
#include "tests/model/slow_task.h"

static const struct slow_item *item_now(const struct slow *s)
{
	return &s->p->items[s->walk.at];
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

static void batch_flush(struct slow *s, struct slow_instance *instance)
{
	for (int i = 0; i < instance->batch_count; i++)
		slow_ready_count(s, instance->batch[i]);
	instance->batch_count = 0;
}

/* Nothing is issued before something ends. */
static void stand(struct slow *s)
{
	s->started = true;
	for (int p = 0; p < s->m->instances; p++)
		batch_flush(s, &s->instances[p]);
}

/* What ends a batch however many tasks it has: ends of scopes, barriers and steps of what is ordered, slots that are loaded. */
static void item_flush(struct slow *s)
{
	enum rt_item_kind kind = item_now(s)->rt.kind;

	if (kind != RT_ITEM_SCOPE_END && kind != RT_ITEM_BARRIER && kind != RT_ITEM_ORDER_STEP && kind != RT_ITEM_LOAD)
		return;
	s->walk.flushed = s->issued;
	for (int p = 0; p < s->m->instances; p++)
		batch_flush(s, &s->instances[p]);
}

/* batch_deps: emit, flush, run; of a workload. */
void slow_walk_issued(struct slow *s, int instance, int task)
{
	struct slow_instance *i = &s->instances[instance];
	bool stands = !s->walk.met || s->walk.stalled || task < s->walk.flushed;

	if (slow_task(s->p, task)->rt.process != PTOWSP_NONE) {
		slow_ready_count(s, task);
		return;
	}
	i->batch[i->batch_count++] = task;
	if ((uint64_t)i->batch_count >= s->p->limits.batch || stands)
		batch_flush(s, i);
}

/* ---- on to the next task ------------------------------------------------------------------------------------------ */

static bool ended_before(const struct slow *s, uint64_t number)
{
	return (uint64_t)s->ended >= number;
}

/* All tasks have ended that the value is from. */
static bool value_there(const struct slow *s, int source)
{
	const struct slow_item *item = &s->p->items[source];
	bool there = item->rt.kind != RT_ITEM_LOAD || !item->rt.number || s->rows[item->rt.number - 1].stage == SLOW_ENDED;

	for (int k = 0; item->rt.kind == RT_ITEM_SET && k < item->source_count; k++)
		there &= value_there(s, item->sources[k]);
	return there;
}

static bool values_there(const struct slow *s, const struct slow_item *item)
{
	for (int k = 0; k < item->source_count; k++)
		if (!value_there(s, item->sources[k]))
			return false;
	return true;
}

static void stall_begin(struct slow *s, uint64_t since)
{
	s->walk.since = s->walk.stalled ? s->walk.since : since;
	s->walk.stalled = true;
	stand(s);
}

static void stall_end(struct slow *s, enum slow_resource resource)
{
	if (s->walk.stalled && s->walk.since < s->now)
		slow_room_stalled(s, resource, s->walk.at, s->now - s->walk.since);
	s->walk.stalled = false;
}

/* It would have been there when the next task could have been issued. */
static bool alloc(struct slow *s)
{
	if (!slow_room(s, SLOW_HEAP, s->walk.at)) {
		stall_begin(s, slow_later(s->now, s->walk.chain));
		return false;
	}
	stall_end(s, SLOW_HEAP);
	slow_room_mark(s, s->walk.at, SLOW_HEAP);
	return true;
}

/* False: time has not come to it. */
static bool item_pass(struct slow *s)
{
	const struct slow_item *item = item_now(s);

	switch (item->rt.kind) {
	case RT_ITEM_READ: return values_there(s, item);
	case RT_ITEM_WAIT: return ended_before(s, item->rt.number);
	case RT_ITEM_PIPELINE: return s->ended == s->issued;
	case RT_ITEM_ALLOC: return alloc(s);
	default: return true;
	}
}

/* Without dispatch by number; work_steal: who of so many has least to do; else as the policy says. */
static int owner_of(const struct slow *s, int task)
{
	const struct rt_limits *l = &s->p->limits;
	int least = 0, load[ASCEND_INSTANCES] = {0};

	if (s->m->filtered)
		return (int)slow_task(s->p, task)->rt.owner;
	if (!l->policy)
		return task % s->m->instances;
	if (l->policy != PTOWSP_DISPATCH_WORK_STEAL)
		return (int)(slow_task(s->p, task)->rt.executor % (uint32_t)s->m->instances);
	for (int i = 0; i < s->p->task_count; i++)
		load[s->rows[i].owner] += s->rows[i].stage >= SLOW_ISSUED && s->rows[i].stage != SLOW_ENDED;
	for (int p = 1; p < s->m->instances && (uint32_t)p < l->executors; p++)
		least = load[p] < load[least] ? p : least;
	return least;
}

static void task_meet(struct slow *s)
{
	int task = (int)item_now(s)->rt.number;

	s->walk.met = true;
	s->walk.stage = SLOW_WINDOW;
	s->rows[task].stage = SLOW_MET;
	s->rows[task].owner = owner_of(s, task);
}

void slow_walk_on(struct slow *s)
{
	while (!s->walk.met && !s->walk.finished) {
		if (item_now(s)->rt.kind == RT_ITEM_TASK) {
			task_meet(s);
			return;
		}
		if (!item_pass(s)) {
			stand(s);
			return;
		}
		item_flush(s);
		s->walk.finished = item_now(s)->rt.kind == RT_ITEM_PIPELINE || item_now(s)->rt.kind == RT_ITEM_END;
		if (item_now(s)->rt.kind == RT_ITEM_PIPELINE)
			slow_processes_begin(s);
		s->walked[s->walk.at++] = true;
		slow_room_leave(s); /* behind the end of a scope */
	}
	if (s->walk.finished)
		stand(s);
}

/* ---- issuing ------------------------------------------------------------------------------------------------------ */

int slow_walk_owner(const struct slow *s)
{
	return s->walk.met ? s->rows[item_now(s)->rt.number].owner : SLOW_NONE;
}

uint64_t slow_walk_time(const struct slow *s)
{
	return s->walk.met ? s->walk.chain : UINT64_MAX;
}

/* A full window that does not hold the walk. */
static bool window_counted(struct slow *s)
{
	int task = (int)item_now(s)->rt.number;

	if (s->walk.stage != SLOW_WINDOW || s->p->limits.window_mode != RT_WINDOW_BENCHMARK)
		return false;
	s->rows[task].counted = true;
	s->rows[task].counted_since = s->now;
	return true;
}

static bool room_there(struct slow *s)
{
	for (; s->walk.stage < SLOW_RESOURCES; s->walk.stage++) {
		if (slow_room(s, s->walk.stage, s->walk.at)) {
			stall_end(s, s->walk.stage);
			continue;
		}
		if (s->walk.stalled || !window_counted(s)) {
			if (s->walk.stage == SLOW_WINDOW && s->p->limits.window_mode == RT_WINDOW_ABORT)
				s->m->full_at = (int)item_now(s)->rt.number;
			stall_begin(s, s->now);
			return false;
		}
	}
	return true;
}

/* work_steal: is it still the one that has least to do? Else the task is another one's now. */
static bool owner_keep(struct slow *s)
{
	struct slow_row *row = &s->rows[item_now(s)->rt.number];
	int owner = !s->m->filtered && s->p->limits.policy == PTOWSP_DISPATCH_WORK_STEAL ? owner_of(s, (int)item_now(s)->rt.number) : row->owner;
	bool same = owner == row->owner;

	row->owner = owner;
	return same;
}

bool slow_walk_ready(struct slow *s, int instance)
{
	return slow_walk_owner(s) == instance && s->walk.chain <= s->now && room_there(s) && owner_keep(s);
}

uint64_t slow_walk_issue(struct slow *s, int *task_out)
{
	uint64_t lookup = slow_task_issue(s, s->walk.at);

	*task_out = (int)item_now(s)->rt.number;
	s->walk.chain = s->now + slow_later(lookup, s->p->limits.issue_cost);
	s->walk.met = false;
	s->walked[s->walk.at++] = true;
	s->started |= (uint64_t)s->issued >= s->p->limits.start;
	slow_walk_on(s);
	return lookup + s->cost->submit;
}

void slow_walk_look(struct slow *s)
{
	if (s->walk.met && s->walk.stalled)
		room_there(s);
	slow_walk_on(s);
}
