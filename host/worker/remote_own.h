/* SPDX-License-Identifier: MIT */
/* remote_own.h - what the files of host/worker/remote*.c share. */
#ifndef HOST_REMOTE_OWN_H
#define HOST_REMOTE_OWN_H

#include <pthread.h>
#include <sys/types.h>

#include "host/call/buffer.h"
#include "host/call/marshal.h"
#include "host/call/wire.h"
#include "host/host_error.h"
#include "host/run/runs.h"
#include "host/worker/host_frame.h"
#include "host/worker/remote.h"

#define HOST_REMOTE_GRACE_NS UINT64_C(1000000000) /* time of a run after its deadline or its cancel before the worker is killed */

/* An operation that somebody waits for. On that thread's stack, in the list while it waits. */
struct remote_call {
	uint64_t number, kill_ns;
	unsigned char *reply; /* owned by who waits */
	size_t size;
	bool answered;
	struct remote_call *next;
};
/* Memory of a tensor that lies in no shared buffer: its place there during a run. */
struct remote_stage {
	void *theirs; /* of the caller */
	void *ours;   /* the shared one */
	uint64_t size;
	bool back; /* the run may have written it */
};
struct remote_run {
	uint64_t token, kill_ns;     /* kill_ns 0: no deadline */
	struct remote_stage *stages; /* owned */
	uint32_t stage_count;
	bool used;
	bool submitted; /* submit has returned: done may be told */
	bool joined;    /* one of several devices */
	bool asking;    /* somebody speaks to its group: it stays until then */
};
/* A done that came before that, in order of their coming. */
struct remote_early {
	unsigned char *message; /* owned: where *done lies */
	const struct ptowsp_done *done;
	struct remote_early *next;
};
struct remote_program {
	struct ptowsp_object *object;
	uint64_t section_bytes; /* that the worker maps as long as it is loaded */
	uint8_t *kept;          /* owned; of each tensor of TENS whether runs leave it as it is */
	uint32_t tensor_count;
	struct remote_program *next;
};
struct remote_sent {
	uint32_t number; /* of a buffer */
	uint64_t size;
};
/* Shared memory that was lent to a run and can be lent again. */
struct remote_spare {
	void *memory;
	uint64_t size;
	bool lent;
	struct remote_spare *next;
};
/* A callback of the host that the plugin may call, by a number. In its place from the call that gives it on; function NULL: nobody's. */
struct remote_given {
	struct remote_given *next;
	uint64_t number;
	const struct host_operation *operation; /* which hands it over, as that parameter, for that object */
	unsigned parameter;
	const void *object;
	void (*function)(void);
	void *context;
};
/* An extension's table of the plugin, as it stands here. */
struct remote_extension {
	struct ptowsp_head *table; /* owned */
	bool asked, offered;
};
/* A reply that something lies in. */
struct remote_reply {
	unsigned char *bytes; /* owned */
	struct remote_reply *next;
};
/* A call on its way over. */
struct remote_crossing {
	struct host_remote *remote;
	struct ptowsp_error *error;
	ptowsp_status status;  /* of memory that could not be handed over */
	uint64_t kill_ns;      /* by when all of it is over; 0: as long as such a call may take, from remote_cross on */
	struct remote_run run; /* the copies in shared memory. To be finished by whoever began the crossing */
	int records;           /* a memory file; where has_records */
	uint64_t record_bytes;
	bool has_records, begun;
	uint64_t shared;                                                                 /* bytes of its records that the worker has got */
	ptowsp_status (*ready)(struct host_remote *r, struct remote_crossing *crossing); /* when it can be sent; may be NULL */
};
/* A notification that a plugin waits for, of another device, which is not there yet. Of who has `pumping`. */
struct remote_wait {
	uint64_t number, token; /* number 0: free */
	uint32_t device, notification;
};
enum { REMOTE_WAITS = 256 };                                                                    /* more is a lie */
enum remote_verdict { REMOTE_LIVES, REMOTE_HUNG, REMOTE_STILL, REMOTE_FORGED, REMOTE_STOPPED }; /* STILL: stopped by a signal; STOPPED: by its host */

/* Locks: down_lock[i] for writing down[i] and what goes before it on the socket; lock for everything marked so. lock may be taken inside of down_lock, not the other way
 * round, and nothing is called back under either. */
struct host_remote {
	char name[33];
	pid_t pid; /* of its keeper (worker_keeper.c), as is pidfd */
	int pidfd, socket, timer;
	char mark[64]; /* NAME=VALUE in the environment of its worker and of what that starts (remote_left.c) */
	int life;      /* to the keeper: the worker ends when this is shut down, whatever it does */
	struct host_frame_shared *shared;
	struct host_ring down[2], up; /* up: of the thread that has `pumping` */
	pthread_mutex_t down_lock[2];
	struct host_buffer_watch watch;
	uint32_t section_number;        /* down_lock[0]; of lent files, too */
	const struct ptowsp_host *host; /* borrowed from init to stop */
	struct host_services *services; /* borrowed */
	uint64_t load_limit_ns;
	bool sandbox;
	struct host_limits limits;
	_Atomic uint64_t copied;

	pthread_mutex_t lock;
	pthread_cond_t turned;                       /* somebody was answered, a run was done, nobody pumps any more */
	bool pumping;                                /* lock */
	bool reaped;                                 /* lock: there is no worker, and everybody was told */
	uint64_t completions, next_call, armed_ns;   /* lock */
	struct remote_call *calls;                   /* lock */
	struct remote_run runs[HOST_RUNS_IN_FLIGHT]; /* lock */
	struct remote_early *early;                  /* lock */
	struct remote_program *programs;             /* lock */
	struct remote_sent *sent, *gone;             /* lock; owned: buffers that the worker has, those of them that are no more */
	uint32_t sent_count, sent_room, gone_count, gone_room;
	uint64_t shared_bytes, told_bytes; /* lock: bytes of those buffers and of sections; what the keeper of a sandbox knows of it */
	uint32_t unread;                   /* down_lock[0]: buffers sent since the worker was told to take them off the socket */
	struct remote_spare *spares;       /* lock; owned */
	char said[2][120];                 /* lock: its last lines */
	enum remote_verdict verdict;       /* lock */
	pid_t worker;                      /* lock: 0 until the keeper has said so, which is before it has a plugin */
	int worker_fd;                     /* of the watcher: its pidfd; -1: none */
	int stop_signal;                   /* lock: that has stopped it; 0: none */
	int keeper_signal;                 /* lock: that has stopped its keeper; 0: none */
	uint64_t keeper_stop_ns;           /* lock: when both are ended for that. 0: not at all */
	uint64_t stop_ns, force_ns;        /* lock: when it is ended for that; when its keeper is, which was told to end it. 0: not at all */
	struct host_frame_word end;        /* of the watcher: how it ended; kind 0: its keeper has not said */

	_Atomic int dead, attention;            /* attention: dead, or a group has moved: who reads looks up from it */
	struct remote_wait waits[REMOTE_WAITS]; /* of who has `pumping` */
	pthread_t listener;                     /* reads where runs are joined, whoever else waits */
	bool listens;                           /* lock */
	uint32_t joined;                        /* lock: joined runs in flight */
	ptowsp_status end_status;               /* written before reaped */
	char end_text[400];
	pthread_t watcher;
	bool watched;
	unsigned char *lent[HOST_OPERATION_COUNT];             /* lock; owned replies of the latest calls, NULL: none */
	struct remote_reply *replies;                          /* lock; owned */
	struct remote_given *given;                            /* lock; owned */
	struct remote_extension extensions[HOST_STRUCT_COUNT]; /* lock */
	const struct ptowsp_object *asked_of;                  /* lock: whose extensions are known */
};

/* remote_pump.c. Lets the frame that begins the request carry its number, sends it on down[channel], waits for the answer. The reply's frame is in *wire_out (whose bytes the
 * caller frees); *error is filled if it says a negative status. */
ptowsp_status remote_ask(struct host_remote *r, int channel, struct host_wire *request, struct remote_call *call, struct host_unwire *wire_out,
			 struct ptowsp_error *error);
/* Reads what the worker says until until_ns, or `completions` is no longer this. */
void remote_pump(struct host_remote *r, uint64_t completions, uint64_t until_ns);
/* remote_read takes the messages that an ended worker has left, no more than its ring holds; the caller has `pumping`. */
void remote_read(struct host_remote *r);
/* One turn of a thread that waits: it reads, or waits for the one that does. With the lock held on both ends. */
void remote_turn(struct host_remote *r, uint64_t until_ns);

/* remote_notify.c: what the devices of a run tell each other. begin: the run is one of several, its reader runs from now on. */
bool remote_is_joined(struct host_remote *r, uint64_t token);
ptowsp_status remote_joined_begin(struct host_remote *r, uint64_t token, struct ptowsp_error *error);
void remote_joined_end(struct host_remote *r); /* with the watcher ended */
void remote_asked(struct host_remote *r, const struct host_frame *frame);
void remote_waits_look(struct host_remote *r); /* by who has `pumping` */

/* remote_limit.c: what an operation (as frames say it) without a deadline of its own may take. */
uint64_t remote_limit_ns(const struct host_remote *r, uint32_t operation);
/* The operation is to be over at kill_ns, or where that is 0, its own limit from now. */
uint64_t remote_until_ns(const struct host_remote *r, uint32_t operation, uint64_t kill_ns);

/* remote_left.c. environment: that of the worker, the mark in front of those inherited (NULL: none); an array to be freed, whose texts are not; NULL: no memory. end: kills the worker, its group and each process
 * with the mark, and waits until they are gone, some seconds at the most; of the watcher, once the keeper is no more. */
char **remote_left_environment(struct host_remote *r, char *const *inherited);
void remote_left_end(struct host_remote *r);

/* remote_watch.c */
ptowsp_status remote_watch_begin(struct host_remote *r, struct ptowsp_error *error);
/* Waits until the worker's number is known. Errors: what became of it. */
ptowsp_status remote_watch_started(struct host_remote *r, struct ptowsp_error *error);
void remote_watch_end(struct host_remote *r);
/* A thread of the library's own, which takes no signal that is meant for the embedding program. 0, or why there is none. */
int remote_thread(pthread_t *thread_out, void *(*run)(void *context), struct host_remote *r);
/* With the lock held: wakes the watcher at that time, or earlier; it then looks at the keeper, too, and goes on looking while somebody waits. */
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
struct remote_program *remote_program_find(struct host_remote *r, const struct ptowsp_object *object);
/* Operations that this side keeps something of. */
void remote_program_load(struct host_remote *r, struct host_call *call);
void remote_program_unload(struct host_remote *r, struct host_call *call);
void remote_run_submit(struct host_remote *r, struct host_call *call);
/* remote_records.c. Records go into one sealed memory file per call, which is sent in front of it. */
bool remote_records_put(struct remote_crossing *crossing, const struct host_away *away, uint64_t *place_out);
ptowsp_status remote_records_send(struct remote_crossing *crossing, struct host_wire *request);
void remote_records_finish(struct remote_crossing *crossing);
/* remote_shared.c: how many bytes a sandbox has from its host, which its keeper does not count. Told in front of the request that uses them; taken back when the worker has given them back. */
void remote_shared_add(struct host_remote *r, uint64_t bytes);
void remote_shared_take(struct host_remote *r, uint64_t bytes);
void remote_shared_tell(struct host_remote *r);
/* remote_tensors.c. Elements lie in shared buffers, or are copied into one; `program`: whose run it is. */
bool remote_elements_put(struct remote_crossing *crossing, const struct host_away *away, const struct ptowsp_object *program, uint64_t *place_out);
void remote_run_finish(struct host_remote *r, struct remote_run *run);
void remote_buffers_begin(struct host_remote *r);
void remote_buffers_finish(struct host_remote *r);

/* remote_calls.c. A call of the plugin as the description says it. */
void remote_cross(struct host_remote *r, struct host_call *call, struct remote_crossing *crossing);
/* remote_external.c: names of memory, which are other names over there. */
void remote_import(struct host_remote *r, struct host_call *call);
void remote_expose(struct host_remote *r, struct host_call *call);
/* remote_extensions.c */
void remote_extension(struct host_remote *r, struct host_call *call);
/* Numbers of the callbacks that go over with the call; what was only lent for it is taken back at its end. */
ptowsp_status remote_callbacks_give(struct host_remote *r, struct host_call *call, struct host_wire *request);
void remote_callbacks_end(struct host_remote *r, const struct host_call *call);
/* Function and context of the callback that the worker calls by that number; false: there is none, any more. */
bool remote_callback_find(struct host_remote *r, uint64_t number, struct host_call *call);

/* remote_send.c: all that is ever written to a worker. Nothing of it takes longer than until until_ns of host_now_ns; who has not read by then is ended as late. False: it was not sent, and
 * whether its worker is about to end remote_ending says. begin and end: down[channel] and what goes before it on the socket are this thread's; the two with _held are called between them. */
bool remote_down_begin(struct host_remote *r, int channel, uint64_t until_ns);
void remote_down_end(struct host_remote *r, int channel);
bool remote_send_held(struct host_remote *r, int channel, const void *message, size_t size, uint64_t until_ns);
bool remote_send_file_held(struct host_remote *r, const struct host_frame_file *file, int fd, uint64_t until_ns);
bool remote_send(struct host_remote *r, int channel, const void *message, size_t size, uint64_t until_ns);
/* The worker's end was seen, or brought about: each later caller is told how. */
bool remote_ending(struct host_remote *r);

#endif
