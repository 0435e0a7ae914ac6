/* SPDX-License-Identifier: MIT */
/* aie_arena.h - memory that is given back all at once. Where there was none once, there is none afterwards: the last one asked for tells of all. One thread. */
#ifndef AIE_ARENA_H
#define AIE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct aie_arena;
/* NULL: no memory. */
struct aie_arena *aie_arena_create(void);
void aie_arena_destroy(struct aie_arena *arena);
/* Zeroed, aligned for anything; NULL: no memory, or the bytes are more than a size_t. */
void *aie_arena_take(struct aie_arena *arena, size_t count, size_t size);
/* `bytes` and a 0 behind them. */
char *aie_arena_copy(struct aie_arena *arena, const char *bytes, size_t length);
/* Room for row `count` of rows that grew by this alone, one at a time: the rows, moved when count is a power of two. */
void *aie_arena_grow(struct aie_arena *arena, const void *rows, uint32_t count, size_t size);

#endif
