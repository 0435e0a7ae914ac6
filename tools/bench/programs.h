/* SPDX-License-Identifier: MIT */
/* programs.h - rows of what users run: each is a package on a plugin, with the words that ptowsp-run has for its options. */
#ifndef TOOLS_BENCH_PROGRAMS_H
#define TOOLS_BENCH_PROGRAMS_H

#include "tools/bench/subject.h"

/* A row and the program that it measures.
 * spec: a package and flags, with a space between each two. The package is an example, "programs/NAME" of tools/bench, or a path; "-" in its place: there is no program, the take is
 * by hand or by torch. Flags are --entry= --plugin= --device= --opt=K=V --schedule=K=V --set=N=V --threads= --isolate= --trust=all --no-kernels as of ptowsp-run; --own: tensors in memory of the
 * caller; --iota=NAME: that tensor is 0, 1, 2, ...; --random: such memory, and inputs are random numbers of variance 1, of less where names begin with w; --native: with native code that ptowsp-pack makes of tools/bench/programs/NAME.pto now. "$PTO_RUNTIME_DIR" in it is that variable;
 * where it is not set there is no value. NULL: the program of the row before. */
struct bench_program_row {
	const char *begins; /* a case: a group of its rows begins here, which are taken in turns; only `large` is set, too */
	bool large;         /* the group is left out with --small */
	struct bench_row row;
	bench_take *take;         /* context: struct bench_program */
	double amount;            /* the take divides or multiplies by it */
	const char *spec, *small; /* small: flags more with --small */
	enum bench_sort sort;
	unsigned over, under; /* rows before this one, 1: the one before */
};
enum { OWN_TENSORS = 16 }; /* the most that --own gives memory to */
/* A program that is open. */
struct bench_program {
	struct bench *bench;
	const struct bench_program_row *row;
	struct bench_program *of; /* its own, or that of a row before */
	struct bench_subject subject;
	char path[BENCH_PATH], text[600]; /* of the package; words of the spec */
	const char *schedule[4], *sets[4];
	struct ptowsp_setting settings[4];
	uint32_t flags; /* of runs */
	bool own, native, random;
	const char *iota, *hand;   /* hand: the words behind "-" */
	void *bytes;               /* of native code that was made */
	void *memory[OWN_TENSORS]; /* --own */
	uint64_t file_bytes;       /* of the latest files that were emitted */
	double runtime_ms;         /* of a pto-runtime: from the launch of the latest run until it was over */
};

/* Rows of one group, measured and printed. Errors: of opening and taking. */
ptowsp_status bench_programs_measure(struct bench *bench, const struct bench_program_row *rows, unsigned count);

/* ---- takes --------------------------------------------------------------------------------------------------------- */

bench_take bench_program_tasks, bench_program_rate;       /* tasks of the latest run, of a first one if there was none; tasks/ms of a run */
bench_take bench_program_open_ms, bench_program_load_ms;  /* opening and verifying the package; the plugin's load */
bench_take bench_program_bytes, bench_program_file_bytes; /* sections of the package; its file */

/* By hand (hand.c); hand: "silu 8", "silu_library 8" ns of one call; "sgemm 64" GFLOP/s of a product. */
bench_take bench_hand;
bool bench_blas_is_here(void);
/* The processor whose kernels OpenBLAS has chosen, where it is here, and whether there are some that suit this machine better. */
const char *bench_blas_kernels(void);
/* A client of a pto-runtime (direct.c); hand: "direct mapped 524288", "direct stated 524288". */
bench_take bench_direct_ms, bench_direct_processor_ms;
void bench_direct_close(void);
/* Measures torch (torch.c), in ms of its processor time; hand is "torch gelu" and the like. */
bench_take bench_torch;
bool bench_torch_is_here(const struct bench *bench);

#endif
