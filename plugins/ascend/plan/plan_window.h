/* SPDX-License-Identifier: MIT */
/* plan_window.h - a tensor argument as a window of an entry tensor, in the runtime's words. One thread. */
#ifndef ASCEND_PLAN_WINDOW_H
#define ASCEND_PLAN_WINDOW_H

#include "ascend/ascend_plan.h"
#include "ptowsp/task.h"
#include <stdbool.h>

/* The runtime's code for an element type, by its size where it has none. */
uint8_t ascend_dtype_of(uint16_t dtype);
/* entry: of the argument's tensor; base: the first element of that, NULL: it is bound to nothing. One that is not touched may begin anywhere, and has an element of its
 * tensor. False: a number of it has more than 32 bits; *window_out is that of one that is not touched. */
bool ascend_plan_window_of(struct ascend_plan_window *window_out, const struct ptowsp_tensor_arg *arg, uint32_t entry, const void *base);

#endif
