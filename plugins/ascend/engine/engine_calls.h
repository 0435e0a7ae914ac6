/* SPDX-License-Identifier: MIT */
/* engine_calls.h - the kernels of one run in the runtime's simulation, where they are functions of this process: a record per task that the kernel adapter (adapter.h)
 * leads to, the task's kernel called with scratch memory of base, its cycles and its failure kept. */
#ifndef ASCEND_ENGINE_CALLS_H
#define ASCEND_ENGINE_CALLS_H

#include "ascend/adapter.h"
#include "ascend/plan/plan_make.h"
#include "rt/program/rt_program.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { ASCEND_WORKERS = 64, ASCEND_LINE = 64 };
/* A worker of base's scratch memory, in a cache line of its own. */
struct ascend_worker {
	_Alignas(ASCEND_LINE) _Atomic uint32_t busy;
};
/* Calls of a run. What every call asks comes first, and nobody writes it while they go on. */
struct ascend_calls {
	const struct rt_program *program; /* borrowed, as is */
	bool bare;                        /* ascend_plan_rules */
	_Atomic uint8_t *over;            /* by step, modulo over_count: it no longer runs; NULL: nobody asks */
	uint64_t over_count;
	_Atomic uint32_t stop; /* no further kernels */
	uint32_t workers;
	_Atomic uint32_t waiting; /* threads that found none idle */

	pthread_mutex_t lock; /* guards what follows, and waiting for a worker; a leaf */
	pthread_cond_t idle;
	bool made;       /* both of these are there */
	uint64_t failed; /* number of the first task that failed, UINT64_MAX: none */
	ptowsp_status status;
	struct ptowsp_error said;
	struct ascend_worker rows[ASCEND_WORKERS]; /* of workers */
};
/* calls: zeroed. workers: at least 1; at most ASCEND_WORKERS are used. One thread; to be finished in any case. */
void ascend_calls_init(struct ascend_calls *calls, const struct rt_program *program, uint32_t workers);
void ascend_calls_finish(struct ascend_calls *calls); /* of a zeroed one, too */
/* No further kernels. Any thread. */
void ascend_calls_stop(struct ascend_calls *calls);
/* Any thread. OK, or the status of the first task that failed so far, and its error. */
ptowsp_status ascend_calls_result(struct ascend_calls *calls, struct ptowsp_error *error);

struct ascend_batch;
/* The call of a task, or of a copy. Each cache line of it may have to come from the thread that walked the task: its only call reads the first one, and the second, which is fetched meanwhile. */
struct ascend_called {
	_Alignas(ASCEND_LINE) struct ascend_call call;
	struct ascend_batch *batch;
	const uint64_t *args; /* of the task, in its walk, as tensors */
	const struct ptowsp_tensor_arg *tensors;
	uint32_t row;  /* of the task in its walk, or of the copy */
	uint32_t step; /* in the run */
	uint32_t kernel, executor, stream, process;
	uint16_t unit, blocks; /* of the task; blocks of a copy: 0 */
	uint8_t arg_count, tensor_count;
	uint8_t shape;                   /* enum ascend_step_shape */
	bool fresh : 1, only : 1;        /* versions begin with it; its call is the only one */
	struct ptowsp_tensor_arg tensor; /* the task's only one, beside those of the walk */
	uint64_t known, cycles;          /* of the task or its block: known before, and then what its kernel said; of several blocks the most */
	_Atomic uint32_t
		taken; /* of what is called several times, or begins versions, as what follows. A task of a cluster is called on each of its cores: the first one does it */
	_Atomic uint32_t cleared;      /* of a task that begins versions: 1, somebody writes their zeros, 2, they are there */
	_Atomic uint32_t left;         /* calls that are still to come back: of each block on each core of its shape */
	_Atomic uint8_t *blocks_taken; /* of a task that has several; NULL: it has one */
};
_Static_assert(offsetof(struct ascend_called, tensor) == ASCEND_LINE && offsetof(struct ascend_called, taken) == 2 * ASCEND_LINE, "layout");
/* Tasks that the runtime is given together: where they come from, their steps, and what their kernels need. */
struct ascend_batch {
	struct ascend_calls *calls;
	struct base_walk own;   /* of one that comes with others */
	struct base_walk *walk; /* that, or one that is all there is */
	struct ascend_plan_part part;
	struct ascend_plan_head over, *plan; /* over the part's rows; that, or a block of its own */
	struct ascend_called *records;       /* per task and copy, in the order of steps */
	uint32_t record_count, record_room;
	_Atomic uint8_t *taken;    /* of all tasks that have several blocks */
	struct ascend_batch *next; /* ascend_stream */
	bool read;
};
/* The batch's steps and their records, of its walk. whole: as one block, and no batch follows; last: none does. A batch that is over may be filled again. Errors: of ascend_maker_take. */
ptowsp_status ascend_batch_plan(struct ascend_batch *batch, struct ascend_maker *maker, bool whole, bool last, struct ptowsp_error *error);
/* Cycles that the kernels said go to the walk; those of several blocks in rounds of so many cores. */
void ascend_batch_cycles(struct ascend_batch *batch, uint32_t vectors, uint32_t cubes);
struct ascend_batch *ascend_batch_create(struct ascend_calls *calls); /* NULL: no memory */
void ascend_batch_destroy(struct ascend_batch *batch);                /* and those behind it; NULL is allowed */

#endif
