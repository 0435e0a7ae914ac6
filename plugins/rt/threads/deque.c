/* SPDX-License-Identifier: MIT */
#include "rt/threads/deque.h"

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

bool rt_deque_pop(struct rt_deque *deque, uint32_t *slot_out)
{
	int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed), top = atomic_load_explicit(&deque->top, memory_order_relaxed);

	/* top only rises: a deque that looks empty is. */
	if (top >= bottom)
		return false;
	/* Sequentially consistent, both: either a thief sees that bottom has dropped, or this thread sees that top has risen. Only for the last
	 * task can both be after the same one, and then the exchange of top decides. */
	atomic_store(&deque->bottom, --bottom);
	top = atomic_load(&deque->top);
	*slot_out = atomic_load_explicit(&deque->slots[bottom & deque->mask], memory_order_relaxed);
	if (top < bottom)
		return true;
	if (top == bottom && !atomic_compare_exchange_strong(&deque->top, &top, top + 1))
		top = bottom + 1;
	atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
	return top == bottom;
}

bool rt_deque_steal(struct rt_deque *deque, uint32_t *slot_out)
{
	int64_t top = atomic_load(&deque->top), bottom = atomic_load(&deque->bottom);

	if (top >= bottom)
		return false;
	/* Read before it is claimed: afterwards the owner may use the place again. If it did so already, top has risen and the claim fails. */
	*slot_out = atomic_load_explicit(&deque->slots[top & deque->mask], memory_order_relaxed);
	return atomic_compare_exchange_strong(&deque->top, &top, top + 1);
}
