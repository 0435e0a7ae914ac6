/* SPDX-License-Identifier: MIT */
/* fits.h - what a call takes of a core's memory, wherever it runs: its arguments, and tiles that do not lie in them (isa/emit/emit_core.h). A kernel that does not fit into an empty core
 * tile is refused before anything is placed. One thread. */
#ifndef AIE_FITS_H
#define AIE_FITS_H

#include "aie/design/map.h"

/* Sets the stack of all calls. Errors: UNSUPPORTED naming the first task, its kernel, what it needs and what there is; NO_MEMORY. */
ptowsp_status aie_fits_check(struct aie_acts *acts, const struct aie_map_args *args, struct ptowsp_error *error);

#endif
