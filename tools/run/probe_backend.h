/* SPDX-License-Identifier: MIT */
/* probe_backend.h - the backend that is probed: its configurations, the packages, and one run of one of them. One thread at a time. */
#ifndef TOOLS_RUN_PROBE_BACKEND_H
#define TOOLS_RUN_PROBE_BACKEND_H

#include "tools/run/probe.h"
#include "tools/run/probe_run.h"

#include <limits.h>

enum { PROBE_PACKAGES = 32, PROBE_SETTINGS = 16, PROBE_KEPT = 512 };

struct probe_opened {
	char name[24];
	struct ptowsp_package *package;
};
/* A run that ended well: another row that asks for the same looks at what it left. */
struct probe_kept {
	const char *text; /* of probe.def */
	bool is_wide;
	struct probe_outcome *outcome; /* owned */
};
struct probe {
	struct ptowsp_backend_options options; /* of the caller, without its log */
	struct ptowsp_setting settings[PROBE_SETTINGS];
	struct ptowsp_backend *backend;
	struct ptowsp_backend *reference; /* cpu_sim, where operations are held against it; NULL: not opened yet */
	struct ptowsp_backend *wide;      /* the second configuration; NULL: not opened yet, or it cannot be */
	bool is_wide;                     /* the probe in progress is of that one */
	struct ptowsp_backend *fresh[2];  /* by is_wide: opened behind a crash, for runs instead of the other; rows and names stay those of the first one */
	bool is_gone[2];                  /* nothing runs there any more */
	struct probe_loss loss;
	struct probe_device device;
	uint32_t crashes;
	bool hangs;
	struct probe_watch watch;
	char folder[PATH_MAX];
	struct probe_opened packages[PROBE_PACKAGES];
	uint32_t package_count;
	struct probe_kept kept[PROBE_KEPT];
	uint32_t kept_count;
	struct probe_outcome without, with; /* of the probe in progress: large */
};

/* Sets state and sentence of a result; returns the state. */
__attribute__((format(printf, 3, 4))) enum probe_state probe_say(struct probe_result *result, enum probe_state state, const char *format, ...);
/* The backend of the configuration that is probed just now. */
struct ptowsp_backend *probe_backend_now(const struct probe *probe);
/* A refusal because of what the package holds; any other reason says nothing about the feature. */
bool probe_refuses(ptowsp_status status);
/* This machine has it not, under its limits, whatever is claimed. */
bool probe_lacks(ptowsp_status status);
/* One run, text as in probe.def, into *outcome. PROBE_ENFORCED: it can be looked at; else *result says why not. */
enum probe_state probe_take(struct probe *probe, const char *text, uint32_t feature, struct probe_outcome *outcome, struct probe_result *result);
/* probe_tile.c: of a row of operations. */
void probe_tiles(struct probe *probe, uint32_t feature, struct probe_result *result);
/* A package of the folder, opened once. NULL: *error says why not. */
struct ptowsp_package *probe_package(struct probe *probe, const char *name, struct ptowsp_error *error);
/* For runs: the backend of now, or behind a crash one that is opened like it; and that it crashed, or did not come back. */
ptowsp_status probe_runner_open(struct probe *probe, struct ptowsp_backend **out, struct ptowsp_error *error);
enum probe_state probe_lose(struct probe *probe, uint32_t feature, const struct ptowsp_error *error, struct probe_result *result);
/* Can there be a second configuration, with several scheduler instances? It is opened once. */
bool probe_wide_open(struct probe *probe);

#endif
