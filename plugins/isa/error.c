/* SPDX-License-Identifier: MIT */
/* error.c - sentences into a caller's error record. */
#include "isa/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void begin(struct ptowsp_error *error, ptowsp_status code, uint32_t domain)
{
	error->code = code;
	error->native = 0;
	error->domain = domain;
	error->flags = 0;
	error->where[0] = error->where[1] = UINT64_MAX;
}

ptowsp_status isa_error(struct ptowsp_error *error, ptowsp_status code, const char *format, ...)
{
	va_list list;

	if (error) {
		begin(error, code, PTOWSP_DOMAIN_PLUGIN);
		va_start(list, format);
		vsnprintf(error->text, sizeof(error->text), format, list);
		va_end(list);
	}
	return code;
}

ptowsp_status isa_state_fail(const struct isa_state *state, const struct isa_step *s, const char *format, ...)
{
	const struct isa_program *p = state->program;
	const ptowsp_status code = state->task ? PTOWSP_KERNEL_FAILED : PTOWSP_RUN_FAILED;
	struct ptowsp_error *error = state->error;
	va_list list;
	int length;

	if (!error)
		return code;
	begin(error, code, PTOWSP_DOMAIN_KERNEL);
	if (s)
		length = snprintf(error->text, sizeof(error->text), "kernel %.64s %s: ", p->name, isa_program_place(p, (uint32_t)(s - p->steps)).text);
	else
		length = snprintf(error->text, sizeof(error->text), "kernel %.64s: ", p->name);
	va_start(list, format);
	vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format, list);
	va_end(list);
	if (state->task) {
		error->where[0] = state->task->number;
		error->where[1] = state->task->kernel;
	}
	return code;
}
