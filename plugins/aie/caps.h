/* SPDX-License-Identifier: MIT */
/* caps.h - what the array enforces of what a package asks for, where that is not what the runtime core does. */
#ifndef AIE_CAPS_H
#define AIE_CAPS_H

#include <stdbool.h>
#include "base/caps.h"

/* own: with the clock of the array. Static. Any thread. */
const struct ptowsp_cap *aie_caps(bool own, uint32_t *count_out);

#endif
