/* SPDX-License-Identifier: MIT */
#include "rt/scheduler.h"

#include <stdlib.h>
#include <string.h>
#include "rt/rt_error.h"

/* ---- making and unmaking ------------------------------------------------------------------------------------------ */

static ptowsp_status time_init(struct rt_scheduler *s, const struct rt_run *like)
{
	const struct rt_clock *base = &like->clock;
	struct rt_clock *clock = &s->clock;
	ptowsp_status st;

	clock->window = base->window;
	clock->window_mode = base->window_mode;
	clock->map_capacity = base->map_capacity;
	clock->deps_capacity = base->deps_capacity;
	clock->ready_capacity = base->ready_capacity;
	clock->spacing = base->spacing;
	clock->executors = 1;
	st = rt_clock_init(clock, like->program->tables.slot.count, 0);
	return st ? st : rt_flow_init(&s->flow, base->window, base->map_capacity, base->deps_capacity);
}

static bool ring_make(struct rt_scheduler *s, uint64_t room)
{
	s->mask = 63;
	while (s->mask + 1 < room)
		s->mask = 2 * s->mask + 1;
	s->ring = calloc(s->mask + 1, sizeof(struct rt_own_task *));
	for (uint32_t q = 0; q < RT_LOCAL_QUEUES; q++)
		s->queues[q].tasks = calloc(s->mask + 1, sizeof(struct rt_own_task *));
	return s->ring && s->queues[0].tasks && s->queues[1].tasks;
}

ptowsp_status rt_scheduler_init(struct rt_scheduler *s, struct rt_run *like, uint32_t me, uint32_t instances)
{
	const struct rt_run_args args = {.args = like->args, .cancel = like->cancel};
	ptowsp_status st;

	s->me = me;
	s->error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	s->run = calloc(1, sizeof(*s->run));
	if (!s->run || time_init(s, like) || !ring_make(s, like->window))
		return rt_no_memory(like->error, "a scheduler instance");
	s->run->quiet = true; /* messages come from the run itself, once */
	st = rt_run_init(s->run, like->program, &args, like->error);
	if (st)
		return st;
	s->run->error = &s->error;
	s->run->kernels = like->kernels;
	s->run->bodies = like->bodies;
	s->run->max_tasks = like->max_tasks;
	s->run->tensors.strict = like->bodies;
	st = rt_infer_init(s->run);
	if (!st)
		st = rt_skip_init(&s->skip, &s->run->expand, like->program, &s->run->env, me, instances, &s->error);
	if (st)
		*like->error = s->error;
	return st;
}

void rt_scheduler_finish(struct rt_scheduler *s)
{
	for (; s->ring && s->gone < s->issued; s->gone++)
		rt_own_task_free(s->ring[s->gone & s->mask]);
	rt_skip_finish(&s->skip);
	if (s->run && s->run->program)
		rt_run_finish(s->run);
	free(s->run);
	free(s->ring);
	for (uint32_t q = 0; q < RT_LOCAL_QUEUES; q++)
		free(s->queues[q].tasks);
	rt_clock_finish(&s->clock);
	rt_flow_finish(&s->flow);
}

static bool twice(struct rt_own_task ***tasks, uint64_t from, uint64_t to, uint64_t mask)
{
	struct rt_own_task **more = calloc(2 * (mask + 1), sizeof(struct rt_own_task *));

	for (uint64_t i = from; more && i < to; i++)
		more[i & (2 * mask + 1)] = (*tasks)[i & mask];
	if (!more)
		return false;
	free(*tasks);
	*tasks = more;
	return true;
}

bool rt_scheduler_grow(struct rt_scheduler *s)
{
	bool ok = true;

	if (s->issued - s->gone <= s->mask)
		return true;
	for (uint32_t q = 0; ok && q < RT_LOCAL_QUEUES; q++)
		ok = twice(&s->queues[q].tasks, s->queues[q].head, s->queues[q].tail, s->mask);
	ok = ok && twice(&s->ring, s->gone, s->issued, s->mask);
	if (ok)
		s->mask = 2 * s->mask + 1;
	return ok;
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

struct rt_own_task *rt_own_task_make(const struct rt_scheduler *s, const uint64_t *preds, uint32_t pred_count)
{
	const struct rt_run *run = s->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	size_t words = (size_t)site->arg_count + 2 * (size_t)site->io_count;
	struct rt_own_task *task = calloc(1, sizeof(*task) + words * sizeof(*task->words));

	if (!task)
		return NULL;
	task->preds = malloc(((size_t)pred_count + 1) * sizeof(*task->preds));
	task->links = calloc((size_t)pred_count + 1, sizeof(*task->links));
	if (!task->preds || !task->links) {
		rt_own_task_free(task);
		return NULL;
	}
	memcpy(task->preds, preds, pred_count * sizeof(*preds));
	memcpy(task->words, run->task_args, site->arg_count * sizeof(*task->words));
	task->windows = task->words + site->arg_count;
	task->number = s->skip.task;
	task->site = site;
	task->kernel = run->kernel;
	task->level = run->expand.level;
	task->owner = s->me;
	task->pred_count = pred_count;
	task->order = s->order;
	task->later = run->kernels && run->known[run->kernel].later;
	task->cycles = task->later ? 0 : run->known[run->kernel].cycles;
	task->queue = run->program->tables.kernel.rows[run->kernel].unit == PTOWSP_UNIT_AIC;
	return task;
}

void rt_own_task_free(struct rt_own_task *task)
{
	if (!task)
		return;
	free(task->preds);
	free(task->links);
	free(task);
}

void rt_scheduler_ready(struct rt_scheduler *s, struct rt_own_task *task)
{
	struct rt_own_queue *queue = &s->queues[task->queue];

	queue->tasks[queue->tail++ & s->mask] = task;
}

/* The first one that no barrier keeps: only where all were generated first can there be others. */
static bool first_find(struct rt_scheduler *s, struct rt_own_queue *queue, uint64_t frontier)
{
	for (uint64_t i = queue->head; i < queue->tail; i++) {
		struct rt_own_task *task = queue->tasks[i & s->mask];

		if (task->order > frontier)
			continue;
		queue->tasks[i & s->mask] = queue->tasks[queue->head & s->mask];
		queue->tasks[queue->head & s->mask] = task;
		return true;
	}
	return false;
}

struct rt_own_task *rt_scheduler_take(struct rt_scheduler *s, uint64_t frontier)
{
	for (uint32_t k = 0; k < RT_LOCAL_QUEUES; k++) {
		struct rt_own_queue *queue = &s->queues[(s->turn + k) % RT_LOCAL_QUEUES];

		if (!first_find(s, queue, frontier))
			continue;
		s->turn = (s->turn + k + 1) % RT_LOCAL_QUEUES;
		return queue->tasks[queue->head++ & s->mask];
	}
	return NULL;
}

void rt_scheduler_release(struct rt_scheduler *s, struct rt_own_link *links)
{
	while (links) {
		struct rt_own_link *next = links->next;

		if (!--links->consumer->waits)
			rt_scheduler_ready(s, links->consumer);
		links = next;
	}
}

bool rt_scheduler_hear(struct rt_scheduler *s)
{
	bool heard = s->note_head != s->note_tail;

	while (s->note_head != s->note_tail)
		rt_scheduler_release(s, s->notes[s->note_head++ % RT_NOTES]);
	return heard;
}

void rt_scheduler_retire(struct rt_scheduler *s)
{
	while (s->ended < s->issued && s->ring[s->ended & s->mask]->ended)
		s->ended++;
	for (; s->gone < s->ended && s->ring[s->gone & s->mask]->accounted; s->gone++)
		rt_own_task_free(s->ring[s->gone & s->mask]);
}
