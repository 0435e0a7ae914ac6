/* SPDX-License-Identifier: MIT */
/* worker_calls.c - requests of the host, done by calling the plugin. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/code.h"
#include "host/confine.h"
#include "host/error.h"
#include "host/kernels_ffi.h"
#include "host/sealed.h"
#include "host/worker.h"
#include "ptowsp/ptowsp.h"

enum { MOST = 4096 };

/* A request that is being done, and its answer. */
struct job {
	const struct host_frame *request;
	struct host_unwire *in;
	struct host_wire out;
	struct ptowsp_error error;
};

static struct ptowsp_object *object_at(const struct job *j, uint32_t i)
{
	return (struct ptowsp_object *)(uintptr_t)j->request->values[i];
}

static void answer(struct job *j, uint32_t i, uint64_t value)
{
	if (!j->out.failed)
		((struct host_frame *)(void *)j->out.bytes)->values[i] = value;
}

static ptowsp_status broken(struct job *j)
{
	return host_fail(&j->error, PTOWSP_INVALID, "the host's request %u is not well formed", j->request->operation);
}

static const struct ptowsp_ops *ops(void)
{
	return &worker.plugin->ops;
}

/* The file that was checked is the one behind the descriptor; the loader then checks what it opens by name, and it must be the same. */
static ptowsp_status plugin_same(struct job *j, const char *path)
{
	struct stat given, found;

	if (!fstat(HOST_WORKER_PLUGIN, &given) && !stat(path, &found) && given.st_dev == found.st_dev && given.st_ino == found.st_ino)
		return PTOWSP_OK;
	return host_fail(&j->error, PTOWSP_PLUGIN_REFUSED, "%.120s: is not the file that was checked; it changed meanwhile, try again", path);
}

static void entering(void)
{
	atomic_store_explicit(&worker.shared->operation, HOST_FRAME_ENTRY, memory_order_relaxed);
}

static ptowsp_status do_begin(struct job *j)
{
	static const int given = HOST_WORKER_PLUGIN;
	const bool sealed = host_sealed_is(given);
	const struct host_search search = {.lint_off = j->request->values[0] & HOST_WORKER_LINT_OFF, .sealed_fd = sealed ? &given : NULL, .entering = entering};
	const char *path = host_unwire_text(j->in, j->request->values[1]);
	ptowsp_status st = !path ? broken(j) : sealed ? PTOWSP_OK : plugin_same(j, path);

	if (!st && !(j->request->values[0] & HOST_WORKER_JIT))
		host_confine_memory(); /* where the kernel has it */
	if (!st && (j->request->values[0] & HOST_WORKER_SANDBOX))
		st = host_confine(path, &j->error);
	if (!st)
		st = host_plugin_load(&search, path, &worker.plugin, &j->error);
	if (!st && !sealed)
		st = plugin_same(j, path);
	if (!st)
		worker_services_begin(worker.plugin->minor);
	return st;
}

static ptowsp_status do_extension(struct job *j)
{
	const char *id = host_unwire_text(j->in, j->request->values[1]);
	const struct ptowsp_head *table = id ? ops()->extension(object_at(j, 0), id) : NULL;
	void (*entry)(void);
	uint64_t there = 0;

	for (uint32_t i = 0; table && i < 8 && table->size >= sizeof(*table) + (i + 1) * sizeof(entry); i++) {
		memcpy(&entry, (const char *)table + sizeof(*table) + i * sizeof(entry), sizeof(entry));
		there |= (uint64_t)(entry != NULL) << i;
	}
	answer(j, 0, table != NULL);
	answer(j, 1, there);
	return PTOWSP_OK;
}

static ptowsp_status do_init(struct job *j)
{
	const struct ptowsp_init_args *args = host_unwire_struct(j->in, HOST_STRUCT_init_args, j->request->values[0]);
	ptowsp_status st = args ? ops()->init(&worker.table, args, &worker.instance, &j->error) : broken(j);

	if (!st)
		answer(j, 0, (uintptr_t)worker.instance);
	return st;
}

static ptowsp_status do_fini(struct job *j)
{
	const ptowsp_status st = ops()->fini(object_at(j, 0), &j->error);

	host_services_finish(&worker.services); /* says what was not given back */
	return st;
}

/* Rows of tables as places of structs. */
static void tables_answer(struct job *j, enum host_struct_id type, const void *const *rows, uint32_t count)
{
	uint64_t *places = calloc(count + 1u, sizeof(*places));
	const uint64_t at = places ? host_wire_values(&j->out, places, count, sizeof(*places)) : 0;

	for (uint32_t i = 0; places && i < count; i++)
		places[i] = host_wire_struct(&j->out, type, rows[i]);
	if (places && count && !j->out.failed)
		memcpy(j->out.bytes + at, places, count * sizeof(*places));
	free(places);
	answer(j, 0, at);
	answer(j, 1, count);
}

static ptowsp_status tables_do(struct job *j, enum host_struct_id type, ptowsp_status (*ask)(struct job *, const void **, uint32_t *))
{
	const void **rows;
	const void *none;
	uint32_t count = 0;
	ptowsp_status st = ask(j, &none, &count);

	if (st && st != PTOWSP_MORE)
		return st;
	if (count > MOST)
		return host_fail(&j->error, PTOWSP_PLUGIN_REFUSED, "%s claims %u devices or options", worker.name, count);
	rows = calloc(count + 1u, sizeof(*rows));
	if (!rows)
		return host_fail(&j->error, PTOWSP_NO_MEMORY, "no memory for the tables of %s", worker.name);
	st = count ? ask(j, rows, &count) : PTOWSP_OK;
	for (uint32_t i = 0; i < count && !st; i++)
		if (!rows[i])
			st = host_fail(&j->error, PTOWSP_PLUGIN_REFUSED, "%s: device or option %u is NULL", worker.name, i);
	if (!st)
		tables_answer(j, type, rows, count);
	free(rows);
	return st;
}

static ptowsp_status devices_ask(struct job *j, const void **rows, uint32_t *count)
{
	return ops()->devices(object_at(j, 0), (const struct ptowsp_device **)(void *)rows, count, &j->error);
}

static ptowsp_status options_ask(struct job *j, const void **rows, uint32_t *count)
{
	return ops()->options((const struct ptowsp_option **)(void *)rows, count, &j->error);
}

static ptowsp_status do_capabilities(struct job *j)
{
	const char *device = host_unwire_text(j->in, j->request->values[1]);
	struct ptowsp_cap *rows, none;
	uint32_t count = 0;
	ptowsp_status st = ops()->capabilities(object_at(j, 0), device, &none, sizeof(none), &count, &j->error);

	if ((st && st != PTOWSP_MORE) || !count)
		return st;
	if (count > MOST)
		return host_fail(&j->error, PTOWSP_PLUGIN_REFUSED, "%s claims %u capability rows", worker.name, count);
	rows = calloc(count, sizeof(*rows));
	if (!rows)
		return host_fail(&j->error, PTOWSP_NO_MEMORY, "no memory for the capabilities of %s", worker.name);
	st = ops()->capabilities(object_at(j, 0), device, rows, sizeof(*rows), &count, &j->error);
	if (!st) {
		answer(j, 0, host_wire_rows(&j->out, HOST_STRUCT_cap, rows, count, sizeof(*rows)));
		answer(j, 1, count);
	}
	free(rows);
	return st;
}

static ptowsp_status do_open(struct job *j)
{
	const struct ptowsp_open_args *args = host_unwire_struct(j->in, HOST_STRUCT_open_args, j->request->values[1]);
	ptowsp_status st = args ? ops()->open(object_at(j, 0), args, &worker.device, &j->error) : broken(j);

	if (!st)
		answer(j, 0, (uintptr_t)worker.device);
	return st;
}

/* Load arguments with their sections where they are mapped here; value, value + 1, value + 2 as remote_load_args wrote them. */
static struct ptowsp_load_args *load_args(struct job *j, uint32_t value, void **mapped_out)
{
	struct ptowsp_load_args *args = host_unwire_struct(j->in, HOST_STRUCT_load_args, j->request->values[value]);

	*mapped_out = args ? worker_sections((uint32_t)j->request->values[value + 1], j->request->values[value + 2], &j->error) : NULL;
	if (!*mapped_out)
		return NULL;
	for (uint32_t i = 0; i < args->section_count; i++) {
		struct ptowsp_section *s = (struct ptowsp_section *)(void *)((uintptr_t)args->sections + i * sizeof(*s));

		s->data = (const char *)*mapped_out + (uintptr_t)s->data;
	}
	return args;
}

static void program_finish(struct worker_program *p)
{
	host_kernels_destroy(p->findings.kernels);
	host_code_destroy(p->findings.code);
	if (p->sections)
		munmap(p->sections, p->size);
	free(p);
}

static ptowsp_status do_load(struct job *j)
{
	struct worker_program *p = calloc(1, sizeof(*p));
	struct ptowsp_load_args *args;
	ptowsp_status st;

	if (!p)
		return host_fail(&j->error, PTOWSP_NO_MEMORY, "no memory for a program of %s", worker.name);
	args = load_args(j, 1, &p->sections);
	p->size = (size_t)j->request->values[3];
	if (!args) {
		free(p);
		return *j->error.text ? PTOWSP_NO_MEMORY : broken(j);
	}
	p->findings.trusted = args->flags & PTOWSP_LOAD_TRUST_NATIVE;
	host_services_aim(&worker.services, NULL, &p->findings);
	st = ops()->load(object_at(j, 0), args, &p->object, &j->error);
	host_services_aim(&worker.services, NULL, NULL);
	if (st) {
		program_finish(p);
		return st;
	}
	p->next = worker.programs;
	worker.programs = p;
	answer(j, 0, (uintptr_t)p->object);
	return st;
}

static ptowsp_status do_unload(struct job *j)
{
	struct ptowsp_object *object = object_at(j, 0);
	ptowsp_status st = ops()->unload(object, &j->error);

	for (struct worker_program **at = &worker.programs; *at; at = &(*at)->next)
		if ((*at)->object == object) {
			struct worker_program *gone = *at;

			*at = gone->next;
			program_finish(gone);
			break;
		}
	return st;
}

/* Arguments of a run with tensors where they are mapped here. */
static struct ptowsp_run_args *run_args(struct job *j, uint32_t value)
{
	struct ptowsp_run_args *args = host_unwire_struct(j->in, HOST_STRUCT_run_args, j->request->values[value]);

	for (uint32_t i = 0; args && i < args->binding_count; i++) {
		struct ptowsp_binding *b = (struct ptowsp_binding *)(void *)((uintptr_t)args->bindings + i * sizeof(*b));

		if (b->data && !(b->data = worker_place((uintptr_t)b->data, &j->error)))
			return NULL;
	}
	return args;
}

static ptowsp_status args_missing(struct job *j)
{
	return *j->error.text ? PTOWSP_NO_MEMORY : broken(j);
}

static ptowsp_status do_submit(struct job *j)
{
	const struct ptowsp_run_args *args = run_args(j, 1);
	ptowsp_status st;

	if (!args)
		return args_missing(j);
	atomic_fetch_add(&worker.running, 1);
	st = ops()->submit(object_at(j, 0), args, &j->error);
	if (st)
		atomic_fetch_sub(&worker.running, 1);
	return st;
}

static ptowsp_status do_stats(struct job *j)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	ptowsp_status st = ops()->stats(object_at(j, 0), &stats, &j->error);

	if (!st)
		answer(j, 0, host_wire_struct(&j->out, HOST_STRUCT_run_stats, &stats));
	return st;
}

static ptowsp_status not_offered(struct job *j)
{
	return host_fail(&j->error, PTOWSP_UNSUPPORTED, "%s does not have that extension", worker.name);
}

static ptowsp_status do_trace(struct job *j)
{
	const struct ptowsp_trace_extension *x = ops()->extension(worker.instance, PTOWSP_EXTENSION_TRACE);

	if (!x || !PTOWSP_HAS(x, struct ptowsp_trace_extension, attach) || !x->attach)
		return not_offered(j);
	return x->attach(object_at(j, 0), j->request->values[1] ? worker_trace : NULL, object_at(j, 0), &j->error);
}

static ptowsp_status do_events(struct job *j)
{
	const struct ptowsp_trace_extension *x = ops()->extension(worker.instance, PTOWSP_EXTENSION_TRACE);

	if (!x || !PTOWSP_HAS(x, struct ptowsp_trace_extension, attach_events) || !x->attach_events)
		return not_offered(j);
	return x->attach_events(object_at(j, 0), j->request->values[1] ? worker_event : NULL, object_at(j, 0), &j->error);
}

static ptowsp_status do_graph(struct job *j)
{
	const struct ptowsp_graph_extension *x = ops()->extension(worker.instance, PTOWSP_EXTENSION_GRAPH);

	if (!x || !PTOWSP_HAS(x, struct ptowsp_graph_extension, attach) || !x->attach)
		return not_offered(j);
	return x->attach(object_at(j, 0), j->request->values[1] ? worker_edge : NULL, object_at(j, 0), &j->error);
}

static ptowsp_status do_measure(struct job *j)
{
	const struct ptowsp_extents_extension *x = ops()->extension(worker.instance, PTOWSP_EXTENSION_EXTENTS);
	const struct ptowsp_run_args *args = run_args(j, 1);
	const uint32_t count = (uint32_t)j->request->values[2];
	uint64_t *elements = calloc(count + 1u, sizeof(*elements));
	ptowsp_status st;

	if (!x || !PTOWSP_HAS(x, struct ptowsp_extents_extension, measure) || !x->measure)
		st = not_offered(j);
	else if (!args || !elements)
		st = args_missing(j);
	else
		st = x->measure(object_at(j, 0), args, elements, count, &j->error);
	if (!st)
		answer(j, 0, host_wire_values(&j->out, elements, count, sizeof(*elements)));
	free(elements);
	return st;
}

static ptowsp_status do_artifact(struct job *j)
{
	const struct ptowsp_artifact_extension *x = ops()->extension(worker.instance, PTOWSP_EXTENSION_ARTIFACT);
	const char *device = host_unwire_text(j->in, j->request->values[1]);
	uint64_t call = j->request->call;
	void *mapped;
	const struct ptowsp_load_args *args = load_args(j, 2, &mapped);
	ptowsp_status st;

	if (!args)
		return args_missing(j);
	if (!x || !PTOWSP_HAS(x, struct ptowsp_artifact_extension, emit) || !x->emit)
		st = not_offered(j);
	else
		st = x->emit(object_at(j, 0), device, args, worker_file, &call, &j->error);
	munmap(mapped, (size_t)j->request->values[4]);
	return st;
}

static const struct ptowsp_report_extension *report_table(void)
{
	return ops()->extension(worker.instance, PTOWSP_EXTENSION_REPORT);
}

static ptowsp_status do_report(struct job *j)
{
	const struct ptowsp_report_extension *x = report_table();
	const struct ptowsp_run_args *args = run_args(j, 1);
	uint64_t call = j->request->call;

	if (!args)
		return args_missing(j);
	if (!x || !PTOWSP_HAS(x, struct ptowsp_report_extension, emit) || !x->emit)
		return not_offered(j);
	return x->emit(object_at(j, 0), args, worker_file, &call, &j->error);
}

static ptowsp_status do_figures(struct job *j)
{
	const struct ptowsp_report_extension *x = report_table();
	const struct ptowsp_figure *rows = NULL;
	uint32_t count = 0, stride = 0;
	ptowsp_status st;

	if (!x || !PTOWSP_HAS(x, struct ptowsp_report_extension, figures) || !x->figures)
		return not_offered(j);
	st = x->figures(object_at(j, 0), &rows, &count, &stride, &j->error);
	if (!st) {
		answer(j, 0, host_wire_rows(&j->out, HOST_STRUCT_figure, rows, count, stride));
		answer(j, 1, count);
	}
	return st;
}

static ptowsp_status operation_do(struct job *j)
{
	switch ((enum host_frame_operation)j->request->operation) {
	case HOST_FRAME_BEGIN: return do_begin(j);
	case HOST_FRAME_EXTENSION: return do_extension(j);
	case HOST_FRAME_INIT: return do_init(j);
	case HOST_FRAME_FINI: return do_fini(j);
	case HOST_FRAME_DEVICES: return tables_do(j, HOST_STRUCT_device, devices_ask);
	case HOST_FRAME_OPTIONS: return tables_do(j, HOST_STRUCT_option, options_ask);
	case HOST_FRAME_CAPABILITIES: return do_capabilities(j);
	case HOST_FRAME_OPEN: return do_open(j);
	case HOST_FRAME_CLOSE: return ops()->close(object_at(j, 0), &j->error);
	case HOST_FRAME_LOAD: return do_load(j);
	case HOST_FRAME_UNLOAD: return do_unload(j);
	case HOST_FRAME_SUBMIT: return do_submit(j);
	case HOST_FRAME_CANCEL: return ops()->cancel(object_at(j, 0), j->request->values[1], &j->error);
	case HOST_FRAME_DRAIN: return ops()->drain(object_at(j, 0), j->request->values[1], &j->error);
	case HOST_FRAME_STATS: return do_stats(j);
	case HOST_FRAME_TRACE: return do_trace(j);
	case HOST_FRAME_EVENTS: return do_events(j);
	case HOST_FRAME_GRAPH: return do_graph(j);
	case HOST_FRAME_MEASURE: return do_measure(j);
	case HOST_FRAME_ARTIFACT: return do_artifact(j);
	case HOST_FRAME_REPORT: return do_report(j);
	case HOST_FRAME_FIGURES: return do_figures(j);
	case HOST_FRAME_FORGET: worker_forget((uint32_t)j->request->values[0]); return PTOWSP_OK;
	case HOST_FRAME_END: _exit(0);
	case HOST_FRAME_ENTRY:
	case HOST_FRAME_POLL:
	case HOST_FRAME_COUNT: break;
	}
	return broken(j);
}

void worker_call(const struct host_frame *request, struct host_unwire *wire)
{
	struct job j = {.request = request, .in = wire, .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};
	struct host_frame *frame;
	ptowsp_status st;

	worker_frame(&j.out);
	st = operation_do(&j);
	if (request->operation == HOST_FRAME_FORGET) {
		host_wire_finish(&j.out);
		return;
	}
	if (j.out.failed) { /* what it answered is too much */
		host_wire_finish(&j.out);
		worker_frame(&j.out);
		st = host_fail(&j.error, PTOWSP_NO_MEMORY, "%s: no memory in its worker for what it answered", worker.name);
	}
	frame = (struct host_frame *)(void *)j.out.bytes;
	frame->operation = request->operation;
	frame->call = request->call;
	frame->status = st;
	frame->error = j.error;
	worker_send(HOST_UP_REPLY, &j.out);
}
