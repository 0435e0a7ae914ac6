/* SPDX-License-Identifier: MIT */
/* replay.c - a log made into calls. */
#include "host/layers/replay.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/format_file.h"
#include "host/call/handles.h"
#include "host/call/services.h"
#include "host/find/host_plugin.h"
#include "host/host_error.h"
#include "host/layers/replay_log.h"
#include "host/layers/replay_notify.h"
#include "host/run/kernels_ffi.h"
#include "host/trust/code.h"
#include "registry/common/common_dtype.h"

#define PATIENCE_NS UINT64_C(60000000000)
enum { LOADS_MOST = 256 };

struct replay {
	struct host_caller caller;
	struct host_services services;
	struct ptowsp_host table; /* the services, with a done and an extension of our own */
	struct host_findings findings;
	struct host_diagnostics diagnostics;
	struct host_handles objects; /* id: address of then; parent: address of now */
	struct ptowsp_object *instance;
	struct host_tape_reader lent[LOADS_MOST]; /* sections of programs: theirs until the end */
	unsigned lent_count;
	unsigned char *bytes; /* of the log */
	struct host_replay_log log;
	struct host_replay_result *result;
	void (*say)(void *context, const char *line);
	void *context;
	char first[160]; /* difference */
	/* The run in flight, and what the log says of it. */
	const struct ptowsp_run_args *args;
	_Atomic int completed;
	ptowsp_status status;
	uint64_t cycles, tasks, edges;
};
static struct replay *the_replay; /* done has the services' context */

static void differ(struct replay *r, const char *format, ...)
{
	char line[160];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (!r->result->differences++)
		memcpy(r->first, line, sizeof(line));
	if (r->say)
		r->say(r->context, line);
}

/* ---- the log ---- */

static ptowsp_status file_read(struct replay *r, const char *path, struct ptowsp_error *error)
{
	void *bytes;
	size_t size;
	ptowsp_status status = pkg_file_load(path, PKG_FILE_MOST, &bytes, &size, error);

	r->bytes = bytes;
	r->log = (struct host_replay_log){r->bytes, size};
	return status ? status : host_replay_log_check(&r->log, path, error);
}

/* A record behind `at`: the return of that call, or the completion of that token. */
static bool record_find(const struct replay *r, size_t at, uint64_t number, uint64_t token, struct tape_record *record_out, struct host_tape_reader *reader_out)
{
	while (host_replay_log_next(&r->log, &at, record_out, reader_out)) {
		const bool is_done = record_out->operation == HOST_OPERATION_done && record_out->phase == TAPE_CALL;
		uint64_t told;

		if (number && record_out->phase == TAPE_RETURN && record_out->number == number)
			return true;
		if (!number && is_done && reader_out->end - reader_out->at >= 8 * 4) {
			memcpy(&told, reader_out->at + 8 + 8 + offsetof(struct ptowsp_done, token), sizeof(told)); /* behind context and size */
			if (told == token)
				return true;
		}
	}
	return false;
}

/* ---- objects ---- */

static void *object_now(void *context, uint64_t then)
{
	struct replay *r = context;
	struct host_handle_row row;

	for (uint32_t sort = HOST_HANDLE_INSTANCE; sort < HOST_HANDLES; sort++)
		if (host_handles_find(&r->objects, sort, then, &row))
			return (void *)(uintptr_t)row.parent;
	return NULL;
}

static void object_gone(void *context, uint16_t sort, uint64_t then)
{
	struct replay *r = context;

	host_handles_take(&r->objects, sort, then, NULL);
}

/* ---- services ---- */

static void done(void *context, const struct ptowsp_done *done)
{
	struct replay *r = the_replay;

	(void)context;
	if (!r->args || done->token != r->args->token || atomic_load(&r->completed)) {
		differ(r, "done: token 0x%llx is not in flight", (unsigned long long)done->token);
		return;
	}
	r->status = done->status;
	if (done->stats) {
		r->cycles = done->stats->total_cycles;
		r->tasks = done->stats->tasks;
		r->edges = done->stats->edges;
	}
	atomic_store(&r->completed, 1);
}

static const void *extension(void *context, const char *id)
{
	return strcmp(id, PTOWSP_EXTENSION_NOTIFY) ? the_replay->services.table.extension(context, id) : (const void *)host_replay_notify();
}

static void trace_sink(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	(void)context, (void)tasks, (void)count, (void)stride;
}
static void event_sink(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride)
{
	(void)context, (void)events, (void)count, (void)stride;
}
static void edge_sink(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	(void)context, (void)edges, (void)count, (void)stride;
}
static ptowsp_status file(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)context, (void)path, (void)bytes, (void)size;
	return PTOWSP_OK;
}
static ptowsp_status kernel(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)context, (void)task, (void)out;
	return PTOWSP_UNSUPPORTED;
}

static void (*callback_of(uint16_t operation))(void)
{
	static void (*const ours[HOST_OPERATION_COUNT])(void) = {
#define CALLBACK(name, ...) [HOST_OPERATION_##name] = (void (*)(void))name,
#include "ptowsp/operations.def"
	};

	return ours[operation];
}

/* ---- calls ---- */

/* Deadlines are times on a clock that went on. */
static void deadline_move(const struct host_call *call, uint64_t then)
{
	for (unsigned i = 0; i < call->operation->parameter_count; i++)
		if (call->operation->parameters[i].kind == HOST_PARAMETER_ONE && call->operation->parameters[i].of == HOST_STRUCT_run_args &&
		    call->values[i].pointer) {
			struct ptowsp_run_args *args = call->values[i].pointer;

			if (args->deadline_ns)
				args->deadline_ns = args->deadline_ns - then + host_now_ns();
		}
}

/* Results have addresses of now; the log has those of then. told: NULL where it was not made then, or the log ends before. */
static void objects_follow(struct replay *r, const struct host_call *call, struct host_tape_reader *told)
{
	for (unsigned i = 0; i < call->operation->parameter_count; i++) {
		const struct host_parameter *p = &call->operation->parameters[i];

		if (p->kind != HOST_PARAMETER_HANDLE || p->direction != HOST_DIRECTION_OUT)
			continue;
		const uint64_t now = (uintptr_t) * (void **)call->values[i].pointer;
		const uint64_t then = told ? host_tape_take(told) : now; /* handles are the only result of those that make one */

		host_handles_take(&r->objects, p->of, then, NULL);
		host_handles_add(&r->objects, p->of, then, now);
		if (p->of == HOST_HANDLE_INSTANCE)
			r->instance = *(void **)call->values[i].pointer;
	}
}

/* ---- runs ---- */

static bool run_wait(struct replay *r, struct ptowsp_object *device)
{
	const uint64_t until = host_now_ns() + PATIENCE_NS;
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	while (!atomic_load(&r->completed) && host_now_ns() < until)
		if (host_call_poll(&r->caller, device, host_now_ns() + 1000000, &ignored))
			nanosleep(&(struct timespec){0, 200000}, NULL);
	return atomic_load(&r->completed);
}

static void run_compare(struct replay *r, size_t at)
{
	const struct ptowsp_run_args *args = r->args;
	struct host_tape_reader reader;
	struct tape_record record;
	const struct ptowsp_done *then;

	if (!record_find(r, at, 0, args->token, &record, &reader)) {
		differ(r, "run 0x%llx completed; the log ends before it did", (unsigned long long)args->token);
		return;
	}
	host_tape_take(&reader); /* context */
	then = host_tape_take_struct(&reader, HOST_STRUCT_done, object_now, r);
	if (then && then->status != r->status)
		differ(r, "run 0x%llx ended with status %d, then %d", (unsigned long long)args->token, r->status, then->status);
	else if (then && then->stats && !then->status &&
		 (then->stats->total_cycles != r->cycles || then->stats->tasks != r->tasks || then->stats->edges != r->edges))
		differ(r, "run 0x%llx: %llu cycles, %llu tasks, %llu edges, then %llu, %llu, %llu", (unsigned long long)args->token,
		       (unsigned long long)r->cycles, (unsigned long long)r->tasks, (unsigned long long)r->edges, (unsigned long long)then->stats->total_cycles,
		       (unsigned long long)then->stats->tasks, (unsigned long long)then->stats->edges);
	for (uint64_t i = 0, many = then && !then->status && !host_replay_notify_shared() ? host_tape_take(&reader) : 0;
	     i < many && i < args->binding_count && !reader.wrong; i++) {
		const struct ptowsp_binding *b = (const void *)((const char *)args->bindings + (size_t)i * args->binding_stride);
		const uint64_t digest = host_tape_take(&reader);

		if (b->data && digest != host_tape_digest(b->data, b->elements * common_dtype_bytes(b->dtype)))
			differ(r, "run 0x%llx: tensor %u has other elements", (unsigned long long)args->token, b->tensor);
	}
	if (reader.wrong)
		differ(r, "run 0x%llx completed; what the log says of its end does not fit", (unsigned long long)args->token);
	host_tape_reader_finish(&reader);
	r->result->runs++;
}

/* ---- one record ---- */

/* Timing decides what these answer, or nothing of theirs is to be had again. */
static bool is_left_out(uint16_t operation)
{
#if PTOWSP_ABI_MINOR >= 1
	if (operation == HOST_OPERATION_fences_read || operation == HOST_OPERATION_fences_wait || operation == HOST_OPERATION_buffers_expose ||
	    operation == HOST_OPERATION_fences_expose)
		return true;
#endif
	return operation == HOST_OPERATION_poll || operation == HOST_OPERATION_drain || operation == HOST_OPERATION_cancel || operation == HOST_OPERATION_stats;
}

/* Each run goes to its end before the next call is made. */
static bool waits_for_later(struct replay *r, const struct ptowsp_run_args *args)
{
	bool later = false;
#if PTOWSP_ABI_MINOR >= 1
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	for (uint32_t i = 0; r->caller.minor >= 1 && args->head.size >= PTOWSP_RUN_ARGS_FLOOR_10_1 && i < args->wait_count; i++) {
		const struct ptowsp_fence_point *point = (const void *)((const char *)args->waits + (size_t)i * args->wait_stride);
		uint64_t value = 0;

		later = later || (!host_call_fences_read(&r->caller, point->fence, &value, &ignored) && value < point->value);
	}
#else
	(void)r, (void)args;
#endif
	return later;
}

/* Memory and events of others are not in the log. */
static bool is_of_others(uint16_t operation)
{
#if PTOWSP_ABI_MINOR >= 1
	return operation == HOST_OPERATION_buffers_import || operation == HOST_OPERATION_fences_import;
#else
	(void)operation;
	return false;
#endif
}

static ptowsp_status call_again(struct replay *r, const struct tape_record *record, struct host_tape_reader *reader, size_t behind, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_call call = {.operation = &host_operations[record->operation], .error = &why};
	const struct host_replay_now now = {r, object_now, object_gone, callback_of, &r->table};
	struct host_tape_reader told;
	struct tape_record answer;
	bool found;

	if (!host_replay_arguments(reader, &call, &now))
		return host_fail(error, PTOWSP_INVALID, "the log has a call of %s whose arguments do not fit, before byte %zu", call.operation->name, behind);
	if (is_of_others(record->operation))
		return host_fail(error, PTOWSP_UNSUPPORTED, "the call of %s before byte %zu gives the plugin what is of others, and not in the log",
				 call.operation->name, behind);
	deadline_move(&call, record->ns);
	if (host_extension_id(call.operation->table))
		host_caller_offers(&r->caller, r->instance, record->operation);
	if (record->operation == HOST_OPERATION_submit) {
		r->args = call.values[1].data;
		if (waits_for_later(r, r->args))
			return host_fail(
				error, PTOWSP_UNSUPPORTED,
				"the run that is submitted before byte %zu waits for a fence that only a later call signals: each run is made again to its end",
				behind);
		host_replay_notify_begin(&r->log, behind);
		atomic_store(&r->completed, 0);
	}
	host_services_aim(&r->services, &r->diagnostics, &r->findings);
	host_call_run(&r->caller, &call);
	r->result->calls++;
	found = record_find(r, behind, record->number, 0, &answer, &told);
	if (found && call.operation->result == HOST_RESULT_IS_STATUS && answer.status != call.status)
		differ(r, "%s answers %d, then %d%s%.80s", call.operation->name, call.status, answer.status, call.status ? ": " : "", why.text);
	if (!call.status)
		objects_follow(r, &call, found && !answer.status ? &told : NULL);
	if (record->operation == HOST_OPERATION_submit && !call.status) {
		if (!run_wait(r, call.values[0].pointer))
			return host_fail(error, PTOWSP_DEADLINE, "the run that was submitted before byte %zu does not end", behind);
		run_compare(r, behind);
	}
	r->args = NULL;
	return PTOWSP_OK;
}

static ptowsp_status records_replay(struct replay *r, struct ptowsp_error *error)
{
	size_t at = sizeof(struct tape_file);
	struct host_tape_reader reader;
	struct tape_record record;
	ptowsp_status status = PTOWSP_OK;

	while (!status && at < r->log.size) {
		if (!host_replay_log_next(&r->log, &at, &record, &reader))
			return host_fail(error, PTOWSP_INVALID, "the log has no whole record at byte %zu: it is damaged or was cut short", at);
		if (record.phase == TAPE_CALL && host_operations[record.operation].caller == HOST_SIDE_HOST && !is_left_out(record.operation))
			status = call_again(r, &record, &reader, at, error);
		if ((status || record.operation == HOST_OPERATION_load) && r->lent_count < LOADS_MOST)
			r->lent[r->lent_count++] = reader;
		else
			host_tape_reader_finish(&reader);
	}
	return status || r->result->calls ? status
					  : host_fail(error, PTOWSP_INVALID, "the log has no call: what wrote it ended before the first, or it was cut short");
}

/* ---- all ---- */

/* A log may end in the middle of a life. */
static void objects_end(struct replay *r)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	for (uint32_t sort = HOST_HANDLES; sort-- > HOST_HANDLE_INSTANCE;)
		for (uint32_t i = r->objects.count; i-- > 0;) {
			struct ptowsp_object *object = (struct ptowsp_object *)(uintptr_t)r->objects.rows[i].parent;

			if (r->objects.rows[i].sort != sort)
				continue;
			if (sort == HOST_HANDLE_PROGRAM)
				host_call_unload(&r->caller, object, &ignored);
#if PTOWSP_ABI_MINOR >= 1
			else if (sort == HOST_HANDLE_BUFFER)
				host_call_buffers_destroy(&r->caller, object, &ignored);
			else if (sort == HOST_HANDLE_FENCE)
				host_call_fences_destroy(&r->caller, object, &ignored);
#endif
			else if (sort == HOST_HANDLE_DEVICE)
				host_call_close(&r->caller, object, &ignored);
			else
				host_call_fini(&r->caller, object, &ignored);
		}
}

static ptowsp_status start(struct replay *r, const char *file, const char *plugin, struct ptowsp_error *error)
{
	struct host_plugin *loaded = NULL;
	ptowsp_status status = host_plugin_load(NULL, plugin, &loaded, error), ready = host_services_init(&r->services, loaded ? loaded->minor : 0);

	host_handles_init(&r->objects);
	if (!status)
		status = ready;
	if (!status)
		status = file_read(r, file, error);
	if (status)
		return status;
	host_caller_init(&r->caller, &loaded->ops);
	r->caller.name = loaded->note.name;
	r->caller.minor = loaded->minor;
	r->table = r->services.table;
	r->table.done = done;
	r->table.extension = extension;
	return PTOWSP_OK;
}

static void finish(struct replay *r)
{
	objects_end(r);
	host_caller_finish(&r->caller);
	host_services_aim(&r->services, NULL, NULL);
	host_diagnostics_finish(&r->diagnostics);
	host_kernels_destroy(r->findings.kernels);
	host_code_destroy(r->findings.code);
	for (unsigned i = 0; i < r->lent_count; i++)
		host_tape_reader_finish(&r->lent[i]);
	host_services_finish(&r->services);
	host_handles_finish(&r->objects);
	free(r->bytes);
	free(r);
}

ptowsp_status host_replay(const char *file, const char *plugin, void (*say)(void *context, const char *line), void *context,
			  struct host_replay_result *result_out, struct ptowsp_error *error)
{
	struct replay *r = calloc(1, sizeof(*r));
	ptowsp_status status;

	*result_out = (struct host_replay_result){0};
	if (!r)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for a replay");
	r->result = result_out;
	r->say = say;
	r->context = context;
	the_replay = r;
	status = start(r, file, plugin, error);
	if (!status)
		status = records_replay(r, error);
	if (!status && result_out->differences)
		status = host_fail(error, PTOWSP_MISMATCH, "%u of %u calls and runs answer differently; the first: %s", result_out->differences,
				   result_out->calls, r->first);
	if (status != PTOWSP_DEADLINE) /* else the plugin goes on, in memory that must stay */
		finish(r);
	return status;
}
