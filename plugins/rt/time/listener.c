/* SPDX-License-Identifier: MIT */
#include "rt/time/listener.h"

void rt_listener_say(const struct rt_listener *tell, const struct ptowsp_trace_event *event)
{
	tell->sinks->event(tell->sinks->context, event);
}

void rt_listener_stall(const struct rt_clock *clock, const struct rt_meter *meter, uint64_t when)
{
	bool ready = meter >= clock->ready_meters && meter < clock->ready_meters + clock->pools;

	rt_listener_say(clock->tell, &(struct ptowsp_trace_event){.begin = clock->now,
								  .end = when,
								  .number = clock->issued,
								  .instance = clock->tell->instance,
								  .kind = PTOWSP_TRACE_STALL,
								  .row = ready ? (uint32_t)(meter - clock->ready_meters) : 0,
								  .resource = ready ? PTOWSP_RESOURCE_READY : (uint16_t)(meter - clock->meters)});
}

void rt_listener_token(const struct rt_listener *tell, struct ptowsp_trace_event event, uint16_t resource, uint64_t waited)
{
	const struct ptowsp_trace_event moment = event;

	event.begin = event.end - waited;
	event.kind = PTOWSP_TRACE_STALL;
	event.resource = resource;
	event.bytes = 0;
	if (waited)
		rt_listener_say(tell, &event);
	event = moment;
	event.begin = event.end;
	rt_listener_say(tell, &event);
}

void rt_listener_send(const struct rt_listener *tell, const struct rt_channel *channel, uint32_t row, uint64_t value, struct rt_wait_meter before)
{
	rt_listener_token(tell,
			  (struct ptowsp_trace_event){.end = channel->sent,
						      .number = channel->sends - 1,
						      .value = value,
						      .row = row,
						      .bytes = channel->bytes,
						      .instance = tell->instance,
						      .kind = PTOWSP_TRACE_SEND},
			  PTOWSP_RESOURCE_CHANNEL_FULL, channel->full.cycles - before.cycles);
}

void rt_listener_take(const struct rt_listener *tell, const struct rt_channel *channel, uint32_t row, uint64_t value, struct rt_wait_meter before,
		      uint32_t instance)
{
	rt_listener_token(tell,
			  (struct ptowsp_trace_event){.end = channel->consumed,
						      .number = channel->consumes - 1,
						      .value = value,
						      .row = row,
						      .bytes = channel->bytes,
						      .instance = instance,
						      .kind = PTOWSP_TRACE_CONSUME},
			  PTOWSP_RESOURCE_CHANNEL_EMPTY, channel->empty.cycles - before.cycles);
}

void rt_listener_process(const struct rt_listener *tell, uint32_t row, uint32_t replica, uint64_t begin, uint64_t end)
{
	rt_listener_say(tell, &(struct ptowsp_trace_event){
				      .begin = begin, .end = end, .value = replica, .row = row, .instance = tell->instance, .kind = PTOWSP_TRACE_PROCESS});
}
