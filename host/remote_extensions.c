/* SPDX-License-Identifier: MIT */
/* remote_extensions.c - the extensions that the description knows, and what their functions do. */
#include <stdlib.h>
#include <string.h>

#include "host/remote_own.h"

enum { MOST = 1 << 20 };

static const struct {
	const char *id;
	uint32_t entries;
} known[] = {
	{PTOWSP_EXTENSION_TRACE, 2}, {PTOWSP_EXTENSION_GRAPH, 1}, {PTOWSP_EXTENSION_EXTENTS, 1}, {PTOWSP_EXTENSION_ARTIFACT, 1}, {PTOWSP_EXTENSION_REPORT, 2},
};
enum { KNOWN = sizeof(known) / sizeof(*known) };

/* Stands for an entry of the plugin, which is called by its operation and never by this address. */
static void elsewhere(void)
{
	abort();
}

static const struct host_frame *frame_of(const struct host_unwire *wire)
{
	return (const struct host_frame *)(const void *)wire->bytes;
}

static void value_put(struct host_wire *request, uint32_t i, uint64_t value)
{
	if (!request->failed)
		REMOTE_VALUE(request, i) = value;
}

static void request_begin(struct host_wire *request, enum host_frame_operation operation, const struct ptowsp_object *object)
{
	remote_frame(request, operation);
	value_put(request, 0, (uintptr_t)object);
}

static bool extension_known(struct host_remote *r, const struct ptowsp_object *instance, uint32_t which, struct remote_table **table_out)
{
	bool known;

	pthread_mutex_lock(&r->lock);
	if (r->asked_of != instance)
		memset(r->asked, 0, sizeof(r->asked));
	known = r->asked[which];
	*table_out = known && r->offered[which] ? &r->extensions[which] : NULL;
	pthread_mutex_unlock(&r->lock);
	return known;
}

const void *host_remote_extension(struct host_remote *r, struct ptowsp_object *instance, const char *id)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	struct remote_table *table = NULL;
	uint32_t which = 0;

	while (which < KNOWN && strcmp(known[which].id, id) != 0)
		which++;
	if (which == KNOWN)
		return NULL;
	if (extension_known(r, instance, which, &table)) /* what an instance offers does not change, and asking costs a round trip */
		return table;
	request_begin(&request, HOST_FRAME_EXTENSION, instance);
	value_put(&request, 1, host_wire_text(&request, id));
	if (!remote_ask(r, 1, &request, &call, &wire, NULL) && frame_of(&wire)->values[0]) {
		const uint64_t there = frame_of(&wire)->values[1];

		pthread_mutex_lock(&r->lock);
		table = &r->extensions[which];
		table->head = (struct ptowsp_head){(uint32_t)(sizeof(table->head) + known[which].entries * sizeof(*table->entries)), PTOWSP_STRUCT_EXTENSION, 0};
		for (uint32_t i = 0; i < known[which].entries; i++)
			table->entries[i] = there >> i & 1 ? elsewhere : NULL;
		pthread_mutex_unlock(&r->lock);
	}
	pthread_mutex_lock(&r->lock);
	r->asked[which] = !atomic_load(&r->dead);
	r->offered[which] = table != NULL;
	r->asked_of = instance;
	pthread_mutex_unlock(&r->lock);
	free(wire.bytes);
	host_wire_finish(&request);
	return table;
}

/* The sink is known to the host before the worker may use it, and forgotten after it may not. */
static ptowsp_status sink_tell(struct host_remote *r, enum host_frame_operation operation, const struct ptowsp_object *program, bool attached, struct ptowsp_error *error)
{
	struct host_wire request = {0};

	request_begin(&request, operation, program);
	value_put(&request, 1, attached);
	return remote_tell(r, 0, &request, 0, error);
}

#define SINK(operation, OPERATION, field, type)                                                                                                              \
	ptowsp_status host_remote_##operation(struct host_remote *r, struct ptowsp_object *program, type sink, void *context, struct ptowsp_error *error)    \
	{                                                                                                                                                    \
		struct remote_program *p;                                                                                                                    \
		ptowsp_status st = sink ? PTOWSP_OK : sink_tell(r, HOST_FRAME_##OPERATION, program, false, error);                                           \
                                                                                                                                                             \
		pthread_mutex_lock(&r->lock);                                                                                                                \
		p = remote_program_find(r, program);                                                                                                         \
		if (p) {                                                                                                                                     \
			p->field = sink;                                                                                                                     \
			p->field##_context = context;                                                                                                        \
		}                                                                                                                                            \
		pthread_mutex_unlock(&r->lock);                                                                                                              \
		return sink ? sink_tell(r, HOST_FRAME_##OPERATION, program, true, error) : st;                                                               \
	}
SINK(trace, TRACE, trace, host_trace_sink)
SINK(events, EVENTS, events, host_event_sink)
SINK(graph, GRAPH, edges, host_edge_sink)

ptowsp_status host_remote_measure(struct host_remote *r, struct ptowsp_object *program, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count,
				  struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct remote_run run = {0};
	struct host_unwire wire = {0};
	const uint64_t *rows;
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_MEASURE, program);
	value_put(&request, 2, count);
	st = remote_run_args(r, &request, 1, args, &run, error);
	if (!st)
		st = remote_ask(r, 0, &request, &call, &wire, error);
	if (!st) {
		rows = host_unwire_values(&wire, frame_of(&wire)->values[0], count, sizeof(*rows));
		if (count && !rows) {
			remote_kill(r, REMOTE_FORGED);
			st = host_fail(error, PTOWSP_DEVICE_LOST, "%s: its worker measured nothing", r->name);
		} else if (count) {
			memcpy(elements_out, rows, count * sizeof(*rows));
		}
	}
	free(wire.bytes);
	remote_run_finish(r, &run);
	host_wire_finish(&request);
	return st;
}

ptowsp_status host_remote_artifact(struct host_remote *r, struct ptowsp_object *instance, const char *device, const struct ptowsp_load_args *args, host_file_sink file,
				   void *context, struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {.file = file, .file_context = context};
	struct host_unwire wire = {0};
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_ARTIFACT, instance);
	value_put(&request, 1, host_wire_text(&request, device));
	st = remote_load_args(r, &request, 2, args, error);
	if (!st)
		st = remote_ask(r, 0, &request, &call, &wire, error);
	free(wire.bytes);
	host_wire_finish(&request);
	return st;
}

ptowsp_status host_remote_report(struct host_remote *r, struct ptowsp_object *program, const struct ptowsp_run_args *args, host_file_sink file, void *context,
				 struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {.file = file, .file_context = context};
	struct remote_run run = {0};
	struct host_unwire wire = {0};
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_REPORT, program);
	st = remote_run_args(r, &request, 1, args, &run, error);
	if (!st)
		st = remote_ask(r, 0, &request, &call, &wire, error);
	free(wire.bytes);
	remote_run_finish(r, &run);
	host_wire_finish(&request);
	return st;
}

ptowsp_status host_remote_figures(struct host_remote *r, struct ptowsp_object *program, const struct ptowsp_figure **rows_out, uint32_t *count_out,
				  uint32_t *stride_out, struct ptowsp_error *error)
{
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire;
	uint64_t count;
	ptowsp_status st;

	request_begin(&request, HOST_FRAME_FIGURES, program);
	st = remote_ask(r, 0, &request, &call, &wire, error);
	host_wire_finish(&request);
	if (!st) {
		count = frame_of(&wire)->values[1];
		*rows_out = count <= MOST ? host_unwire_rows(&wire, HOST_STRUCT_figure, frame_of(&wire)->values[0], (uint32_t)count) : NULL;
		*count_out = *rows_out ? (uint32_t)count : 0;
		*stride_out = sizeof(struct ptowsp_figure);
		if (wire.forged)
			remote_kill(r, REMOTE_FORGED);
	}
	free(r->figures);
	r->figures = wire.bytes;
	return st;
}
