/* SPDX-License-Identifier: MIT */
/* machine_heap.c - bytes of the heap. Bytes are taken and come back in the order of the walk, or of turns; time only says which tasks have left. */
#include "ascend/machine/machine_process.h"
#include "ascend/machine/machine_room.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

/* Returns stay in the arena until they are due: others that ask later count on the same tasks, maybe on fewer. */
uint64_t ascend_heap_ask(struct ascend_run *run, uint64_t bytes)
{
	const struct rt_arena *heap = &run->heap;
	const struct rt_arena_return *returns;
	uint64_t tail = 0, used;

	rt_arena_settle(&run->heap, run->left);
	returns = rt_arena_first(heap);
	used = heap->used;
	for (uint32_t k = 0; heap->capacity && used + bytes > heap->capacity && k < heap->count; k++) {
		used -= returns[k].bytes;
		tail = returns[k].tasks;
	}
	return tail;
}

void ascend_heap_take(struct ascend_run *run, uint64_t bytes)
{
	rt_arena_settle(&run->heap, run->left);
	run->heap.used += bytes;
	rt_feed_use(run->feed, PTOWSP_RESOURCE_HEAP, 0, run->heap.used);
}

/* ---- in the order of turns ---------------------------------------------------------------------------------------- */

void ascend_heap_return(struct ascend_run *run, uint64_t number, uint64_t bytes)
{
	struct ascend_processes *all = run->processes;

	run->no_memory |= !rt_arena_return(&run->heap, number, bytes);
	if (!run->pipeline)
		return;
	all->heap_net -= bytes;
	if (!COMMON_GROW(all->returns, all->return_room, all->return_count)) {
		run->no_memory = true;
		return;
	}
	all->returns[all->return_count++] = (struct ascend_return){number, bytes, all->bound};
}

/* From now on at: the tasks that have to have left; cycles, which its record has: what it and those before it have taken and not promised back, 0: it takes nothing;
 * row: how many were bound before it. */
void ascend_heap_bind(struct ascend_run *run, struct rt_item *item)
{
	struct ascend_processes *all = run->processes;

	item->at = item->bytes ? ascend_heap_ask(run, item->bytes) : 0;
	run->heap.used += item->bytes;
	all->heap_net += item->bytes;
	item->cycles = item->bytes ? all->heap_net : 0;
	item->row = all->bound++;
}

void ascend_heap_mark(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_processes *all = run->processes;
	uint64_t use = item->cycles;

	for (uint32_t k = 0; use && k < all->return_count;) {
		const struct ascend_return *promised = &all->returns[k];

		if (promised->tasks <= run->left) {
			all->returns[k] = all->returns[--all->return_count];
			continue;
		}
		use += (int32_t)(item->row - promised->bound) >= 0 ? promised->bytes : 0;
		k++;
	}
	if (use)
		ascend_use_mark(run, PTOWSP_RESOURCE_HEAP, 0, use, &run->high[PTOWSP_RESOURCE_HEAP]);
}
