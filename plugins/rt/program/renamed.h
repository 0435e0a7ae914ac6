/* SPDX-License-Identifier: MIT */
/* renamed.h - which `temp` tensors are renamed: those of which it is proved, at load, that all keys with which the program accesses them are pairwise
 * equal or disjoint. All regions have one shape, and all rows, and all columns, lie on one lattice whose pitch is no smaller than it. The proof
 * holds for all values of symbols and slots. Immutable after load. */
#ifndef RT_RENAMED_H
#define RT_RENAMED_H

#include "rt/program/expr.h"
#include <stdbool.h>

/* A tensor as its accesses have been seen so far. */
struct rt_renaming {
	const char *reason; /* why it cannot be renamed; NULL: nothing speaks against it */
	struct rt_values row, column;
	uint32_t rows, columns; /* of every region; 0: none was seen */
	bool renamed;           /* set by rt_renamings_finish */
	bool odd;               /* a pitch is no power of two: an index that wraps leaves the lattice, which is looked at when it runs */
};

struct rt_program;
struct rt_io;
struct rt_site;
/* A region was lowered, as seen from nest. */
void rt_renaming_see(struct rt_program *program, const struct rt_nest *nest, const struct rt_io *io);
/* Once everything is lowered: decides, marks sites, and says once per temp tensor that is an ordinary one why. */
void rt_renamings_finish(struct rt_program *program);
void rt_renamings_tell(const struct rt_program *program);

#endif
