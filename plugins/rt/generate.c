/* SPDX-License-Identifier: MIT */
#include "rt/generate.h"

#include <string.h>

/* ---- failures ----------------------------------------------------------------------------------------------------- */

void rt_generate_fail(struct rt_generate *g, uint64_t task, ptowsp_status st, const struct ptowsp_error *error)
{
	if (g->failed <= task && g->status)
		return;
	g->failed = task;
	g->status = st;
	g->error = *error;
	g->changes++;
}

/* ---- walking ------------------------------------------------------------------------------------------------------ */

/* What its own walk means to an instance; *state_out: what it does next, for the others to see when the lock is held again. */
static ptowsp_status event_take(struct rt_scheduler *s, enum rt_event event, enum rt_own_state *state_out)
{
	struct rt_run *run = s->run;

	run->tasks = s->skip.number;
	switch (event) {
	case RT_EVENT_TASK:
		run->tasks = s->skip.task;
		*state_out = RT_OWN_HOLDING;
		/* Plans look at the map when they are made; here many instances would. */
		memset(run->plans.met, 0, run->plans.count);
		return rt_prepare(run, &run->program->sites[run->expand.site], run->expand.level);
	case RT_EVENT_ORDER_STEP: s->order = s->skip.number; return PTOWSP_OK;
	case RT_EVENT_SYNC: s->order = s->skip.number; return PTOWSP_OK; /* a barrier: others are refused */
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: return rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_PAUSE: return rt_look(run);
	case RT_EVENT_END: *state_out = RT_OWN_OVER; return PTOWSP_OK;
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return PTOWSP_OK;
	}
}

/* One event. Entered and left with the lock held; the walk itself needs none. */
static void walk(struct rt_generate *g, struct rt_scheduler *s)
{
	enum rt_own_state state = RT_OWN_GOING;
	ptowsp_status st;

	pthread_mutex_unlock(&g->lock);
	st = event_take(s, rt_skip_next(&s->skip), &state);
	pthread_mutex_lock(&g->lock);
	s->state = state;
	s->passed = s->state == RT_OWN_OVER ? UINT64_MAX : s->state == RT_OWN_HOLDING ? s->skip.task : s->skip.number;
	if (st) {
		s->state = RT_OWN_OVER; /* it stays at its number: nobody goes on behind it */
		s->passed = s->run->tasks;
		rt_generate_fail(g, s->run->tasks, st, &s->error);
	}
	g->changes++;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

/* The links of those that wait for the task, in a chain per instance. */
static void waiters_sort(struct rt_own_task *task, struct rt_own_link **chains)
{
	struct rt_own_link *link = task->waiters;

	while (link) {
		struct rt_own_link *next = link->next;

		link->next = chains[link->consumer->owner];
		chains[link->consumer->owner] = link;
		link = next;
	}
	task->waiters = NULL;
}

/* One note; where the ring of the other is full it is read for it. */
static void note_send(struct rt_scheduler *to, struct rt_own_link *chain)
{
	if (to->note_tail - to->note_head == RT_NOTES)
		rt_scheduler_hear(to);
	to->notes[to->note_tail++ % RT_NOTES] = chain;
}

/* Each instance that waits for the task is told once. */
static void ended(struct rt_generate *g, struct rt_scheduler *s, struct rt_own_task *task)
{
	struct rt_own_link *chains[RT_SKIP_LIMIT] = {NULL};

	waiters_sort(task, chains);
	task->ended = true;
	for (uint32_t p = 0; p < g->count; p++) {
		if (chains[p] && &g->schedulers[p] == s)
			rt_scheduler_release(s, chains[p]);
		else if (chains[p])
			note_send(&g->schedulers[p], chains[p]);
	}
	if (task->accounted)
		rt_mark_of(g, task->number)->task = NULL;
	rt_scheduler_retire(s);
	g->changes++;
}

static bool may_run(struct rt_generate *g)
{
	bool over = !g->status;

	for (uint32_t p = 0; !g->started && p < g->count; p++)
		over &= g->schedulers[p].state == RT_OWN_OVER;
	g->started |= over;
	return g->started;
}

/* The kernel, without the lock. */
static ptowsp_status task_call(struct rt_generate *g, struct rt_scheduler *s, struct rt_own_task *task, uint32_t worker, struct ptowsp_error *error)
{
	const struct rt_call call = {.site = task->site, .number = task->number, .cycles = task->cycles, .kernel = task->kernel,
				     .executor = s->me, .args = task->words, .windows = task->windows};
	uint64_t cycles;
	ptowsp_status st;

	pthread_mutex_unlock(&g->lock);
	st = rt_crew_call(&g->run->crew, &call, worker, &cycles, error);
	if (!st)
		st = rt_look(s->run);
	pthread_mutex_lock(&g->lock);
	if (task->later)
		task->cycles = cycles;
	return st;
}

static bool task_run(struct rt_generate *g, struct rt_scheduler *s, uint32_t worker)
{
	struct rt_own_task *task = may_run(g) ? rt_scheduler_take(s, rt_generate_frontier(g)) : NULL;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status st = PTOWSP_OK;

	if (!task)
		return false;
	if (task->number > g->failed)
		return true; /* it does not begin any more, nor does what waits for it */
	if (g->run->kernels)
		st = task_call(g, s, task, worker, &error);
	if (st)
		rt_generate_fail(g, st == PTOWSP_KERNEL_FAILED ? task->number : 0, st, st == PTOWSP_KERNEL_FAILED ? &error : &s->error);
	else
		ended(g, s, task);
	return true;
}

/* One step of an instance: hears, generates a task if it may, else runs one. False: it waits. */
static bool step(struct rt_generate *g, struct rt_scheduler *s, uint32_t worker)
{
	bool moved = rt_scheduler_hear(s);
	ptowsp_status st;

	if (s->state == RT_OWN_GOING && s->passed <= g->failed) {
		walk(g, s);
		moved = true;
	}
	if (s->state == RT_OWN_HOLDING && rt_generate_may_issue(g, s)) {
		st = rt_generate_issue(g, s);
		if (st) {
			s->state = RT_OWN_OVER;
			rt_generate_fail(g, s->skip.task, st, &s->error);
		}
		return true;
	}
	return task_run(g, s, worker) || moved;
}

/* Nothing is left to do: all is accounted for and has ended, or a task failed and those before it have ended. */
static bool done(const struct rt_generate *g)
{
	for (uint32_t p = 0; g->status && !g->started && p < g->count; p++)
		if (g->schedulers[p].passed < g->failed)
			return false;
	if (g->status)
		return g->over && (!g->started || rt_generate_frontier(g) >= g->failed);
	for (uint32_t p = 0; p < g->count; p++)
		if (g->schedulers[p].state != RT_OWN_OVER || g->schedulers[p].ended < g->schedulers[p].issued)
			return false;
	return g->over;
}

static void work(void *context, uint32_t worker)
{
	struct rt_generate *g = context;

	pthread_mutex_lock(&g->lock);
	while (!done(g)) {
		uint64_t changes = g->changes;
		bool moved = false;

		for (uint32_t p = worker; p < g->count; p += g->threads)
			moved |= step(g, &g->schedulers[p], worker);
		while (!worker && rt_account(g))
			moved = true;
		if (changes != g->changes || moved)
			pthread_cond_broadcast(&g->moved);
		else
			pthread_cond_wait(&g->moved, &g->lock);
	}
	g->changes++;
	pthread_cond_broadcast(&g->moved);
	pthread_mutex_unlock(&g->lock);
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

/* How far instances walk that nobody waits for depends on threads: a run that failed does not say. */
static void stats_take(struct rt_generate *g)
{
	struct rt_run *run = g->run;
	bool whole = !g->status;

	rt_account_sum(g);
	run->cross_edges = g->cross_edges;
	run->notifications = g->notifications;
	for (uint32_t p = 0; p < g->count; p++)
		run->shares[p] = (struct ptowsp_scheduler_stats){.tasks = g->schedulers[p].tasks, .skipped = whole ? g->schedulers[p].skip.skipped : 0,
								 .walked = whole ? g->schedulers[p].skip.walked : 0};
}

ptowsp_status rt_generate_run(struct rt_run *run, struct rt_pool *pool)
{
	struct rt_generate g = {0};
	ptowsp_status st = rt_generate_check(run);

	if (st)
		return st;
	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.moved, NULL);
	st = rt_generate_init(&g, run, pool);
	if (!st) {
		rt_expand_start(&run->expand, run->program, &run->env, run->error);
		if (g.threads > 1)
			rt_pool_enter(pool, work, &g);
		work(&g, 0);
		if (g.threads > 1)
			rt_pool_leave(pool);
		stats_take(&g);
		st = g.status;
		if (st)
			*run->error = g.error;
	}
	rt_generate_finish(&g);
	pthread_cond_destroy(&g.moved);
	pthread_mutex_destroy(&g.lock);
	return st;
}
