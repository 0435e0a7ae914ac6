/* SPDX-License-Identifier: MIT */
/* answer.h - a status of a plugin that speaks about its caller: of a setting, a signal, a deadline, an expectation. */
#ifndef HOST_ANSWER_H
#define HOST_ANSWER_H

#include <stdbool.h>

#include "host/host_error.h"

/* Facts of the host about one operation. */
struct host_cause {
	const char *plugin, *operation; /* names, for the sentence */
	bool chosen;                    /* the caller gave something that the operation reads: INVALID, NOT_FOUND and IO may be about that */
	bool cancelled;                 /* somebody cancelled it */
	bool late;                      /* the host's own limit for it has passed */
};

/* status itself where the facts allow it. Else RUN_FAILED, with plugin, operation and status in front of the sentence; MISMATCH always, because only the host compares.
 * Any thread. */
ptowsp_status host_answer(const struct host_cause *cause, ptowsp_status status, struct ptowsp_error *error);

#endif
