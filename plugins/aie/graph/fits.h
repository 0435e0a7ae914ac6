/* SPDX-License-Identifier: MIT */
/* fits.h - what a call takes of a core's memory, wherever it runs: its arguments, and tiles that do not lie in them (isa/emit/emit_core.h). One thread. */
#ifndef AIE_FITS_H
#define AIE_FITS_H

#include "aie/design/map.h"
#include <stdint.h>

/* Memory of a core that a call takes, as refusals and figures have it. */
/* Bytes of a core tile for a call. */
struct aie_fits {
	uint64_t tiles, arguments, stack; /* tiles that do not lie in its arguments; these once each; what a core's stack has besides tiles */
	uint64_t declared;                /* all its tiles, as ptowsp-inspect says it: those that are not there at once share; no part of the sum */
};
static inline uint64_t aie_fits_sum(const struct aie_fits *fits)
{
	return fits->tiles + fits->arguments + fits->stack;
}

/* Sets the stack of all calls. Errors: NO_MEMORY. */
ptowsp_status aie_fits_find(struct aie_acts *acts, const struct aie_map_args *args, struct ptowsp_error *error);
/* Need of a call whose arguments are there so many times. */
uint64_t aie_fits_need(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch, uint32_t times);
/* Has a core room for the call with memories beside it, each argument, and stack and tiles together, whole in one? */
bool aie_fits_near(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch);
/* Need of the kernel's largest call; false: nothing calls it. */
bool aie_fits_most(const struct aie_acts *acts, uint32_t kernel, const struct aie_arch *arch, struct aie_fits *fits_out);
/* UNSUPPORTED naming task, kernel, what it needs, how much its core's memory and those beside it take of what is moved, and why it is not divided. */
ptowsp_status aie_fits_refuse(const struct aie_acts *acts, const struct aie_act *act, const struct aie_map_args *args, const char *why,
			      struct ptowsp_error *error);

#endif
