/* SPDX-License-Identifier: MIT */
/* session.c - the life of a program: load, submit, wait, results, unload. */
#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "host/plan/match.h"
#include "host/run/host_program.h"
#include "host/run/kernels_ffi.h"
#include "host/trust/code.h"
#include "host/worker/remote.h"
#include "registry/names.h"

#define SLICE_NS UINT64_C(50000000) /* how long a poll may take before the host looks again */
#define PAUSE_NS UINT64_C(200000)   /* between two polls that completed nothing */
#define HELD_NS  UINT64_C(1000000)  /* the same while the run waits for a fence of the host, which anybody may signal */

static ptowsp_status tables_make(struct ptowsp_program *p, struct ptowsp_error *error)
{
	const struct pkg_tables *t = p->plan->tables;

	p->tensors = calloc(p->plan->tensor_count + 1u, sizeof(*p->tensors));
	p->bindings = calloc(p->plan->tensor_count + 1u, sizeof(*p->bindings));
	p->values = calloc(t->slot_count + 1u, sizeof(*p->values));
	p->value_known = calloc(t->slot_count + 1u, 1);
	if (!p->tensors || !p->bindings || !p->values || !p->value_known)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for a program");
	for (uint32_t i = 0; i < t->slot_count; i++) {
		p->values[i] = t->slot[i].value;
		p->value_known[i] = t->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT;
	}
	return PTOWSP_OK;
}

/* Code that a device lacks can be made: who has no device, or one that does not open, is told that. */
static ptowsp_status device_first(struct ptowsp_program *p, const struct ptowsp_match *match, ptowsp_status status, struct ptowsp_error *error)
{
	const struct reg_verdict *row = reg_match_refused(match->rows, match->count);
	struct ptowsp_error missing = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	ptowsp_status there = status && row && row->kind == REG_VERDICT_KERNEL ? host_backend_device_open(p->backend, &missing) : PTOWSP_OK;

	if (!there)
		return status;
	*error = missing;
	return there;
}

/* Directives met below enforced are said here, once each; the plugin's own words for the same feature are repeats. */
static ptowsp_status match(struct ptowsp_program *p, uint32_t flags, struct ptowsp_error *error)
{
	struct ptowsp_match *match;
	ptowsp_status status = host_match_create(&match, p->backend, p->plan, flags, false, error);

	if (status)
		return status;
	status = device_first(p, match, host_match_check(match, p->backend, p->plan, error), error);
	for (uint32_t i = 0; i < match->count && !status; i++) {
		const struct reg_verdict *row = &match->rows[i];
		char line[280];
		struct reg_text text;

		if (row->state >= PTOWSP_STATE_ENFORCED)
			continue;
		reg_text_init(&text, line, sizeof(line));
		reg_text_add(&text, "%s is %s: %s", row->what, reg_state_text(row->state), row->reason);
		host_services_diagnose(&p->backend->services, row->feature, row->state, line);
	}
	ptowsp_match_destroy(match);
	return status;
}

/* A plugin sees sections, not files: the host says which file it was. */
static ptowsp_status file_name(const struct ptowsp_program *p, ptowsp_status status, struct ptowsp_error *error)
{
	const char *path = pkg_path(p->plan->package->pkg), *slash = strrchr(path, '/');
	struct ptowsp_error why = *error;

	if ((status != PTOWSP_BAD_PACKAGE && status != PTOWSP_UNKNOWN_OPCODE) || strstr(why.text, path))
		return status;
	status = host_fail(error, status, "%.80s: %s", slash && strlen(path) > 80 ? slash + 1 : path, why.text);
	error->native = why.native;
	error->domain = why.domain;
	memcpy(error->where, why.where, sizeof(why.where));
	return status;
}

/* The answer of the plugin to the package without the overrides. */
static ptowsp_status alone(struct ptowsp_backend *backend, const struct ptowsp_plan *plan)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_load_args args;
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(plan->package->pkg, &count);
	struct ptowsp_object *object = NULL;
	ptowsp_status status;

	if (!backend->device)
		return PTOWSP_NO_DEVICE;
	args = host_plan_load_args(plan, sections, count, 0);
	status = host_call_load(&backend->caller, backend->device, &args, &object, &ignored);
	if (!status)
		host_call_unload(&backend->caller, object, &ignored);
	return status;
}

ptowsp_status host_answer_plan(struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const char *operation, ptowsp_status status,
			       struct ptowsp_error *error)
{
	struct host_cause cause = host_backend_cause(backend, operation);
	const bool overridden = plan->overrides.count > 0;

	cause.chosen = cause.chosen || overridden || status == PTOWSP_INVALID;
	status = host_answer(&cause, status, error);
	if (status == PTOWSP_BAD_PACKAGE && overridden && !alone(backend, plan))
		return error->code = PTOWSP_INVALID;
	if (status != PTOWSP_INVALID || backend->has_settings || (overridden && alone(backend, plan) != PTOWSP_INVALID))
		return status;
	return error->code = PTOWSP_BAD_PACKAGE;
}

static ptowsp_status load(struct ptowsp_program *p, uint32_t flags, struct ptowsp_error *error)
{
	struct ptowsp_load_args args = host_plan_load_args(p->plan, p->plan->sections, p->plan->section_count,
							   (flags & PTOWSP_LOAD_STRICT) | (p->findings.trusted ? PTOWSP_LOAD_TRUST_NATIVE : 0));
	uint64_t begin = host_now_ns();
	void *blobs;
	ptowsp_status status;

	if (p->findings.looks && p->findings.trusted && p->backend->plugin->remote)
		args.flags |= PTOWSP_LOAD_LOOK; /* its worker looks for it */
	host_compiled_find(p, &args, &blobs);
	status = host_call_load(&p->backend->caller, p->backend->device, &args, &p->object, error);
	if (status && host_compiled_refused(p, &args))
		status = host_call_load(&p->backend->caller, p->backend->device, &args, &p->object, error);
	host_stored_finish(&p->compiled.found);
	free(blobs);
	p->compile_ns = host_now_ns() - begin;
	if (status)
		p->object = NULL;
	return host_answer_plan(p->backend, p->plan, "load", status, error);
}

void host_program_keep(struct ptowsp_program *p, uint32_t flags)
{
	if (p->findings.trusted) { /* its native code was only looked at */
		ptowsp_program_unload(p);
		return;
	}
	p->findings.looks = false;
	p->backend->kept = p;
	p->backend->kept_flags = flags & ~PTOWSP_LOAD_LOOK;
}

/* NULL: nothing is kept, or something else, which is then dropped. */
static struct ptowsp_program *kept_take(struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags)
{
	struct ptowsp_program *p = backend->kept;

	backend->kept = NULL;
	if (p && p->plan == plan && backend->kept_flags == (flags & ~PTOWSP_LOAD_LOOK)) {
		p->findings.looks = flags & PTOWSP_LOAD_LOOK;
		return p;
	}
	ptowsp_program_unload(p);
	return NULL;
}

ptowsp_status ptowsp_program_load(struct ptowsp_program **out, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
				  struct ptowsp_error *error)
{
	struct ptowsp_program *p;
	ptowsp_status status;

	*out = kept_take(backend, plan, flags);
	if (*out)
		return PTOWSP_OK;
	p = calloc(1, sizeof(*p));
	error = host_error_enter(error);
	if (!p)
		return host_error_leave(host_fail(error, PTOWSP_NO_MEMORY, "no memory for a program"), error);
	p->backend = backend;
	p->plan = plan;
	p->findings.trusted = host_trust_flags(backend, plan, flags, p->findings.trust) & PTOWSP_LOAD_TRUST_NATIVE;
	p->findings.looks = flags & PTOWSP_LOAD_LOOK;
	host_report_finish(&p->run.report);
	host_services_aim(&backend->services, &p->diagnostics, &p->findings);
	status = tables_make(p, error);
	if (!status)
		status = match(p, flags, error);
	if (!status)
		status = host_backend_device_open(backend, error);
	if (!status)
		status = load(p, flags, error);
	status = file_name(p, status, error);
	host_services_aim(&backend->services, &p->diagnostics, NULL);
	if (status)
		ptowsp_program_unload(p);
	else
		*out = p;
	return host_error_leave(status, error);
}

const char *ptowsp_program_trust(const struct ptowsp_program *p)
{
	return p->findings.trust;
}

void ptowsp_program_unload(struct ptowsp_program *p)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char unsaid[HOST_RUNS_TEXT];
	bool lives;

	if (!p)
		return;
	if (p->run.group && host_runs_is_complete(&p->backend->services.runs, &p->run)) { /* joined, and never started */
		host_group_leave(p->run.group, p->run.member, unsaid, sizeof(unsaid));
		p->run.group = NULL;
	}
	host_fence_points_free(&p->waits);
	host_fence_points_free(&p->signals);
	if (p->object) {
		if (atomic_load(&p->run.held)) /* it has not begun, and nobody could signal what it waits for */
			atomic_store(&p->run.cancelled, true);
		ptowsp_synchronize(p, UINT64_MAX, &error);
		host_compiled_keep(p);
		lives = host_backend_worker_lives(p->backend);
		host_backend_end_tell(p->backend, lives, host_call_unload(&p->backend->caller, p->object, &error), &error);
	}
	host_services_aim(&p->backend->services, NULL, NULL);
	host_tensors_finish(p);
	host_kernels_destroy(p->findings.kernels);
	host_code_destroy(p->findings.code);
	host_diagnostics_finish(&p->diagnostics);
	host_report_finish(&p->run.report);
	free(p->values);
	free(p->value_known);
	free(p);
}

struct ptowsp_run_args host_run_args(const struct ptowsp_program *p, const struct ptowsp_execute_options *options)
{
	return (struct ptowsp_run_args){
		.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS),
		.program = p->object,
		.bindings = p->bindings,
		.binding_count = p->binding_count,
		.binding_stride = sizeof(*p->bindings),
		.values = p->values,
		.value_count = p->plan->tables->slot_count,
		.flags = (options->flags & (PTOWSP_RUN_NO_KERNELS | PTOWSP_RUN_STRICT)) | (p->backend->validates ? PTOWSP_RUN_STRICT : 0) |
			 (options->flags & PTOWSP_RUN_LOOK ? PTOWSP_RUN_NO_KERNELS : 0),
		.deadline_ns = options->timeout_ns ? host_now_ns() + options->timeout_ns : 0,
		.max_tasks = options->max_tasks,
	};
}

struct host_cause host_program_cause(const struct ptowsp_program *p, const char *operation, uint64_t deadline_ns)
{
	struct host_cause cause = host_backend_cause(p->backend, operation);

	cause.chosen = cause.chosen || p->plan->overrides.count || p->asked;
	for (uint32_t i = 0; i < p->plan->tensor_count; i++)
		cause.chosen = cause.chosen || host_tensor_is_bound(&p->tensors[i]) || p->tensors[i].fill || *p->tensors[i].given_from;
	cause.late = cause.late || (deadline_ns && host_now_ns() >= deadline_ns);
	return cause;
}

/* The place in the source of an instruction of the workload, as backends say it. */
static void instruction_text(const struct pkg_tables *t, uint32_t instruction, struct reg_text *text)
{
	reg_text_add(text, "instruction %u", instruction);
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (!t->debug[i].kind && t->debug[i].row == instruction) {
			reg_text_add(text, " (%.40s:%u:%u)", pkg_string(t, t->debug[i].file), t->debug[i].line, t->debug[i].column);
			return;
		}
}

ptowsp_status host_partner_check(const struct ptowsp_program *p, struct ptowsp_error *error)
{
	struct reg_text text;
	char where[96];

	if (p->run.group || p->plan->usage.partner == PTOWSP_NONE)
		return PTOWSP_OK;
	reg_text_init(&text, where, sizeof(where));
	instruction_text(p->plan->tables, p->plan->usage.partner, &text);
	return host_fail(error, PTOWSP_INVALID, "%s: this run has one device; give it more with --device=SEL,SEL", where);
}

static ptowsp_status run_answer(struct ptowsp_program *p, const char *operation, ptowsp_status status, struct ptowsp_error *error)
{
	struct host_cause cause = host_program_cause(p, operation, p->run.deadline_ns);

	cause.cancelled = atomic_load(&p->run.cancelled);
	cause.late = true; /* an engine that cannot be looked into has a timeout of its own */
	return host_answer(&cause, status, error);
}

ptowsp_status host_run_submit(struct ptowsp_program *p, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	const ptowsp_status status = host_call_submit(&p->backend->caller, p->backend->device, args, error);

	return status ? run_answer(p, "submit", status, error) : PTOWSP_OK;
}

ptowsp_status ptowsp_execute_async(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	static const struct ptowsp_execute_options none = {0};
	struct host_runs *runs = &p->backend->services.runs;
	struct ptowsp_run_args args;
	ptowsp_status status = PTOWSP_OK;

	error = host_error_enter(error);
	options = options ? options : &none;
	if (!host_runs_is_complete(runs, &p->run))
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the program is still running"), error);
	if (!p->prepared)
		status = ptowsp_prepare(p, options, error);
	if (!status)
		status = host_partner_check(p, error);
	if (!status && p->run.group && (p->waits.count || p->signals.count))
		status = host_fail(error, PTOWSP_INVALID, "a run on several devices has no fences");
	if (status)
		return host_error_leave(status, error);
	host_services_aim(&p->backend->services, &p->diagnostics, NULL);
	if (options->flags & PTOWSP_RUN_LOOK)
		host_services_mute(&p->backend->services);
	status = host_runs_begin(runs, &p->run);
	if (status)
		return host_error_leave(host_fail(error, status, "too many runs at once on this backend"), error);
	p->prepared = false;
	args = host_run_args(p, options);
	p->run.deadline_ns = args.deadline_ns;
	p->run.looks = options->flags & PTOWSP_RUN_LOOK;
	p->compiled.began = !(args.flags & PTOWSP_RUN_NO_KERNELS);
	atomic_store(&p->run.cancelled, false);
	args.token = p->run.token;
	return host_error_leave(host_held_begin(p, &args, error), error);
}

/* One slice of waiting: a plugin without threads works in poll, for the others the host sleeps. */
static bool wait_slice(struct ptowsp_program *p, uint64_t until_ns)
{
	struct host_runs *runs = &p->backend->services.runs;
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	uint64_t slice = host_now_ns() + SLICE_NS;

	if (slice > until_ns)
		slice = until_ns;
	host_held_look(p->backend);
	if (host_runs_is_complete(runs, &p->run))
		return true;
	if (p->run.held && slice > host_now_ns() + HELD_NS)
		slice = host_now_ns() + HELD_NS;
	if (host_call_poll(&p->backend->caller, p->backend->device, slice, &ignored))
		return host_runs_wait(runs, &p->run, slice);
	return host_runs_wait(runs, &p->run, host_now_ns() + PAUSE_NS);
}

ptowsp_status ptowsp_synchronize(struct ptowsp_program *p, uint64_t timeout_ns, struct ptowsp_error *error)
{
	uint64_t now = host_now_ns(), until = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
	ptowsp_status status;

	error = host_error_enter(error);
	while (!wait_slice(p, until))
		if (host_now_ns() >= until)
			return PTOWSP_AGAIN;
	*error = p->run.report.error;
	p->compiled.ran |= p->compiled.began && !p->run.report.status;
	status = p->run.report.status ? run_answer(p, "the run", p->run.report.status, error)
		 : p->run.looks       ? host_diagnostics_needs(&p->diagnostics, error)
				      : PTOWSP_OK;
	return host_error_leave(status, error);
}

ptowsp_status ptowsp_execute(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = ptowsp_execute_async(p, options, error);

	return status ? status : ptowsp_synchronize(p, UINT64_MAX, error);
}

static ptowsp_status join_check(struct ptowsp_program *const *programs, uint32_t count, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!ptowsp_is_complete(programs[i]) || programs[i]->run.group)
			return host_fail(error, PTOWSP_INVALID, "program %u is still running, or part of another run on several devices", i);
		for (uint32_t k = 0; k < i; k++)
			if (programs[k]->backend == programs[i]->backend)
				return host_fail(error, PTOWSP_INVALID, "programs %u and %u have one backend; a run on two devices needs one for each", k, i);
	}
	return count ? PTOWSP_OK : host_fail(error, PTOWSP_INVALID, "a run needs a program");
}

ptowsp_status ptowsp_programs_join(struct ptowsp_program *const *programs, uint32_t count, struct ptowsp_error *error)
{
	struct host_group *group = NULL;
	ptowsp_status status;

	error = host_error_enter(error);
	status = join_check(programs, count, error);
	if (!status && !(group = host_group_create(count)))
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory for a run on several devices");
	for (uint32_t i = 0; !status && i < count; i++) {
		programs[i]->run.group = group;
		programs[i]->run.member = i;
		host_group_names(group, i, programs[i]->plan->tables);
	}
	return host_error_leave(status, error);
}

int ptowsp_is_complete(struct ptowsp_program *p)
{
	if (p->backend->plugin->remote)
		host_remote_look(p->backend->plugin->remote);
	return host_runs_is_complete(&p->backend->services.runs, &p->run);
}

ptowsp_status ptowsp_cancel(struct ptowsp_program *p, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	if (ptowsp_is_complete(p))
		return PTOWSP_OK;
	atomic_store(&p->run.cancelled, true);
	if (atomic_load(&p->run.held)) /* it ends by the next look at it */
		return PTOWSP_OK;
	return host_error_leave(host_call_cancel(&p->backend->caller, p->backend->device, p->run.token, error), error);
}
