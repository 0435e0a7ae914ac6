/* SPDX-License-Identifier: MIT */
/* sort.h - puts the rows of tables with ids into the order that a package demands. */
#ifndef FORMAT_SORT_H
#define FORMAT_SORT_H

#include "writer.h"

/* Sorts KREG, TENS, SLOT and ENTR by id and renumbers every reference to their rows: fields, expressions, WORK, DBGI.
 * References that are out of range are left for the verifier. Errors: NO_MEMORY. */
ptowsp_status pkg_writer_sort(struct pkg_writer *writer, struct ptowsp_error *error);

#endif
