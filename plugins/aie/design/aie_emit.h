/* SPDX-License-Identifier: MIT */
/* aie_emit.h - a design as files for people and tools: the text of record, the form that people write, placement and routes, a picture, and what each of them is. */
#ifndef AIE_EMIT_H
#define AIE_EMIT_H

#include "aie/design/aie_channels.h"
#include "aie/design/kernel_files.h"
#include "aie/picture/picture.h"

struct aie_emit_args {
	const char *text;                /* of the module, in the generic form */
	const struct aie_module *module; /* read from it */
	const struct aie_design *design;
	const struct aie_kernel_files *files; /* of its kernels */
	const struct aie_channels *channels;
	const struct aie_picture *picture;
	const char *ring;             /* of streams, "" where there is none */
	bool epoch_b;                 /* of the form that people write */
	const char *const *arguments; /* per argument of the sequence: the tensor's name, NULL of words that nobody reads */
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void *context;
};
/* Gives each file away once. Errors: those of file, NO_MEMORY. One thread. */
ptowsp_status aie_emit(const struct aie_emit_args *args, struct ptowsp_error *error);

#endif
