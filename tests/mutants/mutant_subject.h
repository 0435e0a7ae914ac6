/* SPDX-License-Identifier: MIT */
/* mutant_subject.h - a real package as mutants are made of it: its sections and its JSON form, sample data left out where they are large. */
#ifndef MUTANTS_SUBJECT_H
#define MUTANTS_SUBJECT_H

#include "format/format_seal.h"
#include "tests/draw.h"

/* Pieces of the JSON form, in its order: a number, or a string with its marks. */
struct subject_token {
	uint32_t at, length;
};

/* Constant after read. */
struct subject {
	const char *path; /* borrowed */
	struct pkg_image image;
	char *text; /* owned: JSON form, length bytes */
	size_t length;
	struct subject_token *tokens; /* owned */
	uint32_t token_count;
	uint32_t *lines; /* owned: where each begins, and at [line_count] the end */
	uint32_t line_count;
	uint64_t weight; /* how often it is taken beside others: small ones are run faster */
};

/* *subject is to be finished in any case. Errors: as pkg_open, NO_MEMORY. */
ptowsp_status subject_read(struct subject *subject, const char *path, struct ptowsp_error *error);
void subject_finish(struct subject *subject);
/* One of count, small ones more often; weights: the sum of all. */
const struct subject *subject_draw(const struct subject *subjects, uint32_t count, uint64_t *d);

#endif
