/* SPDX-License-Identifier: MIT */
/* crew.h - running kernels: on the calling thread as tasks are issued, or on the worker threads in any order that their predecessors allow.
 *
 * With several threads a run is in one of two modes. Alone: the calling thread runs each task where it is issued, exactly as with one thread; ring and
 * ready queues do not exist yet, or are empty, and the workers are parked. Sharing: tasks go through the ring. dispatch.c says when which. */
#ifndef RT_CREW_H
#define RT_CREW_H

#include "rt/access/access.h"
#include "rt/threads/ring.h"
#include "rt/threads/workers.h"

/* A task as its kernel sees it. */
struct rt_call {
	const struct rt_site *site;
	uint64_t number, cycles; /* cycles: preset */
	uint32_t kernel, executor, stream;
	const uint64_t *args;
	const uint64_t *windows; /* per tensor argument: start (signed), length as in struct rt_access */
};

/* Calls that a worker keeps, so that a site that is called again writes only its number, its arguments and where its windows begin; one call where sites have more than
 * 64 windows. */
#define RT_CREW_KEPT 8u
struct rt_crew_kept {
	const struct rt_site *site; /* NULL: no call is there */
	struct ptowsp_task task;
};
/* Tasks that the expander finds ready become visible together, so many at most: each time costs as much as several tasks do otherwise. */
#define RT_CREW_FRESH 64u
/* State of one worker. */
struct rt_crew_own {
	struct rt_crew_kept kept[RT_CREW_KEPT];
	struct ptowsp_error error; /* of its latest call; its text is long, so it is begun anew only when something stands there */
	char behind[RT_LINE];
};

struct rt_crew {
	char apart[RT_LINE]; /* workers read the fields below for every task; those above are the expander's */
	const struct rt_program *program;
	struct rt_tensors tensors; /* a copy, for the same reason */
	uint64_t flight;           /* tasks in flight, at most */
	uint64_t brief_ns;         /* kernels that take less are brief: that of the rules, or more where others have enough to do meanwhile */
	struct common_arena *arena;
	struct rt_crew_own *own;           /* per worker */
	struct ptowsp_tensor_arg *windows; /* of calls: per worker `kept` and one of a call that is not kept, windows_stride each */
	uint32_t windows_stride, kept;     /* kept: a power of two */
	struct rt_ring ring;
	struct rt_workers workers; /* tasks behind the first that failed do not begin any more; those before it go on */

	/* the expander's own */
	bool sharing;
	uint64_t since_ns;    /* when that began */
	uint32_t awaited;     /* slot + 1 of the task that the expander waits for; 0: it does not wait */
	uint32_t chained;     /* tasks that it has run one behind the other */
	ptowsp_status looked; /* of the look between them */
	uint64_t fresh_ns;    /* what `fresh` takes, about */
	uint32_t fresh_count;
	uint32_t fresh[RT_CREW_FRESH]; /* slots that were ready when they were added, and that nobody sees yet */
	uint32_t brief_run;            /* tasks of brief kernels since the last one that was not */
	uint64_t long_end;             /* the latest task whose kernel is not brief, + 1 */
};
/* window: tasks in flight at most, 0 unbounded. arena: outlives the crew. Errors: NO_MEMORY. */
ptowsp_status rt_crew_init(struct rt_crew *crew, const struct rt_program *program, const struct rt_tensors *tensors, struct rt_pool *pool, uint64_t window,
			   struct common_arena *arena, struct ptowsp_error *error);
/* Before the first task: worker threads take ready tasks in the order that the schedule and the wishes of programs state. Then the run never goes alone. */
void rt_crew_order(struct rt_crew *crew);
/* Room for so many workers that call rt_crew_call on their own. False when out of memory. */
bool rt_crew_widen(struct rt_crew *crew, uint32_t workers);
/* Sends workers home, waits for what is running. */
void rt_crew_finish(struct rt_crew *crew);
/* The first time that something is to be shared: makes ring and queues. Errors: NO_MEMORY. */
ptowsp_status rt_crew_make(struct rt_crew *crew, struct ptowsp_error *error);
/* The task in a slot as a backend is given it, versions that it makes cleared; windows are the worker's until its next call. */
struct ptowsp_task rt_crew_task(struct rt_crew *crew, const struct rt_slot *slot, uint32_t worker);
/* Runs it on this thread; its sentence is in the worker's error. */
ptowsp_status rt_crew_slot_call(struct rt_crew *crew, struct rt_slot *slot, uint32_t worker, bool timed);
/* Runs a kernel on this thread. timed: how long it takes changes what is known of it. *cycles_out: as reported. */
ptowsp_status rt_crew_call(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, bool timed, uint64_t *cycles_out, struct ptowsp_error *error);

/* When a run with several threads goes alone. The defaults were measured; tests set others, while nothing runs. */
struct rt_crew_rules {
	uint32_t brief_ns;     /* kernels that take less are brief: handing a task over takes longer. 0: none is */
	uint32_t brief_run;    /* tasks of brief kernels in a row before a run goes alone */
	uint32_t sample_every; /* one task in so many is timed */
};
extern struct rt_crew_rules rt_crew_rules;
/* With the ns of a kernel: the next task is timed. */
#define RT_CREW_DOUBTED UINT32_C(0x80000000)
/* The time that is known of a kernel behind a sample. A sample far from it is doubted: a thread that is preempted inside a kernel makes it look long once, and
 * so do windows and code that come from far away the first time. */
uint32_t rt_crew_blend(uint32_t known, uint64_t sample);
/* How long a task of it takes, in ns; UINT32_MAX: not known. */
static inline uint32_t rt_crew_kernel_ns(const struct rt_crew *crew, uint32_t kernel)
{
	/* Relaxed: a figure to choose by, nothing hangs on it. */
	const uint32_t known = atomic_load_explicit(&crew->program->kernel_ns[kernel], memory_order_relaxed);

	return known == UINT32_MAX ? known : known & ~RT_CREW_DOUBTED;
}
static inline bool rt_crew_doubts(const struct rt_crew *crew, uint32_t kernel)
{
	return atomic_load_explicit(&crew->program->kernel_ns[kernel], memory_order_relaxed) & RT_CREW_DOUBTED;
}
/* Is it known to be brief? */
static inline bool rt_crew_brief(const struct rt_crew *crew, uint32_t kernel)
{
	return rt_crew_kernel_ns(crew, kernel) < crew->brief_ns;
}

/* A task of a site as its kernel sees it, but for number, arguments and place. */
static inline struct ptowsp_task rt_site_task(const struct rt_program *program, const struct rt_site *site, uint32_t kernel, struct ptowsp_tensor_arg *windows)
{
	return (struct ptowsp_task){
		.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
		.tensors = windows,
		.arg_count = site->arg_count,
		.tensor_count = site->io_count,
		.tensor_stride = sizeof(*windows),
		.kernel = kernel,
		.unit = program->tables.kernel.rows[kernel].unit,
		.block_count = 1,
	};
}

/* One call. */
static inline ptowsp_status rt_crew_invoke(const struct rt_program *program, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	ptowsp_status status;

#ifdef RT_BREAK_SWAP /* a build for tests only: the checks have to notice two tasks that change places */
	struct ptowsp_task swapped = *task;

	swapped.number += task->number % 100 == 1 ? 1u : task->number % 100 == 2 ? UINT64_MAX : 0u;
	task = &swapped;
#endif
	status = program->kernels.run(program->kernels.runner, task, out, worker);
#ifdef RT_BREAK_ONCE /* a build for tests only: the checks have to notice */
	if (task->number % 100 == 1)
		status = program->kernels.run(program->kernels.runner, task, out, worker);
#endif
	return status;
}
/* Makes what a kernel said, if anything, into a sentence that names the task. */
ptowsp_status rt_crew_failure(const struct rt_program *program, uint32_t kernel, uint64_t task, ptowsp_status status, struct ptowsp_error *error);

#endif
