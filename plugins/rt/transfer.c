/* SPDX-License-Identifier: MIT */
#include "rt/transfer.h"

#include "rt/error.h"

/* A sentence about the send at which the instance stands. */
static ptowsp_status send_failed(struct rt_pipeline *pipeline, const struct rt_instance *instance, const char *what)
{
	struct rt_run *run = pipeline->run;
	char text[160];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "process %.40s, channel %.40s: %s, %s",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, instance->channel), what,
			  rt_position(&run->program->tables, run->expand.at - 1, text, sizeof(text)));
}

ptowsp_status rt_transfer_begin(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	instance->channel = pipeline->run->expand.channel;
	instance->expr = pipeline->run->expand.expr;
	instance->standing = RT_SENDING;
	if (rt_side_finished(&pipeline->channels[instance->channel].producers, pipeline->turn))
		return send_failed(pipeline, instance, "a token is sent into it after it was closed");
	return PTOWSP_OK;
}

/* The consumer whose turn it is, if it stands at its consume of this channel and has no token yet; else NULL. */
static struct rt_instance *partner_find(struct rt_pipeline *pipeline, uint32_t channel)
{
	const struct rt_end *end = rt_side_turn(&pipeline->channels[channel].consumers);
	struct rt_instance *instance = end ? &pipeline->instances[end->instance] : NULL;

	return instance && instance->standing == RT_CONSUMING && instance->channel == channel && !instance->given ? instance : NULL;
}

/* The next token; its consumer's clock moves. */
static uint64_t token_take(struct rt_pipeline *pipeline, uint32_t row, uint64_t *clock, uint32_t instance)
{
	struct rt_channel *channel = &pipeline->channels[row];
	struct rt_wait_meter before = channel->empty;
	uint64_t value = rt_channel_take(channel, clock);

	if (pipeline->run->clock.tell)
		rt_tell_take(&pipeline->run->tell, channel, row, value, before, instance);
	return value;
}

/* Slots that the token reads move the clock first. */
static ptowsp_status send_now(struct rt_pipeline *pipeline, struct rt_instance *instance, struct rt_instance *partner)
{
	struct rt_run *run = pipeline->run;
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_expr *expr = &run->program->exprs.rows[instance->expr];
	uint64_t *clock = partner ? rt_clocks_now(&pipeline->clocks, (uint32_t)(partner - pipeline->instances)) : NULL;
	int64_t value = rt_value(&run->env, instance->expr);
	struct rt_wait_meter before;

	if (run->env.failed)
		return send_failed(pipeline, instance, "the token divides by zero");
	rt_clock_read(&run->clock, run->program->exprs.reads + expr->read, expr->read_count);
	before = channel->full;
	if (rt_channel_send(channel, (uint64_t)value, &run->clock.now, clock))
		return rt_no_memory(run->error, "tokens");
	if (run->clock.tell)
		rt_tell_send(&run->tell, channel, instance->channel, (uint64_t)value, before);
	if (partner) {
		partner->value = token_take(pipeline, instance->channel, clock, (uint32_t)(partner - pipeline->instances));
		partner->given = true;
	}
	instance->standing = RT_GOING;
	return PTOWSP_OK;
}

ptowsp_status rt_transfer_send(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	struct rt_instance *partner = channel->capacity ? NULL : partner_find(pipeline, instance->channel);

	*done_out = rt_channel_sends(channel, pipeline->turn, partner != NULL);
	return *done_out ? send_now(pipeline, instance, partner) : PTOWSP_OK;
}

bool rt_transfer_consume(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	struct rt_run *run = pipeline->run;

	if (instance->given) {
		rt_expand_token(&run->expand, instance->value);
	} else if (rt_channel_gives(channel, pipeline->turn)) {
		rt_expand_token(&run->expand, token_take(pipeline, instance->channel, &run->clock.now, pipeline->turn));
	} else if (rt_channel_over(channel)) {
		if (channel->producers.closed > run->clock.now)
			run->clock.now = channel->producers.closed;
		rt_expand_closed(&run->expand);
	} else {
		return false;
	}
	instance->given = false;
	instance->standing = RT_GOING;
	return true;
}
