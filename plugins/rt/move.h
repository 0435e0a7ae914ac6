/* SPDX-License-Identifier: MIT */
/* move.h - the region of a SEND or CONSUME of a payload channel, for the instance whose turn it is: where it is now, and when, on the clock and for real, its elements
 * can be taken or replaced. One thread.
 *
 * A send takes what the latest tasks before it wrote; an arrival replaces what all tasks before it are done with. "Before" is the order of turns, as it
 * numbers the tasks. Who is issued later finds the copy made. */
#ifndef RT_MOVE_H
#define RT_MOVE_H

#include "rt/process.h"

/* The move of the SEND or CONSUME at an instruction; NULL: the channel has none. */
const struct rt_move *rt_move_of(const struct rt_program *program, uint32_t instruction);
/* Where it is. Errors: RUN_FAILED naming process, channel and place where it is outside its tensor, divides by zero or is bound to no memory. */
ptowsp_status rt_move_resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move,
			      struct rt_access *access_out);
/* The clock of the instance goes to the end of whom the move follows; where kernels run, they are waited for. Errors: of the wait. */
ptowsp_status rt_move_follow(struct rt_pipeline *pipeline, const struct rt_access *access);
/* The task that has just been issued, and ends at the instance's clock, is one that later moves may follow. Errors: NO_MEMORY, of the deadline. */
ptowsp_status rt_move_task(struct rt_pipeline *pipeline, const struct rt_site *site);

#endif
