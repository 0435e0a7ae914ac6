/* SPDX-License-Identifier: MIT */
/* engine_calls.h - the kernels of one run in the runtime's simulation, where they are functions of this process: a record per task that the kernel adapter (adapter.h)
 * leads to, the task's kernel called with scratch memory of base, its cycles and its failure kept. */
#ifndef ASCEND_ENGINE_CALLS_H
#define ASCEND_ENGINE_CALLS_H

#include "ascend/adapter.h"
#include "base/walk.h"
#include "rt/program/rt_program.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ascend_calls;
struct ascend_called {
	struct ascend_call call;
	struct ascend_calls *calls;
	uint64_t number;               /* of the task, in the walk; of the move, behind those of tasks */
	_Atomic uint32_t taken;        /* a task of a cluster is called on each of its cores: the first one does it */
	_Atomic uint8_t *blocks_taken; /* the same of each block; NULL: it has one */
};
struct ascend_calls {
	const struct rt_program *program; /* borrowed, as is */
	const struct base_walk *walk;
	struct ascend_called *records; /* per task, then per move; NULL: none are called */
	uint64_t *cycles;              /* per task: known before, then what its kernel said; of several blocks the most, to be multiplied by their rounds */
	_Atomic uint8_t *taken;        /* of the blocks of tasks that have several */
	const uint16_t *blocks;        /* per KREG row, at least 1; borrowed */
	_Atomic uint32_t stop;         /* no further kernels */

	pthread_mutex_t lock; /* guards what follows; a leaf */
	pthread_cond_t idle;
	bool made;     /* both of these are there */
	uint64_t busy; /* bit per worker of base's scratch memory */
	uint32_t workers;
	uint64_t failed; /* number of the first task that failed, UINT64_MAX: none */
	ptowsp_status status;
	struct ptowsp_error said;
};
/* calls: zeroed. blocks: per KREG row. workers: at least 1; at most 64 are used. Errors: NO_MEMORY. One thread; to be finished in any case. */
ptowsp_status ascend_calls_init(struct ascend_calls *calls, const struct rt_program *program, const struct base_walk *walk, const uint16_t *blocks,
				uint32_t workers, struct ptowsp_error *error);
void ascend_calls_finish(struct ascend_calls *calls); /* of a zeroed one, too */
/* Records of all tasks, which any thread of the runtime may call from here on. Errors: TOO_SMALL for more than an entry tensor has bytes; NO_MEMORY. */
ptowsp_status ascend_calls_record(struct ascend_calls *calls, struct ptowsp_error *error);
/* No further kernels. Any thread. */
void ascend_calls_stop(struct ascend_calls *calls);
/* When the runtime is done. OK, or the status of the first task that failed, and its error. */
ptowsp_status ascend_calls_result(const struct ascend_calls *calls, struct ptowsp_error *error);

#endif
