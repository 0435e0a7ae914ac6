/* SPDX-License-Identifier: MIT */
/* heap_find.c - a capacity of the heap arena with which a program goes on to its end, or as far as it can be looked at: it is expanded on, quietly
 * and without kernels, with all the heap that it wants, and what is held of it at most is the answer. */
#include "rt/error.h"
#include "rt/run.h"

#define SEARCH_TASKS (UINT32_C(1) << 20)

/* What was held without it is in `used` already. */
static void need_mark(struct rt_run *run, uint64_t bytes)
{
	struct rt_arena *arena = &run->sync.arena;

	rt_arena_settle(arena, rt_flow_held_from(&run->flow));
	if (arena->used + bytes > run->versions.most)
		run->versions.most = arena->used + bytes;
	arena->used += bytes;
}

static bool task_look(struct rt_run *run)
{
	const struct rt_site *site = &run->program->sites[run->expand.site];
	struct rt_need need;
	struct rt_block block;

	if (rt_prepare(run, site, run->expand.level) || rt_infer(run, site, &need) || (site->allocated && rt_sync_touch(run, site)))
		return false;
	if (site->renamed && (rt_versions_room(run, rt_flow_held_from(&run->flow), &block) || rt_versions_take(run, 0, false)))
		return false;
	rt_flow_pass(&run->flow);
	run->env.task = ++run->tasks;
	return true;
}

static bool sync_look(struct rt_run *run)
{
	const struct rt_ins *in = &run->program->code[run->expand.sync];

	if (in->op == PTOWSP_OP_ALLOC) {
		need_mark(run, rt_tensor_bytes(&run->tensors.rows[in->slot]));
		run->sync.touched[in->slot] = 0;
	} else if (in->op == PTOWSP_OP_FREE &&
		   !rt_arena_return(&run->sync.arena, run->sync.touched[in->slot], rt_tensor_bytes(&run->tensors.rows[in->slot]))) {
		return false;
	}
	return rt_sync_pass(run, run->expand.sync);
}

static bool event_look(struct rt_run *run, enum rt_event event)
{
	switch (event) {
	case RT_EVENT_TASK: return task_look(run);
	case RT_EVENT_SCOPE_BEGIN: rt_flow_scope_begin(&run->flow); return !rt_versions_scope_begin(run, 0);
	case RT_EVENT_SCOPE_END: rt_flow_scope_end(&run->flow); return !rt_versions_scope_end(run, 0, false);
	case RT_EVENT_SLOT_SET: return !rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: return !rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_SYNC: return sync_look(run);
	case RT_EVENT_PAUSE: return !rt_look(run);
	case RT_EVENT_END:
	case RT_EVENT_FAILED: return false;
	default: return true;
	}
}

/* The alloc or task that is blocked, then whatever follows. */
static void search(struct rt_run *run, const struct rt_block *block)
{
	uint64_t until = run->tasks + SEARCH_TASKS;
	bool go_on = true;

	if (run->sync.blocked) {
		need_mark(run, block->need);
		go_on = rt_sync_pass(run, run->expand.sync);
		run->sync.touched[run->program->code[run->expand.sync].slot] = 0;
	} else {
		go_on = !rt_versions_take(run, 0, false);
		run->env.task = ++run->tasks;
	}
	while (go_on && run->tasks < until)
		go_on = event_look(run, rt_expand_next(&run->expand));
}

uint64_t rt_heap_find(struct rt_run *run, const struct rt_block *block)
{
	struct rt_glance glance;

	if (rt_glance_begin(&glance, run))
		return block->proposed;
	run->versions.most = block->proposed;
	run->sync.arena.capacity = 0;
	search(run, block);
	rt_glance_end(&glance, run);
	return run->versions.most;
}
