/* SPDX-License-Identifier: MIT */
/* kernel_files.h - kernels of a design as C for its cores, a file per kernel: the portable kernel by isa/emit/emit.h, and each function that the design calls of it, as its tools call
 * it: a pointer to the first element per tensor, 64 bits per scalar. One thread. */
#ifndef AIE_KERNEL_FILES_H
#define AIE_KERNEL_FILES_H

#include "aie/design/design.h"
#include "aie/design/kernel_object.h"
#include "aie/design/lower.h"
#include "base/kernels.h"

enum { AIE_FILE_NAME = 88 };
struct aie_file {
	char name[AIE_FILE_NAME]; /* of a kernel as the object that its functions are linked with, ".c" in place of ".o"; of a header "isa/kernel.h" */
	char *text;               /* owned; C ends with a 0 that size does not count */
	size_t size;              /* bytes */
};
struct aie_kernel_files {
	struct aie_file *files;
	uint32_t count, room;
	uint32_t kernel_count; /* of files, the first ones: C */
	uint32_t
		object_count; /* behind them: objects that a user has; the others are headers, in the folders isa, ptowsp and bare; those of bare are for compilers that have no library */
};
struct aie_kernel_files_args {
	const struct aie_design *design; /* read from the text of `lowered` */
	const struct aie_lowered *lowered;
	const struct base_walk *walk;
	const struct base_kernels *kernels;      /* per KREG row */
	const struct aie_kernel_object *objects; /* of the first object_count kernels: parts of divided ones have none */
	uint32_t object_count;
	bool all; /* a kernel without portable code is an error; else it has no file */
};
/* Fills zeroed or finished files. Errors: UNSUPPORTED naming a kernel without portable code, or why it cannot be written; those of kernel_object.h; NO_MEMORY; the files are empty then. */
ptowsp_status aie_kernel_files_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error);
void aie_kernel_files_finish(struct aie_kernel_files *files);

#endif
