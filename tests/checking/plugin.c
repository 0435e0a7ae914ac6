/* SPDX-License-Identifier: MIT */
/* plugin.c - the checking plugin: the template's life, and each call of it held against what abi/README.md says of the host. It is longer than 10.0 everywhere a
 * table may be, with a trap in each place behind. Its option `hold` keeps a run until its deadline. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/buffers.h"
#include "ptowsp/compiled.h"
#endif
#include "ptowsp/note.h"
#include "watch.h"
PTOWSP_NOTE(0, "checking", "tests", "1.0.0", "checking");
#undef PTOWSP_NOTE
#define PTOWSP_NOTE(...)  struct no_other_note

#define ptowsp_plugin_v10 template_plugin
#include "template/plugin.c"
#undef ptowsp_plugin_v10

enum { TRAPS = WATCH_TRAPS };
typedef ptowsp_status (*trap_fn)(void);
static atomic_bool hold;

/* ---- start ---- */

static ptowsp_status settings_read(const struct ptowsp_init_args *args, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < args->setting_count; i++) {
		const struct ptowsp_setting *s = (const void *)((const char *)args->settings + (size_t)i * args->setting_stride);

		if (strcmp(s->key, "hold"))
			return fail(error, PTOWSP_INVALID, "checking has the option hold only");
		hold = !strcmp(s->value, "true") || !strcmp(s->value, "1");
	}
	return PTOWSP_OK;
}

static ptowsp_status checked_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct ptowsp_init_args none = {.head = PTOWSP_HEAD(none, INIT_ARGS)};
	struct ptowsp_object *inner = NULL;
	ptowsp_status status = PTOWSP_OK;

	watch_enter(&call, "init", NULL, WATCH_INSTANCE, WATCH_MAIN, error);
	watch_arguments(&call, host, args ? &args->head : NULL, PTOWSP_STRUCT_INIT_ARGS, PTOWSP_INIT_ARGS_FLOOR_10_0, sizeof(*args));
	if (!call.status)
		watch_services(&call, host);
	if (!call.status)
		status = settings_read(args, error);
	if (!call.status && !status)
		status = null_init(host, &none, &inner, error);
	if (inner)
		*out = (struct ptowsp_object *)watch_make(WATCH_INSTANCE, NULL, inner, host);
	return watch_leave(&call, status);
}

static ptowsp_status checked_fini(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *instance = watch_enter(&call, "fini", object, WATCH_INSTANCE, WATCH_MAIN, error);
	char text[100];

	if (!instance)
		return watch_leave(&call, PTOWSP_INVALID);
	if (instance->children)
		watch_broke(&call, "HO6: a device is still open");
	watch_leave(&call, PTOWSP_OK); /* before the end: afterwards nothing is known of it */
	snprintf(text, sizeof(text), "checking: %llu calls, %s", (unsigned long long)instance->calls,
		 instance->broken ? "the host broke a rule" : "all as they should be");
	instance->host->log(instance->host->context, PTOWSP_LOG_INFO, text, strlen(text));
	null_fini(instance->inner, NULL);
	watch_end(instance);
	return call.status;
}

/* A row that is longer than the host knows; of all instances, which may be on several threads. */
static struct {
	struct ptowsp_device known;
	uint64_t later[TRAPS];
} longer;

static void longer_make(void)
{
	longer.known = device_model;
	longer.known.head.size = sizeof(longer);
	memset(longer.later, 0xff, sizeof(longer.later));
}

static ptowsp_status checked_devices(struct ptowsp_object *object, const struct ptowsp_device **out, uint32_t *count, struct ptowsp_error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct watch_call call;
	ptowsp_status status = PTOWSP_INVALID;

	watch_enter(&call, "devices", object, WATCH_INSTANCE, WATCH_MAIN, error);
	if (!count || (*count && !out))
		watch_broke(&call, "HO1: the count is NULL, or there is room and no array");
	if (!call.status) {
		pthread_once(&once, longer_make);
		status = null_devices(NULL, out, count, error);
	}
	if (!status)
		out[0] = &longer.known;
	return watch_leave(&call, status);
}

static ptowsp_status checked_options(const struct ptowsp_option **out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_option option = {PTOWSP_HEAD(option, OPTION), "hold", "bool", "false", "", "keep each run until its deadline"};
	struct watch_call call;
	ptowsp_status status = PTOWSP_OK;

	watch_enter(&call, "options", NULL, WATCH_INSTANCE, WATCH_MAIN, error);
	if (!count || (*count && !out))
		watch_broke(&call, "HO1: the count is NULL, or there is room and no array");
	else if (!*count)
		status = fail(error, PTOWSP_MORE, "checking has one option");
	else
		out[0] = &option;
	if (count)
		*count = 1;
	return watch_leave(&call, status);
}

static ptowsp_status checked_capabilities(struct ptowsp_object *object, const char *device, struct ptowsp_cap *out, uint32_t stride, uint32_t *count,
					  struct ptowsp_error *error)
{
	struct watch_call call;
	ptowsp_status status = PTOWSP_INVALID;

	watch_enter(&call, "capabilities", object, WATCH_INSTANCE, WATCH_MAIN, error);
	if (!count || (*count && (!out || stride < PTOWSP_CAP_FLOOR_10_0)))
		watch_broke(&call, "HO1: the count is NULL, or there is room and no array, or its stride is below the size of a row");
	if (!call.status)
		status = null_capabilities(NULL, device, out, stride, count, error);
	return watch_leave(&call, status);
}

static ptowsp_status checked_open(struct ptowsp_object *object, const struct ptowsp_open_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *instance = watch_enter(&call, "open", object, WATCH_INSTANCE, WATCH_MAIN, error);
	struct ptowsp_object *inner = NULL;
	ptowsp_status status = PTOWSP_INVALID;

	if (!instance)
		watch_broke(&call, "HO6: the instance is NULL");
	else
		watch_arguments(&call, call.instance->host, args ? &args->head : NULL, PTOWSP_STRUCT_OPEN_ARGS, PTOWSP_OPEN_ARGS_FLOOR_10_0, sizeof(*args));
	if (!call.status && args->reserved)
		watch_broke(&call, "HO1: a reserved field of open is not zero");
	if (!call.status)
		status = null_open(instance->inner, args, &inner, error);
	if (inner)
		*out = (struct ptowsp_object *)watch_make(WATCH_DEVICE, instance, inner, instance->host);
	return watch_leave(&call, status);
}

static ptowsp_status checked_close(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "close", object, WATCH_DEVICE, WATCH_MAIN, error);

	if (!device)
		return watch_leave(&call, PTOWSP_INVALID);
	if (device->children)
		watch_broke(&call, "HO7: the device has programs, buffers or fences");
	if (device->inside)
		watch_broke(&call, "HO2: a [device] call of it is going on");
	null_close(device->inner, NULL);
	watch_end(device);
	return watch_leave(&call, PTOWSP_OK);
}

/* ---- programs and runs ---- */

/* What it compiles, and gets back. */
#if PTOWSP_ABI_TARGET >= 1
static const char checked_blob[] = "what the checking plugin compiles";

static void blobs_check(struct watch_call *call, const struct ptowsp_load_args *args)
{
	const struct ptowsp_blob *blob;

	if (call->instance->host->minor < 1 || args->head.size < PTOWSP_LOAD_ARGS_FLOOR_10_1 || !args->blob_count)
		return;
	blob = args->blobs;
	if (args->blob_count != 1 || args->blob_stride < PTOWSP_BLOB_FLOOR_10_1 || !blob || strcmp(blob->name, "checked") != 0 ||
	    blob->size != sizeof(checked_blob) || memcmp(blob->bytes, checked_blob, sizeof(checked_blob)) != 0)
		watch_broke(call, "HO10: a blob is not what was given");
}
#else
static void blobs_check(struct watch_call *call, const struct ptowsp_load_args *args)
{
	(void)call, (void)args;
}
#endif

static ptowsp_status checked_load(struct ptowsp_object *object, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "load", object, WATCH_DEVICE, WATCH_ON_DEVICE, error), *program;
	struct ptowsp_object *inner = NULL;
	struct ptowsp_load_args own;
	ptowsp_status status = PTOWSP_INVALID;

	if (device)
		watch_arguments(&call, call.instance->host, args ? &args->head : NULL, PTOWSP_STRUCT_LOAD_ARGS, PTOWSP_LOAD_ARGS_FLOOR_10_0, sizeof(*args));
	if (!call.status)
		watch_sections(&call, args);
	if (!call.status)
		blobs_check(&call, args);
	if (!call.status) {
		memcpy(&own, args, PTOWSP_LOAD_ARGS_FLOOR_10_0); /* the template has no blobs */
		own.head.size = PTOWSP_LOAD_ARGS_FLOOR_10_0;
		status = null_load(device->inner, &own, &inner, error);
	}
	if (inner) {
		program = watch_make(WATCH_PROGRAM, device, inner, device->host);
		watch_lend_sections(program, args);
		*out = (struct ptowsp_object *)program;
	}
	return watch_leave(&call, status);
}

static ptowsp_status checked_unload(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *program = watch_enter(&call, "unload", object, WATCH_PROGRAM, WATCH_ON_DEVICE, error);

	if (!program)
		return watch_leave(&call, PTOWSP_INVALID);
	watch_sections_same(&call, program);
	if (program->parent->running == program) {
		watch_broke(&call, "HO7: a run of the program is in flight");
		return watch_leave(&call, PTOWSP_INVALID); /* poll would go into it */
	}
	null_unload(program->inner, NULL);
	watch_end(program);
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status checked_submit(struct ptowsp_object *object, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "submit", object, WATCH_DEVICE, WATCH_ON_DEVICE, error), *program = NULL;
	struct ptowsp_run_args inner;
	ptowsp_status status = PTOWSP_INVALID;

	if (device)
		watch_arguments(&call, call.instance->host, args ? &args->head : NULL, PTOWSP_STRUCT_RUN_ARGS, PTOWSP_RUN_ARGS_FLOOR_10_0, sizeof(*args));
	if (!call.status) {
		program = watch_find(args->program, WATCH_PROGRAM);
		if (!program || program->parent != device)
			watch_broke(&call, "HO6: the program is unloaded, or one of another device");
	}
	if (!call.status)
		watch_run(&call, program, args);
	if (!call.status)
		watch_fences(&call, device, args);
	if (!call.status && !device->running)
		watch_token(&call, args->token);
	if (!call.status && device->running && device->token == args->token)
		watch_broke(&call, "HO7: the token is in flight already");
	if (!call.status) {
		watch_sections_same(&call, program);
		memcpy(&inner, args, PTOWSP_RUN_ARGS_FLOOR_10_0);
		inner.head.size = PTOWSP_RUN_ARGS_FLOOR_10_0;
		inner.program = program->inner;
		status = call.status ? call.status : null_submit(device->inner, &inner, error);
	}
	if (!status)
		watch_lend_run(device, program, args);
	return watch_leave(&call, status);
}

static ptowsp_status checked_cancel(struct ptowsp_object *object, uint64_t token, struct ptowsp_error *error)
{
	struct watch_call call;

	(void)token; /* the run may just have ended */
	watch_enter(&call, "cancel", object, WATCH_DEVICE, WATCH_ANY, error);
	return watch_leave(&call, PTOWSP_OK);
}

/* As asked for, or because of what it waits for. */
static bool is_kept(const struct watch *device)
{
	return (hold && device->deadline_ns) || !watch_fences_reached(device);
}

/* The run that was kept ends at its deadline. */
static void deadline_end(struct watch *device)
{
	struct device *inner = (struct device *)device->inner;
	struct ptowsp_run_stats stats;
	struct ptowsp_error late;
	struct ptowsp_done done = {.head = PTOWSP_HEAD(done, DONE), .token = device->token, .status = PTOWSP_DEADLINE, .stats = &stats, .error = &late};

	stats_fill(&stats);
	fail(&late, PTOWSP_DEADLINE, "kept until its deadline, as asked for");
	inner->pending = NULL;
	watch_fences_end(device, PTOWSP_DEADLINE);
	device->host->done(device->host->context, &done);
}

static ptowsp_status checked_work(const char *name, struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	const struct timespec moment = {0, 200000};
	struct watch_call call;
	struct watch *device = watch_enter(&call, name, object, WATCH_DEVICE, WATCH_ON_DEVICE, error);
	bool kept;

	if (!device)
		return watch_leave(&call, PTOWSP_INVALID);
	watch_until(&call, until_ns);
	if (atomic_load(&device->inside) > 1 || !device->running) /* another caller works on it: said, and left to it */
		return watch_leave(&call, PTOWSP_OK);
	while ((kept = is_kept(device)) && (!device->deadline_ns || device->host->now_ns(device->host->context) < device->deadline_ns)) {
		if (device->host->now_ns(device->host->context) >= until_ns)
			return watch_leave(&call, PTOWSP_OK);
		nanosleep(&moment, NULL);
	}
	watch_sections_same(&call, device->running);
	watch_bindings_same(&call, device);
	device->running = NULL;
	if (kept) {
		deadline_end(device);
		return watch_leave(&call, PTOWSP_OK);
	}
	watch_fences_end(device, PTOWSP_OK);
	null_poll(device->inner, until_ns, error);
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status checked_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	return checked_work("poll", device, until_ns, error);
}

static ptowsp_status checked_drain(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error)
{
	return checked_work("drain", device, until_ns, error);
}

static ptowsp_status checked_stats(struct ptowsp_object *object, struct ptowsp_run_stats *out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *program = watch_enter(&call, "stats", object, WATCH_PROGRAM, WATCH_ANY, error);

	if (program &&
	    (!out || out->head.size < PTOWSP_RUN_STATS_FLOOR_10_0 || out->head.size > PTOWSP_SIZE_LIMIT || out->head.type != PTOWSP_STRUCT_RUN_STATS))
		watch_broke(&call, "HO1: the head of the result has a size below the floor of 10.0 or beyond the limit, or another type");
	return watch_leave(&call, call.status ? call.status : null_stats(NULL, out, error));
}

/* ---- extensions ---- */

static ptowsp_status sink_check(const char *name, struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *program = watch_enter(&call, name, object, WATCH_PROGRAM, WATCH_ON_DEVICE, error);

	if (program && program->parent->running == program)
		watch_broke(&call, "HO2: a run of the program is going on; sinks come and go between runs");
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status tasks_attach(struct ptowsp_object *program, void (*sink)(void *, const struct ptowsp_trace_task *, uint32_t, uint32_t), void *context,
				  struct ptowsp_error *error)
{
	(void)sink, (void)context;
	return sink_check("attach of ptowsp.trace/1", program, error);
}

static ptowsp_status events_attach(struct ptowsp_object *program, void (*sink)(void *, const struct ptowsp_trace_event *, uint32_t, uint32_t), void *context,
				   struct ptowsp_error *error)
{
	(void)sink, (void)context;
	return sink_check("attach_events of ptowsp.trace/1", program, error);
}

static ptowsp_status edges_attach(struct ptowsp_object *program, void (*sink)(void *, const struct ptowsp_graph_edge *, uint32_t, uint32_t), void *context,
				  struct ptowsp_error *error)
{
	(void)sink, (void)context;
	return sink_check("attach of ptowsp.graph/1", program, error);
}

static ptowsp_status files_emit(struct ptowsp_object *object, const char *device, const struct ptowsp_load_args *args,
				ptowsp_status (*file)(void *, const char *, const void *, uint64_t), void *context, struct ptowsp_error *error)
{
	static const char text[] = "nothing\n";
	struct watch_call call;
	struct watch *instance = watch_enter(&call, "emit of ptowsp.artifact/1", object, WATCH_INSTANCE, WATCH_MAIN, error);
	ptowsp_status status = PTOWSP_INVALID;

	(void)device;
	if (!instance)
		watch_broke(&call, "HO6: the instance is NULL");
	else
		watch_arguments(&call, call.instance->host, args ? &args->head : NULL, PTOWSP_STRUCT_LOAD_ARGS, PTOWSP_LOAD_ARGS_FLOOR_10_0, sizeof(*args));
	if (!call.status)
		watch_sections(&call, args);
	if (!call.status)
		status = file(context, "checking/what.txt", text, sizeof(text) - 1);
	return watch_leave(&call, status);
}

#if PTOWSP_ABI_TARGET >= 1
static ptowsp_status compiled_key(struct ptowsp_object *object, char *text_out, uint32_t room, struct ptowsp_error *error)
{
	struct watch_call call;

	watch_enter(&call, "key of ptowsp.compiled/0", object, WATCH_DEVICE, WATCH_ON_DEVICE, error);
	if (room < PTOWSP_COMPILED_KEY)
		watch_broke(&call, "HO10: there is too little room for a key");
	if (!call.status)
		strcpy(text_out, "checking 1.0.0");
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status compiled_save(struct ptowsp_object *object, ptowsp_status (*file)(void *, const char *, const void *, uint64_t), void *context,
				   struct ptowsp_error *error)
{
	struct watch_call call;
	const struct watch *program = watch_enter(&call, "save of ptowsp.compiled/0", object, WATCH_PROGRAM, WATCH_ON_DEVICE, error);
	ptowsp_status status = PTOWSP_OK;

	if (program && program->parent->running == program)
		watch_broke(&call, "HO2: a run of the program is going on; what is compiled is given between runs");
	if (!call.status)
		status = file(context, "checked", checked_blob, sizeof(checked_blob));
	return watch_leave(&call, status);
}

static const struct {
	struct ptowsp_compiled_extension known;
	trap_fn later[TRAPS];
} compiled_table = {{PTOWSP_HEAD(compiled_table, EXTENSION), compiled_key, compiled_save},
		    {watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later}};

/* For a host of 10.1 and later only. */
static const void *later_extension(const struct watch *instance, const char *id)
{
	if (!instance || instance->host->minor < 1)
		return NULL;
	return !strcmp(id, PTOWSP_EXTENSION_BUFFERS)    ? &watch_buffers_table.known.head
	       : !strcmp(id, PTOWSP_EXTENSION_COMPILED) ? &compiled_table.known.head
	       : !strcmp(id, PTOWSP_EXTENSION_FENCES)   ? &watch_fences_table.known.head
							: NULL;
}
#else
static const void *later_extension(const struct watch *instance, const char *id)
{
	(void)instance, (void)id;
	return NULL;
}
#endif

/* ---- tables, each with traps behind what 10.0 has ---- */

#define TRAPPED watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later

static const void *checked_extension(struct ptowsp_object *object, const char *id)
{
	static const struct {
		struct ptowsp_trace_extension known;
		trap_fn later[TRAPS];
	} trace = {{PTOWSP_HEAD(trace, EXTENSION), tasks_attach, events_attach}, {TRAPPED}};
	static const struct {
		struct ptowsp_graph_extension known;
		trap_fn later[TRAPS];
	} graph = {{PTOWSP_HEAD(graph, EXTENSION), edges_attach}, {TRAPPED}};
	static const struct {
		struct ptowsp_artifact_extension known;
		trap_fn later[TRAPS];
	} artifact = {{PTOWSP_HEAD(artifact, EXTENSION), files_emit}, {TRAPPED}};
	struct watch_call call;
	const struct watch *instance = watch_enter(&call, "extension", object, WATCH_INSTANCE, WATCH_ANY, NULL);

	if (!id)
		watch_broke(&call, "HO1: the id is NULL");
	if (watch_leave(&call, PTOWSP_OK))
		return NULL;
	return !strcmp(id, PTOWSP_EXTENSION_TRACE)      ? &trace.known.head
	       : !strcmp(id, PTOWSP_EXTENSION_GRAPH)    ? &graph.known.head
	       : !strcmp(id, PTOWSP_EXTENSION_ARTIFACT) ? &artifact.known.head
							: later_extension(instance, id);
}

static const struct {
	struct ptowsp_ops known;
	trap_fn later[TRAPS];
} checked_ops = {
	{PTOWSP_HEAD(checked_ops, OPS), checked_init, checked_fini, checked_extension, checked_devices, checked_options, checked_capabilities, checked_open,
	 checked_close, checked_load, checked_unload, checked_submit, checked_cancel, checked_poll, checked_drain, checked_stats},
	{TRAPPED},
};

static const struct ptowsp_plugin checking = {
	PTOWSP_HEAD(checking, PLUGIN), PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET, 0, "checking", "tests", "1.0.0", "checking", &checked_ops.known, NULL,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);
PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor, (void)template_plugin;
	return &checking;
}
