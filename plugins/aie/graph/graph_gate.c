/* SPDX-License-Identifier: MIT */
/* graph_gate.c - order that no element asks for: a word goes from the cell whose tasks have to have ended to the cell that goes on. It is sent behind all that the first one
 * did so far, so it says that all of that has ended, and whatever its sender knew. */
#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
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

static void word_pass(struct aie_maker *maker, uint32_t from, uint32_t to)
{
	struct aie_graph *graph = maker->graph;
	const struct aie_label label = {.kind = AIE_STREAM_TOKEN,
					.from = from,
					.to = to,
					.channel = AIE_NOTHING,
					.kernel = AIE_NOTHING,
					.use = AIE_NOTHING,
					.shape = {PTOWSP_I32, true, 1, 1}};
	const uint32_t stream = aie_maker_stream(maker, &label, &to, 1);

	graph->streams[stream].objects++;
	for (uint32_t c = 0; c < graph->cell_count; c++)
		known_of(maker, to)[c] = later(known_of(maker, to)[c], known_of(maker, from)[c]);
	known_of(maker, to)[from] = maker->lasts[from];
	for (int takes = 0; takes < 2; takes++)
		for (int releases = 0; releases < 2; releases++)
			aie_maker_line(maker, takes ? to : from,
				       (struct aie_line){.kind = releases ? AIE_LINE_RELEASE : AIE_LINE_ACQUIRE, .produces = !takes, .stream = stream});
}

/* The cell goes on when task number - 1 of the other one has ended. */
static void wait_for(struct aie_maker *maker, uint32_t cell, uint32_t other, uint64_t number)
{
	if (cell != other && number > known_of(maker, cell)[other])
		word_pass(maker, other, cell);
}

/* ---- frames ------------------------------------------------------------------------------------------------------------- */

static void frame_begin(struct aie_maker *maker, uint64_t first)
{
	uint32_t cells = maker->graph->cell_count;

	AIE_MAKER_GROW(maker, maker->frames, maker->frame_room, maker->frame_count);
	aie_maker_memory(maker, common_grow((void **)&maker->steps, &maker->step_room, maker->frame_count, cells * sizeof(*maker->steps)));
	maker->frames[maker->frame_count] = first;
	memset(maker->steps + (size_t)maker->frame_count++ * cells, 0, cells * sizeof(*maker->steps));
}

/* Later tasks follow all that there are so far; a fence or an event may ask for fewer. */
static void gate_close(struct aie_maker *maker)
{
	maker->gated = true;
	memcpy(maker->gate, maker->lasts, maker->graph->cell_count * sizeof(*maker->gate));
}

void aie_gate_act(struct aie_maker *maker, const struct aie_act *act)
{
	uint32_t cells = maker->graph->cell_count;

	switch (act->kind) {
	case AIE_ACT_BEGIN: frame_begin(maker, maker->tasks); break;
	case AIE_ACT_STEP:
		if (maker->frame_count)
			memcpy(maker->steps + (size_t)(maker->frame_count - 1) * cells, maker->lasts, cells * sizeof(*maker->steps));
		break;
	case AIE_ACT_END: maker->frame_count -= maker->frame_count > 0; break;
	default:
		if (act->task)
			gate_close(maker);
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

static void frames_follow(struct aie_maker *maker, uint32_t cell)
{
	uint32_t cells = maker->graph->cell_count;

	for (uint32_t f = 0; f < maker->frame_count; f++)
		for (uint32_t c = 0; c < cells; c++) {
			uint64_t step = maker->steps[(size_t)f * cells + c];

			if (step > maker->frames[f])
				wait_for(maker, cell, c, step);
		}
	for (uint32_t c = 0; maker->gated && c < cells; c++)
		wait_for(maker, cell, c, maker->gate[c]);
}

void aie_gate_call(struct aie_maker *maker, const struct aie_act *act)
{
	if (act->process != PTOWSP_NONE)
		return;
	data_known(maker, act);
	frames_follow(maker, act->cell);
	for (uint32_t p = act->preds; p < act->preds + act->pred_count; p++) {
		uint64_t pred = maker->args->acts->preds[p];

		wait_for(maker, act->cell, maker->cell_of[pred], pred + 1);
	}
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
	maker->gated = false;
	maker->frame_count = 0;
	maker->tasks = 0;
}
