/* SPDX-License-Identifier: MIT */
/* files.h - where the libraries and sources of a pto-runtime lie below the folder that --opt runtime=DIR names: the root of a checkout that was built in place.
 *
 *   build/lib/libcpu_sim_context.so                                      simulation only
 *   build/lib/ARCH/sim|onboard/VARIANT/libhost_runtime.so, libaicpu_kernel.so, libaicore_kernel.so (sim) or aicore_kernel.o (onboard)
 *   build/lib/ARCH/dispatcher/libsimpler_aicpu_dispatcher.so             onboard only
 *   src/ARCH/runtime/VARIANT/..., src/common/...                         sources
 *
 * Source: simpler_setup/runtime_builder.py of hw-native-sys/simpler. */
#ifndef ASCEND_FILES_H
#define ASCEND_FILES_H

#include "ptowsp/base.h"
#include <stdbool.h>

#define ASCEND_HOST_GRAPH  "host_build_graph"
#define ASCEND_TASK_BUFFER "tensormap_and_ringbuffer"
#define ASCEND_PATH        1024

/* The library that the options choose. Borrowed. */
struct ascend_which {
	const char *root;    /* DIR */
	const char *arch;    /* "a2a3", "a5" */
	const char *variant; /* ASCEND_HOST_GRAPH or ASCEND_TASK_BUFFER */
	bool onboard;        /* for a device, else for the simulation */
};
struct ascend_files {
	char host[ASCEND_PATH], aicpu[ASCEND_PATH], aicore[ASCEND_PATH];
	char context[ASCEND_PATH];    /* "" onboard */
	char dispatcher[ASCEND_PATH]; /* "" in the simulation */
};

/* DIR/template with the words ARCH, VARIANT and PLATFORM (sim, onboard) between slashes replaced. path: ASCEND_PATH bytes. False: it does not fit. */
bool ascend_path_fill(char *path, const struct ascend_which *which, const char *template);
/* Errors: NO_DEVICE naming the first file that is not there and what makes it, INVALID for a path that is too long or a variant that there is not. */
ptowsp_status ascend_files_find(struct ascend_files *files_out, const struct ascend_which *which, struct ptowsp_error *error);
/* A whole file, to be freed. Errors: IO, NO_MEMORY. */
ptowsp_status ascend_file_read(const char *path, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
