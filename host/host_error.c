/* SPDX-License-Identifier: MIT */
/* host_error.c - the last error of each thread. */
#include "host/host_error.h"

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

void host_line(char *text, size_t room)
{
	text[room - 1] = '\0';
	reg_text_plain(text, ' ');
	if (!text[strspn(text, " ")])
		text[0] = '\0';
}

ptowsp_status host_error_leave(ptowsp_status status, struct ptowsp_error *error)
{
	if (status) {
		host_line(error->text, sizeof(error->text));
		memcpy(last, error->text, sizeof(last));
	} else { /* what was tried in between and did not go is no failure */
		error->text[0] = '\0';
		error->code = PTOWSP_OK;
	}
	return status;
}

const char *ptowsp_last_error(void)
{
	return last;
}
