/* SPDX-License-Identifier: MIT */
/* bench.h - what the benchmarks of ptowsp-bench share: options, one table of results, clock and memory of this process. */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_REPS_LIMIT 64u

struct bench_options {
	unsigned reps;        /* timed repetitions, 1 to BENCH_REPS_LIMIT */
	unsigned threads;     /* of the runtime, 0: one */
	const char *packages; /* folder of the example packages */
	bool small;           /* sizes for a look at the rows: what they say means little */
	const char *plugin;   /* that runs what goes through the host; NULL: cpu_sim */
	const char *shape;    /* of tasks: this one alone, or "seed N"; NULL: all */
	unsigned seed;        /* of tasks: the first random nest */
};

/* A series of measurements of one quantity. */
struct bench_series {
	unsigned count, disturbed; /* disturbed: of these, while others used the machine */
	double values[BENCH_REPS_LIMIT];
};

/* One row of the table. */
struct bench_row {
	const char *benchmark, *subject, *measure, *unit; /* subject: what was measured, e.g. "llama_layer 16K" */
	struct bench_series series;  /* count 0: this cannot be measured here, the row says "-" */
	const char *reference;       /* figure to compare with and whose it is; NULL: there is none */
	double least, most;          /* what the median should be, both 0: nothing is asked of it */
};

enum bench_form { BENCH_COLUMNS, BENCH_TSV, BENCH_JSON };

/* Rows are printed, or collected (JSON), as they come. */
void bench_table_begin(FILE *out, enum bench_form form, int argc, char **argv);
void bench_table_row(const struct bench_row *row);
/* A row of one value. */
void bench_table_value(struct bench_row row, double value);
void bench_table_end(void);
/* What is being measured, on stderr if that is a terminal; gone with the next row. */
void bench_table_progress(const char *subject, const char *measure);

void bench_series_add(struct bench_series *series, double value);
double bench_series_median(const struct bench_series *series);
double bench_series_least(const struct bench_series *series);
double bench_series_most(const struct bench_series *series);

/* Adds options->reps results of measure to the series, taken while the machine is quiet: disturbed ones are taken again, at most as many as there are, and then
 * kept and counted. threads: that measure uses. Errors: those of measure. */
struct ptowsp_error;
int bench_measure(const struct bench_options *options, unsigned threads, struct bench_series *series,
		  int (*measure)(void *context, double *value_out, struct ptowsp_error *error), void *context, struct ptowsp_error *error);

/* Repetitions in turns: each of the ways once, then again, so that a slow moment meets all. Those in which the machine was not quiet are taken again as by
 * bench_measure, for one thread. measure gives the value of one repetition of one way. */
void bench_alternate(const struct bench_options *options, unsigned ways, struct bench_series *series, double (*measure)(void *context, unsigned way), void *context);

uint64_t bench_now_ns(void);
/* Resident bytes now and at most since bench_peak_reset; 0 where the system does not say. */
uint64_t bench_resident_bytes(void);
uint64_t bench_peak_bytes(void);
void bench_peak_reset(void);
/* Page faults of this process that needed no disk, so far. */
uint64_t bench_faults(void);

/* The benchmarks. 0, or an exit code after a sentence on stderr. */
int bench_tasks(const struct bench_options *options);
int bench_examples(const struct bench_options *options);
int bench_sizes(const struct bench_options *options);
int bench_filter(const struct bench_options *options);
int bench_softmax(const struct bench_options *options);
int bench_a2a3sim(const struct bench_options *options);
int bench_aie(const struct bench_options *options);
int bench_packages(const struct bench_options *options);
int bench_isa(const struct bench_options *options);
int bench_kernel(const struct bench_options *options);
int bench_call(const struct bench_options *options);
int bench_isolate(const struct bench_options *options);
/* `ptowsp-bench peer ...`: its own options, its own columns. */
int bench_peer(int argc, char **argv, const char *packages);

#endif
