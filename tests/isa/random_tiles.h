/* SPDX-License-Identifier: MIT
 * random_tiles.h - a random tile program and a task for it, from a seed: all operations on all element types, chains of them that can be
 * fused, loads and stores that overlap, loops and branches, single elements, now and then something that fails. */
#ifndef PTOWSP_TESTS_RANDOM_TILES_H
#define PTOWSP_TESTS_RANDOM_TILES_H

#include "tests/isa/tile_builder.h"

enum { RANDOM_WINDOWS = 15, RANDOM_BYTES = 1 << 16 };

struct random_tiles {
	struct tile_builder b;
	struct tile_task task;
	unsigned char (*memory)[RANDOM_BYTES]; /* of each window; the caller's */
};

/* memory: RANDOM_WINDOWS of them. The program is named like the seed. */
void random_tiles_make(struct random_tiles *r, uint64_t seed, unsigned char (*memory)[RANDOM_BYTES]);
/* One of four parts of all operations on one type, tile_dtypes[type], each once or not at all where tiles are short; its element type is
 * returned. */
unsigned random_tiles_all(struct random_tiles *r, uint64_t seed, unsigned type, unsigned part, unsigned char (*memory)[RANDOM_BYTES]);
/* All reductions of a tile of a type that goes with the seed, and some operations on elements: of any shape up to 70 x 20, or of 17 x 5. All tiles are stored. */
void random_tiles_shape(struct random_tiles *r, uint64_t seed, bool any, unsigned char (*memory)[RANDOM_BYTES]);
/* The task on a copy of its windows: memory, RANDOM_WINDOWS of them. Of the copy that is returned, the pointers inside still are those of the original. */
struct tile_task random_tiles_task(const struct random_tiles *r, unsigned char (*memory)[RANDOM_BYTES]);

#endif
