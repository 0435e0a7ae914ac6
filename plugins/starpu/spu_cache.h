/* SPDX-License-Identifier: MIT */
/* spu_cache.h - files in which StarPU keeps what it has measured of the machine and of kernels. It aborts on one that is damaged, and on a file system that has no room, so both are looked at before. */
#ifndef SPU_CACHE_H
#define SPU_CACHE_H

#include "ptowsp/run.h"
#include <stdbool.h>

/* Before starpu_init, with the folder that is StarPU's home; *lock_out goes to spu_cache_leave behind it. Where the machine has not been measured, or a file of that is damaged and gone now, no other process is in between, and there
 * is room to write; writes: there is to be, anyway. home: borrowed until the last device is closed. Errors: IO. */
ptowsp_status spu_cache_enter(int *lock_out, const char *home, bool writes, struct ptowsp_error *error);
void spu_cache_leave(int lock);
/* A damaged file of a kernel goes. */
void spu_cache_kernel(const char *symbol);

#endif
