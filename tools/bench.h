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
};

/* A series of measurements of one quantity. */
struct bench_series {
	unsigned count;
	double values[BENCH_REPS_LIMIT];
};

/* One row of the table. */
struct bench_row {
	const char *benchmark, *subject, *measure, *unit; /* subject: what was measured, e.g. "llama_layer 16K" */
	struct bench_series series;  /* count 0: this cannot be measured here, the row says "-" */
	const char *reference;       /* figure to compare with and whose it is, "-" if there is none */
};

/* Rows are printed (TSV) or collected (JSON) as they come. */
void bench_table_begin(FILE *out, bool json, int argc, char **argv);
void bench_table_row(const struct bench_row *row);
void bench_table_end(void);

void bench_series_add(struct bench_series *series, double value);
double bench_series_median(const struct bench_series *series);
double bench_series_least(const struct bench_series *series);
double bench_series_most(const struct bench_series *series);

uint64_t bench_now_ns(void);
/* Resident bytes now and at most since bench_peak_reset; 0 where the system does not say. */
uint64_t bench_resident_bytes(void);
uint64_t bench_peak_bytes(void);
void bench_peak_reset(void);

/* The benchmarks. 0, or an exit code after a sentence on stderr. */
int bench_tasks(const struct bench_options *options);
int bench_filter(const struct bench_options *options);
int bench_softmax(const struct bench_options *options);
int bench_packages(const struct bench_options *options);
int bench_isa(const struct bench_options *options);
int bench_call(const struct bench_options *options);
/* `ptowsp-bench peer ...`: its own options, its own columns. */
int bench_peer(int argc, char **argv);

#endif
