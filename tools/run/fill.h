/* SPDX-License-Identifier: MIT */
/* fill.h - made content of tensors: zeros, ones, iota, random[:SEED]. */
#ifndef TOOLS_FILL_H
#define TOOLS_FILL_H

#include "ptowsp/base.h"

enum fill_kind { FILL_ZEROS, FILL_ONES, FILL_IOTA, FILL_RANDOM };
struct fill {
	enum fill_kind kind;
	uint64_t seed;
};

/* Errors: INVALID naming the text and the words. */
ptowsp_status fill_parse(struct fill *fill_out, const char *text, struct ptowsp_error *error);
/* Element i of argument number `position`: iota gives i; random gives, for floats, splitmix64 of (seed, position, i) in
 * [-1, 1) as the corpus defines it, for integers its top 8 bits (-128..127, 0..255), for bool its top bit. */
void fill_write(const struct fill *fill, uint16_t dtype, uint32_t position, void *data, uint64_t elements);

#endif
