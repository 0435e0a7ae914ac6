/* SPDX-License-Identifier: MIT */
/* parts_flow.h - which tiles of a kernel are there only as far as the parts that its tasks get, and where that makes a difference: an operation that brings elements of different rows or
 * columns together has to see something where there is nothing. */
#ifndef LANG_PARTS_FLOW_H
#define LANG_PARTS_FLOW_H

#include <stdbool.h>

#include "lang/builder/tile_code.h"

/* Numbers of extents, a bit each: the least of them is how many rows or columns are there; none: all. */
struct lang_dims {
	uint64_t rows, columns;
	uint8_t zero; /* the missing part is 0, as it was loaded */
};
struct lang_parts {
	const struct lang_dims *memrefs; /* per parameter */
};
enum lang_filling { LANG_FILL_ZERO, LANG_FILL_MINUS_ZERO, LANG_FILL_LEAST, LANG_FILL_GREATEST, LANG_FILLINGS };
struct lang_parts_sink {
	void *context;
	/* Later calls are of that instruction. */
	void (*at)(void *context, uint32_t inst);
	/* Before it, missing columns (or rows) of the tile have to be filled. */
	void (*want)(void *context, uint16_t tile, bool columns, uint64_t extents, enum lang_filling filling);
	/* inst works on no parts. */
	void (*refuse)(void *context, const struct ptowsp_tile_inst *inst, const char *why);
};
void lang_parts_flow(const struct lang_parts *parts, const struct lang_tile_code *code, const struct lang_parts_sink *sink);

#endif
