/* SPDX-License-Identifier: MIT */
/* sample.h - a small package with at least one row in every section, for the tests of the format. */
#ifndef TESTS_SAMPLE_H
#define TESTS_SAMPLE_H

#include "format/writer.h"

/* c = a + b over n elements in blocks of 64; a, b and the expected c as sample data. NULL without memory. Not for running:
 * its kernel's payload is no tile program. */
struct pkg_writer *sample_create(void);

/* The sealed file, to be freed; NULL if that failed (then error says why). */
void *sample_seal(size_t *size_out, struct ptowsp_error *error);

#endif
