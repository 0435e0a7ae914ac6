/* SPDX-License-Identifier: MIT */
/* generate_issue.c - when the task that an instance holds may be issued, and issuing it: who comes before it, and who waits for whom. */
#include <stdlib.h>
#include <string.h>
#include "rt/rt_error.h"
#include "rt/generate.h"

static uint64_t everybody(const struct rt_generate *g)
{
	return g->count == 64 ? UINT64_MAX : (UINT64_C(1) << g->count) - 1;
}

/* Instances that may have tasks of an instruction: known where the policy leaves no choice. */
static uint64_t owners_of(const struct rt_generate *g, const struct rt_site *site, bool filtered)
{
	const struct rt_dispatch *dispatch = &g->run->program->schedule.dispatch;
	bool fixed = false;

	switch (dispatch->policy) {
	case PTOWSP_DISPATCH_AFFINITY: fixed = site->affinity < 0; break;
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_CUSTOM: fixed = !g->run->program->exprs.rows[site->dispatch].read_count && g->run->forms[site->dispatch].terms == 0; break;
	}
	return fixed && !filtered ? UINT64_C(1) << rt_owner_find(&g->schedulers[0].skip.owner, site, 0) : everybody(g);
}

static bool has_filter(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_DISPATCH_FILTER)
			return true;
	return false;
}

void rt_generate_sets(struct rt_generate *g)
{
	const struct rt_program *program = g->run->program;
	bool filtered = has_filter(program);

	for (uint32_t k = 0; k < program->site_count; k++) {
		const struct rt_site *site = &program->sites[k];
		uint64_t owners = owners_of(g, site, filtered);

		for (uint32_t i = 0; i < site->io_count; i++) {
			const struct rt_io *io = &program->ios[site->first_io + i];

			g->readers[io->tensor] |= io->access & PTOWSP_READ ? owners : 0;
			g->writers[io->tensor] |= io->access & PTOWSP_WRITE ? owners : 0;
		}
	}
}

uint64_t rt_generate_frontier(const struct rt_generate *g)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t p = 0; p < g->count; p++) {
		const struct rt_scheduler *s = &g->schedulers[p];
		uint64_t first = s->ended < s->issued ? s->ring[s->ended & s->mask]->number : s->passed;

		least = first < least ? first : least;
	}
	return least;
}

static bool passed_by(const struct rt_generate *g, uint64_t instances, uint32_t me, uint64_t number)
{
	for (uint32_t p = 0; p < g->count; p++)
		if (p != me && instances >> p & 1 && g->schedulers[p].passed <= number)
			return false;
	return true;
}

static bool tensors_free(const struct rt_generate *g, const struct rt_scheduler *s, const struct rt_site *site)
{
	uint64_t instances = 0;

	for (uint32_t i = 0; i < site->io_count; i++) {
		const struct rt_io *io = &g->run->program->ios[site->first_io + i];

		instances |= io->access & PTOWSP_READ ? g->writers[io->tensor] : 0;
		instances |= io->access & PTOWSP_WRITE ? g->readers[io->tensor] | g->writers[io->tensor] : 0;
	}
	return passed_by(g, instances, s->me, s->skip.task);
}

bool rt_generate_may_issue(const struct rt_generate *g, const struct rt_scheduler *s)
{
	uint64_t number = s->skip.task, first;

	if (number >= g->failed || (!g->safe && g->run->window && s->issued - s->gone >= g->run->window))
		return false;
	if (!tensors_free(g, s, &g->run->program->sites[s->run->expand.site]))
		return false;
	first = s->order || g->window ? rt_generate_frontier(g) : 0;
	/* Marks are kept for W * N numbers, and accounting may be behind. */
	return (g->safe || first >= s->order) && (!g->window || number < g->window ||
						   (first > number - g->window && (g->run->tasks > number - g->window || g->over)));
}

static bool marks_grow(struct rt_generate *g, uint64_t number)
{
	uint64_t mask = g->mask;
	struct rt_mark *marks;
	uint64_t *numbers;

	if (g->window || number <= g->mask)
		return true;
	while (mask < number)
		mask = 2 * mask + 1;
	marks = realloc(g->marks, (mask + 1) * sizeof(*marks));
	g->marks = marks ? marks : g->marks;
	numbers = realloc(g->numbers, (mask + 1) * sizeof(*numbers));
	g->numbers = numbers ? numbers : g->numbers;
	if (!marks || !numbers)
		return false;
	memset(marks + g->mask + 1, 0, (mask - g->mask) * sizeof(*marks));
	g->mask = mask;
	return true;
}

/* Edges that the program states; numbers, not places in the map. */
static ptowsp_status stated_add(struct rt_generate *g, struct rt_scheduler *s, const struct rt_site *site, uint64_t *preds, uint32_t *count)
{
	struct rt_run *run = s->run;
	struct rt_preds *list = &run->preds;
	ptowsp_status st;

	rt_preds_next(list, s->skip.task, g->window);
	st = rt_after_enter(run, site);
	for (uint32_t i = 0; !st && i < list->count; i++) {
		bool there = false;

		for (uint32_t k = 0; k < *count; k++)
			there |= preds[k] == list->list[i];
		if (!there)
			preds[(*count)++] = list->list[i];
	}
	return st;
}

/* The accesses of the task at hand meet the map that all share, as its next task. */
static ptowsp_status map_ask(struct rt_generate *g, struct rt_scheduler *s, const struct rt_site *site, struct rt_need *need)
{
	struct rt_run *map = g->map;
	struct rt_access *own = map->accesses;
	struct rt_site plain = *site;
	ptowsp_status st;

	plain.after_count = 0;
	map->accesses = s->run->accesses;
	map->plan = NULL;
	map->kernel = s->run->kernel;
	g->numbers[map->tasks & g->mask] = s->skip.task;
	st = rt_infer(map, &plain, need);
	map->accesses = own;
	return st;
}

/* Who comes before the task: what the map says, as numbers of tasks that are still remembered. *preds_out is freed by the caller. */
static ptowsp_status preds_find(struct rt_generate *g, struct rt_scheduler *s, const struct rt_site *site, uint64_t **preds_out, uint32_t *count_out,
				struct rt_need *need)
{
	const struct rt_preds *found = &g->map->preds;
	uint64_t number = s->skip.task, *preds;
	ptowsp_status st = map_ask(g, s, site, need);

	preds = st ? NULL : malloc(((size_t)found->count + site->after_count + 1) * sizeof(*preds));
	*preds_out = preds;
	*count_out = 0;
	if (!preds)
		return st ? st : PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < found->count; i++) {
		uint64_t pred = g->numbers[found->list[i] & g->mask];

		if (!g->window || number < g->window || pred > number - g->window)
			preds[(*count_out)++] = pred;
	}
	g->map->env.task = ++g->map->tasks;
	if (site->after_count)
		st = stated_add(g, s, site, preds, count_out);
	need->deps = *count_out;
	return st;
}

static void link_add(struct rt_generate *g, struct rt_own_task *task)
{
	for (uint32_t i = 0; i < task->pred_count; i++) {
		struct rt_mark *mark = rt_mark_of(g, task->preds[i]);

		if (!mark->task || mark->task->ended)
			continue;
		task->links[i].consumer = task;
		task->links[i].next = mark->task->waiters;
		mark->task->waiters = &task->links[i];
		task->waits++;
	}
}

/* The task is in its ring, and those that it waits for know it. */
static void task_enter(struct rt_generate *g, struct rt_scheduler *s, struct rt_own_task *task)
{
	s->ring[s->issued++ & s->mask] = task;
	*rt_mark_of(g, task->number) = (struct rt_mark){.number = task->number + 1, .task = task, .owner = s->me};
	link_add(g, task);
	if (!task->waits)
		rt_scheduler_ready(s, task);
	s->passed = s->skip.number;
	s->state = RT_OWN_GOING;
	g->changes++;
}

ptowsp_status rt_generate_issue(struct rt_generate *g, struct rt_scheduler *s)
{
	const struct rt_site *site = &g->run->program->sites[s->run->expand.site];
	struct rt_own_task *task = NULL;
	uint64_t *preds = NULL;
	uint32_t count = 0;
	struct rt_need need;
	ptowsp_status st = PTOWSP_NO_MEMORY;

	if (marks_grow(g, s->skip.task > g->map->tasks ? s->skip.task : g->map->tasks) && rt_scheduler_grow(s))
		st = preds_find(g, s, site, &preds, &count, &need);
	if (!st)
		task = rt_own_task_make(s, preds, count);
	free(preds);
	if (!st && !task)
		st = PTOWSP_NO_MEMORY;
	if (st)
		return st == PTOWSP_NO_MEMORY ? rt_no_memory(&s->error, "tasks in flight") : st;
	rt_windows_store(s->run, site, task->windows);
	task->need = need;
	task_enter(g, s, task);
	return PTOWSP_OK;
}
