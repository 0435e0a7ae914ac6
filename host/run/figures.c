/* SPDX-License-Identifier: MIT */
/* figures.c - what a backend makes of one run, as files, and what it has to say of the latest one. */
#include <string.h>

#include "host/host_error.h"
#include "host/run/artifact.h"
#include "host/run/host_program.h"
#include "ptowsp/report.h"

int ptowsp_report_has_files(struct ptowsp_backend *backend)
{
	return host_caller_offers(&backend->caller, backend->instance, HOST_OPERATION_report_emit);
}

/* A refusal of g's is not the plugin's. */
static ptowsp_status files_answer(const struct host_artifact_sink *g, const struct ptowsp_program *program, const struct ptowsp_run_args *args,
				  ptowsp_status status, struct ptowsp_error *error)
{
	const struct host_cause cause = host_program_cause(program, "emit", args->deadline_ns);

	return g->refused ? status : host_answer(&cause, status, error);
}

ptowsp_status ptowsp_report_emit(struct ptowsp_program *program, const struct ptowsp_execute_options *options,
				 ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
				 struct ptowsp_error *error)
{
	static const struct ptowsp_execute_options none = {0};
	struct ptowsp_backend *backend = program->backend;
	struct ptowsp_error theirs = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}, ours = theirs;
	struct host_artifact_sink g = {backend, file, context, PTOWSP_OK, &ours};
	struct ptowsp_run_args args;
	ptowsp_status status = PTOWSP_OK;

	error = host_error_enter(error);
	options = options ? options : &none;
	if (!ptowsp_report_has_files(backend))
		return host_error_leave(host_fail(error, PTOWSP_UNSUPPORTED, "%s makes no files of a run", ptowsp_backend_name(backend)), error);
	if (!host_runs_is_complete(&backend->services.runs, &program->run))
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the program is still running"), error);
	if (!program->prepared)
		status = ptowsp_prepare(program, options, error);
	if (status)
		return status;
	args = host_run_args(program, options);
	host_services_aim(&backend->services, &program->diagnostics, NULL);
	status = host_call_report_emit(&backend->caller, program->object, &args, host_artifact_take, &g, &theirs);
	return host_error_leave(files_answer(&g, program, &args, host_artifact_answer(&g, status, &theirs, error), error), error);
}

static ptowsp_status file_drop(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)context, (void)path, (void)bytes, (void)size;
	return PTOWSP_OK;
}

/* The files of a trial design go nowhere, and messages about them are dropped, because the run says them again. kernels: the run comes to them before its design is made. */
static ptowsp_status design_try(struct ptowsp_program *program, const struct ptowsp_execute_options *options, bool kernels, struct ptowsp_error *error)
{
	struct host_services *services = &program->backend->services;
	struct ptowsp_error theirs = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}, ours = theirs;
	struct host_artifact_sink g = {program->backend, file_drop, NULL, PTOWSP_OK, &ours};
	const struct ptowsp_run_args args = host_run_args(program, options);
	struct host_diagnostics told = {0};
	ptowsp_status status, needs;

	host_services_aim(services, &told, NULL);
	host_services_mute(services);
	status = host_call_report_emit(&program->backend->caller, program->object, &args, host_artifact_take, &g, &theirs);
	host_services_aim(services, &program->diagnostics, NULL);
	status = files_answer(&g, program, &args, host_artifact_answer(&g, status, &theirs, error), error);
	needs = kernels ? host_diagnostics_needs(&told, error) : PTOWSP_OK;
	host_diagnostics_finish(&told);
	return needs ? needs : status;
}

ptowsp_status ptowsp_program_place(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	static const struct ptowsp_execute_options none = {0};
	struct ptowsp_execute_options counted = options ? *options : none;
	struct ptowsp_backend *backend = program->backend;
	const bool counts = counted.flags & PTOWSP_RUN_NO_KERNELS;
	ptowsp_status status;

	error = host_error_enter(error);
	if (!ptowsp_report_has_files(backend))
		return PTOWSP_OK;
	if (!host_runs_is_complete(&backend->services.runs, &program->run))
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the program is still running"), error);
	counted.flags |= PTOWSP_RUN_NO_KERNELS;
	status = host_settle(program, &counted, error);
	if (!status)
		status = design_try(program, &counted, !counts, error);
	if ((status != PTOWSP_UNSUPPORTED || counts) && status != PTOWSP_INVALID) /* a run without kernels takes zeros for what its tasks would write */
		status = host_plan_data_check(program->plan, error) ? PTOWSP_INVALID : status;
	return host_error_leave(status, error);
}

int ptowsp_report_row(struct ptowsp_program *program, uint32_t index, struct ptowsp_figure *row_out)
{
	struct ptowsp_backend *backend = program->backend;
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const struct ptowsp_figure *rows = NULL;
	uint32_t count = 0, stride = 0;

	*row_out = (struct ptowsp_figure){0};
	if (!host_caller_offers(&backend->caller, backend->instance, HOST_OPERATION_report_figures) ||
	    !host_runs_is_complete(&backend->services.runs, &program->run) ||
	    host_call_report_figures(&backend->caller, program->object, &rows, &count, &stride, &ignored) || index >= count)
		return 0;
	memcpy(row_out, (const char *)rows + (size_t)index * stride, stride < sizeof(*row_out) ? stride : sizeof(*row_out));
	row_out->group[sizeof(row_out->group) - 1] = '\0';
	row_out->name[sizeof(row_out->name) - 1] = '\0';
	row_out->unit[sizeof(row_out->unit) - 1] = '\0';
	return 1;
}
