/* SPDX-License-Identifier: MIT */
/* map.h - a walk as a design: the text that is emitted, and what is known of it besides. With so many cores as fit; where their streams do not, or what they wait for
 * would be a ring, with fewer. One thread. */
#ifndef AIE_MAP_H
#define AIE_MAP_H

#include "aie/design/lower.h"
#include "aie/design/near.h"
#include "aie/graph/cell.h"
#include "aie/graph/divided.h"
#include "aie/graph/executor.h"
#include "aie/graph/layout.h"
#include "aie/graph/order.h"

struct aie_map_args {
	const struct aie_arch *arch;
	const struct base_walk *walk;
	struct base_patience *patience;          /* as in act.h */
	const struct rt_kernels *kernels;        /* asked for footprints */
	void *const *bases;                      /* per TENS row, as in act.h */
	const struct aie_tensor *tensors;        /* per TENS row */
	const uint8_t *kept;                     /* per TENS row: what is written is seen after the run */
	const struct base_kernels *served;       /* as in act.h */
	const struct aie_kernel_object *objects; /* as in lower.h: of the package's kernels */
	uint32_t object_count;
	uint32_t tensor_count, kernel_count;
	uint32_t cells;                         /* most cores, 0: all that there are */
	bool scheduled;                         /* executors of the walk are cores */
	bool must;                              /* and if that cannot be, nothing is mapped */
	uint32_t pool, grid_rows, grid_columns; /* as in executor.h */
	struct aie_pins pins;
	bool by_holder;                   /* executors are those who hold what tasks touch, not those of the walk */
	const struct aie_layout *layouts; /* per TENS row; NULL: there are none, or no grid */
	const uint8_t *stated;            /* per KREG row, as in hold.h */
	uint32_t depth;                   /* objects of a fifo at each end, at least 1 */
	bool exact;                       /* the schedule states it: never fewer */
	const struct aie_bounds *bounds;  /* when tasks may begin, NULL: at any time */
	bool whole;                       /* tasks are counted: none is divided */
	uint32_t queue;                   /* jobs of a stream that the host has under way */
	uint64_t seed;                    /* of the placement */
	enum aie_effort effort;
	struct aie_called names;
};
struct aie_map {
	/* The program that the design is of: as it was given, or with calls divided; tasks and kernels of everything here count there. */
	const struct base_walk *walk;
	const struct base_kernels *kernels;
	void *const *bases;               /* per TENS row, and behind them per tensor of what is divided */
	const struct aie_tensor *tensors; /* likewise */
	struct aie_divided divided;
	struct aie_acts acts;
	struct aie_executors executors;
	struct aie_hold hold;      /* the program's acts while those with holders are in `acts` */
	bool obeyed;               /* executors are cores */
	uint32_t grid[2];          /* and stand on these rows and columns; 0: on none */
	struct ptowsp_error stood; /* the first design that was tried and would stand still: who waits for whom; no text: none */
	bool held;                 /* and hold their parts of tensors */
	char why[512];             /* one of them is not so although the schedule says so: a sentence */
	struct aie_cells cells;
	struct aie_versions versions;
	struct aie_graph graph;
	struct aie_order order;
	struct aie_depths *depths;
	struct aie_place *places; /* per cell, then per stream that begins or ends at the host, then per group, then of tiles beside cells */
	uint32_t place_count;
	enum aie_beside beside;
	bool tight; /* some graph had a cell that its own memory was too small for */
	struct aie_near near;
	struct aie_lowered lowered;
	char *text; /* of the module, in the generic form */
};
/* Fills a zeroed or finished map. Errors: UNSUPPORTED, one sentence with what is needed and the limit: that of the smallest number of cores; NO_MEMORY. */
ptowsp_status aie_map_make(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error);
void aie_map_finish(struct aie_map *map);

/* Places of a graph whose depths are settled. Errors: UNSUPPORTED with node, resource, need and limit; NO_MEMORY. */
ptowsp_status aie_map_place(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error);

#endif
