/* SPDX-License-Identifier: MIT */
/* opencl_queue.h - a queue of the device, in order, and the kernels on their way through it. Results are read behind several kernels at a time, and the driver's word that they are there is the end of all of them. */
#ifndef OPENCL_QUEUE_H
#define OPENCL_QUEUE_H

#include "base/opencl/opencl_api.h"
#include <pthread.h>

struct base_instance;
struct opencl_device;

enum { OPENCL_DEPTH = 64 }; /* kernels in a queue, at most; option depth */

/* A kernel's result, as in isa/kernel_opencl.h. */
struct opencl_result {
	uint64_t cycles;
	int32_t status;
	uint32_t stop;
};
/* A thread's wait for ends. */
struct opencl_news {
	pthread_mutex_t lock;
	pthread_cond_t told; /* on the monotonic clock */
};
void opencl_news_init(struct opencl_news *news);
void opencl_news_finish(struct opencl_news *news);

struct opencl_queue;
struct opencl_reading {
	struct opencl_queue *queue;
	uint64_t from, upto;
};
struct opencl_entry {
	uint64_t task, begin_ns;
	uint32_t kernel; /* KREG row */
	cl_handle event; /* of its end on the device; NULL: nobody asks */
};
/* One thread's, but for what news guards. Counts are free-running; an entry and its result lie at its number % OPENCL_DEPTH. */
struct opencl_queue {
	const struct opencl_api *cl;
	cl_handle queue;
	void *result, *workspace; /* memory of the device */
	uint64_t workspace_bytes;
	struct opencl_result *shown; /* memory of the host that `result` uses */
	struct opencl_news *news;
	struct opencl_entry entries[OPENCL_DEPTH];
	struct opencl_result results[OPENCL_DEPTH];
	struct opencl_reading readings[OPENCL_DEPTH];
	uint64_t begun, reading, read, told; /* kernels; reads of results, up to where; kernels whose ends are told */
	uint64_t told_ns;                    /* end of the latest of those */
	uint64_t device_ns;                  /* that the latest task which was waited for took, with profiling=on */
	uint64_t ended, ended_ns;            /* guarded by news */
};
/* Errors: NO_MEMORY, DEVICE_LOST. */
ptowsp_status opencl_queue_init(const struct base_instance *instance, const struct opencl_device *d, struct opencl_queue *q, struct opencl_news *news,
				struct ptowsp_error *error);
void opencl_queue_finish(const struct base_instance *instance, struct opencl_queue *q); /* of a zeroed one, too */
/* Room for so many bytes in its workspace. Errors: NO_MEMORY, DEVICE_LOST. */
ptowsp_status opencl_queue_workspace(const struct opencl_device *d, struct opencl_queue *q, uint64_t bytes, struct ptowsp_error *error);
static inline bool opencl_queue_full(const struct opencl_queue *q, uint32_t depth)
{
	return q->begun - q->told >= depth;
}
/* The next entry, behind the events: a kernel whose arguments are set, and whose place is the entry's. observed: it gets an event. */
cl_int opencl_queue_begin(struct opencl_queue *q, const struct opencl_entry *entry, cl_handle kernel, size_t width, const cl_handle *after,
			  uint32_t after_count, bool observed);
/* Has the results of all entries read. A refusal of the driver ends them as DEVICE_LOST. */
void opencl_queue_read(struct opencl_queue *q);
/* Entries that have ended and are not told; *end_ns_out: when the latest of them did. */
uint64_t opencl_queue_ended(struct opencl_queue *q, uint64_t *end_ns_out);
/* The oldest ended entry is told. */
void opencl_queue_tell(struct opencl_queue *q);
/* Until the news of a queue have been told once more, or so long, with its lock held. */
void opencl_news_wait(struct opencl_news *news, uint64_t ns);
uint64_t opencl_now_ns(void);

#endif
