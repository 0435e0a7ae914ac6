/* SPDX-License-Identifier: MIT */
/* compiler.h - the system's compiler: emitted kernels into one shared object, several kernels a call and as many calls at once as there are processors, in the
 * scratch folder (scratch.h). The object depends on the sources, the compiler and the flags alone. */
#ifndef TOOLS_COMPILER_H
#define TOOLS_COMPILER_H

#include "tools/pack/pack_kernels.h"

struct compiler {
	char command[1024]; /* $CC, cc, under ccache where that is there, or TRIPLE-gcc; may have arguments */
	const char *triple; /* borrowed */
	char version[160];  /* the compiler's own first line */
};
/* triple: "" is this machine's. Errors: NO_DEVICE naming what is missing. The scratch folder is open. */
ptowsp_status compiler_find(struct compiler *compiler, const char *triple, struct ptowsp_error *error);
/* The sources that are compiled, which include those of pack_kernels_add. Errors: those of emitted_add. */
ptowsp_status compiler_units_add(struct emitted *files, const struct pack_kernels *list, const struct isa_emit_target *target, struct ptowsp_error *error);
/* All that have a text and whose sources are in the scratch folder, with the units of them. object_out: owned by the caller.
 * Errors: RUN_FAILED with what the compiler says, IO. */
ptowsp_status compiler_run(const struct compiler *compiler, const struct pack_kernels *list, const struct isa_emit_target *target, void **object_out,
			   size_t *size_out, struct ptowsp_error *error);
extern const char compiler_flags[];

#endif
