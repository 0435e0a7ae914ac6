/* SPDX-License-Identifier: MIT */
/* fake_memory.h - blocks of device memory that clients and runs have, so that copies can be checked. One thread. */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)
/* *blocks counts those of a context. NULL: there is no memory. */
void *fake_memory_alloc(int *blocks, size_t size);
/* What is no block is WRONG. */
void fake_memory_free(int *blocks, void *memory);
/* 0, or an error that was written: also when that is not inside of a block. */
int fake_memory_put(void *device, const void *host, size_t size);
int fake_memory_get(void *host, const void *device, size_t size);
#pragma GCC visibility pop

#endif
