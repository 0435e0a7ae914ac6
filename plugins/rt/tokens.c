/* SPDX-License-Identifier: MIT */
/* tokens.c - walks a program without running it: for the extents that its tasks touch, or for its tokens alone, to tell before any run that a pipeline
 * must block. */
#include <stdlib.h>
#include "rt/error.h"
#include "rt/process.h"

#define LOOK_STEPS (UINT64_C(1) << 22) /* a pipeline that goes on for so long is not waited for */
#define LOOK_BLIND (UINT64_C(1) << 12) /* steps behind a value that only running tells: a loop that waits for it would not end */
#define LOOK_LEAVE 256u                /* loops that are left for that reason; then the look is over */
#define LOOK_IDLE (UINT32_C(1) << 16)  /* pauses without a task, of 1,024 instructions each: less than a second */

ptowsp_status rt_look_pause(struct rt_run *run)
{
	if (run->idle_from != run->tasks) {
		run->idle_from = run->tasks;
		run->idle = 0;
	}
	return ++run->idle > LOOK_IDLE ? PTOWSP_UNSUPPORTED : rt_look(run);
}

bool rt_look_gave_up(const struct rt_run *run)
{
	return run->idle > LOOK_IDLE;
}

static ptowsp_status event_look(struct rt_run *run, enum rt_event event, enum rt_look_for look)
{
	ptowsp_status st = PTOWSP_OK;

	switch (event) {
	case RT_EVENT_TASK:
		if (look == RT_LOOK_EXTENTS)
			st = rt_prepare(run, &run->program->sites[run->expand.site], run->expand.level);
		run->env.task = ++run->tasks;
		return st;
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD:
		return look == RT_LOOK_TOKENS ? PTOWSP_AGAIN : rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_SYNC: return rt_sync_pass(run, run->expand.sync) ? PTOWSP_OK : PTOWSP_AGAIN; /* the run will end there */
	case RT_EVENT_PAUSE: return rt_look_pause(run);
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return PTOWSP_OK;
	}
}

/* A slot is loaded from what tasks write: it is not known, and neither is how long the program goes on. */
static bool is_blind(const struct rt_run *run, enum rt_event event)
{
	return event == RT_EVENT_SLOT_LOAD && run->program->tensor_access[run->program->ios[run->expand.io].tensor] & PTOWSP_WRITE;
}

ptowsp_status rt_entry_look(struct rt_run *run, enum rt_look_for look)
{
	uint64_t steps = 0, left = 0;
	uint32_t loops = 0;
	enum rt_event event;
	ptowsp_status st = rt_look(run);

	rt_expand_start(&run->expand, run->program, &run->env, run->error);
	while (!st && (event = rt_expand_next(&run->expand)) != RT_EVENT_END) {
		st = event_look(run, event, look);
		if (!st && look == RT_LOOK_TOKENS && ++steps > LOOK_STEPS)
			st = PTOWSP_LIMIT;
		if (left && !--left && (++loops > LOOK_LEAVE || !rt_expand_break(&run->expand)))
			break;
		if (!left && look == RT_LOOK_EXTENTS && is_blind(run, event))
			left = LOOK_BLIND;
	}
	return st;
}

ptowsp_status rt_pipeline_look(struct rt_run *run, enum rt_look_for look)
{
	ptowsp_status st;

	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE))
		return PTOWSP_OK;
	st = rt_run_clock(run);
	if (!st)
		st = rt_pipeline_create(&run->pipeline, run);
	if (st)
		return st;
	run->pipeline->look = look;
	run->pipeline->steps_most = look == RT_LOOK_TOKENS ? LOOK_STEPS : 0;
	return rt_pipeline_go(run->pipeline);
}

/* Symbols and slots that have no value of their own. */
static bool open_values(const struct rt_program *program)
{
	const struct ptowsp_entry_record *entry = &program->tables.entry.rows[program->entry];

	for (uint32_t i = 0; i < entry->value_count && entry->values + i < program->tables.entry_value.count; i++) {
		uint32_t slot = program->tables.entry_value.rows[entry->values + i].slot;

		if (slot >= program->tables.slot.count || !(program->tables.slot.rows[slot].flags & PTOWSP_SLOT_HAS_DEFAULT))
			return true;
	}
	return false;
}

ptowsp_status rt_channels_check(struct rt_program *program, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	struct ptowsp_run_args none = {.head = PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	const struct rt_run_args args = {.args = &none};
	struct rt_run *run;
	ptowsp_status st;

	if (!(program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE) || open_values(program))
		return PTOWSP_OK;
	run = calloc(1, sizeof(*run));
	if (!run)
		return rt_no_memory(error, "the look at the channels");
	run->quiet = true;
	run->deadlock = deadlock_out;
	st = rt_run_init(run, program, &args, &unsaid);
	if (!st)
		st = rt_entry_look(run, RT_LOOK_TOKENS);
	if (!st)
		st = rt_pipeline_look(run, RT_LOOK_TOKENS);
	if (!st && run->pipeline->live)
		st = rt_pipeline_deadlock(run->pipeline);
	if (st == PTOWSP_DEADLOCK)
		rt_fail_at(error, st, unsaid.where[0], unsaid.where[1], "%s", unsaid.text);
	else if (st != PTOWSP_NO_MEMORY)
		st = PTOWSP_OK; /* it cannot be told */
	rt_run_finish(run);
	free(run);
	return st;
}
