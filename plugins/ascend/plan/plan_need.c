/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_need.h"

#include "ascend/plan/plan_build.h"
#include "ascend/plan/plan_check.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"

enum {
	ENTRIES = 16384, /* PTO2_DEP_LIST_POOL_SIZE: the runtime's own pool */
	LATE_TASKS = 64, /* PTO2_DEP_POOL_CLEANUP_INTERVAL: that many have left before their entries come back */
	LATE_EDGES = 64  /* ASCEND_FAN_IN of each */
};

/* A way along the steps of a plan. */
struct walk {
	const struct ascend_plan_step *next, *end;
	uint32_t depth; /* open scopes */
};

static struct walk walk_begin(const struct ascend_plan_head *plan)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);

	return (struct walk){steps, steps + plan->step_count, 0};
}

static bool is_scope(const struct ascend_plan_step *step)
{
	return step->kind == ASCEND_STEP_SCOPE_BEGIN || step->kind == ASCEND_STEP_SCOPE_END;
}

/* The next step; NULL behind the last. walk->depth: that in which a task is, or behind a scope's begin or end. */
static const struct ascend_plan_step *step_next(struct walk *walk)
{
	const struct ascend_plan_step *step = walk->next < walk->end ? walk->next++ : NULL;

	if (step && is_scope(step))
		walk->depth += step->kind == ASCEND_STEP_SCOPE_BEGIN ? 1 : UINT32_MAX;
	return step;
}

static uint32_t ring_at(uint32_t depth)
{
	return depth < ASCEND_RINGS ? depth : ASCEND_RINGS - 1;
}

/* ---- slots --------------------------------------------------------------------------------------------------------- */

/* Per depth of an open scope, 0 is around everything: tasks of its ring before its own first one, NONE: it has none yet. */
#define NONE UINT64_MAX
struct open {
	uint64_t firsts[ASCEND_SCOPE_DEPTH + 1];
	uint64_t tasks[ASCEND_RINGS];
};

/* Inner scopes begin behind outer ones, so the outermost of a ring that has a task has the oldest. */
static uint64_t oldest_of(const struct open *open, uint32_t ring, uint32_t depth)
{
	uint32_t at = ring;

	while (at < depth && open->firsts[at] == NONE)
		at++;
	return open->firsts[at];
}

static void task_pass(struct ascend_plan_need *need, struct open *open, uint32_t depth)
{
	uint32_t ring = ring_at(depth);
	uint64_t held;

	if (open->firsts[depth] == NONE)
		open->firsts[depth] = open->tasks[ring];
	held = ++open->tasks[ring] - oldest_of(open, ring, depth);
	need->slots[ring] = held > need->slots[ring] ? held : need->slots[ring];
}

/* Deeper than the runtime goes nothing is counted: rings refuse that. */
void ascend_plan_need_find(struct ascend_plan_need *need, const struct ascend_plan_head *plan)
{
	struct walk walk = walk_begin(plan);
	const struct ascend_plan_step *step;
	struct open open = {.firsts = {NONE}};

	*need = (struct ascend_plan_need){0};
	while ((step = step_next(&walk))) {
		need->depth = walk.depth > need->depth ? walk.depth : need->depth;
		if (walk.depth > ASCEND_SCOPE_DEPTH)
			continue;
		if (step->kind == ASCEND_STEP_SCOPE_BEGIN)
			open.firsts[walk.depth] = NONE;
		else if (!is_scope(step))
			task_pass(need, &open, walk.depth);
	}
}

/* ---- rings --------------------------------------------------------------------------------------------------------- */

/* The largest power of two up to the window; no ring is smaller than 4. */
static uint64_t ring_of(uint64_t window)
{
	uint64_t ring = 4;

	while (ring <= window / 2)
		ring *= 2;
	return ring;
}

/* One slot of a ring stays empty. */
static bool fits(uint64_t slots, uint64_t ring)
{
	return slots < ring;
}

bool ascend_plan_need_crowds(const struct ascend_plan_need *need, uint64_t window)
{
	uint32_t used = 0;
	bool crowds = window < 4;

	for (uint32_t ring = 0; ring < ASCEND_RINGS; ring++) {
		crowds |= !fits(need->slots[ring], ring_of(window));
		used += need->slots[ring] != 0;
	}
	return crowds || used > 1;
}

/* Twice what scopes need, so that one of them can begin while another one ends. */
static uint64_t slots_for(uint64_t slots, uint64_t window)
{
	uint64_t ring = window ? ring_of(window) : ASCEND_WINDOW;

	if (fits(slots, ring))
		return window ? ring : 0;
	return rt_power_above(2 * (slots + 1));
}

/* ---- entries ------------------------------------------------------------------------------------------------------- */

static const struct ascend_plan_step *ring_next(struct walk *walk, uint32_t ring)
{
	const struct ascend_plan_step *step = step_next(walk);

	while (step && (is_scope(step) || ring_at(walk->depth) != ring))
		step = step_next(walk);
	return step;
}

/* Most edges of so many tasks of the ring, one after the other. */
static uint64_t edges_of(const struct ascend_plan_head *plan, uint32_t ring, uint64_t slots)
{
	struct walk front = walk_begin(plan), back = front;
	const struct ascend_plan_step *step;
	uint64_t edges = 0, most = 0, tasks = 0;

	while ((step = ring_next(&front, ring))) {
		edges += step->edge_count;
		if (tasks++ >= slots)
			edges -= ring_next(&back, ring)->edge_count;
		most = edges > most ? edges : most;
	}
	return most;
}

ptowsp_status ascend_plan_need_rings(const struct ascend_plan_need *need, const struct ascend_plan_head *plan, uint64_t window,
				     struct ascend_call_config *config, struct ptowsp_error *error)
{
	if (need->depth > ASCEND_SCOPE_DEPTH)
		return rt_fail(error, PTOWSP_TOO_SMALL,
			       "scopes lie %u deep inside each other; tensormap_and_ringbuffer takes %d: use variant=host_build_graph, or fewer", need->depth,
			       ASCEND_SCOPE_DEPTH);
	for (uint32_t ring = 0; ring < ASCEND_RINGS; ring++) {
		uint64_t slots = slots_for(need->slots[ring], window), entries = edges_of(plan, ring, slots ? slots : ASCEND_WINDOW) + LATE_TASKS * LATE_EDGES;

		if (slots > ASCEND_WINDOW_LIMIT || entries > INT32_MAX)
			return rt_fail(error, PTOWSP_TOO_SMALL,
				       "open scopes hold %llu tasks, and %llu dependencies are in flight; a ring takes %d and %d: use smaller scopes",
				       (unsigned long long)need->slots[ring], (unsigned long long)entries, ASCEND_WINDOW_LIMIT / 2, INT32_MAX);
		config->task_window[ring] = slots;
		config->dep_pool[ring] = entries > ENTRIES ? entries : 0;
	}
	return PTOWSP_OK;
}
