/* SPDX-License-Identifier: MIT */
/* base_compiled.h - what a backend compiles for a program, given to the host and found again by the next load: "ptowsp.compiled/0" (ptowsp/compiled.h).
 *
 * A blob goes away sealed: in front of the backend's bytes stands a digest of them, of the device's key, and of what they were made from. So what is found is what was given, or nothing (PL16). */
#ifndef BASE_COMPILED_H
#define BASE_COMPILED_H

#include "program.h"

struct base_backend;

/* Where blobs go. */
struct base_blobs {
	const struct base_program *program;
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void *context;
};
struct base_compiled {
	/* The device's key, as ptowsp/compiled.h says it. */
	void (*key)(const struct base_device *device, char *text_out, size_t room);
	/* Gives what the program has compiled by now. */
	ptowsp_status (*save)(struct base_program *program, const struct base_blobs *blobs, struct ptowsp_error *error);
};
/* Gives one. source: what the bytes were made from, which whoever finds them has, too. Errors: NO_MEMORY, and what the host answers. */
ptowsp_status base_blob_give(const struct base_blobs *blobs, const char *name, const char *source, const void *bytes, uint64_t size,
			     struct ptowsp_error *error);
/* Inside of load: the bytes that were given with this name and source for such a device, of any alignment, valid until load returns; NULL: there are none. */
const void *base_blob_find(const struct base_program *program, const char *name, const char *source, uint64_t *size_out);
/* Inside of load: are there any? */
bool base_blobs_given(const struct base_program *program);
/* The extension's table; NULL for a backend that keeps nothing, and for hosts of 10.0. */
const void *base_compiled_table(const struct base_backend *backend, const struct ptowsp_object *instance);

#endif
