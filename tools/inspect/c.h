/* SPDX-License-Identifier: MIT */
/* c.h - what the files of ptowsp-inspect --c share: a package said as calls of the builder, and made by them at the same
 * time, so that what is printed is known to give the same package. */
#ifndef TOOLS_INSPECT_C_H
#define TOOLS_INSPECT_C_H

#include "format/format_code.h"
#include "format/verify/rank.h"
#include "lang/builder/builder_calls.h"

#include <stdio.h>

/* How a package is said: first as a frontend would, then ever closer to its bytes. */
enum { SAY_STRINGS = 1 /* its strings in front */, SAY_STATED = 2 /* rows as they are */, SAY_SECTIONS = 4 /* nothing but sections */ };

#define SAY_ANY_FILE UINT32_MAX

struct said {
	const struct pkg *package;
	const struct pkg_tables *t;
	const struct pkg_code *code;
	struct ptowsp_build *b; /* made by what has been said */
	FILE *to;               /* a text in memory */
	unsigned how;
	uint32_t depth;                                                                      /* of bodies: tabs */
	int failed;                                                                          /* memory ran out */
	uint32_t exprs, regions, axes, levels;                                               /* rows said so far */
	uint32_t *kernels, *slots, *tensors, *entries, *channels, *events, *params, *values; /* handle per row; values: of EXPR */
	uint32_t raw;                                                                        /* sections said as bytes */
	struct pkg_ranks places;                                                             /* rows of DBGI by kind << 32 | row */
	struct pkg_ranks owned;                                                              /* tensors by entry */
	struct pkg_ranks tasks; /* entries without code by values << 32 | value_count, in the order in which they are said */
	uint32_t tasks_said;
	uint32_t calls_said;              /* rows of CALL */
	uint8_t in_call;                  /* 1: instructions of one are being said */
	uint8_t stuck;                    /* 1: there is something that no call says */
	uint32_t rows[BUILD_KINDS];       /* largest row + 1 of handles that the text names */
	uint8_t reads[BUILD_KINDS];       /* 1: some are arguments */
	struct ptowsp_debug_record place; /* the position said last, line 0: none; file SAY_ANY_FILE: only the line counts */
};

/* Prints one call and makes it; returns what it returns. Arguments by the letters of builder.def; for arrays pointer and length, where the
 * length is no argument of its own to be written: x, v, w, y take (pointer, uint32_t length), and c and n follow as usual. */
uint32_t say(struct said *s, const char *call, ...);
/* The same with its arguments as data. lengths: of the arrays among them, NULL: there are none. */
uint32_t say_call(struct said *s, const struct build_call *call, const struct build_arg *args, const uint32_t *lengths);
/* The source position of a row, kind as in DBGI; none if there is none. */
void say_position(struct said *s, uint16_t kind, uint32_t row);
void say_place(struct said *s, const struct ptowsp_debug_record *place);

/* Handles of rows that are said when they are first needed, with all rows in front of them. */
uint32_t say_expr(struct said *s, uint32_t row);
uint32_t say_region(struct said *s, uint32_t row);
uint32_t say_axis(struct said *s, uint32_t row);
/* The rows that nothing has needed; expressions only if asked for. */
void say_rest(struct said *s, int exprs);
/* The loop that has just been opened has made the expression of its value. */
void say_loop_value(struct said *s, uint32_t depth, uint32_t handle);

/* inspect/c_declare.c */
void say_facts(struct said *s);
void say_slots(struct said *s);
void say_tensors(struct said *s);
void say_pipeline(struct said *s); /* channels and processes */
/* An order in memory; calls: of the order, of a block, of a stride. */
void say_memory(struct said *s, const char *const calls[3], uint32_t handle, const struct ptowsp_memory_record *m);
void say_schedule(struct said *s);
/* A graph binary of the first version is left to the section as bytes. Errors: those of reading it. */
ptowsp_status say_graphs(struct said *s, struct ptowsp_error *error);
ptowsp_status say_samples(struct said *s, struct pkg *package, struct ptowsp_error *error);

void say_kernels(struct said *s); /* inspect/c_kernel.c */
void say_work(struct said *s);    /* inspect/c_work.c: entries and processes with their code */

#endif
