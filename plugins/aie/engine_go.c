/* SPDX-License-Identifier: MIT */
/* engine_go.c - the text of a map is read back, checked and routed, and what it says is run: what tasks compute and when comes from there and from nowhere else. */
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "channels.h"
#include "check.h"
#include "cost.h"
#include "engine_own.h"
#include "rt/crew.h"
#include "rt/error.h"
#include "rt/program.h"
#include "sim.h"
#include "work.h"

enum { MOST_TENSORS = 64 };
struct going {
	struct aie_run *run;
	struct rt_feed *feed;
	struct aie_module module;
	struct aie_design design;
	struct aie_channels channels;
	struct aie_routes routes;
	struct aie_sim_stats stats;
	void **arguments;
	void *filler;
	uint64_t *cycles;    /* per function whose kernel costs the same each time; 0: not asked yet */
	uint32_t *next;      /* per core: line that its next call comes behind */
	uint64_t *starts, *ends; /* per task */
	uint32_t *cores;     /* per task */
};

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static ptowsp_status read_back(struct going *going)
{
	const struct aie_map *map = &going->run->loaded->map;
	struct ptowsp_error *error = going->run->error;
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;
	ptowsp_status st = aie_module_read(&going->module, map->text, strlen(map->text), error);

	if (!st)
		st = aie_design_read(&going->design, &going->module, error);
	if (!st)
		st = aie_channels_assign(&going->channels, &going->design, NULL, error);
	if (!st)
		st = aie_check(&going->design, true, error); /* order.h has run it with bounded buffers */
	if (st)
		return st;
	aie_design_flows(&going->channels, &flows, &fifos, &count);
	st = aie_route(going->design.arch, flows, count, &going->routes, error);
	return st ? st : aie_check_routes(&going->design, &going->channels, &going->routes, error);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

/* As the map knows it; its function_count: it does not. */
static uint32_t lowered_of(const struct going *going, const struct aie_function *function)
{
	const struct aie_lowered *lowered = &going->run->loaded->map.lowered;
	uint32_t f = 0;

	while (f < lowered->function_count && strcmp(lowered->functions[f], function->name))
		f++;
	return f;
}

/* A window as the function's type has it: rank 1 is what its kernel lays out by itself. */
static struct ptowsp_tensor_arg window(const struct aie_type *type, void *data, const struct ptowsp_tensor_arg *like)
{
	uint64_t columns = (uint64_t)type->dims[type->rank - 1];

	return (struct ptowsp_tensor_arg){.data = data, .rows = type->rank == 2 ? (uint64_t)type->dims[0] : 1, .columns = columns, .row_stride = columns,
					  .column_stride = 1, .dtype = like->dtype, .access = like->access, .tensor = like->tensor};
}

static ptowsp_status cost_of(struct going *going, uint32_t function, const struct ptowsp_task *task, uint64_t *cycles)
{
	const struct base_kernels *kernels = &going->run->loaded->program->kernels;
	const struct base_kernel *row = task->kernel < kernels->count ? &kernels->rows[task->kernel] : NULL;
	ptowsp_status st;

	if (!row || !row->isa || row->fixed_cycles) {
		*cycles = aie_cost_call(*cycles);
		return PTOWSP_OK;
	}
	if (going->cycles[function]) {
		*cycles = going->cycles[function];
		return PTOWSP_OK;
	}
	st = aie_work(going->run->loaded->arch, row->isa, task->args, task->arg_count, row->blocks, NULL, cycles, going->run->error);
	if (!st && !isa_program_varies(row->isa))
		going->cycles[function] = *cycles;
	return st == PTOWSP_UNSUPPORTED ? PTOWSP_OK : st; /* only data tell: the reference model's, which the run said */
}

/* The next call of a core is that of its next line that calls: its task, PTOWSP_NONE where the text calls more often. */
static uint64_t task_next(struct going *going, uint32_t core)
{
	const struct aie_map *map = &going->run->loaded->map;
	const struct aie_lines *lines = core < map->graph.cell_count ? &map->graph.cells[core] : NULL;

	while (lines && going->next[core] < lines->count) {
		const struct aie_line *line = &lines->lines[going->next[core]++];

		if (line->kind == AIE_LINE_CALL)
			return map->acts.rows[line->act].task;
	}
	return UINT64_MAX;
}

static void time_take(struct going *going, uint64_t task, const struct aie_sim_call *call, uint64_t cycles)
{
	if (task == UINT64_MAX)
		return;
	going->starts[task] = call->at;
	going->ends[task] = call->at + cycles;
	going->cores[task] = call->core;
}

static ptowsp_status call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct going *going = context;
	const struct aie_function *function = call->function;
	const struct rt_program *program = going->run->loaded->program->rt;
	const struct aie_lowered *lowered = &going->run->loaded->map.lowered;
	const struct base_walk *walk = &going->run->loaded->walk;
	uint32_t known = lowered_of(going, function), tensors = 0;
	struct ptowsp_tensor_arg windows[MOST_TENSORS];
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, error};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .tensors = windows, .tensor_stride = sizeof(*windows), .process = PTOWSP_NONE,
				   .block_count = 1};
	ptowsp_status st;

	if (known == lowered->function_count)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "no model for kernel %.60s", function->name);
	task.kernel = lowered->kernels[known];
	task.number = task_next(going, call->core);
	task.executor = call->core;
	task.tensor_count = walk->tasks[lowered->tasks[known]].tensor_count;
	task.arg_count = function->type->inputs - task.tensor_count;
	task.args = call->scalars + task.tensor_count;
	for (; tensors < task.tensor_count && tensors < MOST_TENSORS; tensors++)
		windows[tensors] = window(function->type->parts[tensors], call->memrefs[tensors], &walk->tensors[walk->tasks[lowered->tasks[known]].tensors + tensors]);
	st = rt_crew_invoke(program, &task, &out, 0);
	if (st)
		return rt_crew_failure(program, task.kernel, task.number, st, error);
	*cycles_out = out.cycles;
	st = cost_of(going, known, &task, cycles_out);
	time_take(going, task.number, call, *cycles_out);
	return st;
}

/* ---- times -------------------------------------------------------------------------------------------------------------- */

static void times_tell(const struct going *going)
{
	const struct base_walk *walk = &going->run->loaded->walk;

	rt_feed_executors(going->feed, going->design.core_count);
	for (uint64_t t = 0; t < walk->task_count; t++)
		rt_feed_told(going->feed, &(struct ptowsp_trace_task){.task = t, .start = going->starts[t], .end = going->ends[t], .kernel = walk->tasks[t].kernel,
								      .executor = going->cores[t], .stream = walk->tasks[t].stream});
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

static bool rooms_make(struct going *going)
{
	const struct aie_loaded *loaded = going->run->loaded;
	const struct aie_lowered *lowered = &loaded->map.lowered;
	uint64_t tasks = loaded->walk.task_count + 1;

	going->arguments = calloc((size_t)lowered->argument_count + 1, sizeof(*going->arguments));
	going->filler = calloc(1, lowered->filler_bytes + 4);
	going->cycles = calloc((size_t)lowered->function_count + 1, sizeof(*going->cycles));
	going->next = calloc((size_t)loaded->map.graph.cell_count + 1, sizeof(*going->next));
	going->starts = calloc(tasks, sizeof(*going->starts));
	going->ends = calloc(tasks, sizeof(*going->ends));
	going->cores = calloc(tasks, sizeof(*going->cores));
	if (!going->arguments || !going->filler || !going->cycles || !going->next || !going->starts || !going->ends || !going->cores)
		return false;
	for (uint32_t a = 0; a < lowered->argument_count; a++)
		going->arguments[a] = lowered->arguments[a] == AIE_NOTHING ? going->filler : loaded->bases[lowered->arguments[a]];
	return true;
}

static ptowsp_status simulate(struct going *going)
{
	const struct aie_options *options = (const void *)going->run->loaded->program->device->instance->options;
	const struct aie_sim_args args = {.design = &going->design, .routes = &going->routes, .arguments = going->arguments, .kernels = {going, call},
					  .buffering = options->buffering ? 8 : 0, .cancel = going->run->args->cancel};
	const struct base_instance *instance = going->run->loaded->program->device->instance;
	ptowsp_status st = aie_sim_run(&args, &going->stats, going->run->error);

	if (!st)
		base_log(instance, PTOWSP_LOG_INFO, "%s, not measured: %llu cycles on %u cores; bottleneck %s, busy %llu %%; %llu bytes from and to memory", AIE_MODEL,
			 (unsigned long long)going->stats.cycles, going->design.core_count, going->stats.agents[going->stats.bottleneck].name,
			 (unsigned long long)(going->stats.cycles ? going->stats.agents[going->stats.bottleneck].busy * 100 / going->stats.cycles : 0),
			 (unsigned long long)going->stats.ddr_bytes);
	return st;
}

static void going_finish(struct going *going)
{
	aie_sim_finish(&going->stats);
	aie_routes_finish(&going->routes);
	aie_channels_finish(&going->channels);
	aie_design_finish(&going->design);
	aie_module_finish(&going->module);
	free(going->arguments);
	free(going->filler);
	free(going->cycles);
	free(going->next);
	free(going->starts);
	free(going->ends);
	free(going->cores);
}

ptowsp_status aie_engine_go(struct aie_run *run, struct rt_feed *feed)
{
	struct going going = {.run = run, .feed = feed};
	ptowsp_status st = rooms_make(&going) ? PTOWSP_OK : rt_no_memory(run->error, "a run of the array");

	if (!st)
		st = read_back(&going);
	if (!st)
		st = simulate(&going);
	if (!st)
		times_tell(&going);
	going_finish(&going);
	return st;
}
