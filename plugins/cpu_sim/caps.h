/* SPDX-License-Identifier: MIT */
/* caps.h - capability rows: those of the runtime core, then what this backend adds. */
#ifndef CPU_SIM_CAPS_H
#define CPU_SIM_CAPS_H

#include "ptowsp/caps.h"

#define CPU_CAPS_LIMIT 512u

/* Writes at most room rows, returns how many there are; room CPU_CAPS_LIMIT always does. */
uint32_t cpu_caps(struct ptowsp_cap *rows_out, uint32_t room);
/* The op `capabilities`. */
ptowsp_status cpu_caps_list(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride,
			    uint32_t *count, struct ptowsp_error *error);

#endif
