/* SPDX-License-Identifier: MIT */
#include "rt/threads/crew.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* Most tasks in flight on worker threads: as many as the hardware can use, whatever the window is. */
#define FLIGHT_LIMIT (UINT64_C(1) << 13)
/* Fewer where their records would take more than this: tasks with hundreds of arguments. */
#define FLIGHT_BYTES (UINT64_C(8) << 20)

static void slot_run(void *context, uint32_t at, struct rt_chain *chain);

struct rt_crew_rules rt_crew_rules = {.brief_ns = 160, .brief_run = 128, .sample_every = 64};

ptowsp_status rt_crew_init(struct rt_crew *crew, const struct rt_program *program, const struct rt_tensors *tensors, struct rt_pool *pool, uint64_t window,
			   struct common_arena *arena, struct ptowsp_error *error)
{
	memset(crew, 0, sizeof(*crew));
	crew->program = program;
	crew->arena = arena;
	crew->tensors = *tensors;
	crew->brief_ns = rt_crew_rules.brief_ns;
	crew->flight = window && window < FLIGHT_LIMIT ? window : FLIGHT_LIMIT;
	rt_workers_init(&crew->workers, pool, slot_run, crew);
	crew->windows_stride = (program->most_ios + 8) / 8 * 8;
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

	const struct rt_wish wish = rt_program_wish(crew->program, crew->program->sites[slot->site].instruction);

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

static inline void error_begin(struct ptowsp_error *error)
{
	error->head = (struct ptowsp_head)PTOWSP_HEAD(*error, ERROR);
	error->code = 0;
	error->native = 0;
	error->domain = error->flags = 0;
	error->where[0] = error->where[1] = 0;
	error->text[0] = error->text[sizeof(error->text) - 1] = 0;
}

/* Each worker's part begins at a cache line of its own. Windows are written before they are read: they come from no arena, which would clear them. */
bool rt_crew_widen(struct rt_crew *crew, uint32_t workers)
{
	const size_t bytes = (size_t)crew->windows_stride * (crew->kept + 1) * sizeof(*crew->windows) * workers;

	free(crew->windows);
	crew->own = common_take_lines(crew->arena, workers, sizeof(*crew->own));
	crew->windows = aligned_alloc(RT_LINE, (bytes + RT_LINE - 1) / RT_LINE * RT_LINE);
	if (!crew->own || !crew->windows)
		return false;
	for (uint32_t w = 0; w < workers; w++)
		error_begin(&crew->own[w].error);
	return true;
}

void rt_crew_finish(struct rt_crew *crew)
{
	if (!crew->program)
		return;
	rt_workers_finish(&crew->workers);
	rt_ring_finish(&crew->ring);
	free(crew->windows);
	memset(crew, 0, sizeof(*crew));
}

/* ---- how long kernels take --------------------------------------------------------------------------------------- */

/* Short ones differ by as much without any cause. */
#define DOUBT_NS 50u

uint32_t rt_crew_blend(uint32_t known, uint64_t sample)
{
	const uint32_t ns = known & ~RT_CREW_DOUBTED;
	const uint64_t most = (uint64_t)ns * 2 + 200;

	if (known == UINT32_MAX)
		return (sample < ns ? (uint32_t)sample : ns - 1) | RT_CREW_DOUBTED;
	if (sample + DOUBT_NS < ns / 2)
		return ns / 2 | RT_CREW_DOUBTED;
	if (sample <= most)
		return (uint32_t)(((uint64_t)ns * 3 + sample) / 4);
	sample = known == ns ? ns : ((uint64_t)ns * 3 + most) / 4;
	return (sample < ~RT_CREW_DOUBTED ? (uint32_t)sample : ~RT_CREW_DOUBTED - 1) | RT_CREW_DOUBTED;
}

/* Two workers may lose one of two samples. */
static void took(const struct rt_crew *crew, uint32_t kernel, uint64_t began)
{
	_Atomic uint32_t *known = &crew->program->kernel_ns[kernel];
	const uint64_t ns = rt_now_ns(crew->program) - began, looks = crew->program->clock_ns;

	atomic_store_explicit(known, rt_crew_blend(atomic_load_explicit(known, memory_order_relaxed), ns > looks ? ns - looks : 0), memory_order_relaxed);
}

static ptowsp_status invoke(const struct rt_crew *crew, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker, bool timed)
{
	const uint64_t began = timed ? rt_now_ns(crew->program) : 0;
	const ptowsp_status status = rt_crew_invoke(crew->program, task, out, worker);

	if (timed)
		took(crew, task->kernel, began);
	return status;
}

/* ---- one kernel ------------------------------------------------------------------------------------------------ */

/* Names the task where the backend's sentence does not. */
ptowsp_status rt_crew_failure(const struct rt_program *program, uint32_t kernel, uint64_t task, ptowsp_status status, struct ptowsp_error *error)
{
	return rt_kernel_fail(error, task, kernel, rt_kernel_name(program, kernel), status);
}

static struct ptowsp_tensor_arg *windows_of(const struct rt_crew *crew, uint32_t worker, uint32_t kept)
{
	return crew->windows + ((size_t)worker * (crew->kept + 1) + kept) * crew->windows_stride;
}

static void windows_make(const struct rt_crew *crew, const struct rt_call *call, struct ptowsp_tensor_arg *windows_out)
{
	const struct rt_io *ios = &crew->program->ios[call->site->first_io];
	const uint64_t *words = call->windows;

	for (uint32_t i = 0; i < call->site->io_count; i++, words += 2) {
		rt_access_window(&ios[i], &crew->tensors.rows[ios[i].tensor], (int64_t)words[0], words[1], &windows_out[i]);
		rt_window_clear(crew->program->kernels.mirror, &ios[i], &crew->tensors, words[1], &windows_out[i]);
	}
}

/* Task of a call that is not kept. */
static struct ptowsp_task call_task(const struct rt_crew *crew, const struct rt_call *call, uint32_t worker)
{
	struct ptowsp_tensor_arg *windows = windows_of(crew, worker, crew->kept);
	struct ptowsp_task task = rt_site_task(crew->program, call->site, call->kernel, windows);

	windows_make(crew, call, windows);
	task.args = call->args;
	task.number = call->number;
	task.stream = call->stream;
	task.executor = call->executor;
	return task;
}

ptowsp_status rt_crew_call(struct rt_crew *crew, const struct rt_call *call, uint32_t worker, bool timed, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct ptowsp_task task = call_task(crew, call, worker);
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), call->cycles, error};
	ptowsp_status status;

	if (error)
		error->text[0] = 0;
	status = invoke(crew, &task, &out, worker, timed);
	*cycles_out = out.cycles;
	return status ? rt_crew_failure(crew->program, call->kernel, call->number, status, error) : PTOWSP_OK;
}

/* ---- tasks of the ring ------------------------------------------------------------------------------------------- */

/* Prefetches lines of another core, for after the kernel: the edge to its newest successor, and the task that this worker probably runs next. */
static void look_forward(struct rt_crew *crew, const struct rt_slot *slot, uint32_t worker)
{
	uint64_t list = atomic_load_explicit(&slot->successors, memory_order_relaxed);
	uint32_t next;

	if (list)
		__builtin_prefetch(rt_ring_slot(&crew->ring, (uint32_t)list - 1), 1);
	if (!crew->workers.ready.queue && rt_deque_peek(&crew->workers.ready.deques[worker], &next)) {
		const char *line = (const char *)rt_ring_slot(&crew->ring, next);

		__builtin_prefetch(line, 1);
		__builtin_prefetch(line + RT_LINE);
	}
}

static void kept_make(const struct rt_crew *crew, struct rt_crew_kept *kept, const struct rt_site *site, uint32_t kernel, struct ptowsp_tensor_arg *windows)
{
	const struct rt_io *ios = &crew->program->ios[site->first_io];

	for (uint32_t i = 0; i < site->io_count; i++)
		rt_access_window(&ios[i], &crew->tensors.rows[ios[i].tensor], 0, 0, &windows[i]);
	*kept = (struct rt_crew_kept){site, rt_site_task(crew->program, site, kernel, windows)};
}

/* The call of a task that says where its windows are. */
static const struct ptowsp_task *kept_call(struct rt_crew *crew, const struct rt_slot *slot, uint32_t worker)
{
	const struct rt_site *site = &crew->program->sites[slot->site];
	uint32_t at = slot->site & (crew->kept - 1);
	struct rt_crew_kept *kept = &crew->own[worker].kept[at];
	const struct rt_io *ios = &crew->program->ios[site->first_io];
	const uint64_t *words = slot->words + site->arg_count;
	struct ptowsp_tensor_arg *windows = windows_of(crew, worker, at);

	if (kept->site != site || kept->task.kernel != slot->kernel)
		kept_make(crew, kept, site, slot->kernel, windows);
	kept->task.args = slot->words;
	kept->task.number = slot->number;
	kept->task.stream = slot->stream;
	kept->task.executor = slot->executor;
	for (uint32_t i = 0; i < site->io_count; i++, words += 2) {
		windows[i].data = (void *)(uintptr_t)words[0];
		if (ios[i].unit) {
			windows[i].columns = windows[i].row_stride = words[1];
		} else if (ios[i].parts) {
			windows[i].rows = words[1] >> 32;
			windows[i].columns = (uint32_t)words[1];
		}
	}
	return &kept->task;
}

static struct rt_call call_of(const struct rt_crew *crew, const struct rt_slot *slot)
{
	return (struct rt_call){.site = &crew->program->sites[slot->site],
				.number = slot->number,
				.cycles = slot->cycles,
				.kernel = slot->kernel,
				.executor = slot->executor,
				.stream = slot->stream,
				.args = slot->words,
				.windows = slot->words + crew->program->sites[slot->site].arg_count};
}

struct ptowsp_task rt_crew_task(struct rt_crew *crew, const struct rt_slot *slot, uint32_t worker)
{
	const struct rt_call call = call_of(crew, slot);

	return slot->placed ? *kept_call(crew, slot, worker) : call_task(crew, &call, worker);
}

ptowsp_status rt_crew_slot_call(struct rt_crew *crew, struct rt_slot *slot, uint32_t worker, bool timed)
{
	struct ptowsp_error *error = &crew->own[worker].error;
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), slot->cycles, error};
	ptowsp_status status;

	if (!slot->placed) {
		const struct rt_call call = call_of(crew, slot);

		return rt_crew_call(crew, &call, worker, timed, &slot->cycles, error);
	}
	status = invoke(crew, kept_call(crew, slot, worker), &out, worker, timed);
	slot->cycles = out.cycles;
	return status ? rt_crew_failure(crew->program, slot->kernel, slot->number, status, error) : PTOWSP_OK;
}

/* With one thread the earliest task that fails is the first to run and the last. So tasks before it go on, until one of them fails or all are over. */
static void slot_run(void *context, uint32_t at, struct rt_chain *chain)
{
	struct rt_crew *crew = context;
	struct rt_slot *slot = rt_ring_slot(&crew->ring, at);
	struct ptowsp_error *error = &crew->own[chain->worker].error;
	/* Relaxed: a task behind the failure that runs all the same does no harm. */
	bool begins = slot->number < atomic_load_explicit(&crew->workers.failed_task, memory_order_relaxed);
	bool timed = (uint32_t)slot->number % rt_crew_rules.sample_every == 0 || rt_crew_doubts(crew, slot->kernel); /* one in so many */
	ptowsp_status status = PTOWSP_OK;

	look_forward(crew, slot, chain->worker);
	if (begins)
		status = rt_crew_slot_call(crew, slot, chain->worker, timed);
	if (status)
		rt_workers_failed(&crew->workers, slot->number, status, error);
	if (status || error->text[0] || error->code || error->native)
		error_begin(error);
	rt_ring_finished(&crew->ring, at, !begins || status, rt_chain_ready, chain);
	rt_ready_tell(&crew->workers.ready, at);
}
