/* SPDX-License-Identifier: MIT */
/* feed.h - the side of rt's own files of what an engine with a clock of its own gets (rt_feed.h). */
#ifndef RT_FEED_H
#define RT_FEED_H

#include "rt/instances/owner.h"
#include "rt/instances/skip.h"
#include "rt/run/items.h"
#include "rt/run/place.h"
#include "rt/threads/ring.h"

/* Items that are walked while the first one is a task that has not said how long it took. */
enum { RT_FEED_AHEAD = 4096 };
/* Tasks that are walked together. */
enum { RT_FEED_TOGETHER = 64 };
/* Items that a walker passes on together, unless its rules say otherwise. */
enum { RT_FEED_PLENTY = 256 };
/* Kernels that take up to so many times as long as without an engine stay with the walk: the engine has a task's worth to do meanwhile. */
enum { RT_FEED_BRIEF = 4 };
enum rt_feed_stage { RT_FEED_WORKLOAD, RT_FEED_GRAPH, RT_FEED_PIPELINE, RT_FEED_OVER };
/* The engine's times. The run shows them from time to time, and in the end. */
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
	struct rt_items give; /* items that were met and not pulled */
	bool given;           /* the item at tail is in use */
	bool heard;           /* each task is told to a sink */
	struct rt_told told;
	struct rt_walker *walker; /* walks on a thread of its own; else NULL, and what follows belongs to the thread of rt_run, too */
	uint64_t apart;           /* a walker is worth its while from this task on */

	char line[RT_LINE];    /* the walk's, which writes there for every task */
	struct rt_items *fill; /* &give, or what the walker fills */
	enum rt_feed_stage stage;
	ptowsp_status failed; /* the walk, while items that were met before it are still to be given */
	bool held;            /* the walk stands before an event that the engine was asked about, */
	enum rt_event event;  /*   a NOTIFY or a SLOT_LOAD; or */
	bool met;             /*   the event behind tasks that were walked together (rt_run.together) */
	bool filtered;        /* the program has filters, and instances that they choose from; or the run is of some tasks */
	struct rt_owner owner;
	bool numbered;       /* the number of a task alone says whose it is, by its rest */
	struct rt_skip skip; /* filtered */
	struct rt_item end;
};
/* feed.c: the whole of a run whose engine pulls. */
ptowsp_status rt_feed_run(struct rt_run *run, const struct rt_engine *engine, struct rt_pool *pool);
/* Parts of rt_feed_run for the walker: walks on, so that items may come; errors that end a run at once, whatever was met before. */
ptowsp_status rt_feed_step(struct rt_feed *feed);
bool rt_feed_at_once(ptowsp_status status);
/* feed.c: the engine's times, or those of a while ago, to where statistics and reports look. The thread that walks. */
void rt_feed_show(struct rt_feed *feed);
void rt_told_copy(struct rt_told *to, const struct rt_told *from, uint32_t kernels);
/* feed_put.c: puts an item. Errors: NO_MEMORY. */
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
/* Does somebody hear of single tasks? */
static inline bool rt_feed_heard(const struct rt_feed *feed)
{
	return feed->heard;
}
/* rt_feed_tell, where nobody hears of single tasks. */
static inline void rt_feed_ended(struct rt_feed *feed, uint32_t kernel, uint64_t start, uint64_t end)
{
	feed->told.kernels[kernel].tasks++;
	feed->told.kernels[kernel].cycles += end - start;
	if (end > feed->told.total)
		feed->told.total = end;
}
/* As rt_feed_tell: at once where nobody hears of it. */
static inline void rt_feed_told(struct rt_feed *feed, const struct ptowsp_trace_task *trace)
{
	if (feed->heard)
		rt_feed_tell(feed, trace);
	else
		rt_feed_ended(feed, trace->kernel, trace->start, trace->end);
}
/* As rt_feed_next: at once where the next item is there. */
static inline ptowsp_status rt_feed_pull(struct rt_feed *feed, const struct rt_item **item_out)
{
	const struct rt_items *give = &feed->give;

	if (!feed->given || give->tail + 1 == give->head || give->rows[(give->tail + 1) & give->mask].later || give->broken)
		return rt_feed_next(feed, item_out);
	rt_items_drop(&feed->give);
	*item_out = rt_items_first(&feed->give);
	return PTOWSP_OK;
}

#endif
