/* SPDX-License-Identifier: MIT */
#include "rt/threads/walker.h"

#include "rt/run/rt_run.h"
#include "rt/threads/pool.h"
#include <pthread.h>
#include <stdlib.h>

enum { ROWS = 16 };

struct rt_walker_rules rt_walker_rules = {.after = 2048, .plenty = RT_FEED_PLENTY};

struct rt_walker {
	struct rt_feed *feed;
	pthread_t thread;
	struct rt_told seen; /* the walk's: of `shown` */

	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	uint32_t head, tail;  /* free-running: those between are full, the one at head is being filled */
	bool over;            /* nothing more comes; the row at head is the rest */
	bool quit;            /* nobody takes any more */
	ptowsp_status ended;  /* at once */
	struct rt_told shown; /* the engine's times, of a while ago */
	struct rt_items rows[ROWS];
};

/* ---- the walker's side -------------------------------------------------------------------------------------------- */

static bool goes_on(const struct rt_feed *feed)
{
	return feed->stage == RT_FEED_WORKLOAD && !feed->held && !feed->run->crew.sharing;
}

/* The row that is full goes to the engine. False: nobody wants more. */
static bool row_pass(struct rt_walker *walker)
{
	bool goes;

	pthread_mutex_lock(&walker->lock);
	walker->head++;
	if (walker->head - walker->tail == ROWS / 2)
		pthread_cond_signal(&walker->filled);
	if (walker->head - walker->tail == ROWS - 1) /* one is to be filled */
		while (walker->head - walker->tail > ROWS / 2 && !walker->quit)
			pthread_cond_wait(&walker->emptied, &walker->lock);
	goes = !walker->quit;
	pthread_mutex_unlock(&walker->lock);
	walker->feed->fill = &walker->rows[walker->head % ROWS];
	return goes;
}

static void *walk(void *argument)
{
	struct rt_walker *walker = argument;
	struct rt_feed *feed = walker->feed;
	ptowsp_status status = PTOWSP_OK;

	while (!status && goes_on(feed)) {
		status = rt_feed_step(feed);
		if (!status && goes_on(feed) && feed->fill->head - feed->fill->tail >= rt_walker_rules.plenty && !row_pass(walker))
			break;
	}
	pthread_mutex_lock(&walker->lock);
	if (rt_feed_at_once(status))
		walker->ended = status;
	else
		feed->failed = status;
	walker->over = true;
	pthread_cond_signal(&walker->filled);
	pthread_mutex_unlock(&walker->lock);
	return NULL;
}

const struct rt_told *rt_walker_told(struct rt_feed *feed)
{
	struct rt_walker *walker = feed->walker;

	pthread_mutex_lock(&walker->lock);
	rt_told_copy(&walker->seen, &walker->shown, feed->run->program->tables.kernel.count);
	pthread_mutex_unlock(&walker->lock);
	return &walker->seen;
}

/* ---- the engine's side -------------------------------------------------------------------------------------------- */

static void destroy(struct rt_walker *walker)
{
	for (uint32_t k = 0; k < ROWS; k++)
		rt_items_finish(&walker->rows[k]);
	pthread_cond_destroy(&walker->filled);
	pthread_cond_destroy(&walker->emptied);
	pthread_mutex_destroy(&walker->lock);
	free(walker->seen.kernels);
	free(walker->shown.kernels);
	free(walker);
}

static bool init(struct rt_walker *walker, struct rt_feed *feed)
{
	uint32_t kernels = feed->run->program->tables.kernel.count;

	walker->feed = feed;
	pthread_mutex_init(&walker->lock, NULL);
	pthread_cond_init(&walker->filled, NULL);
	pthread_cond_init(&walker->emptied, NULL);
	walker->seen.kernels = calloc((size_t)kernels + 1, sizeof(*walker->seen.kernels));
	walker->shown.kernels = calloc((size_t)kernels + 1, sizeof(*walker->shown.kernels));
	if (!walker->seen.kernels || !walker->shown.kernels)
		return false;
	rt_told_copy(&walker->shown, &feed->told, kernels);
	return true;
}

/* Edges are told by the walk, and a window that is full ends the run where the engine stands. */
static bool allowed(const struct rt_feed *feed)
{
	const struct rt_run *run = feed->run;

	return rt_pool_threads(feed->pool) > 1 && !feed->run->together && feed->stage == RT_FEED_WORKLOAD && !run->record && !run->notify &&
	       !run->crew.sharing && !feed->held && !feed->failed && feed->limits.window_mode != RT_WINDOW_ABORT && !(run->sinks && run->sinks->edge);
}

void rt_walker_look(struct rt_feed *feed)
{
	struct rt_walker *walker;

	if (feed->run->tasks < feed->apart || !allowed(feed))
		return;
	feed->apart = feed->run->tasks + rt_walker_rules.after;
	walker = calloc(1, sizeof(*walker));
	if (!walker)
		return; /* without memory, or a thread, it goes on as it did */
	feed->walker = walker;
	feed->fill = &walker->rows[0];
	if (init(walker, feed) && !pthread_create(&walker->thread, NULL, walk, walker))
		return;
	feed->walker = NULL;
	feed->fill = &feed->give;
	destroy(walker);
}

static void swap(struct rt_items *give, struct rt_items *row)
{
	struct rt_items empty = {.rows = give->rows, .mask = give->mask, .words = give->words, .word_mask = give->word_mask};

	*give = *row;
	*row = empty;
}

/* The walker has ended, or will: the thread of rt_run has the rest, and walks on. */
static void join(struct rt_feed *feed)
{
	struct rt_walker *walker = feed->walker;

	pthread_join(walker->thread, NULL);
	swap(&feed->give, &walker->rows[walker->head % ROWS]);
	feed->fill = &feed->give;
	feed->walker = NULL;
	feed->apart = feed->run->tasks + rt_walker_rules.after;
	destroy(walker);
}

ptowsp_status rt_walker_take(struct rt_feed *feed)
{
	struct rt_walker *walker = feed->walker;
	ptowsp_status status;
	uint32_t tail;
	bool rest;

	pthread_mutex_lock(&walker->lock);
	while (walker->head == walker->tail && !walker->over)
		pthread_cond_wait(&walker->filled, &walker->lock);
	status = walker->ended;
	rest = walker->head == walker->tail;
	tail = walker->tail;
	if (!status && !rest) {
		swap(&feed->give, &walker->rows[tail % ROWS]);
		walker->tail++;
		if (tail % ROWS == 0)
			rt_told_copy(&walker->shown, &feed->told, feed->run->program->tables.kernel.count);
		if (walker->head - walker->tail == ROWS / 2)
			pthread_cond_signal(&walker->emptied);
	}
	pthread_mutex_unlock(&walker->lock);
	if (status || rest)
		join(feed);
	return status;
}

void rt_walker_stop(struct rt_feed *feed)
{
	struct rt_walker *walker = feed->walker;

	if (!walker)
		return;
	pthread_mutex_lock(&walker->lock);
	walker->quit = true;
	pthread_cond_signal(&walker->emptied);
	pthread_mutex_unlock(&walker->lock);
	join(feed);
}
