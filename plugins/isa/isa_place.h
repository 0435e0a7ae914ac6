/* SPDX-License-Identifier: MIT */
/* isa_place.h - loads that copy nothing: where nobody but products reads what a tload brings, they read it in the window itself. */
#ifndef ISA_PLACE_H
#define ISA_PLACE_H

#include "isa/isa_program.h"

/* Finds such tiles in a decoded program and gives their loads another function: written by one tload, which no group in blocks does,
 * and read only as factors of products behind it in its basic block, with nothing between that writes memory. The
 * window then holds what the tile would hold. A window whose elements are not one behind the other or not aligned is
 * copied as ever; that shows in a run only. Behind isa_rows_make. NO_MEMORY. */
ptowsp_status isa_place_make(struct isa_program *p);
void isa_place_finish(struct isa_program *p);

#endif
