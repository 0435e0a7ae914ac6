/* SPDX-License-Identifier: MIT */
/* kernel_parts.h - a kernel makes whole windows of parts of tiles by itself: what C, CUDA and OpenCL C have in common. The includer has tile_call, tile_window and tile_fail, and says TILE_PARTS, how
 * a function is declared, and TILE_SYNC, a barrier of the threads that share a call, each of which has `parts` of its own. */
#ifndef ISA_KERNEL_PARTS_H
#define ISA_KERNEL_PARTS_H

#include "isa/tile_part.h"

/* The tile of a parameter of which a task may have only a part; rows 0: none. */
struct tile_whole {
	uint32_t bytes, rows, columns; /* of an element; of the tile */
	uint64_t at;                   /* where a copy lies in the memory of the call */
};

/* Whole windows are parts[i].window, of so many parameters. memory: of the call; place: for the sentence. */
TILE_PARTS ptowsp_status tile_parts_open(struct tile_call *call, const struct tile_whole *wholes, struct tile_part *parts, uint32_t count, TILE_BYTE *memory,
					 const char *place)
{
	for (uint32_t i = 0; i < count; i++) {
		struct tile_part *p = &parts[i];

		p->window = p->part = *tile_window(call, i);
		p->size = wholes[i].bytes;
		p->copied = false;
		if (wholes[i].rows && p->part.data && tile_part_is(&p->part, p->part.dtype, wholes[i].rows, wholes[i].columns))
			tile_part_whole(p, wholes[i].rows, wholes[i].columns);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first, other;

		if (!parts[i].copied)
			continue;
		other = tile_part_shared(parts, count, i, &first);
		if (other < count)
			return tile_fail(call, place, TILE_PARTS_MEET, other < i ? other : i, other < i ? i : other);
		parts[i].window.data = memory + wholes[first].at;
		if (first == i)
			tile_part_fill(&parts[i]);
	}
	TILE_SYNC;
	return PTOWSP_OK;
}

/* What is there of windows that are written goes back, after a failure of the kernel too. */
TILE_PARTS void tile_parts_close(const struct tile_part *parts, uint32_t count)
{
	TILE_SYNC;
	for (uint32_t i = 0; i < count; i++)
		if (parts[i].copied && parts[i].part.access & PTOWSP_WRITE)
			tile_part_return(&parts[i]);
}

#endif
