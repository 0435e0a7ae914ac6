/* SPDX-License-Identifier: MIT */
/* survey.c - expansion and inference by themselves: every task of a program and every edge between them, and nothing else. There is no clock, no
 * place, no kernel, and nothing waits. */
#include <stdlib.h>
#include "rt/error.h"
#include "rt/memory.h"

/* As in express.c: uses whose keys have names go to the table from here. */
static inline ptowsp_status uses_enter(struct rt_run *run, const struct rt_plan *plan, struct rt_cells *cells)
{
	const struct rt_lattice *lattices = run->overlap.lattices;
	ptowsp_status st = PTOWSP_OK;

	for (const struct rt_use *use = plan->uses, *end = use + plan->use_count; cells->entries && use < end; use++) {
		if (rt_use_named(use, lattices))
			rt_cells_access(cells, &run->track, use->name, use->access);
		else if ((st = rt_infer_use(run, use)))
			return st;
	}
	return run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : PTOWSP_OK;
}

/* The steps of rt_issue up to the edges. */
static ptowsp_status task_slowly(struct rt_run *run, const struct rt_site *site)
{
	struct rt_need need;
	ptowsp_status st = rt_prepare(run, site, run->expand.level);

	return st ? st : rt_infer(run, site, &need);
}

static inline ptowsp_status task_take(struct rt_run *run, struct rt_cells *cells)
{
	const struct rt_site *site = &run->program->sites[run->expand.site];
	struct rt_plan *plan = *rt_plan_at(&run->plans, run->program, site, run->expand.level);
	ptowsp_status st;

	if (plan && !site->after_count && !run->watch && run->tasks < run->fresh_until && run->tasks < run->max_tasks &&
	    (rt_plan_move(plan, &run->expand) || rt_plan_find(run, plan))) {
		run->plan = plan;
		rt_preds_next(&run->preds, run->tasks, run->window);
		st = uses_enter(run, plan, cells);
	} else {
		st = task_slowly(run, site);
	}
	run->edges += run->preds.count;
	run->env.task = ++run->tasks;
	return st;
}

static ptowsp_status event_take(struct rt_run *run, enum rt_event event)
{
	switch (event) {
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: return rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_SYNC: rt_sync_pass(run, run->expand.sync); return PTOWSP_OK;
	case RT_EVENT_PAUSE: return rt_look(run);
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return PTOWSP_OK;
	}
}

static ptowsp_status walk(struct rt_run *run)
{
	struct rt_cells *cells = run->overlap.lattices ? &run->overlap.cells : &run->exact;
	ptowsp_status st = rt_look(run);
	enum rt_event event;

	rt_expand_start(&run->expand, run->program, &run->env, run->error);
	while (!st && (event = rt_expand_next(&run->expand)) != RT_EVENT_END)
		st = event == RT_EVENT_TASK ? task_take(run, cells) : event_take(run, event);
	return st;
}

ptowsp_status rt_survey(struct rt_program *program, const struct ptowsp_run_args *args, struct rt_survey *survey_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	const struct rt_run_args run_args = {.args = args};
	struct rt_run *run = calloc(1, sizeof(*run));
	ptowsp_status st = run ? PTOWSP_OK : rt_no_memory(error, "the survey");

	*survey_out = (struct rt_survey){0};
	if (st)
		return st;
	run->quiet = true;
	st = rt_run_init(run, program, &run_args, error ? error : &own);
	if (!st) {
		rt_places_init(&run->places, program);
		st = rt_infer_init(run);
	}
	if (!st)
		st = walk(run);
	survey_out->tasks = run->tasks;
	survey_out->edges = run->edges;
	rt_memory_count(run, &survey_out->memory);
	rt_run_finish(run);
	free(run);
	return st;
}
