/* SPDX-License-Identifier: MIT */
/* print.h - a package as source text again: from its tables, nothing of the source is stored. */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include "format/format_code.h"

struct common_dtype;

/* Sample data of one tensor. */
struct print_data {
	const char *tensor; /* its name, one of the language */
	const struct common_dtype *dtype;
	int expected; /* 0: an input */
	uint32_t rank;
	uint64_t extents[4];
	const void *bytes; /* borrowed */
	uint64_t size;
};
/* The files for data that are more than a few numbers. */
struct print_files {
	void *context;
	/* Writes them into a .npy file; *name_out: what the source calls it, borrowed until the next call. */
	ptowsp_status (*write)(void *context, const struct print_data *data, const char **name_out, struct ptowsp_error *error);
	/* Reads a file of that name, as lang_options.read does. */
	ptowsp_status (*read)(void *context, uint32_t source, const char *name, void **bytes_out, size_t *size_out, struct ptowsp_error *error);
};

/* The text of a package whose code was verified, NUL-terminated, to be freed. A row without words in the language is a comment line, "// cannot be said: ...", and counts in
 * *inexpressible_out; without such lines the text packs to a package that says the same. Names of helper scalars are new, comments of the source are
 * gone; positions stand behind the lines as the source says them itself ("// @12:5"). files NULL: sample data stand in the text.
 * Errors: NO_MEMORY, BAD_PACKAGE if the sample data do not hold, those of files. */
ptowsp_status print_source(const struct pkg_code *code, const struct print_files *files, char **text_out, uint32_t *inexpressible_out,
			   struct ptowsp_error *error);

/* Packs the text and compares: PTOWSP_OK if the package has the same digest; MISMATCH with the first section that differs in error,
 * BAD_PACKAGE with the first message if the text is refused. files: those that the text names; NULL: it names none. */
ptowsp_status print_compare(const struct pkg *package, const char *text, const struct print_files *files, struct ptowsp_error *error);

#endif
