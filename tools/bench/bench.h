/* SPDX-License-Identifier: MIT */
/* bench.h - the harness of ptowsp-bench: a case has rows, a row one quantity, taken in so many repetitions on a machine that is as quiet as it gets. */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include "ptowsp/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_REPS_LIMIT 64u
#define BENCH_PATH       4096

/* Flags of the command line, flags.def. */
struct bench_options {
	uint32_t reps;        /* timed repetitions, 1 to BENCH_REPS_LIMIT */
	uint32_t threads;     /* of the runtime */
	uint32_t seed;        /* of tasks: the first random nest */
	const char *packages; /* folder of the example packages */
	const char *plugin;   /* runs what goes through the host; NULL: cpu_sim */
	const char *shape;    /* of tasks: this one alone, or "wild"; NULL: all */
	bool small;           /* sizes for a look at the rows, of which nothing is asked */
	bool tsv, json;
};

/* A run of the program: the case that is measured, and its error. */
struct bench {
	struct bench_options options;
	const char *name;          /* of the case */
	struct ptowsp_error error; /* the sentence of a failure */
};

/* The cases: OK, or a status with a sentence in bench->error. cases.def lists them. */
#define B(name, function, text) ptowsp_status function(struct bench *bench);
#include "tools/bench/cases.def"
#undef B
/* `ptowsp-bench peer ...`: its own options, its own columns; an exit status. */
int bench_peer(struct bench *bench, int argc, char **argv);

/* ---- rows (table.c) ------------------------------------------------------------------------------------------------ */

/* Values of one quantity in the order in which they were taken. */
struct bench_series {
	unsigned count;
	uint64_t disturbed; /* bit per value: others used the machine meanwhile */
	double values[BENCH_REPS_LIMIT];
};
void bench_series_add(struct bench_series *series, double value, bool disturbed);
unsigned bench_series_noisy(const struct bench_series *series); /* values that were disturbed */
struct bench_quantiles {
	double median, least, most;
};
struct bench_quantiles bench_series_quantiles(const struct bench_series *series); /* zeros without values */

struct bench_row {
	const char *subject, *measure, *unit; /* subject: the thing that is measured, e.g. "llama_layer 16K" */
	const char *reference;                /* a figure to compare with and its origin; NULL: there is none */
	double least, most;                   /* wanted of the median, both 0: nothing is */
};

enum bench_form { BENCH_COLUMNS, BENCH_TSV, BENCH_JSON };
/* Rows are printed, or collected (JSON), as they come. */
void bench_table_begin(FILE *out, enum bench_form form, int argc, char **argv);
/* A series without values is a row with "-": it cannot be measured here. */
void bench_table_row(const struct bench *bench, const struct bench_row *row, const struct bench_series *series);
/* A row of one value. */
void bench_table_value(const struct bench *bench, struct bench_row row, double value);
/* A line about all rows that lack room for it. */
void bench_table_note(const char *of, const char *text);
/* The row that is being measured, on stderr if that is a terminal; gone with the next row. */
void bench_table_progress(const struct bench_row *row);
void bench_table_end(void);

/* ---- measuring (measure.c) ----------------------------------------------------------------------------------------- */

/* Takes one value. Errors: its own. */
typedef ptowsp_status bench_take(void *context, double *value_out, struct ptowsp_error *error);

/* A row and its values: taken, or made of those of other ways, repetition by repetition. */
enum bench_sort { BENCH_TAKEN, BENCH_RATIO, BENCH_DIFFERENCE, BENCH_GAIN /* percent by which the value of `over` is above that of `under` */ };
struct bench_way {
	struct bench_row row;
	bench_take *take; /* NULL: not to be had here */
	void *context;
	unsigned threads; /* that it uses, 0: one */
	enum bench_sort sort;
	unsigned over, under; /* ways that stand before this one */
};
/* Ways in turns, each once and then again, so that a slow moment meets all of them; at most 64. Values that were disturbed are taken again, at most as many as there are, and then
 * kept and told. series: one per way. Errors: those of taking. */
ptowsp_status bench_take_all(struct bench *bench, const struct bench_way *ways, unsigned count, struct bench_series *series);
/* The same behind one round that warms up and does not count, printed as rows. Errors also: NO_MEMORY. */
ptowsp_status bench_measure(struct bench *bench, const struct bench_way *ways, unsigned count);

typedef uint64_t bench_clock(void);
bench_clock bench_now_ns;
bench_clock bench_processor_ns; /* of all threads of this process */
/* ns of processors for the thread of main and the runners of plugins, with what those have started: not for threads of a driver. */
double bench_own_ns(void);
/* Resident bytes now and at most since bench_peak_reset; 0 where the system does not say. */
uint64_t bench_resident_bytes(void);
uint64_t bench_peak_bytes(void);
void bench_peak_reset(void);

/* Is anybody else using the machine? A repetition is disturbed if our threads had to wait for a processor for more than 3 % of it, or, with several threads, if others used more
 * than 5 % of the machine. */
struct bench_quiet {
	double delay_ns, foreign_ns;
	uint64_t began_ns;
};
/* Waits until others rest; at most PB_QUIET_S seconds (default 30) over the life of the process. */
void bench_quiet_wait(void);
void bench_quiet_begin(struct bench_quiet *quiet);
bool bench_quiet_disturbed(const struct bench_quiet *quiet, unsigned threads);

#endif
