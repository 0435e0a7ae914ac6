/* SPDX-License-Identifier: MIT */
/* stream.h - batches on their way to the orchestration, which runs on a thread of the runtime: what has been published and not yet ended is bounded, and a batch comes back when
 * all its tasks have ended and nobody reads its plan any more.
 *
 * A step that has no kernel ends with those before it. Three threads: that of the run publishes, waits and takes back; the orchestration asks; the client's tells when the runtime
 * is done. */
#ifndef ASCEND_STREAM_H
#define ASCEND_STREAM_H

#include "ascend/engine/engine_calls.h"

struct ascend_stream {
	struct ascend_plan_source source; /* first: what the orchestration has */
	pthread_mutex_t lock;             /* guards what follows; a leaf */
	struct ascend_batch *oldest, *newest, *unread, *reading;
	uint64_t published, ended; /* steps */
	bool complete;             /* no batch follows */
	_Atomic uint32_t done;     /* the runtime is: what has not ended never will */
	_Atomic uint8_t over[];    /* of struct ascend_calls */
};
/* calls->over is set. NULL: no memory. */
struct ascend_stream *ascend_stream_create(struct ascend_calls *calls);
void ascend_stream_destroy(struct ascend_stream *stream); /* NULL is allowed; with all batches that were not taken back */
/* Is there room for so many steps more? */
bool ascend_stream_room(struct ascend_stream *stream, uint64_t steps);
/* Takes the batch, which has a plan. */
void ascend_stream_publish(struct ascend_stream *stream, struct ascend_batch *batch);
void ascend_stream_complete(struct ascend_stream *stream);
/* The oldest batch, if it is over. NULL: it is not, or there is none. all: the runtime is done, and every batch is. */
struct ascend_batch *ascend_stream_back(struct ascend_stream *stream, bool all);
/* All steps before it have ended. */
uint64_t ascend_stream_ended(struct ascend_stream *stream);

#endif
