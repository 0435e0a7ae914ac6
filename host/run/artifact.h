/* SPDX-License-Identifier: MIT */
/* artifact.h - files that a backend gives away, on their way to who asked for them. */
#ifndef HOST_ARTIFACT_H
#define HOST_ARTIFACT_H

#include "host/host_backend.h"

/* The receiver of the files, and the first thing that was wrong. */
struct host_artifact_sink {
	const struct ptowsp_backend *backend;
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void *context;
	ptowsp_status refused;
	struct ptowsp_error *error;
};
/* For the backend, with the sink as its context: looks at the path and hands the file on. */
ptowsp_status host_artifact_take(void *context, const char *path, const void *bytes, uint64_t size);
/* The answer to the caller: its own refusal of a file before what the backend made of it. */
ptowsp_status host_artifact_answer(struct host_artifact_sink *g, ptowsp_status status, struct ptowsp_error *theirs, struct ptowsp_error *error);

#endif
