/* SPDX-License-Identifier: MIT */
/* moody.h - one of everything that the embedding API has, on the plugin that has moods (tests/isolate/moody.c): any number of them at once. */
#ifndef TESTS_MOODY_H
#define TESTS_MOODY_H

#include <stdbool.h>

#include "host/ptowsp_host.h"

struct moody {
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	char log[512];
	uint32_t lines;   /* that were said */
	char last[200];   /* of them */
	uint64_t said_ns; /* when its plugin said something last */
	bool asks;        /* set before it is opened: its plugin's note asks a sandbox for more */
};

/* The path of a package of no tasks, made anew for each test that asks; the same string each time. */
const char *moody_empty(void);
/* A package and its plan. */
ptowsp_status moody_package(struct moody *m, const char *path, struct ptowsp_error *error);
/* The plugin in a mood. load_timeout_ms: 0 for the host's own. */
ptowsp_status moody_backend(struct moody *m, const char *mood, uint32_t isolate, uint32_t load_timeout_ms, struct ptowsp_error *error);
/* Package, plan, backend in a worker, and program. */
ptowsp_status moody_open(struct moody *m, const char *package, const char *mood, struct ptowsp_error *error);
/* What of it is there. */
void moody_close(struct moody *m);

#endif
