/* SPDX-License-Identifier: MIT */
/* probe.h - does a backend do what its capability rows say? A probe runs a small package with and without a feature and looks for
 * the difference that tools/run/probe.def names. Only the embedding API is used: what holds for a plugin of the tree holds for any other.
 *
 * One thread at a time per handle. */
#ifndef TOOLS_PROBE_H
#define TOOLS_PROBE_H

#include <stdbool.h>

#include "host/ptowsp_host.h"

/* A backend under probe, the packages that are used, and what was seen so far. */
struct probe;

/* backend: how to open it; borrowed until probe_close, its log is not used. folder: of the probe packages; NULL: packages/probes
 * beside the folder of the running program, else share/ptowsp/v10/probes there, else the one that tools/ninja/install uses.
 * Errors: as ptowsp_backend_open, NO_MEMORY. A missing folder is no error: each probe then says so. */
ptowsp_status probe_open(struct probe **out, const struct ptowsp_backend_options *backend, const char *folder, struct ptowsp_error *error);
void probe_close(struct probe *probe); /* NULL is allowed */
/* Opens the device that probes run on, for who wants to know first whether it is there. Errors: as ptowsp_backend_device_open. */
ptowsp_status probe_device_open(struct probe *probe, struct ptowsp_error *error);
/* The phase of a probe. */
enum probe_phase { PROBE_RESTS, PROBE_LOADS /* opens, loads or unloads */, PROBE_RUNS, PROBE_CLOSES };
/* watch is called at each change of the phase: a backend in this process that does not come back takes the process along, and only the caller can end that. NULL: nobody watches. context is
 * borrowed until probe_close. limit_ms: of each run; 0: PROBE_LIMIT_MS, which holds also without a call. */
enum { PROBE_LIMIT_MS = 20000 };
void probe_watch(struct probe *probe, uint64_t limit_ms, void (*watch)(void *context, enum probe_phase phase), void *context);
/* How the backend was lost in a probe for the first time, and in that of which feature; code 0: it was not. DEVICE_LOST: it crashed; DEADLINE: it did not come back, and then no further probe
 * is made. After a crash it is opened again, a few times. */
struct probe_loss {
	struct ptowsp_error error;
	uint32_t feature;
};
const struct probe_loss *probe_loss(const struct probe *probe);
/* Tasks of all probes so far that ran on the device, by the backend's own count, and their wall time there; zeros of one that does not count them. */
struct probe_device {
	uint64_t tasks, ns;
};
const struct probe_device *probe_device(const struct probe *probe);
/* The opened backend; for its name and rows. */
const struct ptowsp_backend *probe_backend(const struct probe *probe);

/* Is there a probe that can see the feature at all? Any thread. */
bool probe_exists(uint32_t feature);

enum probe_state {
	PROBE_ENFORCED,   /* every difference that is named was there */
	PROBE_NO_EFFECT,  /* one was not */
	PROBE_FAILED,     /* a run that should end well did not, or was not loaded for another reason than what it holds */
	PROBE_REFUSED,    /* the backend does not take it */
	PROBE_NOT_PROBED, /* no probe, or something else that it needs is missing */
	PROBE_LOST        /* the backend crashed or did not come back in it */
};
const char *probe_state_text(enum probe_state state);

struct probe_result {
	enum probe_state state;
	uint32_t probes; /* how many rows probe.def has for the feature */
	char text[480];  /* the finding, or why none; one sentence without a full stop */
};
/* Runs all probes of a feature (id of caps.h) with the options as they are; ends at the first that is not PROBE_ENFORCED. */
void probe_feature(struct probe *probe, uint32_t feature, struct probe_result *result_out);
/* The same with several scheduler instances, for features that choose between executors: what a backend declares and does may depend on how many there are. Returns
 * the options in which that differs, as KEY=VALUE; NULL, and no probe is run: the feature needs none, or the backend cannot be opened so. *cap_out: its row there, NULL: none. */
const char *probe_feature_more(struct probe *probe, uint32_t feature, struct probe_result *result_out, const struct ptowsp_cap **cap_out);

enum probe_verdict {
	PROBE_NOTHING,  /* nothing is claimed, and no probe shows anything else */
	PROBE_HOLDS,    /* as declared */
	PROBE_BETTER,   /* more than declared */
	PROBE_UNPROVED, /* declared as enforced, and nothing here can tell */
	PROBE_FALSE     /* declared as enforced, and it is not */
};
const char *probe_verdict_text(enum probe_verdict verdict);
/* cap: NULL if the backend has no row. */
enum probe_verdict probe_judge(const struct ptowsp_cap *cap, const struct probe_result *result);

#endif
