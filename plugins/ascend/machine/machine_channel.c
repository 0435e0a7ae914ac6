/* SPDX-License-Identifier: MIT */
/* machine_channel.c - tokens in time: the rules of the semantic clock (S(k), C(k), K), each applied as soon as what it needs is known. */
#include "ascend/machine/machine_process.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

bool ascend_channels_init(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	all->channel_count = run->limits->channels;
	all->channels = calloc((size_t)all->channel_count + 1, sizeof(*all->channels));
	for (uint32_t c = 0; all->channels && c < all->channel_count; c++)
		all->channels[c].capacity = rt_feed_capacity(run->feed, c, &all->channels[c].latency);
	return all->channels != NULL;
}

void ascend_channels_finish(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	for (uint32_t c = 0; all->channels && c < all->channel_count; c++) {
		free(all->channels[c].times);
		free(all->channels[c].finishes[0]);
		free(all->channels[c].finishes[1]);
	}
	free(all->channels);
}

/* ---- ends --------------------------------------------------------------------------------------------------------- */

void ascend_channel_pulled(struct ascend_run *run, struct rt_item *item)
{
	struct ascend_channel *channel = &run->processes->channels[item->row];
	uint32_t side = item->kind == RT_ITEM_FINISH && item->number;

	if (item->kind == RT_ITEM_FINISH) {
		if (!common_grow((void **)&channel->finishes[side], &channel->finish_room[side], channel->finish_count[side], sizeof(**channel->finishes))) {
			run->no_memory = true;
			return;
		}
		channel->finishes[side][channel->finish_count[side]++] = (struct ascend_finish){0, false};
	}
	item->pool = channel->finish_count[side];
}

/* The latest of all that had finished in the order of turns; false: one of them is not there yet. */
static bool closed(const struct ascend_channel *channel, uint32_t count, uint64_t *time)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!channel->finishes[0][i].known)
			return false;
		*time = ascend_later(*time, channel->finishes[0][i].time);
	}
	return true;
}

/* The latest of those that were passed over. */
static bool passed(const struct ascend_channel *channel, uint32_t side, const struct rt_item *item, uint64_t *time)
{
	for (uint32_t i = 0; i < item->count; i++) {
		const struct ascend_finish *finish = &channel->finishes[side][item->list[i]];

		if (!finish->known)
			return false;
		*time = ascend_later(*time, finish->time);
	}
	return true;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------- */

static uint64_t *place_of(struct ascend_run *run, struct ascend_channel *channel, uint64_t token)
{
	uint64_t at = channel->capacity ? token % channel->capacity : 0;

	while (at >= channel->room)
		if (!COMMON_GROW(channel->times, channel->room, channel->room)) {
			run->no_memory = true;
			return NULL;
		}
	return &channel->times[at];
}

/* Time of a place for token k; false: not known. In a rendezvous its taker is the place. */
static bool place_there(const struct ascend_channel *channel, uint64_t k, uint64_t *time)
{
	*time = 0;
	if (!channel->capacity && channel->taker) {
		*time = channel->taker_ready;
		return channel->takes == k;
	}
	if (!channel->capacity)
		return false;
	if (k < channel->capacity)
		return true;
	*time = channel->times[k % channel->capacity]; /* C, as it was taken */
	return channel->takes > k - channel->capacity;
}

static bool send(struct ascend_run *run, struct ascend_process *process, struct ascend_channel *channel, const struct rt_item *item)
{
	uint64_t ready = ascend_later(process->clock, channel->sent), room, *place;

	if (channel->sends != item->number || !passed(channel, 0, item, &ready) || !place_there(channel, item->number, &room))
		return false;
	place = place_of(run, channel, item->number);
	if (!place)
		return false;
	*place = process->clock = channel->sent = ascend_later(ready, room);
	channel->sends++;
	rt_feed_token(run->feed, item, room > ready ? room - ready : 0, channel->sent);
	return true;
}

static bool take(struct ascend_run *run, uint32_t at, struct ascend_channel *channel, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];
	uint64_t own = ascend_later(process->clock, channel->taken), ready = own, here;

	if (channel->takes != item->number || !passed(channel, 1, item, &ready))
		return false;
	if (channel->sends == item->number && !channel->capacity && channel->taker != at + 1) {
		channel->taker = at + 1; /* the sender can go on */
		channel->taker_ready = ready;
		ascend_list_wake(run, &channel->blocked);
	}
	if (channel->sends <= item->number)
		return false;
	here = channel->times[channel->capacity ? item->number % channel->capacity : 0];
	here = here > UINT64_MAX - channel->latency ? UINT64_MAX : here + channel->latency;
	process->clock = channel->taken = ascend_later(ready, here);
	channel->times[channel->capacity ? item->number % channel->capacity : 0] = process->clock;
	channel->takes++;
	channel->taker = 0;
	rt_feed_token(run->feed, item, here > own ? here - own : 0, channel->taken);
	return true;
}

static bool finish(struct ascend_process *process, struct ascend_channel *channel, const struct rt_item *item)
{
	channel->finishes[item->number != 0][item->pool - 1] = (struct ascend_finish){process->clock, true};
	return true;
}

bool ascend_channel_take(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];
	struct ascend_channel *channel = &run->processes->channels[item->row];
	bool done;

	switch (item->kind) {
	case RT_ITEM_SEND: done = send(run, process, channel, item); break;
	case RT_ITEM_TAKE: done = take(run, at, channel, item); break;
	case RT_ITEM_CLOSED: done = closed(channel, item->pool, &process->clock); break;
	default: done = finish(process, channel, item); break;
	}
	if (done) {
		ascend_list_wake(run, &channel->blocked);
		return true;
	}
	process->next = channel->blocked;
	channel->blocked = at + 1;
	return false;
}
