/* SPDX-License-Identifier: MIT */
/* graph_gate.c - order that no element asks for: a word goes from the cell whose tasks have to have ended to the cell that goes on. It is sent behind all that the first one
 * did so far, so it says that all of that has ended, and whatever its sender knew. */
#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static uint64_t *known_of(struct aie_maker *maker, uint32_t cell)
{
	return maker->known + (size_t)cell * maker->graph->cell_count;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static bool line_add(struct aie_graph *graph, uint32_t cell, uint8_t kind, bool produces, uint32_t stream)
{
	struct aie_lines *lines = &graph->cells[cell];

	if (!COMMON_GROW(lines->lines, lines->room, lines->count))
		return false;
	lines->lines[lines->count++] = (struct aie_line){.kind = kind, .produces = produces, .stream = stream};
	return true;
}

static bool word_pass(struct aie_maker *maker, uint32_t from, uint32_t to)
{
	struct aie_graph *graph = maker->graph;
	const struct aie_label label = {.kind = AIE_STREAM_TOKEN,
					.from = from,
					.to = to,
					.channel = AIE_NOTHING,
					.kernel = AIE_NOTHING,
					.use = AIE_NOTHING,
					.shape = {PTOWSP_I32, true, 1, 1}};
	uint32_t stream = aie_maker_stream(maker, &label, &to, 1);

	if (stream == AIE_NOTHING)
		return false;
	graph->streams[stream].objects++;
	for (uint32_t c = 0; c < graph->cell_count; c++)
		known_of(maker, to)[c] = later(known_of(maker, to)[c], known_of(maker, from)[c]);
	known_of(maker, to)[from] = maker->lasts[from];
	return line_add(graph, from, AIE_LINE_ACQUIRE, true, stream) && line_add(graph, from, AIE_LINE_RELEASE, true, stream) &&
	       line_add(graph, to, AIE_LINE_ACQUIRE, false, stream) && line_add(graph, to, AIE_LINE_RELEASE, false, stream);
}

/* The cell goes on when task number - 1 of the other one has ended. */
static bool wait_for(struct aie_maker *maker, uint32_t cell, uint32_t other, uint64_t number)
{
	return cell == other || number <= known_of(maker, cell)[other] || word_pass(maker, other, cell);
}

/* ---- frames ------------------------------------------------------------------------------------------------------------- */

static ptowsp_status frame_begin(struct aie_maker *maker, uint64_t first)
{
	uint32_t cells = maker->graph->cell_count;

	if (!COMMON_GROW(maker->frames, maker->frame_room, maker->frame_count) ||
	    !common_grow((void **)&maker->steps, &maker->step_room, maker->frame_count, cells * sizeof(*maker->steps)))
		return rt_no_memory(maker->error, "the virtual graph");
	maker->frames[maker->frame_count] = first;
	memset(maker->steps + (size_t)maker->frame_count++ * cells, 0, cells * sizeof(*maker->steps));
	return PTOWSP_OK;
}

/* Later tasks follow all that there are so far; a fence or an event may ask for fewer. */
static ptowsp_status gate_close(struct aie_maker *maker)
{
	uint32_t cells = maker->graph->cell_count;

	if (!maker->gate)
		maker->gate = calloc((size_t)cells + 1, sizeof(*maker->gate));
	if (!maker->gate)
		return rt_no_memory(maker->error, "the virtual graph");
	memcpy(maker->gate, maker->lasts, cells * sizeof(*maker->gate));
	return PTOWSP_OK;
}

ptowsp_status aie_gate_act(struct aie_maker *maker, const struct aie_act *act)
{
	uint32_t cells = maker->graph->cell_count;

	switch (act->kind) {
	case AIE_ACT_BEGIN: return frame_begin(maker, maker->tasks);
	case AIE_ACT_STEP:
		if (maker->frame_count)
			memcpy(maker->steps + (size_t)(maker->frame_count - 1) * cells, maker->lasts, cells * sizeof(*maker->steps));
		return PTOWSP_OK;
	case AIE_ACT_END: maker->frame_count -= maker->frame_count > 0; return PTOWSP_OK;
	default: return act->task ? gate_close(maker) : PTOWSP_OK;
	}
}

/* ---- calls -------------------------------------------------------------------------------------------------------------- */

/* A cell that hands the act elements has ended the call that made them. */
static void data_known(struct aie_maker *maker, const struct aie_act *act)
{
	const struct aie_versions *versions = maker->args->versions;
	const struct aie_acts *acts = maker->args->acts;

	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++) {
		const struct aie_version *version = acts->uses[u].reads && acts->uses[u].from != AIE_FROM_MEMORY ? &versions->rows[acts->uses[u].from] : NULL;
		uint64_t *known = version && version->cell != AIE_HOST ? &known_of(maker, act->cell)[version->cell] : NULL;

		if (known && acts->rows[version->act].kind == AIE_ACT_CALL)
			*known = later(*known, acts->rows[version->act].task + 1);
	}
}

static bool frames_follow(struct aie_maker *maker, uint32_t cell)
{
	uint32_t cells = maker->graph->cell_count;
	bool ok = true;

	for (uint32_t f = 0; f < maker->frame_count; f++)
		for (uint32_t c = 0; ok && c < cells; c++) {
			uint64_t step = maker->steps[(size_t)f * cells + c];

			if (step > maker->frames[f])
				ok = wait_for(maker, cell, c, step);
		}
	for (uint32_t c = 0; ok && maker->gate && c < cells; c++)
		ok = wait_for(maker, cell, c, maker->gate[c]);
	return ok;
}

ptowsp_status aie_gate_call(struct aie_maker *maker, const struct aie_act *act)
{
	bool ok = true;

	if (act->process != PTOWSP_NONE)
		return PTOWSP_OK;
	data_known(maker, act);
	ok = frames_follow(maker, act->cell);
	for (uint32_t p = act->preds; ok && p < act->preds + act->pred_count; p++) {
		uint64_t pred = maker->args->acts->preds[p];

		ok = wait_for(maker, act->cell, maker->cell_of[pred], pred + 1);
	}
	return ok ? PTOWSP_OK : rt_no_memory(maker->error, "the virtual graph");
}

void aie_gate_called(struct aie_maker *maker, const struct aie_act *act)
{
	maker->tasks = act->task + 1;
	if (act->cell != AIE_HOST)
		maker->lasts[act->cell] = act->task + 1;
}

void aie_gate_restart(struct aie_maker *maker)
{
	size_t cells = maker->graph->cell_count;

	memset(maker->lasts, 0, cells * sizeof(*maker->lasts));
	memset(maker->known, 0, cells * cells * sizeof(*maker->known));
	free(maker->gate);
	maker->gate = NULL;
	maker->frame_count = 0;
	maker->tasks = 0;
}
