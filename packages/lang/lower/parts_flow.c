/* SPDX-License-Identifier: MIT */
#include "lang/lower/parts_flow.h"

#include "isa/opcode.h"

#include <string.h>

/* The walk over the instructions, again and again until nothing changes: where ways meet, a tile is there as far as it is on all of them. */
struct flow {
	const struct lang_parts *parts;
	const struct lang_tile_code *code;
	uint32_t tiles;              /* to begin with */
	struct lang_dims *now, **at; /* of each tile; at: on arriving at an instruction that others go to, NULL: none does */
	uint32_t stored; /* before this instruction nothing has been stored in parts: what they lack is 0, also where another argument is the same part */
	bool live, changed;
	const struct lang_parts_sink *sink; /* NULL until nothing changes any more */
	const struct ptowsp_tile_inst *inst;
};

static void want(const struct flow *f, uint16_t tile, bool columns, uint64_t extents, enum lang_filling filling)
{
	f->now[tile].zero &= !extents || filling == LANG_FILL_ZERO;
	if (f->sink && extents)
		f->sink->want(f->sink->context, tile, columns, extents, filling);
}

static void want_all(const struct flow *f, uint16_t tile, enum lang_filling filling)
{
	want(f, tile, false, f->now[tile].rows, filling);
	want(f, tile, true, f->now[tile].columns, filling);
}

static void refuse(const struct flow *f, const char *why)
{
	if (f->sink)
		f->sink->refuse(f->sink->context, f->inst, why);
}

static void set(const struct flow *f, uint16_t tile, uint64_t rows, uint64_t columns)
{
	f->now[tile] = (struct lang_dims){rows, columns, 0};
}

/* ---- one instruction ------------------------------------------------------------------------------------------------------ */

static bool is_zero(const struct flow *f, uint16_t scalar)
{
	return f->code->scalars[scalar].kind == PTOWSP_SCALAR_CONST && !f->code->scalars[scalar].value;
}

/* Extents of a window, which begins with the tile. */
static struct lang_dims window(const struct flow *f, uint16_t memref, uint16_t row, uint16_t column)
{
	const struct lang_dims dims = f->parts->memrefs[memref];

	if ((dims.rows | dims.columns) && !(is_zero(f, row) && is_zero(f, column)))
		refuse(f, "moves a tile at another place than [0, 0]");
	return dims;
}

/* Elements that only the window has are stored as 0. */
static void store(const struct flow *f, const struct ptowsp_tile_inst *i, struct lang_dims tile, uint16_t row, uint16_t column)
{
	const struct lang_dims dims = window(f, i->d, row, column);

	want(f, i->a, false, tile.rows & ~dims.rows, LANG_FILL_ZERO);
	want(f, i->a, true, tile.columns & ~dims.columns, LANG_FILL_ZERO);
}

/* Terms of a sum that are not there are 0 times 0; where it starts from a tile -0 times 0, which changes no sum, not even one that is -0. left, right: factors. */
static void product(const struct flow *f, uint16_t left, uint16_t right, bool from_tile)
{
	const uint64_t inner = f->now[left].columns | f->now[right].rows;

	if (from_tile || !f->now[left].zero || inner != f->now[left].columns)
		want(f, left, true, inner, from_tile ? LANG_FILL_MINUS_ZERO : LANG_FILL_ZERO);
	if (!f->now[right].zero || inner != f->now[right].rows)
		want(f, right, false, inner, LANG_FILL_ZERO);
}

static bool keeps_zero(unsigned op)
{
	return op == PTOWSP_PTO_TCVT || op == PTOWSP_PTO_TMOV || op == PTOWSP_PTO_TTRANS || op == PTOWSP_PTO_TABS || op == PTOWSP_PTO_TRELU;
}

static enum lang_filling neutral(unsigned op)
{
	switch (op) {
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TCOLMAX: return LANG_FILL_LEAST;
	case PTOWSP_PTO_TROWMIN:
	case PTOWSP_PTO_TCOLMIN: return LANG_FILL_GREATEST;
	default: return LANG_FILL_ZERO;
	}
}

/* Elements at single places of memory: which they are follows from the size of the window. */
static bool touches_elements(unsigned op)
{
	return op == PTOWSP_PTO_LOAD || op == PTOWSP_PTO_STORE || op == PTOWSP_PTO_MGATHER || op == PTOWSP_PTO_MSCATTER;
}

static void elements(const struct flow *f, const struct ptowsp_tile_inst *i)
{
	const struct lang_dims memory = f->parts->memrefs[i->op == PTOWSP_PTO_STORE || i->op == PTOWSP_PTO_MSCATTER ? i->d : i->a];

	if (memory.rows | memory.columns)
		refuse(f, "touches single elements");
	if (i->op == PTOWSP_PTO_MGATHER) { /* element 0 is there */
		want_all(f, i->b, LANG_FILL_ZERO);
		f->now[i->d] = f->now[i->b];
	} else if (i->op == PTOWSP_PTO_MSCATTER && (f->now[i->a].rows | f->now[i->a].columns | f->now[i->b].rows | f->now[i->b].columns)) {
		refuse(f, "would scatter elements that are not there");
	}
}

/* As far as all operands are there. */
static void same(const struct flow *f, const struct ptowsp_tile_inst *i)
{
	const char *letters = isa_op(i->op)->operands;
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(isa_op(i->op), i, rows);
	struct lang_dims dims = {0, 0, keeps_zero(i->op) && f->now[i->a].zero};

	for (unsigned k = 0; k < count; k++)
		if (letters[k] == 't') {
			dims.rows |= i->op == PTOWSP_PTO_TMOV_FP && k == 2 ? 0 : f->now[rows[k]].rows; /* its scale has one row */
			dims.columns |= f->now[rows[k]].columns;
		}
	f->now[i->d] = dims;
}

/* Elements change their places: what is not there comes along as 0, or behind all others, and the result is whole. */
static void moved(const struct flow *f, const struct ptowsp_tile_inst *i, unsigned shape)
{
	const enum lang_filling filling = shape == ISA_SHAPE_SORT || shape == ISA_SHAPE_MERGE ? LANG_FILL_LEAST : LANG_FILL_ZERO;
	const struct lang_dims kept = f->now[i->a], index = shape == ISA_SHAPE_EXTRACT ? kept : f->now[i->b];

	if (shape == ISA_SHAPE_EXTRACT && is_zero(f, i->b) && is_zero(f, i->c)) {
		f->now[i->d] = kept;
		return;
	}
	want_all(f, i->a, filling);
	if (shape == ISA_SHAPE_MERGE || shape == ISA_SHAPE_GATHER)
		want_all(f, i->b, filling);
	set(f, i->d, 0, 0);
	if (shape == ISA_SHAPE_SORT)
		set(f, i->e, 0, 0);
	if (shape == ISA_SHAPE_GATHER)
		f->now[i->d] = index;
	if (shape == ISA_SHAPE_SCATTER && (kept.rows | kept.columns | index.rows | index.columns))
		refuse(f, "would scatter elements that are not there");
}

static void matrix(const struct flow *f, const struct ptowsp_tile_inst *i, unsigned shape)
{
	const struct lang_dims a = f->now[i->a], b = f->now[i->b], c = f->now[i->c];

	switch (shape) {
	case ISA_SHAPE_MATMUL:
		product(f, i->a, i->b, false);
		set(f, i->d, a.rows, b.columns);
		break;
	case ISA_SHAPE_MATMUL_ACC:
		product(f, i->b, i->c, true);
		set(f, i->d, a.rows | b.rows, a.columns | c.columns);
		break;
	case ISA_SHAPE_MATMUL_BIAS:
		product(f, i->a, i->b, false);
		set(f, i->d, a.rows, b.columns | c.columns);
		break;
	default: /* scaled: a, its scale, c, its scale */
		if (a.columns | b.columns | c.rows | f->now[i->f].rows)
			refuse(f, "adds up products with scales, of which not all are there");
		set(f, i->d, a.rows | b.rows, c.columns | f->now[i->f].columns);
	}
}

static void reduce(const struct flow *f, const struct ptowsp_tile_inst *i, bool columns)
{
	const struct lang_dims a = f->now[i->a];

	want(f, i->a, columns, columns ? a.columns : a.rows, neutral(i->op));
	set(f, i->d, columns ? a.rows : 0, columns ? 0 : a.columns);
}

static void apply(const struct flow *f, const struct ptowsp_tile_inst *i)
{
	const unsigned shape = isa_op(i->op)->shape;
	const struct lang_dims a = i->a < f->tiles ? f->now[i->a] : (struct lang_dims){0, 0, 0};

	if (touches_elements(i->op)) {
		elements(f, i);
		return;
	}
	switch (shape) {
	case ISA_SHAPE_LOAD:
		f->now[i->d] = window(f, i->a, i->b, i->c);
		f->now[i->d].zero = f->inst < f->code->insts + f->stored;
		break;
	case ISA_SHAPE_STORE:
		if (i->op == PTOWSP_PTO_TSTORE)
			store(f, i, a, i->b, i->c);
		else
			store(f, i, (struct lang_dims){a.rows, a.columns | f->now[i->b].columns, 0}, i->c, i->f);
		break;
	case ISA_SHAPE_ELEMENT:
		if (i->op == PTOWSP_PTO_GETVAL)
			want_all(f, i->a, LANG_FILL_ZERO);
		break;
	case ISA_SHAPE_SAME:
	case ISA_SHAPE_SAME_MASK:
	case ISA_SHAPE_SAME_ANY:
	case ISA_SHAPE_SELECT: same(f, i); break;
	case ISA_SHAPE_MATMUL:
	case ISA_SHAPE_MATMUL_ACC:
	case ISA_SHAPE_MATMUL_BIAS:
	case ISA_SHAPE_MATMUL_MX: matrix(f, i, shape); break;
	case ISA_SHAPE_ROW_REDUCE: reduce(f, i, true); break;
	case ISA_SHAPE_COL_REDUCE: reduce(f, i, false); break;
	case ISA_SHAPE_FILL: set(f, i->d, 0, 0); break;
	case ISA_SHAPE_ROW_EXPAND: set(f, i->d, a.rows, 0); break;
	case ISA_SHAPE_COL_EXPAND: set(f, i->d, 0, a.columns); break;
	case ISA_SHAPE_ROW_COMBINE: set(f, i->d, a.rows | f->now[i->b].rows, a.columns); break;
	case ISA_SHAPE_TRANSPOSE: f->now[i->d] = (struct lang_dims){a.columns, a.rows, a.zero}; break;
	case ISA_SHAPE_RESHAPE:
	case ISA_SHAPE_EXTRACT:
	case ISA_SHAPE_GATHER:
	case ISA_SHAPE_SCATTER:
	case ISA_SHAPE_SORT:
	case ISA_SHAPE_MERGE: moved(f, i, shape); break;
	default: break;
	}
}

/* ---- ways ------------------------------------------------------------------------------------------------------------------- */

/* Goes to `target` from here. */
static void leave(struct flow *f, uint32_t target)
{
	const uint32_t count = f->tiles;
	struct lang_dims *to = f->at[target];

	if (!to) {
		to = f->at[target] = common_alloc(f->code->arena, (count + 1) * sizeof(*to));
		memcpy(to, f->now, count * sizeof(*to));
		f->changed = true;
	}
	for (uint32_t t = 0; t < count; t++) {
		f->changed |= (f->now[t].rows & ~to[t].rows) || (f->now[t].columns & ~to[t].columns) || to[t].zero > f->now[t].zero;
		to[t].rows |= f->now[t].rows;
		to[t].columns |= f->now[t].columns;
		to[t].zero &= f->now[t].zero;
	}
}

static void ways(struct flow *f, const struct ptowsp_tile_inst *i)
{
	switch (i->op) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_DO:
	case PTOWSP_PTO_IF: leave(f, i->target); return;
	case PTOWSP_PTO_ENDFOR:
	case PTOWSP_PTO_ENDWHILE:
	case PTOWSP_PTO_ELSE:
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE:
		leave(f, i->target);
		f->live = false;
		return;
	case PTOWSP_PTO_RETURN: f->live = false; return;
	default: return;
	}
}

static void arrive(struct flow *f, uint32_t at)
{
	if (!f->at[at])
		return;
	if (f->live)
		leave(f, at);
	memcpy(f->now, f->at[at], f->tiles * sizeof(*f->now));
	f->live = true;
}

static void sweep(struct flow *f)
{
	memset(f->now, 0, f->tiles * sizeof(*f->now));
	f->live = true;
	f->changed = false;
	for (uint32_t i = 0; i < f->code->inst_count; i++) {
		f->inst = &f->code->insts[i];
		arrive(f, i);
		if (!f->live)
			continue;
		if (f->sink)
			f->sink->at(f->sink->context, i);
		if (isa_op_is_control(f->inst->op))
			ways(f, f->inst);
		else
			apply(f, f->inst);
	}
}

/* The first store to a part, or the loop around it. */
static uint32_t store_find(const struct lang_parts *parts, const struct lang_tile_code *code)
{
	uint32_t loop = 0, depth = 0;

	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &code->insts[i];
		const bool store = isa_op(inst->op)->shape == ISA_SHAPE_STORE;

		if (inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE)
			loop = depth++ ? loop : i;
		else if (inst->op == PTOWSP_PTO_ENDFOR || inst->op == PTOWSP_PTO_ENDWHILE)
			depth--;
		else if (store && (parts->memrefs[inst->d].rows | parts->memrefs[inst->d].columns))
			return depth ? loop : i;
	}
	return code->inst_count;
}

void lang_parts_flow(const struct lang_parts *parts, const struct lang_tile_code *code, const struct lang_parts_sink *sink)
{
	struct flow f = {.parts = parts, .code = code, .tiles = code->tile_count, .stored = store_find(parts, code)};

	f.now = common_alloc(code->arena, (f.tiles + 1) * sizeof(*f.now));
	f.at = common_alloc(code->arena, ((size_t)code->inst_count + 1) * sizeof(*f.at));
	do
		sweep(&f);
	while (f.changed);
	f.sink = sink;
	sweep(&f);
}
