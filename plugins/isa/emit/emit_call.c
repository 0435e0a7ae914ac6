/* SPDX-License-Identifier: MIT */
/* emit_call.c - tile operations that are a statement of their own: products, reductions of columns, moves, sorting, single elements. */
#include "isa/convert.h"
#include "isa/emit/emit_state.h"

#include <assert.h>

static const struct isa_step *step_of(const struct isa_emitter *e, uint32_t i)
{
	return &e->p->steps[i];
}

static unsigned long count_of(const struct isa_operand *tile)
{
	return (unsigned long)tile->rows * tile->columns;
}

/* A tile's memory under the name of its statement. */
static struct isa_piece memory(struct isa_emitter *e, const struct isa_operand *tile)
{
	return isa_tile(e, tile->row);
}

static void returns(struct isa_emitter *e, const char *call)
{
	assert(!e->core);
	isa_line(e, "if (%s)", call);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
}

/* --- products --- */

static unsigned computed_type(unsigned dtype)
{
	switch (dtype) {
#define X(type, code, class_letter, stored, computed, wide, bytes, sum, matrix, one)                                                                           \
	case PTOWSP_##code:                                                                                                                                    \
		return PTOWSP_##matrix;
#include "isa/element.def"
#undef X
	default: return dtype;
	}
}

/* Products of signed integers wrap as those of unsigned ones: one function for both. */
static unsigned product_type(unsigned dtype)
{
	const unsigned type = computed_type(dtype);

	return type == PTOWSP_I32 ? PTOWSP_U32 : type == PTOWSP_I64 ? PTOWSP_U64 : type;
}

/* The memory of a tile, in what products of that type compute with, widened first where the tile is narrower. */
static struct isa_piece factor(struct isa_emitter *e, const struct isa_operand *tile)
{
	const unsigned type = product_type(tile->dtype);
	const struct isa_piece here = isa_tile_is_placed(e, tile->row) ? isa_piece("%s_place", isa_tile_name(e, tile->row)) : memory(e, tile);
	struct isa_piece wide;

	if (computed_type(tile->dtype) == tile->dtype)
		return type == tile->dtype ? here : isa_piece("(const %s%s *)%s", e->target->memory, isa_stored_type(type), here.text);
	wide = isa_temp(e, count_of(tile), type);
	isa_line(e, "product_widen_%s(%s, %s, %lu);", isa_type_suffix(tile->dtype), wide.text, here.text, count_of(tile));
	return wide;
}

/* The start of the sum, which has the type of the result: where it lies, widened into d if that is of another type. */
static struct isa_piece start(struct isa_emitter *e, const char *d, const struct isa_operand *from)
{
	const unsigned type = product_type(from->dtype);

	if (computed_type(from->dtype) == from->dtype)
		return type == from->dtype ? memory(e, from) : isa_piece("(const %s%s *)%s", e->target->memory, isa_stored_type(type), memory(e, from).text);
	isa_line(e, "product_widen_%s(%s, %s, %lu);", isa_type_suffix(from->dtype), d, memory(e, from).text, count_of(from));
	return isa_piece("%s", d);
}

/* Scales of neighbours along k. */
static void scaled_emit(struct isa_emitter *e, const struct isa_step *s, const char *suffix, const char *d, const char *a, const char *b)
{
	const struct isa_piece a_scale = factor(e, &s->b), b_scale = factor(e, &s->f);
	const unsigned long k = s->a.columns;

	isa_line(e, "product_scaled_%s(%s, %s, %s, %lu, %s, %s, %lu, %lu, %lu, %lu);", suffix, d, a, a_scale.text, k / s->b.columns, b, b_scale.text,
		 k / s->f.rows, (unsigned long)s->a.rows, k, (unsigned long)s->c.columns);
}

/* For a core: one function for the types and shapes that it has, which takes elements as they are stored. */
static void core_product_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool adds = s->op == PTOWSP_PTO_TMATMUL_ACC, scaled = s->op == PTOWSP_PTO_TMATMUL_MX, bias = s->op == PTOWSP_PTO_TMATMUL_BIAS;
	const struct isa_operand *left = adds ? &s->b : &s->a, *right = adds || scaled ? &s->c : &s->b, *start = adds ? &s->a : bias ? &s->c : &s->d;
	const unsigned types[] = {s->d.dtype, start->dtype, left->dtype, right->dtype}, scales[] = {s->d.dtype, s->b.dtype, s->a.dtype, s->c.dtype, s->f.dtype};
	const char *macro = scaled ? "TILE_PRODUCT_SCALED" : bias ? "TILE_PRODUCT_BIAS" : "TILE_PRODUCT";
	const unsigned long shape[] = {left->rows, left->columns, right->columns, s->b.columns, s->f.rows};
	const struct isa_piece name = isa_core_product(e, macro, scaled ? scales : types, scaled ? 5 : 4, product_type(s->d.dtype), shape, scaled ? 5 : 3);
	const struct isa_piece d = s->copy ? isa_temp(e, count_of(&s->d), s->d.dtype) : memory(e, &s->d);

	if (scaled)
		isa_line(e, "%s(%s, %s, %s, %s, %s);", name.text, d.text, memory(e, left).text, memory(e, &s->b).text, memory(e, right).text,
			 memory(e, &s->f).text);
	else
		isa_line(e, "%s(%s, %s, %s, %s);", name.text, d.text, adds || bias ? memory(e, start).text : "NULL", memory(e, left).text,
			 memory(e, right).text);
	if (s->copy)
		isa_line(e, e->target->move, memory(e, &s->d).text, d.text, count_of(&s->d) * s->d.bytes);
}

static void product_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool adds = s->op == PTOWSP_PTO_TMATMUL_ACC;
	const struct isa_operand *left = adds ? &s->b : &s->a, *right = adds || s->op == PTOWSP_PTO_TMATMUL_MX ? &s->c : &s->b;
	const unsigned type = product_type(s->d.dtype);
	const bool plain = computed_type(s->d.dtype) == s->d.dtype, apart = s->copy || !plain;
	const char *suffix = isa_type_suffix(type);
	struct isa_piece d = apart ? isa_temp(e, count_of(&s->d), type) : memory(e, &s->d), a, b, from = isa_piece("NULL");

	e->products = true;
	if (!apart && type != s->d.dtype)
		d = isa_piece("(%s%s *)%s", e->target->memory, isa_stored_type(type), d.text);
	a = factor(e, left);
	b = factor(e, right);
	if (adds)
		from = start(e, d.text, &s->a);
	if (s->op == PTOWSP_PTO_TMATMUL_MX)
		scaled_emit(e, s, suffix, d.text, a.text, b.text);
	else
		isa_line(e, "product_%s(%s, %s, %s, %s, %lu, %lu, %lu);", suffix, d.text, from.text, a.text, b.text, (unsigned long)left->rows,
			 (unsigned long)left->columns, (unsigned long)right->columns);
	if (s->op == PTOWSP_PTO_TMATMUL_BIAS)
		isa_line(e, "product_bias_%s(%s, %s, %lu, %lu);", suffix, d.text, factor(e, &s->c).text, (unsigned long)s->d.rows, (unsigned long)s->d.columns);
	if (!plain)
		isa_line(e, "product_narrow_%s(%s, %s, %lu);", isa_type_suffix(s->d.dtype), memory(e, &s->d).text, d.text, count_of(&s->d));
	else if (apart)
		isa_line(e, e->target->move, memory(e, &s->d).text, d.text, count_of(&s->d) * s->d.bytes);
}

/* --- moves --- */

/* The place of a result that must not land on its own source yet, and its way back. */
static struct isa_piece result(struct isa_emitter *e, const struct isa_step *s)
{
	return s->copy ? isa_temp(e, count_of(&s->d), s->d.dtype) : memory(e, &s->d);
}

static void result_move(struct isa_emitter *e, const struct isa_step *s, const char *from)
{
	if (s->copy)
		isa_line(e, e->target->move, memory(e, &s->d).text, from, count_of(&s->d) * s->d.bytes);
}

static void reduce_emit(struct isa_emitter *e, const struct isa_step *s)
{
	isa_line(e, "tile_%s_%s(%s, %s, %lu, %lu);", isa_op(s->op)->mnemonic + 1, isa_type_suffix(s->a.dtype), memory(e, &s->d).text, memory(e, &s->a).text,
		 (unsigned long)s->a.rows, (unsigned long)s->a.columns);
}

static void transpose_emit(struct isa_emitter *e, const struct isa_step *s)
{
	const struct isa_piece d = result(e, s);

	isa_line(e, "tile_trans_%s(%s, %s, %lu, %lu);", isa_type_suffix(s->d.dtype), d.text, memory(e, &s->a).text, (unsigned long)s->d.rows,
		 (unsigned long)s->d.columns);
	result_move(e, s, d.text);
}

static void extract_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const struct isa_piece r = isa_scalar_i64(e, s->b.row), c = isa_scalar_i64(e, s->c.row);
	const unsigned long rows = s->d.rows, columns = s->d.columns, a_rows = s->a.rows, a_columns = s->a.columns;

	if (isa_is_checked(e)) {
		isa_line(e, "if (!tile_holds(%lu, %lu, %s, %s, %lu, %lu))", a_rows, a_columns, r.text, c.text, rows, columns);
		isa_fail_put(e, isa_piece("return tile_extract_fail(call, %s, %lu, %lu, %lu, %lu, %s, %s, %s);", isa_place_text(e, i).text, rows, columns,
					  a_rows, a_columns, isa_quoted(e->p->tile_names[s->a.row]).text, r.text, c.text)
					.text);
	}
	isa_line(e, "tile_extract_%s(%s, %lu, %lu, %s, (size_t)(%s * %lu + %s), %lu);", isa_type_suffix(s->d.dtype), memory(e, &s->d).text, rows, columns,
		 memory(e, &s->a).text, r.text, a_columns, c.text, a_columns);
}

/* A move that says how many of `count` elements it has done: indices are data. */
static void moved_emit(struct isa_emitter *e, const char *moved, unsigned long count)
{
	isa_line(e, "if (%s != %lu)", moved, count);
	isa_fail_put(e, "");
}

/* A move of `count` elements by the indices in `tile`, which may lie elsewhere by then, and below `limit` by `unit`. */
static void by_indices_emit(struct isa_emitter *e, uint32_t i, const char *index, const char *unit, unsigned long limit, unsigned long count, const char *moved)
{
	const struct isa_operand *tile = &step_of(e, i)->b;

	if (e->core) {
		moved_emit(e, moved, count);
		return;
	}
	returns(e, isa_piece("tile_indices(call, %s, \"%s\", %s, %d, %s, \"%s\", %lu, %lu,\n\t\t\t %s)", isa_place_text(e, i).text,
			     isa_op(step_of(e, i)->op)->mnemonic, index, tile->dtype == PTOWSP_U32, isa_quoted(e->p->tile_names[tile->row]).text, unit, limit,
			     count, moved)
			   .text);
}

static void gather_emit(struct isa_emitter *e, uint32_t i)
{
	static const char *const units[9] = {
		[1] = "bytes", [2] = "multiples of 2 from bytes", [4] = "multiples of 4 from bytes", [8] = "multiples of 8 from bytes"};
	const struct isa_step *s = step_of(e, i);
	const bool bytes = s->op == PTOWSP_PTO_TGATHERB;
	const unsigned long unit = bytes ? s->a.bytes : 1, limit = count_of(&s->a) * unit;
	const struct isa_piece d = result(e, s), index = memory(e, &s->b);

	by_indices_emit(e, i, index.text, bytes ? units[s->a.bytes] : "elements", limit, count_of(&s->d),
			isa_piece("tile_gather_%s(%s, %s, %s, %d, %lu, %lu, %lu)", isa_type_suffix(s->d.dtype), d.text, memory(e, &s->a).text, index.text,
				  s->b.dtype == PTOWSP_U32, count_of(&s->d), limit, unit)
				.text);
	result_move(e, s, d.text);
}

static void scatter_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	struct isa_piece a = memory(e, &s->a), index = memory(e, &s->b), copy;

	if (s->copy) { /* the destination is a source: that source is read from a copy */
		copy = isa_temp(e, count_of(&s->d), s->d.dtype);
		isa_line(e, e->target->move, copy.text, memory(e, &s->d).text, count_of(&s->d) * s->d.bytes);
		a = s->a.row == s->d.row ? copy : a;
		index = s->b.row == s->d.row ? copy : index;
	}
	by_indices_emit(e, i, index.text, "rows", s->d.rows, count_of(&s->a),
			isa_piece("tile_scatter_%s(%s, %s, %s, %d, %lu, %lu, %lu)", isa_type_suffix(s->d.dtype), memory(e, &s->d).text, a.text, index.text,
				  s->b.dtype == PTOWSP_U32, count_of(&s->a), (unsigned long)s->d.rows, (unsigned long)s->a.columns)
				.text);
}

static void indexed_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool reads = s->op == PTOWSP_PTO_MGATHER;
	const struct isa_operand *tile = reads ? &s->d : &s->a;
	const char *window = isa_param_name(e, reads ? s->a.row : s->d.row), *type = isa_type_suffix(tile->dtype);
	const struct isa_piece place = isa_window_text(e, reads ? s->a.row : s->d.row);
	const struct isa_piece index = isa_piece("%s, %d, %lu", memory(e, &s->b).text, s->b.dtype == PTOWSP_U32, count_of(tile));
	const struct isa_piece moved = reads ? isa_piece("tile_mgather_%s(%s, %s, %s)", type, memory(e, tile).text, place.text, index.text)
					     : isa_piece("tile_mscatter_%s(%s, %s, %s)", type, place.text, memory(e, tile).text, index.text);

	if (e->core) {
		moved_emit(e, moved.text, count_of(tile));
		return;
	}
	returns(e, isa_piece("tile_elements(call, %s, \"%s\", %s, %s,\n\t\t\t  %s)", isa_place_text(e, i).text, reads ? "mgather reads" : "mscatter writes",
			     window, index.text, moved.text)
			   .text);
}

static void sort_emit(struct isa_emitter *e, const struct isa_step *s)
{
	const char *space = e->target->memory;

	isa_line(e, "tile_sort32_%s(%s, (%sint32_t *)(%svoid *)%s, %s, %lu);", isa_type_suffix(s->a.dtype), memory(e, &s->d).text, space, space,
		 memory(e, &s->e).text, memory(e, &s->a).text, count_of(&s->a));
}

static void merge_emit(struct isa_emitter *e, const struct isa_step *s)
{
	const struct isa_piece d = result(e, s);

	isa_line(e, "tile_mrgsort_%s(%s, %lu, %s, %lu, %s, %lu);", isa_type_suffix(s->a.dtype), d.text, count_of(&s->d), memory(e, &s->a).text, count_of(&s->a),
		 memory(e, &s->b).text, count_of(&s->b));
	result_move(e, s, d.text);
}

/* --- single elements --- */

static void offset_emit(struct isa_emitter *e, uint32_t i, const struct isa_operand *tile, uint32_t offset)
{
	if (!isa_is_checked(e))
		return;
	if (e->core) {
		isa_line(e, "if ((uint64_t)%s >= %lu)", isa_scalar_i64(e, offset).text, count_of(tile));
		isa_fail_put(e, "");
		return;
	}
	returns(e, isa_piece("tile_offset(call, %s, \"%s\", %s, %s, %lu)", isa_place_text(e, i).text, isa_op(e->p->insts[i].op)->mnemonic,
			     isa_quoted(e->p->tile_names[tile->row]).text, isa_scalar_i64(e, offset).text, count_of(tile))
			   .text);
}

static void getval_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const struct isa_piece from = isa_piece("%s[%s]", memory(e, &s->a).text, isa_scalar_i64(e, s->b.row).text);
	const bool same = s->a.dtype == s->d.dtype && s->d.dtype != PTOWSP_BOOL;

	offset_emit(e, i, &s->a, s->b.row);
	e->scalar_used[s->d.row] = true;
	isa_line(e, "%s = %s;", isa_scalar_name(e, s->d.row),
		 same ? from.text : isa_narrowed(s->a.dtype == PTOWSP_BOOL ? isa_piece("%s != 0", from.text).text : from.text, s->d.dtype).text);
	isa_barrier_put(e); /* a later step may write to the tile */
}

static void setval_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	offset_emit(e, i, &s->d, s->a.row);
	isa_barrier_put(e);
	isa_line(e, "%s[%s] = %s;", memory(e, &s->d).text, isa_scalar_i64(e, s->a.row).text, isa_scalar_stored(e, s->b.row, s->d.dtype).text);
	isa_barrier_put(e);
}

/* Products have blocks of their own, single elements and copies no loop. */
static bool is_simple(unsigned op)
{
	return op == PTOWSP_PTO_TMATMUL || op == PTOWSP_PTO_TMATMUL_ACC || op == PTOWSP_PTO_TMATMUL_BIAS || op == PTOWSP_PTO_TMATMUL_MX ||
	       op == PTOWSP_PTO_GETVAL || op == PTOWSP_PTO_SETVAL || op == PTOWSP_PTO_TRESHAPE;
}

void isa_call_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	e->temp_now = 0;
	e->shuffles |= !is_simple(s->op);
	isa_comment(e, i);
	isa_cycles_put(e);
	switch (s->op) {
	case PTOWSP_PTO_TMATMUL:
	case PTOWSP_PTO_TMATMUL_ACC:
	case PTOWSP_PTO_TMATMUL_BIAS:
	case PTOWSP_PTO_TMATMUL_MX:
		if (e->core)
			core_product_emit(e, i);
		else
			product_emit(e, i);
		break;
	case PTOWSP_PTO_TCOLSUM:
	case PTOWSP_PTO_TCOLMAX:
	case PTOWSP_PTO_TCOLMIN: reduce_emit(e, s); break;
	case PTOWSP_PTO_TTRANS: transpose_emit(e, s); break;
	case PTOWSP_PTO_TEXTRACT: extract_emit(e, i); break;
	case PTOWSP_PTO_TGATHER:
	case PTOWSP_PTO_TGATHERB: gather_emit(e, i); break;
	case PTOWSP_PTO_TSCATTER: scatter_emit(e, i); break;
	case PTOWSP_PTO_MGATHER:
	case PTOWSP_PTO_MSCATTER: indexed_emit(e, i); break;
	case PTOWSP_PTO_TSORT32: sort_emit(e, s); break;
	case PTOWSP_PTO_TMRGSORT: merge_emit(e, s); break;
	case PTOWSP_PTO_GETVAL: getval_emit(e, i); break;
	case PTOWSP_PTO_SETVAL: setval_emit(e, i); break;
	default: /* treshape */ isa_line(e, e->target->move_over, memory(e, &s->d).text, memory(e, &s->a).text, count_of(&s->d) * s->d.bytes); break;
	}
	e->cycles += s->cost;
}
