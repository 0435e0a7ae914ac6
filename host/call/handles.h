/* SPDX-License-Identifier: MIT */
/* handles.h - which objects of a plugin and which runs are alive, as far as calls show: what checking layers keep. */
#ifndef HOST_HANDLES_H
#define HOST_HANDLES_H

#include <pthread.h>

#include "host/call/describe.h"

enum { HOST_HANDLE_RUN = HOST_HANDLES }; /* a run by its token; its parent is the program */

struct host_handle_row {
	uint64_t id;          /* address or token */
	uint64_t parent;      /* of the object that it was made of, 0: none */
	uint32_t sort;        /* enum host_handle, or HOST_HANDLE_RUN */
	uint32_t busy;        /* for whoever wants it */
	pthread_t thread;     /* of the call that made it, or that is going on for it */
	uint64_t deadline_ns; /* of a run on host_now_ns, 0: none, or it was told that it is late */
};
struct host_handles {
	pthread_mutex_t lock; /* of everything; nothing is called under it */
	struct host_handle_row *rows;
	uint32_t count, room;
};

void host_handles_init(struct host_handles *handles);
void host_handles_finish(struct host_handles *handles);
/* false: is there already. Without memory it is not kept, and not missed. */
bool host_handles_add(struct host_handles *handles, uint32_t sort, uint64_t id, uint64_t parent);
/* Removes it; false: was not there. row_out may be NULL. */
bool host_handles_take(struct host_handles *handles, uint32_t sort, uint64_t id, struct host_handle_row *row_out);
bool host_handles_find(struct host_handles *handles, uint32_t sort, uint64_t id, struct host_handle_row *row_out);
/* Removes a run of a program of that device; false: there is none. */
bool host_handles_take_run(struct host_handles *handles, uint64_t device, struct host_handle_row *row_out);
void host_handles_deadline(struct host_handles *handles, uint64_t token, uint64_t deadline_ns);
/* A run whose deadline was before then, each once; false: there is none. */
bool host_handles_late(struct host_handles *handles, uint64_t then_ns, struct host_handle_row *row_out);
/* How many have this parent and sort. parent 0: any. */
uint32_t host_handles_children(struct host_handles *handles, uint32_t sort, uint64_t parent);
/* Marks it busy with this thread: false if it is already; true also if it is not kept. free: the reverse. */
bool host_handles_enter(struct host_handles *handles, uint32_t sort, uint64_t id);
void host_handles_leave(struct host_handles *handles, uint32_t sort, uint64_t id);

#endif
