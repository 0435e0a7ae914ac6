/* SPDX-License-Identifier: MIT */
#include "rt/ready_queue.h"

#include <stdlib.h>
#include "ptowsp/ids.h"

/* ---- policies ----------------------------------------------------------------------------------------------------- */

static void oldest(const struct rt_rank *rank, uint64_t arrival, struct rt_ready_place *place)
{
	place->key = (uint64_t)rank->priority << 32;
	place->order = arrival;
}

static void newest(const struct rt_rank *rank, uint64_t arrival, struct rt_ready_place *place)
{
	place->key = (uint64_t)rank->priority << 32;
	place->order = ~arrival;
}

static void most_awaited(const struct rt_rank *rank, uint64_t arrival, struct rt_ready_place *place)
{
	(void)arrival;
	place->key = (uint64_t)rank->priority << 32 | rank->awaited;
	place->order = rank->number;
}

static const struct rt_ready_policy policies[] = {
	{PTOWSP_READY_FIFO, false, oldest},
	{PTOWSP_READY_PRIORITY, false, most_awaited},
	{PTOWSP_READY_WORK_STEAL, true, newest},
};

/* The deques are what work_steal states; priorities alone leave the order of becoming ready among equals. */
const struct rt_ready_policy *rt_ready_policy_find(uint32_t code, bool urgent)
{
	if (!urgent && (!code || code == PTOWSP_READY_WORK_STEAL))
		return NULL;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (policies[i].code == code)
			return &policies[i];
	return &policies[0];
}

/* ---- the heap ----------------------------------------------------------------------------------------------------- */

bool rt_ready_queue_init(struct rt_ready_queue *queue, uint64_t room)
{
	*queue = (struct rt_ready_queue){.heap = malloc(room * sizeof(*queue->heap))};
	pthread_mutex_init(&queue->lock, NULL);
	return queue->heap != NULL;
}

void rt_ready_queue_finish(struct rt_ready_queue *queue)
{
	free(queue->heap);
	pthread_mutex_destroy(&queue->lock);
}

static bool sooner(const struct rt_ready_place *a, const struct rt_ready_place *b)
{
	return a->key != b->key ? a->key > b->key : a->order < b->order;
}

static void heap_enter(struct rt_ready_place *heap, uint64_t at, struct rt_ready_place place)
{
	for (; at && sooner(&place, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = place;
}

/* The first of count + 1 goes, and the last one takes a place among the count that are left. */
static void heap_drop(struct rt_ready_place *heap, uint64_t count)
{
	const struct rt_ready_place last = heap[count];
	uint64_t at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && sooner(&heap[child + 1], &heap[child]);
		if (!sooner(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
}

void rt_ready_queue_enter(struct rt_ready_queue *queue, const struct rt_ready_order *order, struct rt_deque *from)
{
	struct rt_ready_place place;
	struct rt_rank rank;
	uint64_t there;

	pthread_mutex_lock(&queue->lock);
	there = atomic_load_explicit(&queue->count, memory_order_relaxed);
	while (rt_deque_pop(from, &place.slot)) {
		order->rank(order->context, place.slot, &rank);
		order->policy->place(&rank, queue->arrivals++, &place);
		heap_enter(queue->heap, there++, place);
	}
	atomic_store(&queue->count, there);
	pthread_mutex_unlock(&queue->lock);
}

bool rt_ready_queue_take(struct rt_ready_queue *queue, uint32_t *slot_out)
{
	uint64_t there;

	if (!atomic_load_explicit(&queue->count, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&queue->lock);
	there = atomic_load_explicit(&queue->count, memory_order_relaxed);
	if (there) {
		*slot_out = queue->heap[0].slot;
		heap_drop(queue->heap, there - 1);
		atomic_store(&queue->count, there - 1);
	}
	pthread_mutex_unlock(&queue->lock);
	return there;
}
