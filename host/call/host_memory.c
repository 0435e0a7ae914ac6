/* SPDX-License-Identifier: MIT */
/* host_memory.c - allocation of tensors and of what plugins ask for. */
#include "host/call/host_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE (UINT64_C(256) << 10)
#define FRESH (UINT64_C(16) << 20) /* below, zeros are written sooner than pages are faulted in */

void *host_memory_take(uint64_t size, uint64_t align)
{
	void *memory = NULL;

	if (size > PTRDIFF_MAX || align > 4096)
		return NULL;
	if (size >= LARGE) {
		memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return memory == MAP_FAILED ? NULL : memory;
	}
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (posix_memalign(&memory, (size_t)align, size ? (size_t)size : 1))
		return NULL;
	memset(memory, 0, size ? (size_t)size : 1);
	return memory;
}

void host_memory_give(void *memory, uint64_t size)
{
	if (memory && size >= LARGE)
		munmap(memory, (size_t)size);
	else
		free(memory);
}

void host_memory_zero(void *memory, uint64_t size, bool shared)
{
	if (size < FRESH || madvise(memory, (size_t)size, shared ? MADV_REMOVE : MADV_DONTNEED))
		memset(memory, 0, (size_t)size);
}
