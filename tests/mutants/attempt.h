/* SPDX-License-Identifier: MIT */
/* attempt.h - a package all the way: opened, planned, matched, loaded and run on cpu_sim in this process, within limits. */
#ifndef MUTANTS_ATTEMPT_H
#define MUTANTS_ATTEMPT_H

#include "host/ptowsp_host.h"

/* How far it came. X(name, text); the last three ran. */
#define ATTEMPT_ENDS(X)                                                                                                                                        \
	X(JSON, "the JSON form")                                                                                                                               \
	X(CONTAINER, "container")                                                                                                                              \
	X(TABLES, "tables")                                                                                                                                    \
	X(BYTECODE, "bytecode verifier")                                                                                                                       \
	X(TILES, "tile verifier")                                                                                                                              \
	X(BACKEND, "plan, match and limits")                                                                                                                   \
	X(DONE, "to its end")                                                                                                                                  \
	X(FAILED, "failed with a sentence")                                                                                                                    \
	X(CUT, "ended by a limit")
enum attempt_end {
#define X(name, text) ATTEMPT_##name,
	ATTEMPT_ENDS(X)
#undef X
		ATTEMPT_COUNT
};

/* cpu_sim with one thread; plugin: its path. Errors: as ptowsp_backend_open. */
ptowsp_status attempt_backend_open(struct ptowsp_backend **out, const char *plugin, struct ptowsp_error *error);
/* A text in the JSON form, sealed and then as below. *problem: NULL, or what no package may bring about, a static text; the sentence that went with it is in *error. */
enum attempt_end attempt_text(struct ptowsp_backend *backend, const char *text, size_t length, const char **problem, struct ptowsp_error *error);
enum attempt_end attempt_bytes(struct ptowsp_backend *backend, const void *bytes, size_t size, const char **problem, struct ptowsp_error *error);

#endif
