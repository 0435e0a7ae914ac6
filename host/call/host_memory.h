/* SPDX-License-Identifier: MIT */
/* host_memory.h - zeroed, aligned memory; large pieces come straight from the system, so that what is never touched costs
 * nothing. Any thread. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* align: a power of two, at most 4096. NULL when out of memory. size 0 gives a valid pointer. */
void *host_memory_take(uint64_t size, uint64_t align);
/* size as given to take; NULL is allowed. */
void host_memory_give(void *memory, uint64_t size);
/* Zeros again; shared: it is of host_buffer_take. Large pieces get fresh pages, so that here, too, only what is touched costs. */
void host_memory_zero(void *memory, uint64_t size, bool shared);

#endif
