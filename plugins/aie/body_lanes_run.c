/* SPDX-License-Identifier: MIT */
/* body_lanes_run.c - many rounds of a loop at once, if no two of them meet. */
#include "aie/body_lanes.h"

enum { LEAST = 4, MOST = 1 << 20 }; /* rounds that are worth it; turns of all loops, so that a run can be ended */

/* ---- before the first round --------------------------------------------------------------------------------------- */

static bool trips_find(struct aie_lane_loop *loop, const union aie_register *r)
{
	const int64_t from = r[loop->from].i, to = r[loop->to].i, step = r[loop->step].i;

	if (step <= 0)
		return false;
	loop->trips = from < to ? ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1 : 0;
	return loop->trips <= MOST;
}

/* How often all loops turn, what that costs. */
static bool turns_find(struct aie_lane_loop *loops, uint32_t count, const union aie_register *r, uint64_t *cost, uint64_t *done, uint64_t *turns)
{
	*cost = *done = *turns = 0;
	for (uint32_t l = 0; l < count; l++) {
		if (!trips_find(&loops[l], r))
			return false;
		loops[l].turn = loops[l].trips * (l ? loops[loops[l].parent].turn : 1);
		*turns += loops[l].turn;
		if (*turns > MOST)
			return false;
		*cost += loops[l].turn * loops[l].cost;
		*done += loops[l].turn * loops[l].count;
	}
	return loops[0].trips >= LEAST;
}

/* Where an element lies in the first round and how it moves. False: an index is outside. */
static bool place_find(struct aie_lane_access *made, const struct aie_access *access, const struct aie_lane_loop *loops, const union aie_register *r)
{
	made->at = r[made->memref].p;
	made->lane = made->inner[0] = made->inner[1] = 0;
	made->span = made->bytes;
	for (uint32_t d = 0; d < access->rank; d++) {
		const struct aie_lane_loop *loop = made->loops[d] == AIE_NONE ? NULL : &loops[made->loops[d]];
		const int64_t first = loop ? r[loop->from].i : r[access->at[d]].i, step = loop ? r[loop->step].i : 0;
		const uint64_t more = loop && loop->trips ? (uint64_t)step * (loop->trips - 1) : 0;

		if ((uint64_t)first >= (uint64_t)access->dims[d] || more >= (uint64_t)access->dims[d] - (uint64_t)first)
			return false;
		made->at += first * access->strides[d];
		made->span += (int64_t)more * access->strides[d];
		if (loop)
			*(made->loops[d] ? &made->inner[loop->depth] : &made->lane) += step * access->strides[d];
	}
	return true;
}

/* Does what one round stores reach what another round loads or stores? Nothing, or each round has its own element, the same in both. */
static bool meets(const struct aie_lane_access *store, const struct aie_lane_access *other)
{
	const uintptr_t a = (uintptr_t)store->at, b = (uintptr_t)other->at;

	if (a + (uint64_t)store->span <= b || b + (uint64_t)other->span <= a)
		return false;
	return a != b || store->lane != other->lane || store->lane < store->bytes || store->bytes != other->bytes || other->inner[0] || other->inner[1];
}

/* All rounds may store the same element: the last one stays. */
static bool stores_apart(const struct aie_lane_access *accesses, uint32_t count)
{
	for (uint32_t s = 0; s < count; s++) {
		if (!accesses[s].store)
			continue;
		if (accesses[s].lane && accesses[s].lane < accesses[s].bytes)
			return false;
		for (uint32_t o = 0; o < count; o++)
			if (o != s && meets(&accesses[s], &accesses[o]))
				return false;
	}
	return true;
}

static bool places_find(const struct aie_body *body, const struct aie_lanes *lanes, const union aie_register *r)
{
	for (uint32_t a = 0; a < lanes->access_count; a++) {
		struct aie_lane_access *made = &body->lane_access_rows[lanes->access + a];

		if (!place_find(made, &body->access_rows[made->access], &body->lane_loop_rows[lanes->loop], r))
			return false;
	}
	for (uint32_t i = 0; i < lanes->divisor_count; i++)
		if (!r[body->divisor_rows[lanes->divisor + i]].i)
			return false;
	return stores_apart(&body->lane_access_rows[lanes->access], lanes->access_count);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------- */

static void column_fill(union aie_column *column, enum aie_lane_kind kind, union aie_register value, uint32_t n)
{
	if (kind == AIE_LANE_I32 || kind == AIE_LANE_F32)
		for (uint32_t i = 0; i < n; i++)
			column->i32[i] = (int32_t)value.i;
	else
		for (uint32_t i = 0; i < n; i++)
			column->i64[i] = value.i;
}

/* A loop's counter where it begins a turn: the same in all rounds, but for the rounds' own. */
static void counter_fill(const struct aie_lane_state *s, const struct aie_lane_loop *loop, const union aie_register *r, uint64_t turn, bool own)
{
	const int64_t step = r[loop->step].i, first = r[loop->from].i + (int64_t)turn * step;

	for (uint32_t i = 0; loop->column != AIE_NONE && i < s->padded; i++) {
		const uint64_t value = (uint64_t)first + (own ? i * (uint64_t)step : 0);

		if (loop->kind == AIE_LANE_I32)
			s->columns[loop->column].i32[i] = (int32_t)value;
		else
			s->columns[loop->column].i64[i] = (int64_t)value;
	}
}

/* The next instruction behind one that begins or ends a loop within a round. */
static uint32_t loop_turn(struct aie_lane_state *s, const struct aie_lane_ins *in, uint32_t pc, const union aie_register *r)
{
	const struct aie_lane_loop *loop = &s->loops[in->a];
	uint64_t *turn = &s->turn[loop->depth];

	*turn = in->d ? *turn + 1 : 0;
	if (*turn >= loop->trips) {
		*turn = 0;
		return in->d ? pc + 1 : in->b;
	}
	counter_fill(s, loop, r, *turn, false);
	return in->d ? in->b : pc + 1;
}

static void rounds_run(struct aie_lane_state *s, const struct aie_lane_ins *ins, uint32_t count, const union aie_register *r)
{
	counter_fill(s, &s->loops[0], r, s->begin, true);
	for (uint32_t pc = 0; pc < count;) {
		const struct aie_lane_ins *in = &ins[pc];

		if (!in->run) {
			pc = loop_turn(s, in, pc, r);
			continue;
		}
		in->run(in, s);
		pc++;
	}
}

bool aie_lanes_run(struct aie_body *body, struct aie_lanes *lanes, const union aie_register *r, uint64_t *cycles, uint64_t *done, uint64_t *turns_out)
{
	struct aie_lane_loop *loops = &body->lane_loop_rows[lanes->loop];
	struct aie_lane_state s = {.columns = body->columns, .accesses = &body->lane_access_rows[lanes->access], .loops = loops};
	uint64_t cost, count;
	uint32_t filled;

	if (!turns_find(loops, lanes->loop_count, r, &cost, &count, turns_out) || !places_find(body, lanes, r))
		return false;
	filled = loops[0].trips < AIE_LANES ? ((uint32_t)loops[0].trips + 7) / 8 * 8 : AIE_LANES;
	for (uint32_t i = 0; i < lanes->splat_count; i++) {
		const struct aie_lane_splat *splat = &body->lane_splat_rows[lanes->splat + i];

		column_fill(&body->columns[splat->column], splat->kind, r[splat->from], filled);
	}
	for (; s.begin < loops[0].trips; s.begin += s.n) {
		s.n = loops[0].trips - s.begin < AIE_LANES ? (uint32_t)(loops[0].trips - s.begin) : AIE_LANES;
		s.padded = (s.n + 7) / 8 * 8;
		rounds_run(&s, &body->lane_ins_rows[lanes->first], lanes->count, r);
	}
	*cycles += cost;
	*done += count + 1; /* and the head of the loop */
	return true;
}
