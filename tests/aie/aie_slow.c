/* SPDX-License-Identifier: MIT
 * aie_slow.c - a random net, one cycle after the other: in each, all do what they can until nobody can do more, then words move. Objects are rows of words that stay. */
#include "tests/aie/aie_world.h"

#include <stdlib.h>
#include <string.h>

enum { QUIET = 40000, MOST = 8192 }; /* cycles without a change after which nothing comes any more; objects of a lock */

struct seen_row {
	uint64_t at[MOST];
	uint32_t begun, done;
};
struct slow_lock {
	uint32_t *words;          /* [MOST][words] */
	struct seen_row put, got; /* since when the other side sees it */
};
enum slow_state { SLOW_IDLE, SLOW_LOCK, SLOW_READY, SLOW_WORK };
struct slow_end {
	enum slow_state state;
	uint64_t base, ready;
	bool fresh, working;
	uint32_t turn, sent; /* piece; times that it was sent */
	uint32_t object;     /* at hand, number of the lock's */
	uint32_t left, all;
	uint32_t held[8], held_count;
	uint32_t given[WORLD_STEPS], given_count, given_done; /* steps, in order; begun */
	uint32_t tokens_waited;
	uint32_t *at; /* next word */
};
struct slow_core {
	uint32_t step, turn;
	uint64_t free; /* goes on then */
	bool ended, waits;
	uint64_t since;
};
struct slow {
	const struct world *w;
	uint32_t *ddr, buffering;
	struct slow_lock locks[WORLD_LOCKS];
	struct slow_end ends[WORLD_ENDS];
	struct slow_core cores[WORLD_CORES];
	uint64_t now, last;
	uint32_t step;
	uint64_t host_free;
	bool host_ended;
	uint64_t done_at[WORLD_STEPS];
	struct world_result *result;
};

/* ---- locks -------------------------------------------------------------------------------------------------------- */

/* When object number `n` is seen filled (get) or its place empty; UINT64_MAX: not known yet. */
static uint64_t seen(const struct slow *s, uint32_t lock, bool get, uint32_t n)
{
	const struct slow_lock *l = &s->locks[lock];
	const uint32_t depth = s->w->locks[lock].depth;

	if (get)
		return n < l->put.done ? l->put.at[n] : UINT64_MAX;
	if (n < depth)
		return 0;
	return n - depth < l->got.done ? l->got.at[n - depth] : UINT64_MAX;
}

static struct seen_row *row_of(struct slow *s, uint32_t lock, bool get)
{
	return get ? &s->locks[lock].got : &s->locks[lock].put;
}

static uint32_t *object(struct slow *s, uint32_t lock, uint32_t n)
{
	return s->locks[lock].words + (size_t)n * s->w->locks[lock].words;
}

/* ---- ends --------------------------------------------------------------------------------------------------------- */

static bool sends(const struct slow *s, uint32_t end)
{
	for (uint32_t i = 0; i < s->w->stream_count; i++)
		if (s->w->streams[i].end == end)
			return true;
	return false;
}

static void task_start(struct slow *s, uint32_t number)
{
	struct slow_end *e = &s->ends[number];
	const bool out = sends(s, number);

	if (e->working || e->given_done == e->given_count)
		return;
	e->working = true;
	e->state = SLOW_READY;
	e->ready = s->now + (out ? 325 + 4 + 5 : 179 + 4) + (e->fresh ? (out ? 1330 : 341) + 2 : 0);
	e->fresh = false;
	e->all = s->w->steps[e->given[e->given_done]].words;
	e->at = s->ddr + s->w->steps[e->given[e->given_done]].at;
	e->given_done++;
}

static bool lock_try(struct slow *s, uint32_t number)
{
	struct slow_end *e = &s->ends[number];
	const bool out = sends(s, number);
	const uint32_t lock = s->w->ends[number].lock + e->turn;
	struct seen_row *row = row_of(s, lock, out);
	const uint64_t at = e->sent ? 0 : seen(s, lock, out, row->begun);

	if (at == UINT64_MAX)
		return false;
	if (at <= e->base)
		e->ready = e->base + (out && e->fresh ? 5 : 0);
	else
		e->ready = at + 1 + (out ? 5 : 0);
	e->fresh = false;
	e->state = SLOW_READY;
	if (!e->sent)
		e->object = row->begun++;
	e->all = s->w->locks[lock].words;
	e->at = object(s, lock, e->object);
	return true;
}

static void end_done(struct slow *s, uint32_t number)
{
	const struct world_end *we = &s->w->ends[number];
	struct slow_end *e = &s->ends[number];
	const uint64_t there = s->now + we->delay;

	s->result->objects[number]++;
	s->last = there > s->last ? there : s->last;
	e->base = s->now + 1;
	if (we->shim) {
		s->done_at[e->given[e->given_done - 1]] = there;
		e->working = false;
		e->state = SLOW_IDLE;
		return;
	}
	e->state = SLOW_LOCK;
	if (++e->sent < we->repeat)
		return;
	e->sent = 0;
	{
		struct seen_row *row = row_of(s, we->lock + e->turn, sends(s, number));

		row->at[row->done++] = there + 1;
	}
	e->turn = (e->turn + 1) % we->lock_count;
}

static bool end_try(struct slow *s, uint32_t number)
{
	struct slow_end *e = &s->ends[number];

	switch (e->state) {
	case SLOW_IDLE:
		if (s->w->ends[number].shim)
			task_start(s, number);
		return e->state != SLOW_IDLE;
	case SLOW_LOCK: return lock_try(s, number);
	case SLOW_READY:
		if (e->ready > s->now)
			return false;
		e->state = SLOW_WORK;
		e->left = e->all;
		return true;
	default:
		if (e->left)
			return false;
		end_done(s, number);
		return true;
	}
}

/* ---- cores and host ----------------------------------------------------------------------------------------------- */

static void compute(struct slow *s, uint32_t number)
{
	const struct world_core *wc = &s->w->cores[number];
	uint32_t hash = 0;

	for (int side = 1; side >= 0; side--)
		for (uint32_t p = 0; p < wc->port_count; p++) {
			const uint32_t lock = wc->ports[p].lock;
			uint32_t *o = object(s, lock, row_of(s, lock, side)->done);

			for (uint32_t i = 0; (int)wc->ports[p].side == side && i < s->w->locks[lock].words; i++) {
				if (side)
					hash = world_hash(hash, o[i]);
				else
					o[i] = world_value(number, s->cores[number].turn, p, i, hash);
			}
		}
}

static bool core_acquire(struct slow *s, uint32_t number, const struct world_port *port)
{
	struct slow_core *c = &s->cores[number];
	struct seen_row *row = row_of(s, port->lock, port->side == AIE_GETTER);
	uint32_t more = port->take - (row->begun - row->done);

	for (uint32_t i = 0; i < more; i++)
		if (seen(s, port->lock, port->side == AIE_GETTER, row->begun + i) > s->now) {
			if (!c->waits) {
				c->since = s->now;
				s->last = s->now > s->last ? s->now : s->last;
			}
			c->waits = true;
			return false;
		}
	if (c->waits)
		s->result->blocked[number] += s->now - c->since;
	c->waits = false;
	row->begun += more;
	c->free = s->now + (more ? 5 : 0);
	s->result->busy[number] += more ? 5 : 0;
	return true;
}

static bool core_try(struct slow *s, uint32_t number)
{
	const struct world_core *wc = &s->w->cores[number];
	struct slow_core *c = &s->cores[number];

	if (c->ended || c->free > s->now)
		return false;
	if (c->turn == wc->turns || !wc->port_count) {
		c->ended = true;
		s->last = s->now > s->last ? s->now : s->last;
		return true;
	}
	if (c->step < wc->port_count) {
		if (!core_acquire(s, number, &wc->ports[c->step]))
			return false;
		if (++c->step == wc->port_count) {
			compute(s, number);
			c->free += wc->work;
			s->result->busy[number] += wc->work;
		}
		return true;
	}
	{
		const struct world_port *port = &wc->ports[c->step - wc->port_count];
		struct seen_row *row = row_of(s, port->lock, port->side == AIE_GETTER);

		row->at[row->done++] = s->now + 5;
	}
	c->free = s->now + 5;
	s->result->busy[number] += 5;
	if (++c->step == 2 * wc->port_count) {
		c->step = 0;
		c->turn++;
	}
	return true;
}

static bool host_step(struct slow *s, const struct world_step *step)
{
	struct slow_end *e = &s->ends[step->end];
	uint32_t n = 0;

	if (step->words) {
		if (e->given_count - e->given_done >= 4)
			return false;
		e->given[e->given_count++] = s->step;
		return true;
	}
	for (uint32_t i = 0; i < e->given_count; i++)
		if (s->w->steps[e->given[i]].token && n++ == e->tokens_waited) {
			if (s->done_at[e->given[i]] > s->now)
				return false;
			e->tokens_waited++;
			return true;
		}
	return false;
}

static bool host_try(struct slow *s)
{
	if (s->host_ended || s->host_free > s->now)
		return false;
	if (s->step == s->w->step_count) {
		s->host_ended = true;
		s->last = s->now > s->last ? s->now : s->last;
		return true;
	}
	if (!host_step(s, &s->w->steps[s->step]))
		return false;
	s->step++;
	s->host_free = s->now + (s->step < s->w->step_count && s->w->steps[s->step].words ? 3000 : 0);
	return true;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

static void word_reach(struct slow_end *e, const uint32_t *word)
{
	if (word)
		e->held[e->held_count++] = *word;
	if (e->state != SLOW_WORK || !e->held_count)
		return;
	*e->at++ = e->held[0];
	e->left--;
	memmove(e->held, e->held + 1, --e->held_count * sizeof(*e->held));
}

static bool words_move(struct slow *s, const struct world_stream *stream)
{
	struct slow_end *e = &s->ends[stream->end];
	bool can = e->state == SLOW_WORK, moved = false;
	uint32_t word = 0;

	for (uint32_t i = 1; i < stream->end_count; i++)
		can = can && (e[i].state == SLOW_WORK || e[i].held_count < s->buffering);
	if (can) {
		word = *e->at++;
		e->left--;
	}
	for (uint32_t i = 1; i < stream->end_count; i++) {
		moved = moved || can || (e[i].state == SLOW_WORK && e[i].held_count);
		if (e[i].held_count == 8 && can) { /* it takes one first, so that there is room */
			word_reach(&e[i], NULL);
			e[i].held[e[i].held_count++] = word;
		} else {
			word_reach(&e[i], can ? &word : NULL);
		}
	}
	return moved;
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

static bool all_try(struct slow *s)
{
	bool any = false, more;

	do {
		more = false;
		for (uint32_t i = 0; i < s->w->core_count; i++)
			more = core_try(s, i) || more;
		for (uint32_t i = 0; i < s->w->end_count; i++)
			more = end_try(s, i) || more;
		more = host_try(s) || more;
		any = any || more;
	} while (more);
	return any;
}

static bool tasks_done(const struct slow *s)
{
	for (uint32_t i = 0; i < s->w->step_count; i++)
		if (s->w->steps[i].words && s->done_at[i] == UINT64_MAX)
			return false;
	return true;
}

static ptowsp_status outcome(const struct slow *s)
{
	if (!s->host_ended || !tasks_done(s))
		return PTOWSP_DEADLOCK;
	for (uint32_t i = 0; !s->w->step_count && i < s->w->core_count; i++)
		if (!s->cores[i].ended)
			return PTOWSP_DEADLOCK;
	return PTOWSP_OK;
}

static void slow_begin(struct slow *s)
{
	for (uint32_t i = 0; i < s->w->lock_count; i++)
		s->locks[i].words = calloc((size_t)MOST * s->w->locks[i].words, sizeof(uint32_t));
	for (uint32_t i = 0; i < s->w->end_count; i++) {
		s->ends[i].fresh = true;
		s->ends[i].base = 6;
		s->ends[i].state = s->w->ends[i].shim ? SLOW_IDLE : SLOW_LOCK;
	}
	memset(s->done_at, 0xFF, sizeof(s->done_at));
	s->host_free = s->w->step_count && s->w->steps[0].words ? 3000 : 0;
}

void world_run_slow(const struct world *world, uint32_t buffering, uint32_t *ddr, struct world_result *result)
{
	struct slow *s = calloc(1, sizeof(*s));
	uint64_t changed = 0;

	memset(result, 0, sizeof(*result));
	s->w = world;
	s->ddr = ddr;
	s->buffering = buffering;
	s->result = result;
	slow_begin(s);
	for (; s->now - changed < QUIET; s->now++) {
		bool any = all_try(s);

		if (world->step_count && s->host_ended && tasks_done(s))
			break;
		for (uint32_t i = 0; i < world->stream_count; i++)
			any = words_move(s, &world->streams[i]) || any;
		if (any)
			changed = s->now;
	}
	result->status = outcome(s);
	result->cycles = s->last;
	for (uint32_t i = 0; i < world->lock_count; i++)
		free(s->locks[i].words);
	free(s);
}
