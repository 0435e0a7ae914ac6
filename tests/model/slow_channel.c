/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_channel.h"

/* The item of a token, or SLOW_NONE. */
static int token_item(const struct slow *s, unsigned kind, uint32_t channel, uint64_t number)
{
	for (int i = 0; i < s->p->count; i++) {
		const struct rt_item *item = &s->p->items[i].rt;

		if (item->kind == kind && item->row == channel && item->number == number)
			return i;
	}
	return SLOW_NONE;
}

/* *time_out is moved to the time of an item that has happened; false: it has not. */
static bool item_join(const struct slow *s, int item, uint64_t *time_out)
{
	if (item == SLOW_NONE)
		return true;
	*time_out = slow_later(*time_out, s->times[item]);
	return s->walked[item];
}

/* The latest end of a side: of those that are the n-th of a list, or, without one, of all before an item. */
static bool finishes_join(const struct slow *s, const struct rt_item *of, uint64_t side, int before, uint64_t *time_out)
{
	uint64_t n = 0;
	bool known = true;

	for (int i = 0; i < s->p->count; i++) {
		const struct rt_item *item = &s->p->items[i].rt;
		bool counts = before != SLOW_NONE && i < before;

		if (item->kind != RT_ITEM_FINISH || item->row != of->row || item->number != side)
			continue;
		for (uint32_t k = 0; before == SLOW_NONE && k < of->count; k++)
			counts |= of->list[k] == n;
		known = (!counts || item_join(s, i, time_out)) && known;
		n++;
	}
	return known;
}

/* The process's clock, and the token before on its side. */
static bool own_time(const struct slow *s, int at, uint64_t clock, uint64_t *time_out)
{
	const struct rt_item *item = &s->p->items[at].rt;

	*time_out = clock;
	return !item->number || item_join(s, token_item(s, item->kind, item->row, item->number - 1), time_out);
}

/* What is the process's own side: that, and who was passed over. */
static bool side_time(const struct slow *s, int at, uint64_t clock, uint64_t *time_out)
{
	const struct rt_item *item = &s->p->items[at].rt;

	return own_time(s, at, clock, time_out) && finishes_join(s, item, item->kind == RT_ITEM_TAKE, SLOW_NONE, time_out);
}

/* The taker of a rendezvous stands at its TAKE. */
static bool taker_time(const struct slow *s, const struct rt_item *send, uint64_t *time_out)
{
	int take = token_item(s, RT_ITEM_TAKE, send->row, send->number);
	const struct slow_process *taker = take == SLOW_NONE ? NULL : &s->processes[s->p->items[take].rt.process];

	return taker && taker->standing == SLOW_GOING && taker->at == take && side_time(s, take, taker->clock, time_out);
}

/* From where a token may go in: the token before it in its place has been taken, or its taker is there. */
static bool place_time(const struct slow *s, const struct rt_item *send, uint64_t *time_out)
{
	uint64_t capacity = s->p->capacities[send->row];

	*time_out = 0;
	if (!capacity)
		return taker_time(s, send, time_out);
	return send->number < capacity || item_join(s, token_item(s, RT_ITEM_TAKE, send->row, send->number - capacity), time_out);
}

static bool send_time(const struct slow *s, const struct slow_process *process, uint64_t *mine_out, uint64_t *theirs_out)
{
	return side_time(s, process->at, process->clock, mine_out) && place_time(s, &s->p->items[process->at].rt, theirs_out);
}

static bool take_time(const struct slow *s, const struct slow_process *process, uint64_t *mine_out, uint64_t *theirs_out)
{
	const struct rt_item *item = &s->p->items[process->at].rt;

	*theirs_out = 0;
	if (!side_time(s, process->at, process->clock, mine_out) || !item_join(s, token_item(s, RT_ITEM_SEND, item->row, item->number), theirs_out))
		return false;
	*theirs_out += s->p->latencies[item->row];
	return true;
}

bool slow_channel_time(const struct slow *s, const struct slow_process *process, uint64_t *time_out)
{
	const struct rt_item *item = &s->p->items[process->at].rt;
	uint64_t mine = process->clock, theirs = 0;
	bool known = item->kind == RT_ITEM_SEND   ? send_time(s, process, &mine, &theirs)
		     : item->kind == RT_ITEM_TAKE ? take_time(s, process, &mine, &theirs)
						  : finishes_join(s, item, 0, process->at, &theirs);

	*time_out = slow_later(mine, theirs);
	return known;
}

void slow_channel_pass(struct slow *s, const struct slow_process *process, uint64_t time)
{
	const struct rt_item *item = &s->p->items[process->at].rt;
	struct slow_tokens *tokens = &s->m->channels[item->row];
	uint64_t mine = 0, theirs = 0, waited;

	if (item->kind == RT_ITEM_CLOSED)
		return;
	(item->kind == RT_ITEM_SEND ? send_time : take_time)(s, process, &mine, &theirs);
	if (item->kind == RT_ITEM_TAKE)
		own_time(s, process->at, process->clock, &mine); /* a token is waited for, whoever else is */
	else
		theirs = time;
	waited = theirs > mine ? theirs - mine : 0;
	if (item->kind == RT_ITEM_SEND) {
		tokens->full_count += waited > 0;
		tokens->full_cycles += waited;
	} else {
		tokens->empty_count += waited > 0;
		tokens->empty_cycles += waited;
	}
}
