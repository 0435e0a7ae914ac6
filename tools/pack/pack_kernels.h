/* SPDX-License-Identifier: MIT */
/* pack_kernels.h - the portable kernels of a package as source text: what --emit writes and --native compiles. */
#ifndef TOOLS_PACK_KERNELS_H
#define TOOLS_PACK_KERNELS_H

#include "format/format_code.h"
#include "isa/emit/emit.h"
#include "print/function.h"
#include "tools/emitted.h"

/* A function that has a portable program, as source text. */
struct pack_kernel {
	char *text; /* NULL: it has no program, or cannot run, and why was said on stderr */
	size_t size;
	uint64_t workspace; /* bytes that the text needs as C */
};
struct pack_kernels {
	struct print_functions functions;
	struct pack_kernel *rows; /* by function */
	uint32_t emitted;         /* that have a text */
};

/* All portable programs that kernels have, as sources of the target. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pack_kernels_emit(struct pack_kernels *list, const struct pkg_tables *t, const struct isa_emit_target *target, struct ptowsp_error *error);
void pack_kernels_finish(struct pack_kernels *list);

/* Headers under the paths that they are included by. Errors: those of emitted_add. */
ptowsp_status pack_headers_add(struct emitted *files, const struct isa_text *headers, struct ptowsp_error *error);
/* NAME.extension. */
ptowsp_status pack_source_add(struct emitted *files, const char *name, const char *extension, const char *text, size_t size, struct ptowsp_error *error);
/* NAME.extension for each, and the headers that they include. */
ptowsp_status pack_kernels_add(struct emitted *files, const struct pack_kernels *list, const struct isa_emit_target *target, struct ptowsp_error *error);

/* The headers of the task API, without what emitted kernels include as well; the last one's path is NULL. */
extern const struct isa_text pack_task_headers[];
/* pack/tasks.c: NAME.c for each entry with code and the headers of the task API. Entries that have no counterpart in the task API are named on stderr; with
 * `all` the first one is an error. Errors: those of emitted_add, and of print_tasks. */
ptowsp_status pack_tasks_add(struct emitted *files, const struct pkg_code *code, const struct print_functions *functions, bool all, struct ptowsp_error *error);

#endif
