/* SPDX-License-Identifier: MIT */
/* alias.h - arguments of one call that have elements in common, and of which it writes some. A core has what a call gets in buffers, so that a kernel that reads in one of them what
 * it has written to another would not find it: such arguments are one buffer, and each is a view of that. One thread. */
#ifndef AIE_ALIAS_H
#define AIE_ALIAS_H

#include "aie/graph/act.h"
#include "rt/access/footprint.h"

/* A tensor argument of a call while its act is made. */
struct aie_argument {
	struct aie_area area;
	struct aie_use use; /* all but the number of its area */
};
struct aie_alias_args {
	const struct rt_footprint *footprint; /* of the call */
	bool once;                            /* its kernel runs once, so that the footprint has all it does in its order */
	bool exact;                           /* as in act.h */
	const struct aie_tensor *tensors;     /* per TENS row */
};
/* Sets use.with of all, and for those that are to be one buffer area, view and access. `first` and `second` are places of two that cannot be. Errors: UNSUPPORTED: their types
 * differ. */
ptowsp_status aie_alias(struct aie_argument *arguments, uint32_t count, const struct aie_alias_args *args, uint32_t *first, uint32_t *second);

#endif
