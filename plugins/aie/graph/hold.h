/* SPDX-License-Identifier: MIT */
/* hold.h - layouts applied to acts: a part of a sharded tensor comes to the core that holds it, goes from there to who reads it, and comes back from who wrote it
 * when somebody else wants it, and in the end. Elements that nobody writes lie in replicas along the axes that do not shard them. Parts that several cores hold in pieces lie in memory. One thread. */
#ifndef AIE_HOLD_H
#define AIE_HOLD_H

#include "aie/graph/act.h"
#include "aie/graph/executor.h"
#include "aie/graph/layout.h"

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
/* The executor that holds all of an area; PTOWSP_NONE: there is no layout, or several do. */
uint32_t aie_hold_of(const struct aie_layout *layouts, const struct aie_area *area);
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
