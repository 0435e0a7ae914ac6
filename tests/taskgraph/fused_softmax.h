/* SPDX-License-Identifier: MIT */
/* fused_softmax.h - the program of the PTO-ISA seed's multi-threaded example (its section 4.5) on the C interface of tasks: softmax along the rows, five tasks
 * per tile of 32 x 128, with C kernels. */
#ifndef TESTS_FUSED_SOFTMAX_H
#define TESTS_FUSED_SOFTMAX_H

#include "rt/task_api.h"

enum { FUSED_SOFTMAX_ROWS = 32, FUSED_SOFTMAX_COLUMNS = 128, FUSED_SOFTMAX_TASKS = 5 /* of a tile */ };

struct fused_softmax {
	struct rt_tasks *tasks;
	uint32_t tiles;        /* that the orchestration function makes; at most those of init */
	float *memory;         /* owned; input begins there */
	float *input, *output; /* tiles * 32 rows of 128 */
	uint32_t kernels[FUSED_SOFTMAX_TASKS];
	uint32_t x, y, shifted, raised, most, sum; /* tensors */
};
/* Fills the input with numbers of its own. config: NULL for the defaults. Errors: those of rt_tasks_create. */
ptowsp_status fused_softmax_init(struct fused_softmax *f, uint32_t tiles, const struct rt_tasks_config *config);
void fused_softmax_finish(struct fused_softmax *f);
/* The orchestration function; context: the struct fused_softmax. */
ptowsp_status fused_softmax_orchestrate(struct rt_tasks *tasks, void *context);
/* How many elements of the output differ from what the same operations give row by row. */
uint64_t fused_softmax_wrong(const struct fused_softmax *f);

#endif
