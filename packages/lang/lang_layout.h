/* SPDX-License-Identifier: MIT */
/* lang_layout.h - layouts: per dimension of a tensor, replicated or sharded over an axis of the grid. The layout of two together. */
#ifndef LANG_LAYOUT_H
#define LANG_LAYOUT_H

#include <stdbool.h>

#include "lang/diag.h"

#define LANG_MAX_RANK 4u

struct lang_parser;
struct ptowsp_memory_record;
struct ptowsp_dim_record;

/* layout(S(0), R): per dimension, replicated or sharded over an axis of the grid. */
struct lang_layout_dim {
	uint8_t sharded;    /* 0: R */
	uint16_t mesh_axis; /* of S(axis) */
	struct lang_span at;
};
/* mem(order): how the elements lie in memory. */
struct lang_memory {
	uint8_t stated;
	uint16_t order;                         /* PTOWSP_MEMORY_x */
	uint32_t swizzle;                       /* bits; 0: none */
	uint32_t numbers[LANG_MAX_RANK], count; /* rows and columns of a block, or strides */
	struct lang_span at;
};
struct lang_layout {
	uint8_t stated; /* 0: nothing is written, all dimensions are R */
	uint8_t rank;
	struct lang_layout_dim dims[LANG_MAX_RANK];
	struct lang_memory memory;
	struct lang_span at;
};

/* --- algebra: pure, any thread --- */

enum lang_join {
	LANG_JOIN_OK,
	LANG_JOIN_AXES,  /* one dimension is sharded over two different axes */
	LANG_JOIN_TWICE, /* one axis would shard two dimensions */
	LANG_JOIN_RANK,  /* the numbers of dimensions differ */
};
/* The layout where a and b meet, per dimension: R with R is R, R with S(i) is S(i), S(i) with S(i) is S(i). All else is a contradiction,
 * *dim_out then being the first dimension that has it (0 of RANK). A layout that is not stated agrees with all. joined_out may be NULL; it
 * is written after OK only. */
enum lang_join lang_layout_join(const struct lang_layout *a, const struct lang_layout *b, struct lang_layout *joined_out, uint32_t *dim_out);
/* The most sharded layout that joins with both and keeps only what a has: a with R where b contradicts it. Ranks are equal. */
struct lang_layout lang_layout_bridge(const struct lang_layout *a, const struct lang_layout *b);

/* The layout that dimensions of a package state; replicated: 1 if that is stated of all of them. */
struct lang_layout lang_layout_of(const struct ptowsp_dim_record *dims, uint32_t count, int replicated);

enum lang_collective {
	LANG_COLLECTIVE_FITS,
	LANG_COLLECTIVE_SOURCE, /* the source is wrong; below, the target */
	LANG_COLLECTIVE_TARGET,
	LANG_COLLECTIVE_RELAYOUT, /* relayout would do */
	LANG_COLLECTIVE_OTHERS,   /* its other dimensions: relayout in front or behind would do */
	LANG_COLLECTIVE_COPY,     /* copy would do */
	LANG_COLLECTIVE_REDUCE,   /* all_reduce would do */
};
#define LANG_COLLECTIVE_TEXT 128u
/* May all_gather, broadcast, all_reduce or reduce_scatter go from the one layout to the other? The first dimension of what is reduced counts the
 * contributions, the others are the target's. why has LANG_COLLECTIVE_TEXT bytes: a sentence where it does not fit. */
enum lang_collective lang_layout_collective(const char *word, const struct lang_layout *from, const struct lang_layout *to, char *why);

#define LANG_LAYOUT_TEXT 64u /* bytes: four times "S(65535)" and what is around them are 47 */
/* "layout(S(0), R)"; of a layout that is not stated "layout()". text has LANG_LAYOUT_TEXT bytes. */
void lang_layout_print(const struct lang_layout *layout, char *text);

/* --- sources --- */

/* "layout(...)" and "mem(...)" at the next token, either or both. 0 after an error. */
bool lang_layout_parse(struct lang_parser *parser, struct lang_layout *layout);
/* "mem(blocked(16, 16) swizzle 3)" */
#define LANG_MEMORY_TEXT 96u
void lang_memory_print(const struct lang_memory *memory, char *text);
bool lang_memory_equal(const struct lang_memory *a, const struct lang_memory *b);
/* The row of TMEM for it, without a tensor. */
struct ptowsp_memory_record lang_memory_record(const struct lang_memory *memory);
/* Checks the layout of a tensor %name of that many dimensions. 0 after an error. */
bool lang_layout_check(struct lang_unit *unit, const struct lang_layout *layout, const char *name, uint32_t rank);

#endif
