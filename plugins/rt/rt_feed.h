/* SPDX-License-Identifier: MIT */
/* rt_feed.h - what a run gives to an engine that has a clock of its own.
 *
 * Numbers, edges, reservations, results and deadlocks never depend on time, so rt finds them as ever, and the semantic clock of clock.h is not told. The engine
 * pulls: each rt_feed_next walks the program up to the next item, and, where nothing but tasks follows, some further; kernels run meanwhile on whatever threads
 * there are. Items come in the order in which
 * the semantic clock would have been told them. The engine may do between two items whatever it wants, for as long as it wants: nothing that is still
 * to come depends on when things happen. Tasks of a workload come in the order of their numbers; those of processes in the order of turns, each item with the
 * instance that it belongs to.
 *
 * With several scheduler instances (rt_run_args.schedulers) there is still one walk: whose a task is stands in the item, as owner.h and dispatch filters say,
 * and what the others do with it, pass over or wait, is the engine's affair.
 *
 * The engine's results come back through rt_feed_told and its neighbours, and go into statistics, trace and reports. The thread of rt_run. Beside worker
 * threads, a second one walks ahead of it: the items are the same. */
#ifndef RT_RT_FEED_H
#define RT_RT_FEED_H

#include <stdbool.h>

#include "rt/rt.h"

/* Entries that a task reserves besides its place in the ring: of the tensor map and of the dependency lists. */
struct rt_need {
	uint32_t map, deps;
};
enum rt_item_kind {
	RT_ITEM_TASK,
	RT_ITEM_TASKS, /* `bytes` tasks have come by rt_engine.task, the last one of them right before this */
	RT_ITEM_SCOPE_BEGIN,
	RT_ITEM_SCOPE_END,
	RT_ITEM_ORDER_BEGIN,
	RT_ITEM_ORDER_STEP,
	RT_ITEM_ORDER_END,
	RT_ITEM_READ, /* list: SLOT rows that something read which comes before the next item */
	RT_ITEM_SET,  /* slot `row` from an expression that reads the slots of list */
	RT_ITEM_LOAD, /* slot `row` from an element that task number - 1 wrote; 0: none */
	RT_ITEM_SIGNAL,
	RT_ITEM_WAIT,    /* event `row`; number: the tasks before it (of WAIT: before the signal that it takes) */
	RT_ITEM_BARRIER, /* number: tasks before it, which end before a later one starts */
	RT_ITEM_FENCE,   /* number: so do the copies among these */
	RT_ITEM_ALLOC,   /* `bytes` of the heap */
	RT_ITEM_FREE,    /* `bytes` come back when all tasks before `number` have left */
	RT_ITEM_NOTIFY, /* number: the tasks before it; another device is told when all of them have ended, and rt_feed_settled has said when that is, before the next pull */
	RT_ITEM_PHASE, /* number: the tasks before it, all of which have run, with their elements in memory, before the next pull; slot `row` is loaded from what task bytes - 1 writes */
	RT_ITEM_NOTICE, /* nothing goes on before time `number`, when another device told this one */
	RT_ITEM_FOLLOW, /* a process goes on when the tasks of list have ended; without a list, when all before `number` have, behind which none of them is */
	RT_ITEM_SEND,   /* token `number`, whose value is `bytes`, goes into channel `row` */
	RT_ITEM_TAKE,   /* and comes out; of a rendezvous right behind its SEND. list of both: what was passed over since the turn before, counted as the FINISH
			  * items of that side in their order */
	RT_ITEM_CLOSED, /* the consumer finds channel `row` closed and empty */
	RT_ITEM_FINISH, /* the process closes its end of channel `row`, once; number: 0 as producer, 1 as consumer */
	RT_ITEM_PIPELINE, /* the workload is over, all processes begin */
	RT_ITEM_PROCESS_END,
	RT_ITEM_END /* nothing follows */
};
struct rt_item {
	uint8_t kind, unit; /* unit: of the kernel, PTOWSP_UNIT_x */
	bool later;         /* cycles are not there yet: never of what rt_feed_next gives */
	uint32_t process;   /* instance, PTOWSP_NONE: of the workload */
	uint32_t owner;     /* scheduler instance: a filter's, else executor mod instances where there is a policy, else as owner.h says */
	uint32_t row;       /* of a task: its instruction in WORK */
	uint64_t number, bytes;
	uint64_t cycles;
	struct rt_need need;
	uint32_t pool, stream, kernel, depth_loops; /* as in struct rt_clock_task */
	uint32_t executor;                          /* by its policy, counted on through the pools, as far as that does not depend on time */
	uint32_t count;                             /* of list; of a task: its predecessors */
	const uint64_t *list;                       /* until the next rt_feed_next */
	uint64_t at;                                /* own: of list in the ring */
};
enum { RT_DEPTH_LIMIT = 8 /* rules of one schedule */, RT_RINGS = 4 };
enum rt_domain { RT_DOMAIN_GLOBAL, RT_DOMAIN_STREAM, RT_DOMAIN_POOL, RT_DOMAIN_LOOP };
enum rt_window_mode { RT_WINDOW_STALL, RT_WINDOW_ABORT, RT_WINDOW_BENCHMARK };
/* pipeline_depth(domain, depth). */
struct rt_depth {
	uint32_t domain; /* enum rt_domain */
	uint32_t loop;   /* STRS offset of the loop's name */
	uint64_t depth;
};
/* Limits in force. */
struct rt_limits {
	uint64_t window, map, deps, ready, heap; /* 0: unbounded */
	uint32_t window_mode;                    /* enum rt_window_mode */
	uint32_t schedulers;                     /* at least 1 */
	uint32_t policy;                         /* PTOWSP_DISPATCH_x, 0: none */
	uint32_t executors;                      /* of a pool, at least 1 */
	uint32_t order;                          /* PTOWSP_READY_x: which ready task is next, 0: the engine says */
	uint64_t issue_cost, streams;
	uint64_t batch; /* dependencies of so many tasks are merged together, 0: each for itself */
	const struct rt_depth *depths;
	uint32_t depth_count;
	uint64_t start; /* so many tasks are issued before one starts, or as many as can be without a start; UINT64_MAX: all */
	uint32_t slots, events, channels, processes, pools;
	uint64_t
		ring; /* with rt_engine.rings: the window of the schedule; open scopes never keep more than ring - 1 tasks of a depth, and those of RT_RINGS - 1 and deeper together */
	uint64_t stated; /* window of the schedule, also where a planned program has none in force; 0: it states none */
};
/* The ring of a task in so many open scopes, where there are rings. */
static inline uint32_t rt_feed_ring(uint32_t scopes)
{
	return scopes < RT_RINGS ? scopes : RT_RINGS - 1;
}
const struct rt_limits *rt_feed_limits(const struct rt_feed *feed);
/* Capacity and latency of a channel. */
uint64_t rt_feed_capacity(const struct rt_feed *feed, uint32_t channel, uint64_t *latency_out);
/* Tasks that the walk has looked at one by one: all of them, or where the run is of some alone those, and others that could not be counted. */
uint64_t rt_feed_walked(const struct rt_feed *feed);
/* The next item, valid until the next call; at the end RT_ITEM_END again and again. Errors: those of a run, said in its error. */
ptowsp_status rt_feed_next(struct rt_feed *feed, const struct rt_item **item_out);
/* What that failed with. */
const struct ptowsp_error *rt_feed_error(const struct rt_feed *feed);

/* Start and end of a task, in the order of numbers; trace->executor is the engine's own. */
void rt_feed_tell(struct rt_feed *feed, const struct ptowsp_trace_task *trace);
/* An issue clock waited for room: of the ready queue of `pool`, or of another resource. process: whose, PTOWSP_NONE: the workload's. */
void rt_feed_stall(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t task, uint32_t process, uint64_t begin, uint64_t end);
/* The engine held tasks to this window, where the program is planned and rt has none: the ring's in statistics. Behind the last item. */
void rt_feed_window(struct rt_feed *feed, uint64_t window);
/* So much of it was in use, right after an issue. */
void rt_feed_use(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t use);
/* The window was full at this task, and its mode is abort. RUN_FAILED. */
ptowsp_status rt_feed_full(struct rt_feed *feed, uint64_t task);
/* The token of the item went in, or came out, at `time`, after `waited` for place or token. */
void rt_feed_token(struct rt_feed *feed, const struct rt_item *item, uint64_t waited, uint64_t time);
/* A process waited for place in a channel (sends), or for a token of it, where the engine does not tell of single tokens. process: instance, PTOWSP_NONE: the workload's. */
void rt_feed_channel_wait(struct rt_feed *feed, uint32_t channel, bool sends, uint32_t process, uint64_t begin, uint64_t end);
/* The process was over at `time`. */
void rt_feed_process(struct rt_feed *feed, uint32_t process, uint64_t time);
/* Counts of instances: tasks of instance `scheduler`; edges between them, and ends of tasks that another one was told of. */
void rt_feed_share(struct rt_feed *feed, uint32_t scheduler, uint64_t tasks);
void rt_feed_crossed(struct rt_feed *feed, uint64_t edges, uint64_t notifications);
/* Executors, as in --stats. */
void rt_feed_executors(struct rt_feed *feed, uint64_t count);
/* Streams: of the schedule's the engine has no more than so many. */
void rt_feed_streams(struct rt_feed *feed, uint64_t count);
/* Is somebody told of what follows? */
bool rt_feed_traced(const struct rt_feed *feed);
/* Before the first pull: executor, as rt_feed_told names it, is the unit's core of that number. */
void rt_feed_executor(struct rt_feed *feed, uint32_t executor, unsigned unit, uint64_t number);
/* A scheduler, which is an executor, was busy: work is PTOWSP_WORK_x. */
void rt_feed_work(struct rt_feed *feed, uint32_t executor, unsigned work, uint64_t task, uint64_t begin, uint64_t end);
/* RT_ITEM_NOTIFY: its wait was over at `cycles`. */
void rt_feed_settled(struct rt_feed *feed, uint64_t cycles);
/* All processes began then. */
void rt_feed_began(struct rt_feed *feed, uint64_t cycles);

#endif
