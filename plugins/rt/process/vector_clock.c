/* SPDX-License-Identifier: MIT */
#include "rt/process/vector_clock.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- one clock ------------------------------------------------------------------------------------------------- */

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
		if (i && to->rows[i - 1].instance == row.instance && to->rows[--i].step > row.step)
			row.step = to->rows[i].step;
		to->rows[--count] = row;
		k--;
	}
}

static void join(struct rt_vector_clocks *clocks, struct rt_vector_clock *to, const struct rt_vector_clock *from)
{
	uint32_t count = to == from ? to->count : count_together(to, from);

	while (to->room < count && !clocks->lost) {
		void *rows = to->rows;

		clocks->lost = !common_grow(&rows, &to->room, to->room, sizeof(*to->rows));
		to->rows = rows;
	}
	if (to != from && !clocks->lost)
		merge(to, from, count);
}

static void become(struct rt_vector_clocks *clocks, struct rt_vector_clock *to, const struct rt_vector_clock *from)
{
	to->count = 0;
	join(clocks, to, from);
}

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

static struct rt_vector_clock *clocks_make(uint32_t count)
{
	return calloc((size_t)count + 1, sizeof(struct rt_vector_clock));
}

static void clocks_free(struct rt_vector_clock *clocks, uint32_t count)
{
	for (uint32_t i = 0; clocks && i < count; i++)
		free(clocks[i].rows);
	free(clocks);
}

bool rt_vector_clocks_init(struct rt_vector_clocks *clocks, uint32_t instances, uint32_t slots, uint32_t events, uint32_t channels)
{
	*clocks = (struct rt_vector_clocks){.on = true, .instance_count = instances, .slot_count = slots, .event_count = events, .channel_count = channels};
	clocks->instances = clocks_make(instances);
	clocks->slots = clocks_make(slots);
	clocks->events = clocks_make(events);
	clocks->channels = calloc((size_t)channels + 1, sizeof(*clocks->channels));
	return clocks->instances && clocks->slots && clocks->events && clocks->channels;
}

static void side_finish(struct rt_vector_clock_side *side)
{
	clocks_free(side->ended, side->ended_count);
	free(side->latest.rows);
}

void rt_vector_clocks_finish(struct rt_vector_clocks *clocks)
{
	for (uint32_t i = 0; clocks->channels && i < clocks->channel_count; i++) {
		struct rt_vector_clock_channel *c = &clocks->channels[i];

		side_finish(&c->producers);
		side_finish(&c->consumers);
		clocks_free(c->places, c->room);
		free(c->closed.rows);
	}
	clocks_free(clocks->instances, clocks->instance_count);
	clocks_free(clocks->slots, clocks->slot_count);
	clocks_free(clocks->events, clocks->event_count);
	free(clocks->channels);
	memset(clocks, 0, sizeof(*clocks));
}

/* ---- one instance ---------------------------------------------------------------------------------------------- */

uint64_t rt_vector_clock_step(const struct rt_vector_clock *clock, uint32_t instance)
{
	for (uint32_t i = clock->count; i-- && clock->rows[i].instance >= instance;)
		if (clock->rows[i].instance == instance)
			return clock->rows[i].step;
	return UINT64_MAX;
}

void rt_vector_clock_follow(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t other, uint64_t step)
{
	struct rt_vector_clock_row row = {step, other};
	const struct rt_vector_clock one = {&row, 1, 1};

	if (clocks->on)
		join(clocks, &clocks->instances[instance], &one);
}

void rt_vector_clock_task(struct rt_vector_clocks *clocks, uint32_t instance, uint64_t step)
{
	if (clocks->on)
		clocks->instances[instance].count = 0;
	rt_vector_clock_follow(clocks, instance, instance, step);
}

void rt_vector_clock_read(struct rt_vector_clocks *clocks, uint32_t instance, const uint32_t *slots, uint32_t count)
{
	for (uint32_t i = 0; clocks->on && i < count; i++)
		join(clocks, &clocks->instances[instance], &clocks->slots[slots[i]]);
}

/* The slot may be among those that it is made of; the instance itself waits for none of them. */
void rt_vector_clock_slot_set(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t slot, const uint32_t *reads, uint32_t count)
{
	bool kept = false;

	if (!clocks->on)
		return;
	for (uint32_t i = 0; i < count; i++)
		kept |= reads[i] == slot;
	if (!kept)
		clocks->slots[slot].count = 0;
	join(clocks, &clocks->slots[slot], &clocks->instances[instance]);
	for (uint32_t i = 0; i < count; i++)
		join(clocks, &clocks->slots[slot], &clocks->slots[reads[i]]);
}

void rt_vector_clock_slot_load(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t slot)
{
	if (clocks->on)
		become(clocks, &clocks->slots[slot], &clocks->instances[instance]);
}

void rt_vector_clock_signal(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t event)
{
	if (clocks->on)
		become(clocks, &clocks->events[event], &clocks->instances[instance]);
}

void rt_vector_clock_wait(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t event)
{
	if (clocks->on)
		join(clocks, &clocks->instances[instance], &clocks->events[event]);
}

/* ---- channels -------------------------------------------------------------------------------------------------- */

/* One more than `at` in an array that grows, zeroed; NULL when out of memory. */
static struct rt_vector_clock *clock_at(struct rt_vector_clocks *clocks, struct rt_vector_clock **rows, uint32_t *room, uint64_t at)
{
	while (at >= *room && !clocks->lost) {
		uint32_t before = *room;

		clocks->lost = !COMMON_GROW(*rows, *room, *room);
		if (!clocks->lost)
			memset(*rows + before, 0, (size_t)(*room - before) * sizeof(**rows));
	}
	return clocks->lost ? NULL : *rows + at;
}

/* The place of token k; NULL when out of memory. */
static struct rt_vector_clock *place_of(struct rt_vector_clocks *clocks, struct rt_vector_clock_channel *c, uint64_t k)
{
	return clock_at(clocks, &c->places, &c->room, c->capacity ? k % c->capacity : 0);
}

/* The instance goes on behind those that were passed over for it, and behind what its side did last. */
static void side_join(struct rt_vector_clocks *clocks, const struct rt_vector_clock_side *side, uint32_t instance, const uint32_t *skips, uint32_t skip_count)
{
	for (uint32_t i = 0; i < skip_count; i++)
		join(clocks, &clocks->instances[instance], &side->ended[skips[i]]);
	join(clocks, &clocks->instances[instance], &side->latest);
}

void rt_vector_clock_send(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance, const uint32_t *skips, uint32_t skip_count)
{
	struct rt_vector_clock_channel *c = clocks->on ? &clocks->channels[row] : NULL;
	struct rt_vector_clock *place = c ? place_of(clocks, c, c->sends) : NULL;

	if (!place)
		return;
	side_join(clocks, &c->producers, instance, skips, skip_count);
	if (c->capacity && c->sends >= c->capacity)
		join(clocks, &clocks->instances[instance], place); /* take k - capacity */
	become(clocks, &c->producers.latest, &clocks->instances[instance]);
	become(clocks, place, &clocks->instances[instance]);
	c->sender = instance;
	c->sends++;
}

void rt_vector_clock_take(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance, const uint32_t *skips, uint32_t skip_count)
{
	struct rt_vector_clock_channel *c = clocks->on ? &clocks->channels[row] : NULL;
	struct rt_vector_clock *place = c ? place_of(clocks, c, c->takes) : NULL;

	if (!place)
		return;
	side_join(clocks, &c->consumers, instance, skips, skip_count);
	join(clocks, &clocks->instances[instance], place);
	become(clocks, &c->consumers.latest, &clocks->instances[instance]);
	become(clocks, place, &clocks->instances[instance]);
	c->takes++;
	if (c->capacity)
		return;
	join(clocks, &clocks->instances[c->sender], &clocks->instances[instance]);
	become(clocks, &c->producers.latest, &clocks->instances[instance]);
}

void rt_vector_clock_end(struct rt_vector_clocks *clocks, uint32_t row, bool consumes, uint32_t instance)
{
	struct rt_vector_clock_channel *c = clocks->on ? &clocks->channels[row] : NULL;
	struct rt_vector_clock_side *side = c && consumes ? &c->consumers : c ? &c->producers : NULL;
	struct rt_vector_clock *ended = side ? clock_at(clocks, &side->ended, &side->ended_room, side->ended_count) : NULL;

	if (!ended)
		return;
	side->ended_count++;
	become(clocks, ended, &clocks->instances[instance]);
	if (!consumes)
		join(clocks, &c->closed, &clocks->instances[instance]);
}

void rt_vector_clock_closed(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance)
{
	if (clocks->on)
		join(clocks, &clocks->instances[instance], &clocks->channels[row].closed);
}
