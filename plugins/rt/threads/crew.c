/* SPDX-License-Identifier: MIT */
#include "rt/threads/crew.h"

#include "rt/access/mirror.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* Tasks in flight on worker threads, at most: what the hardware can use, whatever the window is. */
#define FLIGHT_LIMIT (UINT64_C(1) << 14)
/* Fewer where their records would take more than this: tasks with hundreds of arguments. */
#define FLIGHT_BYTES (UINT64_C(8) << 20)

static void slot_run(void *context, uint32_t at, struct rt_chain *chain);

struct rt_crew_rules rt_crew_rules = {.brief_ns = 120, .brief_run = 128, .sample_every = 64};

ptowsp_status rt_crew_init(struct rt_crew *crew, const struct rt_program *program, const struct rt_tensors *tensors, struct rt_pool *pool, uint64_t window,
			   struct ptowsp_error *error)
{
	memset(crew, 0, sizeof(*crew));
	crew->program = program;
	crew->tensors = *tensors;
	crew->brief_ns = rt_crew_rules.brief_ns;
	crew->flight = window && window < FLIGHT_LIMIT ? window : FLIGHT_LIMIT;
	rt_workers_init(&crew->workers, pool, slot_run, crew);
	crew->scratch_stride = (program->most_ios + 8) / 8 * 8;
	crew->kept = program->most_ios <= 64 ? RT_CREW_KEPT : 1;
	return rt_crew_widen(crew, crew->workers.threads) ? PTOWSP_OK : rt_no_memory(error, "tasks in flight");
}

ptowsp_status rt_crew_make(struct rt_crew *crew, struct ptowsp_error *error)
{
	uint64_t words = (uint64_t)crew->program->most_args + 2 * (uint64_t)crew->program->most_ios;

	if (crew->workers.made)
		return PTOWSP_OK;
	while (crew->flight > 2 && crew->flight * rt_slot_bytes(words) > FLIGHT_BYTES)
		crew->flight /= 2;
	if (!rt_ring_init(&crew->ring, crew->flight, words) || !rt_workers_make(&crew->workers, crew->ring.mask + 1))
		return rt_no_memory(error, "tasks in flight");
	return PTOWSP_OK;
}

static void slot_rank(void *context, uint32_t at, struct rt_rank *rank)
{
	const struct rt_crew *crew = context;
	const struct rt_slot *slot = rt_ring_slot(&crew->ring, at);

	const struct rt_wish wish = rt_program_wish(crew->program, slot->instruction);

	*rank = (struct rt_rank){wish.priority, rt_ring_awaited(&crew->ring, at), wish.home, slot->number};
}

void rt_crew_order(struct rt_crew *crew)
{
	const struct rt_ready_policy *policy = rt_program_order(crew->program);

	if (!policy || crew->workers.threads == 1)
		return;
	crew->workers.order = (struct rt_ready_order){policy, slot_rank, crew, crew->program->homes};
	crew->brief_ns = 0;
}

/* Each worker's part begins at a cache line of its own. */
bool rt_crew_widen(struct rt_crew *crew, uint32_t workers)
{
	free(crew->windows);
	free(crew->scratch);
	crew->windows = aligned_alloc(RT_LINE, workers * sizeof(*crew->windows));
	crew->scratch = aligned_alloc(RT_LINE, (size_t)crew->scratch_stride * crew->kept * workers * sizeof(*crew->scratch));
	if (!crew->windows || !crew->scratch)
		return false;
	memset(crew->windows, 0, workers * sizeof(*crew->windows));
	return true;
}

void rt_crew_finish(struct rt_crew *crew)
{
	if (!crew->program)
		return;
	rt_workers_finish(&crew->workers);
	rt_ring_finish(&crew->ring);
	free(crew->windows);
	free(crew->scratch);
	memset(crew, 0, sizeof(*crew));
}

/* ---- one kernel ------------------------------------------------------------------------------------------------ */

/* Names the task where the backend's sentence does not. */
ptowsp_status rt_crew_failure(const struct rt_program *program, uint32_t kernel, uint64_t task, ptowsp_status status, struct ptowsp_error *error)
{
	return rt_kernel_fail(error, task, kernel, rt_kernel_name(program, kernel), status);
}

/* A version begins as zeros. Here, on the thread of the task that makes it: the memory is its own by now. */
static void fresh_clear(const struct rt_crew *crew, const struct rt_call *call, const struct rt_io *ios, const struct ptowsp_tensor_arg *tensors)
{
	for (uint32_t i = 0; i < call->site->io_count; i++)
		if (!ios[i].unit && call->windows[2 * i + 1] & RT_WINDOW_FRESH)
			rt_mirror_clear(crew->program->kernels.mirror, tensors[i].data,
					(uint64_t)ios[i].rows * ios[i].columns * crew->tensors.rows[ios[i].tensor].size);
}

/* All but where windows begin, and how long flat ones are. */
static void windows_begin(const struct rt_io *ios, uint32_t count, const struct rt_tensor *tensors, struct ptowsp_tensor_arg *windows_out)
{
	for (const struct rt_io *io = ios, *end = ios + count; io < end; io++, windows_out++)
		rt_access_window(io, &tensors[io->tensor], 0, 0, windows_out);
}

static void windows_placed(const struct rt_io *ios, uint32_t count, const uint64_t *words, struct ptowsp_tensor_arg *windows)
{
	for (const struct rt_io *io = ios, *end = ios + count; io < end; io++, words += 2, windows++) {
		windows->data = (void *)(uintptr_t)words[0];
		if (io->unit)
			windows->columns = windows->row_stride = words[1];
	}
}

static void windows_make(const struct rt_io *ios, uint32_t count, const struct rt_tensor *tensors, const uint64_t *words, struct ptowsp_tensor_arg *windows_out)
{
	for (uint32_t i = 0; i < count; i++)
		rt_access_window(&ios[i], &tensors[ios[i].tensor], (int64_t)words[2 * i], words[2 * i + 1], &windows_out[i]);
}

/* The windows of a call, where its worker has them. */
static struct ptowsp_tensor_arg *windows_of(struct rt_crew *crew, const struct rt_call *call, uint32_t worker)
{
	const struct rt_site *site = call->site;
	const struct rt_io *ios = &crew->program->ios[site->first_io];
	uint32_t kept = (uint32_t)(site - crew->program->sites) % crew->kept;
	struct ptowsp_tensor_arg *windows = crew->scratch + ((size_t)worker * crew->kept + kept) * crew->scratch_stride;
	const struct rt_site **owner = &crew->windows[worker].sites[kept];

	if (!call->placed) {
		*owner = NULL;
		windows_make(ios, site->io_count, crew->tensors.rows, call->windows, windows);
		return windows;
	}
	if (*owner != site)
		windows_begin(ios, site->io_count, crew->tensors.rows, windows);
	*owner = site;
	windows_placed(ios, site->io_count, call->windows, windows);
	return windows;
}

ptowsp_status rt_crew_call(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct rt_program *program = crew->program;
	struct ptowsp_tensor_arg *tensors = windows_of(crew, call, worker);
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
	ptowsp_status status;

	if (call->site->renamed)
		fresh_clear(crew, call, &program->ios[call->site->first_io], tensors);
	if (error)
		error->text[0] = 0;
	status = rt_crew_invoke(program, &task, &out, worker);
	*cycles_out = out.cycles;
	return status ? rt_crew_failure(program, call->kernel, call->number, status, error) : PTOWSP_OK;
}

/* ---- how long kernels take --------------------------------------------------------------------------------------- */

/* A thread that is preempted inside a kernel makes it look long once; it takes three such samples in a row to move a brief kernel's figure. */
static uint32_t blend(uint32_t known, uint64_t sample)
{
	uint64_t most = (uint64_t)known * 2 + 200;

	if (known == UINT32_MAX)
		return sample < UINT32_MAX ? (uint32_t)sample : UINT32_MAX - 1;
	sample = sample < most ? sample : most;
	sample = ((uint64_t)known * 3 + sample) / 4;
	return sample < UINT32_MAX ? (uint32_t)sample : UINT32_MAX - 1;
}

ptowsp_status rt_crew_call_timed(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, uint64_t *cycles_out, struct ptowsp_error *error)
{
	_Atomic uint32_t *known = &crew->program->kernel_ns[call->kernel];
	uint64_t began = rt_now_ns(crew->program), ns;
	ptowsp_status status = rt_crew_call(crew, call, worker, cycles_out, error);

	ns = rt_now_ns(crew->program) - began;
	/* Two workers may lose one of two samples. */
	atomic_store_explicit(known, blend(atomic_load_explicit(known, memory_order_relaxed), ns), memory_order_relaxed);
	return status;
}

/* ---- tasks of the ring ------------------------------------------------------------------------------------------- */

/* What comes after the kernel has come from another core: the edge to its newest successor, and the task that this worker will probably run next. */
static void look_forward(struct rt_crew *crew, const struct rt_slot *slot, uint32_t worker)
{
	uint32_t edge = atomic_load_explicit(&slot->successors, memory_order_relaxed), next;

	if (edge)
		__builtin_prefetch(&crew->ring.edges[edge - 1]);
	if (!crew->workers.ready.queue && rt_deque_peek(&crew->workers.ready.deques[worker], &next)) {
		const char *line = (const char *)rt_ring_slot(&crew->ring, next);

		__builtin_prefetch(line, 1);
		__builtin_prefetch(line + RT_LINE);
	}
}

static inline void error_begin(struct ptowsp_error *error)
{
	error->head = (struct ptowsp_head)PTOWSP_HEAD(*error, ERROR);
	error->code = 0;
	error->native = 0;
	error->domain = error->flags = 0;
	error->where[0] = error->where[1] = 0;
	error->text[0] = error->text[sizeof(error->text) - 1] = 0;
}

/* With one thread the earliest task that fails is the first to run and the last. So tasks before it go on, until one of them fails or all are over. */
static void slot_run(void *context, uint32_t at, struct rt_chain *chain)
{
	struct rt_crew *crew = context;
	struct rt_slot *slot = rt_ring_slot(&crew->ring, at);
	const struct rt_site *site = &crew->program->sites[slot->site];
	struct ptowsp_error error; /* its text is long: what a kernel may leave alone is set, the rest is not cleared for every task */
	struct rt_call call = {.site = site,
			       .number = slot->number,
			       .cycles = slot->cycles,
			       .kernel = slot->kernel,
			       .executor = slot->executor,
			       .stream = slot->stream,
			       .args = slot->words,
			       .windows = slot->words + site->arg_count,
			       .placed = slot->reserved == RT_SLOT_PLACED};
	/* Relaxed: a task behind the failure that runs all the same does no harm. */
	bool begins = slot->number < atomic_load_explicit(&crew->workers.failed_task, memory_order_relaxed);
	/* One in so many, and all of a kernel of which nothing is known. */
	bool timed = (uint32_t)slot->number % rt_crew_rules.sample_every == 0 || rt_crew_kernel_ns(crew, slot->kernel) == UINT32_MAX;
	uint64_t cycles = 0;
	ptowsp_status status = PTOWSP_OK;

	error_begin(&error);
	look_forward(crew, slot, chain->worker);
	if (begins && timed)
		status = rt_crew_call_timed(crew, &call, chain->worker, &cycles, &error);
	else if (begins)
		status = rt_crew_call(crew, &call, chain->worker, &cycles, &error);
	if (status)
		rt_workers_failed(&crew->workers, slot->number, status, &error);
	slot->cycles = cycles;
	rt_ring_finished(&crew->ring, at, !begins || status, rt_chain_ready, chain);
	rt_ready_tell(&crew->workers.ready, at);
}
