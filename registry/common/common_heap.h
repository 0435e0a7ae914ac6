/* SPDX-License-Identifier: MIT */
/* common_heap.h - queues by priority in arrays, for all folders: the first one of an order stands at 0, and everything costs the logarithm of the count. */
#ifndef REGISTRY_COMMON_COMMON_HEAP_H
#define REGISTRY_COMMON_COMMON_HEAP_H

#include <stdint.h>

/* Functions NAME_push, NAME_replace and NAME_pop for arrays of `type`. before(order, a, b), a macro or a function: does a stand before b? order: of a pointer's type, and NULL where
 * values are in order by themselves. push: the array has room for one more. replace: `value` comes in the place of the first. pop: the first leaves; there is one. */
#define COMMON_HEAP(name, type, order_type, before)                                                                                                            \
	static inline void name##_push(type *heap, uint32_t *count, type value, order_type order)                                                              \
	{                                                                                                                                                      \
		uint32_t at = (*count)++;                                                                                                                      \
                                                                                                                                                               \
		(void)order;                                                                                                                                   \
		for (; at && before(order, value, heap[(at - 1) / 2]); at = (at - 1) / 2)                                                                      \
			heap[at] = heap[(at - 1) / 2];                                                                                                         \
		heap[at] = value;                                                                                                                              \
	}                                                                                                                                                      \
	static inline void name##_replace(type *heap, uint32_t count, type value, order_type order)                                                            \
	{                                                                                                                                                      \
		uint32_t at = 0, child;                                                                                                                        \
                                                                                                                                                               \
		(void)order;                                                                                                                                   \
		for (; (child = 2 * at + 1) < count; at = child) {                                                                                             \
			child += child + 1 < count && before(order, heap[child + 1], heap[child]);                                                             \
			if (!before(order, heap[child], value))                                                                                                \
				break;                                                                                                                         \
			heap[at] = heap[child];                                                                                                                \
		}                                                                                                                                              \
		heap[at] = value;                                                                                                                              \
	}                                                                                                                                                      \
	static inline type name##_pop(type *heap, uint32_t *count, order_type order)                                                                           \
	{                                                                                                                                                      \
		const type first = heap[0];                                                                                                                    \
                                                                                                                                                               \
		--*count;                                                                                                                                      \
		name##_replace(heap, *count, heap[*count], order);                                                                                             \
		return first;                                                                                                                                  \
	}

#endif
