/* SPDX-License-Identifier: MIT */
/* part.h - the part of an array that a design uses: its first columns, and of these the first rows of cores. */
#ifndef AIE_PART_H
#define AIE_PART_H

#include "aie/aie_arch.h"
#include "ptowsp/base.h"

/* "2x3": 2 rows of cores, 3 columns; "": all. part_out: the array with so many columns, as the dialect knows it, which has that many rows for whoever places cores.
 * Errors: INVALID naming the text and what the array has. Any thread. */
ptowsp_status aie_part_read(struct aie_arch *part_out, const struct aie_arch *arch, const char *text, struct ptowsp_error *error);

#endif
