/* SPDX-License-Identifier: MIT */
/* footprint.h - the elements that a kernel touches behind the start of each flat window, as sorted disjoint spans. Asked of the backend once per kernel unless it
 * depends on the arguments. */
#ifndef RT_FOOTPRINT_H
#define RT_FOOTPRINT_H

#include "rt/rt.h"
#include <stdbool.h>

#define RT_FAR (INT64_C(1) << 61) /* an offset from here on means: to the end of the tensor */

/* Elements [start, end) behind the window's start; end RT_FAR: as far as the tensor goes. */
struct rt_span {
	int64_t start, end;
};
struct rt_touched {                /* one tensor argument */
	uint32_t read, read_count; /* spans */
	uint32_t write, write_count;
	int64_t least, most;             /* over all spans; 0, 0 without one */
	uint64_t narrowest, widest;      /* of the tiles that are written: their columns; 0, 0 without one */
	uint64_t first_write, last_read; /* places among the touches of all arguments, from 1; 0: none */
};
/* Most spans of a kernel. A footprint in more pieces is not known: a kernel takes a bounded part of memory and of the time of its tasks. */
#define RT_FOOTPRINT_SPANS (UINT32_C(1) << 18)
struct rt_footprint {
	struct rt_span *spans;
	struct rt_touched *args; /* arg_count of them */
	struct rt_raw_touch *raw;
	const uint8_t *scales; /* while the backend answers */
	uint64_t told;         /* touches, while the backend answers */
	uint32_t span_room, arg_count, raw_count, raw_room;
	bool known;    /* false: the backend cannot tell, or there are too many */
	bool too_many; /* more than RT_FOOTPRINT_SPANS */
	bool asked;    /* once is enough */
	bool out_of_memory;
};
void rt_footprint_finish(struct rt_footprint *footprint);
/* Asks the backend. arg_count: tensor arguments; scales: per argument, what an element of it is in elements of the tensor, 0: one. Errors: NO_MEMORY, or the
 * backend's. */
ptowsp_status rt_footprint_ask(struct rt_footprint *footprint, const struct rt_kernels *kernels, uint32_t kernel, const uint64_t *args, const uint8_t *scales,
			       uint32_t arg_count);

#endif
