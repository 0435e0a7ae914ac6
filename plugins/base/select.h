/* SPDX-License-Identifier: MIT */
/* select.h - which of several possibilities serves a kernel. */
#ifndef BASE_SELECT_H
#define BASE_SELECT_H

#include "kernels.h"

/* Fills a zeroed kernel for row `row` of KREG; see base_kernels_init. */
ptowsp_status base_select(struct base_kernel *kernel, const struct base_instance *instance, struct base_sections *sections, uint32_t row, uint32_t load_flags,
			  struct ptowsp_error *error);

/* Why it cannot be run: the sentence with its name and its place in the source. */
void base_why_set(struct base_kernel *kernel, struct base_sections *sections, uint32_t row, const char *why);

#endif
