/* SPDX-License-Identifier: MIT */
/* plan_moves.h - elements that travel with tokens, as steps of a plan: one copies a region into a block, another one a block into a region. A block is free again behind the step that
 * copies out of it. A channel has as many as its capacity, from ASCEND_BLOCKS_LEAST to ASCEND_BLOCKS_MOST, and more only where more tokens are under way, so that nobody waits for a block
 * who does not wait for the channel. One thread. */
#ifndef ASCEND_PLAN_MOVES_H
#define ASCEND_PLAN_MOVES_H

#include "ascend/ascend_plan.h"
#include "ascend/plan/plan_build.h"
#include "base/walk.h"
#include <stdbool.h>

struct ascend_block {
	uint64_t start; /* bytes, of the tensor of blocks; a multiple of ASCEND_BLOCK_ALIGN */
	uint32_t after; /* step that has copied out of it last, ASCEND_STEP_NONE: none has */
};
#define ASCEND_BLOCK_ALIGN 64u
enum { ASCEND_BLOCKS_LEAST = 8, ASCEND_BLOCKS_MOST = 256 };

/* A channel's own blocks, and tokens that are under way. */
struct ascend_move_channel {
	struct ascend_block *blocks;
	uint32_t *idle, *sent; /* places in blocks: those that were given back, in that order; of token k */
	uint32_t block_count, block_room, idle_count, idle_room, idle_first, sent_count, sent_room;
	uint64_t taken; /* tokens */
};
/* A step that has copied to or from bytes [from, to) of memory. */
struct ascend_copied {
	uint64_t from, to;
	uint32_t step;
	bool writes;
};
enum { ASCEND_COPIED = 64 }; /* of a tensor, before they are gathered */
struct ascend_copies {
	struct ascend_copied rows[ASCEND_COPIED];
	uint32_t count;
};
struct ascend_moves {
	const struct base_walk *walk; /* borrowed */
	struct ascend_move_channel *channels;
	uint32_t *next;                /* per instance, channel and side: the move behind the latest one */
	uint64_t *arrives;             /* per instance: 1 + the token that has been taken and whose elements are still to arrive, 0: none */
	uint32_t *from;                /* its channel */
	struct ascend_copies **copies; /* per TENS row, NULL: none */
	uint32_t tensors;
	uint64_t bytes; /* of all blocks */
	bool failed;    /* no memory */
};
/* False: no memory. To be finished in any case. walk: moves come to it as it goes on. tensors: TENS rows, 0: nothing moves. */
bool ascend_moves_init(struct ascend_moves *moves, const struct base_walk *walk, uint32_t tensors);
/* Nobody but a plan orders copies beside tasks: whoever touches what a copy before it has touched, and one of both writes, comes behind it. */
void ascend_moves_follow(const struct ascend_moves *moves, const struct ptowsp_tensor_arg *window, struct ascend_preds *preds);
/* A copy of a window, which writes it or reads it. There is room: ascend_moves_crowd. */
void ascend_moves_copied(struct ascend_moves *moves, const struct ptowsp_tensor_arg *window, bool writes, uint32_t step);
/* The copies that are kept of the window's tensor, if they are as many as are kept: then one step behind all of them stands for them. NULL: they are not. */
struct ascend_copies *ascend_moves_crowd(const struct ascend_moves *moves, const struct ptowsp_tensor_arg *window);
void ascend_moves_gathered(struct ascend_copies *copies, uint32_t step);
void ascend_moves_finish(struct ascend_moves *moves);
/* The next move of an instance through a channel, as its place in the walk; UINT32_MAX: its tokens carry nothing. */
uint32_t ascend_moves_next(struct ascend_moves *moves, uint32_t instance, uint32_t channel, bool sends);
/* The block that the next token of the channel travels in, of so many bytes; NULL: no memory. */
struct ascend_block *ascend_moves_send(struct ascend_moves *moves, uint32_t channel, uint64_t bytes);
/* The instance has taken the next token. */
void ascend_moves_take(struct ascend_moves *moves, uint32_t instance, uint32_t channel);
/* A taken token's block, if elements are to arrive now, and its channel; NULL: none are. To be given back with the step that copies out of it. */
struct ascend_block *ascend_moves_arrive(struct ascend_moves *moves, uint32_t instance, uint32_t *channel_out);
void ascend_moves_give_back(struct ascend_moves *moves, uint32_t channel, struct ascend_block *block, uint32_t step);

#endif
