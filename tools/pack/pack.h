/* SPDX-License-Identifier: MIT */
/* pack.h - the parts of ptowsp-pack. */
#ifndef TOOLS_PACK_H
#define TOOLS_PACK_H

#include <stdbool.h>

#include "format/format_package.h"
#include "format/writer.h"
#include "tools/command_line.h"

/* The command line; all texts are argv's. */
struct pack_options {
	const char **inputs;
	int input_count;
	struct flag_list defaults, schedule, data, expected, targets, roots;
	const char *output, *json, *entry, *name;
	const char *measured;                         /* statistics of a run with a profile, or NULL */
	const char *native;                           /* triple, "" this machine's; NULL: portable kernels only */
	const char *emit;                             /* target of sources to write instead of a package, or NULL */
	const char *make_key;                         /* file of a key pair to make, or NULL */
	const char *sign;                             /* file of a secret key, or NULL */
	const char *sign_for, *sign_abi, *sign_until; /* said by the signature, NULL: the standard */
	bool strict, lines;                           /* lines: JSON objects */
	bool folders;                                 /* the inputs are folders */
};
/* pack/options.c. -1: *options_out says what to do; else the exit code, and everything is said. To be finished in either case. */
int pack_options_read(struct pack_options *options_out, int argc, char **argv);
void pack_options_finish(struct pack_options *options);

/* How many of what a packed file holds. */
struct pack_counts {
	uint32_t kernels, entries, warnings, errors;
	struct ptowsp_error error; /* code 0: there is a package; else why there is none, the first error of a source that is refused */
};

/* Compiles the files into one package at `output`. Diagnostics and errors are printed to stderr. Exit code of the tool. */
int pack_files(const struct pack_options *options, const char *const *files, int file_count, const char *output, struct pack_counts *counts_out);
/* Every .pto file below the folders, each its own package below options->output; one line per file on stdout. */
int pack_folders(const struct pack_options *options);

/* pack/measured.c: a line on stderr per kernel that larger tiles would make faster, by the profiles of runs (ptowsp-run --profile --stats=json), of which the shortest times count. Errors: INVALID for a file that is none. */
ptowsp_status pack_measured_tell(const struct pkg_tables *t, const char *path, struct ptowsp_error *error);

/* Errors: INVALID for targets that no backend can be called. */
ptowsp_status pack_targets_check(const struct pack_options *options, struct ptowsp_error *error);
/* Of a whole package, for each of its targets that is a plugin here: a line on stderr per kernel that it cannot run, of each entry the first. Errors: UNSUPPORTED naming it, with --strict; as
 * ptowsp_package_open_memory. */
ptowsp_status pack_targets_meet(const struct pack_options *options, const void *bytes, size_t size, const char *path, struct ptowsp_error *error);
/* One line about a file that was packed, or was not; returns code, 1 without memory. package: where to. */
int pack_line(const struct pack_options *options, const char *file, const char *package, int code, const struct pack_counts *counts);
/* Adds schedule rows, sample data, targets; the writer holds a whole package. Errors: IO, INVALID, NOT_FOUND, MISMATCH. */
ptowsp_status pack_extras_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error);

/* Native payloads in front of the portable ones. Errors: NO_DEVICE without a compiler, RUN_FAILED when it fails, IO. */
ptowsp_status pack_native_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error);
/* Kernels as sources in a folder. Errors: IO. */
ptowsp_status pack_emit_write(const struct pack_options *options, struct pkg_writer *writer, const char *folder, struct ptowsp_error *error);
/* The same of the package that is the only input. Exit code of the tool. */
int pack_emit_package(const struct pack_options *options);
/* The package as the writer has it so far, opened again: its tables are what is compiled. *bytes_out is to be freed behind the package. Errors: those of
 * sealing and opening; both are then NULL or to be closed and freed as well. */
struct pkg;
ptowsp_status pack_package_open(struct pkg_writer *writer, struct pkg **package_out, void **bytes_out, struct ptowsp_error *error);
struct isa_emit_target;
const struct isa_emit_target *pack_emit_target(const char *name); /* NULL: there is none */

/* pack/sign.c. A key pair in two new files, FILE and FILE.pub. Exit code of the tool. */
int pack_key_make(const char *path);
/* Signs the package at *bytes (malloc'd, made larger) as the options say; a signature of the same key is replaced. path: for messages. Errors: those of opening
 * it, INVALID (what the options say, the key), IO (the key cannot be read, or others may read it), TOO_BIG (too many signatures). */
ptowsp_status pack_package_sign(const struct pack_options *options, const char *path, void **bytes, size_t *size, struct ptowsp_error *error);
/* Is the file a package or an ELF file, by its first bytes? */
bool pack_sign_takes(const char *path);
/* Signs packages and plugins that are there, in their place or at options->output. Exit code of the tool. */
int pack_sign_files(const struct pack_options *options);

#endif
