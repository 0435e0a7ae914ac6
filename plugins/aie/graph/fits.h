/* SPDX-License-Identifier: MIT */
/* fits.h - what a call takes of a core's memory, wherever it runs: its arguments, and tiles that do not lie in them (isa/emit/emit_core.h). One thread. */
#ifndef AIE_FITS_H
#define AIE_FITS_H

#include "aie/design/map.h"

/* Sets the stack of all calls. Errors: NO_MEMORY. */
ptowsp_status aie_fits_find(struct aie_acts *acts, const struct aie_map_args *args, struct ptowsp_error *error);
/* Bytes of a core tile for a call whose arguments are there so many times. */
uint64_t aie_fits_need(const struct aie_acts *acts, const struct aie_act *act, const struct aie_arch *arch, uint32_t times);
/* UNSUPPORTED naming task, kernel, what it needs, what there is, and why it is not divided. */
ptowsp_status aie_fits_refuse(const struct aie_acts *acts, const struct aie_act *act, const struct aie_map_args *args, const char *why,
			      struct ptowsp_error *error);

#endif
