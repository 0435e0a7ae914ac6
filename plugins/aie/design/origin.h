/* SPDX-License-Identifier: MIT */
/* origin.h - what of a program an operation of its design comes from, for sentences: people know their tasks, kernels and tensors, and no line of a text that was made of them. One thread. */
#ifndef AIE_ORIGIN_H
#define AIE_ORIGIN_H

#include "aie/design/design.h"
#include "aie/design/map.h"

struct aie_origin_args {
	const struct aie_map *map;
	const struct aie_design *design; /* read from its text, as far as it was */
	const struct base_kernels *kernels;
	struct base_sections *sections; /* of the package: where kernels stand in its source */
	const char *(*tensor_name)(const void *context, uint32_t tensor);
	const void *context;
};
/* A place in the text of the map at the beginning of an error ("18:7: aie.tile: ..." or "line 18: ...") becomes "task 3, kernel gemm (gemm.pto:12), tensor a: ...",
 * as much as is known of it, and task and kernel are those of the error. INVALID becomes UNSUPPORTED: nobody typed that text, and what is wrong with it no design of this backend can say.
 * The status of the error. */
ptowsp_status aie_origin_say(struct ptowsp_error *error, const struct aie_origin_args *args);

#endif
