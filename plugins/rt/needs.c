/* SPDX-License-Identifier: MIT */
/* needs.c - what can be proved before any run: a task, or an alloc, that needs more than the schedule states of a resource ends the run when it is reached. A
 * program in which nothing from outside decides is walked, without clock and kernels, so what is found is reached in every run that gets so far. */
#include <stdio.h>
#include <stdlib.h>
#include "rt/error.h"
#include "rt/run.h"

#define WALK_TASKS (UINT64_C(1) << 16) /* a program that goes on for so long is looked at no further */

static ptowsp_status refuse(const struct rt_program *program, uint32_t instruction, const char *who, enum ptowsp_resource resource, uint64_t need,
			    struct ptowsp_error *error)
{
	char text[160];

	return rt_fail(error, PTOWSP_TOO_SMALL, "%s: %s needs %llu of %s, and the schedule states %llu; state %s=%llu or more",
		       rt_position(&program->tables, instruction, text, sizeof(text)), who, (unsigned long long)need, rt_resource_name(resource),
		       (unsigned long long)program->schedule.capacity[resource], rt_resource_name(resource), (unsigned long long)need);
}

static bool lacks(const struct rt_program *program, enum ptowsp_resource resource, uint64_t need)
{
	return program->schedule.stated[resource] && program->schedule.capacity[resource] && need > program->schedule.capacity[resource];
}

/* ---- what may be walked ------------------------------------------------------------------------------------------ */

static bool is_free(const struct rt_program *program, uint32_t expr)
{
	return expr == PTOWSP_NONE || rt_expr_source(&program->exprs, expr) == PTOWSP_NONE;
}

static bool loops_free(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->loop_count; i++)
		if (!is_free(program, program->loops[i].low) || !is_free(program, program->loops[i].high) || !is_free(program, program->loops[i].step))
			return false;
	return true;
}

static bool regions_free(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->io_count; i++)
		if (!is_free(program, program->ios[i].row) || !is_free(program, program->ios[i].column))
			return false;
	for (uint32_t i = 0; i < program->after_count; i++)
		if (!is_free(program, program->afters[i].task))
			return false;
	return true;
}

static bool branches_free(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if ((program->code[i].op == PTOWSP_OP_COND || program->code[i].op == PTOWSP_OP_WHILE) && !is_free(program, program->code[i].row))
			return false;
	return true;
}

static bool shapes_free(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++) {
		const struct ptowsp_tensor_record *row = &program->tables.tensor.rows[t];

		if (program->tensor_indexed[t])
			return false;
		for (uint32_t d = 0; d < row->dim_count && !(row->flags & PTOWSP_TENSOR_SHAPELESS); d++)
			if (!is_free(program, program->dim_exprs[row->dims + d]))
				return false;
	}
	return true;
}

/* No value from outside has a say in which tasks there are and what they touch; then there is one way, and every run goes it. */
static bool is_closed(const struct rt_program *program)
{
	return !program->tables.entry.rows[program->entry].value_count ||
	       (loops_free(program) && regions_free(program) && branches_free(program) && shapes_free(program));
}

/* Where a region has no shape of its own, elements are those that its kernel touches, and nobody has asked it. */
static bool edges_known(const struct rt_program *program)
{
	bool known = program->schedule.deps != PTOWSP_DEPS_BYTES_OVERLAP;

	for (uint32_t i = 0; !known && i < program->io_count; i++)
		if (program->ios[i].unit)
			return false;
	return true;
}

struct walk {
	struct rt_run run;
	bool edges;                    /* they are known */
	bool alloc;                    /* it is no task but an alloc that lacks something */
	enum ptowsp_resource resource; /* what a task lacks; need 0: nothing */
	uint64_t need;
};

static bool task_lacks(struct walk *walk, enum ptowsp_resource resource, uint64_t need)
{
	if (!lacks(walk->run.program, resource, need))
		return false;
	walk->resource = resource;
	walk->need = need;
	return true;
}

static bool task_pass(struct walk *walk)
{
	struct rt_run *run = &walk->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	struct rt_need need;

	walk->alloc = false;
	if (run->tasks >= WALK_TASKS || rt_prepare(run, site, run->expand.level) || rt_infer(run, site, &need) ||
	    task_lacks(walk, PTOWSP_RESOURCE_TENSOR_MAP, need.map) || (walk->edges && task_lacks(walk, PTOWSP_RESOURCE_DEP_LIST, need.deps)) ||
	    (site->renamed && task_lacks(walk, PTOWSP_RESOURCE_HEAP, run->versions.need)) || (site->renamed && rt_versions_take(run, 0, false)))
		return false;
	run->env.task = ++run->tasks;
	return true;
}

static bool sync_pass(struct walk *walk)
{
	struct rt_run *run = &walk->run;
	const struct rt_ins *in = &run->program->code[run->expand.sync];

	walk->alloc = in->op == PTOWSP_OP_ALLOC;
	return !(walk->alloc && task_lacks(walk, PTOWSP_RESOURCE_HEAP, rt_tensor_bytes(&run->tensors.rows[in->slot]))) && rt_sync_pass(run, run->expand.sync);
}

/* A value that only running tells ends the walk. */
static bool event_pass(struct walk *walk, enum rt_event event)
{
	struct rt_run *run = &walk->run;

	switch (event) {
	case RT_EVENT_TASK: return task_pass(walk);
	case RT_EVENT_SCOPE_BEGIN: return !rt_versions_scope_begin(run, 0);
	case RT_EVENT_SCOPE_END: return !rt_versions_scope_end(run, 0, false);
	case RT_EVENT_SLOT_SET: return !rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SYNC: return sync_pass(walk);
	case RT_EVENT_PAUSE: return !rt_look(run);
	case RT_EVENT_SLOT_LOAD:
	case RT_EVENT_END:
	case RT_EVENT_FAILED: return false;
	default: return true;
	}
}

static ptowsp_status walk_go(struct walk *walk, struct ptowsp_error *error)
{
	struct rt_run *run = &walk->run;
	const struct rt_program *program = run->program;
	char who[96];

	rt_expand_start(&run->expand, program, &run->env, NULL);
	while (event_pass(walk, rt_expand_next(&run->expand)))
		continue;
	if (!walk->need)
		return PTOWSP_OK;
	if (walk->alloc)
		snprintf(who, sizeof(who), "the alloc before task %llu", (unsigned long long)run->tasks);
	else
		snprintf(who, sizeof(who), "task %llu, kernel %.40s,", (unsigned long long)run->tasks, rt_kernel_name(program, run->kernel));
	return refuse(program, walk->alloc ? run->expand.sync : program->sites[run->expand.site].instruction, who, walk->resource, walk->need, error);
}

static ptowsp_status walk_check(struct rt_program *program, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	struct ptowsp_run_args none = {.head = PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	const struct rt_run_args args = {.args = &none};
	struct walk *walk = calloc(1, sizeof(*walk));
	ptowsp_status st;

	if (!walk)
		return rt_no_memory(error, "the look at what tasks need");
	walk->run.quiet = true;
	walk->edges = edges_known(program);
	st = rt_run_init(&walk->run, program, &args, &unsaid);
	if (!st) {
		walk->run.window = program->schedule.built ? 0 : program->schedule.window;
		rt_places_init(&walk->run.places, program);
		st = rt_infer_init(&walk->run);
	}
	if (!st) {
		walk->run.error = NULL; /* what else is wrong a run will say */
		st = walk_go(walk, error);
	} else if (st != PTOWSP_NO_MEMORY) {
		st = PTOWSP_OK;
	}
	rt_run_finish(&walk->run);
	free(walk);
	return st;
}

ptowsp_status rt_needs_check(struct rt_program *program, struct ptowsp_error *error)
{
	const bool *stated = program->schedule.stated;
	bool any = stated[PTOWSP_RESOURCE_TENSOR_MAP] || stated[PTOWSP_RESOURCE_DEP_LIST] || stated[PTOWSP_RESOURCE_HEAP];

	return any && is_closed(program) ? walk_check(program, error) : PTOWSP_OK;
}
