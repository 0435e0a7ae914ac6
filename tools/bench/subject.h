/* SPDX-License-Identifier: MIT */
/* subject.h - a shape as users run it: its package opened, its program loaded on a plugin by the host library, real tensors; and the same shape by hand,
 * whose tensors say after every run whether each task ran once and in an order that its hazards allow. */
#ifndef TOOLS_BENCH_SUBJECT_H
#define TOOLS_BENCH_SUBJECT_H

#include "host/ptowsp_host.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_order.h"
#include "tools/bench/wild.h"

/* What a tensor begins with. */
struct bench_filling {
	const struct bench_shape *shape;
	unsigned tensor;
};

struct bench_subject {
	/* set by the caller, before bench_subject_init */
	const struct bench_options *options;
	const struct bench_shape *shape;
	const struct bench_wild *wild; /* whose shape it is; NULL: the shape has a file */
	unsigned n, threads;
	const char *const *schedule;   /* KEY=VALUE each, in place of the package's; borrowed */
	unsigned schedule_count;
	/* made */
	void *bytes;                   /* of a package made in memory */
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	struct bench_filling fillings[BENCH_NEST_TENSORS];
	unsigned tensors;
	struct bench_nest nest;        /* on tensors of its own */
	uint32_t *expected[BENCH_NEST_TENSORS];
	uint64_t elements[BENCH_NEST_TENSORS];
	uint64_t tasks;                /* of a walk */
	uint64_t bad_tensors, bad_counts; /* runs that left other tensors; that had another number of tasks */
};

/* Call finish also after a failure. Errors: those of opening, loading and preparing; NO_MEMORY. */
ptowsp_status bench_subject_init(struct bench_subject *subject, struct ptowsp_error *error);
void bench_subject_finish(struct bench_subject *subject);
/* ns of work per task from here on. */
ptowsp_status bench_subject_work(struct bench_subject *subject, unsigned ns, struct ptowsp_error *error);

/* One run, prepared before the clock begins. flags: PTOWSP_RUN_NO_KERNELS or 0. *ns_out: from submitting it until it is done. A wrong result is no error: it is counted. */
ptowsp_status bench_subject_run(struct bench_subject *subject, uint32_t flags, double *ns_out, struct ptowsp_error *error);
/* The same tasks by the loops of bench/nest.h. */
void bench_subject_nest(struct bench_subject *subject, double *ns_out);
/* The same by a fixed order on two threads; the order was made on subject->nest. Errors: NO_MEMORY. */
ptowsp_status bench_subject_order(struct bench_subject *subject, const struct bench_order *order, double *ns_out);
/* MISMATCH with a sentence if one of these went wrong. */
ptowsp_status bench_subject_verdict(const struct bench_subject *subject, struct ptowsp_error *error);

#endif
