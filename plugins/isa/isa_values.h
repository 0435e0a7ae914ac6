/* SPDX-License-Identifier: MIT */
/* isa_values.h - the values of a tile as tiles of their own, for who gives each value a place. */
#ifndef ISA_VALUES_H
#define ISA_VALUES_H

#include "isa/isa.h"

/* A program that does the same, in which a tile whose uses all stand in one straight piece of the program is another one wherever it is written anew. They have the tile's name. The caller destroys it.
 * Errors: NO_MEMORY. */
ptowsp_status isa_values_split(struct isa_program **split_out, const struct isa_program *program, struct ptowsp_error *error);

#endif
