/* SPDX-License-Identifier: MIT */
/* engine_go.c - what the text of a map says is run: what tasks compute and when comes from there and from nowhere else. */
#include "aie/design/kernel_files.h"
#include "aie/design/kernel_object.h"
#include "aie/engine/aie_engine_own.h"
#include "aie/graph/fits.h"
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim.h"
#include "aie/sim/work.h"
#include "base/error.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include "rt/structure/memory_limit.h"
#include "rt/threads/crew.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct going {
	struct aie_run *run;
	struct rt_feed *feed;
	struct aie_back back;
	struct aie_sim_stats stats[2]; /* with 0 words of stream buffering, and with 8 */
	bool again;                    /* a second time, to compare: times are those of the first */
	struct aie_ring ring;
	void **arguments;
	struct aie_sim_copies copies; /* where the design is run twice */
	void **shadows;               /* per argument: it, where it is a copy of the tensor with the rest of its last word; owned */
	void *filler;
	struct aie_work *works;  /* per KREG row that costs the same each time; all 0: not asked yet */
	struct aie_calls *calls; /* per KREG row */
	uint32_t *next;          /* per core: line that its next call comes behind */
	uint64_t *starts, *ends; /* per task */
	uint32_t *cores;         /* per task */
};

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

static struct ptowsp_tensor_arg window(const struct aie_view *view, void *data, const struct ptowsp_tensor_arg *like)
{
	uintptr_t first = (uintptr_t)data - (uintptr_t)view->before * rt_dtype_bytes(like->dtype);

	return (struct ptowsp_tensor_arg){.data = (void *)first,
					  .rows = view->rows,
					  .columns = view->columns,
					  .row_stride = view->stride,
					  .column_stride = 1,
					  .dtype = like->dtype,
					  .access = like->access,
					  .tensor = like->tensor};
}

static int is_over(void *patience)
{
	return base_patience_look(patience);
}

/* Cost of a call of portable code; said_cycles: the kernel's own, which count where the model has none. */
static ptowsp_status work_of(struct going *going, const struct ptowsp_task *task, uint64_t said_cycles, struct aie_work *work_out)
{
	const struct base_kernels *kernels = going->run->loaded->map.kernels;
	const struct base_kernel *row = task->kernel < kernels->count ? &kernels->rows[task->kernel] : NULL;
	const struct isa_guard guard = {is_over, &going->run->patience};
	struct aie_work *known = row ? &going->works[task->kernel] : NULL;
	const uint64_t stated = aie_object_of(going->run->loaded, task->kernel).cycles;
	ptowsp_status status;

	said_cycles = stated ? stated : said_cycles;
	*work_out = (struct aie_work){said_cycles, said_cycles};
	if (!row || !row->isa || row->fixed_cycles || stated) {
		*work_out = (struct aie_work){aie_cost_call(said_cycles), aie_cost_call(said_cycles)};
		return PTOWSP_OK;
	}
	if (!known->emitted) {
		status = aie_work(going->run->loaded->arch, row->isa, task->args, task->arg_count, row->blocks, &guard, work_out, going->run->error);
		if (status || isa_program_varies(row->isa))
			return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status; /* only data tell: the reference model's, which the run said */
		*known = *work_out;
	}
	*work_out = *known;
	return PTOWSP_OK;
}

static ptowsp_status cost_of(struct going *going, const struct ptowsp_task *task, uint64_t said_cycles, uint64_t *cycles_out)
{
	struct aie_work work;
	ptowsp_status status = work_of(going, task, said_cycles, &work);
	struct aie_calls *calls = task->kernel < going->run->loaded->map.kernels->count ? &going->calls[task->kernel] : NULL;

	*cycles_out = going->run->options->cost == AIE_COST_OF_EMITTED && !(calls && calls->object) ? work.emitted : work.published;
	if (calls && !going->again) {

		calls->count++;
		calls->work.emitted += work.emitted;
		calls->work.published += work.published;
	}
	return status;
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

static void time_take(struct going *going, uint64_t task, uint32_t core, uint64_t at, uint64_t cycles)
{
	if (task == UINT64_MAX || going->again)
		return;
	going->starts[task] = at;
	going->ends[task] = at + cycles;
	going->cores[task] = core;
}

/* The kernel of a task, or of a part of one: as rt_kernels.run. A failure is that of the whole. */
static ptowsp_status kernel_run(struct going *going, const struct ptowsp_task *task, uint64_t number, struct ptowsp_kernel_out *out)
{
	struct aie_loaded *loaded = going->run->loaded;
	struct aie_divided *divided = &loaded->map.divided;
	const uint32_t whole = aie_divided_kernel(divided, task->kernel);
	ptowsp_status status =
		whole == task->kernel ? rt_crew_invoke(loaded->program->rt, task, out, 0) : aie_divided_run(divided, &loaded->program->kernels, task, out);

	if (!status)
		return PTOWSP_OK;
	number = number == UINT64_MAX ? number : loaded->walk.first + aie_divided_task(divided, number);
	return rt_crew_failure(loaded->program->rt, whole, number, status, out->error);
}

static ptowsp_status call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct going *going = context;
	const struct aie_function *function = call->function;
	const struct aie_lowered *lowered = &going->run->loaded->map.lowered;
	const struct base_walk *walk = going->run->loaded->map.walk;
	const uint32_t known = (uint32_t)(function - going->back.design.functions); /* in the order of the map */
	uint32_t tensors = 0;
	uint64_t number;
	struct ptowsp_tensor_arg windows[AIE_MOST_TENSORS];
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, error};
	struct ptowsp_task task = {
		.head = PTOWSP_HEAD(task, TASK), .tensors = windows, .tensor_stride = sizeof(*windows), .process = PTOWSP_NONE, .block_count = 1};
	ptowsp_status status;

	if (known >= lowered->function_count)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "no model for kernel %.60s", function->name);
	task.kernel = lowered->kernels[known];
	number = task_next(going, call->core);
	task.number = number == UINT64_MAX ? number : number + walk->first;
	task.executor = call->core;
	task.tensor_count = walk->tasks[lowered->tasks[known]].tensor_count;
	task.arg_count = function->type->inputs - task.tensor_count;
	task.args = call->scalars + task.tensor_count;
	for (; tensors < task.tensor_count && tensors < AIE_MOST_TENSORS; tensors++) {
		const struct aie_view view = aie_function_view(function, tensors);

		windows[tensors] = window(&view, call->memrefs[tensors], &walk->tensors[walk->tasks[lowered->tasks[known]].tensors + tensors]);
	}
	if (going->run->counted)
		out.cycles = number < walk->task_count ? walk->tasks[number].cycles : 1;
	else if ((status = kernel_run(going, &task, number, &out)))
		return status;
	status = cost_of(going, &task, out.cycles, cycles_out);
	time_take(going, number, call->core, call->at, *cycles_out);
	return status;
}

/* ---- times -------------------------------------------------------------------------------------------------------------- */

/* A task that was divided begins with its first part and ends with its last. */
static void times_tell(struct going *going)
{
	const struct base_walk *walk = &going->run->loaded->walk;
	const struct aie_map *map = &going->run->loaded->map;
	uint64_t part = 0;

	aie_ring_tell(&going->ring, going->ends);
	rt_feed_executors(going->feed, going->back.design.core_count);
	for (uint64_t t = 0; t < walk->task_count; t++) {
		uint64_t start = going->starts[part], end = going->ends[part];
		const uint32_t core = going->cores[part];

		for (part++; part < map->walk->task_count && aie_divided_task(&map->divided, part) == t; part++) {
			start = going->starts[part] < start ? going->starts[part] : start;
			end = going->ends[part] > end ? going->ends[part] : end;
		}
		rt_feed_tell(going->feed, &(struct ptowsp_trace_task){.task = walk->first + t,
								      .start = going->run->cycles + start,
								      .end = going->run->cycles + end,
								      .kernel = walk->tasks[t].kernel,
								      .executor = core,
								      .stream = walk->tasks[t].stream});
	}
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

/* Without kernels nothing moves, so that nothing is changed that is bound. */
static void *memory_of(const struct aie_run *run, uint32_t tensor)
{
	return run->counted ? NULL : run->loaded->map.bases[tensor];
}

static bool rooms_make(struct going *going)
{
	const struct aie_loaded *loaded = going->run->loaded;
	const struct aie_lowered *lowered = &loaded->map.lowered;
	const struct base_kernels *kernels = loaded->map.kernels;
	uint64_t tasks = loaded->map.walk->task_count + 1;

	going->arguments = calloc((size_t)lowered->argument_count + 1, sizeof(*going->arguments));
	going->filler = calloc(1, lowered->filler_bytes + 4);
	going->works = calloc((size_t)kernels->count + 1, sizeof(*going->works));
	going->calls = calloc((size_t)kernels->count + 1, sizeof(*going->calls));
	going->next = calloc((size_t)loaded->map.graph.cell_count + 1, sizeof(*going->next));
	going->starts = calloc(tasks, sizeof(*going->starts));
	going->ends = calloc(tasks, sizeof(*going->ends));
	going->cores = calloc(tasks, sizeof(*going->cores));
	if (!going->arguments || !going->filler || !going->works || !going->calls || !going->next || !going->starts || !going->ends || !going->cores)
		return false;
	for (uint32_t k = 0; k < kernels->count; k++) {
		const struct aie_kernel_object object = aie_object_of(loaded, k);

		going->calls[k].object = aie_kernel_object_is(&object);
		going->calls[k].stated = object.cycles != 0;
	}
	for (uint32_t a = 0; a < lowered->argument_count; a++)
		going->arguments[a] = lowered->arguments[a] == AIE_NOTHING ? going->filler : memory_of(going->run, lowered->arguments[a]);
	return true;
}

static uint64_t tensor_bytes(const struct going *going, uint32_t argument)
{
	const struct aie_tensor *tensor = &going->run->loaded->map.tensors[going->run->loaded->map.lowered.arguments[argument]];

	return tensor->elements * rt_dtype_bytes(tensor->dtype);
}

/* Memory that is bound there, also to be counted alone: room is made for it all the same, so that --explain ends as its run does. NULL: nothing. */
static void *bound_of(const struct going *going, uint32_t argument)
{
	const struct aie_loaded *loaded = going->run->loaded;
	void *base = loaded->map.lowered.arguments[argument] == AIE_NOTHING ? going->filler : loaded->map.bases[loaded->map.lowered.arguments[argument]];

	return base == RT_NOWHERE ? NULL : base;
}

/* The array gets a longer copy of a tensor where it moves words that end behind the tensor. */
static ptowsp_status shadows_make(struct going *going)
{
	const struct aie_lowered *lowered = &going->run->loaded->map.lowered;

	going->shadows = calloc((size_t)lowered->argument_count + 1, sizeof(*going->shadows));
	for (uint32_t a = 0; going->shadows && a < lowered->argument_count; a++) {
		uint64_t bytes = aie_type_bytes(going->back.design.arguments[a]);

		if (lowered->arguments[a] == AIE_NOTHING || !bound_of(going, a) || bytes <= tensor_bytes(going, a))
			continue;
		going->shadows[a] = calloc(1, (size_t)bytes);
		if (!going->shadows[a])
			return rt_no_memory(going->run->error, "a tensor of the array");
		if (!going->arguments[a])
			continue;
		if (!base_patience_copy(&going->run->patience, going->shadows[a], going->arguments[a], tensor_bytes(going, a)))
			return rt_fail(going->run->error, PTOWSP_CANCELLED, "ended before it ran");
		going->arguments[a] = going->shadows[a];
	}
	return going->shadows ? PTOWSP_OK : rt_no_memory(going->run->error, "a tensor of the array");
}

/* Tensors that the array writes come back; memory that it only reads may be read-only. */
static void shadows_take(struct going *going)
{
	const struct aie_design *design = &going->back.design;

	for (uint32_t s = 0; !going->run->counted && s < design->step_count; s++) {
		const struct aie_step *step = &design->steps[s];
		void **shadow = &going->shadows[step->argument];

		if (!aie_design_writes(design, step) || !*shadow)
			continue;
		memcpy(memory_of(going->run, going->run->loaded->map.lowered.arguments[step->argument]), *shadow, (size_t)tensor_bytes(going, step->argument));
		free(*shadow); /* once, however many steps write it */
		*shadow = NULL;
	}
}

/* Without a window that is stated there is none. */
static ptowsp_status ring_begin(struct going *going)
{
	const struct aie_loaded *loaded = going->run->loaded;
	const struct rt_schedule *schedule = &loaded->planned->schedule;

	going->ring.before = going->run->cycles;
	return aie_ring_begin(&going->ring, &loaded->map, &loaded->walk, going->feed, schedule->window_stated ? schedule->window : 0, schedule->window_mode,
			      going->run->error);
}

/* The simulator begins: the one that is run last only to compare has fewer words in its streams. */
static void begin(void *context, uint32_t buffering)
{
	struct going *going = context;

	going->again = going->run->options->buffering == AIE_BUFFERING_BOTH && !buffering;
	memset(going->next, 0, ((size_t)going->run->loaded->map.graph.cell_count + 1) * sizeof(*going->next));
}

static void log_run(const struct going *going, const struct aie_sim_stats *stats)
{
	base_log(going->run->loaded->program->device->instance, PTOWSP_LOG_INFO,
		 "%s, not measured: %llu cycles on %u cores; bottleneck %s, busy %llu %%; %llu bytes from and to memory", AIE_MODEL,
		 (unsigned long long)stats->cycles, going->back.design.core_count, stats->agents[stats->bottleneck].name,
		 (unsigned long long)(stats->cycles ? stats->agents[stats->bottleneck].busy * 100 / stats->cycles : 0), (unsigned long long)stats->ddr_bytes);
}

static void depends_say(const struct going *going)
{
	static const char text[] =
		"the design depends on the buffering of streams: with 8 words in each it does not end as with 0; a device has some between 4 and 8 (--opt "
		"buffering=0 or 8 runs one of them)";
	const struct ptowsp_host *host = going->run->loaded->program->device->instance->host;

	host->diagnose(host->context, 0, PTOWSP_STATE_DIAGNOSED, text, sizeof(text) - 1);
}

static ptowsp_status program_make(const struct going *going, struct aie_program_proxy **proxy_out)
{
	const struct aie_loaded *loaded = going->run->loaded;
	const struct aie_kernel_files_args args = {
		&going->back.design, &loaded->map.lowered, loaded->map.walk, loaded->map.kernels, loaded->objects, loaded->program->kernels.count, false};
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)}; /* of kernels that only files would miss */

	return aie_program_proxy_create(proxy_out, &args, &unsaid);
}

/* Sources of the cores' programs are kept where a compiler is named that measures them: it takes seconds, so it runs when somebody looks. */
static ptowsp_status program_keep(struct going *going)
{
	struct aie_loaded *loaded = going->run->loaded;
	struct aie_program_proxy *proxy;
	const ptowsp_status status = program_make(going, &proxy);

	if (status)
		return status == PTOWSP_NO_MEMORY ? rt_no_memory(going->run->error, "programs of cores") : PTOWSP_OK;
	return aie_report_program(&loaded->report, proxy, aie_arch_tile(loaded->arch, AIE_FIRST_CORE)->limits[AIE_PROGRAM], going->run->error);
}

static uint64_t last_end(const struct going *going)
{
	uint64_t last = 0;

	for (uint64_t t = 0; t < going->run->loaded->map.walk->task_count; t++)
		last = going->ends[t] > last ? going->ends[t] : last;
	return last;
}

static ptowsp_status run_report(struct going *going, const struct aie_sim_stats *stats)
{
	const struct aie_design *design = &going->back.design;
	const struct aie_stage_times times = {going->cores, going->starts, going->ends};
	struct aie_report_stage *rows = aie_stages_find(&going->run->loaded->map, design->core_count, &times);
	ptowsp_status status =
		rows ? aie_report_run(&going->run->loaded->report, &(struct aie_report_stages){design, rows}, stats, last_end(going), going->run->error)
		     : rt_no_memory(going->run->error, "the figures of a run");

	free(rows);
	return status;
}

static ptowsp_status report_fill(struct going *going, const struct aie_sim_stats *stats, bool both, bool depends)
{
	struct aie_report *report = &going->run->loaded->report;
	struct ptowsp_error *error = going->run->error;
	const struct aie_picture *picture = &going->back.drawn.picture;
	const struct base_kernels *kernels = going->run->loaded->map.kernels;
	struct aie_fits fits;
	ptowsp_status status = aie_report_design(report, &going->back.design, &going->back.channels, picture, NULL, error);

	if (!status && secure_getenv(AIE_CLANG))
		status = program_keep(going);
	if (!status)
		status = run_report(going, stats);
	for (uint32_t k = 0; !status && k < kernels->count; k++)
		if (aie_fits_most(&going->run->loaded->map.acts, k, going->run->loaded->arch, &fits))
			status = aie_report_fits(report, kernels->rows[k].name, &fits, aie_arch_core_bytes(going->run->loaded->arch), error);
	for (uint32_t k = 0; !status && k < kernels->count; k++)
		status = aie_report_calls(report, kernels->rows[k].name, &going->calls[k], error);
	if (!status && both)
		status = aie_report_buffering(report, going->stats, depends, error);
	return status || going->run->phase ? status : aie_report_costs(report, going->run->loaded->arch, error);
}

static bool map_has_channels(const struct aie_map *map)
{
	for (uint32_t s = 0; s < map->graph.stream_count; s++)
		if (map->graph.streams[s].kind == AIE_STREAM_CHANNEL)
			return true;
	return false;
}

/* A core that waits for an object of a channel's stream waits for a token, or for place; so does who waits for the word that says that there is place. Fifos are the map's streams, in their order. */
static void acquired(void *context, uint32_t core, const char *fifo, bool puts, uint64_t begin, uint64_t end)
{
	const struct going *going = context;
	const struct aie_map *map = &going->run->loaded->map;
	const struct aie_design *design = &going->back.design;
	const uint64_t before = going->run->cycles;
	const struct aie_stream *stream;
	uint32_t s = 0;

	while (s < design->fifo_count && design->fifos[s].name != fifo)
		s++;
	if (going->again || s >= map->graph.stream_count || core >= map->cells.count)
		return;
	stream = &map->graph.streams[s];
	if (stream->kind == AIE_STREAM_CHANNEL)
		rt_feed_channel_wait(going->feed, stream->channel, puts, map->cells.rows[core].process, before + begin, before + end);
	else if (stream->kind == AIE_STREAM_TOKEN && stream->room && !puts)
		rt_feed_channel_wait(going->feed, stream->channel, true, map->cells.rows[core].process, before + begin, before + end);
}

static ptowsp_status simulate(struct going *going)
{
	const unsigned buffering = going->run->options->buffering;
	const bool both = buffering == AIE_BUFFERING_BOTH;
	struct aie_sim_stats *stats = &going->stats[buffering != AIE_BUFFERING_0];
	const struct aie_sim_args args = {.design = &going->back.design,
					  .routes = &going->back.routes,
					  .arguments = going->arguments,
					  .counted = going->run->counted,
					  .host_cycles = going->run->options->host_cycles,
					  .kernels = {going, call, begin},
					  .buffering = buffering == AIE_BUFFERING_0 ? 0 : 8,
					  .patience = &going->run->patience,
					  .stepped = going->ring.window ? aie_ring_stepped : NULL,
					  .stepped_context = &going->ring,
					  .acquired = map_has_channels(&going->run->loaded->map) ? acquired : NULL,
					  .acquired_context = going};
	bool depends = false;
	ptowsp_status status = both ? aie_sim_both(&args, &going->copies, going->stats, &depends, going->run->error)
				    : aie_sim_run(&args, stats, going->run->error),
		      told;

	if (!status)
		log_run(going, stats);
	if (depends)
		depends_say(going);
	told = stats->agent_count ? report_fill(going, stats, both && (going->stats[0].agent_count != 0), depends) : PTOWSP_OK;
	if (status == PTOWSP_DEADLOCK) {
		going->run->stuck = *stats;
		*stats = (struct aie_sim_stats){0};
	}
	return status ? status : told;
}

/* Files of a design are there before its run: how busy its cores will be, a run without bytes says, whose cycles are the same but for kernels that their data steer. Nothing is
 * said where that does not end. */
static void busy_find(struct going *going)
{
	struct aie_picture_design *drawn = &going->back.drawn;
	struct aie_sim_stats *stats = &going->stats[1];
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	const struct aie_sim_args args = {.design = &going->back.design,
					  .routes = &going->back.routes,
					  .arguments = going->arguments,
					  .counted = true,
					  .host_cycles = going->run->options->host_cycles,
					  .kernels = {going, call, begin},
					  .buffering = going->run->options->buffering == AIE_BUFFERING_0 ? 0 : 8,
					  .patience = &going->run->patience};
	const bool counted = going->run->counted;
	int32_t column, row;

	going->run->counted = true;
	if (!aie_sim_run(&args, stats, &unsaid))
		drawn->picture.cycles = stats->cycles;
	for (uint32_t a = 0; drawn->picture.cycles && a < stats->agent_count; a++)
		if (sscanf(stats->agents[a].name, "core (%d,%d)", &column, &row) == 2)
			aie_picture_busy(drawn, column, row, stats->agents[a].busy);
	going->run->counted = counted;
}

/* As files are wanted, somebody looks. Nothing is said where it cannot be measured. */
static void programs_find(struct going *going)
{
	struct aie_program_proxy *proxy = NULL;
	struct aie_program_size *sizes = NULL;

	if (!secure_getenv(AIE_CLANG) || program_make(going, &proxy))
		return;
	sizes = calloc((size_t)aie_program_proxy_cores(proxy) + 1, sizeof(*sizes));
	if (sizes && aie_program_proxy_measure(proxy, sizes))
		for (uint32_t c = 0; c < aie_program_proxy_cores(proxy); c++)
			aie_picture_program(&going->back.drawn, sizes[c].column, sizes[c].row, sizes[c].bytes, sizes[c].frame);
	aie_program_proxy_destroy(proxy);
	free(sizes);
}

static void going_finish(struct going *going)
{
	for (uint32_t a = 0; going->shadows && a < going->run->loaded->map.lowered.argument_count; a++)
		free(going->shadows[a]);
	free(going->shadows);
	aie_sim_copies_finish(&going->copies);
	aie_sim_finish(&going->stats[0]);
	aie_sim_finish(&going->stats[1]);
	aie_ring_finish(&going->ring);
	aie_back_finish(&going->back);
	free(going->arguments);
	free(going->filler);
	free(going->works);
	free(going->calls);
	free(going->next);
	free(going->starts);
	free(going->ends);
	free(going->cores);
}

static ptowsp_status copies_make(struct going *going)
{
	const struct aie_run *run = going->run;
	const struct aie_lowered *lowered = &run->loaded->map.lowered;
	void **bound;
	ptowsp_status status;

	if (run->options->buffering != AIE_BUFFERING_BOTH || aie_options_on_device(&run->options->base))
		return PTOWSP_OK;
	bound = calloc((size_t)lowered->argument_count + 1, sizeof(*bound));
	if (!bound)
		return rt_no_memory(run->error, "a run of the array");
	for (uint32_t a = 0; a < lowered->argument_count; a++)
		bound[a] = bound_of(going, a);
	status = aie_sim_copies_make(&going->copies, &going->back.design, bound, run->args->held && run->args->held->limit, run->error);
	free(bound);
	return status;
}

/* All that a run holds when it begins, whether it is one or only its files are wanted: so both end alike where there is too little. */
static ptowsp_status going_begin(struct going *going)
{
	ptowsp_status status = rooms_make(going) ? PTOWSP_OK : rt_no_memory(going->run->error, "a run of the array");

	if (!status)
		status = aie_back_read(&going->back, going->run->loaded, going->run->error);
	if (!status)
		status = shadows_make(going);
	if (!status)
		status = copies_make(going);
	if (!status)
		status = ring_begin(going);
	return status ? status
		      : rt_memory_limit_check(going->run->args->held, going->run->loaded->walk.first + going->run->loaded->walk.task_count, going->run->error);
}

ptowsp_status aie_engine_go(struct aie_run *run, struct rt_feed *feed)
{
	struct going going = {.run = run, .feed = feed};
	ptowsp_status status = going_begin(&going);

	if (!status && run->file) {
		busy_find(&going);
		programs_find(&going);
		status = aie_engine_files(run, &going.back);
	} else if (!status) {
		if (run->counted)
			aie_back_tell(&going.back, run->loaded);
		run->patience.most = 0; /* memory of a simulation follows from the tensors */
		status = simulate(&going);
		shadows_take(&going);
	}
	if (!status && !run->file) {
		times_tell(&going);
		run->cycles += going.stats[run->options->buffering != AIE_BUFFERING_0].cycles;
	}
	going_finish(&going);
	return status;
}
