/* SPDX-License-Identifier: MIT */
/* filter_object.h - a shared object with nothing of its own, whose symbols are those of another one (DT_AUXILIARY, System V gABI): each load of it finds the same copy.
 *
 * The simulator of a pto-runtime writes the bytes of its cores' library into a new file each run, and each of these copies makes five keys of the 1,024 that a process
 * has (PTHREAD_KEYS_MAX) and gives none back (simpler 6ebaf77, src/a2a3/platform/sim/aicore/kernel.cpp): after some 200 runs all cores take themselves for core 0. */
#ifndef ASCEND_FILTER_OBJECT_H
#define ASCEND_FILTER_OBJECT_H

#include "ascend/engine/files.h"

/* The object for the library at `path`, which stays loaded for as long as the process lives. *bytes_out: malloc'd; NULL where the file is no shared object that this
 * machine loads. Errors: NO_MEMORY. Any thread. */
ptowsp_status ascend_filter_object_make(void **bytes_out, size_t *size_out, const char *path, struct ptowsp_error *error);

#endif
