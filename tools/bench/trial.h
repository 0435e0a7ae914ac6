/* SPDX-License-Identifier: MIT */
/* trial.h - a shape at a size as users run it, with real tensors; and the same shape by hand, whose tensors say after every run whether each task ran once and in an order
 * that its hazards allow. */
#ifndef TOOLS_BENCH_TRIAL_H
#define TOOLS_BENCH_TRIAL_H

#include "tools/bench/nest.h"
#include "tools/bench/subject.h"

/* Content that a tensor begins with. */
struct bench_filling {
	const struct bench_shape *shape;
	unsigned tensor;
};

struct bench_trial {
	/* set by the caller, before bench_trial_init */
	struct bench *bench;
	const struct bench_shape *shape;
	const struct bench_wild *wild; /* whose shape it is; NULL: the shape has a file */
	unsigned n;
	struct bench_subject subject; /* threads, schedule */
	/* made */
	void *bytes; /* of a package made in memory */
	struct bench_filling fillings[BENCH_NEST_TENSORS];
	unsigned tensors;
	struct bench_nest nest; /* on tensors of its own */
	uint32_t *expected[BENCH_NEST_TENSORS];
	uint64_t tasks;                   /* of a walk */
	uint64_t bad_tensors, bad_counts; /* runs that left other tensors; that had another number of tasks */
};

/* Call finish also after a failure. Errors: those of opening, loading and preparing; NO_MEMORY. */
ptowsp_status bench_trial_init(struct bench_trial *trial);
void bench_trial_finish(struct bench_trial *trial);
/* ns of work per task from here on. */
ptowsp_status bench_trial_work(struct bench_trial *trial, unsigned ns);

/* One run. flags and *ns_out: as in bench_subject_run. A wrong result is no error: it is counted. */
ptowsp_status bench_trial_run(struct bench_trial *trial, uint32_t flags, double *ns_out, struct ptowsp_error *error);
/* The same tasks by the loops of bench/nest.h. */
void bench_trial_nest(struct bench_trial *trial, double *ns_out);
/* The same by a fixed order on two threads; the order was made on trial->nest. Errors: NO_MEMORY. */
ptowsp_status bench_trial_order(struct bench_trial *trial, const struct bench_order *order, double *ns_out);
/* MISMATCH with a sentence if one of these went wrong. */
ptowsp_status bench_trial_verdict(const struct bench_trial *trial);

#endif
