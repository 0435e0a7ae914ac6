/* SPDX-License-Identifier: MIT */
#include "rt/crew.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"

/* Tasks in flight on worker threads, at most: what the hardware can use, whatever the window is. */
#define FLIGHT_LIMIT (UINT64_C(1) << 14)

static void work(void *context, uint32_t worker);

ptowsp_status rt_crew_init(struct rt_crew *crew, const struct rt_program *program, const struct rt_tensors *tensors,
			   struct rt_pool *pool, uint64_t window, struct ptowsp_error *error)
{
	uint64_t flight = window && window < FLIGHT_LIMIT ? window : FLIGHT_LIMIT;

	memset(crew, 0, sizeof(*crew));
	crew->program = program;
	crew->tensors = tensors;
	crew->pool = pool;
	crew->threads = rt_pool_threads(pool);
	crew->failed_task = UINT64_MAX;
	pthread_mutex_init(&crew->lock, NULL);
	crew->scratch_stride = program->most_ios + 1;
	crew->scratch = calloc((size_t)crew->scratch_stride * crew->threads, sizeof(*crew->scratch));
	if (!crew->scratch)
		return rt_no_memory(error, "tasks in flight");
	if (crew->threads == 1)
		return PTOWSP_OK;
	crew->kernel_ns = malloc(((size_t)program->tables.kernel.count + 1) * sizeof(*crew->kernel_ns));
	if (!crew->kernel_ns)
		return rt_no_memory(error, "tasks in flight");
	for (uint32_t k = 0; k < program->tables.kernel.count; k++)
		atomic_init(&crew->kernel_ns[k], UINT32_MAX);
	if (!rt_ring_init(&crew->ring, flight, (uint64_t)program->most_args + 2 * (uint64_t)program->most_ios) ||
	    !rt_ready_init(&crew->ready, crew->ring.mask + 1))
		return rt_no_memory(error, "tasks in flight");
	crew->entered = true;
	rt_pool_enter(pool, work, crew);
	return PTOWSP_OK;
}

void rt_crew_finish(struct rt_crew *crew)
{
	if (!crew->program)
		return;
	if (crew->entered) {
		atomic_store(&crew->stop, 1);
		rt_ready_stop(&crew->ready);
		rt_pool_leave(crew->pool);
	}
	if (crew->ready.queue)
		rt_ready_finish(&crew->ready);
	rt_ring_finish(&crew->ring);
	free(crew->scratch);
	free(crew->kernel_ns);
	pthread_mutex_destroy(&crew->lock);
	memset(crew, 0, sizeof(*crew));
}

/* ---- one kernel ------------------------------------------------------------------------------------------------ */

/* Names the task where the backend's sentence does not. */
static ptowsp_status failure(const struct rt_crew *crew, const struct rt_call *call, ptowsp_status st, struct ptowsp_error *error)
{
	const char *kernel = rt_kernel_name(crew->program, call->kernel);
	char what[160];

	if (!error)
		return PTOWSP_KERNEL_FAILED;
	memcpy(what, error->text, sizeof(what));
	what[sizeof(what) - 1] = 0;
	return rt_fail_at(error, PTOWSP_KERNEL_FAILED, call->number, call->kernel, *what ? "task %llu, kernel %.40s: %s" : "task %llu, kernel %.40s failed with status %s%d",
			  (unsigned long long)call->number, kernel, what, (int)st);
}

ptowsp_status rt_crew_call(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, uint64_t *cycles_out,
			   struct ptowsp_error *error)
{
	const struct rt_program *program = crew->program;
	const struct rt_io *ios = &program->ios[call->site->first_io];
	struct ptowsp_tensor_arg *tensors = crew->scratch + (size_t)worker * crew->scratch_stride;
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), call->cycles, error};
	struct ptowsp_task task = {
		.head = PTOWSP_HEAD(task, TASK),
		.args = call->args,
		.tensors = tensors,
		.arg_count = call->site->arg_count,
		.tensor_count = call->site->io_count,
		.tensor_stride = sizeof(*tensors),
		.kernel = call->kernel,
		.number = call->number,
		.stream = call->stream,
		.executor = call->executor,
		.unit = program->tables.kernel.rows[call->kernel].unit,
		.block_count = 1,
	};
	ptowsp_status st;

	for (uint32_t i = 0; i < call->site->io_count; i++)
		rt_access_window(&ios[i], &crew->tensors->rows[ios[i].tensor], (int64_t)call->windows[2 * i], call->windows[2 * i + 1],
				 &tensors[i]);
	if (error)
		error->text[0] = 0;
	st = program->kernels.run(program->kernels.context, &task, &out, worker);
	*cycles_out = out.cycles;
	return st ? failure(crew, call, st, error) : PTOWSP_OK;
}

/* ---- tasks of the ring ----------------------------------------------------------------------------------------- */

static void failed(struct rt_crew *crew, uint64_t task, ptowsp_status st, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&crew->lock);
	if (task < crew->failed_task) {
		crew->failed_task = task;
		crew->status = st;
		crew->error = *error;
	}
	pthread_mutex_unlock(&crew->lock);
	atomic_store(&crew->stop, 1);
}

ptowsp_status rt_crew_status(struct rt_crew *crew, struct ptowsp_error *error)
{
	ptowsp_status st;

	/* Acquire: a task that failed sets it before it is done. Asked for every task, so without the lock. */
	if (!atomic_load_explicit(&crew->stop, memory_order_acquire))
		return PTOWSP_OK;
	pthread_mutex_lock(&crew->lock);
	st = crew->status;
	if (st)
		rt_fail_at(error, st, crew->error.where[0], crew->error.where[1], "%s", crew->error.text);
	pthread_mutex_unlock(&crew->lock);
	return st;
}

/* The first task that becomes ready is run next by the same worker: what it needs is in this core's cache. */
struct chain {
	struct rt_crew *crew;
	uint32_t next;
	bool have;
};

static void made_ready(void *context, uint32_t slot)
{
	struct chain *chain = context;

	if (chain->have) {
		rt_ready_push(&chain->crew->ready, slot);
		return;
	}
	chain->next = slot;
	chain->have = true;
}

/* One task in so many is timed. */
#define SAMPLE_EVERY 64u

static ptowsp_status call_timed(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, uint64_t *cycles_out,
				struct ptowsp_error *error)
{
	uint64_t began = rt_now_ns(crew->program), ns;
	ptowsp_status st = rt_crew_call(crew, call, worker, cycles_out, error);

	ns = rt_now_ns(crew->program) - began;
	atomic_store_explicit(&crew->kernel_ns[call->kernel], ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX, memory_order_relaxed);
	return st;
}

static void slot_run(struct rt_crew *crew, uint32_t at, uint32_t worker, struct chain *chain)
{
	struct rt_slot *slot = &crew->ring.slots[at];
	const struct rt_site *site = &crew->program->sites[slot->site];
	const uint64_t *words = rt_ring_words(&crew->ring, slot);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_call call = {.site = site, .number = slot->number, .cycles = slot->cycles, .kernel = slot->kernel,
			       .executor = slot->executor, .stream = slot->stream, .args = words, .windows = words + site->arg_count};
	uint64_t cycles;
	ptowsp_status st = slot->number % SAMPLE_EVERY ? rt_crew_call(crew, &call, worker, &cycles, &error)
						       : call_timed(crew, &call, worker, &cycles, &error);

	if (st)
		failed(crew, slot->number, st, &error);
	slot->cycles = cycles;
	slot->failed = st != PTOWSP_OK;
	if (!st)
		rt_ring_finished(&crew->ring, at, made_ready, chain);
	atomic_store(&slot->done, 1); /* sequentially consistent: see rt_ready_expect */
	rt_ready_tell(&crew->ready);
}

void rt_crew_run(struct rt_crew *crew, uint32_t slot, uint32_t worker)
{
	struct chain chain = {.crew = crew, .next = slot, .have = true};

	while (chain.have && !atomic_load_explicit(&crew->stop, memory_order_relaxed)) {
		chain.have = false;
		slot_run(crew, chain.next, worker, &chain);
		if (chain.have && worker == 0) { /* the expander looks around after each task */
			rt_ready_push(&crew->ready, chain.next);
			return;
		}
	}
}

static void work(void *context, uint32_t worker)
{
	struct rt_crew *crew = context;
	uint32_t slot;

	while (rt_ready_wait(&crew->ready, &slot))
		rt_crew_run(crew, slot, worker);
}
