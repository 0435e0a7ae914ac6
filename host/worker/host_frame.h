/* SPDX-License-Identifier: MIT */
/* host_frame.h - what host and worker say to each other: kinds of messages, the frame that begins each of them, the memory that both map. Both are of one build, so
 * nothing here has versions. */
#ifndef HOST_FRAME_H
#define HOST_FRAME_H

#include "host/call/describe.h"
#include "host/worker/host_ring.h"

/* Requests of the host besides the operations of the description; START is what a worker does before it is asked anything. X(name, text of the last operation in a
 * report). */
#define HOST_FRAME_OWN(X)                                                                                                                                      \
	X(BEGIN, "loading it (constructors)")                                                                                                                  \
	X(ENTRY, "its entry")                                                                                                                                  \
	X(FILES, "a buffer's begin")                                                                                                                           \
	X(FORGET, "a buffer's end")                                                                                                                            \
	X(CLOSE, "a descriptor's end")                                                                                                                         \
	X(ANSWER, "an answer")                                                                                                                                 \
	X(END, "its end")                                                                                                                                      \
	X(START, "its own start, before anything of the plugin")
enum {
	HOST_FRAME_DESCRIBED = HOST_OPERATION_COUNT - 1,
#define X(name, text) HOST_FRAME_##name,
	HOST_FRAME_OWN(X)
#undef X
		HOST_FRAME_COUNT
};
/* Kinds of messages of a worker's ring: the answer to a request, a call of the plugin, a call of it that waits under its number for ANSWER on down[1]. */
enum { HOST_UP_REPLY, HOST_UP_CALL, HOST_UP_ASK };

/* At offset 0 of every message. Offsets count from the frame's begin (wire.h). */
struct host_frame {
	uint32_t operation; /* enum host_operation_id, HOST_FRAME_x */
	ptowsp_status status;
	uint64_t call;                    /* number of the request, which its reply repeats; of a callback: number that it was given with */
	uint64_t answer;                  /* of a function that answers with a number; of `extension`: bit i is set where field i of the table is */
	uint64_t values[HOST_PARAMETERS]; /* of the parameters: marshal.c */
	uint32_t sections;                /* number of the memory file with the records of the request; 0: it has none */
	uint32_t joined;                  /* of submit: the run is one on several devices */
	struct ptowsp_error error;
};

/* The memory that both map, sealed against another size. down: host to worker, [0] for one thing after the other, [1] for what may come at any time. */
struct host_frame_shared {
	_Atomic uint32_t operation; /* of the worker: what its plugin is busy with */
	struct host_ring_shared down[2], up;
};

/* Messages that the control socket carries besides the end of the other side: one file per message. */
struct host_frame_file {
	uint32_t kind;   /* HOST_FILE_x */
	uint32_t number; /* of the buffer, of the sections, of the lent file */
	uint64_t size;
};
enum { HOST_FILE_BUFFER = 1, HOST_FILE_SECTIONS = 2, HOST_FILE_LENT = 3 /* as it is: nobody maps it */ };

/* Numbers of a worker's files at its start. LIFE: a socket whose one end only the host has, and whose other one only the keeper. */
enum { HOST_WORKER_SOCKET = 3, HOST_WORKER_MEMORY = 4, HOST_WORKER_PLUGIN = 5, HOST_WORKER_LIFE = 6 };

/* The keeper tells one word of its worker per message on LIFE. The host sends the number of bytes that are shared with a sandbox (uint64_t), and ends the worker by
 * shutting down its own side. */
struct host_frame_word {
	uint32_t kind;  /* HOST_WORD_x */
	int32_t value;  /* STARTED: process number; STOPPED: signal; ENDED: exit status or signal */
	int32_t how;    /* ENDED: CLD_x */
	uint32_t limit; /* ENDED: HOST_LIMIT_x that it met; 0: none */
};
enum { HOST_WORD_STARTED = 1, HOST_WORD_STOPPED, HOST_WORD_CONTINUED, HOST_WORD_ENDED };
/* values[0] of BEGIN */
enum { HOST_WORKER_SANDBOX = 1, HOST_WORKER_LINT_OFF = 2, HOST_WORKER_JIT = 4 };

#endif
