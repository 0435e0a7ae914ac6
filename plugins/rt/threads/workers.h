/* SPDX-License-Identifier: MIT */
/* workers.h - the worker threads of one run: they take ready tasks and run them, with those that become ready by them, whatever made the tasks: a workload, a built
 * graph, a program in C. Also the earliest failure among those known. A task is a number that its owner gives it: its slot. */
#ifndef RT_WORKERS_H
#define RT_WORKERS_H

#include "rt/threads/pool.h"
#include "rt/threads/ready.h"

/* A task and those that it makes ready, on one thread: the last one told, which should be the oldest, goes on there without any queue: its data is in that
 * core's cache, and the window moves with the oldest. */
struct rt_chain {
	struct rt_workers *workers;
	uint32_t worker, next; /* next: a slot, where `have` */
	bool have;
};
struct rt_workers {
	struct rt_pool *pool;
	uint32_t threads;
	bool made, entered; /* the queues exist; the threads are on their way */
	void *context;
	void (*run)(void *context, uint32_t slot, struct rt_chain *chain); /* a task, and rt_chain_ready for each that waited only for it */
	bool (*goes_on)(void *host); /* asked by the calling thread between the tasks of a chain: may it go on with the next one? NULL: yes */
	void *host;
	struct rt_ready_order order; /* of ready tasks; zeroed by init, in force from make on */
	struct rt_ready ready;
	_Atomic uint64_t failed_task; /* the lowest known; UINT64_MAX: none */
	_Atomic uint32_t stop;        /* nothing begins any more */
	pthread_mutex_t lock;         /* of what follows, and of every write of failed_task; innermost */
	ptowsp_status status;
	struct ptowsp_error error;
};
/* run, context: borrowed until finish. pool: NULL for one thread. */
void rt_workers_init(struct rt_workers *workers, struct rt_pool *pool, void (*run)(void *, uint32_t, struct rt_chain *), void *context);
/* Makes the queues, of so many slots, a power of two. False when out of memory. */
bool rt_workers_make(struct rt_workers *workers, uint64_t slots);
/* Sends the threads in, once. The calling thread is worker 0. */
void rt_workers_enter(struct rt_workers *workers);
/* Nothing begins any more; waiting threads come back. Any thread. */
void rt_workers_halt(struct rt_workers *workers);
/* Halts, waits for what is running, and sends the threads home. The failure stays. */
void rt_workers_leave(struct rt_workers *workers);
void rt_workers_finish(struct rt_workers *workers);

/* This one became ready; context: a struct rt_chain. With a stated order it is shown, with the others that its task makes ready, when that task is over. */
void rt_chain_ready(void *context, uint32_t slot);
/* Runs a task and what becomes ready by it. */
void rt_workers_run(struct rt_workers *workers, uint32_t slot, uint32_t worker);

/* A task has failed. Any thread. */
void rt_workers_failed(struct rt_workers *workers, uint64_t task, ptowsp_status status, const struct ptowsp_error *error);
/* The failure, if there is one. Any thread. */
ptowsp_status rt_workers_status(struct rt_workers *workers, struct ptowsp_error *error);

#endif
