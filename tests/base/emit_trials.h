/* SPDX-License-Identifier: MIT
 * emit_trials.h - programs written for a target, compiled on the host by a stand-in for its headers, and run beside the interpreter. */
#ifndef PTOWSP_TESTS_EMIT_TRIALS_H
#define PTOWSP_TESTS_EMIT_TRIALS_H

#include "isa/emit/emit.h"
#include "tests/isa/random_tiles.h"

/* How kernels of a target are compiled and called here. */
struct emit_way {
	const char *target; /* of isa_emit_targets */
	const char *header; /* that all kernels include: included once before them */
	const char *flags;  /* of c++; %s: the folder tests/emit */
	/* Calls the function of that name; cycles_out NULL: it counts none. */
	ptowsp_status (*call)(void *function, const struct ptowsp_task *task, uint64_t *cycles_out);
	/* NULL: the programs are compiled as C++ and called by name. Else they are handed to it, and `function` is the number of one of them; finish follows. False: they cannot be run, and
	 * that is said. */
	bool (*make)(struct isa_program *const *programs, unsigned count);
	void (*finish)(void);
	/* Whether the tolerance holds for what comes of a program; NULL: for all. */
	bool (*near)(const struct isa_program *program);
	bool cycles;
	bool products;    /* 0: what comes of programs with tmatmul is not compared */
	double tolerance; /* of floats, relative; 0: bit for bit */
};
/* tile_dtypes[0 ...] programs: all operations of a part (0 ... 3), or random ones where part is -1. Sanitizers look at the writing of all
 * parts; what comes of parts 1 ... 3 is compiled in other builds only. */
void emit_trials_run(const struct emit_way *way, uint64_t seed, int part);

/* The headers that emitted sources include, below a folder. */
void emit_headers_write(const char *folder);
/* ptowsp-pack --emit=TARGET of tests/emit/kernels.pto into EMITTED below the test's folder, which is returned; NULL after a failed check. */
const char *emit_kernels(const char *target);
/* Their text against tests/emit/NAMEending; PTOWSP_UPDATE=1 writes those. */
void emit_golden_compare(const char *target, const char *ending, const char *extension);

#endif
