/* SPDX-License-Identifier: MIT */
/* scheduler.h - one of several scheduler instances: its expander, its ring of tasks, its ready queues for vector and cube, and the ring in which the others
 * tell it which of its tasks wait for one thing less. */
#ifndef RT_SCHEDULER_H
#define RT_SCHEDULER_H

#include "rt/rt_run.h"
#include "rt/skip.h"

enum { RT_NOTES = 64, RT_LOCAL_QUEUES = 2, RT_RING_OF_INSTANCE = 1024 };

struct rt_own_task;
/* An edge: stands in the list of its producer until that ends. */
struct rt_own_link {
	struct rt_own_link *next;
	struct rt_own_task *consumer;
};
/* A task in the ring of its instance. */
struct rt_own_task {
	uint64_t number, cycles;
	const struct rt_site *site;
	struct rt_need need;
	uint32_t kernel, level, owner, pred_count;
	uint32_t waits;       /* producers that have not ended */
	uint64_t order;       /* tasks before it end before this one starts */
	uint8_t queue;
	bool ended, accounted, later; /* later: cycles are known when it has ended */
	struct rt_own_link *waiters; /* who waits for it */
	struct rt_own_link *links;   /* pred_count of them */
	uint64_t *preds;      /* numbers */
	uint64_t *windows;    /* behind its arguments */
	uint64_t words[];
};
/* Tasks that are ready, first in first out; its room is that of the ring. */
struct rt_own_queue {
	struct rt_own_task **tasks;
	uint64_t head, tail;
};
enum rt_own_state { RT_OWN_GOING, RT_OWN_HOLDING, RT_OWN_OVER }; /* HOLDING: a task is prepared and cannot be issued yet */

struct rt_scheduler {
	/* its thread's own */
	struct rt_run *run;   /* values, expander, accesses of the task at hand */
	struct rt_skip skip;
	uint32_t me;
	uint64_t order;       /* tasks before it end before the next one is issued */
	struct ptowsp_error error;
	/* under the lock */
	enum rt_own_state state;
	uint64_t passed;      /* the smallest number it has not passed */
	struct rt_own_task **ring;
	uint64_t issued, gone, ended, mask; /* own counts: all before `ended` have ended, all before `gone` have left */
	struct rt_own_queue queues[RT_LOCAL_QUEUES];
	uint32_t turn;        /* the queue that is asked first */
	struct rt_own_link *notes[RT_NOTES]; /* chains of links of own consumers */
	uint32_t note_head, note_tail;
	/* of who keeps the semantic time */
	struct rt_clock clock; /* issue clock and ring of this instance */
	struct rt_flow flow;
	uint64_t tasks;
};
/* like: the run for which it generates; its rules and bindings are shared. Errors: NO_MEMORY. */
ptowsp_status rt_scheduler_init(struct rt_scheduler *scheduler, struct rt_run *like, uint32_t me, uint32_t instances);
void rt_scheduler_finish(struct rt_scheduler *scheduler);
/* Room for one task more, where the ring is not bounded. False when out of memory. */
bool rt_scheduler_grow(struct rt_scheduler *scheduler);
/* A record for the task that the instance has prepared. NULL when out of memory. */
struct rt_own_task *rt_own_task_make(const struct rt_scheduler *scheduler, const uint64_t *preds, uint32_t pred_count);
void rt_own_task_free(struct rt_own_task *task);
/* All that it waits for has ended. */
void rt_scheduler_ready(struct rt_scheduler *scheduler, struct rt_own_task *task);
/* The next task to run; NULL: none is ready. All tasks before `frontier` have ended. */
struct rt_own_task *rt_scheduler_take(struct rt_scheduler *scheduler, uint64_t frontier);
/* Links of own consumers, of a producer that has ended. */
void rt_scheduler_release(struct rt_scheduler *scheduler, struct rt_own_link *links);
/* Takes what the others have told; false: nothing. */
bool rt_scheduler_hear(struct rt_scheduler *scheduler);
/* Tasks that have ended, and were accounted for, leave the ring. */
void rt_scheduler_retire(struct rt_scheduler *scheduler);

#endif
