/* SPDX-License-Identifier: MIT */
/* engine_entry.c - what a run of the runtime gets: tensors, rings, limits. */
#include "ascend/engine/engine_run.h"

#include "ascend/ascend_arch.h"
#include "ascend/plan/plan_check.h"
#include "ascend/plan/plan_moves.h"
#include "ascend/plan/plan_window.h"
#include "rt/grow.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

bool ascend_run_is_host_graph(const struct ascend_run *run)
{
	return !strcmp(run->loaded->engine->variant, ASCEND_HOST_GRAPH);
}

ptowsp_status ascend_run_bind(struct ascend_run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	const struct ptowsp_run_args *args = run->args->args;

	memset(loaded->bindings, 0, loaded->planned->tables.tensor.count * sizeof(*loaded->bindings));
	for (uint32_t b = 0; b < args->binding_count; b++) { /* rt_run has looked at them */
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		loaded->bindings[binding->tensor] = *binding;
	}
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t] && loaded->bindings[t].elements > UINT32_MAX)
			return rt_fail(run->error, PTOWSP_TOO_SMALL, "tensor %.60s has %llu elements; the pto-runtime takes 2^32 - 1 per tensor: divide it",
				       rt_tensor_name(loaded->planned, t), (unsigned long long)loaded->bindings[t].elements);
	return PTOWSP_OK;
}

/* In the simulation the device's memory is that of this process. Where the runtime gets tensors that are loaded from while it runs, they stay where they are. */
static uint8_t space_of(const struct ascend_run *run)
{
	return run->streamed ? ASCEND_DEVICE : ASCEND_HOST;
}

/* A tensor without elements, or that nobody bound, is a byte that nobody looks at. */
static void entry_set(struct ascend_run *run, uint32_t entry, const void *data, uint64_t elements, uint16_t dtype, uint8_t space)
{
	static const char nothing[64];
	bool there = data && elements;

	run->entry->tensors[entry] = (struct ascend_tensor){.addr = (uintptr_t)(there ? data : nothing),
							    .bytes = there ? elements * rt_dtype_bytes(dtype) : 1,
							    .owner = ASCEND_NO_TASK,
							    .ndims = 1,
							    .dtype = there ? ascend_dtype_of(dtype) : ASCEND_U8,
							    .is_contiguous = 1,
							    .address_space = there ? space : ASCEND_DEVICE,
							    .shapes = {there ? (uint32_t)elements : 1},
							    .strides = {1},
							    .extent = there ? elements : 1};
}

static void entries_set(struct ascend_run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	const struct ascend_plan_head *plan = run->streamed ? NULL : run->batch->plan;

	entry_set(run, ASCEND_ENTRY_PLAN, plan, plan ? plan->bytes : 0, PTOWSP_U8, ASCEND_HOST);
	entry_set(run, ASCEND_ENTRY_CALLS, &run->calls, sizeof(run->calls), PTOWSP_U8, ASCEND_DEVICE);
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t])
			entry_set(run, loaded->entries[t], loaded->bindings[t].data, loaded->bindings[t].elements, loaded->bindings[t].dtype, space_of(run));
	if (loaded->blocks_entry)
		entry_set(run, loaded->blocks_entry, run->blocks, run->block_bytes, PTOWSP_U8, ASCEND_DEVICE);
	if (loaded->versions_entry)
		entry_set(run, loaded->versions_entry, ASCEND_VERSIONS_BASE, 1, PTOWSP_U8, ASCEND_DEVICE);
	run->entry->tensor_count = (int32_t)loaded->entry_count;
	run->entry->scalar_count = ASCEND_ENTRY_NUMBERS;
	run->entry->scalars[ASCEND_ENTRY_ADDRESS] = ascend_run_is_host_graph(run) ? (uintptr_t)plan : 0;
	run->entry->scalars[ASCEND_ENTRY_SOURCE] = (uintptr_t)run->stream;
}

ptowsp_status ascend_run_entry(struct ascend_run *run)
{
	if (!run->streamed)
		run->block_bytes = ascend_maker_block_bytes(run->maker);
	else if (run->loaded->blocks_entry)
		run->block_bytes = ASCEND_BLOCKS_ROOM;
	run->entry = aligned_alloc(_Alignof(struct ascend_entry_args), sizeof(*run->entry));
	run->blocks = aligned_alloc(ASCEND_BLOCK_ALIGN, run->block_bytes + ASCEND_BLOCK_ALIGN);
	if (!run->entry || !run->blocks)
		return rt_no_memory(run->error, "the arguments of the pto-runtime");
	memset(run->entry, 0, sizeof(*run->entry));
	entries_set(run);
	return PTOWSP_OK;
}

/* The window that tasks are held to. A host graph gives nothing back. */
uint64_t ascend_run_window(const struct ascend_run *run)
{
	return run->streamed ? run->loaded->walk.limits.window : ascend_run_is_host_graph(run) ? 0 : run->loaded->walk.limits.stated;
}

static bool has_scopes(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_SCOPE)
			return true;
	return false;
}

/* A ring holds what open scopes do, which is a window at most, and as much again that is on its way out; the runtime's own is large enough for any other. The heap stays its own: arguments
 * are entry tensors, never outputs that it places. */
ptowsp_status ascend_run_rings(struct ascend_run *run)
{
	const bool scopes = has_scopes(run->loaded->planned);
	const uint64_t window = ascend_run_window(run), slots = scopes && window > ASCEND_WINDOW / 2 ? rt_power_above(2 * window) : 0;

	if (slots > ASCEND_WINDOW_LIMIT)
		return rt_fail(run->error, PTOWSP_TOO_SMALL,
			       "a task_window of %llu with scopes wants a ring of %llu slots; a ring takes %d: use a smaller one, or no scopes",
			       (unsigned long long)window, (unsigned long long)slots, ASCEND_WINDOW_LIMIT);
	for (int ring = 0; ring < ASCEND_RINGS; ring++) {
		run->config.task_window[ring] = slots;
		run->config.dep_pool[ring] = scopes || !run->streamed ? ASCEND_POOL : 0;
	}
	return PTOWSP_OK;
}

/* A host graph's window is known when there is a plan. */
ptowsp_status ascend_run_graph(struct ascend_run *run)
{
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		run->config.task_window[ring] = ascend_plan_window(run->batch->plan);
	return ascend_plan_check(run->batch->plan, run->config.task_window[0], run->error);
}
