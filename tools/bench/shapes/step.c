/* SPDX-License-Identifier: MIT */
/* step.c - the kernel of all shapes, as native code of their packages and as a function of ptowsp-bench: it works as long as its argument says, and makes
 * what it writes out of the number of its task and of what it finds in its windows. Tasks that run twice, or in another order where that matters,
 * leave other tensors behind. */
#include "ptowsp/task.h"

__attribute__((visibility("default"))) ptowsp_status step(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);

/* An amount of work, not of time: a thread that was preempted gets no credit. As bench_spin. */
static void work(uint64_t count)
{
	uint64_t x = count;

	for (; count; count--) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

ptowsp_status step(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const struct ptowsp_tensor_arg *windows = task->tensors;
	uint32_t x = (uint32_t)task->number + 1;

	(void)out;
	for (uint32_t i = 0; i < task->tensor_count; i++)
		x = (x ^ *(const uint32_t *)windows[i].data) * 0x9E3779B1u; /* another order, another number */
	work(task->args[0]);
	for (uint32_t i = 0; i < task->tensor_count; i++)
		if (windows[i].access & PTOWSP_WRITE)
			*(uint32_t *)windows[i].data = x + i;
	return PTOWSP_OK;
}
