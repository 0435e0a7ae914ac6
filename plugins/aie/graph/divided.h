/* SPDX-License-Identifier: MIT */
/* divided.h - a walk in which every call fits into a core: those that do not are several, one behind the other, each a task of its own with a program and windows of its own (divide.h). What
 * pieces hand each other lies in tensors of its own. One thread. */
#ifndef AIE_DIVIDED_H
#define AIE_DIVIDED_H

#include "aie/graph/act.h"
#include "aie/graph/divide.h"
#include "aie/graph/layout.h"

struct aie_map_args;

/* Calls that are divided: those that need more than a core has, or all that take a larger part of it. */
struct aie_divided_way {
	uint32_t share; /* calls that do not fit into a core's memory by so much are divided, 1: by all of it */
	uint32_t times; /* parts fit so many times */
	bool beside;    /* cells may use memories beside them, whether a call has to or not */
};
/* Calls of a kernel with windows alike, that are divided alike; or (beside) all of one kernel that cannot be, and have room with memories beside their core: its division has a text alone. */
struct aie_divided_row {
	struct aie_division division;
	bool beside;
	uint32_t kernel;      /* KREG row */
	uint32_t first;       /* kernel of its first program */
	uint64_t calls, need; /* need: bytes of a core that the first of them takes */
};
struct aie_divided {
	bool refused;                /* a call has to be divided and cannot be */
	bool beside;                 /* cells may use memories beside them: there are such rows, or the way says so */
	bool any;                    /* some call is divided; else there are no more than rows of others here */
	struct base_walk walk;       /* its args, moves and capacities are those of the walk that it is made of */
	struct base_kernels kernels; /* rows of the package, one for COPY, then those of parts */
	uint32_t package;            /* rows of the package */
	uint64_t *tasks;             /* per task of the walk: the one that it is a part of */
	struct aie_divided_row *rows;
	uint32_t row_count, row_room;
	/* Per TENS row, and behind them those between pieces. */
	struct aie_tensor *tensors;
	void **bases;
	uint8_t *kept;
	struct aie_layout *layouts; /* NULL: there are none */
	uint8_t *stated;            /* per kernel */
	uint32_t tensor_count, own; /* tensors in all; of the package */
	unsigned char *between;     /* memory of those between pieces */
	char (*names)[64];          /* per kernel of a part */
};
/* Fills a zeroed or finished one; acts: of the walk, with their stacks (fits.h). Errors: UNSUPPORTED naming the first task that cannot be divided, its kernel, what it needs, what there is, and why; NO_MEMORY. */
ptowsp_status aie_divided_make(struct aie_divided *divided, const struct aie_acts *acts, const struct aie_map_args *args, struct aie_divided_way way,
			       struct ptowsp_error *error);
void aie_divided_finish(struct aie_divided *divided);
/* KREG row of a kernel: its own, or that of which it is a part. */
uint32_t aie_divided_kernel(const struct aie_divided *divided, uint32_t kernel);
/* The task of the walk before, of which this is a part, or which it is. */
static inline uint64_t aie_divided_task(const struct aie_divided *divided, uint64_t task)
{
	return divided->any ? divided->tasks[task] : task;
}
/* Runs a kernel of parts, as rt_kernels.run does. */
ptowsp_status aie_divided_run(struct aie_divided *divided, struct base_kernels *watched, const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
/* Kernels that acts are asked of; with `divided` and the others' as its context. */
struct aie_divided_kernels {
	const struct aie_divided *divided;
	const struct rt_kernels *others;
	struct rt_kernels own;
};
struct rt_kernels aie_divided_table(struct aie_divided_kernels *kernels);

#endif
