/* SPDX-License-Identifier: MIT */
/* feed.h - what a run gives to an engine that has a clock of its own.
 *
 * Numbers, edges, reservations, results and deadlocks never depend on time, so rt finds them as ever, and the semantic clock of clock.h is not told. The engine
 * pulls: each rt_feed_next walks the program up to the next item, and, where nothing but tasks follows, some further; kernels run meanwhile on whatever threads
 * there are. Items come in the order in
 * which the semantic clock would have been told them. The engine may do between two items whatever it wants, for as long as it wants: nothing that is still
 * to come depends on when things happen. Tasks of a workload come in the order of their numbers; those of processes in the order of turns, each item with the
 * instance that it belongs to.
 *
 * With several scheduler instances (rt_run_args.schedulers) there is still one walk: whose a task is stands in the item, as owner.h and dispatch filters say,
 * and what the others do with it, pass over or wait, is the engine's affair.
 *
 * What the engine found comes back through rt_feed_told and its neighbours, and goes into statistics, trace and reports. The thread of rt_run. Where there are
 * worker threads, a second one walks ahead of it (walker.h): the items are the same. */
#ifndef RT_FEED_H
#define RT_FEED_H

#include "rt/instances/owner.h"
#include "rt/instances/skip.h"
#include "rt/rt.h"
#include "rt/run/place.h"
#include "rt/threads/ring.h"
#include "rt/time/clock.h"

enum rt_item_kind {
	RT_ITEM_TASK,
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
	uint32_t executor;                          /* what its policy says, counted on through the pools, as far as that does not depend on time */
	uint32_t count;                             /* of list; of a task: its predecessors */
	const uint64_t *list;                       /* until the next rt_feed_next */
	uint64_t at;                                /* own: of list in the ring */
};
/* What is in force. */
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
};
struct rt_feed;
const struct rt_limits *rt_feed_limits(const struct rt_feed *feed);
/* Capacity and latency of a channel. */
uint64_t rt_feed_capacity(const struct rt_feed *feed, uint32_t channel, uint64_t *latency_out);
/* The next item, valid until the next call; at the end RT_ITEM_END again and again. Errors: those of a run, said in its error. */
ptowsp_status rt_feed_next(struct rt_feed *feed, const struct rt_item **item_out);

/* Start and end of a task, in the order of numbers; trace->executor is the engine's own. */
static inline void rt_feed_told(struct rt_feed *feed, const struct ptowsp_trace_task *trace);
/* The same, where nobody hears of single tasks. */
static inline bool rt_feed_heard(const struct rt_feed *feed);
static inline void rt_feed_ended(struct rt_feed *feed, uint32_t kernel, uint64_t start, uint64_t end);
/* An issue clock waited for room: of the ready queue of `pool`, or of another resource. process: whose, PTOWSP_NONE: the workload's. */
void rt_feed_stall(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t task, uint32_t process, uint64_t begin, uint64_t end);
/* The engine held tasks to this window, where the program is planned and rt has none: what statistics say of the ring. Behind the last item. */
void rt_feed_window(struct rt_feed *feed, uint64_t window);
/* So much of it was in use, right after an issue. */
void rt_feed_use(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t use);
/* The window was full at this task, and its mode is abort. RUN_FAILED. */
ptowsp_status rt_feed_full(struct rt_feed *feed, uint64_t task);
/* The token of the item went in, or came out, at `time`, after `waited` for place or token. */
void rt_feed_token(struct rt_feed *feed, const struct rt_item *item, uint64_t waited, uint64_t time);
/* The process was over at `time`. */
void rt_feed_process(struct rt_feed *feed, uint32_t process, uint64_t time);
/* Of the instances: tasks of instance `scheduler`; edges between instances, and ends of tasks that another instance was told of. */
void rt_feed_share(struct rt_feed *feed, uint32_t scheduler, uint64_t tasks);
void rt_feed_crossed(struct rt_feed *feed, uint64_t edges, uint64_t notifications);
/* What --stats calls executors. */
void rt_feed_executors(struct rt_feed *feed, uint64_t count);
/* And streams: of those of the schedule the engine has no more than so many. */
void rt_feed_streams(struct rt_feed *feed, uint64_t count);
/* Is somebody told of what follows? */
bool rt_feed_traced(const struct rt_feed *feed);
/* Before the first pull: executor, as rt_feed_told names it, is the unit's core of that number. */
void rt_feed_executor(struct rt_feed *feed, uint32_t executor, unsigned unit, uint64_t number);
/* A scheduler, which is an executor, was busy: work is PTOWSP_WORK_x. */
void rt_feed_work(struct rt_feed *feed, uint32_t executor, unsigned work, uint64_t task, uint64_t begin, uint64_t end);
/* RT_ITEM_NOTIFY: what it waited for was over at `cycles`. */
void rt_feed_settled(struct rt_feed *feed, uint64_t cycles);
/* All processes began then. */
void rt_feed_began(struct rt_feed *feed, uint64_t cycles);

/* ---- the other side: what rt's own files do with it ---------------------------------------------------------------- */

/* Items that are walked while the first one is a task that has not said how long it took. */
enum { RT_FEED_AHEAD = 4096 };
/* Items that a walker passes on together, unless its rules say otherwise. */
enum { RT_FEED_PLENTY = 256 };
/* Kernels that take up to so many times as long as without an engine stay with the walk: the engine has a task's worth to do meanwhile. */
enum { RT_FEED_BRIEF = 4 };
enum rt_feed_stage { RT_FEED_WORKLOAD, RT_FEED_GRAPH, RT_FEED_PIPELINE, RT_FEED_OVER };
/* Those that were met and not pulled. */
struct rt_items {
	struct rt_item *rows;             /* ring */
	uint64_t head, tail, mask, later; /* free-running; all before `later` have cycles */
	uint64_t *words;                  /* ring of lists, none of which wraps */
	uint64_t word_head, word_tail, word_mask;
	bool broken; /* an item had no room */
};
/* What the engine said of time. Its own; the run shows it from time to time, and in the end. */
struct rt_told {
	uint64_t total;                      /* the largest end */
	struct ptowsp_kernel_stats *kernels; /* per KREG row: tasks, cycles */
	struct rt_meter meters[PTOWSP_RESOURCE_COUNT], ready[RT_POOL_LIMIT];
};
struct rt_run;
struct rt_walker;
struct rt_feed {
	struct rt_run *run;
	struct rt_pool *pool;
	struct rt_limits limits;
	/* the engine's */
	struct rt_items give;
	bool given; /* the item at tail is in use */
	bool heard; /* each task is told to a sink */
	struct rt_told told;
	struct rt_walker *walker; /* walks on a thread of its own; else NULL, and what follows belongs to the thread of rt_run, too */
	uint64_t apart;           /* a walker is worth its while from this task on */

	char line[RT_LINE];    /* the walk's, which writes there for every task */
	struct rt_items *fill; /* &give, or what the walker fills */
	enum rt_feed_stage stage;
	ptowsp_status failed; /* the walk, while items that were met before it are still to be given */
	bool held;            /* the walk stands before a NOTIFY that the engine was asked about */
	bool filtered;        /* the program has filters, and instances that they choose from */
	struct rt_owner owner;
	bool numbered;       /* the number of a task alone says whose it is, by its rest */
	struct rt_skip skip; /* filtered */
	struct rt_item end;
};
/* feed.c: the whole of a run whose engine pulls. */
ptowsp_status rt_feed_run(struct rt_run *run, const struct rt_engine *engine, struct rt_pool *pool);
/* Its parts, for the walker: walks on, so that items may come; what ends a run at once, whatever was met before. */
ptowsp_status rt_feed_step(struct rt_feed *feed);
bool rt_feed_at_once(ptowsp_status status);
/* feed.c: what the engine said of time, or what was said a while ago, to where statistics and reports look. The thread that walks. */
void rt_feed_show(struct rt_feed *feed);
void rt_told_copy(struct rt_told *to, const struct rt_told *from, uint32_t kernels);
/* feed_put.c: what was met. Errors: NO_MEMORY. */
ptowsp_status rt_feed_put(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, uint64_t number, uint64_t bytes);
ptowsp_status rt_feed_put_task(struct rt_feed *feed, const struct rt_clock_task *task);
ptowsp_status rt_feed_put_slots(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, const uint32_t *slots, uint32_t count);
/* FOLLOW of the first `number` tasks, or of some of them. */
ptowsp_status rt_feed_put_follow(struct rt_feed *feed, uint64_t number, const uint64_t *tasks, uint32_t count);
/* The next token goes in, or is taken by the process, which need not be the one whose turn it is. Before the channel knows. */
struct rt_channel;
ptowsp_status rt_feed_put_token(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, const struct rt_channel *channel, uint64_t value, uint32_t process);
/* As rt_clock_sync. */
ptowsp_status rt_feed_put_sync(struct rt_feed *feed, unsigned op, uint64_t a, uint64_t b);
/* The first task whose cycles were not known took so many. */
void rt_feed_put_cycles(struct rt_feed *feed, uint64_t cycles);
/* feed.c: somebody hears of it. */
void rt_feed_told_slowly(struct rt_feed *feed, const struct ptowsp_trace_task *trace);
static inline bool rt_feed_heard(const struct rt_feed *feed)
{
	return feed->heard;
}
static inline void rt_feed_ended(struct rt_feed *feed, uint32_t kernel, uint64_t start, uint64_t end)
{
	feed->told.kernels[kernel].tasks++;
	feed->told.kernels[kernel].cycles += end - start;
	if (end > feed->told.total)
		feed->told.total = end;
}
static inline void rt_feed_told(struct rt_feed *feed, const struct ptowsp_trace_task *trace)
{
	rt_feed_ended(feed, trace->kernel, trace->start, trace->end);
	if (feed->heard)
		rt_feed_told_slowly(feed, trace);
}
/* The item at tail is no longer in use. */
static inline void rt_feed_drop(struct rt_feed *feed)
{
	const struct rt_item *item = &feed->give.rows[feed->give.tail++ & feed->give.mask];

	feed->give.word_tail = item->at + item->count;
	feed->given = false;
}
static inline const struct rt_item *rt_feed_give(struct rt_feed *feed)
{
	struct rt_item *item = &feed->give.rows[feed->give.tail & feed->give.mask];

	feed->given = true;
	item->list = feed->give.words + (item->at & feed->give.word_mask);
	return item;
}
/* As rt_feed_next: at once where the next item is there. */
static inline ptowsp_status rt_feed_pull(struct rt_feed *feed, const struct rt_item **item_out)
{
	const struct rt_items *give = &feed->give;

	if (!feed->given || give->tail + 1 == give->head || give->rows[(give->tail + 1) & give->mask].later || give->broken)
		return rt_feed_next(feed, item_out);
	rt_feed_drop(feed);
	*item_out = rt_feed_give(feed);
	return PTOWSP_OK;
}

#endif
