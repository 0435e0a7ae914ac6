/* SPDX-License-Identifier: MIT */
/* frame.h - what host and worker say to each other: kinds of messages, the frame that begins each of them, the memory that both map. Both are of one build, so
 * nothing here has versions. */
#ifndef HOST_FRAME_H
#define HOST_FRAME_H

#include "host/ring.h"
#include "ptowsp/base.h"

/* Operations that the host asks for, in the order of a plugin's life. X(name, text of the last operation in a report). */
#define HOST_FRAME_OPERATIONS(X) \
	X(BEGIN, "loading it (constructors)") X(ENTRY, "its entry") X(EXTENSION, "extension") X(INIT, "init") X(FINI, "fini") X(DEVICES, "devices") X(OPTIONS, "options") \
	X(CAPABILITIES, "capabilities") X(OPEN, "open") X(CLOSE, "close") X(LOAD, "load") X(UNLOAD, "unload") X(SUBMIT, "submit") \
	X(CANCEL, "cancel") X(POLL, "poll") X(DRAIN, "drain") X(STATS, "stats") X(TRACE, "trace attach") X(EVENTS, "events attach") \
	X(GRAPH, "graph attach") X(MEASURE, "measure") X(ARTIFACT, "emit") X(REPORT, "emit of a run") X(FIGURES, "figures") X(FORGET, "a buffer's end") X(END, "its end")
enum host_frame_operation {
#define X(name, text) HOST_FRAME_##name,
	HOST_FRAME_OPERATIONS(X)
#undef X
	HOST_FRAME_COUNT
};
/* What a worker says without being asked, or as the answer; kinds of its ring's messages. */
enum host_frame_upcall {
	HOST_UP_REPLY, HOST_UP_LOG, HOST_UP_DIAGNOSE, HOST_UP_DONE, HOST_UP_TRACE, HOST_UP_EVENTS, HOST_UP_GRAPH, HOST_UP_FILE
};

/* At offset 0 of every message; what the values mean: see the two sides of each operation. Offsets count from the frame's begin (wire.h). */
struct host_frame {
	uint32_t operation; /* enum host_frame_operation; 0 in upcalls */
	ptowsp_status status;
	uint64_t call;      /* number that the reply repeats */
	uint64_t values[8];
	struct ptowsp_error error;
};

/* Memory of a tensor as it crosses: a place in a shared buffer. */
struct host_frame_place {
	uint32_t buffer; /* 0: none */
	uint32_t reserved;
	uint64_t offset, size;
};

/* The memory that both map, sealed against another size. down: host to worker, [0] for one thing after the other, [1] for what may come at any time. */
struct host_frame_shared {
	_Atomic uint32_t operation; /* of the worker: what its plugin is busy with */
	struct host_ring_shared down[2], up;
};

/* What the control socket carries besides the end of the other side: one file per message. */
struct host_frame_file {
	uint32_t kind;   /* HOST_FILE_x */
	uint32_t number; /* of the buffer, of the sections */
	uint64_t size;
};
enum { HOST_FILE_BUFFER = 1, HOST_FILE_SECTIONS = 2 };

/* Numbers of a worker's files at its start. */
enum { HOST_WORKER_SOCKET = 3, HOST_WORKER_MEMORY = 4, HOST_WORKER_PLUGIN = 5 };
/* values[0] of BEGIN */
enum { HOST_WORKER_SANDBOX = 1, HOST_WORKER_LINT_OFF = 2, HOST_WORKER_JIT = 4 };

#endif
