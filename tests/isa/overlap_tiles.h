/* SPDX-License-Identifier: MIT
 * overlap_tiles.h - tile programs whose stores go where their loads come from: each operation of the table in a branch of its own, on windows that lie over each other in one memory. */
#ifndef PTOWSP_TESTS_OVERLAP_TILES_H
#define PTOWSP_TESTS_OVERLAP_TILES_H

#include "tests/isa/tile_builder.h"

enum { OVERLAP_PARTS = 4, OVERLAP_SECTIONS = 20, OVERLAP_PLACES = 8, OVERLAP_BYTES = 1 << 17 };

/* Windows of a program: of its own type, of what products add up in, of masks, each to be read and to be written; of indices, which have memory of their own. */
enum {
	OVERLAP_READ,
	OVERLAP_READ_2,
	OVERLAP_READ_SUM,
	OVERLAP_READ_MASK,
	OVERLAP_WRITE,
	OVERLAP_WRITE_2,
	OVERLAP_WRITE_SUM,
	OVERLAP_WRITE_MASK,
	OVERLAP_I32,
	OVERLAP_U32,
	OVERLAP_WINDOWS
};

/* What a section stores. */
struct overlap_section {
	unsigned op;     /* 0: there is none */
	unsigned stored; /* element type */
	bool apart;      /* its loads are of windows to be read and come first, its stores go into those to be written */
};
struct overlap_tiles {
	struct tile_builder b;
	struct overlap_section sections[OVERLAP_SECTIONS];
	unsigned dtypes[OVERLAP_WINDOWS];
	uint32_t rows, columns, inner; /* of its tiles */
};

/* One of four parts of all operations on tile_dtypes[type]. A task says by its first argument which section runs, by the others where tiles begin. */
void overlap_tiles_make(struct overlap_tiles *o, uint64_t seed, unsigned type, unsigned part);
/* Elements of all windows. memory, indices: OVERLAP_BYTES each. */
void overlap_tiles_fill(const struct overlap_tiles *o, uint64_t seed, unsigned char *memory, unsigned char *indices);
/* A task of random windows and places: what is read in one memory, what is written in the other at the same distances, or in the same. */
void overlap_tiles_task(const struct overlap_tiles *o, struct tile_task *task, unsigned section, uint64_t seed, unsigned char *read, unsigned char *written,
			unsigned char *indices);

#endif
