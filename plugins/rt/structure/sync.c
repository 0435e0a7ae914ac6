/* SPDX-License-Identifier: MIT */
#include "rt/structure/sync.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include "rt/structure/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes of the heap ------------------------------------------------------------------------------------------- */

void rt_arena_finish(struct rt_arena *arena)
{
	free(arena->returns);
	memset(arena, 0, sizeof(*arena));
}

bool rt_arena_next(struct rt_arena *arena, uint64_t *tasks_out)
{
	if (!arena->count)
		return false;
	*tasks_out = rt_arena_first(arena)->tasks;
	arena->used -= rt_arena_first(arena)->bytes;
	arena->head++;
	arena->count--;
	return true;
}

void rt_arena_settle(struct rt_arena *arena, uint64_t tasks)
{
	uint64_t ignored;

	while (arena->count && rt_arena_first(arena)->tasks <= tasks)
		rt_arena_next(arena, &ignored);
}

bool rt_arena_fits(const struct rt_arena *arena, uint64_t bytes)
{
	return !arena->capacity || (bytes <= arena->capacity && arena->used <= arena->capacity - bytes);
}

/* Nearly always behind all others: later frees are of later touches. */
bool rt_arena_return(struct rt_arena *arena, uint64_t tasks, uint64_t bytes)
{
	uint32_t at;

	if (arena->head > arena->count) { /* half of it is over: each row moves once at most */
		memmove(arena->returns, rt_arena_first(arena), arena->count * sizeof(*arena->returns));
		arena->head = 0;
	}
	if (!COMMON_GROW(arena->returns, arena->room, arena->head + arena->count))
		return false;
	for (at = arena->head + arena->count++; at > arena->head && arena->returns[at - 1].tasks > tasks; at--)
		arena->returns[at] = arena->returns[at - 1];
	arena->returns[at] = (struct rt_arena_return){tasks, bytes};
	return true;
}

/* ---- events, barriers, fences, alloc and free -------------------------------------------------------------------- */

static const char *here(const struct rt_run *run, uint32_t instruction, char *text, size_t size)
{
	return rt_position(&run->program->tables, instruction, text, size);
}

ptowsp_status rt_sync_init(struct rt_run *run)
{
	const struct rt_tables *tables = &run->program->tables;
	struct rt_sync *sync = &run->sync;

	sync->events = common_take(run->arena, (size_t)tables->event.count + 1, sizeof(*sync->events));
	sync->touched = common_take(run->arena, (size_t)tables->tensor.count + 1, sizeof(*sync->touched));
	sync->there = common_take(run->arena, (size_t)tables->tensor.count + 1, 1);
	return run->arena->exhausted ? rt_no_memory(run->error, "events") : PTOWSP_OK;
}

void rt_sync_finish(struct rt_run *run)
{
	rt_arena_finish(&run->sync.arena);
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

bool rt_sync_ready(const struct rt_run *run, uint32_t instruction)
{
	const struct rt_ins *in = &run->program->code[instruction];

	return in->op != PTOWSP_OP_WAIT || run->sync.events[in->slot].count;
}

static const char *event_name(const struct rt_program *program, uint32_t event)
{
	return rt_string(&program->tables, program->tables.event.rows[event].name);
}

struct ptowsp_deadlock rt_sync_deadlock(const struct rt_run *run, uint32_t instruction)
{
	return (struct ptowsp_deadlock){
		.head = PTOWSP_HEAD(struct ptowsp_deadlock, DEADLOCK),
		.kind = PTOWSP_DEADLOCK_EVENT,
		.scope_depth = run->flow.scopes,
		.task = run->tasks,
		.channel = PTOWSP_NONE,
		.waiting_count = 1,
		.waiting[0] = {
			.process = PTOWSP_NONE, .instruction = instruction, .resource = PTOWSP_NONE, .channel = PTOWSP_NONE, .scope_depth = run->flow.scopes}};
}

static ptowsp_status never_signalled(struct rt_run *run, uint32_t instruction)
{
	const char *name = event_name(run->program, run->program->code[instruction].slot);
	struct ptowsp_deadlock report = rt_sync_deadlock(run, instruction);
	char text[160];

	snprintf(report.text, sizeof(report.text),
		 "%s: the wait before task %llu takes a signal of event %.60s, and none is left: event never signalled; every signal comes after it or "
		 "was taken by an earlier wait; signal it before, no capacity is a cure",
		 here(run, instruction, text, sizeof(text)), (unsigned long long)run->tasks, name);
	rt_deadlock_give(run->deadlock, &report);
	return rt_fail_at(run->error, PTOWSP_DEADLOCK, run->tasks, UINT64_MAX, "deadlock: event never signalled: %.60s, waited for before task %llu", name,
			  (unsigned long long)run->tasks);
}

static void barrier_raise(struct rt_run *run, uint64_t tasks)
{
	if (tasks > run->barrier)
		run->barrier = tasks;
	if (!run->pipeline) /* an instance does one thing after the other, and waits for others by signals: vector_clock.c */
		rt_race_barrier(&run->race, tasks);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct rt_run *run, uint32_t tensor)
{
	return rt_tensor_bytes(&run->tensors.rows[tensor]);
}

static ptowsp_status memory_failed(const struct rt_run *run, uint32_t instruction, const char *what)
{
	char text[160];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "%s: tensor %.60s %s, before task %llu",
			  here(run, instruction, text, sizeof(text)), rt_tensor_name(run->program, run->program->code[instruction].slot), what,
			  (unsigned long long)run->tasks);
}

/* Room comes back when tasks leave; those that an open scope holds never do before this place. */
ptowsp_status rt_sync_room(struct rt_run *run, uint32_t instruction, uint64_t held_from, struct rt_block *block)
{
	struct rt_arena *arena = &run->sync.arena;
	uint32_t tensor = run->program->code[instruction].slot;
	uint64_t bytes = bytes_of(run, tensor);

	if (run->sync.there[tensor])
		return memory_failed(run, instruction, "is allocated already");
	*block = (struct rt_block){PTOWSP_RESOURCE_HEAP, arena->capacity, 0, bytes, bytes};
	if (arena->capacity && bytes > arena->capacity) {
		run->sync.blocked = true;
		return rt_block_report(run, PTOWSP_TOO_SMALL, block, run->deadlock);
	}
	rt_arena_settle(arena, held_from);
	block->used = arena->used;
	block->proposed = arena->used + bytes;
	if (!rt_arena_fits(arena, bytes))
		return PTOWSP_AGAIN;
	return PTOWSP_OK;
}

uint64_t rt_sync_alloc(struct rt_run *run, uint32_t instruction)
{
	uint32_t tensor = run->program->code[instruction].slot;
	uint64_t bytes = bytes_of(run, tensor);

	run->sync.there[tensor] = 1;
	run->sync.touched[tensor] = 0; /* earlier touches ended with the free before */
	run->sync.arena.used += bytes;
	return bytes;
}

static ptowsp_status alloc_take(struct rt_run *run, uint32_t instruction)
{
	struct rt_block block;
	ptowsp_status status = rt_sync_room(run, instruction, rt_flow_held_from(&run->flow), &block);

	if (status == PTOWSP_AGAIN) {
		run->sync.blocked = true;
		status = rt_block_report(run, PTOWSP_DEADLOCK, &block, run->deadlock);
	}
	return status ? status : rt_clock_failed(run, rt_lag_sync(&run->lag, PTOWSP_OP_ALLOC, rt_sync_alloc(run, instruction), 0));
}

static ptowsp_status free_take(struct rt_run *run, uint32_t instruction, uint32_t tensor)
{
	uint64_t bytes = bytes_of(run, tensor), tasks = run->sync.touched[tensor];

	if (!run->sync.there[tensor])
		return memory_failed(run, instruction, "is freed and was not allocated");
	run->sync.there[tensor] = 0;
	rt_arena_settle(&run->sync.arena, rt_flow_tail(&run->flow));
	if (!rt_arena_return(&run->sync.arena, tasks, bytes))
		return rt_no_memory(run->error, "the heap arena");
	return rt_clock_failed(run, rt_lag_sync(&run->lag, PTOWSP_OP_FREE, tasks, bytes));
}

ptowsp_status rt_sync_there(const struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; site->allocated && i < site->io_count; i++) {
		uint32_t tensor = run->program->ios[site->first_io + i].tensor;

		if (run->program->traits[tensor].allocated && !run->sync.there[tensor])
			return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel,
					  "task %llu, kernel %.40s: tensor %.60s is used outside its alloc and free", (unsigned long long)run->tasks,
					  rt_kernel_name(run->program, run->kernel), rt_tensor_name(run->program, tensor));
	}
	return PTOWSP_OK;
}

void rt_sync_mark(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; site->allocated && i < site->io_count; i++) /* of other tensors nobody asks */
		run->sync.touched[run->program->ios[site->first_io + i].tensor] = run->tasks + 1;
	if (run->kernel == run->program->copy_kernel)
		run->sync.copies = run->tasks + 1;
}

ptowsp_status rt_sync_touch(struct rt_run *run, const struct rt_site *site)
{
	ptowsp_status status = rt_sync_there(run, site);

	if (!status)
		rt_sync_mark(run, site);
	return status;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

ptowsp_status rt_sync_take(struct rt_run *run, uint32_t instruction)
{
	const struct rt_ins *in = &run->program->code[instruction];
	bool of_event = in->op == PTOWSP_OP_SIGNAL || in->op == PTOWSP_OP_WAIT;
	struct rt_event_state *event = &run->sync.events[of_event ? in->slot : 0];

	switch (in->op) {
	case PTOWSP_OP_SIGNAL:
		event->count++;
		event->tasks = run->tasks;
		break;
	case PTOWSP_OP_WAIT:
		if (!event->count)
			return never_signalled(run, instruction);
		event->count--;
		barrier_raise(run, event->tasks);
		break;
	case PTOWSP_OP_BARRIER: barrier_raise(run, run->tasks); break;
	case PTOWSP_OP_FENCE:
		if (run->sync.copies > run->barrier)
			run->barrier = run->sync.copies;
		if (!run->pipeline)
			rt_race_fence(&run->race, run->tasks);
		break;
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY: return rt_notify_take(run, instruction);
	case PTOWSP_OP_ALLOC: return alloc_take(run, instruction);
	default: return free_take(run, instruction, in->slot);
	}
	return rt_clock_failed(run, rt_lag_sync(&run->lag, in->op, in->slot, 0));
}

bool rt_sync_pass(struct rt_run *run, uint32_t instruction)
{
	const struct rt_ins *in = &run->program->code[instruction];
	bool of_event = in->op == PTOWSP_OP_SIGNAL || in->op == PTOWSP_OP_WAIT;
	struct rt_event_state *event = &run->sync.events[of_event ? in->slot : 0];

	if (in->op == PTOWSP_OP_ALLOC || in->op == PTOWSP_OP_FREE)
		run->sync.there[in->slot] = in->op == PTOWSP_OP_ALLOC;
	if (in->op == PTOWSP_OP_SIGNAL) {
		event->count++;
		event->tasks = run->tasks;
	}
	if (in->op != PTOWSP_OP_WAIT)
		return true;
	if (!event->count)
		return false;
	event->count--;
	return true;
}
