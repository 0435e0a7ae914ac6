/* SPDX-License-Identifier: MIT */
/* kernel_files.h - kernels of a design as C for its cores: each portable kernel by isa/emit.h, and a function per name that the design calls, as its tools call it: a pointer
 * to the first element per tensor, 64 bits per scalar. One thread. */
#ifndef AIE_KERNEL_FILES_H
#define AIE_KERNEL_FILES_H

#include "base/kernels.h"
#include "design.h"
#include "lower.h"

struct aie_file {
	char name[32];  /* "calls.c", "kernel_0.c" */
	char *text;     /* owned */
};
struct aie_kernel_files {
	struct aie_file *files;
	uint32_t count, room;
};
struct aie_kernel_files_args {
	const struct aie_design *design;
	const struct aie_lowered *lowered;
	const struct base_walk *walk;
	const struct base_kernels *kernels; /* per KREG row */
};
/* Fills zeroed or finished files; calls.c is the first. Errors: UNSUPPORTED naming a kernel without portable code, or why it cannot be written; NO_MEMORY. */
ptowsp_status aie_kernel_files_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error);
void aie_kernel_files_finish(struct aie_kernel_files *files);

#endif
