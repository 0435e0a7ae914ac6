/* SPDX-License-Identifier: MIT */
#include "rt/channel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

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
	uint32_t *skips;

	if (!rt_grow((void **)&side->ends, &side->room, side->count, sizeof(*side->ends)))
		return false;
	skips = realloc(side->skips, side->room * sizeof(*skips));
	if (!skips)
		return false;
	side->skips = skips;
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
	side->closed = later(side->closed, at);
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
		side->passed = later(side->passed, side->ends[side->next].finished_at);
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

		if (!rt_grow(&tokens, &channel->room, channel->room, sizeof(*channel->tokens)))
			return NULL;
		channel->tokens = tokens;
	}
	return &channel->tokens[at];
}

/* The time before which the instance whose turn it is on a side does nothing there, whatever the other side does. latest: of that side, before. */
static uint64_t side_ready(struct rt_side *side, uint64_t clock, uint64_t latest)
{
	rt_side_turn(side); /* passes over whoever has finished */
	return later(later(clock, latest), side->passed);
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
	*token = (struct rt_token){value, later(ready, room)};
	*producer = channel->sent = token->time;
	channel->sends++;
	channel->high_water = later(channel->high_water, channel->sends - channel->consumes);
	turn_over(&channel->producers);
	return PTOWSP_OK;
}

uint64_t rt_channel_take(struct rt_channel *channel, uint64_t *consumer)
{
	struct rt_token *token = &channel->tokens[channel->capacity ? channel->consumes % channel->capacity : 0];
	uint64_t own = later(*consumer, channel->consumed), ready = side_ready(&channel->consumers, *consumer, channel->consumed);
	uint64_t here = arrival(channel, token->time);

	meter(&channel->empty, here, own);
	token->time = *consumer = channel->consumed = later(ready, here);
	channel->consumes++;
	turn_over(&channel->consumers);
	return token->value;
}
