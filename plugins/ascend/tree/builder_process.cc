/* SPDX-License-Identifier: MIT */
/* builder_process.cc - processes that take turns, and the channels between them. A turn goes on until the instance has submitted one task or cannot proceed; who
 * cannot proceed passes. This order depends on counts only, so task numbers are the same everywhere. */
#include "builder_private.h"

#include <stdlib.h>
#include <string.h>

uint32_t ends_total(const BuilderPlan *plan)
{
	uint32_t total = 0;

	for (uint32_t c = 0; c < plan->channel_count; c++)
		total += plan->channels[c].producer_count + plan->channels[c].consumer_count;
	return total;
}

/* A rendezvous has a block per consumer: each may have been given one before it has its turn. */
static uint64_t places_of(const BuilderChannel *c)
{
	return c->capacity == 0 ? (uint64_t)c->consumer_count + 1 : c->capacity < 16 ? c->capacity : 16;
}

bool channels_init(Builder &b)
{
	for (uint32_t i = 0; i < b.plan->channel_count; i++) {
		const BuilderChannel *c = &b.plan->channels[i];

		b.channels[i].room = places_of(c);
		b.channels[i].tokens = (int64_t *)calloc((size_t)places_of(c), sizeof(int64_t));
		b.channels[i].blocks = (uint8_t *)calloc((size_t)places_of(c), (size_t)c->block_bytes + 1);
		if (!b.channels[i].tokens || !b.channels[i].blocks)
			return false;
	}
	return true;
}

/* Room for one more token than are under way. */
static bool channel_grow(Builder &b, uint32_t channel)
{
	const uint64_t bytes = (uint64_t)b.plan->channels[channel].block_bytes;
	Builder::ChannelState *s = &b.channels[channel];
	const uint64_t more = s->room * 2;
	int64_t *tokens;
	uint8_t *blocks;

	if (s->sends - s->consumes < s->room)
		return true;
	tokens = (int64_t *)calloc((size_t)more, sizeof(int64_t));
	blocks = (uint8_t *)calloc((size_t)more, (size_t)bytes + 1);
	for (uint64_t k = s->consumes; tokens && blocks && k < s->sends; k++) {
		tokens[k % more] = s->tokens[k % s->room];
		memcpy(blocks + k % more * bytes, s->blocks + k % s->room * bytes, (size_t)bytes);
	}
	if (!tokens || !blocks) {
		free(tokens);
		free(blocks);
		b.fail(BUILDER_MEMORY, "no memory for %llu tokens", (unsigned long long)more);
		return false;
	}
	free(s->tokens);
	free(s->blocks);
	s->tokens = tokens;
	s->blocks = blocks;
	s->room = more;
	return true;
}

void channels_finish(Builder &b)
{
	for (uint32_t i = 0; b.channels && i < b.plan->channel_count; i++) {
		free(b.channels[i].tokens);
		free(b.channels[i].blocks);
	}
}

/* ---- turns at a channel ------------------------------------------------------------------------------------------------- */

/* Places of the ends in plan->ends. */
struct Side {
	uint32_t first, count;
	uint32_t *next;
};

static Side producers_of(Builder &b, uint32_t channel)
{
	const BuilderChannel *c = &b.plan->channels[channel];

	return Side{c->producers, c->producer_count, &b.channels[channel].producer};
}

static Side consumers_of(Builder &b, uint32_t channel)
{
	const BuilderChannel *c = &b.plan->channels[channel];

	return Side{c->consumers, c->consumer_count, &b.channels[channel].consumer};
}

/* The instance whose turn it is; false: all have closed. */
static bool turn_of(Builder &b, const Side &side, uint32_t *instance)
{
	for (uint32_t i = 0; i < side.count; i++) {
		if (!b.ends_closed[side.first + *side.next]) {
			*instance = b.plan->ends[side.first + *side.next];
			return true;
		}
		*side.next = (*side.next + 1) % side.count;
	}
	return false;
}

static bool is_turn(Builder &b, const Side &side)
{
	uint32_t instance;

	return turn_of(b, side, &instance) && instance == b.place->instance;
}

static void turn_over(const Side &side)
{
	*side.next = (*side.next + 1) % side.count;
}

static void end_close(Builder &b, const Side &side)
{
	for (uint32_t i = 0; i < side.count; i++)
		if (b.plan->ends[side.first + i] == b.place->instance)
			b.ends_closed[side.first + i] = 1;
}

/* The consumer whose turn it is, if it stands at its consume and has no token yet. */
static BuilderPlace *partner_of(Builder &b, uint32_t channel)
{
	uint32_t instance;
	BuilderPlace *partner = turn_of(b, consumers_of(b, channel), &instance) ? b.places[instance] : nullptr;

	return partner && partner->wants == channel && !partner->given ? partner : nullptr;
}

/* ---- sending and consuming ------------------------------------------------------------------------------------------------ */

bool Builder::can_send(uint32_t channel)
{
	const BuilderChannel *c = &plan->channels[channel];
	const ChannelState *s = &channels[channel];

	if (status)
		return false;
	return (c->capacity ? s->sends - s->consumes < c->capacity : partner_of(*this, channel) != nullptr) && is_turn(*this, producers_of(*this, channel));
}

void Builder::send(uint32_t channel, int64_t token)
{
	const BuilderChannel *c = &plan->channels[channel];
	ChannelState *s = &channels[channel];
	BuilderPlace *partner = c->capacity ? nullptr : partner_of(*this, channel);

	if (status || (!partner && !channel_grow(*this, channel)))
		return;
	steps++;
	if (partner) {
		partner->given = true;
		partner->token = (uint64_t)token;
		partner->block = s->consumer;
		s->consumes++;
		turn_over(consumers_of(*this, channel));
	} else {
		s->tokens[s->sends % s->room] = token;
	}
	s->sends++;
	turn_over(producers_of(*this, channel));
}

static void after_found(void *context, uint64_t task)
{
	uint64_t *latest = (uint64_t *)context;

	if (task + 1 > *latest)
		*latest = task + 1;
}

/* Row by row between a region and a block, once those have ended who touched what is read or written. */
bool Builder::copy_block(uint32_t channel, uint64_t place_number, const Region &region, bool out)
{
	const uint64_t size = tensors[region.tensor].size;
	uint8_t *at = channels[channel].blocks + place_number * plan->channels[channel].block_bytes;
	uint64_t from = 0, to = 0, others = 0;
	TaskWindow window;
	TaskIO io;

	if (!resolve(region, out ? TASK_WRITE : TASK_READ, &window, &io, &from, &to))
		return false;
	tracker_look(tracker, region.tensor, from, to, out, after_found, &others);
	if (!wait_for(others))
		return false;
	for (uint64_t r = 0; r < window.rows; r++) {
		uint8_t *row = (uint8_t *)(uintptr_t)window.data + r * tensors[region.tensor].columns * size;
		const uint64_t bytes = region.columns * size;

		memcpy(out ? row : at + r * bytes, out ? at + r * bytes : row, (size_t)bytes);
	}
	return true;
}

void Builder::send(uint32_t channel, int64_t token, const Region &from)
{
	const BuilderChannel *c = &plan->channels[channel];
	const ChannelState *s = &channels[channel];

	if (!c->capacity)
		partner_of(*this, channel); /* passes over those that have closed */
	else if (!channel_grow(*this, channel))
		return;
	if (copy_block(channel, c->capacity ? s->sends % s->room : s->consumer, from, false))
		send(channel, token);
}

bool Builder::can_consume(uint32_t channel)
{
	const ChannelState *s = &channels[channel];
	uint32_t instance;
	bool closed;

	if (status)
		return false;
	place->wants = channel;
	if (place->given || (s->sends > s->consumes && is_turn(*this, consumers_of(*this, channel))))
		return true;
	closed = !turn_of(*this, producers_of(*this, channel), &instance);
	return s->sends == s->consumes && closed;
}

bool Builder::consume(uint32_t channel, int64_t &token)
{
	ChannelState *s = &channels[channel];

	place->wants = UINT32_MAX;
	if (status)
		return false;
	steps++;
	if (place->given) {
		place->given = false;
		token = (int64_t)place->token;
		return true;
	}
	if (s->sends == s->consumes)
		return false;
	place->block = s->consumes % s->room;
	token = s->tokens[place->block];
	s->consumes++;
	turn_over(consumers_of(*this, channel));
	return true;
}

void Builder::receive(uint32_t channel, const Region &into)
{
	copy_block(channel, place->block, into, true);
}

void Builder::close(uint32_t channel)
{
	steps++;
	end_close(*this, producers_of(*this, channel));
}

/* Closes what it has not closed; others need not wait for it to consume. */
void Builder::end_process()
{
	steps++;
	for (uint32_t c = 0; c < plan->channel_count; c++) {
		end_close(*this, producers_of(*this, c));
		end_close(*this, consumers_of(*this, c));
	}
}

int32_t Builder::run_processes(BuilderProcess *processes, uint32_t count)
{
	uint32_t live = count;
	uint64_t before;

	/* All begin when the workload is over. */
	if (platform.take)
		barrier_at = next;
	else if (!wait_for(next))
		return status;
	for (uint32_t i = 0; i < count; i++) {
		memset(processes[i].place, 0, sizeof(*processes[i].place));
		processes[i].place->instance = i;
		processes[i].place->wants = UINT32_MAX;
		places[i] = processes[i].place;
	}
	do {
		before = steps;
		for (uint32_t i = 0; i < count && !status; i++) {
			if (!processes[i].turn)
				continue;
			place = processes[i].place;
			if (processes[i].turn(*this, processes[i].state) == TURN_ENDED) {
				processes[i].turn = nullptr;
				live--;
			}
		}
	} while (live && steps != before && !status);
	place = &workload;
	if (live && !status)
		fail(BUILDER_STUCK, "%u processes wait for each other after task %llu", live, (unsigned long long)next);
	return status;
}
