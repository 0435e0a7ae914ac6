/* SPDX-License-Identifier: MIT */
/* pad.h - windows of which only a part is there, as whole ones: a kernel works on whole tiles, in a copy with zeros where its tensor has nothing. Its writes there stay there. A device that has the
 * elements of a part is asked for them, and told of those that are written. */
#ifndef BASE_PAD_H
#define BASE_PAD_H

#include "kernels.h"

/* The whole window, if that of tensor argument i is a part of it. NULL: the window goes as it is, and the kernel checks it; one that is only bound is not touched. */
const struct ptowsp_tile_param *base_pad_tile(const struct base_kernel *kernel, uint32_t i, const struct ptowsp_tensor_arg *w);

struct base_pad; /* lies in the worker's room */
/* Puts whole windows in place of those of the kernel's parts that are smaller than its tiles; `task` has them until close. *pad_out NULL: all are whole.
 * worker: has a room (base_kernels.rooms), and nothing open. Errors: NO_MEMORY, KERNEL_FAILED where two windows that are written meet in part. */
ptowsp_status base_pad_open(struct base_pad **pad_out, const struct base_kernels *kernels, const struct base_kernel *kernel, struct ptowsp_task *task,
			    uint32_t worker, struct ptowsp_error *error);
/* Existing parts of windows that are written go back, after a failure too. NULL is allowed. */
void base_pad_close(struct base_pad *pad);
/* Frees a worker's room, also one of zeros. */
void base_pad_room_finish(const struct base_instance *instance, struct base_pad_room *room);

#endif
