/* SPDX-License-Identifier: MIT */
/* services.h - what the host does for one plugin instance: memory, log, diagnostics, completion, kernels. */
#ifndef HOST_SERVICES_H
#define HOST_SERVICES_H

#include <stdatomic.h>

#include "host/run/runs.h"
#include "host/trust/trust.h"
#include "ptowsp/host.h"

/* Lines and bytes of what a plugin says that are told between two programs or runs, each level for itself; the rest is counted. */
enum { HOST_LINES_TOLD = 10000, HOST_LINE_BYTES_TOLD = 1 << 20, HOST_LOG_LEVELS = 4 };
enum { HOST_LINE_LIMIT = 1024 }; /* bytes of what a plugin says that are printed, with the NUL */

struct host_code;
struct host_kernel;

/* Functions that a plugin finds while it loads a program, and whether native code of the package may run. Belongs to the program. */
struct host_findings {
	struct host_kernel *kernels; /* owned, a list */
	struct host_code *code;      /* owned, a list */
	bool trusted;
	bool looks;                  /* PTOWSP_LOAD_LOOK: what may run is checked and not loaded */
	char trust[HOST_TRUST_TEXT]; /* see ptowsp_match_trust */
};

/* Diagnostics of one program, once per feature (inputs: once per text). */
struct host_diagnostics {
	struct host_diagnostic {
		uint32_t feature, state;
		char *text; /* owned */
	} * rows;
	uint32_t count, room;
};
void host_diagnostics_finish(struct host_diagnostics *diagnostics);
/* A run without kernels goes on where one with them ends: backends of base tell by what, as unsupported. That end, else OK. After the run. */
ptowsp_status host_diagnostics_needs(const struct host_diagnostics *diagnostics, struct ptowsp_error *error);

/* The table is given to a plugin at init; the plugin calls it from any thread. Everything mutable is atomic or guarded
 * by `lock`, except runs, which has its own. Lock order: none is taken inside another. */
struct host_services {
	struct ptowsp_host table;
	void (*log)(void *context, int32_t level, const char *text); /* may be NULL */
	void *log_context;
	_Atomic uint64_t memory, memory_peak; /* bytes held by the plugin */
	struct host_runs runs;
	pthread_mutex_t lock;
	struct host_said {
		uint64_t lines, bytes, left_out;
	} said[HOST_LOG_LEVELS];              /* since the last aim */
	bool muted;                           /* lines of the plugin are dropped until the next aim */
	struct host_diagnostics *diagnostics; /* of the program that is being loaded or was run last; NULL: dropped */
	struct host_findings *findings;       /* of the program that is being loaded; NULL: none is */
};

/* minor: the effective one. init/finish: caller provides *services. */
ptowsp_status host_services_init(struct host_services *services, uint32_t minor);
void host_services_finish(struct host_services *services);
/* Length of the first id in a comma-separated list of extensions that no host service has, its place in *id_out; 0: all are there. list may be NULL. [any] */
size_t host_services_lack(const char *list, const char **id_out);
/* Diagnostics and findings from now on are those of this owner; NULL: of nobody. */
void host_services_aim(struct host_services *services, struct host_diagnostics *diagnostics, struct host_findings *findings);
/* Lines of log from the plugin are dropped until then: of a trial, because the run says it again. */
void host_services_mute(struct host_services *services);
/* The host's own diagnostics go the same way. */
void host_services_diagnose(struct host_services *services, uint32_t feature, unsigned state, const char *text);
void host_services_log(struct host_services *services, int32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
