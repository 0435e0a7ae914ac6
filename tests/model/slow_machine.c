/* SPDX-License-Identifier: MIT */
/* slow_machine.c - what an instance does, one thing after the other, and the loop over moments. */
#include "tests/model/slow_machine.h"

#include "tests/model/slow_core.h"
#include "tests/model/slow_process.h"
#include "tests/model/slow_ready.h"
#include "tests/model/slow_room.h"
#include "tests/model/slow_wait.h"
#include "tests/model/slow_walk.h"
#include <stdlib.h>
#include <string.h>

/* ---- what it was doing is over ------------------------------------------------------------------------------------ */

/* What somebody waits for may be there. */
static void look(struct slow *s)
{
	slow_walk_look(s);
	slow_processes_on(s);
}

/* How many other instances are to be told. */
static int task_end(struct slow *s, int p, int task)
{
	int told, before = s->ended;

	s->rows[task].stage = SLOW_ENDED;
	s->m->total = slow_later(s->m->total, s->m->tasks[task].end);
	slow_ready_leave(s, task);
	told = slow_wait_tell(s, SLOW_FOR_TASK, task, p) + slow_wait_iterations(s, task, p);
	slow_room_leave(s);
	for (int number = before + 1; number <= s->ended; number++)
		told += slow_wait_tell(s, SLOW_FOR_BARRIER, number, p);
	if (slow_task(s->p, task)->rt.process != PTOWSP_NONE)
		slow_process_ended(s, task);
	look(s);
	return told;
}

/* Returns the cycles that it then takes to tell others. */
static uint64_t action_end(struct slow *s, int p)
{
	struct slow_instance *instance = &s->instances[p];
	enum slow_doing doing = instance->doing;
	int what = instance->what;

	instance->doing = SLOW_NOTHING;
	switch (doing) {
	case SLOW_COMPLETING: slow_core_free(s, s->rows[what].core, s->rows[what].kind); return (uint64_t)task_end(s, p, what) * s->cost->notify;
	case SLOW_COMPUTING: return (uint64_t)task_end(s, p, what) * s->cost->notify;
	case SLOW_HEARING: slow_wait_hear(s, what); return 0;
	case SLOW_ISSUING: slow_walk_issued(s, p, what); return 0;
	case SLOW_SENDING:
		slow_core_send(s, instance->core, what);
		s->rows[what].stage = SLOW_TAKEN;
		look(s); /* its place in the queue is free */
		return 0;
	case SLOW_NOTHING: break;
	}
	return 0;
}

/* ---- the first of what there is to do ----------------------------------------------------------------------------- */

static bool begin(struct slow *s, int p, enum slow_doing doing, int what, uint64_t cycles, uint64_t *cycles_out)
{
	s->instances[p].doing = doing;
	s->instances[p].what = what;
	*cycles_out = cycles;
	return true;
}

static bool computing_begin(struct slow *s, int p, uint64_t *cycles_out)
{
	int task = slow_ready_first(s, p, SLOW_ITSELF);
	uint64_t cycles = task == SLOW_NONE ? 0 : slow_task(s->p, task)->rt.cycles;

	if (task == SLOW_NONE)
		return false;
	s->rows[task].stage = SLOW_TAKEN;
	s->m->tasks[task] = (struct slow_task_times){s->now, s->now + cycles, slow_core_number(s, s->core_count + p)};
	look(s);
	return begin(s, p, SLOW_COMPUTING, task, cycles, cycles_out);
}

static bool sending_begin(struct slow *s, int p, uint64_t *cycles_out)
{
	static const enum slow_kind kinds[] = {SLOW_MIX, SLOW_CUBE, SLOW_VECTOR};

	for (int k = 0; s->started && k < 3; k++) {
		int cursor, core = slow_core_find(s, p, kinds[k], &cursor), task = core == SLOW_NONE ? SLOW_NONE : slow_ready_first(s, p, kinds[k]);

		if (task == SLOW_NONE)
			continue;
		if (kinds[k] != SLOW_MIX)
			s->instances[p].cursor[kinds[k]] = cursor;
		slow_core_hold(s, core, kinds[k]);
		s->rows[task].stage = SLOW_CHOSEN;
		s->instances[p].core = core;
		return begin(s, p, SLOW_SENDING, task, s->cost->dispatch, cycles_out);
	}
	return s->started && computing_begin(s, p, cycles_out);
}

static int seen_first(struct slow_instance *instance)
{
	int task = instance->seen[0];

	memmove(instance->seen, instance->seen + 1, (size_t)--instance->seen_count * sizeof(*instance->seen));
	return task;
}

static int notice_first(struct slow_instance *instance)
{
	int id = instance->notices[0].id;

	memmove(instance->notices, instance->notices + 1, (size_t)--instance->notice_count * sizeof(*instance->notices));
	return id;
}

static bool action_begin(struct slow *s, int p, uint64_t *cycles_out)
{
	struct slow_instance *instance = &s->instances[p];
	uint64_t cycles;
	int task, process;

	if (instance->seen_count)
		return begin(s, p, SLOW_COMPLETING, seen_first(instance), s->cost->complete, cycles_out);
	if (instance->notice_count && instance->notices[0].time <= s->now)
		return begin(s, p, SLOW_HEARING, notice_first(instance), s->cost->hear, cycles_out);
	if (sending_begin(s, p, cycles_out))
		return true;
	if (slow_walk_ready(s, p)) {
		cycles = slow_walk_issue(s, &task);
		return begin(s, p, SLOW_ISSUING, task, cycles, cycles_out);
	}
	process = slow_process_ready(s, p);
	if (process != SLOW_NONE) {
		cycles = slow_process_issue(s, process, &task);
		return begin(s, p, SLOW_ISSUING, task, cycles, cycles_out);
	}
	return sending_begin(s, p, cycles_out); /* where the walk stands now, tasks may start */
}

/* ---- moments ------------------------------------------------------------------------------------------------------ */

/* As long as time stands still. False: nothing to do. */
static bool act(struct slow *s, int p)
{
	struct slow_instance *instance = &s->instances[p];
	bool some = false;

	while (instance->free <= s->now) {
		bool was = s->walk.stalled, started = s->started;
		int owner = slow_walk_owner(s);
		uint64_t cycles = 0;

		if (instance->doing)
			cycles = action_end(s, p), some = true;
		if (!cycles && !action_begin(s, p, &cycles))
			return some || was != s->walk.stalled || started != s->started || owner != slow_walk_owner(s);
		some = true;
		instance->free = s->now + cycles;
		if (cycles)
			break;
	}
	return some;
}

static bool first_acts(struct slow *s)
{
	if (slow_core_fin(s))
		return true;
	slow_processes_on(s);
	for (int p = 0; p < s->m->instances; p++)
		if (act(s, p))
			return true;
	return false;
}

static uint64_t earlier(const struct slow *s, uint64_t time, uint64_t other)
{
	return other > s->now && other < time ? other : time;
}

static uint64_t time_next(const struct slow *s)
{
	uint64_t time = earlier(s, UINT64_MAX, slow_core_time(s));

	for (int p = 0; p < s->m->instances; p++) {
		const struct slow_instance *instance = &s->instances[p];

		time = earlier(s, time, instance->free);
		if (instance->notice_count)
			time = earlier(s, time, instance->notices[0].time);
	}
	return earlier(s, earlier(s, time, slow_walk_time(s)), slow_process_time(s));
}

static bool state_make(struct slow *s)
{
	size_t tasks = (size_t)s->p->task_count + 1;
	bool ok;

	s->rows = calloc(tasks, sizeof(*s->rows));
	s->walked = calloc((size_t)s->p->count + 1, sizeof(*s->walked));
	s->times = calloc((size_t)s->p->count + 1, sizeof(*s->times));
	s->m->tasks = calloc(tasks, sizeof(*s->m->tasks));
	ok = s->rows && s->walked && s->times && s->m->tasks;
	for (int p = 0; p < s->m->instances; p++) {
		s->instances[p].seen = calloc(tasks, sizeof(int));
		s->instances[p].batch = calloc(tasks, sizeof(int));
		ok = ok && s->instances[p].seen && s->instances[p].batch;
	}
	s->no_memory = !ok;
	return ok;
}

static void state_finish(struct slow *s)
{
	for (int p = 0; p < s->m->instances; p++) {
		free(s->instances[p].seen);
		free(s->instances[p].batch);
		free(s->instances[p].notices);
	}
	free(s->rows);
	free(s->walked);
	free(s->times);
	free(s->processes);
	free(s->waits);
	free(s);
}

static void moments(struct slow *s)
{
	slow_cores_make(s);
	for (slow_walk_on(s); s->now != UINT64_MAX && s->m->full_at == SLOW_NONE && !s->no_memory; s->now = time_next(s))
		while (s->m->full_at == SLOW_NONE && first_acts(s) && !s->no_memory)
			;
	s->m->ended = s->ended;
}

bool slow_machine_run(struct slow_machine *m)
{
	struct slow *s = calloc(1, sizeof(*s));
	bool ok;

	if (!s)
		return false;
	memset(&m->tasks, 0, sizeof(*m) - offsetof(struct slow_machine, tasks));
	m->full_at = SLOW_NONE;
	s->m = m;
	s->p = m->program;
	s->config = m->config;
	s->cost = &m->config->cost;
	s->started = s->p->limits.start <= 1;
	ok = state_make(s);
	if (ok)
		moments(s);
	ok = ok && !s->no_memory;
	state_finish(s);
	return ok;
}

void slow_machine_finish(struct slow_machine *m)
{
	free(m->tasks);
	m->tasks = NULL;
}
