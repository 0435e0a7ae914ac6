/* SPDX-License-Identifier: MIT */
/* worker_up.c - what a plugin says, sent to the host: done, log, diagnose, rows for sinks, files. Memory, the clock, kernels and code are answered here. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/error.h"
#include "host/worker.h"

struct host_frame *worker_frame(struct host_wire *wire)
{
	const struct host_frame frame = {.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};

	wire->minor = worker.table.minor;
	host_wire_bytes(wire, &frame, sizeof(frame));
	if (wire->failed)
		_exit(1); /* without memory for a frame there is no way to say so */
	return (struct host_frame *)(void *)wire->bytes;
}

static void value_put(struct host_wire *wire, uint32_t i, uint64_t value)
{
	if (!wire->failed)
		((struct host_frame *)(void *)wire->bytes)->values[i] = value;
}

void worker_send(enum host_frame_upcall kind, struct host_wire *wire)
{
	bool written;

	pthread_mutex_lock(&worker.up_lock);
	written = !wire->failed && host_ring_write(&worker.up, (uint16_t)kind, wire->bytes, wire->size, &worker.stop);
	pthread_mutex_unlock(&worker.up_lock);
	host_wire_finish(wire);
	if (!written)
		_exit(1);
}

static void say(struct host_wire *wire, uint32_t i, const char *text, uint64_t length)
{
	char *copy = text && length < UINT64_C(1) << 20 ? strndup(text, (size_t)length) : NULL;

	value_put(wire, i, host_wire_text(wire, copy ? copy : ""));
	free(copy);
}

static void up_log(void *context, int32_t level, const char *text, uint64_t length)
{
	struct host_wire wire = {0};

	(void)context;
	worker_frame(&wire)->values[0] = (uint64_t)(int64_t)level;
	say(&wire, 1, text, length);
	worker_send(HOST_UP_LOG, &wire);
}

/* The host's own part of the library speaks in here, too. */
static void own_log(void *context, int32_t level, const char *text)
{
	up_log(context, level, text, strlen(text));
}

static void up_diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	struct host_wire wire = {0};
	struct host_frame *frame = worker_frame(&wire);

	(void)context;
	frame->values[0] = feature;
	frame->values[1] = state;
	say(&wire, 2, text, length);
	worker_send(HOST_UP_DIAGNOSE, &wire);
}

static void up_done(void *context, const struct ptowsp_done *done)
{
	struct host_wire wire = {0};

	(void)context;
	worker_frame(&wire);
	value_put(&wire, 0, host_wire_struct(&wire, HOST_STRUCT_done, done));
	worker_send(HOST_UP_DONE, &wire);
	atomic_fetch_sub(&worker.running, 1);
}

static ptowsp_status alone(struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_UNSUPPORTED, "an isolated plugin's run has one device; runs on several need --isolate=none");
}

static ptowsp_status notify_place(void *context, uint64_t token, uint32_t *device_out, uint32_t *count_out, struct ptowsp_error *error)
{
	(void)context, (void)token, (void)error;
	*device_out = 0;
	*count_out = 1;
	return PTOWSP_OK;
}

static ptowsp_status notify_send(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	(void)context, (void)token, (void)device, (void)notification, (void)cycles;
	return alone(error);
}

static ptowsp_status notify_take(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
				 struct ptowsp_error *error)
{
	(void)context, (void)token, (void)device, (void)notification, (void)until_ns, (void)cycles_out;
	return alone(error);
}

/* Functions of the embedding program are in its process. Those that a plugin brings itself, and those of native payloads, are bound as everywhere. */
static ptowsp_status kernel_find(void *context, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
				 struct ptowsp_error *error)
{
	const struct ptowsp_kernels_extension *own = worker.services.table.extension(context, PTOWSP_EXTENSION_KERNELS);

	if (native)
		return own->find(context, name, signature, native, ref_out, error);
	*ref_out = (struct ptowsp_kernel_ref){0};
	return host_fail(error, PTOWSP_NOT_FOUND, "an isolated plugin cannot call functions of the embedding program (\"%.40s\"); --isolate=none",
			 name);
}

static const void *up_extension(void *context, const char *id)
{
	static const struct ptowsp_kernels_extension kernels = {{sizeof(kernels), PTOWSP_STRUCT_EXTENSION, 0}, kernel_find};
	static const struct ptowsp_notify_extension notify = {{sizeof(notify), PTOWSP_STRUCT_EXTENSION, 0}, notify_place, notify_send, notify_take};

	if (!strcmp(id, PTOWSP_EXTENSION_KERNELS))
		return &kernels;
	if (!strcmp(id, PTOWSP_EXTENSION_NOTIFY))
		return &notify;
	return !strcmp(id, PTOWSP_EXTENSION_CODE) ? worker.services.table.extension(context, id) : NULL;
}

void worker_services_begin(uint32_t minor)
{
	if (host_services_init(&worker.services, minor))
		_exit(1);
	worker.services.log = own_log;
	worker.table = worker.services.table;
	worker.table.extension = up_extension;
	worker.table.log = up_log;
	worker.table.diagnose = up_diagnose;
	worker.table.done = up_done;
}

static void rows_send(enum host_frame_upcall kind, const void *program, enum host_struct_id type, const void *rows, uint32_t count, uint32_t stride)
{
	struct host_wire wire = {0};

	if (!count)
		return;
	worker_frame(&wire)->values[0] = (uintptr_t)program;
	value_put(&wire, 1, host_wire_rows(&wire, type, rows, count, stride));
	value_put(&wire, 2, count);
	worker_send(kind, &wire);
}

void worker_trace(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	rows_send(HOST_UP_TRACE, context, HOST_STRUCT_trace_task, tasks, count, stride);
}

void worker_event(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride)
{
	rows_send(HOST_UP_EVENTS, context, HOST_STRUCT_trace_event, events, count, stride);
}

void worker_edge(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	rows_send(HOST_UP_GRAPH, context, HOST_STRUCT_graph_edge, edges, count, stride);
}

/* The host's answer to a file is not waited for: it takes no more of them after it refused one. */
ptowsp_status worker_file(void *context, const char *path, const void *bytes, uint64_t size)
{
	const uint64_t *call = context;
	struct host_wire wire = {0};

	worker_frame(&wire)->call = *call;
	value_put(&wire, 0, host_wire_text(&wire, path ? path : ""));
	value_put(&wire, 1, host_wire_bytes(&wire, bytes ? bytes : "", (size_t)size));
	value_put(&wire, 2, size);
	worker_send(HOST_UP_FILE, &wire);
	return PTOWSP_OK;
}
