/* SPDX-License-Identifier: MIT */
/* fits_sum.h - what a call takes of a core's memory, as refusals and figures have it. */
#ifndef AIE_FITS_SUM_H
#define AIE_FITS_SUM_H

#include <stdint.h>

/* Bytes of a core tile for a call. */
struct aie_fits {
	uint64_t tiles, arguments, stack; /* tiles that do not lie in its arguments; these once each; what a core's stack has besides tiles */
	uint64_t declared;                /* all its tiles, as ptowsp-inspect says it: those that are not there at once share; no part of the sum */
};
static inline uint64_t aie_fits_sum(const struct aie_fits *fits)
{
	return fits->tiles + fits->arguments + fits->stack;
}

#endif
