/* SPDX-License-Identifier: MIT */
/* explanation.h - all that is known about a run before a kernel of it runs. A program is loaded for its backend to say what it makes of it, and its tasks are counted; no
 * kernel and no native code runs, no tensor has content. One thread at a time, as ptowsp-run has one that loads. */
#ifndef TOOLS_RUN_EXPLANATION_H
#define TOOLS_RUN_EXPLANATION_H

#include "tools/run/run_run.h"

/* The program of one device; all but match belongs to the run. */
struct explained_part {
	const struct run_options *options;
	const struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_match *match;
	struct ptowsp_program *program; /* NULL: it is refused */
	ptowsp_status status;           /* of a run, as far as it is known */
	struct ptowsp_error refusal;    /* its sentence; with status OK: why not all of it is known, code 0 if it is */
	bool temps;
	char unloaded[256];
};

/* Everything that is explained; finish accepts any prefix. */
struct explanation {
	struct run run; /* which is not executed */
	struct ptowsp_listing *listing;
	struct explained_part *parts; /* owned: one per device */
	uint32_t part_count;
};

/* Makes an explanation of the run that options ask for. OK also where a run would be refused: the refusal is that of its part. x comes with run.options set and all else 0. */
ptowsp_status explanation_make(struct explanation *x, const struct run_options *options, struct ptowsp_error *error);

/* Frees what any prefix of explanation_make has made. */
void explanation_finish(struct explanation *x);

/* The index-th line about temp tensors, counted from 0; NULL behind the last. It lives until the next call. */
const char *explained_temps(const struct explained_part *x, uint32_t index);

/* Topics on which a backend says how it runs a program that it takes otherwise than it stands there. */
struct explained_topic {
	const char *title;
	uint32_t feature;
};
enum { EXPLAINED_TOPICS = 3 + (PTOWSP_ABI_MINOR >= 1) };
extern const struct explained_topic explained_topics[EXPLAINED_TOPICS];

/* The index-th line of a backend on a topic, counted from 0; NULL behind the last. It lives until the next call. */
const char *explained_note(const struct explained_part *x, const struct explained_topic *topic, uint32_t index);

#endif
