/* SPDX-License-Identifier: MIT */
/* answer.c - statuses of plugins: held against facts of the host. */
#include "host/call/answer.h"

#include "registry/names.h"

static bool is_possible(const struct host_cause *cause, ptowsp_status st)
{
	switch (st) {
	case PTOWSP_INVALID:
	case PTOWSP_NOT_FOUND:
	case PTOWSP_IO: return cause->chosen;
	case PTOWSP_CANCELLED: return cause->cancelled;
	case PTOWSP_DEADLINE: return cause->late;
	}
	return st != PTOWSP_MISMATCH;
}

ptowsp_status host_answer(const struct host_cause *cause, ptowsp_status st, struct ptowsp_error *error)
{
	if (!st)
		return st;
	error->text[sizeof(error->text) - 1] = '\0';
	if (!is_possible(cause, st))
		return host_fail(error, PTOWSP_RUN_FAILED, "%s answers %s with %s: %s", cause->plugin, cause->operation, reg_status_name(st),
				 error->text[0] ? error->text : "no sentence");
	return error->text[0] ? st : host_fail(error, st, "%s: %s failed and did not say why", cause->plugin, cause->operation);
}
