/* SPDX-License-Identifier: MIT */
/* engine_phase.c - runs whose tasks decide which tasks there are. A design is fixed before it runs, and its host's program knows no branch: so each phase is a design of its own, one after the
 * other, and what a phase has made lies in memory when the next one is laid out. */
#include "aie/engine/aie_engine_own.h"
#include "base/error.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool aie_phases_may(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_SLOT_LOAD)
			return true;
	return false;
}

void aie_phases_say(const struct aie_loaded *loaded)
{
	static const char text[] =
		"slots are loaded from tensors; where a task of the workload writes what is read, the run is split, and each phase is a design of its own";
	const struct ptowsp_host *host = loaded->program->device->instance->host;

	if (aie_phases_may(loaded->planned) && host->diagnose)
		host->diagnose(host->context, PTOWSP_FEATURE_TENSOR_TO_SLOT, PTOWSP_STATE_DIAGNOSED, text, sizeof(text) - 1);
}

/* Places that a scope holds of a stated window are held by tasks of several phases, which no design would count. */
static bool holds_window(const struct aie_run *run)
{
	const struct base_walk *walk = &run->loaded->walk;
	uint32_t open = 0;

	for (uint32_t e = 0; e < walk->event_count; e++) {
		open += walk->events[e].kind == RT_ITEM_SCOPE_BEGIN;
		open -= walk->events[e].kind == RT_ITEM_SCOPE_END;
	}
	return open && run->loaded->planned->schedule.window_stated;
}

/* "slot count is read from what task 1 writes". */
static void reason(const struct aie_run *run, const struct base_walk_phase *phase, char *text, size_t size)
{
	snprintf(text, size, "slot %.40s is read from what task %llu writes", rt_slot_name(run->loaded->planned, phase->slot),
		 (unsigned long long)phase->writer);
}

static void phase_say(const struct aie_run *run, const char *why)
{
	if (!run->file)
		base_log(run->loaded->program->device->instance, PTOWSP_LOG_INFO, "phase %u is over behind task %llu: %.200s", run->phase + 1,
			 (unsigned long long)(run->loaded->walk.first + run->loaded->walk.task_count - 1), why);
}

/* The files of a phase, and what the next one needs to know: its tensors, which are copies here (engine_emit.c). */
static ptowsp_status files_then_run(struct aie_run *run, struct rt_feed *feed)
{
	ptowsp_status (*const file)(void *context, const char *path, const void *bytes, uint64_t size) = run->file;
	ptowsp_status status = aie_engine_go(run, feed);

	if (status || !run->more)
		return status;
	run->file = NULL;
	status = aie_engine_go(run, feed);
	run->file = file;
	return status;
}

static ptowsp_status one_run(struct aie_run *run, struct rt_feed *feed, const char *why, struct ptowsp_error *error)
{
	struct aie_loaded *loaded = run->loaded;
	const uint32_t from = loaded->report.count;
	ptowsp_status status;

	if (run->file)
		run->then = files_then_run;
	status = aie_engine_planned(run, feed, error);
	if (!status && (run->more || run->phase))
		status = aie_report_phase(&loaded->report, from, run->phase + 1, loaded->walk.task_count, why, error);
	aie_map_finish(&loaded->map);
	aie_bounds_finish(&loaded->bounds);
	run->phase++;
	return status;
}

ptowsp_status aie_phase_run(struct aie_run *run, struct rt_feed *feed, const struct base_walk_phase *phase, struct ptowsp_error *error)
{
	char why[200];
	ptowsp_status status;

	reason(run, phase, why, sizeof(why));
	if (holds_window(run))
		return rt_fail_at(error, PTOWSP_UNSUPPORTED, phase->writer, UINT64_MAX,
				  "%s, in an open scope and with a stated task_window, which a run in phases cannot hold; leave one of them out, or take "
				  "another backend, "
				  "such as cpu_sim",
				  why);
	phase_say(run, why);
	run->more = true;
	status = one_run(run, feed, why, error);
	run->more = false;
	return status;
}

ptowsp_status aie_phase_last(struct aie_run *run, struct rt_feed *feed, struct ptowsp_error *error)
{
	const struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = PTOWSP_OK;

	if (!run->phase || walk->task_count || walk->limits.processes)
		status = one_run(run, feed, "the rest", error);
	return status || run->phase < 2 ? status : aie_report_phases(&run->loaded->report, run->phase, run->cycles, error);
}

/* Which kernel takes most of a core's time. */

struct aie_report_stage *aie_stages_find(const struct aie_map *map, uint32_t core_count, const struct aie_stage_times *times)
{
	const struct base_kernels *kernels = map->kernels;
	struct aie_report_stage *rows = calloc((size_t)core_count + 1, sizeof(*rows));
	uint64_t *cycles = calloc(((size_t)core_count + 1) * (kernels->count + 1), sizeof(*cycles)); /* of a core's kernel */

	for (uint64_t t = 0; rows && cycles && t < map->walk->task_count; t++)
		cycles[(size_t)times->cores[t] * kernels->count + aie_divided_kernel(&map->divided, map->walk->tasks[t].kernel)] +=
			times->ends[t] - times->starts[t];
	for (uint32_t c = 0; rows && cycles && c < core_count; c++)
		for (uint32_t k = 0; k < kernels->count; k++) {
			const uint64_t own = cycles[(size_t)c * kernels->count + k];

			rows[c].others = rows[c].others || (own && rows[c].kernel);
			if (own > rows[c].cycles)
				rows[c] = (struct aie_report_stage){kernels->rows[k].name, own, rows[c].others};
		}
	if (!cycles) {
		free(rows);
		rows = NULL;
	}
	free(cycles);
	return rows;
}
