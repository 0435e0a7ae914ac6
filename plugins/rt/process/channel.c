/* SPDX-License-Identifier: MIT */
#include "rt/process/channel.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rt_channel_finish(struct rt_channel *channel)
{
	free(channel->producers.ends);
	free(channel->producers.skips);
	free(channel->consumers.ends);
	free(channel->consumers.skips);
	free(channel->tokens);
	memset(channel, 0, sizeof(*channel));
}

/* ---- turns ----------------------------------------------------------------------------------------------------- */

bool rt_side_add(struct rt_side *side, uint32_t instance)
{
	if (!COMMON_GROW(side->ends, side->room, side->count) || !COMMON_RESIZE(side->skips, side->room))
		return false;
	side->ends[side->count++] = (struct rt_end){.instance = instance};
	side->open++;
	return true;
}

/* The instance is there. */
static struct rt_end *end_of(const struct rt_side *side, uint32_t instance)
{
	uint32_t low = 0, high = side->count;

	while (low < high) { /* instances come in their order */
		uint32_t middle = low + (high - low) / 2;

		if (side->ends[middle].instance < instance)
			low = middle + 1;
		else
			high = middle;
	}
	assert(low < side->count && side->ends[low].instance == instance);
	return &side->ends[low];
}

void rt_side_finish(struct rt_side *side, uint32_t instance, uint64_t at)
{
	struct rt_end *end = end_of(side, instance);

	if (end->finished)
		return;
	end->finished = true;
	end->finish = side->count - side->open;
	end->finished_at = at;
	side->closed = rt_later(side->closed, at);
	side->open--;
}

bool rt_side_finished(const struct rt_side *side, uint32_t instance)
{
	return end_of(side, instance)->finished;
}

const struct rt_end *rt_side_turn(struct rt_side *side)
{
	if (!side->open)
		return NULL;
	while (side->ends[side->next].finished) {
		side->passed = rt_later(side->passed, side->ends[side->next].finished_at);
		side->skips[side->skip_count++] = side->ends[side->next].finish;
		side->next = side->next + 1 < side->count ? side->next + 1 : 0;
	}
	return &side->ends[side->next];
}

static bool has_turn(struct rt_side *side, uint32_t instance)
{
	const struct rt_end *end = rt_side_turn(side);

	return end && end->instance == instance;
}

static void turn_over(struct rt_side *side)
{
	side->passed = 0;
	side->skip_count = 0;
	side->next = side->next + 1 < side->count ? side->next + 1 : 0;
}

/* ---- what is possible ------------------------------------------------------------------------------------------ */

bool rt_channel_sends(struct rt_channel *channel, uint32_t instance, bool waits)
{
	uint64_t unconsumed = channel->sends - channel->consumes;

	return (channel->capacity ? unconsumed < channel->capacity : waits) && has_turn(&channel->producers, instance);
}

bool rt_channel_gives(struct rt_channel *channel, uint32_t instance)
{
	return channel->sends > channel->consumes && has_turn(&channel->consumers, instance);
}

bool rt_channel_over(const struct rt_channel *channel)
{
	return channel->sends == channel->consumes && !channel->producers.open;
}

/* ---- time ------------------------------------------------------------------------------------------------------ */

/* When a token that was sent at `time` can be consumed; a package may state any latency. */
static uint64_t arrival(const struct rt_channel *channel, uint64_t time)
{
	return time > UINT64_MAX - channel->latency ? UINT64_MAX : time + channel->latency;
}

static void meter(struct rt_wait_meter *meter, uint64_t time, uint64_t others)
{
	if (time <= others)
		return;
	meter->count++;
	meter->cycles += time - others;
}

/* The place of token k; the ring grows with the tokens until it has one place per unit of capacity. NULL when out of memory. */
static struct rt_token *place_make(struct rt_channel *channel, uint64_t k)
{
	uint64_t at = channel->capacity ? k % channel->capacity : 0;

	while (at >= channel->room) {
		void *tokens = channel->tokens;

		if (!common_grow(&tokens, &channel->room, channel->room, sizeof(*channel->tokens)))
			return NULL;
		channel->tokens = tokens;
	}
	return &channel->tokens[at];
}

/* The time before which the instance whose turn it is on a side does nothing there, whatever the other side does. latest: of that side, before. */
static uint64_t side_ready(struct rt_side *side, uint64_t clock, uint64_t latest)
{
	rt_side_turn(side); /* passes over whoever has finished */
	return rt_later(rt_later(clock, latest), side->passed);
}

ptowsp_status rt_channel_send(struct rt_channel *channel, uint64_t value, uint64_t *producer, const uint64_t *partner)
{
	struct rt_token *token = place_make(channel, channel->sends);
	uint64_t ready, room = 0;

	if (!token)
		return PTOWSP_NO_MEMORY;
	ready = side_ready(&channel->producers, *producer, channel->sent);
	if (!channel->capacity)
		room = side_ready(&channel->consumers, *partner, channel->consumed);
	else if (channel->sends >= channel->capacity)
		room = token->time; /* C(k - capacity) */
	meter(&channel->full, room, ready);
	*token = (struct rt_token){value, rt_later(ready, room)};
	*producer = channel->sent = token->time;
	channel->sends++;
	channel->high_water = rt_later(channel->high_water, channel->sends - channel->consumes);
	turn_over(&channel->producers);
	return PTOWSP_OK;
}

uint64_t rt_channel_take(struct rt_channel *channel, uint64_t *consumer)
{
	struct rt_token *token = &channel->tokens[channel->capacity ? channel->consumes % channel->capacity : 0];
	uint64_t own = rt_later(*consumer, channel->consumed), ready = side_ready(&channel->consumers, *consumer, channel->consumed);
	uint64_t here = arrival(channel, token->time);

	meter(&channel->empty, here, own);
	token->time = *consumer = channel->consumed = rt_later(ready, here);
	channel->consumes++;
	turn_over(&channel->consumers);
	return token->value;
}

/* ---- a token's way through it ------------------------------------------------------------------------------------ */

/* A sentence about the send at which the instance stands. */
static ptowsp_status send_failed(struct rt_pipeline *pipeline, const struct rt_instance *instance, const char *what)
{
	struct rt_run *run = pipeline->run;
	char text[160];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "process %.40s, channel %.40s: %s, %s",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, instance->channel), what,
			  rt_division_place(&run->env, &run->program->tables, run->expand.at - 1 - (instance->move != NULL), text, sizeof(text)));
}

/* The expander stands behind the send and its word. */
static const struct rt_move *send_move(const struct rt_run *run)
{
	uint32_t before = run->expand.at - 1;

	return run->program->code[before].op == PTOWSP_OP_SEND ? NULL : rt_move_of(run->program, before - 1);
}

ptowsp_status rt_transfer_begin(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	instance->channel = pipeline->run->expand.channel;
	instance->expr = pipeline->run->expand.expr;
	instance->move = send_move(pipeline->run);
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
	struct rt_feed *feed = pipeline->run->lag.feed;
	struct rt_wait_meter before = channel->empty;
	uint64_t value;

	rt_vector_clock_take(&pipeline->fronts, row, instance, channel->consumers.skips, channel->consumers.skip_count);
	if (feed)
		rt_feed_put_token(feed, RT_ITEM_TAKE, row, channel, channel->tokens[channel->capacity ? channel->consumes % channel->capacity : 0].value,
				  instance);
	value = rt_channel_take(channel, clock);

	if (pipeline->run->clock.tell)
		rt_listener_take(&pipeline->run->tell, channel, row, value, before, instance);
	return value;
}

/* ---- sending --------------------------------------------------------------------------------------------------- */

/* Slots that the token and its region read move the clock first, then the tasks that wrote what is sent. access: filled for a payload. */
static ptowsp_status send_ready(struct rt_pipeline *pipeline, struct rt_instance *instance, int64_t *value_out, struct rt_access *access)
{
	struct rt_run *run = pipeline->run;
	const struct rt_expr *expr = &run->program->exprs.rows[instance->expr];
	const struct rt_move *move = instance->move;
	ptowsp_status status = PTOWSP_OK;

	*value_out = rt_value(&run->env, instance->expr);
	if (run->env.failed)
		return send_failed(pipeline, instance, "the token divides by zero");
	if (move && pipeline->look != RT_LOOK_TOKENS)
		status = rt_move_resolve(pipeline, instance, move, access);
	if (!status)
		status = rt_process_read(pipeline, move ? move->read : expr->read, move ? move->read_count : expr->read_count);
	return !status && move && pipeline->look == RT_LOOK_RUN ? rt_move_follow(pipeline, access) : status;
}

/* Both sides of a rendezvous find the block under the consumers' number. */
static uint64_t block_of(const struct rt_channel *channel, uint64_t token)
{
	return channel->capacity ? token % channel->capacity : channel->consumers.next;
}

static void partner_give(struct rt_pipeline *pipeline, uint32_t row, struct rt_instance *partner, uint64_t *clock)
{
	partner->block_number = pipeline->channels[row].consumers.next;
	partner->value = token_take(pipeline, row, clock, (uint32_t)(partner - pipeline->instances));
	partner->given = true;
}

/* A planned program says what would move. */
static ptowsp_status move_tell(const struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_access *access, bool sends)
{
	struct rt_run *run = pipeline->run;
	const struct rt_kernels *kernels = &run->program->kernels;
	struct rt_moved moved = {pipeline->turn, instance->channel, sends, {0}};

	if (!run->kernels || !run->program->planned || !kernels->moved)
		return PTOWSP_OK;
	rt_access_window(access->io, &run->tensors.rows[access->io->tensor], access->start, access->length, &moved.window);
	return kernels->moved(kernels->context, &moved, run->error);
}

static ptowsp_status send_now(struct rt_pipeline *pipeline, struct rt_instance *instance, struct rt_instance *partner)
{
	struct rt_run *run = pipeline->run;
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	uint64_t *clock = partner ? rt_clocks_now(&pipeline->clocks, (uint32_t)(partner - pipeline->instances)) : NULL;
	struct rt_wait_meter before = channel->full;
	struct rt_access access = {0};
	int64_t value;
	ptowsp_status status = send_ready(pipeline, instance, &value, &access);

	if (status)
		return status;
	if (instance->move && run->payloads.memory)
		rt_payload_copy(run, instance->channel, block_of(channel, channel->sends), &access, true);
	if (instance->move)
		status = move_tell(pipeline, instance, &access, true);
	if (status)
		return status;
	rt_vector_clock_send(&pipeline->fronts, instance->channel, pipeline->turn, channel->producers.skips, channel->producers.skip_count);
	if (run->lag.feed && rt_feed_put_token(run->lag.feed, RT_ITEM_SEND, instance->channel, channel, (uint64_t)value, pipeline->turn))
		return rt_no_memory(run->error, "items");
	if (rt_channel_send(channel, (uint64_t)value, &run->clock.now, clock))
		return rt_no_memory(run->error, "tokens");
	if (run->clock.tell)
		rt_listener_send(&run->tell, channel, instance->channel, (uint64_t)value, before);
	if (partner)
		partner_give(pipeline, instance->channel, partner, clock);
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

/* ---- consuming ------------------------------------------------------------------------------------------------- */

/* The token is there and known to the expander, whose loops the region may read. */
static ptowsp_status arrive(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_move *move)
{
	struct rt_run *run = pipeline->run;
	struct rt_access access = {0};
	ptowsp_status status;

	if (!move || pipeline->look == RT_LOOK_TOKENS)
		return PTOWSP_OK;
	status = rt_move_resolve(pipeline, instance, move, &access);
	if (status || pipeline->look != RT_LOOK_RUN)
		return status;
	status = rt_process_read(pipeline, move->read, move->read_count);
	if (!status)
		status = rt_move_follow(pipeline, &access);
	if (!status)
		status = move_tell(pipeline, instance, &access, false);
	if (!status && run->payloads.memory)
		rt_payload_copy(run, instance->channel, instance->block_number, &access, false);
	return status;
}

ptowsp_status rt_transfer_consume(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	struct rt_run *run = pipeline->run;
	const struct rt_move *move = rt_move_of(run->program, run->expand.frames[run->expand.depth - 1].at);
	bool gives = !instance->given && rt_channel_gives(channel, pipeline->turn);

	*done_out = instance->given || gives || rt_channel_over(channel);
	if (!*done_out)
		return PTOWSP_OK;
	instance->standing = RT_GOING;
	if (!instance->given && !gives) {
		if (channel->producers.closed > run->clock.now)
			run->clock.now = channel->producers.closed;
		if (run->lag.feed && rt_feed_put(run->lag.feed, RT_ITEM_CLOSED, instance->channel, 0, 0))
			return rt_no_memory(run->error, "items");
		rt_vector_clock_closed(&pipeline->fronts, instance->channel, pipeline->turn);
		rt_expand_closed(&run->expand);
		return PTOWSP_OK;
	}
	if (gives) {
		instance->block_number = block_of(channel, channel->consumes);
		instance->value = token_take(pipeline, instance->channel, &run->clock.now, pipeline->turn);
	}
	instance->given = false;
	rt_expand_token(&run->expand, instance->value);
	return arrive(pipeline, instance, move);
}

bool rt_transfer_moves(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	struct rt_channel *channel = &pipeline->channels[instance->channel];

	switch (instance->standing) {
	case RT_SENDING: return rt_channel_sends(channel, at, !channel->capacity && partner_find(pipeline, instance->channel));
	case RT_CONSUMING: return instance->given || rt_channel_gives(channel, at) || rt_channel_over(channel);
	default: return true;
	}
}
