/* SPDX-License-Identifier: MIT */
#include "rt/expand/interleave.h"
#include "registry/common/common_grow.h"

#include <stdlib.h>
#include <string.h>

/* A body of a branch that is aside, with what its loop stands at. */
struct aside {
	struct rt_frame frame;
	int64_t value;
	struct rt_round round;
};
struct branch {
	uint32_t at, end; /* next instruction; of the branch */
	uint32_t level;
	bool over;
	struct aside *bodies;
	uint32_t count, room;
};
struct rt_interleave {
	uint32_t count, live, current;
	uint32_t depth; /* frames up to and including the combine's */
	struct branch branches[];
};

static bool is_loop(const struct rt_frame *frame)
{
	switch (frame->op) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
	case PTOWSP_OP_CONSUME: return true;
	}
	return false;
}

bool rt_interleave_enter(struct rt_expand *expand, struct rt_frame *frame, const struct rt_ins *in)
{
	struct rt_interleave *turns = calloc(1, sizeof(*turns) + in->count * sizeof(*turns->branches));
	uint32_t at = frame->at + 1u + in->count;

	frame->turns = turns;
	if (!turns)
		return false;
	turns->count = turns->live = in->count;
	turns->depth = expand->depth;
	for (uint32_t i = 0; i < in->count; i++) {
		turns->branches[i] = (struct branch){.at = at, .end = in[1 + i].end, .level = expand->level};
		at = in[1 + i].end;
	}
	expand->at = turns->branches[0].at;
	frame->end = turns->branches[0].end;
	return true;
}

/* The branch whose turn it is, out of the expander. */
static bool put_aside(struct rt_expand *expand, struct rt_interleave *turns)
{
	struct branch *branch = &turns->branches[turns->current];
	uint32_t count = expand->depth - turns->depth;

	if (count > branch->room) {
		if (!COMMON_RESIZE(branch->bodies, count))
			return false;
		branch->room = count;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct rt_frame *frame = &expand->frames[turns->depth + i];

		branch->bodies[i] = (struct aside){.frame = *frame};
		if (is_loop(frame)) {
			branch->bodies[i].value = expand->loops[frame->depth];
			branch->bodies[i].round = expand->rounds[frame->depth];
		}
	}
	branch->count = count;
	branch->at = expand->at;
	branch->level = expand->level;
	return true;
}

/* The next branch that is not over, into the expander. */
static void go_on(struct rt_expand *expand, struct rt_interleave *turns)
{
	struct branch *branch;

	do
		turns->current = (turns->current + 1) % turns->count;
	while (turns->branches[turns->current].over);
	branch = &turns->branches[turns->current];
	expand->frames[turns->depth - 1].end = branch->end;
	expand->depth = turns->depth + branch->count;
	expand->at = branch->at;
	expand->level = branch->level;
	for (uint32_t i = 0; i < branch->count; i++) {
		const struct rt_frame *frame = &branch->bodies[i].frame;

		expand->frames[turns->depth + i] = *frame;
		if (is_loop(frame)) {
			expand->loops[frame->depth] = branch->bodies[i].value;
			expand->rounds[frame->depth] = branch->bodies[i].round;
		}
	}
}

static bool holds_turn(unsigned op)
{
	return op == PTOWSP_OP_SCOPE || op == PTOWSP_OP_FOR_EACH || op == PTOWSP_OP_SEQUENTIAL;
}

void rt_interleave_tell(const struct rt_program *program)
{
	uint32_t end = 0; /* of the branches around `at` */

	for (uint32_t at = 0; program->schedule.interleaved && at < program->tables.work.code_count; at++) {
		const struct rt_ins *in = &program->code[at];

		if (in->op == PTOWSP_OP_COMBINE && in[in->count].end > end)
			end = in[in->count].end;
		if (at >= end || !holds_turn(in->op))
			continue;
		rt_diagnose(program, PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_TIMING, PTOWSP_TIMING_INTERLEAVED),
			    "timing=interleaved: a branch of a combine that enters a scope, for_each or sequential of its own keeps its turn until that ends, "
			    "so its tasks there come one behind the other");
		return;
	}
}

/* From the innermost combine out: an outer one keeps the inner one as it then is. */
bool rt_interleave_pass(struct rt_expand *expand)
{
	for (uint32_t d = expand->depth; d-- > 0 && !holds_turn(expand->frames[d].op);) {
		struct rt_interleave *turns = expand->frames[d].op == PTOWSP_OP_COMBINE ? expand->frames[d].turns : NULL;

		if (!turns || turns->live < 2)
			continue;
		if (!put_aside(expand, turns))
			return false;
		go_on(expand, turns);
	}
	return true;
}

bool rt_interleave_end(struct rt_expand *expand, struct rt_frame *frame)
{
	struct rt_interleave *turns = frame->turns;

	turns->branches[turns->current].over = true;
	turns->branches[turns->current].count = 0;
	if (--turns->live) {
		go_on(expand, turns);
		return true;
	}
	expand->at = turns->branches[turns->count - 1].end;
	rt_interleave_drop(frame);
	return false;
}

/* Combines nest as deep as bodies do, 64 at most. */
void rt_interleave_drop(struct rt_frame *frame)
{
	struct rt_interleave *turns = frame->turns;

	for (uint32_t i = 0; turns && i < turns->count; i++) {
		for (uint32_t k = 0; k < turns->branches[i].count && i != turns->current; k++)
			if (turns->branches[i].bodies[k].frame.op == PTOWSP_OP_COMBINE)
				rt_interleave_drop(&turns->branches[i].bodies[k].frame);
		free(turns->branches[i].bodies);
	}
	free(turns);
	frame->turns = NULL;
}
