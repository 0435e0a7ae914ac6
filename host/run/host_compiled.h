/* SPDX-License-Identifier: MIT */
/* host_compiled.h - what a plugin has compiled for a program, found again by the next load of it ("ptowsp.compiled", ptowsp/compiled.h). */
#ifndef HOST_COMPILED_H
#define HOST_COMPILED_H

#include "host/ptowsp_host.h"
#include "host/run/blob_store.h"

/* The kept code of a program. Zeros: nothing is kept of it. */
struct host_compiled {
	uint8_t key[PKG_DIGEST_SIZE];
	bool known; /* the key is */
	bool began; /* the latest run has kernels */
	bool ran;   /* one with kernels ended well */
	struct host_stored found;
	struct ptowsp_compiled_use use;
};
/* Before load: blobs of an earlier one, for args, where the cache is on and has some. They are those of program->compiled.found, which is finished behind load, as *rows_out is freed. */
void host_compiled_find(struct ptowsp_program *program, struct ptowsp_load_args *args, void **rows_out);
/* Behind a load that failed: with blobs, which then go, and the arguments are without; false: it had none. */
bool host_compiled_refused(struct ptowsp_program *program, struct ptowsp_load_args *args);
/* Before unload: keeps what was compiled, if a run ended well and nothing was found. */
void host_compiled_keep(struct ptowsp_program *program);

#endif
