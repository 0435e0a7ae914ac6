/* SPDX-License-Identifier: MIT */
/* auto.c - dispatch auto(n): which loop's affinity lets the fewest edges cross from one executor to another. Looks at the program once, with the
 * values of the first run; a value known only by running ends the look. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

enum { AXES = 16, TASKS = 1 << 20 }; /* loops that are compared, the outermost first; tasks that are looked at */

struct survey {
	struct rt_run run;
	uint32_t names[AXES], depths[AXES]; /* of each loop: STRS offset, least depth */
	uint32_t count, executors;
	int32_t *site_depths; /* per task instruction and loop: depth of the innermost one of that name, -1 outside */
	uint32_t *places;     /* per task of the window and loop: its executor, at (task & mask) * count */
	uint64_t mask;
	uint32_t *pools; /* per task of the window */
	uint64_t cross[AXES], edges;
};

static bool same(const struct rt_program *program, uint32_t a, uint32_t b)
{
	return !strcmp(rt_string(&program->tables, a), rt_string(&program->tables, b));
}

/* Outermost first, then in the order of the program. */
static void loop_enter(struct survey *s, const struct rt_program *program, uint32_t name, uint32_t depth)
{
	uint32_t at = 0;

	while (at < s->count && !same(program, s->names[at], name))
		at++;
	if (at == AXES || (at < s->count && s->depths[at] <= depth))
		return;
	s->count += at == s->count;
	for (; at && s->depths[at - 1] > depth; at--)
		s->names[at] = s->names[at - 1], s->depths[at] = s->depths[at - 1];
	s->names[at] = name;
	s->depths[at] = depth;
}

/* Loops of processes are no candidates: their tasks have executors of their own. */
static uint32_t depth_named(const struct rt_site *site)
{
	return site->first_name == PTOWSP_NONE ? 0 : site->depth;
}

static void loops_find(struct survey *s, const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->site_count; i++)
		for (uint32_t d = 0; d < depth_named(&program->sites[i]); d++)
			loop_enter(s, program, program->names[program->sites[i].first_name + d], d);
}

static int32_t depth_of(const struct rt_program *program, const struct rt_site *site, uint32_t name)
{
	int32_t depth = -1;

	for (uint32_t d = 0; d < depth_named(site); d++)
		if (same(program, program->names[site->first_name + d], name))
			depth = (int32_t)d;
	return depth;
}

static ptowsp_status survey_init(struct survey *s, const struct rt_run *run)
{
	const struct rt_program *program = run->program;
	uint64_t room = run->window && run->window < TASKS ? run->window : TASKS;

	s->mask = 1;
	while (s->mask < room)
		s->mask *= 2;
	s->mask--;
	s->site_depths = calloc((size_t)program->site_count * s->count + 1, sizeof(*s->site_depths));
	s->places = calloc((size_t)(s->mask + 1) * s->count + 1, sizeof(*s->places));
	s->pools = calloc((size_t)s->mask + 1, sizeof(*s->pools));
	if (!s->site_depths || !s->places || !s->pools)
		return rt_no_memory(run->error, "the look ahead");
	for (uint32_t i = 0; i < program->site_count; i++)
		for (uint32_t a = 0; a < s->count; a++)
			s->site_depths[i * s->count + a] = depth_of(program, &program->sites[i], s->names[a]);
	return PTOWSP_OK;
}

static bool task_count(struct survey *s)
{
	struct rt_run *run = &s->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	const int32_t *depths = &s->site_depths[run->expand.site * s->count];
	uint32_t *mine = &s->places[(run->tasks & s->mask) * s->count];
	int64_t n = s->executors;
	uint32_t pool;
	struct rt_need need;

	if (run->tasks >= TASKS || rt_prepare(run, site, run->expand.level) || rt_infer(run, site, &need))
		return false;
	pool = s->pools[run->tasks & s->mask] = rt_pool_guess(run, site);
	for (uint32_t a = 0; a < s->count; a++) {
		int64_t value = depths[a] < 0 ? 0 : run->expand.loops[depths[a]] % n;

		mine[a] = (uint32_t)(value < 0 ? value + n : value);
		for (uint32_t i = 0; i < run->preds.count; i++) {
			uint64_t at = run->preds.list[i] & s->mask;

			s->cross[a] += s->places[at * s->count + a] != mine[a] || s->pools[at] != pool;
		}
	}
	s->edges += run->preds.count;
	if (site->renamed && rt_versions_take(run, 0, false))
		return false;
	run->env.task = ++run->tasks;
	return true;
}

static bool event_count(struct survey *s, enum rt_event event)
{
	struct rt_run *run = &s->run;

	switch (event) {
	case RT_EVENT_TASK: return task_count(s);
	case RT_EVENT_SLOT_LOAD: /* refuses elements of tasks that did not run */
		return !rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]) &&
		       (!run->loaded_from || run->args->flags & PTOWSP_RUN_NO_KERNELS);
	default: return rt_look_event(run, event);
	}
}

static ptowsp_status look(struct survey *s, const struct rt_run *run)
{
	const struct rt_run_args args = {.args = run->args, .cancel = run->cancel};
	ptowsp_status status = rt_look_begin(&s->run, run->program, &args, run->window, run->error);

	while (!status && event_count(s, rt_expand_next(&s->run.expand)))
		continue;
	rt_run_finish(&s->run);
	return status;
}

/* With no loop around task instructions every task is outside: the first executor of its pool, which still has n. */
static void choose(struct survey *s, struct rt_program *program)
{
	struct rt_dispatch *dispatch = &program->schedule.dispatch;
	uint32_t best = 0;

	for (uint32_t a = 1; a < s->count; a++)
		if (s->cross[a] < s->cross[best])
			best = a;
	dispatch->policy = PTOWSP_DISPATCH_AFFINITY;
	program->chosen = (struct rt_chosen){s->count ? s->names[best] : PTOWSP_NONE, s->executors, s->edges, s->cross[best]};
	if (!s->count) {
		rt_log(program, PTOWSP_LOG_INFO, "dispatch auto(%u): no loop has tasks, the first executor of a pool has them all", s->executors);
		return;
	}
	dispatch->axis = s->names[best];
	for (uint32_t i = 0; i < program->site_count; i++)
		program->sites[i].affinity = depth_of(program, &program->sites[i], dispatch->axis);
	rt_log(program, PTOWSP_LOG_INFO, "dispatch auto(%u): affinity(%.60s, %u), %llu of %llu edges go from one executor to another", s->executors,
	       rt_string(&program->tables, dispatch->axis), s->executors, (unsigned long long)s->cross[best], (unsigned long long)s->edges);
}

ptowsp_status rt_auto_decide(struct rt_run *run)
{
	struct survey *s;
	ptowsp_status status = PTOWSP_OK;

	if (run->program->schedule.dispatch.policy != PTOWSP_DISPATCH_AUTO)
		return status;
	s = calloc(1, sizeof(*s));
	if (!s)
		return rt_no_memory(run->error, "the look ahead");
	loops_find(s, run->program);
	s->executors = run->program->schedule.dispatch.executors;
	if (s->count)
		status = survey_init(s, run);
	if (!status && s->count)
		status = look(s, run);
	if (!status)
		choose(s, run->program);
	free(s->site_depths);
	free(s->places);
	free(s->pools);
	free(s);
	return status;
}
