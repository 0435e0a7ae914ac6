/* SPDX-License-Identifier: MIT */
/* lang.h - .pto source to a package: sources in, a filled writer and a list of diagnostics out. */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include "format/writer.h"
#include "lang/ptowsp_pack.h"
#include "ptowsp/base.h"
#include <stddef.h>

/* A source text; borrowed during lang_compile. */
struct lang_source {
	const char *name; /* as messages show it; the package stores the part behind the last '/' */
	const char *text; /* UTF-8, need not end with NUL or newline */
	size_t size;      /* bytes, at most 16 MiB */
};

struct lang_options {
	const char *name;            /* name of the package; NULL: the module's, else the first file's stem */
	const char *entry;           /* default entry; NULL: as the source says */
	const char *producer;        /* META producer; NULL: "ptowsp-pack v10.0" */
	const char *const *defaults; /* NAME=VALUE: values that symbols have unless a run sets them */
	uint32_t default_count;
	/* Reads a file that the source names, relative to the folder of source number `source`. *bytes_out is malloc'd, lang_compile frees it.
	 * 0, or a negative status with a sentence. NULL: sources may name no files. */
	ptowsp_status (*read)(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error);
	void *context;
	size_t memory; /* bytes that compiling may take besides the writer's; 0: 896 MiB */
};

enum { LANG_WARNING = 1, LANG_ERROR = 2 };

/* One message. All texts belong to the list. */
struct lang_diagnostic {
	uint32_t severity;
	uint32_t source;       /* number of the source it is about */
	uint32_t line, column; /* 1 first; 0, 0: the source as a whole */
	const char *file;      /* that source's name */
	const char *text;      /* one sentence, without a full stop */
	const char *help;      /* remedy, "" if there is nothing to say */
	const char *excerpt;   /* the source line and the caret below it, each with a newline; "" without a place */
};
struct lang_diagnostics {
	const struct lang_diagnostic *rows; /* by source, line and column */
	uint32_t count, errors, warnings;
	uint32_t dropped; /* warnings beyond the 200th */
};

/* Compiles one module set (functions of all sources see each other by name) into the tables of an empty writer.
 * diagnostics_out: created also on failure, NULL only without memory; the caller destroys it. At most 20 errors are
 * collected. Errors: BAD_PACKAGE if there was one in the source, INVALID if all were in the options (the writer is then useless), TOO_BIG beyond
 * options->memory, NO_MEMORY.
 * One thread at a time per writer; nothing is shared between calls. */
ptowsp_status lang_compile(struct pkg_writer *writer, const struct lang_source *sources, uint32_t source_count, const struct lang_options *options,
			   struct lang_diagnostics **diagnostics_out, struct ptowsp_error *error);
void lang_diagnostics_destroy(struct lang_diagnostics *diagnostics); /* NULL is allowed */

/* "file:3:7: error: text", the line, the caret, "help: ..." through emit, one line at a time, with its newline. */
void lang_diagnostic_print(const struct lang_diagnostic *row, void (*emit)(void *context, const char *line), void *context);

/* --- results of libptowsp-pack.so that other folders make. --- */

/* A result without a package, whose only message is "name: error: why". Returns 0 or NO_MEMORY. */
ptowsp_status lang_pack_refuse(const char *name, const struct ptowsp_error *why, struct ptowsp_pack_result **result_out);

/* --- files that sources name: sample data and payloads. --- */

struct ptowsp_error;

/* Folders that sources may read from besides their own; borrowed. */
struct lang_roots {
	const char *const *folders;
	uint32_t count;
};

/* Reads what the source at the path `source` calls `file`: seen from the source's folder, and only if it lies below that folder or one of the roots once "..",
 * and links are followed. As pkg_file_load, with at most PKG_FILE_NAMED bytes. Errors: also INVALID for a file that lies elsewhere. */
ptowsp_status lang_named_load(const char *source, const char *file, const struct lang_roots *roots, void **bytes_out, size_t *size_out,
			      struct ptowsp_error *error);

#endif
