/* SPDX-License-Identifier: MIT */
/* inspect.h - the ways in which ptowsp-inspect shows a package. */
#ifndef TOOLS_INSPECT_H
#define TOOLS_INSPECT_H

#include "format/format_code.h"
#include "isa/emit/emit.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Everything about one package as readable tables. */
void inspect_summary(const struct pkg *package, const char *path, FILE *to);

struct isa_program;
/* The portable payload of a kernel, to be destroyed; NULL if it has none that holds. */
struct isa_program *inspect_portable(const struct pkg_tables *tables, const struct ptowsp_kernel_record *kernel);

/* Tile memory of the portable kernels beside what targets have (tile_limits.def): as a table, nothing where there is no such kernel;
 * as JSON, NULL without memory; and into the JSON text of a package, which is written to `to` with it. 0, or 1 without memory. */
void inspect_memory(const struct pkg_tables *tables, FILE *to);
json_t *inspect_memory_json(const struct pkg_tables *tables);
bool inspect_memory_append(const struct pkg_tables *tables, char *text, FILE *to);

/* The portable kernels on cores of Ascend 910B and 950: unit, bytes of each memory, cycles of the model core. As a table, nothing where there is no
 * such kernel; as a JSON array, a row per kernel and device, which stands in the JSON of the tile memory as "ascend". */
void inspect_cores(const struct pkg_tables *tables, FILE *to);
json_t *inspect_cores_json(const struct pkg_tables *tables);

/* Workload bytecode with names, task graphs as source, then each portable kernel. BAD_PACKAGE if a kernel's payload does not hold; what can be
 * listed is listed all the same. */
ptowsp_status inspect_listing(const struct pkg *package, FILE *to, struct ptowsp_error *error);
/* The same of tables that hold together as those of a package do. */
ptowsp_status inspect_listing_tables(const struct pkg_tables *tables, FILE *to, struct ptowsp_error *error);

/* The checks that opening leaves out: digest of the sample data, workload bytecode, portable kernels. Says what was checked. */
ptowsp_status inspect_verify(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error);
struct host_trust_dirs;
/* A line per signature. dirs: of keys that count, too; wanted: one has to count. Errors: BAD_PACKAGE for one that is not of this package, and where one is wanted and
 * none counts; IO for a trust folder. */
ptowsp_status inspect_signatures(const struct pkg *package, const char *path, const struct host_trust_dirs *dirs, bool wanted, FILE *to,
				 struct ptowsp_error *error);

/* Source text that packs to the same package, sample data in it. UNSUPPORTED if the language has no words for something: what it has is written all the same, with a
 * comment line for each. MISMATCH if the text packs to another digest. Other errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status inspect_source(struct pkg *package, FILE *to, struct ptowsp_error *error);
/* The same into STEM.pto, with STEM.TENSOR.npy beside it where data are more than a few numbers. lines_out, files_out: how many of them were written.
 * Further errors: IO. */
ptowsp_status inspect_source_save(struct pkg *package, const char *stem, uint32_t *lines_out, uint32_t *files_out, struct ptowsp_error *error);

/* The page without its data, package.html; made by the build. */
extern const struct isa_text inspect_page[];
/* The three of them as a page for a browser. Errors: those of output_open and output_publish, NO_MEMORY. */
ptowsp_status inspect_page_save(struct pkg *package, const char *path, const char *out, struct ptowsp_error *error);

/* A C program that builds packages, whose code was verified, again by calls of the builder (lang/builder.h), in this order: begin, one function per package,
 * numbered from 0, end. names: what each package is saved as where the program is given a folder; with one package it is given a
 * file. Errors: NO_MEMORY, BAD_PACKAGE where the package holds sections that this build does not know. */
void inspect_c_begin(FILE *to);
ptowsp_status inspect_c(const struct pkg_code *code, uint32_t number, FILE *to, struct ptowsp_error *error);
void inspect_c_end(FILE *to, const char *const *names, uint32_t count);

/* Row of the EXPR table in infix form, cut with "..." where it does not fit; parentheses where they are needed. Names of the
 * enclosing loops, outermost first, may be given for "loop" nodes. Accepts any row number. */
void inspect_expression(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text, size_t size);
/* REGN row as "x[row, column] rows x columns", or "x[start ...]" where it is a flat window; as above. */
void inspect_region(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text, size_t size);

/* ---- several packages ---- */

/* The packages that the command line names, folders opened: every *.pkg.zst below them, in the order of their paths. A zeroed struct is empty. */
struct inspect_path {
	char *path;     /* owned */
	char *relative; /* owned: the same below the deepest folder that holds all that is named */
};
struct inspect_paths {
	struct inspect_path *items; /* owned */
	uint32_t count, room;
	int failed;    /* no memory */
	uint64_t most; /* bytes that each may unpack to */
};
/* As pkg_open, of at most that many bytes when unpacked; the refusal names --max-memory. */
ptowsp_status inspect_open(struct pkg **package_out, const char *path, uint64_t most, struct ptowsp_error *error);
/* 0, or 2 with a sentence on stderr where something cannot be read; what can be is there all the same. */
int inspect_paths_collect(struct inspect_paths *paths, char *const *names, int count);
void inspect_paths_finish(struct inspect_paths *paths);
bool inspect_is_folder(const char *path);

/* All of these print and return the exit code, that of the first package that fails. */
int inspect_lines(const struct inspect_paths *paths, int json, FILE *to);                  /* one line each */
int inspect_sources_save(const struct inspect_paths *paths, const char *folder, FILE *to); /* --pto --out */
int inspect_program(const struct inspect_paths *paths, FILE *to);                          /* --c: one program, or none */

/* ---- messages ---- */

/* One sentence on stderr, with the path if it does not say it, NULL: none. The exit code. */
int inspect_complain(const struct ptowsp_error *error, const char *path);
void inspect_notices(const struct pkg *package, const char *path);
static inline int inspect_worse(int a, int b)
{
	return a ? a : b;
}

#endif
