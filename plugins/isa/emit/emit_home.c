/* SPDX-License-Identifier: MIT */
/* emit_home.c - tiles of a core's function that need no memory of their own: loaded from a window that nobody writes meanwhile, or stored to one that nobody else touches, they lie in
 * the window, and the load or store has nothing to do. */
#include "isa/emit/emit_home.h"

#include <stdlib.h>
#include <string.h>

/* Access of an instruction to an argument's memory. */
struct access {
	uint32_t param;
	bool reads, writes;
};

static struct access access_of(const struct isa_step *s)
{
	switch (s->op) {
	case PTOWSP_PTO_TLOAD:
	case PTOWSP_PTO_MGATHER:
	case PTOWSP_PTO_LOAD: return (struct access){s->a.row, true, false};
	case PTOWSP_PTO_TSTORE:
	case PTOWSP_PTO_TSTORE_FP:
	case PTOWSP_PTO_MSCATTER:
	case PTOWSP_PTO_STORE: return (struct access){s->d.row, false, true};
	default: return (struct access){0, false, false};
	}
}

/* ---- places in windows ---------------------------------------------------------------------------------------------------- */

static const struct isa_operand *tile_of(const struct isa_step *s)
{
	return s->op == PTOWSP_PTO_TLOAD ? &s->d : &s->a;
}

static uint32_t param_of(const struct isa_step *s)
{
	return s->op == PTOWSP_PTO_TLOAD ? s->a.row : s->d.row;
}

/* Scalars of a place: row, column. */
static void where(const struct isa_step *s, uint32_t rows_out[2])
{
	const bool scaled = s->op == PTOWSP_PTO_TSTORE_FP;

	rows_out[0] = scaled ? s->c.row : s->b.row;
	rows_out[1] = scaled ? s->f.row : s->c.row;
}

static bool is_constant(const struct isa_emitter *e, uint32_t scalar)
{
	return e->p->scalars[scalar].kind == PTOWSP_SCALAR_CONST;
}

uint64_t isa_place_step(const struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = &e->p->steps[i];
	const struct isa_core_window *w = &e->core->windows[param_of(s)];

	return w->rows == 1 ? tile_of(s)->columns : w->stride;
}

bool isa_place_packed(const struct isa_emitter *e, uint32_t i)
{
	const struct isa_operand *tile = tile_of(&e->p->steps[i]);

	return tile->rows == 1 || isa_place_step(e, i) == tile->columns;
}

/* Elements between what one more of the scalars means. */
static void place_scales(const struct isa_emitter *e, const struct isa_step *s, int64_t scales_out[2])
{
	const struct isa_core_window *w = &e->core->windows[param_of(s)];
	const struct isa_operand *tile = tile_of(s);

	scales_out[0] = (int64_t)tile->rows * (int64_t)(w->rows == 1 ? tile->columns : w->stride);
	scales_out[1] = 1;
}

bool isa_place_constant(const struct isa_emitter *e, uint32_t i, int64_t *at_out)
{
	const struct isa_step *s = &e->p->steps[i];
	int64_t scales[2];
	uint32_t rows[2];

	where(s, rows);
	place_scales(e, s, scales);
	if (!is_constant(e, rows[0]) || !is_constant(e, rows[1]))
		return false;
	*at_out = (int64_t)e->p->initial[rows[0]] * scales[0] + (int64_t)e->p->initial[rows[1]] * scales[1];
	return true;
}

struct isa_piece isa_place_pointer(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = &e->p->steps[i];
	const char *name = isa_param_name(e, param_of(s));
	struct isa_piece row = isa_piece("%s", ""), column = row;
	int64_t scales[2], at;
	uint32_t rows[2];

	if (isa_place_constant(e, i, &at))
		return at ? isa_piece("%s + %lld", name, (long long)at) : isa_piece("%s", name);
	where(s, rows);
	place_scales(e, s, scales);
	if (!is_constant(e, rows[0]) || e->p->initial[rows[0]])
		row = isa_piece(" + %s * %lld", isa_scalar_i64(e, rows[0]).text, (long long)scales[0]);
	if (!is_constant(e, rows[1]) || e->p->initial[rows[1]])
		column = isa_piece(" + %s", isa_scalar_i64(e, rows[1]).text);
	return isa_piece("%s%s%s", name, row.text, column.text);
}

/* ---- what may overlap ----------------------------------------------------------------------------------------------------- */

static uint32_t class_of(const struct isa_emitter *e, uint32_t param)
{
	return e->core->windows[param].same;
}

bool isa_places_same(const struct isa_emitter *e, uint32_t a, uint32_t b)
{
	const struct isa_step *s = &e->p->steps[a], *t = &e->p->steps[b];
	const struct isa_operand *x = tile_of(s), *y = tile_of(t);
	uint32_t s_rows[2], t_rows[2];

	where(s, s_rows);
	where(t, t_rows);
	for (unsigned k = 0; k < 2; k++)
		if (s_rows[k] != t_rows[k] && !(is_constant(e, s_rows[k]) && is_constant(e, t_rows[k]) && e->p->initial[s_rows[k]] == e->p->initial[t_rows[k]]))
			return false;
	return param_of(s) == param_of(t) && x->rows == y->rows && x->columns == y->columns && x->bytes == y->bytes;
}

/* Places from the first element of the argument that both lie in. */
bool isa_places_apart(const struct isa_emitter *e, uint32_t a, uint32_t b)
{
	const struct isa_operand *x = tile_of(&e->p->steps[a]), *y = tile_of(&e->p->steps[b]);
	const uint32_t p = param_of(&e->p->steps[a]), q = param_of(&e->p->steps[b]);
	int64_t from, to;

	if (class_of(e, p) != class_of(e, q))
		return true;
	if (!isa_place_constant(e, a, &from) || !isa_place_constant(e, b, &to))
		return false;
	from -= e->core->windows[p].before;
	to -= e->core->windows[q].before;
	return from + (int64_t)((x->rows - 1) * isa_place_step(e, a) + x->columns) <= to ||
	       to + (int64_t)((y->rows - 1) * isa_place_step(e, b) + y->columns) <= from;
}

/* ---- blocks of the text: instructions that an instruction stands beside --------------------------------------------------- */

struct range {
	uint32_t first, end;
};

static bool opens(unsigned op)
{
	return op == PTOWSP_PTO_FOR || op == PTOWSP_PTO_WHILE || op == PTOWSP_PTO_IF || op == PTOWSP_PTO_ELSE || op == PTOWSP_PTO_DO;
}

static bool closes(unsigned op)
{
	return op == PTOWSP_PTO_ENDFOR || op == PTOWSP_PTO_ENDWHILE || op == PTOWSP_PTO_ENDIF || op == PTOWSP_PTO_ELSE || op == PTOWSP_PTO_DO;
}

/* The innermost one around an instruction that is no control. */
static struct range block_of(const struct isa_program *p, uint32_t i)
{
	struct range r = {i, i};
	uint32_t depth = 0;

	for (; r.first > 0; r.first--) {
		const unsigned op = p->insts[r.first - 1].op;

		if (opens(op) && depth-- == 0)
			break;
		depth += closes(op);
	}
	for (depth = 0; r.end < p->header.inst_count; r.end++) {
		const unsigned op = p->insts[r.end].op;

		if (closes(op) && depth-- == 0)
			break;
		depth += opens(op);
	}
	return r;
}

static bool has_jumps(const struct isa_program *p, struct range r)
{
	for (uint32_t i = r.first; i < r.end; i++)
		if (p->insts[i].op == PTOWSP_PTO_BREAK || p->insts[i].op == PTOWSP_PTO_CONTINUE ||
		    (p->insts[i].op == PTOWSP_PTO_RETURN && i + 1 < p->header.inst_count))
			return true;
	return false;
}

/* ---- tiles ---------------------------------------------------------------------------------------------------------------- */

/* Uses of a tile in the program. */
struct life {
	uint32_t loads, stores, writes;     /* how many of each; loads are among the writes, TSTOREs alone are stores */
	uint32_t load, store;               /* the last one of each */
	uint32_t first, last;               /* use of any kind */
	uint32_t first_write, last_write;   /* loads are not among these */
	uint32_t first_read, last_read;     /* the store is not among these */
	bool barred, packed, constant_free; /* barred: is used in a way that needs memory of its own; all loads packed; all loads from what nobody writes */
};

static bool is_written(const struct isa_emitter *e, uint32_t class)
{
	for (uint32_t i = 0; i < e->p->header.inst_count; i++) {
		const struct access a = access_of(&e->p->steps[i]);

		if (a.writes && class_of(e, a.param) == class)
			return true;
	}
	return false;
}

static void use_note(struct life *l, uint32_t i, uint32_t *first, uint32_t *last)
{
	if (*first == UINT32_MAX)
		*first = i;
	*last = i;
	if (l->first == UINT32_MAX)
		l->first = i;
	l->last = i;
}

static void inst_note(const struct isa_emitter *e, struct life *lives, uint32_t i)
{
	const struct isa_step *s = &e->p->steps[i];
	const struct isa_uses u = isa_uses(&e->p->insts[i]);

	for (unsigned k = 0; k < u.read_count; k++) {
		struct life *l = &lives[u.read[k]];
		uint32_t ignored = 0;

		if (s->op == PTOWSP_PTO_TSTORE) {
			l->stores++;
			l->store = i;
			use_note(l, i, &ignored, &ignored);
		} else {
			use_note(l, i, &l->first_read, &l->last_read);
		}
	}
	for (unsigned k = 0; k < u.written_count; k++) {
		struct life *l = &lives[u.written[k]];
		uint32_t ignored = 0;

		l->writes++;
		if (s->op == PTOWSP_PTO_TLOAD) {
			l->loads++;
			l->load = i;
			l->packed &= isa_place_packed(e, i);
			l->constant_free &= !is_written(e, class_of(e, s->a.row));
			use_note(l, i, &ignored, &ignored);
		} else {
			use_note(l, i, &l->first_write, &l->last_write);
		}
	}
	if (s->op == PTOWSP_PTO_SETVAL || s->op == PTOWSP_PTO_TSCATTER)
		use_note(&lives[s->d.row], i, &lives[s->d.row].first_write, &lives[s->d.row].last_write);
}

static void lives_find(const struct isa_emitter *e, struct life *lives)
{
	for (uint32_t t = 0; t < e->p->header.tile_count; t++)
		lives[t] = (struct life){.first = UINT32_MAX, .first_write = UINT32_MAX, .first_read = UINT32_MAX, .packed = true, .constant_free = true};
	for (uint32_t i = 0; i < e->p->header.inst_count; i++)
		inst_note(e, lives, i);
	for (uint32_t k = 0; k < e->p->zero_count; k++)
		lives[e->p->zero_tiles[k]].barred = true;
}

/* The first instruction of the loops that an instruction is part of. */
static uint32_t loops_of(const struct isa_program *p, uint32_t i)
{
	for (uint32_t g = 0; g < p->plan.group_count; g++)
		if (i >= p->plan.groups[g].first && i < p->plan.groups[g].end)
			return p->plan.groups[g].first;
	return i;
}

/* Does an instruction behind the load write, before the tile's last reader is done, where the tile may lie? In one loop with it, it writes while that reads. */
static bool spoils(const struct isa_emitter *e, const struct life *l, uint32_t i)
{
	const struct access a = access_of(&e->p->steps[i]);

	if (!a.writes || class_of(e, a.param) != class_of(e, e->p->steps[l->load].a.row) || loops_of(e->p, i) > l->last)
		return false;
	return i < l->last || e->p->insts[i].op != PTOWSP_PTO_TSTORE || !(isa_places_same(e, l->load, i) || isa_places_apart(e, l->load, i));
}

/* Writes to what the load reads stand before it, or behind all readers in the same block of the text: a turn of a loop around both loads anew. */
static bool stays_loaded(const struct isa_emitter *e, const struct life *l)
{
	const struct range block = block_of(e->p, l->load);

	if (l->loads != 1 || l->writes != 1 || l->first_write != UINT32_MAX || l->first < l->load || l->last >= block.end || has_jumps(e->p, block))
		return false;
	for (uint32_t i = l->load + 1; i < block.end; i++)
		if (spoils(e, l, i))
			return false;
	return true;
}

/* The store ends the tile's life in its block of the text, and nothing else touches what it writes but loads of the tile from the same place, which begin that life. */
static bool grows_in_place(const struct isa_emitter *e, const struct life *l)
{
	const struct range block = block_of(e->p, l->store);
	const uint32_t class = class_of(e, e->p->steps[l->store].d.row);
	int64_t at;

	if (l->stores != 1 || l->last != l->store || l->first < block.first || has_jumps(e->p, block) || !isa_place_packed(e, l->store) ||
	    !isa_place_constant(e, l->store, &at) || l->loads > 1 || (l->loads && l->load != l->first))
		return false;
	if (block_of(e->p, l->first).first != block.first) /* its beginning is not done in each turn of the block */
		return false;
	for (uint32_t i = 0; i < e->p->header.inst_count; i++) {
		const struct access a = access_of(&e->p->steps[i]);
		const bool own = i == l->store || (l->loads && i == l->load && isa_places_same(e, l->load, l->store));

		if ((a.reads || a.writes) && class_of(e, a.param) == class && !own)
			return false;
	}
	return !l->loads || isa_places_same(e, l->load, l->store);
}

static void home_find(struct isa_emitter *e, const struct life *l, uint32_t tile)
{
	struct isa_home *home = &e->homes[tile];
	int64_t at;

	if (l->barred || l->first == UINT32_MAX)
		return;
	if (l->loads && l->loads == l->writes && l->first_write == UINT32_MAX && l->packed && (l->constant_free || stays_loaded(e, l))) {
		*home = (struct isa_home){.inst = l->load + 1, .moves = l->loads > 1 || !isa_place_constant(e, l->load, &at)};
		for (uint32_t i = 0; i < e->p->header.inst_count; i++)
			if (e->p->insts[i].op == PTOWSP_PTO_TLOAD && e->p->steps[i].d.row == tile)
				e->done[i] = true;
	} else if (l->stores && grows_in_place(e, l)) {
		*home = (struct isa_home){.inst = l->store + 1};
		e->done[l->store] = true;
		if (l->loads)
			e->done[l->load] = true;
	}
}

ptowsp_status isa_homes_find(struct isa_emitter *e)
{
	struct life *lives = calloc(e->p->header.tile_count + 1u, sizeof(*lives));

	if (!lives)
		return PTOWSP_NO_MEMORY;
	lives_find(e, lives);
	for (uint32_t t = 0; t < e->p->header.tile_count; t++)
		home_find(e, &lives[t], t);
	free(lives);
	return PTOWSP_OK;
}
