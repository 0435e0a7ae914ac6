/* SPDX-License-Identifier: MIT */
/* error.c - the last error of each thread. */
#include "host/error.h"

#include <string.h>

#include "host/ptowsp_host.h"

static _Thread_local struct ptowsp_error spare; /* stands in for a NULL error argument */
static _Thread_local char last[sizeof(spare.text)];

struct ptowsp_error *host_error_enter(struct ptowsp_error *error)
{
	if (!error)
		error = &spare;
	error->head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_error, ERROR); /* it goes on to plugins; an embedder may have left it zero */
	error->text[0] = '\0';
	return error;
}

ptowsp_status host_error_leave(ptowsp_status status, const struct ptowsp_error *error)
{
	if (status) {
		memcpy(last, error->text, sizeof(last));
		last[sizeof(last) - 1] = '\0';
	}
	return status;
}

const char *ptowsp_last_error(void)
{
	return last;
}
