/* SPDX-License-Identifier: MIT */
/* spu_work.h - what tasks of a walk do on StarPU's workers: the kernel's call, when it was, and the lowest task that failed. */
#ifndef SPU_WORK_H
#define SPU_WORK_H

#include "spu_program.h"

/* When a task really ran, on the host's clock. */
struct spu_time {
	uint64_t begin, end;
};
/* Constant while workers run, but for what they write. */
struct spu_work {
	struct spu_program *program;
	const struct base_walk *walk;
	const struct spu_device *device;
	const struct rt_run_args *run;
	const struct spu_part *part; /* NULL, or what of the run is this rank's */
	struct spu_blocks *blocks;   /* borrowed */
	struct spu_time *times;      /* owned, per task of the walk */
	uint64_t *cycles;            /* owned, per task of the walk */
	pthread_mutex_t lock;        /* guards what follows */
	ptowsp_status status;        /* of the lowest task that failed */
	struct spu_opencl *at;       /* the OpenCL worker on which it did, NULL: another one */
	struct ptowsp_error why;
	_Atomic uint64_t failed; /* that task; later ones do not begin. UINT64_MAX: none */
	_Atomic bool left_out;   /* a task did not begin, or was not submitted */
};

/* Borrowed members are set before. Errors: NO_MEMORY. */
ptowsp_status spu_work_init(struct spu_work *work, struct ptowsp_error *error);
void spu_work_finish(struct spu_work *work);
uint64_t spu_work_now(const struct spu_work *work);
/* The number in the program of a task of the walk. */
uint64_t spu_work_number(const struct spu_work *work, uint64_t task);
/* A task of the walk, on the worker that this thread is; interfaces: StarPU's of its uses. */
void spu_work_do(struct spu_work *work, uint64_t task, const struct spu_uses *uses, void **interfaces);
/* The status of the lowest task that failed, its sentence in work->why. Called behind all tasks. */
ptowsp_status spu_work_outcome(struct spu_work *work);

#endif
