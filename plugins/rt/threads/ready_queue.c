/* SPDX-License-Identifier: MIT */
#include "rt/threads/ready_queue.h"

#include "ptowsp/ids.h"
#include "registry/common/common_heap.h"
#include <stdlib.h>

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

/* The deques are what work_steal states; wishes alone leave the order of becoming ready among equals. */
const struct rt_ready_policy *rt_ready_policy_find(uint32_t code, bool wishes)
{
	if (!wishes && (!code || code == PTOWSP_READY_WORK_STEAL))
		return NULL;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (policies[i].code == code)
			return &policies[i];
	return &policies[0];
}

/* ---- the queue ---------------------------------------------------------------------------------------------------- */

bool rt_ready_queue_init(struct rt_ready_queue *queue, const struct rt_ready_order *order, uint64_t room, uint32_t threads)
{
	*queue = (struct rt_ready_queue){.places = malloc(room * sizeof(*queue->places)), .order = *order, .threads = threads};
	queue->order.homes |= order->policy->own;
	pthread_mutex_init(&queue->lock, NULL);
	return queue->places != NULL;
}

void rt_ready_queue_finish(struct rt_ready_queue *queue)
{
	free(queue->places);
	pthread_mutex_destroy(&queue->lock);
}

static bool sooner(const struct rt_ready_place *a, const struct rt_ready_place *b)
{
	return a->key != b->key ? a->key > b->key : a->order < b->order;
}

#define SOONER(queue, a, b) sooner(&(a), &(b))
COMMON_HEAP(places, struct rt_ready_place, const void *, SOONER)

/* ---- homes -------------------------------------------------------------------------------------------------------- */

/* At home, nowhere in particular, or another thread's. */
static unsigned nearness(const struct rt_ready_place *place, uint32_t worker)
{
	return place->home == worker + 1 ? 2 : !place->home;
}

/* A higher priority goes first wherever its home is. */
static bool sooner_for(const struct rt_ready_place *a, const struct rt_ready_place *b, uint32_t worker)
{
	unsigned near = nearness(a, worker), other = nearness(b, worker);

	if (a->key >> 32 != b->key >> 32)
		return a->key > b->key;
	return near != other ? near > other : sooner(a, b);
}

static uint32_t first_for(const struct rt_ready_place *places, uint32_t count, uint32_t worker)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < count; i++)
		if (sooner_for(&places[i], &places[first], worker))
			first = i;
	return first;
}

/* ---- adding and taking -------------------------------------------------------------------------------------------- */

static struct rt_ready_place place_of(struct rt_ready_queue *queue, uint32_t worker, uint32_t slot)
{
	const struct rt_ready_order *order = &queue->order;
	struct rt_ready_place place = {.slot = slot};
	struct rt_rank rank;

	order->rank(order->context, slot, &rank);
	order->policy->place(&rank, queue->arrivals++, &place);
	place.home = rank.home ? (rank.home - 1) % queue->threads + 1 : order->policy->own ? worker + 1 : 0;
	return place;
}

void rt_ready_queue_enter(struct rt_ready_queue *queue, uint32_t worker, struct rt_deque *from)
{
	uint32_t there, slot;

	pthread_mutex_lock(&queue->lock);
	there = atomic_load_explicit(&queue->count, memory_order_relaxed);
	while (rt_deque_pop(from, &slot)) {
		const struct rt_ready_place place = place_of(queue, worker, slot);

		if (queue->order.homes)
			queue->places[there++] = place;
		else
			places_push(queue->places, &there, place, NULL);
	}
	atomic_store(&queue->count, there);
	pthread_mutex_unlock(&queue->lock);
}

static uint32_t take(struct rt_ready_queue *queue, uint32_t *there, uint32_t worker)
{
	uint32_t at, slot;

	if (!queue->order.homes)
		return places_pop(queue->places, there, NULL).slot;
	at = first_for(queue->places, *there, worker);
	slot = queue->places[at].slot;
	queue->places[at] = queue->places[--*there];
	return slot;
}

bool rt_ready_queue_take(struct rt_ready_queue *queue, uint32_t worker, uint32_t *slot_out)
{
	uint32_t there;
	bool some;

	if (!atomic_load_explicit(&queue->count, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&queue->lock);
	there = atomic_load_explicit(&queue->count, memory_order_relaxed);
	some = there != 0;
	if (some) {
		*slot_out = take(queue, &there, worker);
		atomic_store(&queue->count, there);
	}
	pthread_mutex_unlock(&queue->lock);
	return some;
}
