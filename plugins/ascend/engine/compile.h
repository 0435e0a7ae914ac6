/* SPDX-License-Identifier: MIT */
/* compile.h - the two objects that the runtime loads and that are shipped as source: the orchestration (C++17, against the user's checkout of the runtime) and, for
 * the simulation, the kernel adapter (C). Compiled the first time they are needed and kept in a folder named after everything that went into them: our sources,
 * the headers and sources of the checkout, the commands. */
#ifndef ASCEND_COMPILE_H
#define ASCEND_COMPILE_H

#include "ascend/engine/files.h"
#include "isa/emit/emit.h"

struct ascend_objects {
	void *orchestration, *kernel; /* owned; kernel NULL onboard */
	size_t orchestration_size, kernel_size;
	bool compiled;            /* now, and not before */
	char folder[ASCEND_PATH]; /* where they are kept */
};
/* cache: folder, made if it is not there; NULL or "": $XDG_CACHE_HOME/ptowsp, else $HOME/.cache/ptowsp, else /tmp/ptowsp-UID. Compilers: $CXX, $CC, else g++, gcc; the
 * orchestration of a task buffer for a device: the one of $ASCEND_HOME_PATH. Several processes may do this at the same time.
 * Errors: NO_DEVICE when sources or a compiler are not there or refuse, naming the first error and the file with all of them; IO; NO_MEMORY. */
ptowsp_status ascend_objects_make(struct ascend_objects *objects_out, const struct ascend_which *which, const char *cache, struct ptowsp_error *error);
/* The same of others' sources, among which are files plan.cpp and kernel.c. */
ptowsp_status ascend_objects_of(struct ascend_objects *objects_out, const struct isa_text *sources, const struct ascend_which *which, const char *cache,
				struct ptowsp_error *error);
void ascend_objects_finish(struct ascend_objects *objects); /* of zeroed ones, too */

#endif
