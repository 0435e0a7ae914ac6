/* SPDX-License-Identifier: MIT */
/* registry_kernels.h - C functions that the embedding program offers, by name; one table per process. Any thread. */
#ifndef REGISTRY_KERNELS_H
#define REGISTRY_KERNELS_H

#include <stdbool.h>

#include "ptowsp/base.h"

typedef void (*reg_function)(void); /* cast to its real type by whoever calls it */

/* name: 1 to 63 bytes, copied. signature: natural, or "" for ptowsp_kernel_fn; copied.
 * Errors: INVALID (name, signature, NULL function, or the name is taken by another function or signature), NO_MEMORY. The same again is no error. */
ptowsp_status reg_kernel_register(const char *name, const char *signature, reg_function fn, struct ptowsp_error *error);
/* False if there was none. A loaded program keeps the function that it found. */
bool reg_kernel_unregister(const char *name);
bool reg_kernel_has(const char *name);
/* Errors: NOT_FOUND (lists what is known, the nearest first), INVALID if it is registered with another signature. */
ptowsp_status reg_kernel_find(const char *name, const char *signature, reg_function *fn_out, struct ptowsp_error *error);

#endif
