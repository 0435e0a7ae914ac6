/* SPDX-License-Identifier: MIT */
/* kernels.h - the portable kernels of a package as source text: what --emit writes and --native compiles. */
#ifndef TOOLS_PACK_KERNELS_H
#define TOOLS_PACK_KERNELS_H

#include "format/format_code.h"
#include "isa/emit.h"
#include "print/function.h"

/* A function that has a portable program, as source text. */
struct pack_kernel {
	char *text;            /* NULL: it has no program, or cannot run, and why was said on stderr */
	size_t size;
	uint64_t workspace;    /* bytes that the text needs as C */
};
struct pack_kernels {
	struct print_functions functions;
	struct pack_kernel *rows; /* by function */
	uint32_t emitted;         /* that have a text */
};

/* All portable programs that kernels have, as sources of the target. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pack_kernels_emit(struct pack_kernels *list, const struct pkg_tables *t, const struct isa_emit_target *target,
				struct ptowsp_error *error);
void pack_kernels_finish(struct pack_kernels *list);

/* Headers under the paths that they are included by, below a folder that is there. Errors: IO, NO_MEMORY. */
ptowsp_status pack_headers_write(const struct isa_text *headers, const char *folder, struct ptowsp_error *error);

/* Those of the task API, without what emitted kernels include as well; the last one's path is NULL. */
extern const struct isa_text pack_task_headers[];
/* pack/tasks.c: NAME.c for each entry with code and the headers of the task API, into a folder that is there. Entries that have no counterpart in the
 * task API are named on stderr. Errors: IO, NO_MEMORY. */
ptowsp_status pack_tasks_write(const struct pkg_code *code, const struct print_functions *functions, const char *folder, struct ptowsp_error *error);

/* NAME.extension for each, and the headers that they include, into a folder, which is made. Errors: IO, NO_MEMORY. */
ptowsp_status pack_kernels_write(const struct pack_kernels *list, const struct isa_emit_target *target, const char *folder,
				 struct ptowsp_error *error);

#endif
