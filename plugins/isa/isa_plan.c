/* SPDX-License-Identifier: MIT */
/* isa_plan.c - places for tiles whose lifetimes do not meet, and groups of row-wise instructions. */
#include "isa/isa_plan.h"
#include "isa/live.h"

#include <stdlib.h>
#include <string.h>

static uint32_t tile_bytes(const struct isa_program *p, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &p->tiles[tile];
	const uint64_t bytes = (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);

	return (uint32_t)((bytes + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN); /* verify.c caps all together at 2^30 */
}

static uint32_t rows_of(const struct isa_program *p, uint32_t tile)
{
	return p->tiles[tile].rows;
}

/* Rules of pto_ops.def whose results depend on their own row alone. */
static bool shape_row_wise(unsigned shape)
{
	switch (shape) {
	case ISA_SHAPE_LOAD:
	case ISA_SHAPE_STORE:
	case ISA_SHAPE_SAME:
	case ISA_SHAPE_SAME_MASK:
	case ISA_SHAPE_SAME_ANY:
	case ISA_SHAPE_SELECT:
	case ISA_SHAPE_ROW_REDUCE:
	case ISA_SHAPE_FILL:
	case ISA_SHAPE_ROW_EXPAND:
	case ISA_SHAPE_COL_EXPAND:
	case ISA_SHAPE_ROW_COMBINE: return true;
	default: return false;
	}
}

bool isa_plan_row_wise(const struct isa_program *program, const struct ptowsp_tile_inst *inst, uint32_t *rows_out)
{
	const struct isa_op *op = isa_op(inst->op);

	/* Addresses of these are data, tci counts through all rows. */
	if (!shape_row_wise(op->shape) || inst->op == PTOWSP_PTO_MGATHER || inst->op == PTOWSP_PTO_MSCATTER || inst->op == PTOWSP_PTO_TCI)
		return false;
	*rows_out = rows_of(program, op->shape == ISA_SHAPE_STORE ? inst->a : inst->d);
	return true;
}

/* The end of the group that begins at `first`; the same if none does. */
static uint32_t group_end(const struct isa_program *p, uint32_t first, uint32_t *rows_out)
{
	uint32_t i = first, rows;
	bool stored = false;

	for (; i < p->header.inst_count; i++) {
		const unsigned shape = isa_op(p->insts[i].op)->shape;

		if (!isa_plan_row_wise(p, &p->insts[i], &rows) || (i > first && rows != *rows_out))
			break;
		if (stored && (shape == ISA_SHAPE_STORE || shape == ISA_SHAPE_LOAD))
			break;
		stored |= shape == ISA_SHAPE_STORE;
		*rows_out = rows;
	}
	return i;
}

static uint32_t group_next(const struct isa_program *p, uint32_t at, struct isa_group *group_out)
{
	for (; at < p->header.inst_count; at++) {
		group_out->first = at;
		group_out->end = group_end(p, at, &group_out->rows);
		if (group_out->end > at)
			return group_out->end;
	}
	return at;
}

static ptowsp_status groups_find(struct isa_plan *plan, const struct isa_program *p)
{
	struct isa_group g = {.first = 0};

	for (uint32_t at = group_next(p, 0, &g); g.end > g.first; at = group_next(p, at, &g))
		plan->group_count++;
	plan->groups = calloc(plan->group_count + 1u, sizeof(*plan->groups));
	if (!plan->groups)
		return PTOWSP_NO_MEMORY;
	for (uint32_t at = 0, i = 0; i < plan->group_count; i++)
		at = group_next(p, at, &plan->groups[i]);
	return PTOWSP_OK;
}

/* While places are sought. */
struct packing {
	const struct isa_program *p;
	struct isa_plan *plan;
	struct isa_live live;
	uint64_t *meets; /* per tile the set of those that it must not overlap */
	uint64_t *set;
	const uint8_t *in; /* per tile whether it counts; NULL: all do */
	uint32_t *order;   /* tiles that count, the largest first */
	uint32_t count;    /* of them */
	uint32_t *placed;  /* tiles that this one meets, by their offset */
};

static void meet(const struct packing *k, uint32_t tile, const uint64_t *others)
{
	const uint32_t words = k->live.words;

	for (uint32_t w = 0; w < words; w++)
		k->meets[(size_t)tile * words + w] |= others[w];
}

static void meet_one(const struct packing *k, uint32_t a, uint32_t b)
{
	isa_set_add(k->meets + (size_t)a * k->live.words, b);
	isa_set_add(k->meets + (size_t)b * k->live.words, a);
}

static void meet_all(const struct packing *k, const uint64_t *set)
{
	for (uint32_t t = 0; t < k->p->header.tile_count; t++)
		if (isa_set_has(set, t))
			meet(k, t, set);
}

/* A result overlaps neither what lives on behind its instruction nor what that reads or writes. */
static void inst_meet(const struct packing *k, uint32_t inst, uint64_t *set)
{
	const struct isa_uses *u = &k->live.uses[inst];

	for (unsigned w = 0; w < u->written_count; w++) {
		meet(k, u->written[w], set);
		for (unsigned r = 0; r < u->read_count; r++)
			meet_one(k, u->written[w], u->read[r]);
		meet_one(k, u->written[w], u->written[0]);
	}
	isa_live_back(u, set);
}

/* A tile with a life outside the group keeps all its rows while the others' rows come and go. */
static void group_meet(const struct packing *k, const struct isa_group *g)
{
	uint64_t *touched = k->set;

	memset(touched, 0, k->live.words * sizeof(*touched));
	for (uint32_t i = g->first; i < g->end; i++) {
		const struct isa_uses *u = &k->live.uses[i];

		for (unsigned w = 0; w < u->written_count; w++)
			isa_set_add(touched, u->written[w]);
		for (unsigned r = 0; r < u->read_count; r++)
			isa_set_add(touched, u->read[r]);
	}
	for (uint32_t t = 0; t < k->p->header.tile_count; t++)
		if (isa_set_has(touched, t) && (isa_plan_is_behind(k->plan, g, t) || isa_plan_is_before(k->plan, g, t)))
			meet(k, t, touched);
}

/* One node from behind; on the way each of its groups learns what lives behind and before it. left: groups not yet met. */
static void node_meet(const struct packing *k, uint32_t node, uint32_t *left)
{
	const uint32_t start = k->live.start[node], words = k->live.words;
	uint64_t *const live = k->plan->live;

	memcpy(k->set, isa_live_out(&k->live, node), words * sizeof(*k->set));
	for (uint32_t i = k->live.start[node + 1]; i-- > start;) {
		const struct isa_group *g = *left ? &k->plan->groups[*left - 1] : NULL;

		if (g && g->end == i + 1)
			memcpy(live + g->behind, k->set, words * sizeof(*k->set));
		inst_meet(k, i, k->set);
		if (g && g->first == i) {
			memcpy(live + g->behind + words, k->set, words * sizeof(*k->set));
			--*left;
		}
	}
}

/* Sets are closed: who meets a tile is met by it. */
static void meets_close(const struct packing *k)
{
	const uint32_t tiles = k->p->header.tile_count, words = k->live.words;

	for (uint32_t a = 0; a < tiles; a++)
		for (uint32_t b = 0; b < tiles; b++)
			if (isa_set_has(k->meets + (size_t)a * words, b))
				isa_set_add(k->meets + (size_t)b * words, a);
}

static void meets_find(const struct packing *k)
{
	uint32_t left = k->plan->group_count;

	for (uint32_t node = k->live.nodes; node-- > 0;)
		node_meet(k, node, &left);
	meet_all(k, isa_live_in(&k->live, 0)); /* zeros at the start */
	for (uint32_t i = 0; i < k->plan->group_count; i++)
		group_meet(k, &k->plan->groups[i]);
	meets_close(k);
}

/* The largest first, equal ones as they are numbered. */
static void order_make(struct packing *k)
{
	for (uint32_t i = 0; i < k->p->header.tile_count; i++) {
		const uint32_t bytes = tile_bytes(k->p, i);
		uint32_t at = k->count;

		if (k->in && !k->in[i])
			continue;
		k->count++;
		for (; at > 0 && tile_bytes(k->p, k->order[at - 1]) < bytes; at--)
			k->order[at] = k->order[at - 1];
		k->order[at] = i;
	}
}

/* The first gap between those that it meets. */
static uint32_t place_find(const struct packing *k, uint32_t tile, uint32_t ranked)
{
	const uint64_t *meets = k->meets + (size_t)tile * k->live.words;
	const uint32_t bytes = tile_bytes(k->p, tile);
	uint32_t count = 0, at = 0;

	for (uint32_t i = 0; i < ranked; i++) {
		const uint32_t other = k->order[i], other_at = k->plan->at[other];
		uint32_t j = count;

		if (!isa_set_has(meets, other))
			continue;
		for (; j > 0 && k->plan->at[k->placed[j - 1]] > other_at; j--)
			k->placed[j] = k->placed[j - 1];
		k->placed[j] = other;
		count++;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t other_at = k->plan->at[k->placed[i]], other_end = other_at + tile_bytes(k->p, k->placed[i]);

		if (at + bytes <= other_at)
			break;
		at = other_end > at ? other_end : at;
	}
	return at;
}

static void places_find(struct packing *k)
{
	order_make(k);
	for (uint32_t i = 0; i < k->count; i++) {
		const uint32_t tile = k->order[i], at = place_find(k, tile, i), end = at + tile_bytes(k->p, tile);

		k->plan->at[tile] = at;
		k->plan->bytes = end > k->plan->bytes ? end : k->plan->bytes;
	}
}

static ptowsp_status packing_make(struct packing *k)
{
	struct isa_plan *plan = k->plan;
	const uint32_t tiles = k->p->header.tile_count, words = k->live.words;

	plan->words = words;
	plan->live = calloc((size_t)plan->group_count * 2 * words + 1, sizeof(*plan->live));
	k->meets = calloc((size_t)tiles * words + 1, sizeof(*k->meets));
	k->set = calloc(words + 1u, sizeof(*k->set));
	k->order = calloc(tiles + 1u, sizeof(*k->order));
	k->placed = calloc(tiles + 1u, sizeof(*k->placed));
	if (!plan->live || !k->meets || !k->set || !k->order || !k->placed)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < plan->group_count; i++)
		plan->groups[i].behind = i * 2 * words;
	meets_find(k);
	places_find(k);
	return PTOWSP_OK;
}

static ptowsp_status places_share(struct isa_plan *plan, const struct isa_program *p, const uint8_t *in)
{
	struct packing k = {.p = p, .plan = plan, .in = in};
	ptowsp_status status = isa_live_make(&k.live, p);

	if (!status)
		status = packing_make(&k);
	isa_live_finish(&k.live);
	free(k.meets);
	free(k.set);
	free(k.order);
	free(k.placed);
	return status;
}

static void places_own(struct isa_plan *plan, const struct isa_program *p)
{
	for (uint32_t i = 0; i < p->header.tile_count; i++) {
		plan->at[i] = plan->bytes_without;
		plan->bytes_without += tile_bytes(p, i);
	}
}

ptowsp_status isa_plan_make(struct isa_plan *plan, const struct isa_program *program, bool own)
{
	ptowsp_status status = PTOWSP_NO_MEMORY;

	*plan = (struct isa_plan){.at = calloc(program->header.tile_count + 1u, sizeof(*plan->at))};
	if (plan->at) {
		places_own(plan, program);
		status = groups_find(plan, program);
	}
	if (!status && !own && isa_live_fits(program))
		status = places_share(plan, program, NULL);
	else
		plan->bytes = plan->bytes_without;
	if (status)
		isa_plan_finish(plan);
	return status;
}

void isa_plan_finish(struct isa_plan *plan)
{
	free(plan->at);
	free(plan->groups);
	free(plan->live);
	*plan = (struct isa_plan){.at = NULL};
}

/* Without groups: they are the interpreter's. */
ptowsp_status isa_program_memory_of(const struct isa_program *program, const uint8_t *in, uint32_t *at_out, uint64_t *bytes_out)
{
	const uint32_t tiles = program->header.tile_count;
	struct isa_plan plan = {.at = calloc(tiles + 1u, sizeof(*plan.at))};
	ptowsp_status status = plan.at ? PTOWSP_OK : PTOWSP_NO_MEMORY;

	if (!status && isa_live_fits(program))
		status = places_share(&plan, program, in);
	else
		for (uint32_t i = 0; !status && i < tiles; i++)
			if (!in || in[i]) {
				plan.at[i] = plan.bytes;
				plan.bytes += tile_bytes(program, i);
			}
	*bytes_out = plan.bytes;
	if (!status && at_out)
		memcpy(at_out, plan.at, tiles * sizeof(*at_out));
	isa_plan_finish(&plan);
	return status;
}

const struct isa_group *isa_plan_group(const struct isa_plan *plan, uint32_t first)
{
	uint32_t low = 0, high = plan->group_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (plan->groups[middle].first < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->group_count && plan->groups[low].first == first ? &plan->groups[low] : NULL;
}

bool isa_plan_is_behind(const struct isa_plan *plan, const struct isa_group *group, uint32_t tile)
{
	return !plan->live || isa_set_has(plan->live + group->behind, tile);
}

bool isa_plan_is_before(const struct isa_plan *plan, const struct isa_group *group, uint32_t tile)
{
	return !plan->live || isa_set_has(plan->live + group->behind + plan->words, tile);
}
