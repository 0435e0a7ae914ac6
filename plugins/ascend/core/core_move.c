/* SPDX-License-Identifier: MIT */
#include "ascend/core/core_move.h"

#include "registry/common/common_grow.h"

void ascend_move_begin(struct ascend_kernel *k, unsigned pipe, uint64_t cycles)
{
	void *rows = k->moves;

	k->failed |= !common_grow(&rows, &k->move_room, k->move_count, sizeof(*k->moves));
	k->moves = rows;
	if (!k->failed)
		k->moves[k->move_count++] = (struct ascend_move){.cycles = cycles, .pipe = (uint8_t)pipe, .wait = k->time_count, .tile = ASCEND_NO_TILE};
}

void ascend_time_add(struct ascend_kernel *k, uint32_t time)
{
	void *rows = k->times;

	k->failed |= !common_grow(&rows, &k->time_room, k->time_count, sizeof(*k->times));
	k->times = rows;
	if (!k->failed)
		k->times[k->time_count++] = time;
}

void ascend_move_wait(struct ascend_kernel *k, uint32_t time)
{
	ascend_time_add(k, time);
	if (!k->failed)
		k->moves[k->move_count - 1].waits++;
}

void ascend_move_set(struct ascend_kernel *k, uint32_t time)
{
	struct ascend_move *m;

	if (k->failed)
		return;
	m = &k->moves[k->move_count - 1];
	if (!m->sets)
		m->set = k->time_count;
	ascend_time_add(k, time);
	m->sets++;
}

static uint32_t between(uint32_t tile)
{
	return ascend_tile_time(tile, ASCEND_BETWEEN);
}

void ascend_move_wait_there(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	ascend_move_wait(k, ascend_time_there(tile, side));
}

void ascend_move_make(struct ascend_kernel *k, uint32_t tile, enum ascend_side side, bool only)
{
	const uint32_t *rooms = k->rooms[side == ASCEND_ON_CUBE];
	struct ascend_move *m;

	ascend_move_set(k, ascend_time_there(tile, side));
	if (k->failed)
		return;
	m = &k->moves[k->move_count - 1];
	m->room = rooms[tile];
	m->rooms = (uint16_t)(rooms[tile + 1] - rooms[tile]);
	m->tile = tile;
	m->makes = (uint8_t)(side | (only ? ASCEND_ONLY : 0));
}

static void only_if_lacking(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	if (k->failed)
		return;
	k->moves[k->move_count - 1].tile = tile;
	k->moves[k->move_count - 1].lacks = (uint8_t)side;
}

/* A tile is about to be read on a side: by way of global memory, if it is not there. */
static void bring(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	const enum ascend_side from = side == ASCEND_ON_VECTOR ? ASCEND_ON_CUBE : ASCEND_ON_VECTOR;
	const bool to_vector = side == ASCEND_ON_VECTOR;
	const uint64_t out = to_vector ? ASCEND_CORE_gm_l1 : ASCEND_CORE_gm_ub, in = to_vector ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1;

	if (!(k->made[tile] & from))
		return;
	ascend_move_begin(k, to_vector ? ASCEND_PIPE_L0C_OUT : ASCEND_PIPE_UB_GM, ascend_transfer(out, ascend_bytes_on(k, tile, from)));
	ascend_move_wait_there(k, tile, from);
	ascend_move_wait(k, between(tile));
	ascend_move_set(k, ascend_time_read(tile, from));
	ascend_move_set(k, between(tile));
	only_if_lacking(k, tile, side);
	ascend_move_begin(k, to_vector ? ASCEND_PIPE_GM_UB : ASCEND_PIPE_GM_L1, ascend_transfer(in, ascend_bytes_on(k, tile, side)));
	ascend_move_wait(k, between(tile));
	ascend_move_set(k, between(tile));
	ascend_move_make(k, tile, side, false);
	only_if_lacking(k, tile, side);
}

void ascend_move_read(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side)
{
	for (unsigned r = 0; r < u->read_count; r++)
		ascend_move_wait_there(k, u->read[r], side);
	for (unsigned r = 0; r < u->read_count; r++)
		ascend_move_set(k, ascend_time_read(u->read[r], side));
}

void ascend_move_bring(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side)
{
	for (unsigned r = 0; r < u->read_count; r++)
		bring(k, u->read[r], side);
}
