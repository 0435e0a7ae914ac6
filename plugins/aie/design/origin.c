/* SPDX-License-Identifier: MIT */
#include "aie/design/origin.h"

#include "base/error.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <string.h>

struct origin {
	uint32_t act, tensor; /* AIE_NOTHING: not known */
};

/* ---- an operation --------------------------------------------------------------------------------------------------------- */

static struct origin job_origin(const struct aie_map *map, const struct aie_job *job)
{
	return (struct origin){job->act, job->area == AIE_NOTHING ? AIE_NOTHING : map->acts.areas.rows[job->area].tensor};
}

/* The first call of a cell. */
static struct origin cell_origin(const struct aie_map *map, uint32_t cell)
{
	const struct aie_lines *lines = cell < map->graph.cell_count ? &map->graph.cells[cell] : NULL;

	for (uint32_t l = 0; lines && l < lines->count; l++)
		if (lines->lines[l].kind == AIE_LINE_CALL)
			return (struct origin){lines->lines[l].act, AIE_NOTHING};
	return (struct origin){AIE_NOTHING, AIE_NOTHING};
}

/* The first move of the host, or who makes what goes through it. */
static struct origin stream_origin(const struct aie_map *map, uint32_t stream)
{
	for (uint32_t j = 0; j < map->graph.job_count; j++)
		if (map->graph.jobs[j].stream == stream)
			return job_origin(map, &map->graph.jobs[j]);
	return cell_origin(map, map->graph.streams[stream].from);
}

static struct origin step_origin(const struct aie_map *map, uint32_t step)
{
	const struct aie_order_step *row = &map->order.steps[map->lowered.steps[step]];

	return row->waits ? stream_origin(map, row->number) : job_origin(map, &map->graph.jobs[row->number]);
}

/* A design has its parts in the order of its text, and its map: steps, fifos of streams, cores of cells. */
static struct origin line_origin(const struct aie_map *map, const struct aie_design *design, unsigned line)
{
	for (uint32_t i = 0; i < design->step_count && i < map->lowered.step_count; i++)
		if (design->steps[i].op->line == line)
			return step_origin(map, i);
	for (uint32_t f = 0; f < design->fifo_count && f < map->graph.stream_count; f++)
		if (design->fifos[f].op->line == line)
			return stream_origin(map, f);
	for (uint32_t c = design->core_count; c-- > 0;)
		if (design->cores[c].op->line <= line)
			return cell_origin(map, c);
	return (struct origin){AIE_NOTHING, AIE_NOTHING};
}

/* ---- in words ------------------------------------------------------------------------------------------------------------- */

/* The sentence behind its place; NULL: it begins with none. */
static const char *behind_place(const char *text, unsigned *line_out)
{
	unsigned column;
	int length = 0;

	if (sscanf(text, "line %u: %n", line_out, &length) == 1 && length)
		return text + length;
	return sscanf(text, "%u:%u: %*s %n", line_out, &column, &length) == 2 && length ? text + length : NULL;
}

/* "tensor a: "; empty without one. */
static void tensor_put(char *text, size_t size, const struct aie_origin_args *args, uint32_t tensor)
{
	*text = 0;
	if (tensor != AIE_NOTHING)
		snprintf(text, size, "tensor %.40s: ", args->tensor_name(args->context, tensor));
}

static ptowsp_status unplaced(struct ptowsp_error *error, ptowsp_status status, const char *tensor, const char *said)
{
	return base_fail(error, status, "the design for it does not hold: %s%.120s; use --opt clock=reference", tensor, said);
}

ptowsp_status aie_origin_say(struct ptowsp_error *error, const struct aie_origin_args *args)
{
	const struct ptowsp_error found = *error;
	const ptowsp_status status = found.code == PTOWSP_INVALID ? PTOWSP_UNSUPPORTED : found.code;
	const struct aie_acts *acts = &args->map->acts;
	const struct base_kernel *kernel = NULL;
	const struct aie_act *act;
	unsigned line = 0;
	const char *said = behind_place(found.text, &line);
	const struct origin origin = said ? line_origin(args->map, args->design, line) : (struct origin){AIE_NOTHING, AIE_NOTHING};
	char tensor[60], place[80];
	uint32_t whole;
	uint64_t task;

	tensor_put(tensor, sizeof(tensor), args, origin.tensor);
	act = origin.act == AIE_NOTHING ? NULL : &acts->rows[origin.act];
	whole = act ? aie_divided_kernel(&args->map->divided, act->kernel) : 0;
	if (act && act->kind == AIE_ACT_CALL && whole < args->kernels->count)
		kernel = &args->kernels->rows[whole];
	if (!said)
		return status == found.code ? status : unplaced(error, status, "", found.text);
	if (!kernel)
		return unplaced(error, status, tensor, said);
	task = acts->first + aie_divided_task(&args->map->divided, act->task);
	base_sections_place(args->sections, whole, place, sizeof(place));
	return rt_fail_at(error, status, task, whole, "task %llu, kernel %.40s%s%s%s, %s%.110s; use --opt clock=reference", (unsigned long long)task,
			  kernel->name, *place ? " (" : "", place, *place ? ")" : "", tensor, said);
}
