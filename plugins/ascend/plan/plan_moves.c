/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_moves.h"

#include "ascend/plan/plan_make.h"
#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include <stdlib.h>
#include <string.h>

static size_t sides(const struct base_walk *walk)
{
	return ((size_t)walk->limits.processes * walk->limits.channels + 1) * 2;
}

bool ascend_moves_init(struct ascend_moves *moves, const struct base_walk *walk, uint32_t tensors)
{
	*moves = (struct ascend_moves){.walk = walk, .tensors = tensors};
	if (!tensors)
		return true;
	moves->channels = calloc((size_t)walk->limits.channels + 1, sizeof(*moves->channels));
	moves->next = calloc(sides(walk), sizeof(*moves->next));
	moves->arrives = calloc((size_t)walk->limits.processes + 1, sizeof(*moves->arrives));
	moves->from = calloc((size_t)walk->limits.processes + 1, sizeof(*moves->from));
	moves->copies = calloc((size_t)moves->tensors + 1, sizeof(*moves->copies));
	return moves->channels && moves->next && moves->arrives && moves->from && moves->copies;
}

void ascend_moves_finish(struct ascend_moves *moves)
{
	for (uint32_t c = 0; moves->channels && c < moves->walk->limits.channels; c++) {
		free(moves->channels[c].blocks);
		free(moves->channels[c].idle);
		free(moves->channels[c].sent);
	}
	for (uint32_t t = 0; moves->copies && t < moves->tensors; t++)
		free(moves->copies[t]);
	free(moves->copies);
	free(moves->channels);
	free(moves->next);
	free(moves->arrives);
	free(moves->from);
	*moves = (struct ascend_moves){0};
}

uint32_t ascend_moves_next(struct ascend_moves *moves, uint32_t instance, uint32_t channel, bool sends)
{
	const struct base_walk *walk = moves->walk;
	uint32_t *next = moves->next ? &moves->next[((size_t)instance * walk->limits.channels + channel) * 2 + sends] : NULL;

	while (next && *next < walk->move_count) {
		const struct base_walk_move *move = &walk->moves[(*next)++];

		if (move->process == instance && move->channel == channel && move->sends == sends)
			return *next - 1;
	}
	return UINT32_MAX;
}

static bool block_add(struct ascend_moves *moves, struct ascend_move_channel *channel, uint64_t bytes)
{
	if (!COMMON_GROW(channel->blocks, channel->block_room, channel->block_count))
		return false;
	channel->blocks[channel->block_count++] = (struct ascend_block){moves->bytes, ASCEND_STEP_NONE};
	moves->bytes += (bytes + ASCEND_BLOCK_ALIGN - 1) / ASCEND_BLOCK_ALIGN * ASCEND_BLOCK_ALIGN;
	return true;
}

static uint64_t wanted(const struct ascend_moves *moves, uint32_t channel)
{
	const uint64_t capacity = moves->walk->capacities[channel];

	return capacity < ASCEND_BLOCKS_LEAST ? ASCEND_BLOCKS_LEAST : capacity > ASCEND_BLOCKS_MOST ? ASCEND_BLOCKS_MOST : capacity;
}

struct ascend_block *ascend_moves_send(struct ascend_moves *moves, uint32_t channel_row, uint64_t bytes)
{
	struct ascend_move_channel *channel = &moves->channels[channel_row];

	const bool fresh = channel->idle_first == channel->idle_count || channel->block_count < wanted(moves, channel_row);

	if ((fresh && !block_add(moves, channel, bytes)) || !COMMON_GROW(channel->sent, channel->sent_room, channel->sent_count)) {
		moves->failed = true;
		return NULL;
	}
	channel->sent[channel->sent_count] = fresh ? channel->block_count - 1 : channel->idle[channel->idle_first++];
	return &channel->blocks[channel->sent[channel->sent_count++]];
}

void ascend_moves_take(struct ascend_moves *moves, uint32_t instance, uint32_t channel)
{
	if (!moves->channels || moves->channels[channel].taken >= moves->channels[channel].sent_count)
		return; /* its tokens carry nothing */
	moves->arrives[instance] = ++moves->channels[channel].taken;
	moves->from[instance] = channel;
}

struct ascend_block *ascend_moves_arrive(struct ascend_moves *moves, uint32_t instance, uint32_t *channel_out)
{
	const uint64_t token = moves->channels ? moves->arrives[instance] : 0;
	struct ascend_move_channel *channel;

	if (!token)
		return NULL;
	moves->arrives[instance] = 0;
	*channel_out = moves->from[instance];
	channel = &moves->channels[*channel_out];
	return &channel->blocks[channel->sent[token - 1]];
}

void ascend_moves_give_back(struct ascend_moves *moves, uint32_t channel_row, struct ascend_block *block, uint32_t step)
{
	struct ascend_move_channel *channel = &moves->channels[channel_row];

	block->after = step;
	if (COMMON_GROW(channel->idle, channel->idle_room, channel->idle_count))
		channel->idle[channel->idle_count++] = (uint32_t)(block - channel->blocks);
	else
		moves->failed = true;
}

/* ---- copies beside tasks ----------------------------------------------------------------------------------------------- */

/* Everything where nothing is bound. */
static struct ascend_copied range_of(const struct ptowsp_tensor_arg *window)
{
	const uint64_t size = rt_dtype_bytes(window->dtype), from = (uintptr_t)window->data;

	if (!window->rows || !window->columns)
		return (struct ascend_copied){0};
	return (struct ascend_copied){.from = from,
				      .to = from ? from + ((window->rows - 1) * window->row_stride + (window->columns - 1) * window->column_stride + 1) * size
						 : UINT64_MAX};
}

static struct ascend_copies *copies_of(const struct ascend_moves *moves, const struct ptowsp_tensor_arg *window)
{
	return window->tensor < moves->tensors ? moves->copies[window->tensor] : NULL;
}

void ascend_moves_follow(const struct ascend_moves *moves, const struct ptowsp_tensor_arg *window, struct ascend_preds *preds)
{
	const struct ascend_copies *copies = copies_of(moves, window);
	const struct ascend_copied range = range_of(window);

	for (uint32_t i = 0; copies && i < copies->count; i++) {
		const struct ascend_copied *row = &copies->rows[i];

		if (row->from < range.to && range.from < row->to && (row->writes || window->access & PTOWSP_WRITE))
			ascend_preds_add(preds, row->step);
	}
}

void ascend_moves_copied(struct ascend_moves *moves, const struct ptowsp_tensor_arg *window, bool writes, uint32_t step)
{
	struct ascend_copies **copies = &moves->copies[window->tensor];
	struct ascend_copied range = range_of(window);

	if (!*copies)
		*copies = calloc(1, sizeof(**copies));
	moves->failed |= !*copies;
	if (!*copies || range.from == range.to)
		return;
	range.step = step;
	range.writes = writes;
	(*copies)->rows[(*copies)->count++] = range;
}

struct ascend_copies *ascend_moves_crowd(const struct ascend_moves *moves, const struct ptowsp_tensor_arg *window)
{
	struct ascend_copies *copies = copies_of(moves, window);

	return copies && copies->count == ASCEND_COPIED ? copies : NULL;
}

void ascend_moves_gathered(struct ascend_copies *copies, uint32_t step)
{
	struct ascend_copied all = copies->rows[0];

	for (uint32_t i = 1; i < copies->count; i++) {
		const struct ascend_copied *row = &copies->rows[i];

		all.from = row->from < all.from ? row->from : all.from;
		all.to = row->to > all.to ? row->to : all.to;
		all.writes |= row->writes;
	}
	all.step = step;
	copies->rows[0] = all;
	copies->count = 1;
}
