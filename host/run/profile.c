/* SPDX-License-Identifier: MIT */
/* profile.c - times that the backend measured in the latest run. */
#include <string.h>

#include "host/host_error.h"
#include "host/run/host_program.h"

#if PTOWSP_ABI_MINOR >= 1
#include "ptowsp/profile.h"

static void row_copy(struct ptowsp_profile_row *to, const void *from, uint32_t stride)
{
	*to = (struct ptowsp_profile_row){0};
	memcpy(to, from, stride < sizeof(*to) ? stride : sizeof(*to));
	to->what[sizeof(to->what) - 1] = '\0';
}

ptowsp_status ptowsp_profile_visit(struct ptowsp_program *program, void (*visit)(void *context, const struct ptowsp_profile_row *row), void *context,
				   struct ptowsp_error *error)
{
	struct ptowsp_backend *backend = program->backend;
	const struct ptowsp_profile_row *rows = NULL;
	uint32_t count = 0, stride = 0;
	struct ptowsp_profile_row row;
	ptowsp_status status;

	error = host_error_enter(error);
	if (!host_caller_offers(&backend->caller, backend->instance, HOST_OPERATION_profile_rows))
		return host_error_leave(host_fail(error, PTOWSP_UNSUPPORTED, "%s measures no times of kernels", ptowsp_backend_name(backend)), error);
	if (!host_runs_is_complete(&backend->services.runs, &program->run))
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the program is still running"), error);
	status = host_call_profile_rows(&backend->caller, program->object, &rows, &count, &stride, error);
	for (uint32_t i = 0; !status && i < count; i++) {
		row_copy(&row, (const char *)rows + (size_t)i * stride, stride);
		if (*ptowsp_plan_kernel(program->plan, row.kernel))
			visit(context, &row);
	}
	return host_error_leave(status, error);
}
#else
ptowsp_status ptowsp_profile_visit(struct ptowsp_program *program, void (*visit)(void *context, const struct ptowsp_profile_row *row), void *context,
				   struct ptowsp_error *error)
{
	(void)visit, (void)context;
	error = host_error_enter(error);
	return host_error_leave(host_fail(error, PTOWSP_UNSUPPORTED, "%s measures no times of kernels", ptowsp_backend_name(program->backend)), error);
}
#endif
