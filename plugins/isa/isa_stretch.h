/* SPDX-License-Identifier: MIT */
/* isa_stretch.h - a stretch of a straight program as a program of its own: tiles that it finds come from memory, and those that others go on with go there. One thread. */
#ifndef ISA_STRETCH_H
#define ISA_STRETCH_H

#include "isa/isa.h"

/* Instructions [first, end) of a program by isa_straight. Behind its parameters the piece has one per tile, whose window is the tile's elements, one row behind the other: there it loads what an earlier
 * piece has left, and stores what a later one wants. A tile loaded from a window that nobody writes is loaded again instead. fixed: per parameter, 1 where that is so. Unwanted instructions are left
 * out. Each value is a tile of its own, where there is room (isa_values.h). The caller destroys it. Errors: NO_MEMORY. */
ptowsp_status isa_stretch(struct isa_program **piece_out, const struct isa_program *straight, uint32_t first, uint32_t end, const uint8_t *fixed,
			  struct ptowsp_error *error);

#endif
