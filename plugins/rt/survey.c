/* SPDX-License-Identifier: MIT */
/* survey.c - expansion and inference by themselves: every task of a program and every edge between them, and nothing else. There is no clock, no
 * place, no kernel, and nothing waits. */
#include <stdlib.h>
#include "rt/error.h"
#include "rt/memory.h"

/* The steps of rt_issue up to the edges. */
ptowsp_status rt_survey_task(struct rt_run *run, const struct rt_site *site)
{
	struct rt_need need;
	ptowsp_status st = rt_prepare(run, site, run->expand.level);

	if (!st)
		st = rt_infer(run, site, &need);
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
	ptowsp_status st = rt_look(run);
	enum rt_event event;

	rt_expand_start(&run->expand, run->program, &run->env, run->error);
	while (!st && (event = rt_expand_next(&run->expand)) != RT_EVENT_END)
		st = event == RT_EVENT_TASK ? rt_survey_task(run, &run->program->sites[run->expand.site]) : event_take(run, event);
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
	run->quiet = run->survey = true;
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
