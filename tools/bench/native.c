/* SPDX-License-Identifier: MIT */
/* native.c - the native payload of `ptowsp-bench call`: functions that do nothing, as those in bench/call.c. */
#include "ptowsp/task.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT ptowsp_status uniform(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	__asm__ volatile("" : : "r"(task), "r"(out) : "memory");
	return PTOWSP_OK;
}

EXPORT void three(void *a, void *b, void *c)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
}

EXPORT void three_and_count(void *a, void *b, void *c, uint64_t n)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(n) : "memory");
}
