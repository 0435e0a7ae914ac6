/* SPDX-License-Identifier: MIT */
/* emit_ascend_call.c - what is no vector instruction in Ascend C: products go through the cube, windows and indices are checked, and the rest is a loop over elements with the
 * expression of the operation. */
#include "isa/convert.h"
#include "isa/emit/emit_ascend.h"

/* --- elements --- */

static struct isa_piece element_of(struct isa_emitter *e, const struct isa_operand *tile, char access, unsigned long columns)
{
	const struct isa_piece memory = isa_tile(e, tile->row);

	if (access == 'r')
		return isa_piece("tile_get(%s, at / %lu)", memory.text, columns);
	return access == 'c' ? isa_piece("tile_get(%s, at %% %lu)", memory.text, columns) : isa_piece("tile_get(%s, at)", memory.text);
}

static void elements_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;
	struct isa_element_texts texts = {.number = isa_piece("at")};

	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 's')
			texts.source[k] = isa_scalar_stored(e, sources[k]->row, isa_key_type(e, i));
		else if (access[k] != '-')
			texts.source[k] = element_of(e, sources[k], access[k], s->d.columns);
	isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
	isa_open(e, "for (uint32_t at = 0; at < %lu; at++) ", isa_ascend_count(&s->d));
	isa_line(e, "tile_set(%s, at, %s);", isa_tile(e, s->d.row).text, isa_expression(e, i, &texts).text);
	isa_close(e);
	isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
}

/* Row and column reductions of types that the vector unit does not add up. */
static void reduce_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);

	isa_line(e, "tile_%s<isa_type_%s>(%s, %s, %lu, %lu);", isa_op(s->op)->mnemonic + 1, isa_type_suffix(s->a.dtype), isa_tile(e, s->d.row).text,
		 isa_tile(e, s->a.row).text, (unsigned long)s->a.rows, (unsigned long)s->a.columns);
}

/* --- windows --- */

static void check(struct isa_emitter *e, const char *call)
{
	isa_line(e, "if (%s)", call);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
}

static const char *part_of(const struct isa_emitter *e, uint32_t param)
{
	return isa_param_is_part(e->p, param) ? "_part" : "";
}

static void load_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);

	check(e, isa_piece("tile_load%s(call, %s, %s, %s, %s, %lu, %lu)", part_of(e, s->a.row), isa_tile(e, s->d.row).text, isa_param_name(e, s->a.row),
			   isa_scalar_i64(e, s->b.row).text, isa_scalar_i64(e, s->c.row).text, (unsigned long)s->d.rows, (unsigned long)s->d.columns)
			 .text);
}

/* tstore.fp goes through a scaled copy. */
static void store_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const bool scaled = s->op == PTOWSP_PTO_TSTORE_FP;
	struct isa_element_texts texts = {.number = isa_piece("at")};
	struct isa_piece from = isa_tile(e, s->a.row);

	if (scaled) {
		texts.source[0] = element_of(e, &s->a, 'e', s->a.columns);
		texts.source[1] = element_of(e, &s->b, 'c', s->a.columns);
		isa_temp(e, isa_ascend_count(&s->a), s->a.dtype);
		from = isa_piece("tile_work<%s>(call)", isa_ascend_type(s->a.dtype));
		isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
		isa_open(e, "for (uint32_t at = 0; at < %lu; at++) ", isa_ascend_count(&s->a));
		isa_line(e, "tile_set(%s, at, %s);", from.text, isa_expression(e, i, &texts).text);
		isa_close(e);
	}
	check(e, isa_piece("tile_store%s(call, %s, %s, %s, %s, %lu, %lu)", part_of(e, s->d.row), from.text, isa_param_name(e, s->d.row),
			   isa_scalar_i64(e, scaled ? s->c.row : s->b.row).text, isa_scalar_i64(e, scaled ? s->f.row : s->c.row).text, (unsigned long)s->a.rows,
			   (unsigned long)s->a.columns)
			 .text);
}

/* --- calls --- */

static void product_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const bool adds = s->op == PTOWSP_PTO_TMATMUL_ACC, scaled = s->op == PTOWSP_PTO_TMATMUL_MX;
	const struct isa_operand *left = adds ? &s->b : &s->a, *right = adds || scaled ? &s->c : &s->b;
	const char *d = isa_type_suffix(s->d.dtype), *of = isa_type_suffix(left->dtype);
	const unsigned long m = left->rows, k = left->columns, n = right->columns;

	isa_temp(e, 2 * (m * n + m * k + k * n), PTOWSP_F32);
	if (scaled)
		isa_line(e, "tile_product_scaled<isa_type_%s, isa_type_%s>(call, %s, %s, %s, %lu, %s, %s, %lu, %lu, %lu, %lu);", d, of,
			 isa_tile(e, s->d.row).text, isa_tile(e, left->row).text, isa_tile(e, s->b.row).text, k / s->b.columns, isa_tile(e, right->row).text,
			 isa_tile(e, s->f.row).text, k / s->f.rows, m, k, n);
	else if (adds)
		isa_line(e, "tile_product_add<isa_type_%s, isa_type_%s>(call, %s, %s, %s, %s, %lu, %lu, %lu);", d, of, isa_tile(e, s->d.row).text,
			 isa_tile(e, s->a.row).text, isa_tile(e, left->row).text, isa_tile(e, right->row).text, m, k, n);
	else
		isa_line(e, "tile_product<isa_type_%s, isa_type_%s>(call, %s, %s, %s, %lu, %lu, %lu);", d, of, isa_tile(e, s->d.row).text,
			 isa_tile(e, left->row).text, isa_tile(e, right->row).text, m, k, n);
	if (s->op == PTOWSP_PTO_TMATMUL_BIAS)
		isa_line(e, "tile_bias<isa_type_%s>(%s, %s, %lu, %lu);", d, isa_tile(e, s->d.row).text, isa_tile(e, s->c.row).text, m, n);
}

static void convert_emit(struct isa_emitter *e, uint32_t i)
{
	static const char *const modes[] = {"CAST_RINT", "CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC", "CAST_ODD"};
	const struct isa_step *s = isa_ascend_step(e, i);
	const unsigned from = s->a.dtype, to = s->d.dtype;
	const bool down = from == PTOWSP_F32 && (to == PTOWSP_F16 || to == PTOWSP_BF16 || to == PTOWSP_I32 || to == PTOWSP_I16) && s->mode != PTOWSP_ROUND_ODD;
	const bool up = to == PTOWSP_F32 && (from == PTOWSP_F16 || from == PTOWSP_BF16 || from == PTOWSP_I16);

	if (!down && !up) {
		elements_emit(e, i);
		return;
	}
	isa_line(e, "AscendC::Cast(%s, %s, AscendC::RoundMode::%s, %lu);", isa_tile(e, s->d.row).text, isa_tile(e, s->a.row).text,
		 up ? "CAST_NONE" : modes[s->mode], isa_ascend_count(&s->d));
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

/* The tile that a result is made in which must not land on its own source yet, and its way from there. */
static struct isa_piece work(struct isa_emitter *e, const struct isa_operand *d)
{
	isa_temp(e, isa_ascend_count(d), d->dtype);
	return isa_piece("tile_work<%s>(call)", isa_ascend_type(d->dtype));
}

static void work_copy(struct isa_emitter *e, const struct isa_operand *d)
{
	isa_line(e, "tile_copy(%s, tile_work<%s>(call), %lu);", isa_tile(e, d->row).text, isa_ascend_type(d->dtype), isa_ascend_count(d));
}

static void sort_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);

	if (s->op == PTOWSP_PTO_TSORT32) {
		isa_line(e, "tile_sort32<isa_type_%s>(%s, %s, %s, %lu);", isa_type_suffix(s->a.dtype), isa_tile(e, s->d.row).text, isa_tile(e, s->e.row).text,
			 isa_tile(e, s->a.row).text, isa_ascend_count(&s->a));
		return;
	}
	isa_line(e, "tile_mrgsort<isa_type_%s>(%s, %lu, %s, %lu, %s, %lu);", isa_type_suffix(s->a.dtype), work(e, &s->d).text, isa_ascend_count(&s->d),
		 isa_tile(e, s->a.row).text, isa_ascend_count(&s->a), isa_tile(e, s->b.row).text, isa_ascend_count(&s->b));
	work_copy(e, &s->d);
}

static void indexed_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const bool reads = s->op == PTOWSP_PTO_MGATHER;
	const struct isa_operand *tile = reads ? &s->d : &s->a;
	const char *type = isa_type_suffix(tile->dtype);
	const struct isa_piece window = isa_piece("&call->task->tensors[%s]", isa_param_name(e, reads ? s->a.row : s->d.row));
	const struct isa_piece index = isa_piece("%s, %lu", isa_tile(e, s->b.row).text, isa_ascend_count(tile));

	if (reads)
		check(e, isa_piece("tile_mgather<isa_type_%s>(%s, %s, %s) != %lu", type, isa_tile(e, tile->row).text, window.text, index.text,
				   isa_ascend_count(tile))
				 .text);
	else
		check(e, isa_piece("tile_mscatter<isa_type_%s>(%s, %s, %s) != %lu", type, window.text, isa_tile(e, tile->row).text, index.text,
				   isa_ascend_count(tile))
				 .text);
}

/* By way of the work tile, as the destination may be a source. */
static void scatter_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const struct isa_piece to = work(e, &s->d);

	isa_line(e, "tile_copy(%s, %s, %lu);", to.text, isa_tile(e, s->d.row).text, isa_ascend_count(&s->d));
	check(e, isa_piece("tile_scatter<isa_type_%s>(%s, %s, %s, %lu, %lu, %lu) != %lu", isa_type_suffix(s->d.dtype), to.text, isa_tile(e, s->a.row).text,
			   isa_tile(e, s->b.row).text, isa_ascend_count(&s->a), (unsigned long)s->d.rows, (unsigned long)s->a.columns, isa_ascend_count(&s->a))
			 .text);
	work_copy(e, &s->d);
}

static void gather_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const unsigned long unit = s->op == PTOWSP_PTO_TGATHERB ? s->a.bytes : 1;

	check(e, isa_piece("tile_gather<isa_type_%s>(%s, %s, %s, %lu, %lu, %lu) != %lu", isa_type_suffix(s->d.dtype), work(e, &s->d).text,
			   isa_tile(e, s->a.row).text, isa_tile(e, s->b.row).text, isa_ascend_count(&s->d), isa_ascend_count(&s->a) * unit, unit,
			   isa_ascend_count(&s->d))
			 .text);
	work_copy(e, &s->d);
}

static void single_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const bool gets = s->op == PTOWSP_PTO_GETVAL;
	const struct isa_operand *tile = gets ? &s->a : &s->d;
	const struct isa_piece offset = isa_scalar_i64(e, gets ? s->b.row : s->a.row);

	check(e, isa_piece("%s < 0 || %s >= %lu", offset.text, offset.text, isa_ascend_count(tile)).text);
	isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
	if (gets) {
		const struct isa_piece value = isa_piece("tile_get(%s, (uint32_t)%s)", isa_tile(e, tile->row).text, offset.text);

		e->scalar_used[s->d.row] = true;
		isa_line(e, "%s = %s;", isa_scalar_name(e, s->d.row), isa_class(s->d.dtype) == 'f' ? value.text : isa_narrowed(value.text, s->d.dtype).text);
	} else {
		isa_line(e, "tile_set(%s, (uint32_t)%s, %s);", isa_tile(e, tile->row).text, offset.text, isa_scalar_stored(e, s->b.row, s->d.dtype).text);
		isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
	}
}

static void window_element_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const bool loads = s->op == PTOWSP_PTO_LOAD;
	const unsigned type = loads ? s->a.dtype : s->d.dtype;

	isa_open(e, "%s", "");
	isa_line(e, "__gm__ uint8_t *const at = tile_window_element(&call->task->tensors[%s], %s, %u);", isa_param_name(e, loads ? s->a.row : s->d.row),
		 isa_scalar_i64(e, s->b.row).text, isa_dtype_bytes(type));
	isa_put(e, "\n");
	check(e, "!at");
	if (loads) {
		const struct isa_piece value = isa_piece("*(__gm__ %s *)at", isa_stored_type(type));

		e->scalar_used[s->d.row] = true;
		isa_line(e, "%s = %s;", isa_scalar_name(e, s->d.row), isa_class(s->d.dtype) == 'f' ? value.text : isa_narrowed(value.text, s->d.dtype).text);
	} else {
		isa_line(e, "*(__gm__ %s *)at = %s;", isa_stored_type(type), isa_scalar_stored(e, s->a.row, type).text);
	}
	isa_close(e);
}

static void move_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);

	const struct isa_piece d = isa_tile(e, s->d.row), a = isa_tile(e, s->a.row);
	const unsigned long rows = s->d.rows, columns = s->d.columns, a_columns = s->a.columns;
	struct isa_piece r, c;

	if (s->op == PTOWSP_PTO_TTRANS) {
		isa_line(e, "tile_trans<isa_type_%s>(%s, %s, %lu, %lu);", isa_type_suffix(s->d.dtype), work(e, &s->d).text, a.text, rows, columns);
		work_copy(e, &s->d);
	} else if (s->op == PTOWSP_PTO_TEXTRACT) {
		r = isa_scalar_i64(e, s->b.row);
		c = isa_scalar_i64(e, s->c.row);
		check(e, isa_piece("!tile_holds(%lu, %lu, %s, %s, %lu, %lu)", (unsigned long)s->a.rows, a_columns, r.text, c.text, rows, columns).text);
		isa_line(e, "tile_extract<isa_type_%s>(%s, %lu, %lu, %s, (uint32_t)(%s * %lu + %s), %lu);", isa_type_suffix(s->d.dtype), d.text, rows, columns,
			 a.text, r.text, a_columns, c.text, a_columns);
	} else {
		isa_line(e, "tile_copy(%s, %s, %lu);", d.text, a.text, isa_ascend_count(&s->d));
	}
}

static void call_emit(struct isa_emitter *e, uint32_t i)
{
	switch (e->p->insts[i].op) {
	case PTOWSP_PTO_TMATMUL:
	case PTOWSP_PTO_TMATMUL_ACC:
	case PTOWSP_PTO_TMATMUL_BIAS:
	case PTOWSP_PTO_TMATMUL_MX: product_emit(e, i); break;
	case PTOWSP_PTO_TSORT32:
	case PTOWSP_PTO_TMRGSORT: sort_emit(e, i); break;
	case PTOWSP_PTO_MGATHER:
	case PTOWSP_PTO_MSCATTER: indexed_emit(e, i); break;
	case PTOWSP_PTO_TGATHER:
	case PTOWSP_PTO_TGATHERB: gather_emit(e, i); break;
	case PTOWSP_PTO_TSCATTER: scatter_emit(e, i); break;
	case PTOWSP_PTO_GETVAL:
	case PTOWSP_PTO_SETVAL: single_emit(e, i); break;
	case PTOWSP_PTO_TTRANS:
	case PTOWSP_PTO_TRESHAPE:
	case PTOWSP_PTO_TEXTRACT: move_emit(e, i); break;
	default: reduce_emit(e, i); break;
	}
}

void isa_ascend_call(struct isa_emitter *e, uint32_t i)
{
	const unsigned op = e->p->insts[i].op, form = isa_emit_op(op)->form;

	if (op == PTOWSP_PTO_TCVT)
		convert_emit(e, i);
	else if (form == ISA_FORM_LOAD)
		load_emit(e, i);
	else if (form == ISA_FORM_STORE)
		store_emit(e, i);
	else if (form == ISA_FORM_LOOP)
		elements_emit(e, i);
	else if (form == ISA_FORM_SCALAR)
		window_element_emit(e, i);
	else if (form == ISA_FORM_REDUCE)
		reduce_emit(e, i);
	else
		call_emit(e, i);
}
