/* SPDX-License-Identifier: MIT */
/* profile.h - measured time of kernels and of the operations in them. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_PROFILE_H
#define PTOWSP_PROFILE_H

#include "base.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

/* One kernel as a whole (operations 0), or one operation of it, or several that the backend executes in one pass over their rows. */
struct ptowsp_profile_row {
	uint32_t kernel;          /* row of KREG */
	uint32_t operations;      /* so many in one pass; 0: the kernel as a whole */
	uint32_t line, last_line; /* of the source, from the first to the last of them; 0: not known */
	char what[96];            /* "texp f32 16x64", "tadd+texp f32 16x64"; empty where operations is 0; NUL-terminated */
	uint64_t calls;           /* times executed; of a kernel: its tasks */
	uint64_t wall_ns;         /* from begin to end, summed over calls and threads. Never semantic */
	uint64_t cycles;          /* of the backend's cycle model for all calls; 0: not said */
	uint64_t elements;        /* of the tiles that one call computes or moves; 0: not said */
};
#define PTOWSP_PROFILE_ROW_FLOOR_10_1 144u
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_profile_row) == PTOWSP_PROFILE_ROW_FLOOR_10_1, "a 10.1 row");

/* "ptowsp.profile/0": what a run with the backend's option profiling=on has measured. */
struct ptowsp_profile_extension {
	struct ptowsp_head head;
	/* The rows of the latest run that is over, as far as it came: each kernel's before those of its operations, which stand in the order of its code. They are the plugin's, valid until
	 * the next call for the program; none where nothing was measured. stride: bytes per row. Errors: INVALID while a run is going on. [device] */
	ptowsp_status (*rows)(struct ptowsp_object *program, const struct ptowsp_profile_row **rows_out, uint32_t *count_out, uint32_t *stride_out,
			      struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_PROFILE "ptowsp.profile/0"

PTOWSP_END
#endif
#endif
