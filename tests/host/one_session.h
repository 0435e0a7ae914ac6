/* SPDX-License-Identifier: MIT */
/* one_session.h - one of everything that the embedding API has, on the probe plugin: a test opens what it needs and closes all at its end. */
#ifndef TESTS_ONE_SESSION_H
#define TESTS_ONE_SESSION_H

#include <stdbool.h>

#include "host/ptowsp_host.h"
#include "tests/taskgraph/one_task.h"

extern struct one_session {
	void *bytes; /* of the package */
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	char log[512];
	struct ptowsp_error error; /* of the latest call; stays when all is closed */
} one_session;

extern const struct one_task one_session_shaped, one_session_shapeless;

/* The kernel of the package as a function of the embedding program: z = x + y. */
void one_session_combine(float *x, float *y, float *z, int64_t n);

void one_session_close(void);
/* The package of spec and its plan; closes what a test that failed before its end has left. */
ptowsp_status one_session_plan(const struct one_task *spec, const char *const *schedule, uint32_t count);
/* The probe in a mode; NULL: its default. */
ptowsp_status one_session_backend(const char *mode);
/* Everything up to a loaded program with n set. */
bool one_session_start(const struct one_task *spec, const char *mode);
const float *one_session_output(void);

#endif
