/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include "error.h"
#include "numerics.h"
#include "pad.h"
#include "rt/program/rt_program.h"
#include "select.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE 64u

/* ---- the calls of the runtime core ---------------------------------------------------------------------------- */

/* A walk or a call of a kernel that takes long. */
struct patience {
	struct base_kernels *kernels;
	const struct base_kernel *kernel;
	uint32_t questions; /* that are still answered with "go on" */
};
#define BLOCKS_SLICE   16u             /* of a task, between two questions: one block may be too short to ask any */
#define WALK_QUESTIONS UINT32_C(65536) /* a walk of 2^32 instructions, half a minute; then only running tells */
#define WALK_LONG      UINT32_C(57344) /* those left after 2^29, some seconds: that is said */

static bool watch_ended(struct base_kernels *kernels)
{
	const struct ptowsp_host *host = kernels->instance->host;
	const struct base_watch *watch = &kernels->watch;

	return (watch->cancel && atomic_load_explicit(watch->cancel, memory_order_relaxed)) ||
	       (watch->deadline_ns && host->now_ns(host->context) >= watch->deadline_ns);
}

static int stop(void *context)
{
	struct patience *patience = context;

	if (watch_ended(patience->kernels)) {
		atomic_store(&patience->kernels->watch.stopped, (uint32_t)(patience->kernel - patience->kernels->rows) + 1);
		return 1;
	}
	if (patience->questions == WALK_LONG)
		base_log(patience->kernels->instance, PTOWSP_LOG_WARNING,
			 "kernel %.80s: its cycles are still counted after 2^29 instructions; a run with --timeout-ms ends in time", patience->kernel->name);
	return patience->questions && !--patience->questions;
}

/* UNSUPPORTED also after a long way without an end in sight: a run will show. */
static ptowsp_status walk_block(struct base_kernels *kernels, const struct base_kernel *kernel, const uint64_t *args, uint32_t index, rt_touch_fn touch,
				void *sink, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct patience patience = {.kernels = kernels, .kernel = kernel, .questions = WALK_QUESTIONS};
	const struct isa_guard guard = {stop, &patience};
	const struct isa_block block = {index, kernel->blocks};
	const struct base_costs *costs = touch ? NULL : kernels->costs;
	ptowsp_status status =
		costs ? costs->walk(costs->context, (uint32_t)(kernel - kernels->rows), args, kernel->arg_count, block, &guard, cycles_out, error)
		      : isa_walk_guarded(kernel->isa, args, kernel->arg_count, block, touch, sink, &guard, cycles_out, error);

	return status == PTOWSP_CANCELLED && !patience.questions ? PTOWSP_UNSUPPORTED : status;
}

/* All blocks of a task: one tells for all where they do the same. */
static ptowsp_status walk(struct base_kernels *kernels, const struct base_kernel *kernel, const uint64_t *args, rt_touch_fn touch, void *sink,
			  uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct patience patience = {.kernels = kernels, .kernel = kernel, .questions = WALK_QUESTIONS};
	uint32_t blocks = isa_program_by_block(kernel->isa) ? kernel->blocks : 1;
	uint64_t one = 0, sum = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t index = 0; !status && index < blocks; index++) {
		if (index % BLOCKS_SLICE == BLOCKS_SLICE - 1 && stop(&patience))
			return patience.questions ? PTOWSP_CANCELLED : PTOWSP_UNSUPPORTED;
		status = walk_block(kernels, kernel, args, index, touch, sink, &one, error);
		sum += one;
	}
	*cycles_out = blocks == 1 ? one * kernel->blocks : sum;
	return status;
}

static ptowsp_status cycles(void *context, uint32_t row, const uint64_t *args, uint64_t *cycles_out)
{
	struct base_kernels *kernels = context;
	struct base_kernel *kernel = &kernels->rows[row];
	ptowsp_status status;

	if (kernel->fixed_cycles) {
		*cycles_out = kernel->fixed_cycles * kernel->blocks; /* one block in each round */
		return PTOWSP_OK;
	}
	status = kernel->isa ? walk(kernels, kernel, args, NULL, NULL, cycles_out, NULL) : PTOWSP_UNSUPPORTED;
	if (!status && !isa_program_varies(kernel->isa))
		atomic_store_explicit(&kernel->known, 1, memory_order_relaxed); /* a late reader finds out once more */
	return status;
}

/* Engines ask of all tasks, also about COPY, which stands behind the kernels of the package. */
static ptowsp_status footprint(void *context, uint32_t row, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	struct base_kernels *kernels = context;
	const struct base_kernel *kernel = &kernels->rows[row];
	uint64_t ignored;

	return row < kernels->count && kernel->isa ? walk(kernels, kernel, args, touch, sink, &ignored, NULL) : PTOWSP_UNSUPPORTED;
}

static void explain(void *context, uint32_t row, const uint64_t *args, struct ptowsp_error *error)
{
	struct base_kernels *kernels = context;
	const struct base_kernel *kernel = &kernels->rows[row];
	uint64_t ignored;

	if (kernel->isa)
		walk(kernels, kernel, args, NULL, NULL, &ignored, error);
}

static int varies(void *context, uint32_t row)
{
	const struct base_kernels *kernels = context;

	return row < kernels->count && kernels->rows[row].isa && isa_program_varies(kernels->rows[row].isa);
}

static const char *unusable(void *context, uint32_t row)
{
	const struct base_kernel *kernel = &((const struct base_kernels *)context)->rows[row];

	return *kernel->why ? kernel->why : NULL;
}

static uint32_t code(void *context, uint32_t row)
{
	return ((const struct base_kernels *)context)->rows[row].code;
}

static void device(void *context, uint32_t row, uint64_t *tasks_out, uint64_t *ns_out)
{
	struct base_kernel *kernel = &((struct base_kernels *)context)->rows[row];

	*tasks_out = atomic_load_explicit(&kernel->device_tasks, memory_order_relaxed);
	*ns_out = atomic_load_explicit(&kernel->device_ns, memory_order_relaxed);
}

/* Registered functions and native code say nothing while they run: a deadline or a cancel waits for their end. */
static ptowsp_status call_function(const struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, unsigned char *scratch)
{
	struct ptowsp_task with = *task;

	if (!kernel->workspace)
		return kernel->ref.fn(kernel->ref.context, task, out);
	with.workspace = scratch;
	with.workspace_size = kernel->workspace;
	return kernel->ref.fn(kernel->ref.context, &with, out);
}

/* With profiling=on the interpreter takes the time of each pass. */
static ptowsp_status interpret(struct base_kernels *kernels, const struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
			       uint32_t worker)
{
	struct patience patience = {.kernels = kernels, .kernel = kernel};
	const struct isa_guard guard = {stop, &patience};
	unsigned char *scratch = kernels->scratch + worker * kernels->scratch_bytes;
	struct base_profile_lap lap;
	const struct isa_visitor visitor = {.pass = base_profile_pass, .context = &lap};

	if (!kernels->profile.times)
		return isa_run_guarded(kernel->isa, task, out, scratch, &guard);
	lap = base_profile_lap(&kernels->profile, (uint32_t)(kernel - kernels->rows), worker);
	return isa_run_visited(kernel->isa, task, out, scratch, &visitor, &guard);
}

static int is_known(const struct base_kernel *kernel)
{
	return (int)atomic_load_explicit(&kernel->known, memory_order_relaxed);
}

/* As the core has its cycles, they stay. */
static ptowsp_status call_known(struct base_kernels *kernels, const struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
				uint32_t worker)
{
	const uint64_t known = out->cycles;
	const ptowsp_status status = interpret(kernels, kernel, task, out, worker);

	out->cycles = known;
	return status;
}

/* A task counts when its last block has ended well. */
static ptowsp_status call_device(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
				 uint32_t worker)
{
	const struct ptowsp_host *host = kernels->instance->host;
	const uint64_t begin = host->now_ns(host->context);
	struct patience patience = {.kernels = kernels, .kernel = kernel};
	const struct isa_guard guard = {stop, &patience};
	const uint64_t known = is_known(kernel) ? out->cycles : 0;
	const struct base_compute *compute = kernels->compute;
	const ptowsp_status status = compute->block(compute->context, task->kernel, task, out, worker, &guard);
	const uint64_t told = compute->block_ns ? compute->block_ns(compute->context, worker) : 0;

	out->cycles = known ? known : out->cycles;
	atomic_fetch_add_explicit(&kernel->device_ns, told ? told : host->now_ns(host->context) - begin, memory_order_relaxed);
	atomic_fetch_add_explicit(&kernel->device_tasks, !status && task->block + 1 >= task->block_count, memory_order_relaxed);
	return status;
}

/* Rows of a window, each in one piece; elements one by one where a row has gaps. */
static void window_visit(const struct ptowsp_tensor_arg *w, void (*visit)(void *context, const void *at, uint64_t bytes), void *context)
{
	const uint64_t size = isa_dtype_bytes(w->dtype), pieces = w->column_stride == 1 ? 1 : w->columns,
		       piece = w->column_stride == 1 ? w->columns * size : size;

	for (uint64_t i = 0; piece && i < w->rows; i++)
		for (uint64_t j = 0; j < pieces; j++)
			visit(context, (const unsigned char *)w->data + (i * w->row_stride + j * w->column_stride) * size, piece);
}

static void windows_visit(const struct ptowsp_task *task, unsigned access, void (*visit)(void *context, const void *at, uint64_t bytes), void *context)
{
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *w = (const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);

		if (w->access & access && w->data)
			window_visit(w, visit, context);
	}
}

void base_kernels_fetch(const struct base_kernels *kernels, const struct ptowsp_task *task)
{
	if (kernels->compute && kernels->compute->apart)
		windows_visit(task, PTOWSP_READ | PTOWSP_WRITE, kernels->compute->mirror->fetch, kernels->compute->mirror->context);
}

static void windows_push(const struct base_kernels *kernels, const struct ptowsp_task *task)
{
	if (kernels->compute && kernels->compute->apart)
		windows_visit(task, PTOWSP_WRITE, kernels->compute->mirror->push, kernels->compute->mirror->context);
}

/* The kernel runs on this processor. */
static ptowsp_status call_here(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
			       uint32_t worker)
{
	struct patience patience = {.kernels = kernels, .kernel = kernel};
	const struct isa_guard guard = {stop, &patience};
	unsigned char *scratch = kernels->scratch + worker * kernels->scratch_bytes;

	if (kernel->ref.fn)
		return call_function(kernel, task, out, scratch);
	if (kernels->costs && is_known(kernel))
		return call_known(kernels, kernel, task, out, worker);
	if (kernels->costs)
		return kernels->costs->run(kernels->costs->context, task->kernel, task, out, scratch, &guard);
	return interpret(kernels, kernel, task, out, worker);
}

static ptowsp_status call(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
			  uint32_t worker)
{
	ptowsp_status status;

	if (!kernel->ref.fn && kernels->compute && worker >= kernels->compute->first && !kernel->processor) {
		status = call_device(kernels, kernel, task, out, worker);
	} else {
		base_kernels_fetch(kernels, task);
		status = call_here(kernels, kernel, task, out, worker);
		windows_push(kernels, task);
	}
	if (kernel->fixed_cycles)
		out->cycles = kernel->fixed_cycles;
	return status;
}

/* blockdim n: one round per block, because a core of this machine runs one at a time; the cycles add up. An engine whose cores share the blocks asks for one of them: block_count says so. */
static ptowsp_status call_blocks(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
				 uint32_t worker)
{
	struct patience patience = {.kernels = kernels, .kernel = kernel};
	struct ptowsp_task block = *task;
	const uint64_t known = is_known(kernel) ? out->cycles : 0; /* blocks need not take the same */
	uint64_t preset = out->cycles / kernel->blocks, sum = 0;
	ptowsp_status status = PTOWSP_OK;

	block.block_count = kernel->blocks;
	for (block.block = 0; !status && block.block < kernel->blocks; block.block++) {
		if (block.block % BLOCKS_SLICE == BLOCKS_SLICE - 1 && stop(&patience))
			return PTOWSP_CANCELLED;
		out->cycles = preset;
		status = call(kernels, kernel, &block, out, worker);
		sum += out->cycles;
	}
	out->cycles = known && !status ? known : sum;
	return status;
}

static ptowsp_status call_all(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
			      uint32_t worker)
{
	return kernel->blocks == 1 || task->block_count > 1 ? call(kernels, kernel, task, out, worker) : call_blocks(kernels, kernel, task, out, worker);
}

/* On whole tiles, where of some windows only a part is there. */
static ptowsp_status call_padded(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
				 uint32_t worker)
{
	struct ptowsp_task padded = *task;
	struct base_pad *pad = NULL;
	ptowsp_status status;

	if (!kernel->parts || (base_kernels_part(kernels, kernel) && worker >= kernels->compute->first))
		return call_all(kernels, kernel, task, out, worker);
	status = base_pad_open(&pad, kernels, kernel, &padded, worker, out->error);
	if (!status)
		status = call_all(kernels, kernel, &padded, out, worker);
	base_pad_close(pad);
	return status;
}

/* Through the memory of the executors that own what it touches. */
static ptowsp_status call_staged(struct base_kernels *kernels, struct base_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
				 uint32_t worker)
{
	const struct rt_kernels table = base_kernels_table(kernels);
	struct ptowsp_task staged = *task;
	struct base_stage *stage = NULL;
	ptowsp_status status = base_stage_open(&stage, kernels->shards, &table, &staged, out->error);

	if (!status)
		status = call_padded(kernels, kernel, &staged, out, worker);
	base_stage_close(stage);
	return status;
}

static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct base_kernels *kernels = context;
	struct base_kernel *kernel = &kernels->rows[task->kernel];
	uint64_t began;
	ptowsp_status status;

	if (kernel->plain && kernel->ref.fn)
		return kernel->ref.fn(kernel->ref.context, task, out);
	if (kernel->plain && is_known(kernel))
		return call_known(kernels, kernel, task, out, worker);
	if (*kernel->why)
		return base_fail(out->error, PTOWSP_KERNEL_FAILED, "%s", kernel->why);
	began = base_profile_enter(&kernels->profile);
	status = kernels->shards ? call_staged(kernels, kernel, task, out, worker) : call_padded(kernels, kernel, task, out, worker);
	base_profile_leave(&kernels->profile, task->kernel, worker, began);
	return status;
}

static ptowsp_status run_in_real_time(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct base_kernels *kernels = context;
	struct ptowsp_trace_task *row = base_timeline_enter(&kernels->timeline, task, worker);
	ptowsp_status status = run(kernels, task, out, worker);

	base_timeline_leave(&kernels->timeline, row);
	return status;
}

struct rt_kernels base_kernels_table(struct base_kernels *kernels)
{
	return (struct rt_kernels){.context = kernels,
				   .cycles = cycles,
				   .footprint = footprint,
				   .varies = varies,
				   .run = kernels->timeline.lanes ? run_in_real_time : run,
				   .unusable = unusable,
				   .explain = explain,
				   .code = code,
				   .device = device};
}

void base_kernels_settle(struct base_kernels *kernels)
{
	for (uint32_t i = 0; i < kernels->count; i++) {
		struct base_kernel *kernel = &kernels->rows[i];

		kernel->plain = (kernel->ref.fn ? !kernel->workspace && !kernel->fixed_cycles : kernel->isa && (!kernels->compute || kernel->processor)) &&
				!*kernel->why && kernel->blocks == 1 && !kernel->parts && !kernels->shards && !(kernels->compute && kernels->compute->apart) &&
				!kernels->instance->options->profiling;
	}
}

void base_kernels_watch(struct base_kernels *kernels, const _Atomic uint32_t *cancel, uint64_t deadline_ns)
{
	kernels->watch.cancel = cancel;
	kernels->watch.deadline_ns = deadline_ns;
	atomic_store(&kernels->watch.stopped, 0);
}

void base_kernels_begin(struct base_kernels *kernels)
{
	for (uint32_t i = 0; kernels->compute && i < kernels->count; i++) {
		atomic_store_explicit(&kernels->rows[i].device_tasks, 0, memory_order_relaxed);
		atomic_store_explicit(&kernels->rows[i].device_ns, 0, memory_order_relaxed);
	}
}

ptowsp_status base_kernels_watched(struct base_kernels *kernels, ptowsp_status status, struct ptowsp_error *error)
{
	const struct base_watch *watch = &kernels->watch;
	uint32_t stopped = atomic_load(&watch->stopped);

	if (!status || !stopped)
		return status;
	if (watch->cancel && atomic_load(watch->cancel))
		return base_fail(error, PTOWSP_CANCELLED, "the run was cancelled in kernel %s", kernels->rows[stopped - 1].name);
	return base_fail(error, PTOWSP_DEADLINE, "the deadline passed in kernel %s; allow more time with --timeout-ms", kernels->rows[stopped - 1].name);
}

/* ---- making and unmaking -------------------------------------------------------------------------------------- */

static uint64_t scratch_need(const struct base_kernel *kernel)
{
	return kernel->ref.fn ? kernel->workspace : kernel->isa ? isa_program_scratch(kernel->isa) : 0;
}

static ptowsp_status scratch_init(struct base_kernels *kernels, uint64_t memory_limit, struct ptowsp_error *error)
{
	uint64_t most = 0, all;

	for (uint32_t i = 0; i < kernels->count; i++)
		if (scratch_need(&kernels->rows[i]) > most)
			most = scratch_need(&kernels->rows[i]);
	if (most > UINT32_MAX * (uint64_t)LINE)
		return base_fail(error, PTOWSP_TOO_BIG, "a kernel's tiles or its workspace need %llu bytes", (unsigned long long)most);
	kernels->scratch_bytes = (most + LINE - 1) / LINE * LINE;
	all = kernels->scratch_bytes * kernels->workers;
	if (memory_limit && all > memory_limit)
		return base_fail(error, PTOWSP_TOO_BIG, "the tiles of %u threads need %llu bytes, the limit is %llu; use fewer threads or raise --max-memory",
				 kernels->workers, (unsigned long long)all, (unsigned long long)memory_limit);
	if (all)
		kernels->scratch = base_alloc(kernels->instance, all);
	return all && !kernels->scratch
		       ? base_fail(error, PTOWSP_NO_MEMORY, "no memory for the tiles of %u threads, %llu bytes", kernels->workers, (unsigned long long)all)
		       : PTOWSP_OK;
}

ptowsp_status base_kernels_init(struct base_kernels *kernels, const struct base_instance *instance, struct base_sections *sections, uint32_t load_flags,
				uint32_t workers, uint64_t memory_limit, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*kernels = (struct base_kernels){.instance = instance, .workers = workers};
	if (sections->kreg.count > UINT32_MAX / sizeof(*kernels->rows))
		return base_fail(error, PTOWSP_TOO_BIG, "%llu kernels are too many", (unsigned long long)sections->kreg.count);
	if (sections->kreg.count) {
		kernels->rows = base_alloc(instance, sections->kreg.count * sizeof(*kernels->rows));
		if (!kernels->rows)
			return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %llu kernels", (unsigned long long)sections->kreg.count);
	}
	kernels->count = (uint32_t)sections->kreg.count; /* zeroed rows are finished as well as made ones */
	for (uint32_t row = 0; !status && row < kernels->count; row++)
		status = base_select(&kernels->rows[row], instance, sections, row, load_flags, error);
	if (!status)
		status = scratch_init(kernels, memory_limit, error);
	if (!status)
		base_numerics_tell(kernels);
	if (status)
		base_kernels_finish(kernels);
	return status;
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	return rt_tensor_name(context, tensor);
}

ptowsp_status base_kernels_tensors(struct base_kernels *kernels, const struct rt_program *rt, struct ptowsp_error *error)
{
	bool parts = false;

	for (uint32_t i = 0; i < kernels->count; i++) {
		struct base_kernel *kernel = &kernels->rows[i];

		if (kernel->isa)
			isa_program_tensors(kernel->isa, (struct isa_tensor_names){tensor_name, rt});
		kernel->parts = rt->parts_of[i];
		if (kernel->parts && !kernel->isa && !*kernel->why)
			return base_fail(error, PTOWSP_UNSUPPORTED,
					 "kernel %.60s gets parts of tiles and has no portable code, which says how large they are whole", kernel->name);
		parts = parts || kernel->parts;
	}
	if (parts && !kernels->rooms)
		kernels->rooms = base_alloc(kernels->instance, kernels->workers * sizeof(*kernels->rooms));
	return parts && !kernels->rooms ? base_fail(error, PTOWSP_NO_MEMORY, "no memory for parts of tiles of %u threads", kernels->workers) : PTOWSP_OK;
}

void base_kernels_finish(struct base_kernels *kernels)
{
	for (uint32_t i = 0; i < kernels->count; i++)
		isa_program_destroy(kernels->rows[i].isa);
	if (!kernels->instance)
		return;
	base_release(kernels->instance, kernels->rows, kernels->count * sizeof(*kernels->rows));
	base_release(kernels->instance, kernels->scratch, kernels->scratch_bytes * kernels->workers);
	for (uint32_t i = 0; kernels->rooms && i < kernels->workers; i++)
		base_pad_room_finish(kernels->instance, &kernels->rooms[i]);
	base_release(kernels->instance, kernels->rooms, kernels->workers * sizeof(*kernels->rooms));
	base_profile_finish(&kernels->profile);
	*kernels = (struct base_kernels){0};
}
