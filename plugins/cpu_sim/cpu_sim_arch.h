/* SPDX-License-Identifier: MIT */
/* cpu_sim_arch.h - the devices of this backend, as data. */
#ifndef CPU_SIM_ARCH_H
#define CPU_SIM_ARCH_H

#include "base/models.h"

/* See base_backend.models. */
const struct base_model *cpu_models(const struct base_options *options, uint32_t *count_out);

#endif
