/* SPDX-License-Identifier: MIT */
/* kernel_object.h - object files that a user has for kernels, in place of the C that is written for them: "scale=build/scale.o;add=add.o". One thread. */
#ifndef AIE_KERNEL_OBJECT_H
#define AIE_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/kernels.h"
#include "base/options.h"

/* The file that the text names for a kernel into path_out; false: none. */
bool aie_kernel_object_find(const char *text, const char *kernel, char path_out[BASE_TEXT]);
/* Errors: INVALID naming the part that is not KERNEL=FILE, or a kernel that the package does not have. */
ptowsp_status aie_kernel_objects_check(const char *text, const struct base_kernels *kernels, struct ptowsp_error *error);
/* Bytes of a file, owned by the caller. Errors: IO naming it; INVALID: it is no ELF file; TOO_BIG: of more than 16 MiB, a thousand times a core's program memory; NO_MEMORY. */
ptowsp_status aie_kernel_object_read(const char *path, char **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
