/* SPDX-License-Identifier: MIT */
/* aie_caps.h - what the array enforces of what a package asks for, where that is not what the runtime core does. */
#ifndef AIE_CAPS_H
#define AIE_CAPS_H

#include "base/base_caps.h"

/* Rows with the clock of the array, behind the first `there`; as base_caps_add. Any thread. */
uint32_t aie_caps(struct ptowsp_cap *rows, uint32_t there);
/* Rows with the reference clock; as base_backend.caps. */
uint32_t aie_reference_caps(struct ptowsp_cap *rows_out);

#endif
