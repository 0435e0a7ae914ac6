/* SPDX-License-Identifier: MIT */
/* parts_flow.c - which tiles of a kernel are there only in part, instruction by instruction, and where that makes a difference: an operation that brings elements of different rows
 * or columns together has to see something where there is nothing. Other operations do no harm there, and nothing of it is stored. */
#include "isa/isa.h"
#include "isa/opcode.h"
#include "lang/diag.h"
#include "lang/lower/parts_filler.h"

#include <string.h>

/* The walk over the instructions, again and again until nothing changes: where ways meet, a tile is there as far as it is on all of them. */
struct flow {
	const struct lang_parts *parts;
	const struct lang_tile_code *code;
	uint32_t tiles;              /* to begin with */
	uint32_t theres;             /* of parts->theres: so many are before the instruction at hand */
	struct lang_dims *now, **at; /* of each tile; at: on arriving at an instruction that others go to, NULL: none does */
	uint32_t stored; /* before this instruction nothing has been stored in parts: what they lack is 0, also where another argument is the same part */
	bool live, changed, warned;
	struct filler *filler; /* NULL until nothing changes any more */
	const struct ptowsp_tile_inst *inst;
};

static void want(const struct flow *f, uint16_t tile, bool columns, uint64_t extents, enum filling filling)
{
	f->now[tile].zero &= !extents || filling == FILL_ZERO;
	if (f->filler && extents)
		filler_fill(f->filler, tile, columns, extents, filling);
}

static void want_all(const struct flow *f, uint16_t tile, enum filling filling)
{
	want(f, tile, false, f->now[tile].rows, filling);
	want(f, tile, true, f->now[tile].columns, filling);
}

static void refuse(const struct flow *f, const char *why)
{
	if (f->filler)
		filler_refuse(f->filler, why);
}

static void set(const struct flow *f, uint16_t tile, uint64_t rows, uint64_t columns)
{
	f->now[tile] = (struct lang_dims){.rows = rows, .columns = columns};
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

	want(f, i->a, false, tile.rows & ~dims.rows, FILL_ZERO);
	want(f, i->a, true, tile.columns & ~dims.columns, FILL_ZERO);
}

static void factor(const struct flow *f, uint16_t tile, bool left, uint64_t inner, enum filling filling)
{
	const uint64_t own = left ? f->now[tile].columns : f->now[tile].rows;

	want(f, tile, left, own, filling);
	if (f->filler && (inner & ~own))
		filler_factor_fill(f->filler, tile, left, inner & ~own, filling);
}

/* Terms of a sum that are not there are 0 times 0; where it starts from a tile -0 times 0, which changes no sum, not even one that is -0. left, right: factors. */
static void product(const struct flow *f, uint16_t left, uint16_t right, bool from_tile)
{
	const uint64_t inner = f->now[left].columns | f->now[right].rows;

	if (from_tile || !f->now[left].zero || inner != f->now[left].columns)
		factor(f, left, true, inner, from_tile ? FILL_MINUS_ZERO : FILL_ZERO);
	if (!f->now[right].zero || inner != f->now[right].rows)
		factor(f, right, false, inner, FILL_ZERO);
}

static bool keeps_zero(unsigned op)
{
	return op == PTOWSP_PTO_TCVT || op == PTOWSP_PTO_TMOV || op == PTOWSP_PTO_TTRANS || op == PTOWSP_PTO_TABS || op == PTOWSP_PTO_TRELU;
}

static enum filling neutral(unsigned op)
{
	switch (op) {
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TCOLMAX: return FILL_LEAST;
	case PTOWSP_PTO_TROWMIN:
	case PTOWSP_PTO_TCOLMIN: return FILL_GREATEST;
	default: return FILL_ZERO;
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
		want_all(f, i->b, FILL_ZERO);
		f->now[i->d] = f->now[i->b];
	} else if (i->op == PTOWSP_PTO_MSCATTER && (f->now[i->a].rows | f->now[i->a].columns | f->now[i->b].rows | f->now[i->b].columns)) {
		refuse(f, "would scatter elements that are not there");
	}
}

/* Checks operands as far as all are there. */
static void same(const struct flow *f, const struct ptowsp_tile_inst *i)
{
	const char *letters = isa_op(i->op)->operands;
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(isa_op(i->op), i, rows);
	struct lang_dims dims = {.zero = keeps_zero(i->op) && f->now[i->a].zero};

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
	const enum filling filling = shape == ISA_SHAPE_SORT || shape == ISA_SHAPE_MERGE ? FILL_LEAST : FILL_ZERO;
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
	const struct lang_dims a = i->a < f->tiles ? f->now[i->a] : (struct lang_dims){0};

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
			store(f, i, (struct lang_dims){.rows = a.rows, .columns = a.columns | f->now[i->b].columns}, i->c, i->f);
		break;
	case ISA_SHAPE_ELEMENT:
		if (i->op == PTOWSP_PTO_GETVAL)
			want_all(f, i->a, FILL_ZERO);
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
	case ISA_SHAPE_TRANSPOSE: f->now[i->d] = (struct lang_dims){.rows = a.columns, .columns = a.rows, .zero = a.zero}; break;
	case ISA_SHAPE_RESHAPE:
	case ISA_SHAPE_EXTRACT:
	case ISA_SHAPE_GATHER:
	case ISA_SHAPE_SCATTER:
	case ISA_SHAPE_SORT:
	case ISA_SHAPE_MERGE: moved(f, i, shape); break;
	default: break;
	}
}

/* The instruction reads a tile of which different ways have left different parts: elements that were written count as not there. */
static void mixed_warn(struct flow *f)
{
	const char *letters = isa_op(f->inst->op)->operands;
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(isa_op(f->inst->op), f->inst, rows);
	const struct lang_function *function = f->parts->function;

	for (unsigned k = 0; k < count && f->filler && !f->warned; k++) {
		if (letters[k] != 't' || !f->now[rows[k]].mixed)
			continue;
		lang_warn(f->filler->lower->unit, function->at,
			  "@%s line %u: %s reads a tile of which one way to it leaves other rows and columns than another: only those of both count",
			  function->name, f->inst->line, isa_op(f->inst->op)->mnemonic);
		lang_help(f->filler->lower->unit, "give the tile the same part on every way, or take a tile for each");
		f->warned = true;
	}
}

/* The MOV at hand gets the scalar that says how much of its tile is there, if not all of it is. */
static void there_tell(struct flow *f, uint32_t inst)
{
	const struct lang_there *there;
	uint64_t extents;

	while (f->theres < f->parts->there_count && f->parts->theres[f->theres].inst < inst)
		f->theres++;
	if (f->theres == f->parts->there_count || f->parts->theres[f->theres].inst != inst)
		return;
	there = &f->parts->theres[f->theres];
	extents = there->columns ? f->now[there->tile].columns : f->now[there->tile].rows;
	if (extents & (extents - 1))
		refuse(f, "would be told the least of several sizes, of a tile that operations on parts of several sizes have made");
	else if (extents && f->filler)
		f->parts->code->insts[inst].a = f->parts->scalars[__builtin_ctzll(extents)];
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
		const bool more = (f->now[t].rows & ~to[t].rows) || (f->now[t].columns & ~to[t].columns);
		const bool less = (to[t].rows & ~f->now[t].rows) || (to[t].columns & ~f->now[t].columns);

		f->changed |= more || to[t].zero > f->now[t].zero;
		to[t].mixed |= more && less;
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
	f->theres = 0;
	for (uint32_t i = 0; i < f->code->inst_count; i++) {
		f->inst = &f->code->insts[i];
		arrive(f, i);
		if (!f->live)
			continue;
		if (f->filler)
			filler_arrive(f->filler, i);
		there_tell(f, i);
		mixed_warn(f);
		if (isa_op_is_control(f->inst->op))
			ways(f, f->inst);
		else
			apply(f, f->inst);
	}
}

/* The first store to a part, or the loop around it. */
static uint32_t store_find(const struct lang_dims *memrefs, const struct lang_tile_code *code)
{
	uint32_t loop = 0, depth = 0;

	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &code->insts[i];
		const bool store = isa_op(inst->op)->shape == ISA_SHAPE_STORE;

		if (inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE)
			loop = depth++ ? loop : i;
		else if (inst->op == PTOWSP_PTO_ENDFOR || inst->op == PTOWSP_PTO_ENDWHILE)
			depth--;
		else if (store && (memrefs[inst->d].rows | memrefs[inst->d].columns))
			return depth ? loop : i;
	}
	return code->inst_count;
}

static void flow_follow(const struct lang_parts *parts, struct filler *filler)
{
	const struct lang_tile_code *code = parts->code;
	struct flow f = {.parts = parts, .code = code, .tiles = code->tile_count, .stored = store_find(parts->memrefs, code)};

	f.now = common_alloc(code->arena, (f.tiles + 1) * sizeof(*f.now));
	f.at = common_alloc(code->arena, ((size_t)code->inst_count + 1) * sizeof(*f.at));
	do
		sweep(&f);
	while (f.changed);
	f.filler = filler;
	sweep(&f);
}

void lang_parts_fill(struct lang_lower *lower, const struct lang_parts *parts)
{
	struct filler filler = filler_begin(lower, parts);

	flow_follow(parts, &filler);
	filler_end(&filler);
}
