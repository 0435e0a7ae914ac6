/* SPDX-License-Identifier: MIT */
/* ir_custom.h - printing operations as people write them: what its files know of each other. */
#ifndef AIE_IR_CUSTOM_H
#define AIE_IR_CUSTOM_H

#include "aie/ir/ir_print.h"

struct aie_custom {
	struct common_text *text;
	const struct aie_names *names;
	bool epoch_b;
};
/* A use; objects of a view have names of their own in epoch A. */
void aie_custom_value(const struct aie_custom *custom, const struct aie_value *value);
/* %a, %b from `first` on. */
void aie_custom_values(const struct aie_custom *custom, struct aie_value *const *values, uint32_t first, uint32_t end);
/* %a: i32, %b: f32 */
void aie_custom_arguments(const struct aie_custom *custom, const struct aie_region *region, uint32_t first);
/* { operations } without `without`, the last one that goes without saying; NULL: all. */
void aie_custom_region(const struct aie_custom *custom, const struct aie_region *region, uint32_t depth, const char *without);
void aie_custom_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth);
/* An operation of the dialect; false: it has no such form, or not what it needs, and nothing was printed. */
bool aie_custom_device_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth);

#endif
