/* SPDX-License-Identifier: MIT */
/* crew.h - running kernels: on the calling thread as tasks are issued, or on the worker threads in any order that their predecessors allow. */
#ifndef RT_CREW_H
#define RT_CREW_H

#include "rt/access.h"
#include "rt/pool.h"
#include "rt/ready.h"
#include "rt/ring.h"

/* A task as its kernel sees it. */
struct rt_call {
	const struct rt_site *site;
	uint64_t number, cycles; /* cycles: preset */
	uint32_t kernel, executor, stream;
	const uint64_t *args;
	const uint64_t *windows; /* per tensor argument: start (signed), length */
};
struct rt_crew {
	const struct rt_program *program;
	const struct rt_tensors *tensors;
	struct rt_pool *pool;
	uint32_t threads;     /* 1: tasks run where they are issued, ring and ready are not used */
	bool entered;
	struct ptowsp_tensor_arg *scratch; /* most_ios per worker */
	uint32_t scratch_stride;
	struct rt_ring ring;
	struct rt_ready ready;
	_Atomic uint32_t stop; /* no more tasks are begun */
	_Atomic uint32_t *kernel_ns; /* per KREG row: how long its latest sampled task took; UINT32_MAX: not known */
	pthread_mutex_t lock;  /* of what follows */
	ptowsp_status status;  /* the failure of the lowest task number among those known */
	uint64_t failed_task;
	struct ptowsp_error error;
};
/* window: tasks in flight at most, 0 unbounded. Errors: NO_MEMORY. */
ptowsp_status rt_crew_init(struct rt_crew *crew, const struct rt_program *program, const struct rt_tensors *tensors,
			   struct rt_pool *pool, uint64_t window, struct ptowsp_error *error);
/* Sends workers home, waits for what is running. */
void rt_crew_finish(struct rt_crew *crew);
/* Runs a kernel on this thread. *cycles_out: what it reported. */
ptowsp_status rt_crew_call(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, uint64_t *cycles_out,
			   struct ptowsp_error *error);
/* Runs a task of the ring and makes its successors ready; for the expander while it waits. */
void rt_crew_run(struct rt_crew *crew, uint32_t slot, uint32_t worker);
/* A kernel that takes less time than handing a task to another thread and waking it. */
static inline bool rt_crew_brief(const struct rt_crew *crew, uint32_t kernel)
{
	return atomic_load_explicit(&crew->kernel_ns[kernel], memory_order_relaxed) < 150;
}
/* The failure, if there is one. */
ptowsp_status rt_crew_status(struct rt_crew *crew, struct ptowsp_error *error);

#endif
