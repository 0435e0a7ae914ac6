/* SPDX-License-Identifier: MIT */
/* mutate.h - damage that keeps as much meaning as it can, so that what is behind the first checks is reached, too. */
#ifndef MUTANTS_MUTATE_H
#define MUTANTS_MUTATE_H

#include "mutant_subject.h"

/* Sections of `subject` with one to a few things wrong, sealed: digests are right. other: where whole sections may come from. Freed by the caller. Errors: NO_MEMORY. */
ptowsp_status mutate_sections(const struct subject *subject, const struct subject *other, uint64_t *d, void **bytes_out, size_t *size_out,
			      struct ptowsp_error *error);
/* The JSON form with one to a few things wrong; NUL-terminated, freed by the caller. NULL without memory. */
char *mutate_text(const struct subject *subject, const struct subject *other, uint64_t *d, size_t *length_out);
/* A number in place of `was`, most of the time near to it or to a border. */
uint64_t mutate_number(uint64_t was, uint64_t *d);

#endif
