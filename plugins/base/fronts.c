/* SPDX-License-Identifier: MIT */
#include "fronts.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* Steps of an instance grow, so the later one is behind the earlier. */
static void join(uint32_t *front, const uint32_t *with, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		if (with[i] != BASE_FRONT_NONE && (front[i] == BASE_FRONT_NONE || with[i] > front[i]))
			front[i] = with[i];
}

/* One behind the others; UINT32_MAX steps in it. NULL when out of memory. */
static uint32_t *front_add(struct base_fronts *fronts, uint32_t **rows, uint32_t *count, uint32_t *room)
{
	if (!common_grow((void **)rows, room, *count, fronts->width * sizeof(**rows))) {
		fronts->failed = true;
		return NULL;
	}
	return memset(*rows + (size_t)(*count)++ * fronts->width, 0xFF, fronts->width * sizeof(**rows));
}

bool base_fronts_init(struct base_fronts *fronts, const struct base_walk *walk)
{
	size_t words;

	*fronts = (struct base_fronts){.instances = walk->limits.processes, .width = walk->limits.processes + 1, .channel_count = walk->limits.channels};
	words = (size_t)(fronts->instances + 1) * fronts->width;
	fronts->rows = malloc(words * sizeof(*fronts->rows));
	fronts->channels = calloc((size_t)fronts->channel_count + 1, sizeof(*fronts->channels));
	if (!fronts->rows || !fronts->channels)
		return false;
	memset(fronts->rows, 0xFF, words * sizeof(*fronts->rows));
	for (uint32_t c = 0; c < fronts->channel_count; c++) {
		fronts->channels[c].capacity = walk->capacities[c];
		fronts->channels[c].closed = malloc(fronts->width * sizeof(uint32_t));
		fronts->channels[c].over = calloc(fronts->width, 1);
		if (!fronts->channels[c].closed || !fronts->channels[c].over)
			return false;
		memset(fronts->channels[c].closed, 0xFF, fronts->width * sizeof(uint32_t));
	}
	return true;
}

void base_fronts_finish(struct base_fronts *fronts)
{
	for (uint32_t c = 0; fronts->channels && c < fronts->channel_count; c++) {
		free(fronts->channels[c].sent);
		free(fronts->channels[c].taken);
		free(fronts->channels[c].closed);
		free(fronts->channels[c].over);
	}
	free(fronts->channels);
	free(fronts->rows);
	memset(fronts, 0, sizeof(*fronts));
}

void base_fronts_begin(struct base_fronts *fronts, uint32_t step)
{
	for (uint32_t i = 0; i < fronts->instances; i++)
		base_front_gate(fronts, i, step);
}

void base_front_gate(struct base_fronts *fronts, uint32_t instance, uint32_t step)
{
	base_front(fronts, instance)[fronts->width - 1] = step;
}

void base_front_task(struct base_fronts *fronts, uint32_t instance, uint32_t step)
{
	uint32_t *front = base_front(fronts, instance);

	memset(front, 0xFF, fronts->width * sizeof(*front));
	front[instance] = step;
}

/* S(k): behind the sender, send k - 1 and consume k - capacity. The sender goes on behind it. */
static void send(struct base_fronts *fronts, struct base_front_channel *channel, const struct base_walk_event *event)
{
	uint64_t k = channel->sent_count;
	uint32_t *front = front_add(fronts, &channel->sent, &channel->sent_count, &channel->sent_room);

	if (!front)
		return;
	channel->sender = event->process;
	join(front, base_front(fronts, event->process), fronts->width);
	if (k)
		join(front, front - fronts->width, fronts->width);
	if (channel->capacity && k >= channel->capacity)
		join(front, channel->taken + (size_t)(k - channel->capacity) * fronts->width, fronts->width);
	join(base_front(fronts, event->process), front, fronts->width);
}

/* C(k): behind the consumer, consume k - 1 and send k. The consumer goes on behind it; at a rendezvous the sender, too. */
static void take(struct base_fronts *fronts, struct base_front_channel *channel, const struct base_walk_event *event)
{
	uint64_t k = channel->taken_count;
	uint32_t *front = front_add(fronts, &channel->taken, &channel->taken_count, &channel->taken_room);

	if (!front)
		return;
	join(front, base_front(fronts, event->process), fronts->width);
	if (k)
		join(front, front - fronts->width, fronts->width);
	join(front, channel->sent + (size_t)k * fronts->width, fronts->width);
	join(base_front(fronts, event->process), front, fronts->width);
	if (!channel->capacity)
		join(base_front(fronts, channel->sender), front, fronts->width);
}

/* A producer: the first time counts. */
static void finish(struct base_fronts *fronts, struct base_front_channel *channel, const struct base_walk_event *event)
{
	if (event->number || channel->over[event->process])
		return;
	channel->over[event->process] = 1;
	join(channel->closed, base_front(fronts, event->process), fronts->width);
}

void base_fronts_take(struct base_fronts *fronts, const struct base_walk_event *event)
{
	struct base_front_channel *channel = fronts->channels + event->row;

	switch (event->kind) {
	case RT_ITEM_SEND: send(fronts, channel, event); return;
	case RT_ITEM_TAKE: take(fronts, channel, event); return;
	case RT_ITEM_CLOSED: join(base_front(fronts, event->process), channel->closed, fronts->width); return;
	case RT_ITEM_FINISH: finish(fronts, channel, event); return;
	default: return;
	}
}
