/* SPDX-License-Identifier: MIT */
#include "tools/bench/load.h"

#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/bench/kernels.h"
#include "tools/bench/spin.h"

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

static void order_check(struct bench_load *load, uint32_t t)
{
	const struct bench_graph *g = &load->graph;
	uint32_t bad = atomic_load_explicit(&load->counters[t], memory_order_relaxed) != load->epoch - 1;

	for (uint32_t i = g->offset[t]; i < g->offset[t + 1]; i++)
		bad += atomic_load_explicit(&load->counters[g->predecessors[i]], memory_order_acquire) != load->epoch;
	if (bad)
		atomic_fetch_add(&load->bad_order, bad);
}

/* release: a successor that sees the count sees the task's effects. */
void bench_load_task(struct bench_load *load, uint32_t task)
{
	_Atomic uint32_t *counter = &load->counters[task];

	if (load->check)
		order_check(load, task);
	if (load->work)
		bench_spin(load->work);
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_release);
}

static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	(void)out, (void)worker;
	bench_load_task(context, (uint32_t)task->number);
	return PTOWSP_OK;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static ptowsp_status tensors_make(struct bench_load *load)
{
	const uint32_t columns = bench_graph_columns(load->workload);
	uint64_t elements, most = 1;

	for (; (elements = bench_graph_tensor(load->workload, load->n, load->binding_count)); load->binding_count++) {
		most = elements > most ? elements : most;
		load->bindings[load->binding_count] = (struct ptowsp_binding){
			.elements = elements, .extents = {elements / columns, columns}, .tensor = load->binding_count, .dtype = PTOWSP_F32, .rank = 2};
	}
	load->data = malloc(most * sizeof(*load->data));
	if (!load->data)
		return PTOWSP_NO_MEMORY;
	memset(load->data, 0, most * sizeof(*load->data)); /* touched now, so that its pages do not count as the runtime's */
	for (uint32_t i = 0; i < load->binding_count; i++)
		load->bindings[i].data = load->data;
	return PTOWSP_OK;
}

static ptowsp_status program_make(struct bench_load *load, struct ptowsp_error *error)
{
	struct rt_kernels kernels = bench_kernels(run);
	struct ptowsp_cap caps[512];
	struct bench_program source;
	struct rt_program_args args = {.kernels = &kernels, .caps = caps, .section_stride = sizeof(struct ptowsp_section)};
	ptowsp_status st = PTOWSP_NO_MEMORY;

	kernels.context = load;
	args.cap_count = rt_capabilities(caps, sizeof(caps) / sizeof(*caps));
	bench_program_init(&source);
	bench_graph_program(&source, load->workload, load->n);
	bench_program_directive(&source, PTOWSP_DIRECTIVE_DEPS, load->deps, -1);
	bench_program_directive(&source, PTOWSP_DIRECTIVE_HAZARDS, load->hazards, -1);
	if (load->window)
		bench_program_directive(&source, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, load->window);
	args.sections = bench_program_seal(&source, &args.section_count);
	if (args.sections)
		st = rt_program_create(&load->program, &args, error);
	bench_program_finish(&source);
	return st;
}

ptowsp_status bench_load_init(struct bench_load *load, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_NO_MEMORY;

	if (bench_graph_init(&load->graph, load->workload, load->n))
		load->counters = malloc(load->graph.tasks * sizeof(*load->counters));
	for (uint32_t t = 0; load->counters && t < load->graph.tasks; t++)
		atomic_init(&load->counters[t], 0);
	if (load->counters)
		st = tensors_make(load);
	if (!st)
		st = rt_pool_create(&load->pool, load->threads, error);
	return st ? st : program_make(load, error);
}

void bench_load_finish(struct bench_load *load)
{
	rt_program_destroy(load->program);
	rt_pool_destroy(load->pool);
	bench_graph_finish(&load->graph);
	free(load->counters);
	free(load->data);
	*load = (struct bench_load){0};
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

void bench_load_begin(struct bench_load *load, bool check)
{
	load->epoch++;
	load->check = check;
}

void bench_load_end(struct bench_load *load)
{
	for (uint32_t t = 0; t < load->graph.tasks; t++)
		load->bad_count += atomic_load_explicit(&load->counters[t], memory_order_relaxed) != load->epoch;
}

static struct ptowsp_run_args run_args(struct bench_load *load, uint32_t flags)
{
	return (struct ptowsp_run_args){.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS), .bindings = load->bindings,
					.binding_count = load->binding_count, .binding_stride = sizeof(*load->bindings), .flags = flags};
}

ptowsp_status bench_load_run(struct bench_load *load, uint32_t flags, bool check, const struct rt_sinks *sinks, double *ns_out,
			     struct ptowsp_error *error)
{
	struct ptowsp_run_args args = run_args(load, flags);
	struct rt_run_args how = {.args = &args, .pool = load->pool, .sinks = sinks};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};
	bool kernels = !(flags & PTOWSP_RUN_NO_KERNELS);
	ptowsp_status st;
	uint64_t began;

	if (kernels)
		bench_load_begin(load, check);
	began = bench_now_ns();
	st = rt_run(load->program, &how, &stats, &deadlock, error);
	*ns_out = (double)(bench_now_ns() - began);
	if (kernels)
		bench_load_end(load);
	return st;
}

ptowsp_status bench_load_survey(struct bench_load *load, struct rt_survey *survey_out, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = run_args(load, PTOWSP_RUN_NO_KERNELS);

	return rt_survey(load->program, &args, survey_out, error);
}
