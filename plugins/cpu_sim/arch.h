/* SPDX-License-Identifier: MIT */
/* arch.h - the devices of this backend, as data. */
#ifndef CPU_SIM_ARCH_H
#define CPU_SIM_ARCH_H

#include "ptowsp/arch.h"

/* The op `devices`. */
ptowsp_status cpu_devices_list(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
			       struct ptowsp_error *error);
/* OK if selector (NULL and "" mean the first device) names the device; NO_DEVICE naming what there is. */
ptowsp_status cpu_device_select(const char *selector, struct ptowsp_error *error);

#endif
