/* SPDX-License-Identifier: MIT */
/* worker_calls.c - requests of the host, done by calling the plugin: every operation of the description in the same way, and what belongs to some of them besides. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/call/marshal.h"
#include "host/host_error.h"
#include "host/ptowsp_host.h"
#include "host/run/kernels_ffi.h"
#include "host/sandbox/confine.h"
#include "host/trust/code.h"
#include "host/trust/sealed.h"
#include "host/worker/worker.h"

/* A request that is being done, and its answer. */
struct job {
	const struct host_frame *request;
	struct host_unwire *in;
	struct host_wire out;
	struct host_call call;
	struct host_rooms rooms;
	void *sections; /* mapped; NULL: none, or a program's by now */
	uint64_t section_bytes;
	struct worker_program *program; /* of a load */
	struct ptowsp_error error;
};

static ptowsp_status broken(struct job *j)
{
	return *j->error.text ? PTOWSP_NO_MEMORY : host_fail(&j->error, PTOWSP_INVALID, "the host's request %u is not well formed", j->request->operation);
}

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

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
	const char *grants = host_unwire_text(j->in, j->request->values[2]);
	ptowsp_status status = !path || !grants ? broken(j) : sealed ? PTOWSP_OK : plugin_same(j, path);

	if (!status && !(j->request->values[0] & HOST_WORKER_JIT))
		host_confine_memory(); /* where the kernel has it */
	if (!status && (j->request->values[0] & HOST_WORKER_SANDBOX))
		status = host_confine(path, grants, &worker.limits, &j->error);
	if (!status)
		status = host_plugin_load(&search, path, &worker.plugin, &j->error);
	if (!status && !sealed)
		status = plugin_same(j, path);
	if (!status)
		worker_services_begin();
	return status;
}

/* ---- operations that mean more than their data -------------------------------------------------------------------- */

static void program_finish(struct worker_program *p)
{
	if (!p)
		return;
	host_kernels_destroy(p->findings.kernels);
	host_code_destroy(p->findings.code);
	if (p->sections)
		munmap(p->sections, p->size);
	free(p);
}

static void load_begin(struct job *j)
{
	struct worker_program *p = j->program = calloc(1, sizeof(*p));

	if (!p) {
		j->call.status = host_fail(&j->error, PTOWSP_NO_MEMORY, "no memory for a program of %s", worker.name);
		return;
	}
	p->sections = j->sections;
	p->size = (size_t)j->section_bytes;
	j->sections = NULL;
	p->args = *(const struct ptowsp_load_args *)j->call.values[1].data;
	p->findings.trusted = p->args.flags & PTOWSP_LOAD_TRUST_NATIVE;
	p->findings.looks = p->args.flags & PTOWSP_LOAD_LOOK;
	p->args.flags &= ~PTOWSP_LOAD_LOOK; /* between host and worker: the plugin does not see it */
	j->call.values[1].data = &p->args;
	host_services_aim(&worker.services, NULL, &p->findings);
}

static void load_end(struct job *j)
{
	host_services_aim(&worker.services, NULL, NULL);
	if (j->call.status) {
		program_finish(j->program);
		return;
	}
	j->program->object = *(struct ptowsp_object *const *)j->call.values[2].data;
	j->program->next = worker.programs;
	worker.programs = j->program;
}

static void unload_end(const void *object)
{
	for (struct worker_program **at = &worker.programs; *at; at = &(*at)->next)
		if ((*at)->object == object) {
			struct worker_program *gone = *at;

			*at = gone->next;
			program_finish(gone);
			return;
		}
}

/* The functions of a table, bit by bit; the table is the one that the extension's operations are called in from now on. */
static uint64_t extension_end(const struct host_call *call)
{
	const enum host_struct_id id = host_extension_find(HOST_SIDE_PLUGIN, call->values[1].data);
	uint64_t there = call->answer.data && id != HOST_STRUCT_COUNT;

	for (unsigned i = 1; there && i < host_structs[id].field_count; i++)
		there |= (uint64_t)host_table_has(call->answer.data, host_structs[id].fields[i].of, worker.caller.minor) << i;
	if (id != HOST_STRUCT_COUNT)
		atomic_store(&worker.caller.tables[id], call->answer.data);
	return there;
}

#if PTOWSP_ABI_MINOR >= 1
/* The host's name for memory becomes this process's. */
static void import_begin(struct job *j)
{
	struct ptowsp_external *e = j->call.values[1].pointer;

	if (e && e->type == PTOWSP_EXTERNAL_HOST) {
		e->address = (uintptr_t)worker_place(e->address, &j->error);
		j->call.status = e->address ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	} else if (e) {
		e->fd = worker_lent((uint32_t)e->fd, &j->error);
		j->call.status = e->fd >= 0 ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	}
}

static void import_end(const struct job *j)
{
	const struct ptowsp_external *e = j->call.values[1].data;

	if (e && e->type != PTOWSP_EXTERNAL_HOST && e->fd >= 0)
		close(e->fd);
}
#endif

static void call_begin(struct job *j)
{
	switch (j->request->operation) {
#if PTOWSP_ABI_MINOR >= 1
	case HOST_OPERATION_buffers_import: import_begin(j); break;
#endif
	case HOST_OPERATION_init: j->call.values[0].data = worker.table; break;
	case HOST_OPERATION_load: load_begin(j); break;
	case HOST_OPERATION_submit:
		worker_notify_run(((const struct ptowsp_run_args *)j->call.values[1].data)->token, j->request->joined);
		worker_run_begin(((const struct ptowsp_run_args *)j->call.values[1].data)->token);
		break;
	}
}

static void call_end(struct job *j)
{
	switch (j->request->operation) {
#if PTOWSP_ABI_MINOR >= 1
	case HOST_OPERATION_buffers_import: import_end(j); break;
#endif
	case HOST_OPERATION_extension: ((struct host_frame *)(void *)j->out.bytes)->answer = extension_end(&j->call); break;
	case HOST_OPERATION_fini: host_services_finish(&worker.services); break; /* says what was not given back */
	case HOST_OPERATION_open:
		if (!j->call.status)
			worker_device_add(*(struct ptowsp_object *const *)j->call.values[2].data);
		break;
	case HOST_OPERATION_load: load_end(j); break;
	case HOST_OPERATION_unload: unload_end(j->call.values[0].data); break;
	case HOST_OPERATION_close: worker_device_remove(j->call.values[0].pointer); break;
	case HOST_OPERATION_submit:
		if (j->call.status)
			worker_run_end(((const struct ptowsp_run_args *)j->call.values[1].data)->token);
		break;
	}
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void *away_take(struct host_unwire *in, const struct host_field *field, uint64_t place)
{
	struct job *j = in->context;

	return field->kind == HOST_FIELD_RECORDS ? (char *)j->sections + place : worker_place(place, &j->error);
}

static ptowsp_status described_do(struct job *j)
{
	j->call.operation = &host_operations[j->request->operation];
	j->call.error = &j->error;
	j->in->away = away_take;
	j->in->context = j;
	if (j->request->sections && !(j->sections = worker_sections(j->request->sections, &j->section_bytes, &j->error)))
		return broken(j);
	if (!host_unmarshal_in(j->in, &j->call, &j->rooms))
		return broken(j);
	call_begin(j);
	if (!j->call.status)
		host_call_run(&worker.caller, &j->call);
	call_end(j);
	host_marshal_out(&j->out, &j->call, &j->rooms);
	return j->call.status;
}

static ptowsp_status request_do(struct job *j)
{
	switch (j->request->operation) {
	case HOST_FRAME_BEGIN: return do_begin(j);
	case HOST_FRAME_FILES: worker_files((uint32_t)j->request->values[0]); return PTOWSP_OK;
	case HOST_FRAME_FORGET: worker_forget((uint32_t)j->request->values[0]); return PTOWSP_OK;
	case HOST_FRAME_CLOSE: close((int)j->request->values[0]); return PTOWSP_OK;
	case HOST_FRAME_ANSWER: worker_notify_answer(j->request); return PTOWSP_OK;
	case HOST_FRAME_END: _exit(0);
	}
	return j->request->operation < HOST_OPERATION_COUNT ? described_do(j) : broken(j);
}

/* Calls of the host that no answer is waited for. */
static bool is_told(uint32_t operation)
{
	return operation == HOST_FRAME_FILES || operation == HOST_FRAME_FORGET || operation == HOST_FRAME_CLOSE || operation == HOST_FRAME_ANSWER;
}

static void job_finish(struct job *j)
{
	host_rooms_finish(&j->rooms);
	if (j->sections)
		munmap(j->sections, (size_t)j->section_bytes);
}

/* Threads that are there now have to be within their limit before anything runs on them: the keeper looks now and then, and short runs are over before. The keeper sees
 * later ones. */
static ptowsp_status threads_check(const struct job *j, struct ptowsp_error *error)
{
	const uint32_t operation = j->request->operation;
	char text[100];

	if (!worker.confined || (operation != HOST_OPERATION_open && operation != HOST_OPERATION_load) ||
	    worker_usage_over(getpid(), &worker.limits, UINT64_MAX) != HOST_LIMIT_THREADS)
		return PTOWSP_OK;
	host_limits_text(&worker.limits, HOST_LIMIT_THREADS, text, sizeof(text));
	return host_fail(error, PTOWSP_DEVICE_LOST, "%.60s: %s in %s; allow more, or use fewer --threads", worker.name, text, host_operations[operation].name);
}

/* A plugin that was refused something by the system says so in the system's words, and cannot know that the sandbox refuses it. */
static void sandbox_name(ptowsp_status status, struct ptowsp_error *error)
{
	static const int refusals[] = {EPERM, EACCES};
	const size_t length = strlen(error->text);

	if (status == PTOWSP_NO_MEMORY) {
		host_limits_hint(&worker.limits, error->text, sizeof(error->text));
		return;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (strstr(error->text, strerror(refusals[i]))) {
			snprintf(error->text + length, sizeof(error->text) - length,
				 "; it runs in a sandbox, which may do little; --isolate=process lets it do that");
			return;
		}
}

void worker_call(const struct host_frame *request, struct host_unwire *wire)
{
	struct job j = {.request = request, .in = wire, .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};
	struct host_frame *frame;
	ptowsp_status status;

	worker_frame(&j.out, request->operation);
	status = request_do(&j);
	if (!status)
		status = threads_check(&j, &j.error);
	j.error.text[sizeof(j.error.text) - 1] = '\0';
	if (status && worker.confined)
		sandbox_name(status, &j.error);
	job_finish(&j);
	if (is_told(request->operation)) {
		host_wire_finish(&j.out);
		return;
	}
	if (j.out.failed) { /* its answer is too large */
		host_wire_finish(&j.out);
		worker_frame(&j.out, request->operation);
		status = host_fail(&j.error, PTOWSP_NO_MEMORY, "%s: no memory in its worker for what it answered", worker.name);
	}
	frame = (struct host_frame *)(void *)j.out.bytes;
	frame->call = request->call;
	frame->status = status;
	frame->error = j.error;
	worker_send(HOST_UP_REPLY, &j.out);
}
