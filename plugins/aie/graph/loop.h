/* SPDX-License-Identifier: MIT */
/* loop.h - a program of a cell with what repeats written once: lines that follow each other several times become a loop, and so inside of it. Values of the lines' objects
 * do not leave a loop: what it acquires it releases. One thread. */
#ifndef AIE_LOOP_H
#define AIE_LOOP_H

#include "ptowsp/base.h"
#include <stdbool.h>
#include <stdint.h>

/* A line, or so many rounds of what follows. */
struct aie_turn {
	uint32_t rounds; /* 0: a line */
	uint32_t line;   /* its number; of rounds: how many turns belong to it, nested ones counted */
};
struct aie_loops {
	struct aie_turn *turns;
	uint32_t count, room;
};
struct aie_loops_args {
	const uint32_t *ids;  /* per line: lines with one id do the same */
	const int32_t *opens; /* per line: stream side + 1 where it acquires, minus that where it releases, else 0 */
	uint32_t count, sides;
};
/* Fills zeroed or finished loops. Errors: NO_MEMORY. */
ptowsp_status aie_loops_find(struct aie_loops *loops, const struct aie_loops_args *args, struct ptowsp_error *error);
void aie_loops_finish(struct aie_loops *loops);

#endif
