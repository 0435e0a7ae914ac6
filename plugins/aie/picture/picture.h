/* SPDX-License-Identifier: MIT */
/* picture.h - an array with what lies on it: as a drawing (SVG) and as JSON. Both are text of plain structs, the same for the same ones. Any thread. */
#ifndef AIE_PICTURE_H
#define AIE_PICTURE_H

#include "aie/place/route.h"

/* A stretch of a tile's memory, behind the one before it. */
struct aie_picture_part {
	const char *name;
	uint64_t bytes;
};
struct aie_picture_tile {
	int32_t column, row;
	const char *const *nodes; /* names of what is on it */
	const struct aie_picture_part *parts;
	uint32_t node_count, part_count;
	uint64_t used[AIE_LIMITS]; /* of these are shown: MEMORY, BDS, LOCKS, DMA_IN, DMA_OUT */
	uint64_t busy;             /* of a core: cycles that it computes, where the run's are known */
	uint64_t program, frame;   /* of a core: bytes of its program and of its functions' largest frame, by a stand-in; program 0: nobody measured */
};
/* The stream of a flow. */
struct aie_picture_stream {
	const char *name;
	const char *text; /* for people: what it carries; NULL: nothing is said */
	uint64_t words;   /* that go this way in a run; 0: not known */
};
struct aie_picture {
	const struct aie_arch *arch;
	const char *title;
	const struct aie_picture_tile *tiles; /* those of the array that are not among them are empty */
	uint32_t tile_count;
	uint64_t cycles;  /* of the run by the model, not measured; 0: not known */
	uint32_t grid[2]; /* rows and columns of the schedule's grid, as far as it is obeyed; 0: there is none */
	const struct aie_flow *flows;
	const struct aie_picture_stream *streams;
	const struct aie_routes *routes; /* of the flows; as many flows and streams as it has routes */
};
/* The most that a stream can carry, bytes per second: 4 per cycle; those that end at shims share what the memory gives (aie_arch.h), evenly. */
uint64_t aie_picture_bandwidth(const struct aie_picture *picture, uint32_t stream);
/* The stream with the least of it, of equal ones that with the most words, then the first; NONE where there are no streams. */
uint32_t aie_picture_narrowest(const struct aie_picture *picture);
/* Text that ends with a 0, to be freed; NULL: no memory. */
char *aie_picture_svg(const struct aie_picture *picture);
char *aie_picture_json(const struct aie_picture *picture);

#endif
