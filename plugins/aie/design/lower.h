/* SPDX-License-Identifier: MIT */
/* lower.h - a virtual graph with places as operations of an MLIR module. One thread. */
#ifndef AIE_LOWER_H
#define AIE_LOWER_H

#include "aie/aie_arch.h"
#include "aie/design/kernel_object.h"
#include "aie/design/near.h"
#include "aie/graph/order.h"
#include "aie/ir/ir.h"
#include "aie/place/aie_place.h"
#include "base/kernels.h"

struct aie_lower_args {
	const struct aie_arch *arch;
	const struct base_walk *walk; /* calls get its scalars */
	const struct aie_acts *acts;
	const struct aie_cells *cells;
	const struct aie_graph *graph;
	const struct aie_order *order;
	const struct aie_depths *depths; /* per stream */
	const struct aie_place *places;  /* per cell, then per stream that begins or ends at the host, then per group, then of tiles beside cells */
	const struct aie_near *near;
	const struct aie_tensor *tensors; /* per TENS row */
	uint32_t tensor_count, kernel_count;
	const struct aie_kernel_object *objects; /* of the first object_count kernels, what their functions are called; NULL: there are none */
	uint32_t object_count;
	struct aie_called names;
};
/* Origins of the module's parts. */
struct aie_lowered {
	uint32_t *arguments; /* per argument of the sequence: TENS row; AIE_NOTHING: filler of filler_bytes */
	uint32_t argument_count;
	uint64_t filler_bytes;
	char **functions;  /* names, each of calls of one kernel with arguments of the same types */
	uint32_t *kernels; /* per function: KREG row */
	uint64_t *tasks;   /* per function: a task that calls it */
	uint32_t function_count;
	uint32_t *steps; /* per operation of the sequence: the step of the order that it comes from */
	uint32_t step_count, step_room;
};
/* Fills a begun module, and zeroed or finished lowered. Functions have no body; each says its kernel in the attribute ptowsp.kernel, in link_with the object file that all
 * functions of that kernel are in, in ptowsp.before how many elements of a kernel's windows lie in front of its arguments (where it leaves the first ones alone; negative: how
 * many of the argument lie in front of the window), and in ptowsp.window rows, columns and stride of a window that is only a part of its argument, 0 of others; in ptowsp.shared how many
 * arguments before it is the one whose memory each shares, 0: it is by itself. Functions of the
 * module are in the order of `lowered`. Errors: UNSUPPORTED naming tensor or kernel: what a channel moves is no multiple of 4 bytes, types that have no name in MLIR; NO_MEMORY. */
ptowsp_status aie_lower(struct aie_module *module, const struct aie_lower_args *args, struct aie_lowered *lowered, struct ptowsp_error *error);
void aie_lowered_finish(struct aie_lowered *lowered);

#endif
