/* SPDX-License-Identifier: MIT */
/* shards.h - layouts: with a grid (spatial_map, or one that dispatch threshold picks) every executor of the grid has memory of its own, and a sharded tensor lies in pieces in it.
 *
 * Before the kernels of a run begin, such a tensor is cut into shards, which are copied to their owners; a task gets what it touches out of the
 * owners' memory and writes what it has written back to it; after the run the shards are put together again. Bytes between a task and its own executor's
 * memory are local, others are moved. Results are those without a layout, because a task touches what it touched before, in the same order.
 *
 * Dimension d sharded over mesh axis m (0: rows of the grid, 1: columns) is cut into blocks of ceil(extent / size of m); block b belongs to
 * coordinate b. Along an axis over which a tensor is not sharded coordinate 0 owns it. */
#ifndef BASE_SHARDS_H
#define BASE_SHARDS_H

#include "base/instance.h"
#include "rt/rt.h"
#include <stdatomic.h>

#define BASE_WHOLE 255u /* of a dimension: not cut */

struct base_shard {
	unsigned char *memory;
	uint64_t bytes;
};
/* A sharded tensor. The first part is fixed at load, the second one from begin to end of a run. */
struct base_sharded {
	uint32_t tensor, rank; /* row of TENS */
	uint8_t axis[4];       /* per dimension: mesh axis or BASE_WHOLE */
	unsigned char *data;   /* of the host's tensor; NULL: not in this run */
	uint64_t elements, size, extents[4], block[4];
	struct base_shard *shards;             /* one per place of the grid */
	_Atomic uint64_t local, moved, placed; /* bytes */
};
struct base_shards {
	const struct base_instance *instance;
	uint64_t grid[2]; /* rows, columns; 0: there is none. chosen: of the latest run, set before begin; 0: of that run */
	bool chosen;      /* dispatch threshold picks the grid, run by run (rt/grid.h) */
	struct base_sharded *rows;
	uint32_t count, room;
	struct ptowsp_layout_stats *stats; /* one per row */
	bool own;                          /* the backend's engine places shards and fills stats: begin and end do nothing */
};

/* From declarations and the schedule. Tensors that the core itself reads, for slots, axes and copies, stay whole, which is said once per tensor.
 * Errors: BAD_PACKAGE (an unknown tensor, a layout without a grid, two dimensions over one axis, more dimensions than there are), NO_MEMORY. */
ptowsp_status base_shards_init(struct base_shards *shards, const struct base_instance *instance, const struct rt_program *rt, struct ptowsp_error *error);
void base_shards_finish(struct base_shards *shards); /* of zeroed ones too */
/* Around a run with kernels. begin copies tensors to their owners (NO_MEMORY: nothing is left behind), end back. */
ptowsp_status base_shards_begin(struct base_shards *shards, const struct ptowsp_run_args *args, struct ptowsp_error *error);
void base_shards_end(struct base_shards *shards);
/* "S0,R", of so many dimensions. */
void base_sharded_text(const struct base_sharded *row, uint32_t rank, char text_out[16]);
/* The figures of the latest run into stats. */
void base_shards_stats(const struct base_shards *shards, struct ptowsp_run_stats *stats);

/* One task's way through its owners' memory: open gives it windows on copies, close writes back and frees. */
struct base_stage;
/* *stage_out NULL: the task touches nothing that is sharded. touched: what the kernel touches relative to its flat windows; UNSUPPORTED: all
 * of them. */
ptowsp_status base_stage_open(struct base_stage **stage_out, struct base_shards *shards, const struct rt_kernels *kernels, struct ptowsp_task *task,
			      struct ptowsp_error *error);
void base_stage_close(struct base_stage *stage);

#endif
