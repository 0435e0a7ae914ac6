/* SPDX-License-Identifier: MIT */
/* base_support.h - what each portable kernel runs as: on the device, on this processor, or nowhere. The backend says it by TILE rows and by its hook `judge`; the host hears it beforehand, by the
 * rows and through "ptowsp.support/0", and load obeys the same. */
#ifndef BASE_SUPPORT_H
#define BASE_SUPPORT_H

#include "base_caps.h"
#include "kernels.h"
#include "registry/common/common_tile.h"

/* Rows that decide about kernels of a device under these options. Points into itself. */
struct base_support {
	const struct base_backend *backend;
	const struct base_options *options;
	const struct base_model *model;
	struct ptowsp_cap caps[BASE_CAPS_LIMIT];
	struct common_tile_rows rows;
};
void base_support_init(struct base_support *support, const struct base_backend *backend, const struct base_options *options, const struct base_model *model);
/* Judges a kernel that base_select filled, row `row` of KREG: sets kernel->processor, or kernel->why. */
void base_support_apply(const struct base_support *support, struct base_kernel *kernel, struct base_sections *sections, uint32_t row);
/* The extension's table; NULL where rows say all there is to say, and for hosts of 10.0. */
const void *base_support_table(const struct base_backend *backend, const struct ptowsp_object *instance);

#endif
