/* SPDX-License-Identifier: MIT */
/* deque.h - the ready tasks of one worker thread: it adds and takes at the bottom, newest first; others take at the top, oldest first, many at once.
 * The protocol of Frigo, Leiserson, Randall 1998: the owner locks nothing but where it and a thief may want the same task; bounded, so that there is nothing to
 * grow or to free. */
#ifndef RT_DEQUE_H
#define RT_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_deque {
	_Atomic int64_t top; /* raised by whoever takes there, with the lock; put back in part where the owner was faster */
	_Atomic uint32_t locked;
	char apart[64 - sizeof(int64_t) - sizeof(uint32_t)]; /* thieves write top, the owner writes bottom: not on one cache line */
	_Atomic int64_t bottom;                              /* the owner's */
	_Atomic uint32_t *slots;
	int64_t mask;
	char behind[64 - 3 * sizeof(int64_t)];
};
/* room: a power of two; the owner never holds more. False when out of memory. */
bool rt_deque_init(struct rt_deque *deque, uint64_t room);
void rt_deque_finish(struct rt_deque *deque);

/* How many there are, about; any thread. */
static inline int64_t rt_deque_count(const struct rt_deque *deque)
{
	/* Sequentially consistent: a thread looks here after it has said that it parks; see ready.c. */
	return atomic_load(&deque->bottom) - atomic_load(&deque->top);
}
/* The owner's, the last one newest; they become visible together. Sequentially consistent: the owner then looks whether somebody has parked. */
static inline void rt_deque_push_all(struct rt_deque *deque, const uint32_t *slots, uint32_t count)
{
	int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit(&deque->slots[(bottom + i) & deque->mask], slots[i], memory_order_relaxed);
	atomic_store(&deque->bottom, bottom + count);
}
static inline void rt_deque_push(struct rt_deque *deque, uint32_t slot)
{
	rt_deque_push_all(deque, &slot, 1);
}
/* The owner's: its next task, if nobody is faster. False: empty. */
static inline bool rt_deque_peek(const struct rt_deque *deque, uint32_t *slot_out)
{
	int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);

	*slot_out = atomic_load_explicit(&deque->slots[(bottom - 1) & deque->mask], memory_order_relaxed);
	return atomic_load_explicit(&deque->top, memory_order_relaxed) < bottom;
}
/* The owner's. */
bool rt_deque_pop(struct rt_deque *deque, uint32_t *slot_out);
/* Anybody's: half of what is there, at most `most`, the oldest of them last. Returns how many; 0: empty, or somebody was faster. */
uint32_t rt_deque_steal(struct rt_deque *deque, uint32_t *slots_out, uint32_t most);

#endif
