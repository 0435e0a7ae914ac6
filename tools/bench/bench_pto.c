/* SPDX-License-Identifier: MIT */
#include "tools/bench/bench_pto.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "ascend/callable.h"
#include "ascend/client.h"
#include "ascend/compile.h"
#include "ascend/plan_build.h"
#include "ascend/plan_check.h"
#include "rt/rt_error.h"

enum { SCOPE = 256, CHAINS = 64 };

/* Of all tasks: what their kernel calls is the same. */
struct record {
	struct ascend_call call;
	_Atomic uint32_t calls;
};
struct bench_pto {
	struct ascend_entry_args args;
	struct ascend_call_config config;
	struct ascend_client *client;
	struct ascend_objects objects;
	struct ascend_plan_head *plan;
	struct record record;
	uint32_t tasks;
	int32_t callable;
};

/* ---- kernels, on threads of the runtime ---------------------------------------------------------------------------- */

static void nothing(const struct ascend_call *call, const int64_t *args)
{
	(void)call;
	(void)args;
}

static void counted(const struct ascend_call *call, const int64_t *args)
{
	(void)args;
	atomic_fetch_add_explicit(&((struct record *)(uintptr_t)call)->calls, 1, memory_order_relaxed);
}

/* ---- the graph as a plan ------------------------------------------------------------------------------------------- */

/* Tasks between one and the next on the same row, 0: each has a row of its own. */
static uint32_t distance_of(enum bench_stream stream)
{
	return stream == BENCH_CHAINS ? CHAINS : stream == BENCH_SERIAL;
}

/* steps: the steps of the tasks so far, by number. */
static void task_add(struct ascend_plan_build *build, uint32_t number, uint32_t distance, uint32_t *steps)
{
	const struct ascend_plan_window record = {.entry = ASCEND_ENTRY_CALLS, .dtype = ASCEND_U8, .access = ASCEND_WINDOW_READ, .ndims = 1, .contiguous = 1,
						  .shapes = {sizeof(struct record), 1}, .strides = {1, 1}};

	steps[number] = ascend_plan_step_add(build, &(struct ascend_plan_step){.number = number, .blocks = 1, .kind = ASCEND_STEP_TASK, .shape = ASCEND_SHAPE_VECTOR});
	if (distance && number >= distance)
		ascend_plan_edge_add(build, steps[number - distance]);
	ascend_plan_window_add(build, &record);
}

static void scope_add(struct ascend_plan_build *build, uint32_t number, uint8_t kind)
{
	ascend_plan_step_add(build, &(struct ascend_plan_step){.number = number, .blocks = 1, .kind = kind});
}

static ptowsp_status plan_make(struct bench_pto *pto, enum bench_stream stream, bool scopes, struct ptowsp_error *error)
{
	struct ascend_plan_build build = {0};
	uint32_t *steps = calloc(pto->tasks, sizeof(*steps));
	ptowsp_status st;

	if (!steps)
		return rt_no_memory(error, "a plan");
	for (uint32_t i = 0; i < pto->tasks; i++) {
		if (scopes && i % SCOPE == 0)
			scope_add(&build, i, ASCEND_STEP_SCOPE_BEGIN);
		task_add(&build, i, distance_of(stream), steps);
		if (scopes && (i % SCOPE == SCOPE - 1 || i == pto->tasks - 1))
			scope_add(&build, i + 1, ASCEND_STEP_SCOPE_END);
	}
	st = ascend_plan_block_make(&build, &pto->plan, error);
	ascend_plan_build_finish(&build);
	free(steps);
	return st;
}

/* ---- what the runtime gets ----------------------------------------------------------------------------------------- */

static void entry_set(struct bench_pto *pto, uint32_t index, const void *data, uint64_t bytes, uint8_t space)
{
	pto->args.tensors[index] = (struct ascend_tensor){.addr = (uintptr_t)data, .bytes = bytes, .owner = ASCEND_NO_TASK, .ndims = 1, .dtype = ASCEND_U8,
							  .is_contiguous = 1, .address_space = space, .shapes = {(uint32_t)bytes}, .strides = {1}, .extent = bytes};
}

static void args_make(struct bench_pto *pto, bool host_graph)
{
	entry_set(pto, ASCEND_ENTRY_PLAN, pto->plan, pto->plan->bytes, ASCEND_HOST);
	entry_set(pto, ASCEND_ENTRY_CALLS, &pto->record, sizeof(pto->record), ASCEND_DEVICE);
	pto->args.tensor_count = ASCEND_ENTRY_FIRST;
	pto->args.scalar_count = 1;
	pto->args.scalars[ASCEND_ENTRY_ADDRESS] = host_graph ? (uintptr_t)pto->plan : 0;
	for (int ring = 0; host_graph && ring < ASCEND_RINGS; ring++)
		pto->config.task_window[ring] = ascend_plan_window(pto->plan);
}

static ptowsp_status callable_register(struct bench_pto *pto, struct ptowsp_error *error)
{
	static const int32_t directions[ASCEND_ENTRY_FIRST] = {ASCEND_IN, ASCEND_IN};
	const struct ascend_kernel_object kernel = {0, pto->objects.kernel, pto->objects.kernel_size};
	const struct ascend_callable_args args = {pto->objects.orchestration, pto->objects.orchestration_size, &kernel, 1, directions, ASCEND_ENTRY_FIRST};
	void *block = NULL;
	ptowsp_status st = ascend_callable_make(&block, &args, error);

	if (!st)
		st = ascend_client_register(pto->client, block, &pto->callable, error);
	free(block);
	return st;
}

static uint32_t tasks_of(enum bench_stream stream, uint32_t tasks)
{
	return stream == BENCH_SCOPES ? tasks / SCOPE * SCOPE : stream == BENCH_CHAINS ? tasks / CHAINS * CHAINS : tasks;
}

ptowsp_status bench_pto_open(struct bench_pto **pto_out, const char *root, const char *variant, enum bench_stream stream, uint32_t tasks, struct ptowsp_error *error)
{
	const struct ascend_which which = {root, "a2a3", variant, false};
	const bool host_graph = !strcmp(variant, ASCEND_HOST_GRAPH);
	struct bench_pto *pto = aligned_alloc(_Alignof(struct bench_pto), sizeof(*pto));
	ptowsp_status st;

	*pto_out = NULL;
	if (!pto)
		return rt_no_memory(error, "a program of the pto-runtime");
	memset(pto, 0, sizeof(*pto));
	pto->tasks = tasks_of(stream, tasks);
	st = ascend_client_open(&pto->client, &which, 0, error);
	if (!st)
		st = ascend_objects_make(&pto->objects, &which, NULL, error);
	if (!st)
		st = plan_make(pto, stream, !host_graph, error);
	if (!st)
		st = callable_register(pto, error);
	if (!st)
		args_make(pto, host_graph);
	if (st)
		bench_pto_close(pto);
	else
		*pto_out = pto;
	return st;
}

void bench_pto_close(struct bench_pto *pto)
{
	if (!pto)
		return;
	ascend_client_close(pto->client);
	ascend_objects_finish(&pto->objects);
	free(pto->plan);
	free(pto);
}

uint32_t bench_pto_tasks(const struct bench_pto *pto)
{
	return pto->tasks;
}

ptowsp_status bench_pto_run(struct bench_pto *pto, bool check, double *ms_out, struct ptowsp_error *error)
{
	ptowsp_status st;

	pto->record.call.run = check ? counted : nothing;
	pto->record.calls = 0;
	st = ascend_client_run(pto->client, pto->callable, &pto->args, &pto->config, NULL, error);
	*ms_out = (double)pto->client->times.run_ns / 1e6;
	if (!st && check && pto->record.calls != pto->tasks)
		st = rt_fail(error, PTOWSP_RUN_FAILED, "the pto-runtime called %u kernels of %u tasks; look for its messages", pto->record.calls, pto->tasks);
	return st;
}
