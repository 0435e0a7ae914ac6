/* SPDX-License-Identifier: MIT */
/* library.h - libhost_runtime.so in this process: which generation of the interface it has, and its functions. */
#ifndef ASCEND_LIBRARY_H
#define ASCEND_LIBRARY_H

#include "ascend/engine/files.h"
#include "ascend/engine/pod.h"

/* The runtime has had four interfaces that nothing in them tells apart but which functions there are. */
enum ascend_generation {
	ASCEND_GENERATION_NONE, /* no interface of a pto-runtime */
	ASCEND_GENERATION_1,    /* launch_runtime: January 2026 */
	ASCEND_GENERATION_2,    /* create_device_context and run_runtime: generations 2 and 3, April 2026 */
	ASCEND_GENERATION_4     /* simpler_launch_run: August 2026; the one that the client speaks */
};
/* The generation of a library, of an open handle. */
enum ascend_generation ascend_generation_find(void *handle);
const char *ascend_generation_text(enum ascend_generation generation);

struct ascend_library {
	void *handle;
	size_t runtime_size, runtime_alignment;
	struct ascend_contract contract; /* a copy */
#define X(result, name, arguments) result(*name) arguments;
#include "ascend/engine/library.def"
#undef X
};
/* The simulation's context first, for all to see; then the library, for nobody else; the log of both is bound before anything else is called. The context stays
 * until the process ends, as thread keys of it may.
 * Errors: NO_DEVICE when the linker refuses it; UNSUPPORTED for any other generation or contract, naming what was found and what is needed. */
ptowsp_status ascend_library_open(struct ascend_library *library_out, const struct ascend_files *files, struct ptowsp_error *error);
/* Closes a library, also a zeroed one. No context of it is alive. */
void ascend_library_close(struct ascend_library *library);

#endif
