/* SPDX-License-Identifier: MIT */
/* plan_window.h - arguments of a task in the runtime's words: tensors as windows of entry tensors. One thread. */
#ifndef ASCEND_PLAN_WINDOW_H
#define ASCEND_PLAN_WINDOW_H

#include "ascend/plan/plan_make.h"

/* The runtime's code for an element type, by its size where it has none. */
uint8_t ascend_dtype_of(uint16_t dtype);
/* entry: of the argument's tensor; base: the first element of that, NULL: it is bound to nothing. One that is not touched may begin anywhere, and has an element of its
 * tensor. False: a number of it has more than 32 bits; *window_out is that of one that is not touched. */
bool ascend_plan_window_of(struct ascend_plan_window *window_out, const struct ptowsp_tensor_arg *arg, uint32_t entry, const void *base);
/* The window in words of the entry tensor in which the argument lies: its own one, or that of versions. Result as of ascend_plan_window_of. */
bool ascend_window_of(struct ascend_plan_window *window_out, const struct ascend_plan_rules *rules, const struct ptowsp_tensor_arg *arg);

/* The runtime's task has room for only so many arguments. Errors: TOO_SMALL naming task and kernel by number. */
ptowsp_status ascend_args_check(const struct ascend_plan_rules *rules, const struct base_walk_task *task, uint64_t number, struct ptowsp_error *error);
/* Adds the arguments of the task, the part's own, to the latest step. Errors: TOO_SMALL for a tensor that a window cannot say. */
ptowsp_status ascend_args_add(const struct ascend_plan_rules *rules, struct ascend_plan_part *part, const struct base_walk_task *task, uint64_t number,
			      struct ptowsp_error *error);

#endif
