/* SPDX-License-Identifier: MIT */
/* pack_kernels.h - the portable kernels of a package as source text: what --emit writes and --native compiles. */
#ifndef TOOLS_PACK_KERNELS_H
#define TOOLS_PACK_KERNELS_H

#include "format/package.h"
#include "isa/emit.h"

enum { PACK_SYMBOL = 64 };

/* One portable payload, which several kernels may share. */
struct pack_kernel {
	uint32_t payload;      /* its row of KPAY */
	const char *name;      /* of the first kernel that has it; borrowed from the tables */
	char symbol[PACK_SYMBOL];
	char *text;            /* source; NULL: it cannot run, and why was said on stderr */
	size_t size;
	uint64_t workspace;    /* bytes */
};
struct pack_kernels {
	struct pack_kernel *rows;
	uint32_t count, emitted;
};

/* All payloads of kind pto that some kernel has first of its kind, as sources of the target. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pack_kernels_emit(struct pack_kernels *list, const struct pkg_tables *t, const struct isa_emit_target *target,
				struct ptowsp_error *error);
void pack_kernels_finish(struct pack_kernels *list);
/* The row of a kernel's portable payload, PTOWSP_NONE: it has none. */
uint32_t pack_kernel_payload(const struct pkg_tables *t, const struct ptowsp_kernel_record *kernel);
const struct pack_kernel *pack_kernel_find(const struct pack_kernels *list, uint32_t payload);

/* Headers under the paths that they are included by, below a folder that is there. Errors: IO, NO_MEMORY. */
ptowsp_status pack_headers_write(const struct isa_text *headers, const char *folder, struct ptowsp_error *error);

/* Those of the task API, without what emitted kernels include as well; the last one's path is NULL. */
extern const struct isa_text pack_task_headers[];
/* pack_tasks.c: NAME.c for each entry with code and the headers of the task API, into a folder that is there. Entries that have no counterpart in the
 * task API are named on stderr. Errors: IO, NO_MEMORY. */
ptowsp_status pack_tasks_write(struct pkg *package, const char *folder, struct ptowsp_error *error);

/* NAME.extension for each, and the headers that they include, into a folder, which is made. Errors: IO, NO_MEMORY. */
ptowsp_status pack_kernels_write(const struct pack_kernels *list, const struct isa_emit_target *target, const char *folder,
				 struct ptowsp_error *error);

#endif
