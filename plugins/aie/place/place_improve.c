/* SPDX-License-Identifier: MIT */
/* place_improve.c - simulated annealing: nodes move to other tiles or change places with who is there. A cheaper move stays, a dearer one stays the less often the
 * more it costs and the later it is; the best that was seen is what remains, and then every single exchange is tried until none helps. Whole numbers only: the same on
 * every machine. */
#include <stdlib.h>
#include <string.h>

#include "aie/place/place_state.h"
#include "base/error.h"

enum { STEPS_PER_NODE = 1200, STEPS_MOST = 60000, COOLINGS = 96, PROBES = 128, PASSES = 12, RUNS = 4, RUNS_UNMET = 8, RUNS_MOST = 16 };
static const uint64_t HEAT_MOST = UINT64_C(1) << 40; /* times 2^21 it fits */

/* ---- a move, and back ---------------------------------------------------------------------------------------------------------------------------------- */

struct move {
	uint32_t a, b;             /* b: who changes places with it; NONE */
	struct aie_place from, to; /* of a */
};

/* Makes it if it is legal; false: nothing has changed. */
static bool make(struct place_state *state, const struct move *move)
{
	bool fits;

	if (!place_may(state, move->a, move->to.column, move->to.row) ||
	    (move->b != PTOWSP_NONE && !place_may(state, move->b, move->from.column, move->from.row)))
		return false;
	place_take(state, move->a);
	if (move->b != PTOWSP_NONE)
		place_take(state, move->b);
	fits = place_fits(state, move->a, move->to.column, move->to.row, NULL);
	if (fits && move->b != PTOWSP_NONE)
		fits = place_fits(state, move->b, move->from.column, move->from.row, NULL);
	place_put(state, move->a, fits ? move->to.column : move->from.column, fits ? move->to.row : move->from.row);
	if (move->b != PTOWSP_NONE)
		place_put(state, move->b, fits ? move->from.column : move->to.column, fits ? move->from.row : move->to.row);
	if (fits)
		place_count(state, move->a, move->b);
	return fits;
}

static void undo(struct place_state *state, const struct move *move)
{
	place_take(state, move->a);
	if (move->b != PTOWSP_NONE)
		place_take(state, move->b);
	place_put(state, move->a, move->from.column, move->from.row);
	if (move->b != PTOWSP_NONE)
		place_put(state, move->b, move->to.column, move->to.row);
	place_count(state, move->a, move->b);
}

/* ---- proposals ----------------------------------------------------------------------------------------------------------------------------------------- */

/* A tile near one of the node's neighbours, or any. */
static struct aie_place propose_place(struct place_state *state, uint32_t node)
{
	const uint32_t nets = state->first_net[node + 1] - state->first_net[node];
	struct aie_place place = {(int32_t)place_draw(state, state->arch->columns), state->places[node].row};

	if (state->nodes[node].kind == AIE_CORE)
		place.row = (int32_t)(AIE_FIRST_CORE + place_draw(state, state->arch->rows - AIE_FIRST_CORE));
	if (nets && place_draw(state, 2)) {
		const struct aie_place_net *net = &state->nets[state->nets_of[state->first_net[node] + place_draw(state, nets)]];
		const uint64_t k = place_draw(state, (uint64_t)net->to_count + 1);
		const struct aie_place *peer = &state->places[k ? net->to[k - 1] : net->from];

		place.column = peer->column + (int32_t)place_draw(state, 3) - 1;
		if (state->nodes[node].kind == AIE_CORE)
			place.row = peer->row + (int32_t)place_draw(state, 3) - 1;
	}
	return place;
}

/* The node at the wanted place: the core there, or one of those that share the tile. */
static uint32_t propose_other(struct place_state *state, uint32_t node, const struct aie_place *to)
{
	uint32_t start;

	if (state->nodes[node].kind == AIE_CORE)
		return state->core_at[place_tile(state, to->column, to->row)];
	if (place_draw(state, 2))
		return PTOWSP_NONE;
	start = (uint32_t)place_draw(state, state->node_count);
	for (uint32_t i = 0, other = start; i < state->node_count; i++, other = other + 1 < state->node_count ? other + 1 : 0)
		if (state->places[other].column == to->column && state->places[other].row == to->row)
			return other;
	return PTOWSP_NONE;
}

static bool propose(struct place_state *state, const uint32_t *movable, uint32_t count, struct move *move)
{
	move->a = movable[place_draw(state, count)];
	move->from = state->places[move->a];
	move->to = propose_place(state, move->a);
	if (!aie_arch_inside(state->arch, move->to.column, move->to.row) || (move->to.column == move->from.column && move->to.row == move->from.row) ||
	    aie_arch_kind(state->arch, move->to.row) != state->nodes[move->a].kind)
		return false;
	move->b = propose_other(state, move->a, &move->to);
	return make(state, move);
}

/* ---- annealing ----------------------------------------------------------------------------------------------------------------------------------------- */

/* Does a rise in cost pass at this temperature? With probability e^(-rise / heat), near enough: doublings drawn by coins, the rest even. */
static bool passes(struct place_state *state, uint64_t rise, uint64_t heat)
{
	const uint64_t r = place_draw(state, UINT64_C(1) << 32);
	const uint64_t doublings = r >> 8 ? (uint64_t)__builtin_ctzll(r >> 8) : 24;

	/* ln 2 is 177/256; eight bits of fraction. */
	return rise < heat * ((doublings << 8) + (r & 255)) * 177 >> 16;
}

static uint64_t first_heat(struct place_state *state, const uint32_t *movable, uint32_t count)
{
	uint64_t sum = 0, moves = 1;
	struct move move;

	for (uint32_t i = 0; i < PROBES; i++) {
		const uint64_t way = state->cost.way;

		if (!propose(state, movable, count, &move))
			continue;
		sum += state->cost.way > way ? state->cost.way - way : way - state->cost.way;
		moves++;
		undo(state, &move);
	}
	return sum / moves + 1 < HEAT_MOST ? sum / moves + 1 : HEAT_MOST;
}

static bool less(const struct aie_place_cost *a, const struct aie_place_cost *b)
{
	return a->unmet < b->unmet || (a->unmet == b->unmet && a->way < b->way);
}

struct best {
	struct aie_place *places;
	struct aie_place_cost cost;
};
static void cool(struct place_state *state, const uint32_t *movable, uint32_t count, uint32_t steps, uint64_t heat, struct best *best)
{
	struct move move;

	for (uint32_t i = 0; i < steps; i++) {
		const uint64_t sum = place_sum(state);

		if (!propose(state, movable, count, &move))
			continue;
		if (place_sum(state) > sum && !passes(state, place_sum(state) - sum, heat)) {
			undo(state, &move);
		} else if (less(&state->cost, &best->cost)) {
			best->cost = state->cost;
			memcpy(best->places, state->places, state->node_count * sizeof(*best->places));
		}
	}
}

/* A need may be broken at first for a few moves' worth; at the end for nothing. */
static void anneal(struct place_state *state, const uint32_t *movable, uint32_t count, struct best *best)
{
	const uint32_t wanted = count * STEPS_PER_NODE, steps = (wanted < STEPS_MOST ? wanted : STEPS_MOST) / COOLINGS;
	uint64_t heat = first_heat(state, movable, count), penalty = 2 * heat;

	for (uint32_t cooling = 0; cooling < COOLINGS; cooling++) {
		state->penalty = penalty < state->hard ? penalty : state->hard;
		cool(state, movable, count, steps, heat, best);
		heat = heat * 15 / 16 + 1;
		if (cooling > COOLINGS / 2)
			penalty = penalty * 5 / 4 + 1;
	}
	state->penalty = state->hard;
}

/* ---- the last exchanges -------------------------------------------------------------------------------------------------------------------------------- */

static void go_to(struct place_state *state, const struct aie_place *places)
{
	for (uint32_t i = 0; i < state->node_count; i++)
		place_take(state, i);
	for (uint32_t i = 0; i < state->node_count; i++)
		place_put(state, i, places[i].column, places[i].row);
	for (uint32_t i = 0; i < state->node_count; i++)
		place_count(state, i, PTOWSP_NONE);
}

static bool better(struct place_state *state, const struct move *move)
{
	const uint64_t cost = place_sum(state);

	if (!make(state, move))
		return false;
	if (place_sum(state) < cost)
		return true;
	undo(state, move);
	return false;
}

static bool descend_node(struct place_state *state, uint32_t node)
{
	bool down = false;

	for (int32_t column = 0; column < (int32_t)state->arch->columns; column++)
		for (int32_t row = 0; row < (int32_t)state->arch->rows; row++) {
			struct move move = {.a = node, .b = PTOWSP_NONE, .from = state->places[node], .to = {column, row}};

			if (!place_may(state, node, column, row) || (column == move.from.column && row == move.from.row))
				continue;
			if (state->nodes[node].kind == AIE_CORE)
				move.b = state->core_at[place_tile(state, column, row)];
			down |= better(state, &move);
		}
	return down;
}

/* Shims and memory tiles also change places one for one. */
static bool descend_pairs(struct place_state *state, uint32_t node)
{
	bool down = false;

	for (uint32_t other = node + 1; other < state->node_count; other++) {
		const struct move move = {.a = node, .b = other, .from = state->places[node], .to = state->places[other]};

		if (state->nodes[other].kind == state->nodes[node].kind && state->nodes[node].kind != AIE_CORE && move.from.column != move.to.column)
			down |= better(state, &move);
	}
	return down;
}

static void descend(struct place_state *state, const uint32_t *movable, uint32_t count)
{
	bool down = true;

	for (int pass = 0; down && pass < PASSES; pass++) {
		down = false;
		for (uint32_t i = 0; i < count; i++) {
			down |= descend_node(state, movable[i]);
			down |= descend_pairs(state, movable[i]);
		}
	}
}

/* Small graphs several times over, and again while a need is not met; with the most effort all of them. */
static uint32_t runs_of(const struct place_state *state, uint32_t count)
{
	const uint32_t runs = STEPS_MOST / (count * STEPS_PER_NODE) + 1;

	if (state->effort == AIE_EFFORT_LEAST)
		return 1;
	return state->effort == AIE_EFFORT_MOST ? RUNS_MOST : runs < RUNS ? runs : RUNS;
}

static void improve(struct place_state *state, const uint32_t *movable, uint32_t count, struct best *best)
{
	const uint32_t runs = runs_of(state, count);

	for (uint32_t run = 0; run < runs || (best->cost.unmet && run < RUNS_UNMET); run++) {
		anneal(state, movable, count, best);
		go_to(state, best->places);
		descend(state, movable, count);
		if (less(&state->cost, &best->cost)) {
			best->cost = state->cost;
			memcpy(best->places, state->places, state->node_count * sizeof(*best->places));
		}
	}
}

ptowsp_status place_improve(struct place_state *state, struct ptowsp_error *error)
{
	const size_t room = ((size_t)state->node_count + 1) * sizeof(struct aie_place);
	uint32_t *movable = malloc(((size_t)state->node_count + 1) * sizeof(*movable)), count = 0;
	struct best best = {.places = malloc(room), .cost = state->cost};
	const bool enough = movable && best.places;

	for (uint32_t i = 0; enough && i < state->node_count; i++)
		if (state->nodes[i].column == AIE_ANYWHERE || (state->nodes[i].kind == AIE_CORE && state->nodes[i].row == AIE_ANYWHERE))
			movable[count++] = i;
	if (enough && count) {
		memcpy(best.places, state->places, room);
		improve(state, movable, count, &best);
	}
	free(best.places);
	free(movable);
	return enough ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory to place %u nodes", state->node_count);
}
