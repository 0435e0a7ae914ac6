/* SPDX-License-Identifier: MIT */
/* answer.c - statuses of plugins: held against facts of the host. */
#include "host/call/answer.h"

#include "registry/names.h"

static bool is_possible(const struct host_cause *cause, ptowsp_status status)
{
	switch (status) {
	case PTOWSP_INVALID:
	case PTOWSP_NOT_FOUND:
	case PTOWSP_IO: return cause->chosen;
	case PTOWSP_CANCELLED: return cause->cancelled;
	case PTOWSP_DEADLINE: return cause->late;
	}
	return status != PTOWSP_MISMATCH;
}

ptowsp_status host_answer(const struct host_cause *cause, ptowsp_status status, struct ptowsp_error *error)
{
	if (!status)
		return status;
	if (!is_possible(cause, status))
		return host_fail(error, PTOWSP_RUN_FAILED, "%s answers %s with %s: %s", cause->plugin, cause->operation, reg_status_name(status), error->text);
	return status;
}
