/* SPDX-License-Identifier: MIT */
/* listener.h - what the clocks say to somebody who listens: stalls, tokens, processes. Out of the way of runs to which nobody does. */
#ifndef RT_LISTENER_H
#define RT_LISTENER_H

#include "rt/process/channel.h"
#include "rt/rt.h"
#include "rt/time/clock.h"

/* One per run that is told. `instance`: whose clock is moving, PTOWSP_NONE for the workload's. */
struct rt_listener {
	const struct rt_sinks *sinks;
	uint32_t instance;
};

/* Anything. */
void rt_listener_say(const struct rt_listener *tell, const struct ptowsp_trace_event *event);
/* The wait at a channel, and the token itself, at the event's end. */
void rt_listener_token(const struct rt_listener *tell, struct ptowsp_trace_event event, uint16_t resource, uint64_t waited);
/* The clock waits from now until `when` for what the meter, one of its own, counts. */
void rt_listener_stall(const struct rt_clock *clock, const struct rt_meter *meter, uint64_t when);
/* The latest token went into the channel, came out of it; `before`: its meter of waiting, full or empty, before that. */
void rt_listener_send(const struct rt_listener *tell, const struct rt_channel *channel, uint32_t row, uint64_t value, struct rt_wait_meter before);
void rt_listener_take(const struct rt_listener *tell, const struct rt_channel *channel, uint32_t row, uint64_t value, struct rt_wait_meter before,
		      uint32_t instance);
/* An instance of the PROC row has ended. */
void rt_listener_process(const struct rt_listener *tell, uint32_t row, uint32_t replica, uint64_t begin, uint64_t end);

#endif
