/* SPDX-License-Identifier: MIT */
/* isa_straight.h - what a program does with arguments that are known, as one straight piece: loops run out, offsets are numbers. One thread. */
#ifndef ISA_STRAIGHT_H
#define ISA_STRAIGHT_H

#include "isa/isa.h"

/* A program without control that does the same, in all blocks one after the other: instructions on tiles alone, of whose scalars each is a constant or an argument that nothing changes. Names, tiles,
 * parameters and arguments are those of the program. most: instructions that there may be. The caller destroys it. Errors: UNSUPPORTED with the sentence why there is none: elements decide what is done or
 * where, single elements are stored, there would be too many instructions, or it cannot run; NO_MEMORY. */
ptowsp_status isa_straight(struct isa_program **straight_out, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
			   uint32_t most, struct ptowsp_error *error);

#endif
