/* SPDX-License-Identifier: MIT */
/* example_rows.h - the table of packages/examples/README.md, which says how each example runs and what its run has to say. */
#ifndef TESTS_EXAMPLE_ROWS_H
#define TESTS_EXAMPLE_ROWS_H

#include <jansson.h>

#include "tests/contract/cli.h"

/* "| [name](name.pto) `--options` | what it shows | tasks | elements compared, - for none |"; a name may stand in a folder, large/name. */
struct example_row {
	char package[64], source[64], options[128]; /* package without its ending, below build/packages */
	const char *name;                           /* the package without its folder */
	long tasks, elements;
};

extern struct example_row example_rows[64];
extern size_t example_count;
void example_rows_read(void);
/* Adds a test for each row, of the name PREFIX and that of the row; reads the table. */
void example_rows_add(CU_pSuite s, const char *prefix, CU_TestFunc fn);
/* By name; NULL where the table has no such. */
const struct example_row *example_row_of(const char *name);

/* Runs `package` with the options `how` and those of the row, `runs` times: one true line each, on the sample data. */
void example_run(const struct example_row *row, const char *package, const char *how, int runs);
/* "--out c=PREFIX.0.npy ..." of all tensors that are written, by what --explain --json says; to be freed. */
char *example_outs(json_t *explained, const char *prefix);
/* A run whose tensors go to PREFIX.*.npy; cpu0 in the options becomes DEVICE0. plugin: with options of its own, if there are some. Its exit code; a failed check where that is not 0. */
int example_run_to(const struct example_row *row, json_t *explained, const char *plugin, const char *device, const char *prefix);
/* The tensors of an example have the bytes of cpu_sim in each of the ways: a plugin, with options of its own. Large examples, and two thirds of the others a day, are skipped. */
void example_has_bytes_of_cpu_sim(const struct example_row *row, const char *device, const char *const *ways, size_t count);

#endif
