/* SPDX-License-Identifier: MIT */
/* remote_own.h - what the files of host/remote*.c share. */
#ifndef HOST_REMOTE_OWN_H
#define HOST_REMOTE_OWN_H

#include <pthread.h>
#include <sys/types.h>

#include "host/buffer.h"
#include "host/error.h"
#include "host/frame.h"
#include "host/remote.h"
#include "host/runs.h"
#include "host/wire.h"

#define HOST_REMOTE_GRACE_NS UINT64_C(1000000000)  /* what a run may take after its deadline or its cancel before the worker is killed */

/* An operation that somebody waits for. On that thread's stack, in the list while it waits. */
struct remote_call {
	uint64_t number, kill_ns;
	host_file_sink file;     /* of operations that make files */
	void *file_context;
	unsigned char *reply;    /* owned by who waits */
	size_t size;
	bool answered;
	struct remote_call *next;
};
/* Memory of a tensor that lies in no shared buffer: its place there during a run. */
struct remote_stage {
	void *theirs;            /* of the caller */
	void *ours;              /* the shared one */
	uint64_t size;
	bool back;               /* the run may have written it */
};
struct remote_run {
	uint64_t token, kill_ns; /* kill_ns 0: no deadline */
	struct remote_stage *stages; /* owned */
	uint32_t stage_count;
	bool used;
	bool submitted;          /* submit has returned: done may be told */
};
/* A done that came before that, in order of their coming. */
struct remote_early {
	unsigned char *message;  /* owned: where *done lies */
	const struct ptowsp_done *done;
	struct remote_early *next;
};
struct remote_program {
	struct ptowsp_object *object;
	uint8_t *kept;           /* owned; of each tensor of TENS whether runs leave it as it is */
	uint32_t tensor_count;
	host_trace_sink trace;
	host_event_sink events;
	host_edge_sink edges;
	void *trace_context, *events_context, *edges_context;
	struct remote_program *next;
};
/* Shared memory that was lent to a run and can be lent again. */
struct remote_spare {
	void *memory;
	uint64_t size;
	bool lent;
	struct remote_spare *next;
};
enum remote_verdict { REMOTE_LIVES, REMOTE_HUNG, REMOTE_FORGED, REMOTE_STOPPED };

/* Locks: down_lock[i] for writing down[i] and what goes before it on the socket; lock for everything marked so. lock may be taken inside of down_lock, not the other way
 * round, and nothing is called back under either. */
struct host_remote {
	char name[33];
	pid_t pid;
	int pidfd, socket, timer;
	struct host_frame_shared *shared;
	struct host_ring down[2], up; /* up: of the thread that has `pumping` */
	pthread_mutex_t down_lock[2];
	struct host_buffer_watch watch;
	uint32_t section_number;      /* down_lock[0] */
	const struct ptowsp_host *host; /* borrowed from init to stop */
	uint64_t load_limit_ns;
	_Atomic uint64_t copied;

	pthread_mutex_t lock;
	pthread_cond_t turned;        /* somebody was answered, a run was done, nobody pumps any more */
	bool pumping;                 /* lock */
	bool buried;                  /* lock: there is no worker, and everybody was told */
	uint64_t dones, next_call, armed_ns; /* lock */
	struct remote_call *calls;    /* lock */
	struct remote_run runs[HOST_RUNS_IN_FLIGHT]; /* lock */
	struct remote_early *early;   /* lock */
	struct remote_program *programs; /* lock */
	uint32_t *sent, *gone;        /* lock; owned: buffers that the worker has, those of them that are no more */
	uint32_t sent_count, sent_room, gone_count, gone_room;
	struct remote_spare *spares;  /* lock; owned */
	char said[2][120];            /* lock: its last lines */
	enum remote_verdict verdict;  /* lock */

	_Atomic int dead;
	ptowsp_status end_status;     /* written before buried */
	char end_text[400];
	pthread_t watcher;
	bool watched;
	/* [main] */
	unsigned char *devices, *options; /* owned replies, NULL: not asked */
	const struct ptowsp_object *devices_of;
	void **device_rows, **option_rows; /* owned */
	uint32_t device_count, option_count;
	unsigned char *stats, *figures; /* owned replies of the latest call */
	struct remote_table {
		struct ptowsp_head head;
		void (*entries[4])(void);
	} extensions[8];
	const struct ptowsp_object *asked_of; /* lock: whose extensions are known */
	bool asked[8], offered[8];    /* lock */
};

/* remote_pump.c. Lets the frame that begins the request carry its number, sends it on down[channel], waits for the answer. The reply's frame is in *wire_out (whose bytes the
 * caller frees); *error is filled if it says a negative status. */
ptowsp_status remote_ask(struct host_remote *r, int channel, struct host_wire *request, struct remote_call *call, struct host_unwire *wire_out,
			 struct ptowsp_error *error);
/* The same for operations whose answer is their status. Finishes the request. */
ptowsp_status remote_tell(struct host_remote *r, int channel, struct host_wire *request, uint64_t kill_ns, struct ptowsp_error *error);
/* Reads what the worker says until until_ns, or `dones` is no longer this. */
void remote_pump(struct host_remote *r, uint64_t dones, uint64_t until_ns);
/* Everything that is there, by who has `pumping`. */
void remote_read(struct host_remote *r);
/* A request that begins with a frame. */
struct host_frame *remote_frame(struct host_wire *request, enum host_frame_operation operation);
#define REMOTE_VALUE(request, i) (((struct host_frame *)(void *)(request)->bytes)->values[i])

/* remote_limit.c: what an operation (enum host_frame_operation) without a deadline of its own may take. */
uint64_t remote_limit_ns(const struct host_remote *r, uint32_t operation);

/* remote_watch.c */
ptowsp_status remote_watch_begin(struct host_remote *r, struct ptowsp_error *error);
void remote_watch_end(struct host_remote *r);
/* With the lock held: wakes the watcher at that time, unless it will be earlier. */
void remote_alarm(struct host_remote *r, uint64_t at_ns);
void remote_kill(struct host_remote *r, enum remote_verdict verdict);
ptowsp_status remote_dead(const struct host_remote *r, struct ptowsp_error *error);

/* remote_runs.c */
void remote_run_done(struct host_remote *r, const struct ptowsp_done *done);
/* A done of a run whose submit has not returned is kept, with the message that it lies in: true. Nobody is told of the end of a run inside of its beginning. */
bool remote_run_keep(struct host_remote *r, const struct ptowsp_done *done, unsigned char *message);
/* Tells of those whose submit has returned meanwhile. */
void remote_runs_early(struct host_remote *r);
/* Every run in flight ends as the worker did. */
void remote_runs_fail(struct host_remote *r);
/* Sections of load arguments as one sealed memory file, and the arguments with places in it. */
ptowsp_status remote_load_args(struct host_remote *r, struct host_wire *request, uint32_t value, const struct ptowsp_load_args *args, struct ptowsp_error *error);
struct remote_program *remote_program_find(struct host_remote *r, const struct ptowsp_object *object);
/* remote_tensors.c. Arguments of a run with places in shared buffers. run: what is to be finished or run. */
ptowsp_status remote_run_args(struct host_remote *r, struct host_wire *request, uint32_t value, const struct ptowsp_run_args *args, struct remote_run *run,
			      struct ptowsp_error *error);
void remote_run_finish(struct host_remote *r, struct remote_run *run);
void remote_buffers_begin(struct host_remote *r);
void remote_buffers_finish(struct host_remote *r);

/* remote_start.c */
bool remote_send_file(struct host_remote *r, uint32_t kind, uint32_t number, uint64_t size, int fd);

#endif
