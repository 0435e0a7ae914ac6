/* SPDX-License-Identifier: MIT */
#include "rt/threads/deque.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

bool rt_deque_init(struct rt_deque *deque, uint64_t room)
{
	memset(deque, 0, sizeof(*deque));
	deque->slots = malloc(room * sizeof(*deque->slots)); /* none is read before it is written */
	deque->mask = (int64_t)(room - 1);
	return deque->slots != NULL;
}

void rt_deque_finish(struct rt_deque *deque)
{
	free(deque->slots);
	memset(deque, 0, sizeof(*deque));
}

/* Acquire: what the one before did with top and bottom is there. */
static bool lock_try(struct rt_deque *deque)
{
	return !atomic_load_explicit(&deque->locked, memory_order_relaxed) && !atomic_exchange_explicit(&deque->locked, 1, memory_order_acquire);
}

static void unlock(struct rt_deque *deque)
{
	atomic_store_explicit(&deque->locked, 0, memory_order_release);
}

/* A thief may have raised top too far, and knows only now that the owner wants that task. True: it is the owner's. */
static bool settle(struct rt_deque *deque, int64_t bottom)
{
	bool own;

	while (!lock_try(deque))
		sched_yield();
	own = atomic_load_explicit(&deque->top, memory_order_relaxed) <= bottom;
	if (!own)
		atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
	unlock(deque);
	return own;
}

bool rt_deque_pop(struct rt_deque *deque, uint32_t *slot_out)
{
	int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);

	/* Tasks that a thief is about to put back are there the next time; it looks around itself before it sleeps. */
	if (atomic_load_explicit(&deque->top, memory_order_relaxed) == bottom)
		return false;
	/* Sequentially consistent, as top is where it is raised: either a thief sees that bottom has dropped, or this thread that top has risen. */
	atomic_store(&deque->bottom, --bottom);
	if (atomic_load(&deque->top) > bottom && !settle(deque, bottom))
		return false;
	*slot_out = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
	return true;
}

/* With the lock. */
static uint32_t claim(struct rt_deque *deque, uint32_t most)
{
	const int64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed), count = atomic_load(&deque->bottom) - top;
	int64_t taken = (count + 1) / 2, bottom;

	if (count <= 0)
		return 0;
	taken = taken < most ? taken : most;
	atomic_store(&deque->top, top + taken);
	bottom = atomic_load(&deque->bottom);
	if (bottom >= top + taken)
		return (uint32_t)taken;
	taken = bottom > top ? bottom - top : 0;
	atomic_store_explicit(&deque->top, top + taken, memory_order_relaxed);
	return (uint32_t)taken;
}

uint32_t rt_deque_steal(struct rt_deque *deque, uint32_t *slots_out, uint32_t most)
{
	int64_t top;
	uint32_t taken;

	if (rt_deque_count(deque) <= 0 || !lock_try(deque))
		return 0;
	top = atomic_load_explicit(&deque->top, memory_order_relaxed);
	taken = claim(deque, most);
	for (uint32_t i = 0; i < taken; i++)
		slots_out[taken - 1 - i] = atomic_load_explicit(&deque->slots[(top + i) & deque->mask], memory_order_relaxed);
	unlock(deque);
	return taken;
}
