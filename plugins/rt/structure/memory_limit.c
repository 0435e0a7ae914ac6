/* SPDX-License-Identifier: MIT */
#include "rt/structure/memory_limit.h"

#include "registry/common/common_machine.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
size_t __sanitizer_get_current_allocated_bytes(void); /* not every compiler brings sanitizer/allocator_interface.h */

static uint64_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes();
}
#elif defined(__GLIBC__)
#include <malloc.h>
static uint64_t allocated(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}
#else
static uint64_t allocated(void)
{
	return 0;
}
#endif

void rt_memory_limit_begin(struct rt_memory_limit *held, uint64_t limit, uint64_t given)
{
	*held = (struct rt_memory_limit){.limit = limit, .given = given, .before = limit ? allocated() : 0};
}

void rt_memory_limit_of_machine(struct rt_memory_limit *held)
{
	rt_memory_limit_begin(held, common_machine_memory(), 0);
	held->machine = 1;
}

uint64_t rt_memory_limit_bytes(const struct rt_memory_limit *held)
{
	const uint64_t now = allocated();

	return held->given + (now > held->before ? now - held->before : 0);
}

ptowsp_status rt_memory_limit_check(const struct rt_memory_limit *held, uint64_t task, struct ptowsp_error *error)
{
	uint64_t bytes;

	if (!held || !held->limit)
		return PTOWSP_OK;
	bytes = rt_memory_limit_bytes(held);
	if (bytes <= held->limit)
		return PTOWSP_OK;
	if (held->machine)
		return rt_fail_at(error, PTOWSP_TOO_BIG, task, UINT64_MAX,
				  "the run took %llu bytes up to task %llu, and this machine had %llu left when it began; state a task_window that is not 0, "
				  "or allow so much with --max-memory",
				  (unsigned long long)bytes, (unsigned long long)task, (unsigned long long)held->limit);
	return rt_fail_at(error, PTOWSP_TOO_BIG, task, UINT64_MAX,
			  "the run holds %llu bytes at task %llu, %llu of them tensors and tiles, the limit (--max-memory) is %llu; raise it, or state a "
			  "smaller task_window",
			  (unsigned long long)bytes, (unsigned long long)task, (unsigned long long)held->given, (unsigned long long)held->limit);
}
