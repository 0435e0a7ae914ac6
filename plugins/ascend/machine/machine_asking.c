/* SPDX-License-Identifier: MIT */
/* machine_asking.c - processes that ask for a task to be issued: by their clocks, per instance; and those that lack room for one. */
#include "ascend/machine/machine_process.h"
#include "ascend/machine/machine_room.h"
#include "registry/common/common_heap.h"

static bool earlier(const struct ascend_processes *all, uint32_t a, uint32_t b)
{
	return all->rows[a].clock != all->rows[b].clock ? all->rows[a].clock < all->rows[b].clock : a < b;
}

COMMON_HEAP(asking, uint32_t, const struct ascend_processes *, earlier)

void ascend_asking_push(struct ascend_run *run, uint32_t process)
{
	struct ascend_processes *all = run->processes;
	const uint32_t instance = all->rows[process].owner;

	asking_push(all->asking[instance], &all->asking_count[instance], process, all);
	all->rows[process].standing = ASCEND_ASKING;
	ascend_aicpu_wake(run, instance, all->rows[process].clock);
}

uint64_t ascend_process_next(const struct ascend_run *run, uint32_t instance)
{
	const struct ascend_processes *all = run->processes;

	return all->asking_count[instance] ? all->rows[all->asking[instance][0]].clock : ASCEND_NEVER;
}

/* Every task of a lower number keeps its place in the ready queue, issued or not, or tasks that wait for each other might have none. */
static bool queue_there(const struct ascend_run *run, const struct rt_item *item)
{
	uint64_t before = 0;

	if (!run->limits->ready || item->number - run->left < run->limits->ready)
		return true;
	for (uint64_t number = run->left; number < item->number; number++) {
		const struct ascend_task *task = ascend_task_of(run, number);

		before += task->pool == item->pool && task->state < ASCEND_SENT;
	}
	return before < run->limits->ready;
}

static bool room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage)
{
	return stage == ASCEND_QUEUE ? queue_there(run, item) : ascend_room_there(run, item, stage, item->at);
}

static void stall_end(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];

	if (process->standing != ASCEND_STALLED)
		return;
	rt_feed_stall(run->feed, ascend_resource_of(process->stage), item->pool, item->number, at, process->since, run->now);
	process->standing = ASCEND_ASKING;
	run->processes->stalled--;
}

/* All stages up to the first that lacks room; counts what was waited for. */
static bool room_find(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];

	for (; process->stage < ASCEND_ROOM; process->stage++) {
		if (room_there(run, item, process->stage)) {
			stall_end(run, at, item);
		} else if (process->standing == ASCEND_STALLED) {
			return false;
		} else if (process->stage != ASCEND_WINDOW || !ascend_window_full(run, item)) {
			process->standing = ASCEND_STALLED;
			process->since = run->now;
			run->processes->stalled++;
			return false;
		}
	}
	return true;
}

bool ascend_process_issue(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles_out)
{
	uint32_t instance = (uint32_t)(aicpu - run->aicpus);

	while (ascend_process_next(run, instance) <= run->now) {
		uint32_t at = asking_pop(run->processes->asking[instance], &run->processes->asking_count[instance], run->processes);
		struct ascend_process *process = &run->processes->rows[at];
		const struct rt_item *item = &process->items.rows[process->items.head & process->items.mask];

		if (!room_find(run, at, item))
			continue;
		process->standing = ASCEND_FLYING;
		process->last = run->now + run->limits->issue_cost;
		ascend_task_issue(run, item);
		ascend_heap_mark(run, item);
		aicpu->doing = ASCEND_ISSUING;
		aicpu->what = (uint32_t)item->number;
		*cycles_out = run->cost->lookup + item->count * run->cost->lookup_use + run->cost->submit;
		return true;
	}
	return false;
}

/* A process that waits for room and finds it asks again. */
void ascend_asking_look(struct ascend_run *run, uint32_t at)
{
	struct ascend_process *process = &run->processes->rows[at];
	const struct rt_item *item = &process->items.rows[process->items.head & process->items.mask];

	if (!room_find(run, at, item))
		return;
	process->clock = ascend_later(process->clock, run->now);
	ascend_asking_push(run, at);
}
