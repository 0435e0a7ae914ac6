/* SPDX-License-Identifier: MIT */
/* select.h - which of several possibilities serves a kernel. */
#ifndef CPU_SIM_SELECT_H
#define CPU_SIM_SELECT_H

#include "kernels.h"

/* Fills a zeroed kernel for row `row` of KREG; see cpu_kernels_init. */
ptowsp_status cpu_select(struct cpu_kernel *kernel, const struct cpu_instance *instance, const struct cpu_sections *sections,
			 uint32_t row, uint32_t load_flags, struct ptowsp_error *error);

#endif
