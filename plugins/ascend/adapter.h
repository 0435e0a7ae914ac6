/* SPDX-License-Identifier: MIT */
/* adapter.h - how a kernel of the runtime's simulation finds the backend again: what orchestration/kernel.c and the backend share. C, <stdint.h> only.
 *
 * The first tensor argument of every task is a window of the table of calls, in memory that the runtime passes on as it is: the address of the task's record
 * is the buffer's address plus the window's start, in bytes. A task that has no other argument has that address itself as its scalar, and the bit ASCEND_CALL_DIRECT in it: its core
 * fetches a line of memory less. */
#ifndef ASCEND_ADAPTER_H
#define ASCEND_ADAPTER_H

#include <stdint.h>

/* Words of a tensor record: pod.h, struct ascend_tensor. */
#define ASCEND_WORD_ADDRESS 0
#define ASCEND_WORD_START   3

/* One task. The backend's own fields stand behind it. */
struct ascend_call {
	/* args: the kernel's, the first one of which led here. Called on any thread of the runtime, several at once. */
	void (*run)(const struct ascend_call *call, const int64_t *args);
};

#define ASCEND_CALL_DIRECT 1u

static inline const struct ascend_call *ascend_call_find(const int64_t *args)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)args[0];

	if (args[0] & ASCEND_CALL_DIRECT)
		return (const struct ascend_call *)((uintptr_t)args[0] - ASCEND_CALL_DIRECT);
	return (const struct ascend_call *)(uintptr_t)(words[ASCEND_WORD_ADDRESS] + words[ASCEND_WORD_START]);
}

#endif
