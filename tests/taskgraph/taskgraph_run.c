/* SPDX-License-Identifier: MIT */
#include "tests/taskgraph/taskgraph_run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

struct graph_call graph_calls[1024];
uint32_t graph_call_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(const struct ptowsp_task *task)
{
	struct graph_call call = {.task = task->number, .block = task->block, .block_count = task->block_count, .executor = task->executor};

	for (uint32_t i = 0; i < task->tensor_count && i < 4; i++) {
		const struct ptowsp_tensor_arg *window = (const void *)((const char *)task->tensors + (size_t)i * task->tensor_stride);

		call.data[i] = window->data;
		call.columns[i] = window->columns;
		call.dtype[i] = window->dtype;
		call.access[i] = window->access;
	}
	pthread_mutex_lock(&lock);
	if (graph_call_count < 1024)
		graph_calls[graph_call_count++] = call;
	pthread_mutex_unlock(&lock);
}

static ptowsp_status tick(const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint64_t cycles)
{
	remember(task);
	out->cycles = cycles;
	return PTOWSP_OK;
}

#define TICK(cycles)                                                                                                                                           \
	static ptowsp_status tick##cycles(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)                                                       \
	{                                                                                                                                                      \
		return tick(task, out, cycles);                                                                                                                \
	}
TICK(1)
TICK(10)
TICK(100)

static ptowsp_status mark(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *window = (const void *)((const char *)task->tensors + (size_t)i * task->tensor_stride);
		int32_t value;

		if (window->access == PTOWSP_READ || !window->data)
			continue;
		memcpy(&value, window->data, sizeof(value));
		value += (int32_t)task->block + 1;
		memcpy(window->data, &value, sizeof(value));
	}
	return tick(task, out, 10);
}

static const struct {
	const char *name;
	ptowsp_kernel_fn fn;
} functions[] = {{"tick1", tick1}, {"tick10", tick10}, {"tick100", tick100}, {"mark", mark}};

static void on_log(void *context, int32_t level, const char *text)
{
	struct graph_run *run = context;

	(void)level;
	if (strlen(run->log) + strlen(text) + 2 < sizeof(run->log))
		strcat(strcat(run->log, text), "\n");
}

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	struct graph_run *run = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);
		size_t used = strlen(run->times);

		snprintf(run->last, sizeof(run->last), "task %llu %s", (unsigned long long)task->task, ptowsp_plan_kernel(run->plan, task->kernel));
		if (run->task_count == GRAPH_RUN_TASKS)
			continue;
		run->tasks[run->task_count++] = *task;
		snprintf(run->times + used, sizeof(run->times) - used, "%s%s %llu-%llu", used ? " " : "", ptowsp_plan_kernel(run->plan, task->kernel),
			 (unsigned long long)task->start, (unsigned long long)task->end);
	}
}

static ptowsp_status load(struct graph_run *run, const char *entry, uint32_t threads)
{
	struct ptowsp_plan_options plan = {.entry = entry};
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options backend = {.isolate = PTOWSP_ISOLATE_NONE,
						 .plugin = "cpu_sim",
						 .plugin_dirs = &dir,
						 .plugin_dir_count = 1,
						 .threads = threads,
						 .log = on_log,
						 .log_context = run};
	ptowsp_status status = ptowsp_package_open_memory(&run->package, run->source.bytes, run->source.size, "test", 0, &run->error);

	if (!status)
		status = ptowsp_plan_create(&run->plan, run->package, &plan, &run->error);
	if (!status)
		status = ptowsp_backend_open(&run->backend, &backend, &run->error);
	if (!status)
		status = ptowsp_program_load(&run->program, run->backend, run->plan, 0, &run->error);
	if (!status)
		status = ptowsp_trace_attach(run->program, on_tasks, run, &run->error);
	return status;
}

struct graph_run *graph_run_open(const char *text, const char *entry, uint32_t threads)
{
	struct graph_run *run = calloc(1, sizeof(*run));

	REQUIRE(run != NULL);
	run->error = (struct ptowsp_error){.head = PTOWSP_HEAD(run->error, ERROR)};
	run->source = source_compile(text);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		ptowsp_kernel_register(functions[i].name, "", (ptowsp_native_fn)functions[i].fn);
	if (run->source.t && !load(run, entry, threads))
		return run;
	CHECK_FAIL("%s%s", run->source.messages, run->error.text);
	graph_run_close(run);
	return NULL;
}

void graph_run_bind(struct graph_run *run, const char *tensor, void *data, uint64_t elements)
{
	if (ptowsp_tensor_bind(run->program, tensor, data, elements, &run->error))
		CHECK_FAIL("%s", run->error.text);
}

void graph_run_set(struct graph_run *run, const char *name, const char *value)
{
	if (ptowsp_value_set(run->program, name, value, &run->error))
		CHECK_FAIL("%s", run->error.text);
}

static ptowsp_status go(struct graph_run *run, uint32_t flags)
{
	const struct ptowsp_execute_options options = {.flags = flags, .timeout_ns = UINT64_C(20000000000)};

	graph_call_count = run->task_count = 0;
	run->times[0] = 0;
	run->error.text[0] = 0;
	run->status = ptowsp_execute(run->program, &options, &run->error);
	return run->status;
}

ptowsp_status graph_run_go(struct graph_run *run)
{
	return go(run, 0);
}

ptowsp_status graph_run_count(struct graph_run *run)
{
	return go(run, PTOWSP_RUN_NO_KERNELS);
}

void graph_run_close(struct graph_run *run)
{
	if (!run)
		return;
	ptowsp_program_unload(run->program);
	ptowsp_backend_close(run->backend);
	ptowsp_plan_destroy(run->plan);
	ptowsp_package_close(run->package);
	source_free(&run->source);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		ptowsp_kernel_unregister(functions[i].name);
	free(run);
}
