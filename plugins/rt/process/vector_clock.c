/* SPDX-License-Identifier: MIT */
#include "rt/process/vector_clock.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- one front ------------------------------------------------------------------------------------------------- */

static uint32_t count_together(const struct rt_vector_clock *a, const struct rt_vector_clock *b)
{
	uint32_t i = 0, k = 0, count = 0;

	for (; i < a->count && k < b->count; count++) {
		uint32_t left = a->rows[i].instance, right = b->rows[k].instance;

		i += left <= right;
		k += right <= left;
	}
	return count + (a->count - i) + (b->count - k);
}

/* From the back, so that rows move once and none is overwritten before. */
static void merge(struct rt_vector_clock *to, const struct rt_vector_clock *from, uint32_t count)
{
	uint32_t i = to->count, k = from->count;

	to->count = count;
	while (k) {
		struct rt_vector_clock_row row = from->rows[k - 1];

		if (i && to->rows[i - 1].instance > row.instance) {
			to->rows[--count] = to->rows[--i];
			continue;
		}
		if (i && to->rows[i - 1].instance == row.instance && to->rows[--i].task > row.task)
			row.task = to->rows[i].task;
		to->rows[--count] = row;
		k--;
	}
}

static void join(struct rt_vector_clocks *fronts, struct rt_vector_clock *to, const struct rt_vector_clock *from)
{
	uint32_t count = to == from ? to->count : count_together(to, from);

	while (to->room < count && !fronts->lost) {
		void *rows = to->rows;

		fronts->lost = !common_grow(&rows, &to->room, to->room, sizeof(*to->rows));
		to->rows = rows;
	}
	if (to != from && !fronts->lost)
		merge(to, from, count);
}

static void become(struct rt_vector_clocks *fronts, struct rt_vector_clock *to, const struct rt_vector_clock *from)
{
	to->count = 0;
	join(fronts, to, from);
}

static void join_task(struct rt_vector_clocks *fronts, struct rt_vector_clock *to, uint32_t instance, uint64_t task)
{
	struct rt_vector_clock_row row = {task, instance};
	const struct rt_vector_clock one = {&row, 1, 1};

	join(fronts, to, &one);
}

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

static struct rt_vector_clock *fronts_make(uint32_t count)
{
	return calloc((size_t)count + 1, sizeof(struct rt_vector_clock));
}

static void fronts_free(struct rt_vector_clock *fronts, uint32_t count)
{
	for (uint32_t i = 0; fronts && i < count; i++)
		free(fronts[i].rows);
	free(fronts);
}

bool rt_vector_clocks_init(struct rt_vector_clocks *fronts, uint32_t instances, uint32_t slots, uint32_t events, const struct rt_channel *channels,
			   uint32_t channel_count)
{
	bool ok;

	fronts->on = true;
	fronts->instances = fronts_make(fronts->instance_count = instances);
	fronts->slots = fronts_make(fronts->slot_count = slots);
	fronts->events = fronts_make(fronts->event_count = events);
	fronts->channels = calloc((size_t)channel_count + 1, sizeof(*fronts->channels));
	ok = fronts->instances && fronts->slots && fronts->events && fronts->channels;
	for (; ok && fronts->channel_count < channel_count; fronts->channel_count++) {
		struct rt_vector_clock_channel *c = &fronts->channels[fronts->channel_count];

		c->ended[RT_VECTOR_CLOCK_PRODUCERS] = fronts_make(c->ends[RT_VECTOR_CLOCK_PRODUCERS] = channels[fronts->channel_count].producers.count);
		c->ended[RT_VECTOR_CLOCK_CONSUMERS] = fronts_make(c->ends[RT_VECTOR_CLOCK_CONSUMERS] = channels[fronts->channel_count].consumers.count);
		ok = c->ended[RT_VECTOR_CLOCK_PRODUCERS] && c->ended[RT_VECTOR_CLOCK_CONSUMERS];
	}
	return ok;
}

void rt_vector_clocks_finish(struct rt_vector_clocks *fronts)
{
	for (uint32_t i = 0; fronts->channels && i <= fronts->channel_count; i++) {
		struct rt_vector_clock_channel *c = &fronts->channels[i];

		for (unsigned side = 0; side < 2; side++) {
			fronts_free(c->ended[side], c->ends[side]);
			free(c->latest[side].rows);
		}
		fronts_free(c->places, c->room);
		free(c->closed.rows);
	}
	fronts_free(fronts->instances, fronts->instance_count);
	fronts_free(fronts->slots, fronts->slot_count);
	fronts_free(fronts->events, fronts->event_count);
	free(fronts->channels);
	memset(fronts, 0, sizeof(*fronts));
}

/* ---- one instance ---------------------------------------------------------------------------------------------- */

void rt_vector_clock_task(struct rt_vector_clocks *fronts, uint32_t instance, uint64_t task)
{
	if (!fronts->on)
		return;
	fronts->instances[instance].count = 0;
	join_task(fronts, &fronts->instances[instance], instance, task);
}

void rt_vector_clock_read(struct rt_vector_clocks *fronts, uint32_t instance, const uint32_t *slots, uint32_t count)
{
	for (uint32_t i = 0; fronts->on && i < count; i++)
		join(fronts, &fronts->instances[instance], &fronts->slots[slots[i]]);
}

/* The slot may be among those that it is made of; the instance itself waits for none of them. */
void rt_vector_clock_slot_set(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t slot, const uint32_t *reads, uint32_t count)
{
	bool kept = false;

	if (!fronts->on)
		return;
	for (uint32_t i = 0; i < count; i++)
		kept |= reads[i] == slot;
	if (!kept)
		fronts->slots[slot].count = 0;
	join(fronts, &fronts->slots[slot], &fronts->instances[instance]);
	for (uint32_t i = 0; i < count; i++)
		join(fronts, &fronts->slots[slot], &fronts->slots[reads[i]]);
}

void rt_vector_clock_slot_load(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t slot, uint32_t writer_of, uint64_t writer)
{
	if (!fronts->on)
		return;
	if (writer_of != PTOWSP_NONE)
		join_task(fronts, &fronts->instances[instance], writer_of, writer);
	become(fronts, &fronts->slots[slot], &fronts->instances[instance]);
}

void rt_vector_clock_signal(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t event)
{
	if (fronts->on)
		become(fronts, &fronts->events[event], &fronts->instances[instance]);
}

void rt_vector_clock_wait(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t event)
{
	if (fronts->on)
		join(fronts, &fronts->instances[instance], &fronts->events[event]);
}

/* ---- channels -------------------------------------------------------------------------------------------------- */

/* The place of token k; NULL when out of memory. */
static struct rt_vector_clock *place_of(struct rt_vector_clocks *fronts, struct rt_vector_clock_channel *c, uint64_t capacity, uint64_t k)
{
	uint64_t at = capacity ? k % capacity : 0;

	while (at >= c->room && !fronts->lost) {
		uint32_t before = c->room;
		void *places = c->places;

		fronts->lost = !common_grow(&places, &c->room, c->room, sizeof(*c->places));
		if (fronts->lost)
			break;
		c->places = places;
		memset(c->places + before, 0, (size_t)(c->room - before) * sizeof(*c->places));
	}
	return fronts->lost ? NULL : &c->places[at];
}

/* Whoever finished and is passed over for this instance comes before `own`. Returns the place of the instance at its side. */
static uint32_t passed_join(struct rt_vector_clocks *fronts, const struct rt_vector_clock_channel *c, const struct rt_side *ends,
			    enum rt_vector_clock_side side, uint32_t instance, struct rt_vector_clock *own)
{
	uint32_t at = c->next[side];

	for (; ends->ends[at].instance != instance; at = at + 1 < ends->count ? at + 1 : 0)
		join(fronts, own, &c->ended[side][at]);
	return at;
}

/* It is the turn of the instance, which then is over. */
static void turn_join(struct rt_vector_clocks *fronts, struct rt_vector_clock_channel *c, const struct rt_side *ends, enum rt_vector_clock_side side,
		      uint32_t instance)
{
	uint32_t at = passed_join(fronts, c, ends, side, instance, &fronts->instances[instance]);

	c->next[side] = at + 1 < ends->count ? at + 1 : 0;
}

void rt_vector_clock_send(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance, uint32_t partner)
{
	struct rt_vector_clock_channel *c = fronts->on ? &fronts->channels[row] : NULL;
	struct rt_vector_clock *place = c ? place_of(fronts, c, channel->capacity, channel->sends) : NULL, *own;

	if (!place)
		return;
	own = &fronts->instances[instance];
	turn_join(fronts, c, &channel->producers, RT_VECTOR_CLOCK_PRODUCERS, instance);
	join(fronts, own, &c->latest[RT_VECTOR_CLOCK_PRODUCERS]);
	if (partner != PTOWSP_NONE) {
		passed_join(fronts, c, &channel->consumers, RT_VECTOR_CLOCK_CONSUMERS, partner, own);
		join(fronts, own, &fronts->instances[partner]);
		join(fronts, own, &c->latest[RT_VECTOR_CLOCK_CONSUMERS]);
	} else if (channel->sends >= channel->capacity) {
		join(fronts, own, place); /* consume k - capacity */
	}
	become(fronts, &c->latest[RT_VECTOR_CLOCK_PRODUCERS], own);
	become(fronts, place, own);
}

void rt_vector_clock_take(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance)
{
	struct rt_vector_clock_channel *c = fronts->on ? &fronts->channels[row] : NULL;
	struct rt_vector_clock *place = c ? place_of(fronts, c, channel->capacity, channel->consumes) : NULL, *own;

	if (!place)
		return;
	own = &fronts->instances[instance];
	turn_join(fronts, c, &channel->consumers, RT_VECTOR_CLOCK_CONSUMERS, instance);
	join(fronts, own, &c->latest[RT_VECTOR_CLOCK_CONSUMERS]);
	join(fronts, own, place);
	become(fronts, &c->latest[RT_VECTOR_CLOCK_CONSUMERS], own);
	become(fronts, place, own);
}

void rt_vector_clock_end(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, enum rt_vector_clock_side side, uint32_t instance)
{
	const struct rt_side *ends = side == RT_VECTOR_CLOCK_PRODUCERS ? &channel->producers : &channel->consumers;
	uint32_t at = 0;

	if (!fronts->on || rt_side_finished(ends, instance))
		return;
	while (ends->ends[at].instance != instance)
		at++;
	become(fronts, &fronts->channels[row].ended[side][at], &fronts->instances[instance]);
	if (side == RT_VECTOR_CLOCK_PRODUCERS)
		join(fronts, &fronts->channels[row].closed, &fronts->instances[instance]);
}

void rt_vector_clock_closed(struct rt_vector_clocks *fronts, uint32_t row, uint32_t instance)
{
	if (fronts->on)
		join(fronts, &fronts->instances[instance], &fronts->channels[row].closed);
}
