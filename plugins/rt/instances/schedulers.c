/* SPDX-License-Identifier: MIT */
#include "rt/instances/schedulers.h"

#include "ptowsp/graph.h"
#include "ptowsp/workload.h"
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static struct rt_scheduler_mark *mark_of(const struct rt_schedulers *instances, uint64_t number)
{
	return &instances->marks[number & instances->mask];
}

uint64_t rt_schedulers_window(const struct rt_run *run)
{
	return run->instances && run->instances->rows ? run->instances->rows[0].clock.window : run->window;
}

/* ---- which programs ------------------------------------------------------------------------------------------------ */

static ptowsp_status refuse(const struct rt_run *run, uint32_t at, const char *what)
{
	char text[160];

	return rt_fail(run->error, PTOWSP_UNSUPPORTED, "%s: %s needs one scheduler instance, this run has %u; use schedulers=1",
		       at == PTOWSP_NONE ? "the program" : rt_position(&run->program->tables, at, text, sizeof(text)), what, run->schedulers);
}

/* Instances would have to agree about each of these while they run. The capability rows and the check of a program are made of the same table. */
static const char events[] = "an event or fence", notes[] = "a notification between devices", memory[] = "memory that is allocated",
		  pipeline[] = "a pipeline of processes", loaded[] = "a slot that is loaded from what tasks write", versions[] = "a temp tensor with versions",
		  interleaved[] = "timing=interleaved";
#define OPCODE(name) PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##name)
#define GRAPH(name)  PTOWSP_FEATURE_GRAPH(PTOWSP_##name)
static const struct {
	uint32_t feature;
	const char *what;
} refused[] = {
	{OPCODE(SIGNAL), events},
	{OPCODE(WAIT), events},
	{OPCODE(FENCE), events},
	{GRAPH(MC_FENCE), events},
	{OPCODE(NOTIFY), notes},
	{OPCODE(WAIT_NOTIFY), notes},
	{GRAPH(SY_NOTIFY), notes},
	{GRAPH(SY_WAIT_NOTIFY), notes},
	{OPCODE(ALLOC), memory},
	{OPCODE(FREE), memory},
	{GRAPH(MC_ALLOC), memory},
	{GRAPH(MC_FREE), memory},
	{OPCODE(SEND), pipeline},
	{OPCODE(CONSUME), pipeline},
	{OPCODE(CLOSE), pipeline},
	{PTOWSP_FEATURE_CSP_TOKEN, pipeline},
	{PTOWSP_FEATURE_CSP_PAYLOAD, pipeline},
	{PTOWSP_FEATURE_TENSOR_TO_SLOT, loaded},
	{GRAPH(CF_WHILE), loaded},
	{GRAPH(CF_ENDWHILE), loaded},
	{PTOWSP_FEATURE_TEMP_RENAMED, versions},
	{PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_TIMING, PTOWSP_TIMING_INTERLEAVED), interleaved},
};
/* Capacities of what is refused have nothing to limit. */
static const uint32_t idle[] = {
	PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY),
	PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY),
};
enum { REFUSED = sizeof(refused) / sizeof(*refused), IDLE = sizeof(idle) / sizeof(*idle) };

uint32_t rt_schedulers_capabilities(struct ptowsp_cap *rows_out, uint32_t room)
{
	for (uint32_t i = 0; i < REFUSED + IDLE && i < room; i++)
		rows_out[i] = (struct ptowsp_cap){.feature = i < REFUSED ? refused[i].feature : idle[i - REFUSED],
						  .state = i < REFUSED ? PTOWSP_STATE_UNSUPPORTED : PTOWSP_STATE_RECORDED,
						  .evidence = PTOWSP_EVIDENCE_SELF_TESTED};
	return REFUSED + IDLE;
}

/* The first instruction that is refused, and why; PTOWSP_NONE: there is none. */
static uint32_t code_refused(const struct rt_program *program, const char **why_out)
{
	const char *what[256] = {0};

	for (uint32_t i = 0; i < REFUSED; i++)
		if (refused[i].feature >> 8 == OPCODE(HALT) >> 8)
			what[refused[i].feature & 255] = refused[i].what;
	for (uint32_t i = 0; i < program->tables.work.code_count; i++) {
		const struct rt_ins *in = &program->code[i];
		const bool loads = in->op == PTOWSP_OP_SLOT_LOAD && program->traits[program->ios[in->row].tensor].access & PTOWSP_WRITE;

		*why_out = loads ? loaded : what[in->op];
		if (*why_out)
			return i;
	}
	return PTOWSP_NONE;
}

static ptowsp_status code_check(const struct rt_run *run)
{
	const char *why = NULL;
	const uint32_t at = code_refused(run->program, &why);

	return at == PTOWSP_NONE ? PTOWSP_OK : refuse(run, at, why);
}

bool rt_program_divisible(const struct rt_program *program)
{
	const struct rt_schedule *schedule = &program->schedule;
	const char *why = NULL;
	bool alone = !(program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE) && !schedule->interleaved && !schedule->built;

	for (uint32_t k = 0; alone && k < program->site_count; k++)
		alone = !program->sites[k].renamed && !program->sites[k].after_count;
	return alone && code_refused(program, &why) == PTOWSP_NONE;
}

ptowsp_status rt_schedulers_check(const struct rt_run *run)
{
	const struct rt_program *program = run->program;
	ptowsp_status status = PTOWSP_OK;

	if (run->schedulers > RT_SKIP_LIMIT)
		return rt_fail(run->error, PTOWSP_INVALID, "%u scheduler instances; there can be %u", run->schedulers, RT_SKIP_LIMIT);
	if (program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE)
		return refuse(run, PTOWSP_NONE, pipeline);
	if (program->schedule.interleaved)
		return refuse(run, PTOWSP_NONE, interleaved);
	if (run->args->flags & PTOWSP_RUN_STRICT && !rt_schedule_safe(&program->schedule))
		return refuse(run, PTOWSP_NONE, "the check of --strict");
	for (uint32_t k = 0; !status && k < program->site_count; k++)
		if (program->sites[k].renamed)
			status = refuse(run, program->sites[k].instruction, versions);
	return status ? status : code_check(run);
}

/* ---- making and unmaking ------------------------------------------------------------------------------------------- */

static ptowsp_status time_init(struct rt_scheduler *instance, const struct rt_run *like)
{
	const struct rt_clock *base = &like->clock;
	struct rt_clock *clock = &instance->clock;
	ptowsp_status status;

	clock->window = base->window;
	clock->window_mode = base->window_mode;
	clock->map_capacity = base->map_capacity;
	clock->deps_capacity = base->deps_capacity;
	clock->ready_capacity = base->ready_capacity;
	clock->spacing = base->spacing;
	clock->executors = 1;
	status = rt_clock_init(clock, like->arena, like->program->tables.slot.count, 0);
	return status ? status : rt_flow_init(&instance->flow, base->window, base->map_capacity, base->deps_capacity);
}

static ptowsp_status walk_init(struct rt_scheduler *instance, struct rt_run *like, uint32_t me)
{
	const struct rt_run_args args = {.args = like->args, .cancel = like->cancel};
	ptowsp_status status;

	instance->error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	instance->walk = calloc(1, sizeof(*instance->walk));
	if (!instance->walk)
		return rt_no_memory(like->error, "a scheduler instance");
	instance->walk->quiet = true; /* messages come from the run itself, once */
	status = rt_run_init(instance->walk, like->program, &args, like->error);
	instance->walk->error = &instance->error;
	instance->walk->tensors.strict = like->bodies;
	return status ? status : rt_skip_init(&instance->skip, &instance->walk->expand, like->program, &instance->walk->env, me, like->schedulers, like->error);
}

ptowsp_status rt_schedulers_init(struct rt_run *run)
{
	struct rt_schedulers *instances = calloc(1, sizeof(*instances));
	ptowsp_status status = PTOWSP_OK;

	run->instances = instances;
	if (!instances)
		return rt_no_memory(run->error, "scheduler instances");
	instances->run = run;
	run->lag.many = instances;
	instances->window = run->window *= run->schedulers;
	instances->mask = 4095;
	while (instances->mask + 1 < 4 * instances->window)
		instances->mask = 2 * instances->mask + 1;
	instances->marks = calloc(instances->mask + 1, sizeof(*instances->marks));
	instances->rows = calloc(run->schedulers, sizeof(*instances->rows));
	if (!instances->marks || !instances->rows)
		return rt_no_memory(run->error, "scheduler instances");
	for (uint32_t p = 0; !status && p < run->schedulers; p++) {
		status = time_init(&instances->rows[p], run);
		status = status ? rt_no_memory(run->error, "a scheduler instance") : walk_init(&instances->rows[p], run, p);
		instances->count++;
	}
	return status;
}

void rt_schedulers_finish(struct rt_run *run)
{
	struct rt_schedulers *instances = run->instances;

	if (!instances)
		return;
	for (uint32_t p = 0; p < instances->count; p++) {
		struct rt_scheduler *instance = &instances->rows[p];

		rt_skip_finish(&instance->skip);
		if (instance->walk)
			rt_run_finish(instance->walk);
		free(instance->walk);
		rt_clock_finish(&instance->clock);
		rt_flow_finish(&instance->flow);
	}
	free(instances->rows);
	free(instances->marks);
	free(instances);
	run->instances = NULL;
}

/* ---- walking --------------------------------------------------------------------------------------------------------- */

/* An instance obeys its own walk. One that fails is at its end: the run comes to the same place, and says it. */
static ptowsp_status event_take(struct rt_scheduler *instance, enum rt_event event)
{
	struct rt_run *walk = instance->walk;

	walk->tasks = instance->skip.number;
	switch (event) {
	case RT_EVENT_TASK: instance->holding = true; return PTOWSP_OK;
	case RT_EVENT_SLOT_SET: return rt_slot_set(walk, walk->expand.slot, walk->expand.expr);
	case RT_EVENT_SLOT_LOAD: return rt_slot_load(walk, walk->expand.slot, &walk->program->ios[walk->expand.io]);
	case RT_EVENT_PAUSE: return rt_look(walk);
	case RT_EVENT_END: return PTOWSP_AGAIN;
	case RT_EVENT_FAILED: return walk->expand.failure;
	default: return PTOWSP_OK;
	}
}

/* Up to its first task that is not before `number`; not beyond what is known not to be its own. */
static ptowsp_status walk_to(struct rt_scheduler *instance, uint64_t number)
{
	ptowsp_status status = PTOWSP_OK;

	while (!instance->over && !instance->holding && instance->skip.number <= number) {
		status = event_take(instance, rt_skip_next(&instance->skip));
		instance->over = status != PTOWSP_OK;
	}
	return status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE ? status : PTOWSP_OK;
}

static bool marks_grow(struct rt_schedulers *instances, uint64_t number)
{
	const uint64_t mask = 2 * instances->mask + 1;

	if (instances->window || number <= instances->mask)
		return true;
	if (!COMMON_RESIZE(instances->marks, mask + 1))
		return false;
	instances->mask = mask;
	return true;
}

ptowsp_status rt_schedulers_turn(struct rt_schedulers *instances)
{
	struct rt_run *run = instances->run;
	ptowsp_status status = PTOWSP_OK;

	instances->turn = 0;
	for (uint32_t p = 0; !status && p < instances->count; p++) {
		struct rt_scheduler *instance = &instances->rows[p];

		status = walk_to(instance, run->tasks);
		if (instance->holding && instance->skip.task == run->tasks)
			instances->turn = p;
	}
	if (status)
		*run->error = instances->rows[0].error;
	if (!status && !marks_grow(instances, run->tasks))
		status = rt_no_memory(run->error, "tasks in flight");
	return status;
}

/* Edges between instances, and how many of them are news to the instance that waits. */
static void crossings_count(struct rt_schedulers *instances)
{
	struct rt_run *run = instances->run;
	uint64_t bit = UINT64_C(1) << instances->turn;

	for (uint32_t i = 0; i < run->preds.count; i++) {
		struct rt_scheduler_mark *mark = mark_of(instances, run->preds.list[i]);

		if (mark->owner == instances->turn)
			continue;
		run->cross_edges++;
		run->notifications += !(mark->told & bit);
		mark->told |= bit;
	}
}

ptowsp_status rt_schedulers_reserve(struct rt_schedulers *instances, struct rt_need need, struct rt_block *block_out)
{
	struct rt_scheduler *instance = &instances->rows[instances->turn];
	ptowsp_status status = rt_flow_reserve(&instance->flow, need, &instances->run->reason, block_out);

	if (status)
		return status;
	*mark_of(instances, instances->run->tasks) = (struct rt_scheduler_mark){.owner = instances->turn};
	crossings_count(instances);
	instance->holding = false;
	instance->tasks++;
	return PTOWSP_OK;
}

void rt_schedulers_scope(struct rt_schedulers *instances, bool begin)
{
	for (uint32_t p = 0; p < instances->count; p++)
		(begin ? rt_flow_scope_begin : rt_flow_scope_end)(&instances->rows[p].flow);
}

/* ---- semantic time --------------------------------------------------------------------------------------------------- */

void rt_schedulers_meet(struct rt_schedulers *instances)
{
	struct rt_clock *base = &instances->run->clock;

	base->now = 0;
	for (uint32_t p = 0; p < instances->count; p++)
		base->now = rt_later(base->now, instances->rows[p].clock.now);
}

void rt_schedulers_read(struct rt_schedulers *instances, uint32_t owner, uint32_t slot)
{
	for (uint32_t p = 0; p < instances->count; p++) {
		struct rt_clock *clock = &instances->rows[p].clock;

		if (owner == PTOWSP_NONE || owner == p)
			clock->now = rt_later(clock->now, instances->run->clock.known[slot]);
	}
}

void rt_schedulers_clock_scope(struct rt_schedulers *instances, bool begin)
{
	for (uint32_t p = 0; p < instances->count; p++)
		(begin ? rt_clock_scope_begin : rt_clock_scope_end)(&instances->rows[p].clock);
}

/* The map has forgotten what is W * N numbers back: it has ended. As every stall, this one begins when the task could else be issued. */
static void forgotten_wait(struct rt_schedulers *instances, struct rt_clock *clock)
{
	uint64_t number = instances->timed, reach = 0;

	if (instances->window && number >= instances->window)
		reach = mark_of(instances, number - instances->window)->reach;
	if (clock->issued)
		clock->now = rt_later(clock->now, clock->last + clock->spacing);
	if (reach <= clock->now || clock->window_mode == RT_WINDOW_BENCHMARK)
		return;
	rt_meter_stall(&clock->meters[PTOWSP_RESOURCE_TASK_RING], reach - clock->now);
	clock->now = reach;
}

/* Everything that keeps it from starting but its own instance. */
static uint64_t gates(struct rt_schedulers *instances, const struct rt_clock_task *task)
{
	struct rt_clock *base = &instances->run->clock;
	uint64_t start;

	base->now = 0;
	start = rt_later(rt_clock_gates(base, task), base->free[task->executor]);
	for (uint32_t i = 0; i < task->pred_count; i++)
		start = rt_later(start, mark_of(instances, task->preds[i])->end);
	return start;
}

ptowsp_status rt_schedulers_task(struct rt_schedulers *instances, uint32_t owner, const struct rt_clock_task *task, struct rt_clock_times *times)
{
	struct rt_clock *base = &instances->run->clock, *clock = &instances->rows[owner].clock;
	struct rt_clock_task alone = *task;
	uint64_t number = instances->timed;
	struct rt_scheduler_mark *mark = mark_of(instances, number);
	ptowsp_status status;

	forgotten_wait(instances, clock);
	clock->floor = gates(instances, task);
	if (!rt_clock_pools(clock, instances->run->places.pools))
		return PTOWSP_NO_MEMORY;
	clock->free[0] = 0;
	alone.executor = alone.stream = alone.depth_loops = alone.pred_count = 0;
	status = rt_clock_task(clock, &alone, times);
	base->issued = status ? number : 0; /* the task at which the ring is said to be full */
	if (status)
		return status;
	base->free[task->executor] = times->end;
	rt_clock_enter(base, task, times->end);
	mark->end = times->end;
	mark->reach = rt_later(times->end, number ? mark_of(instances, number - 1)->reach : 0);
	instances->timed++;
	return PTOWSP_OK;
}

/* ---- counters -------------------------------------------------------------------------------------------------------- */

static void meter_add(struct rt_meter *sum, const struct rt_meter *part)
{
	sum->high_water = rt_later(sum->high_water, part->high_water);
	sum->stalls += part->stalls;
	sum->cycles += part->cycles;
}

static void clock_add(struct rt_clock *sum, const struct rt_clock *part)
{
	for (unsigned r = 0; r < PTOWSP_RESOURCE_COUNT; r++)
		meter_add(&sum->meters[r], &part->meters[r]);
	for (uint32_t k = 0; k < part->pools && k < sum->pools; k++)
		meter_add(&sum->ready_meters[k], &part->ready_meters[k]);
}

void rt_schedulers_sum(struct rt_schedulers *instances, bool whole)
{
	struct rt_run *run = instances->run;

	for (uint32_t p = 0; p < instances->count; p++) {
		struct rt_scheduler *instance = &instances->rows[p];

		if (whole) /* how far a run that failed has come is not said */
			walk_to(instance, UINT64_MAX);
		run->shares[p] = (struct ptowsp_scheduler_stats){
			.tasks = instance->tasks, .skipped = whole ? instance->skip.skipped : 0, .walked = whole ? instance->skip.walked : 0};
		clock_add(&run->clock, &instance->clock);
	}
}
