/* SPDX-License-Identifier: MIT */
/* format_plain.h - a package without the native code that ptowsp-pack --native put into it. */
#ifndef FORMAT_PLAIN_H
#define FORMAT_PLAIN_H

#include <stdbool.h>

#include "format/format_package.h"

/* META key that says that there is such code; its string begins what is added to STRS. */
#define PKG_NATIVE_COMPILER "native_compiler"
#define PKG_NATIVE_FLAGS    "native_flags"

/* The package as it was before: its digest is that of the same source packed without --native. *plain_out is NULL where nothing was added,
 * or by another packer that has strings twice, else to
 * be closed, and then *bytes_out to be freed. Errors: NO_MEMORY, BAD_PACKAGE where the sample data do not hold or what is left does not. */
ptowsp_status pkg_plain_make(struct pkg *package, struct pkg **plain_out, void **bytes_out, struct ptowsp_error *error);

#endif
