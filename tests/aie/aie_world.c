/* SPDX-License-Identifier: MIT
 * aie_world.c - random nets, and the simulator on them. */
#include "tests/aie/aie_world.h"
#include "aie/sim/aie_cost.h"
#include "tests/draw.h"

#include <string.h>

struct maker {
	struct world *w;
	uint64_t state;
	bool sound;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return (uint32_t)draw(&m->state, n);
}

uint32_t world_hash(uint32_t hash, uint32_t word)
{
	return (hash << 5 | hash >> 27) ^ (word * 2654435761u);
}

uint32_t world_value(uint32_t core, uint32_t turn, uint32_t port, uint32_t word, uint32_t hash)
{
	return world_hash(world_hash(hash, core * 977 + turn), port * 131 + word + 1);
}

void world_ddr(const struct world *world, uint32_t *ddr)
{
	for (uint32_t i = 0; i < world->ddr_words; i++)
		ddr[i] = world_hash(i, i + 17);
}

/* ---- making ------------------------------------------------------------------------------------------------------- */

static uint32_t lock_add(struct maker *m, uint32_t words, uint32_t part, uint32_t depth)
{
	m->w->locks[m->w->lock_count] = (struct world_lock){depth, words, part};
	return m->w->lock_count++;
}

static uint32_t end_add(struct maker *m, bool shim, uint32_t delay, uint32_t repeat, uint32_t lock, uint32_t lock_count)
{
	m->w->ends[m->w->end_count] = (struct world_end){shim, delay, repeat, lock, lock_count, 0};
	return m->w->end_count++;
}

static void port_add(struct maker *m, uint32_t core, uint32_t lock, enum aie_side side)
{
	struct world_core *c = &m->w->cores[core];
	const uint32_t take = !m->sound && m->w->locks[lock].depth > 1 && !below(m, 4) ? 2 : 1;

	c->ports[c->port_count++] = (struct world_port){lock, take, 1, side};
}

static bool full(const struct world *w, uint32_t core)
{
	return w->cores[core].port_count == WORLD_PORTS;
}

/* Tasks over so many words, one after the other, the last with a token. */
static void tasks_add(struct maker *m, uint32_t end, uint32_t words)
{
	struct world *w = m->w;
	uint32_t at = w->ddr_words;

	w->ddr_words += words;
	while (words) {
		uint32_t n = 1 + below(m, words);

		if (w->step_count > WORLD_STEPS / 2 || below(m, 2))
			n = words;
		w->steps[w->step_count++] = (struct world_step){end, at, n, n == words};
		at += n;
		words -= n;
	}
}

static uint32_t turns_of(struct maker *m)
{
	return m->sound ? m->w->cores[0].turns : 1 + below(m, 6);
}

static uint32_t total(struct maker *m, uint32_t words)
{
	const uint32_t all = words * turns_of(m);

	return m->sound || below(m, 6) ? all : 1 + below(m, 2 * all);
}

/* A stream from a core or from DDR to some of them. */
static void stream_add(struct maker *m, uint32_t from, const uint32_t *to, uint32_t count)
{
	struct world *w = m->w;
	const uint32_t words = 1 + below(m, 40), ddr = w->core_count, repeat = from != ddr && !m->sound && !below(m, 6) ? 2 : 1;
	struct world_stream *s = &w->streams[w->stream_count++];

	s->end = w->end_count;
	s->end_count = 1 + count;
	if (from == ddr) {
		end_add(m, true, 0, 1, 0, 0);
	} else {
		const uint32_t lock = lock_add(m, words, 0, 1 + below(m, 3));

		port_add(m, from, lock, AIE_PUTTER);
		end_add(m, false, 0, repeat, lock, 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t delay = 4 * (1 + below(m, 5));

		if (to[i] == ddr) {
			end_add(m, true, delay, 1, 0, 0);
		} else {
			const uint32_t lock = lock_add(m, words, 0, 1 + below(m, 3));

			port_add(m, to[i], lock, AIE_GETTER);
			end_add(m, false, delay, 1, lock, 1);
		}
	}
	for (uint32_t e = s->end; e < s->end + s->end_count; e++)
		if (w->ends[e].shim)
			tasks_add(m, e, total(m, words * (from == ddr ? 1 : repeat)));
}

/* DDR to a pool in parts, each on to one core; or the other way round. */
static void link_add(struct maker *m, const uint32_t *cores, uint32_t count, bool join)
{
	struct world *w = m->w;
	const uint32_t first = w->lock_count, depth = 1 + below(m, 3);
	uint32_t words = 0, whole = w->end_count;
	struct world_stream *s;

	for (uint32_t i = 0; i < count; i++)
		words += w->locks[lock_add(m, 1 + below(m, 20), i, depth)].words;
	s = &w->streams[w->stream_count++];
	*s = (struct world_stream){whole, 2};
	if (join)
		end_add(m, false, 0, 1, first, count);
	end_add(m, true, join ? 8 : 0, 1, 0, 0);
	if (!join)
		end_add(m, false, 8, 1, first, count);
	tasks_add(m, join ? whole + 1 : whole, total(m, words));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t lock = lock_add(m, w->locks[first + i].words, 0, 1 + below(m, 3));

		w->streams[w->stream_count++] = (struct world_stream){w->end_count, 2};
		port_add(m, cores[i], lock, join ? AIE_PUTTER : AIE_GETTER);
		end_add(m, false, 0, 1, join ? lock : first + i, 1);
		end_add(m, false, 4 * (1 + below(m, 3)), 1, join ? first + i : lock, 1);
	}
}

/* From core to core through a memory that both see. */
static void shared_add(struct maker *m, uint32_t from, uint32_t to)
{
	const uint32_t lock = lock_add(m, 1 + below(m, 30), 0, 1 + below(m, 3));

	port_add(m, from, lock, AIE_PUTTER);
	port_add(m, to, lock, AIE_GETTER);
}

/* Different cores above `from` that have ports left; DDR, once, among them. */
static uint32_t targets_pick(struct maker *m, uint32_t from, uint32_t most, uint32_t *to)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c <= m->w->core_count && count < most; c++) {
		const bool later = c > from || from == m->w->core_count || (!m->sound && !below(m, 5));

		if (c != from && later && below(m, 2) && (c == m->w->core_count || !full(m->w, c)))
			to[count++] = c;
	}
	return count;
}

static void fifo_add(struct maker *m)
{
	const struct world *w = m->w;
	const uint32_t from = below(m, w->core_count + 1), kind = below(m, 6);
	uint32_t to[WORLD_PARTS], count;

	if (from < w->core_count && full(w, from))
		return;
	count = targets_pick(m, from, WORLD_PARTS, to);
	if (!count)
		return;
	if (kind == 0 && from < w->core_count && to[0] < w->core_count)
		shared_add(m, from, to[0]);
	else if (kind <= 2 && from == w->core_count && to[count - 1] < w->core_count)
		link_add(m, to, count, kind == 1);
	else
		stream_add(m, from, to, count);
}

/* Tasks of several ends are handed over in turns, as they come; then all tokens are waited for. */
static void steps_mix(struct maker *m)
{
	struct world *w = m->w;
	const uint32_t tasks = w->step_count;

	for (uint32_t i = 0; !m->sound && i + 1 < tasks; i++) {
		const struct world_step a = w->steps[i], b = w->steps[i + 1];

		if (a.end != b.end && below(m, 2)) {
			w->steps[i] = b;
			w->steps[i + 1] = a;
		}
	}
	for (uint32_t i = 0; i < tasks; i++)
		if (w->steps[i].token && (m->sound || below(m, 3)))
			w->steps[w->step_count++] = (struct world_step){w->steps[i].end, 0, 0, false};
}

void world_make(struct world *world, uint64_t seed, bool sound)
{
	struct maker m = {world, seed * 2 + sound, sound};
	uint32_t fifos;

	memset(world, 0, sizeof(*world));
	world->core_count = 1 + below(&m, WORLD_CORES);
	for (uint32_t i = 0; i < world->core_count; i++) {
		world->cores[i].turns = i && sound ? world->cores[0].turns : 1 + below(&m, 8);
		world->cores[i].work = below(&m, 3) ? below(&m, 200) : 0;
	}
	fifos = 1 + below(&m, 7);
	for (uint32_t i = 0; i < fifos && world->end_count < WORLD_ENDS / 2 && world->step_count < WORLD_STEPS / 3; i++)
		fifo_add(&m);
	steps_mix(&m);
}

/* ---- the simulator ------------------------------------------------------------------------------------------------ */

struct core_state {
	const struct world_core *core;
	uint32_t number, turn, step;
	uint32_t locks[WORLD_PORTS];
	uint32_t *objects[WORLD_PORTS];
	const struct world *world;
};

static void core_compute(struct core_state *c)
{
	uint32_t hash = 0;

	for (uint32_t p = 0; p < c->core->port_count; p++)
		for (uint32_t i = 0; c->core->ports[p].side == AIE_GETTER && i < c->world->locks[c->core->ports[p].lock].words; i++)
			hash = world_hash(hash, c->objects[p][i]);
	for (uint32_t p = 0; p < c->core->port_count; p++)
		for (uint32_t i = 0; c->core->ports[p].side == AIE_PUTTER && i < c->world->locks[c->core->ports[p].lock].words; i++)
			c->objects[p][i] = world_value(c->number, c->turn, p, i, hash);
}

static ptowsp_status core_next(void *context, void *const *objects, struct aie_ask *ask, struct ptowsp_error *error)
{
	struct core_state *c = context;
	const uint32_t ports = c->core->port_count;

	(void)error;
	if (c->step && c->step <= ports)
		c->objects[c->step - 1] = objects[0];
	if (c->step == 2 * ports) {
		c->turn++;
		c->step = 0;
	}
	*ask = (struct aie_ask){.kind = AIE_ASK_END};
	if (c->turn == c->core->turns || !ports)
		return PTOWSP_OK;
	if (c->step == ports)
		core_compute(c);
	*ask = (struct aie_ask){.kind = c->step < ports ? AIE_ASK_ACQUIRE : AIE_ASK_RELEASE, .cycles = c->step == ports ? c->core->work : 0};
	ask->lock = c->locks[c->step % ports];
	ask->side = c->core->ports[c->step % ports].side;
	ask->count = c->step < ports ? c->core->ports[c->step].take : c->core->ports[c->step - ports].give;
	c->step++;
	return PTOWSP_OK;
}

static void locks_build(struct aie_net *net, const struct world *w)
{
	for (uint32_t i = 0, count; i < w->lock_count; i += count) {
		uint64_t parts[WORLD_PARTS + 1] = {0};

		for (count = 0; i + count < w->lock_count && (!count || w->locks[i + count].part); count++)
			parts[count + 1] = parts[count] + 4 * w->locks[i + count].words;
		aie_net_locks(net, "f", w->locks[i].depth, parts[count], count, parts);
	}
}

static void end_build(struct aie_net *net, const struct world *w, uint32_t number, bool sends)
{
	const struct world_end *e = &w->ends[number];

	aie_net_end(net, "f", aie_net_agent(net, "end %u", number), sends, e->shim, e->delay, e->repeat);
	for (uint32_t k = e->lock; k < e->lock + e->lock_count; k++) {
		struct aie_path path;

		aie_path_plain(&path, 4 * w->locks[k].words);
		aie_net_piece(net, k, 1, &path);
	}
}

static void net_build(struct aie_net *net, const struct world *w, struct core_state *states, uint32_t *ddr)
{
	locks_build(net, w);
	for (uint32_t s = 0; s < w->stream_count; s++) {
		for (uint32_t e = 0; e < w->streams[s].end_count; e++)
			end_build(net, w, w->streams[s].end + e, !e);
		aie_net_stream(net, w->streams[s].end, w->streams[s].end_count);
	}
	for (uint32_t c = 0; c < w->core_count; c++) {
		states[c] = (struct core_state){.core = &w->cores[c], .number = c, .world = w};
		aie_net_core(net, aie_net_agent(net, "core %u", c), (struct aie_program){&states[c], core_next});
		for (uint32_t p = 0; p < w->cores[c].port_count; p++) {
			states[c].locks[p] = w->cores[c].ports[p].lock;
			aie_net_joins(net, c, states[c].locks[p], w->cores[c].ports[p].side);
		}
	}
	net->host_agent = aie_net_agent(net, "host");
	for (uint32_t i = 0; i < w->step_count; i++) {
		struct aie_path path;

		aie_path_plain(&path, 4 * w->steps[i].words);
		if (w->steps[i].words)
			aie_net_task(net, w->steps[i].end, (uint8_t *)(ddr + w->steps[i].at), &path, AIE_NONE, w->steps[i].token);
		else
			aie_net_wait(net, w->steps[i].end);
	}
}

void world_run(const struct world *world, uint32_t buffering, uint32_t *ddr, struct world_result *result, struct ptowsp_error *error)
{
	struct core_state states[WORLD_CORES];
	struct aie_net net = {.buffering = buffering, .channel_queue = 4, .polls = true, .lasts = true, .host_cycles = AIE_COST_HOST_TASK};

	net_build(&net, world, states, ddr);
	memset(result, 0, sizeof(*result));
	result->status = aie_net_run(&net, &(struct aie_sim_args){0}, error);
	result->cycles = net.last;
	for (uint32_t e = 0; e < world->end_count; e++)
		result->objects[e] = net.agents[net.ends[e].agent].objects;
	for (uint32_t c = 0; c < world->core_count; c++) {
		result->busy[c] = net.agents[net.cores[c].agent].busy;
		result->blocked[c] = net.agents[net.cores[c].agent].blocked;
		if (result->status == PTOWSP_DEADLOCK &&
		    net.cores[c].state == AIE_CORE_WAITS) /* a wait without an end has no length that the other model knows */
			result->blocked[c] -= net.now - net.cores[c].since;
	}
	aie_net_finish(&net);
}
