/* SPDX-License-Identifier: MIT */
/* core_move.h - making the moves of a kernel (core_kernel.h), one behind the other: each is begun, then gets what it waits for, then what it sets. After a failure nothing is
 * added any more: kernel->failed. One thread. */
#ifndef ASCEND_CORE_MOVE_H
#define ASCEND_CORE_MOVE_H

#include "ascend/core/core_kernel.h"
#include "isa/opcode.h"

/* Times of a tile on a side: it is there; it was read there for the last time. */
static inline uint32_t ascend_time_there(uint32_t tile, enum ascend_side side)
{
	return ascend_tile_time(tile, side == ASCEND_ON_VECTOR ? ASCEND_THERE_VECTOR : ASCEND_THERE_CUBE);
}
static inline uint32_t ascend_time_read(uint32_t tile, enum ascend_side side)
{
	return ascend_tile_time(tile, side == ASCEND_ON_VECTOR ? ASCEND_READ_VECTOR : ASCEND_READ_CUBE);
}
/* Bytes of a tile that one core of this side has to do with. */
static inline uint64_t ascend_bytes_on(const struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	const uint64_t bytes = ascend_tile_bytes(k, tile);

	return side == ASCEND_ON_VECTOR ? (bytes + k->vectors - 1) / k->vectors : bytes;
}
/* Cycles of so many bytes on a way. */
static inline uint64_t ascend_transfer(uint64_t latency, uint64_t bytes)
{
	return latency + bytes / ASCEND_CORE_move_bytes;
}

/* One more time in the lists of kernel->times. */
void ascend_time_add(struct ascend_kernel *k, uint32_t time);
/* A move of the pipe, ASCEND_PIPE_COUNT: a barrier. Functions below are about the last one. */
void ascend_move_begin(struct ascend_kernel *k, unsigned pipe, uint64_t cycles);
void ascend_move_wait(struct ascend_kernel *k, uint32_t time);
void ascend_move_wait_there(struct ascend_kernel *k, uint32_t tile, enum ascend_side side);
/* Behind all waits. */
void ascend_move_set(struct ascend_kernel *k, uint32_t time);
/* An instruction reads these tiles. */
void ascend_move_read(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side);
/* An instruction writes the tile, as its last set, once nobody needs what lies in its place. only: it is nowhere else from then on. */
void ascend_move_make(struct ascend_kernel *k, uint32_t tile, enum ascend_side side, bool only);
/* Moves that bring what is about to be read on a side there, by way of global memory, if it is not there. */
void ascend_move_bring(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side);

/* core_room.c: kernel->rooms, to be freed when there are moves. Errors: NO_MEMORY. */
ptowsp_status ascend_rooms_make(struct ascend_kernel *k);

#endif
