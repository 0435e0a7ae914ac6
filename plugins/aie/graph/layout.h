/* SPDX-License-Identifier: MIT */
/* layout.h - which tile of a grid holds which part of a tensor: dimension d that is sharded over axis m of the grid (0: its rows, 1: its columns) is cut into blocks of
 * ceil(extent / size of m), of which the last may be shorter and those behind it empty; block b lies at coordinate b. Along an axis that shards nothing every coordinate may
 * have a replica, and coordinate 0 holds the part. Pure, any thread. */
#ifndef AIE_LAYOUT_H
#define AIE_LAYOUT_H

#include "aie/graph/act.h"
#include "aie/graph/executor.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AIE_LAYOUT_RANK = 4, AIE_LAYOUT_TEXT = 16, AIE_WHOLE = 255 };
struct aie_layout {
	uint32_t rank;                     /* 0: there is none */
	uint8_t axis[AIE_LAYOUT_RANK];     /* per dimension, AIE_WHOLE: replicated; no axis twice */
	uint64_t extents[AIE_LAYOUT_RANK]; /* elements, outermost first, none 0 */
	uint64_t grid[2];                  /* rows, columns, none 0 */
};
struct aie_layout_tile {
	uint64_t row, column; /* of the grid */
};
/* The holder of the element with this index, one number per dimension, each below its extent. */
struct aie_layout_tile aie_layout_get_tile(const struct aie_layout *layout, const uint64_t *index);
/* Extents of what the tile holds, any may be 0; returns how many elements that are. */
uint64_t aie_layout_part(const struct aie_layout *layout, struct aie_layout_tile tile, uint64_t *extents_out);
/* The holder of element number `element`; returns how many from there on, one behind the other, it holds without a gap. */
uint64_t aie_layout_run(const struct aie_layout *layout, uint64_t element, struct aie_layout_tile *tile_out);
/* Has the tile the same part as the other one, as its holder or as a replica? */
bool aie_layout_replicates(const struct aie_layout *layout, struct aie_layout_tile tile, struct aie_layout_tile other);
/* May an operation take parts of both as they are? No dimension is sharded over different axes. Of different ranks: nothing is said. */
bool aie_layout_fits(const struct aie_layout *a, const struct aie_layout *b);
/* "S0,R"; text has AIE_LAYOUT_TEXT bytes. */
void aie_layout_text(const struct aie_layout *layout, char *text);

/* Layouts applied to acts: a part of a sharded tensor comes to the core that holds it, goes from there to who reads it, and comes back from who wrote it
 * when somebody else wants it, and in the end. Elements that nobody writes lie in replicas along the axes that do not shard them. Parts that several cores hold in pieces lie in memory. One thread. */
/* Bytes that tasks read and write, in parts that their own core holds or in others. */
struct aie_hold_count {
	uint64_t local, moved;
};
struct aie_hold {
	struct aie_act *rows; /* acts with those of holders between them */
	struct aie_use *uses;
	uint32_t count, room, use_count, use_room;
	struct aie_hold_count *counts; /* per tensor */
};
struct aie_hold_args {
	const struct aie_acts *acts;
	const struct aie_layout *layouts; /* per tensor */
	uint32_t tensor_count;
	const uint8_t *stated;                 /* per kernel: it says itself how its operands are laid out, and takes any that its package let pass */
	const struct aie_executors *executors; /* of a grid, those of holders among them */
	struct aie_called names;
};
/* Holders of all areas, count of them into a list of the caller's to free; NULL: no memory. */
uint32_t *aie_hold_all(const struct aie_acts *acts, const struct aie_layout *layouts, uint32_t *count_out);
/* The executor of each task of the workload, where only layouts say so: the holder of what it writes, else of what it reads, else as of the task before it. Per task, the
 * caller's to free; NULL: no memory. */
uint32_t *aie_hold_executors(const struct aie_acts *acts, const struct aie_layout *layouts, uint64_t task_count);
/* Fills a zeroed or finished hold. Errors: INVALID naming kernel, tensors and layouts where those of a call do not fit; NO_MEMORY. */
ptowsp_status aie_hold_make(struct aie_hold *hold, const struct aie_hold_args *args, struct ptowsp_error *error);
/* Changes acts and uses with those of the program. */
void aie_hold_swap(struct aie_hold *hold, struct aie_acts *acts);
void aie_hold_finish(struct aie_hold *hold);

#endif
