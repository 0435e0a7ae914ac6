/* SPDX-License-Identifier: MIT */
/* spu_homes.h - the rank at which a block is at home: where the layout of its tensor says, else by stretches of rows or columns.
 *
 * S(a) cuts a dimension over axis a of a grid into pieces of ceil(extent / size of a); along an axis that cuts no dimension of the tensor the first place has it. The grid is the schedule's (spatial_map), whose
 * places are counted through the ranks; where the schedule has none it is the ranks: all of them along the one axis that layouts name, or over both as nearly square as their number divides. */
#ifndef SPU_HOMES_H
#define SPU_HOMES_H

#include "spu_blocks.h"

/* When a package is loaded: rows of tensors that have a layout come first in `shards`, also where there is no grid. Returns how many. */
uint32_t spu_layouts_find(struct base_shards *shards);
/* A sentence for --explain on so many ranks; "" where there are no layouts. */
void spu_layouts_say(const struct base_shards *shards, uint32_t count, const struct rt_program *program, uint32_t ranks, char *text_out, size_t size);
/* Blocks of a run hear of the layouts of their tensors, which are borrowed, as bindings are. */
void spu_layouts_give(struct spu_blocks *blocks, const struct base_shards *shards, uint32_t count, const struct ptowsp_run_args *args);
/* Adds what a batch did with them to the statistics, a row per layout. */
void spu_layouts_tell(const struct spu_blocks *blocks, const struct base_shards *shards, uint32_t ranks);

/* Places of the schedule's grid, 1 without one. */
uint64_t spu_places(const struct spu_blocks *blocks);
/* Which of so many ranks. */
uint32_t spu_home(const struct spu_blocks *blocks, const struct spu_block *block, uint32_t ranks);

#endif
