/* SPDX-License-Identifier: MIT */
/* device.h - an open device: worker pool, queue of accepted runs, and the runner thread that executes them one by one. */
#ifndef BASE_DEVICE_H
#define BASE_DEVICE_H

#include "instance.h"
#include "models.h"
#include "rt/rt.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct base_buffer;
struct base_fence;
struct base_program;

/* An accepted run: what submit borrowed is copied behind the struct, in one allocation. */
struct base_run {
	struct base_run *next;
	struct base_program *program;
	struct ptowsp_run_args args; /* bindings, values and fences point behind this struct */
	uint64_t bytes;              /* of the allocation */
	_Atomic uint32_t cancel;     /* non-zero asks the run to end */
};

/* Runs are executed in the order in which they were accepted, those that wait for fences left out. The runner is one of the `threads` workers: it calls
 * rt_run. Lock order: `lock` is a leaf, nothing is called with it held. */
struct base_device {
	struct base_instance *instance;
	const struct base_model *model;
	void *own;                     /* the backend's */
	struct base_device *next;      /* in the instance */
	struct base_program *programs; /* loaded ones; main and device calls only */
	struct base_buffer *buffers;   /* likewise */
	struct base_fence *fences;     /* likewise */
	_Atomic uint64_t buffer_bytes; /* changed by these calls; as memory_limit counts them */
	struct rt_pool *pool;          /* used by the runner and by unlocked measuring */
	uint64_t memory_limit;         /* bytes, 0 = none */
	uint32_t threads;              /* workers: those of the pool, and any that the backend's `open` has added */
	pthread_t runner;
	bool several;                                                  /* processors */
	uint32_t have_lock, have_work, have_idle, have_runner, opened; /* how far construction came */

	pthread_mutex_t lock;          /* guards everything below, and program->in_flight */
	pthread_cond_t work, idle;     /* something was queued or stop was set; a run is done */
	struct base_run *first, *last; /* waiting */
	struct base_run *current;      /* being executed, until done has returned */
	uint32_t stop;
	_Atomic uint64_t accepted, completed; /* runs; also read without the lock by who looks before sleeping: queue.c */
	_Atomic bool brief;                   /* the latest run was */
};

/* How many there are of a device that is opened with so many, 0 for none in particular, under these options; NULL: the defaults. Any thread. */
uint32_t base_threads(uint32_t wanted, const struct base_options *options);
/* Destroys a device in any state of construction: cancels what runs, unloads what is loaded, joins. */
void base_device_destroy(struct base_device *device);

ptowsp_status base_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out, struct ptowsp_error *error);
ptowsp_status base_close(struct ptowsp_object *device, struct ptowsp_error *error);

#endif
