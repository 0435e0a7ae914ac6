/* SPDX-License-Identifier: MIT */
#include "ascend/engine/stream.h"

#include "ascend/plan/plan_build.h"
#include <stdlib.h>

enum {
	OVER = 4 * ASCEND_STEPS_KEPT, /* a power of two: more steps than may be published and not yet ended */
	AHEAD = ASCEND_STEPS_KEPT / 2 /* so many may be, but for one batch */
};

/* ---- on the orchestration's thread ------------------------------------------------------------------------------------- */

static const struct ascend_plan_head *next(struct ascend_plan_source *source, int *over_out)
{
	struct ascend_stream *stream = (struct ascend_stream *)(void *)source;
	struct ascend_batch *batch;

	pthread_mutex_lock(&stream->lock);
	if (stream->reading)
		stream->reading->read = true;
	batch = stream->reading = stream->unread;
	if (batch)
		stream->unread = batch->next;
	*over_out = !batch && stream->complete;
	pthread_mutex_unlock(&stream->lock);
	return batch ? batch->plan : NULL;
}

static uint64_t ended_find(struct ascend_stream *stream)
{
	while (stream->ended < stream->published && atomic_load_explicit(&stream->over[stream->ended & (OVER - 1)], memory_order_acquire))
		atomic_store_explicit(&stream->over[stream->ended++ & (OVER - 1)], 0, memory_order_relaxed);
	return stream->ended;
}

uint64_t ascend_stream_ended(struct ascend_stream *stream)
{
	uint64_t ended;

	pthread_mutex_lock(&stream->lock);
	ended = ended_find(stream);
	pthread_mutex_unlock(&stream->lock);
	return ended;
}

static uint64_t ended(struct ascend_plan_source *source)
{
	return ascend_stream_ended((struct ascend_stream *)(void *)source);
}

/* ---- on the run's ------------------------------------------------------------------------------------------------------ */

struct ascend_stream *ascend_stream_create(struct ascend_calls *calls)
{
	struct ascend_stream *stream = calloc(1, sizeof(*stream) + OVER * sizeof(*stream->over));

	if (!stream)
		return NULL;
	stream->source = (struct ascend_plan_source){next, ended};
	pthread_mutex_init(&stream->lock, NULL);
	calls->over = stream->over;
	calls->over_count = OVER;
	return stream;
}

void ascend_stream_destroy(struct ascend_stream *stream)
{
	if (!stream)
		return;
	ascend_batch_destroy(stream->oldest);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

bool ascend_stream_room(struct ascend_stream *stream, uint64_t steps)
{
	uint64_t held;

	pthread_mutex_lock(&stream->lock);
	held = stream->published - ended_find(stream);
	pthread_mutex_unlock(&stream->lock);
	return !held || held + steps < AHEAD;
}

void ascend_stream_publish(struct ascend_stream *stream, struct ascend_batch *batch)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(batch->plan);

	pthread_mutex_lock(&stream->lock);
	for (uint32_t s = 0; s < batch->plan->step_count; s++)
		if (steps[s].kind != ASCEND_STEP_TASK && steps[s].kind != ASCEND_STEP_COPY)
			atomic_store_explicit(&stream->over[(stream->published + s) & (OVER - 1)], 1, memory_order_relaxed);
	batch->read = false;
	batch->next = NULL;
	stream->published += batch->plan->step_count;
	if (stream->newest)
		stream->newest->next = batch;
	else
		stream->oldest = batch;
	stream->newest = batch;
	if (!stream->unread)
		stream->unread = batch;
	pthread_mutex_unlock(&stream->lock);
}

void ascend_stream_complete(struct ascend_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	stream->complete = true;
	pthread_mutex_unlock(&stream->lock);
}

struct ascend_batch *ascend_stream_back(struct ascend_stream *stream, bool all)
{
	struct ascend_batch *batch;

	pthread_mutex_lock(&stream->lock);
	batch = stream->oldest;
	if (batch && !all && (!batch->read || batch->plan->first + batch->plan->step_count > ended_find(stream)))
		batch = NULL;
	if (batch)
		stream->oldest = batch->next;
	if (batch && !stream->oldest)
		stream->newest = NULL;
	pthread_mutex_unlock(&stream->lock);
	return batch;
}
