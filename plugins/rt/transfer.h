/* SPDX-License-Identifier: MIT */
/* transfer.h - a token's way through a channel, as the instance sees it whose turn it is: what stands at a SEND or CONSUME, whether that is possible now, both
 * clocks, and the block of elements that goes with the token of a payload channel. channel.h has the rules. One thread. */
#ifndef RT_TRANSFER_H
#define RT_TRANSFER_H

#include "rt/process.h"

/* The instance has come to a SEND. Errors: RUN_FAILED where it has closed the channel. */
ptowsp_status rt_transfer_begin(struct rt_pipeline *pipeline, struct rt_instance *instance);
/* *done_out: it could be sent. Errors: RUN_FAILED for an expression that divides by zero or a region outside its tensor, NO_MEMORY. */
ptowsp_status rt_transfer_send(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out);
/* *done_out: the body of CONSUME runs with a token, or its loop is over. Errors: RUN_FAILED for a region outside its tensor. */
ptowsp_status rt_transfer_consume(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out);

#endif
