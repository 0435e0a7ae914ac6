/* SPDX-License-Identifier: MIT */
/* kernel_object.h - object files that a user has for kernels, in place of the C that is written for them: images of the package for the cores of an array, and before these what
 * --opt objects names ("scale=build/scale.o;add=add.o"). One thread. */
#ifndef AIE_KERNEL_OBJECT_H
#define AIE_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "aie/aie_arch.h"
#include "base/kernels.h"
#include "base/options.h"

struct aie_kernel_object {
	const void *bytes; /* of the package's image, borrowed while it is loaded; NULL: none */
	uint64_t size;
	const char *entry; /* name of its function; "": as functions of kernels are called */
	uint64_t cycles;   /* of a call; 0: nobody says so */
	char *path;        /* of the option's file, owned; NULL: none */
};
struct aie_kernel_objects_args {
	const char *text; /* of the option */
	const struct base_kernels *kernels;
	const struct base_sections *sections; /* of the package */
	const struct aie_arch *arch;
	bool trusted; /* images of the package may be used */
};
/* A row per kernel, owned by the caller until aie_kernel_objects_free, also where it fails. Errors: INVALID naming the part of the option that is not KERNEL=FILE, or a kernel that the
 * package does not have, or a file that is no object; IO; BAD_PACKAGE: an image is no ELF file; TOO_BIG; NO_MEMORY. */
ptowsp_status aie_kernel_objects_make(struct aie_kernel_object **rows_out, const struct aie_kernel_objects_args *args, struct ptowsp_error *error);
void aie_kernel_objects_free(struct aie_kernel_object *rows, const struct base_kernels *kernels);
static inline bool aie_kernel_object_is(const struct aie_kernel_object *object)
{
	return object->path || object->bytes;
}
/* The bytes of an object, owned by the caller. Errors: IO naming the file; INVALID: it is no ELF file; TOO_BIG: of more than 16 MiB, a thousand times a core's program memory; NO_MEMORY. */
ptowsp_status aie_kernel_object_read(const struct aie_kernel_object *object, char **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
