/* SPDX-License-Identifier: MIT */
/* sim_walk.h - the order in which a DMA reads or writes memory: runs of bytes, strides apart, as many dimensions of them as it has. */
#ifndef AIE_SIM_WALK_H
#define AIE_SIM_WALK_H

#include "aie/design/design.h"

enum { AIE_WALK_DIMS = 5 };
/* Outermost first; what is one after the other lies in the run. */
struct aie_path {
	uint32_t rank;
	uint64_t sizes[AIE_WALK_DIMS];
	int64_t strides[AIE_WALK_DIMS]; /* bytes */
	uint64_t run;                   /* bytes, above 0 */
	uint64_t bytes;                 /* of all runs */
	int64_t least, beyond;          /* bytes from the first element: what is touched lies within */
	uint32_t pace;                  /* cycles per word, at least 1: short or unaligned runs cost a cycle per element */
};
/* A position on a path. */
struct aie_cursor {
	uint8_t *at;   /* of the present run */
	int64_t marks; /* bytes from each byte to its mark (sim_net.h); 0: all count as written */
	uint64_t into; /* bytes of it that are done */
	uint64_t index[AIE_WALK_DIMS];
};
/* Can a path be made of these? Sizes of at least 1, all within 2^50 bytes. */
bool aie_path_fits(uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes);
/* All elements, of so many bytes each, of sizes and strides (elements), outermost first; rank 0: one element. */
void aie_path_make(struct aie_path *path, uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes);
/* So many bytes, one after the other. */
void aie_path_plain(struct aie_path *path, uint64_t bytes);
/* Do both touch the same bytes, from the first element on, in the same order? */
bool aie_paths_equal(const struct aie_path *a, const struct aie_path *b);

void aie_cursor_begin(struct aie_cursor *cursor, uint8_t *base, int64_t marks);
/* The next bytes of a path, and their marks (NULL: nobody wants those), into rows of them, and back. The caller asks for no more than are left. */
void aie_cursor_get(struct aie_cursor *cursor, const struct aie_path *path, uint8_t *to, uint8_t *marks, uint64_t bytes);
void aie_cursor_put(struct aie_cursor *cursor, const struct aie_path *path, const uint8_t *from, const uint8_t *marks, uint64_t bytes);

#endif
