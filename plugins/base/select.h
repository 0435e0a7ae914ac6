/* SPDX-License-Identifier: MIT */
/* select.h - which of several possibilities serves a kernel. */
#ifndef BASE_SELECT_H
#define BASE_SELECT_H

#include "kernels.h"

/* Fills a zeroed kernel for row `row` of KREG; see base_kernels_init. */
ptowsp_status base_select(struct base_kernel *kernel, const struct base_instance *instance, struct base_sections *sections, uint32_t row, uint32_t load_flags,
			  struct ptowsp_error *error);

#endif
