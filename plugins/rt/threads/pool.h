/* SPDX-License-Identifier: MIT */
/* pool.h - worker threads, parked on a condition variable while there is nothing to do. */
#ifndef RT_POOL_H
#define RT_POOL_H

#include "rt/rt.h"

/* Sends every worker thread into work(context, worker), worker 1 .. threads - 1; the calling thread is worker 0 and does not go. One at a time. */
void rt_pool_enter(struct rt_pool *pool, void (*work)(void *context, uint32_t worker), void *context);
/* Waits until all have come back; to make them leave is the caller's business. */
void rt_pool_leave(struct rt_pool *pool);

#endif
