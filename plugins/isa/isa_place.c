/* SPDX-License-Identifier: MIT */
/* isa_place.c - which tiles stay in the windows that they are loaded from, and their loads. */
#include "isa/isa_place.h"
#include "isa/live.h"
#include "isa/ops/isa_ops.h"
#include "isa/rows.h"

#include <stdlib.h>

/* Facts of a tile: the tload that writes it, and whether all readers so far allow it to stay. */
struct tile {
	uint32_t load; /* 1 + instruction; 0: none yet */
	bool no;
};

static bool is_product(unsigned op)
{
	return op == PTOWSP_PTO_TMATMUL || op == PTOWSP_PTO_TMATMUL_ACC || op == PTOWSP_PTO_TMATMUL_BIAS;
}

static bool writes_memory(unsigned op)
{
	return op == PTOWSP_PTO_TSTORE || op == PTOWSP_PTO_TSTORE_FP || op == PTOWSP_PTO_MSCATTER || op == PTOWSP_PTO_STORE;
}

/* In a group in blocks of rows a load has no function of its own. */
static bool is_in_rows(const struct isa_program *p, uint32_t inst)
{
	for (uint32_t i = 0; i < p->rows_count; i++)
		if (inst >= p->rows[i].first && inst < p->rows[i].first + p->rows[i].count)
			return true;
	return false;
}

/* since: the first instruction behind the last one that writes memory or is control. */
static void inst_note(const struct isa_program *p, struct tile *tiles, uint32_t i, uint32_t since)
{
	const struct isa_uses u = isa_uses(&p->insts[i]);
	const struct isa_step *s = &p->steps[i];
	const struct isa_operand *left = s->op == PTOWSP_PTO_TMATMUL_ACC ? &s->b : &s->a, *right = left + 1;

	for (unsigned k = 0; k < u.read_count; k++) {
		struct tile *t = &tiles[u.read[k]];
		const bool factor = is_product(s->op) && (u.read[k] == left->row || u.read[k] == right->row);
		const bool start = (s->op == PTOWSP_PTO_TMATMUL_ACC && u.read[k] == s->a.row) || (s->op == PTOWSP_PTO_TMATMUL_BIAS && u.read[k] == s->c.row);

		t->no |= !factor || start || !t->load || t->load <= since;
	}
	for (unsigned k = 0; k < u.written_count; k++) {
		struct tile *t = &tiles[u.written[k]];

		t->no |= t->load || s->op != PTOWSP_PTO_TLOAD || !s->run || is_in_rows(p, i);
		t->load = i + 1;
	}
}

static uint32_t tiles_note(const struct isa_program *p, struct tile *tiles)
{
	uint32_t since = 0, count = 0;

	for (uint32_t i = 0; i < p->header.inst_count; i++) {
		if (isa_op_is_control(p->insts[i].op) || writes_memory(p->insts[i].op))
			since = i + 1;
		inst_note(p, tiles, i, since);
	}
	for (uint32_t t = 0; t < p->header.tile_count; t++)
		count += tiles[t].load && !tiles[t].no;
	return count;
}

static ptowsp_status load_place(const struct isa_step *s, struct isa_state *state)
{
	struct isa_window w;
	const ptowsp_status status = isa_window_find(s, state, &w);
	void *here = isa_tile(state, &s->d);

	if (status)
		return status;
	if (w.stride == w.bytes && (w.rows == 1 || w.step == w.columns * w.bytes) && (uintptr_t)w.at % w.bytes == 0)
		here = w.at;
	else
		isa_window_move(&w, 0, w.rows, here, true);
	memcpy(state->scratch + state->program->place_at[s->d.row], &here, sizeof(here));
	return PTOWSP_OK;
}

ptowsp_status isa_place_make(struct isa_program *p)
{
	struct tile *tiles = calloc(p->header.tile_count + 1u, sizeof(*tiles));
	ptowsp_status status = tiles ? PTOWSP_OK : PTOWSP_NO_MEMORY;

	if (!status && !p->unusable[0] && tiles_note(p, tiles)) {
		p->place_at = calloc(p->header.tile_count, sizeof(*p->place_at));
		status = p->place_at ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	}
	for (uint32_t t = 0; p->place_at && t < p->header.tile_count; t++)
		if (tiles[t].load && !tiles[t].no) {
			p->scratch = (p->scratch + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
			p->place_at[t] = p->scratch;
			p->scratch += sizeof(void *);
			p->steps[tiles[t].load - 1].run = load_place;
		}
	free(tiles);
	return status;
}

void isa_place_finish(struct isa_program *p)
{
	free(p->place_at);
}
