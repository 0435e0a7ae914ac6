/* SPDX-License-Identifier: MIT */
/* pin.h - tiles that a user wants for certain cores: "compute[1]@2,3;0@0,2" is the second instance of process compute on column 2, row 3, and executor 0 of the schedule on
 * column 0, row 2. A name without a number is the first instance. One thread. */
#ifndef AIE_PIN_H
#define AIE_PIN_H

#include "aie/graph/cell.h"

struct aie_pins {
	const char *text; /* "": there are none */
	/* The process of an instance, and which of its instances that is, from 0. */
	const char *(*process_name)(const void *context, uint32_t instance, uint32_t *replica_out);
	const void *context;
};
/* Pins cells; one that a schedule has pinned elsewhere goes where the text says. Errors: INVALID naming the part of the text that is no pin, or a core that is not there. */
ptowsp_status aie_pins_apply(const struct aie_pins *pins, struct aie_cells *cells, struct ptowsp_error *error);

#endif
