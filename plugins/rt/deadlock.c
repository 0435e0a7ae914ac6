/* SPDX-License-Identifier: MIT */
/* deadlock.c - why a task can never be issued, as a struct and as a paragraph. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "rt/error.h"
#include "rt/stuck.h"

/* The directive that sets a resource's capacity, and what one unit of it is. */
static const struct {
	const char *directive, *unit;
} bounded[PTOWSP_RESOURCE_COUNT] = {
	[PTOWSP_RESOURCE_TASK_RING] = {"task_window", "places"},
	[PTOWSP_RESOURCE_TENSOR_MAP] = {"tensor_map", "entries"},
	[PTOWSP_RESOURCE_DEP_LIST] = {"dep_list", "entries"},
	[PTOWSP_RESOURCE_HEAP] = {"heap", "bytes"},
	[PTOWSP_RESOURCE_READY] = {"ready_queue", "places"},
};

const char *rt_resource_name(unsigned resource)
{
	switch (resource) {
#define X(name, code, text, reason, capacity) \
	case code:                            \
		return text;
#include "ptowsp/resource.def"
#undef X
	}
	return "";
}

const char *rt_resource_directive(unsigned resource)
{
	return bounded[resource].directive;
}

const char *rt_resource_unit(unsigned resource)
{
	return bounded[resource].unit;
}

static ptowsp_status too_small(const struct rt_run *run, const struct rt_block *block)
{
	if (run->sync.blocked)
		return rt_fail_at(run->error, PTOWSP_TOO_SMALL, run->tasks, UINT64_MAX,
				  "the alloc before task %llu needs %llu bytes of heap, which has %llu; raise it with --schedule heap=%llu",
				  (unsigned long long)run->tasks, (unsigned long long)block->need, (unsigned long long)block->capacity,
				  (unsigned long long)block->proposed);
	return rt_fail_at(run->error, PTOWSP_TOO_SMALL, run->tasks, run->kernel,
			  "task %llu, kernel %.40s, needs %llu %s of %s, which has %llu; raise it with --schedule %s=%llu",
			  (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel), (unsigned long long)block->need,
			  bounded[block->resource].unit, rt_resource_name(block->resource), (unsigned long long)block->capacity,
			  bounded[block->resource].directive, (unsigned long long)block->proposed);
}

void rt_deadlock_give(struct ptowsp_deadlock *deadlock, const struct ptowsp_deadlock *report)
{
	uint32_t size = deadlock ? deadlock->head.size : 0;

	if (size < sizeof(report->head))
		return;
	memcpy(deadlock, report, size < sizeof(*report) ? size : sizeof(*report));
	deadlock->head.size = size;
}

void rt_deadlock_settle(struct rt_run *run)
{
	struct ptowsp_deadlock *deadlock = run->deadlock;

	if (deadlock && deadlock->head.size >= offsetof(struct ptowsp_deadlock, proposed) && deadlock->kind == PTOWSP_DEADLOCK_HELD)
		deadlock->high_water = run->clock.meters[deadlock->resource].high_water;
}

/* The setting with which the blocked task or alloc could proceed; the report does not look further. */
static void option_write(const struct rt_block *block, struct ptowsp_deadlock *report)
{
	report->proposed = block->proposed;
	snprintf(report->option, sizeof(report->option), "--schedule %s=%llu", bounded[block->resource].directive, (unsigned long long)block->proposed);
}

/* Versions that no other follows, of tasks before or of an open scope; and tensors between alloc and free. */
static ptowsp_status version_report(const struct rt_run *run, const struct rt_block *block, struct ptowsp_deadlock *report,
				    struct ptowsp_deadlock *deadlock)
{

	snprintf(report->text, sizeof(report->text),
		 "task %llu, kernel %.40s, cannot be issued: the versions of temp tensors that it makes need %llu of %llu bytes of heap, and %llu are held by "
		 "versions that no other follows, by tensors that are not freed, or by an open scope (depth %u); use at least %s, or end the scope earlier",
		 (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel), (unsigned long long)block->need,
		 (unsigned long long)block->capacity, (unsigned long long)block->used, report->scope_depth, report->option);
	rt_deadlock_give(deadlock, report);
	return rt_fail_at(run->error, PTOWSP_DEADLOCK, run->tasks, block->resource,
			  "deadlock: task %llu waits for heap for its versions that nothing gives back; use at least %s", (unsigned long long)run->tasks, report->option);
}

/* Tensors that are allocated, or freed behind a scope that is still open. */
static ptowsp_status heap_report(const struct rt_run *run, const struct rt_block *block, struct ptowsp_deadlock *report,
				 struct ptowsp_deadlock *deadlock)
{

	snprintf(report->text, sizeof(report->text),
		 "the alloc before task %llu cannot be done: it needs %llu of %llu bytes of heap, and %llu are held by tensors that are not freed, or by "
		 "tasks of an open scope (depth %u) that used them; use at least %s, or free earlier",
		 (unsigned long long)run->tasks, (unsigned long long)block->need, (unsigned long long)block->capacity,
		 (unsigned long long)block->used, report->scope_depth, report->option);
	rt_deadlock_give(deadlock, report);
	return rt_fail_at(run->error, PTOWSP_DEADLOCK, run->tasks, block->resource,
			  "deadlock: the alloc before task %llu waits for heap that nothing gives back; use at least %s", (unsigned long long)run->tasks, report->option);
}

/* Outputs that stay live until a scope ends. */
static ptowsp_status scope_report(const struct rt_run *run, const struct rt_block *block, struct ptowsp_deadlock *report,
				  struct ptowsp_deadlock *deadlock)
{

	snprintf(report->text, sizeof(report->text),
		 "task %llu cannot be issued: it needs %llu of %llu %s of %s, and %llu are held by tasks of an open scope (depth %u) whose outputs "
		 "stay live until the scope ends, behind this task; use at least %s, or make the scope smaller",
		 (unsigned long long)run->tasks, (unsigned long long)block->need, (unsigned long long)block->capacity, bounded[block->resource].unit,
		 rt_resource_name(block->resource), (unsigned long long)block->used, report->scope_depth, report->option);
	rt_deadlock_give(deadlock, report);
	return rt_fail_at(run->error, PTOWSP_DEADLOCK, run->tasks, block->resource,
			  "deadlock: task %llu waits for %s, held by an open scope (depth %u); use at least %s, or end the scope earlier", (unsigned long long)run->tasks,
			  rt_resource_name(block->resource), report->scope_depth, report->option);
}

ptowsp_status rt_block_report(const struct rt_run *run, ptowsp_status st, const struct rt_block *block, struct ptowsp_deadlock *deadlock)
{
	struct ptowsp_deadlock report = {
		.head = PTOWSP_HEAD(report, DEADLOCK),
		.resource = block->resource,
		.scope_depth = run->flow.scopes,
		.scope_held = 1,
		.kind = PTOWSP_DEADLOCK_HELD,
		.channel = PTOWSP_NONE,
		.task = run->tasks,
		.capacity = block->capacity,
		.used = block->used,
		.high_water = run->lag.feed ? 0 : run->clock.meters[block->resource].high_water,
	};

	if (st == PTOWSP_NO_MEMORY)
		return rt_no_memory(run->error, "the window");
	if (st == PTOWSP_TOO_SMALL)
		return too_small(run, block);
	option_write(block, &report);
	if (block->resource == PTOWSP_RESOURCE_HEAP) {
		report.scope_held = run->flow.scopes != 0;
		return run->sync.blocked ? heap_report(run, block, &report, deadlock) : version_report(run, block, &report, deadlock);
	}
	return scope_report(run, block, &report, deadlock);
}
