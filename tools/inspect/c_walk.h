/* SPDX-License-Identifier: MIT */
/* c_walk.h - the way through the code of a package while ptowsp-inspect --c says it. */
#ifndef TOOLS_INSPECT_C_WALK_H
#define TOOLS_INSPECT_C_WALK_H

#include "tools/inspect/c.h"

/* Open body: where it ends, or where its branches do. */
struct walk_body {
	uint32_t end, targets, branch, branches; /* targets: instruction of the first TARGET; branches 0: one end */
};
struct walk {
	struct said *s;
	const struct pkg_code *code;
	struct ptowsp_workload_header header;
	struct walk_body open[PTOWSP_NESTING_LIMIT];
	uint32_t depth;
	uint32_t calls;                /* rows of CALL that were said */
	uint32_t call_end, call_depth; /* of the open one; call_end PTOWSP_NONE: none is */
	uint8_t stuck;                 /* 1: there is something that no call says */
};

/* --- inspect/c_body.c --- */

void walk_body_open(struct walk *walk, struct walk_body body);
/* The body of `count` branches that instruction i opens; the instruction behind its TARGETs. */
uint32_t walk_branches_open(struct walk *walk, uint32_t i, uint32_t count);
/* Bodies and branches that end in front of instruction i. */
void walk_bodies_close(struct walk *walk, uint32_t i);
/* Calls that were expanded from instruction i on. */
void walk_calls_say(struct walk *walk, uint32_t i);

/* --- inspect/c_code.c --- */

/* Says instruction i with the words behind it; returns the next one. */
uint32_t walk_instruction_say(struct walk *walk, uint32_t i);

#endif
