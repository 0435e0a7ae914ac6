/* SPDX-License-Identifier: MIT */
/* emit_ascend.c - the rows for Ascend C: A2/A3, and A5. Tiles are tensors in the unified buffer; an instruction is a vector instruction on them where Ascend C
 * has one (elementwise.def, emit_ascend.def), on A5 one on registers, several in a row in one scope; products go through the cube. What the vector unit does not know is a
 * loop over elements with the expression of the operation. */
#include "isa/convert.h"
#include "isa/emit/emit_group.h"
#include "isa/live.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct vector_op {
	const char *types, *vector, *registers;
} vector_ops[256] = {
#define X(NAME, types, vector, registers) [PTOWSP_PTO_##NAME] = {types, vector, registers},
#include "isa/emit/emit_ascend.def"
#undef X
#define NUMBERS(NAME, of, float_how, f, how, i, u, ...) [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define FLOATS(NAME, of, how, f, ...)                   [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define INTEGERS(NAME, of, how, n, ...)                 [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define BITS(NAME, of, how, n, one, ...)                [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#include "isa/elementwise.def"
};

static const struct isa_step *step_of(const struct isa_emitter *e, uint32_t i)
{
	return &e->p->steps[i];
}

static unsigned long count_of(const struct isa_operand *tile)
{
	return (unsigned long)tile->rows * tile->columns;
}

/* As Ascend C names it. */
static const char *type_of(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? "half" : dtype == PTOWSP_BF16 ? "bfloat16_t" : isa_stored_type(dtype);
}

static bool knows(const struct isa_emitter *e, uint32_t i)
{
	static const char letters[ISA_DTYPES] = {
		[PTOWSP_F32] = 'f', [PTOWSP_F16] = 'h', [PTOWSP_BF16] = 'b', [PTOWSP_I16] = 's', [PTOWSP_U16] = 'u', [PTOWSP_I32] = 'i', [PTOWSP_U32] = 'U'};
	const struct vector_op *op = &vector_ops[e->p->insts[i].op];
	const char letter = letters[isa_key_type(e, i)];

	return op->types && letter && strchr(op->types, letter);
}

static bool is_register_form(const struct isa_emitter *e, uint32_t i)
{
	return knows(e, i) && e->target->registers && vector_ops[e->p->insts[i].op].registers[0];
}

/* --- vector instructions --- */

static struct isa_piece scalar_of(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const char *letter = isa_op(s->op)->operands;
	const unsigned key = isa_key_type(e, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	unsigned at = 0;

	for (; *letter && *letter != 's'; letter++)
		at += *letter >= 'a';
	return isa_piece("tile_value<%s>(%s)", type_of(key), isa_scalar_stored(e, sources[at & 3]->row, key).text);
}

/* A tile as a tensor, or as a register. */
static struct isa_piece operand(struct isa_emitter *e, const struct isa_operand *tile, bool in_register)
{
	return in_register ? isa_piece("%s_v", isa_tile_name(e, tile->row)) : isa_tile(e, tile->row);
}

static void fill(struct isa_piece *out, const char *text)
{
	const size_t length = strlen(out->text);

	snprintf(out->text + length, sizeof(out->text) - length, "%s", text);
}

static void word_fill(struct isa_emitter *e, uint32_t i, char word, bool in_register, struct isa_piece *out)
{
	const struct isa_step *s = step_of(e, i);
	const unsigned key = isa_key_type(e, i);

	switch (word) {
	case 'd': fill(out, operand(e, &s->d, in_register).text); break;
	case 'a': fill(out, operand(e, &s->a, in_register).text); break;
	case 'b': fill(out, operand(e, &s->b, in_register).text); break;
	case 'c': fill(out, operand(e, &s->c, in_register).text); break;
	case 's': fill(out, scalar_of(e, i).text); break;
	case 'n': fill(out, isa_piece("%lu", count_of(&s->d)).text); break;
	case 'R': fill(out, isa_piece("%lu", (unsigned long)s->a.rows).text); break;
	case 'C': fill(out, isa_piece("%lu", (unsigned long)s->a.columns).text); break;
	case 'r': fill(out, isa_piece("%lu", (unsigned long)s->d.rows).text); break;
	case 'k': fill(out, isa_piece("%lu", (unsigned long)s->d.columns).text); break;
	case 't': fill(out, type_of(key)); break;
	case 'm': fill(out, "mask"); break;
	default: /* w */
		e->temp_now = 0;
		isa_temp(e, 2 * (count_of(&s->a) > count_of(&s->d) ? count_of(&s->a) : count_of(&s->d)) + 64, key);
		fill(out, isa_piece("tile_work<%s>(call)", type_of(key)).text);
		break;
	}
}

static struct isa_piece filled(struct isa_emitter *e, uint32_t i, const char *text, bool in_register)
{
	struct isa_piece out = isa_piece("%s", "");

	for (; *text; text++)
		if (*text == '$') {
			word_fill(e, i, *++text, in_register, &out);
		} else {
			const char one[2] = {*text, '\0'};

			fill(&out, one);
		}
	return out;
}

static void vector_emit(struct isa_emitter *e, uint32_t i)
{
	isa_line(e, "%s", filled(e, i, vector_ops[e->p->insts[i].op].vector, false).text);
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

/* --- registers --- */

/* Instructions [first, end), as many as can be done in registers one behind the other, and the tiles that they use, each once. */
struct run {
	uint32_t first, end;
	struct run_tile {
		uint32_t tile;
		bool before, written; /* it is read before it is written, if it is written */
	} * tiles;                    /* owned */
	uint32_t count, room;
	bool failed; /* no memory */
};

static bool overlap(const struct isa_emitter *e, uint32_t x, uint32_t y)
{
	const struct ptowsp_tile_tile *a = &e->p->tiles[x], *b = &e->p->tiles[y];
	const uint64_t a_end = e->p->plan.at[x] + (uint64_t)a->rows * a->columns * isa_dtype_bytes(a->dtype);
	const uint64_t b_end = e->p->plan.at[y] + (uint64_t)b->rows * b->columns * isa_dtype_bytes(b->dtype);

	return x != y && e->p->plan.at[x] < b_end && e->p->plan.at[y] < a_end;
}

/* Is it memory that the run uses for another tile? All tiles of a run go to memory at its end. */
static bool collides(const struct isa_emitter *e, const struct run *run, uint32_t tile)
{
	for (uint32_t k = 0; k < run->count; k++)
		if (overlap(e, run->tiles[k].tile, tile))
			return true;
	return false;
}

/* Without lifetimes (isa_plan.h) each tile has a place of its own. */
static bool any_collides(const struct isa_emitter *e, const struct run *run, const struct isa_uses *uses)
{
	bool any = false;

	for (unsigned n = 0; n < uses->read_count && e->p->plan.live; n++)
		any |= collides(e, run, uses->read[n]);
	for (unsigned n = 0; n < uses->written_count && e->p->plan.live; n++)
		any |= collides(e, run, uses->written[n]);
	return any;
}

static void tile_use(struct isa_emitter *e, struct run *run, uint32_t tile, bool writes)
{
	uint32_t *at = &e->group_tiles[tile].first; /* 1 + its place in the run */

	if (!*at && !COMMON_GROW(run->tiles, run->room, run->count)) {
		run->failed = true;
		return;
	}
	if (!*at) {
		run->tiles[run->count] = (struct run_tile){.tile = tile, .before = !writes};
		*at = ++run->count;
	}
	run->tiles[*at - 1].written |= writes;
}

/* One more instruction, unless it uses memory of another tile. False: it is not in the run. */
static bool run_add(struct isa_emitter *e, struct run *run)
{
	const struct isa_uses uses = isa_uses(&e->p->insts[run->end]);

	if (any_collides(e, run, &uses))
		return false;
	for (unsigned n = 0; n < uses.read_count; n++)
		tile_use(e, run, uses.read[n], false);
	for (unsigned n = 0; n < uses.written_count; n++)
		tile_use(e, run, uses.written[n], true);
	run->end++;
	return true;
}

static int by_tile(const void *x, const void *y)
{
	const struct run_tile *a = x, *b = y;

	return (a->tile > b->tile) - (a->tile < b->tile);
}

static bool is_alike(const struct isa_emitter *e, uint32_t a, uint32_t b)
{
	return is_register_form(e, b) && isa_key_type(e, a) == isa_key_type(e, b) && count_of(&step_of(e, a)->d) == count_of(&step_of(e, b)->d);
}

/* From instruction i on those that work on as many elements of one type. */
static void run_make(struct isa_emitter *e, struct run *run, uint32_t i)
{
	const struct isa_group *group = isa_plan_group(&e->p->plan, i);

	*run = (struct run){.first = i, .end = i};
	while (run_add(e, run) && group && run->end < group->end && is_alike(e, i, run->end))
		;
	for (uint32_t k = 0; k < run->count; k++)
		e->group_tiles[run->tiles[k].tile].first = 0;
	if (run->count)
		qsort(run->tiles, run->count, sizeof(*run->tiles), by_tile);
}

static void run_emit(struct isa_emitter *e, const struct run *run)
{
	const char *type = type_of(isa_key_type(e, run->first));
	const unsigned long count = count_of(&step_of(e, run->first)->d);
	const struct run_tile *const end = run->tiles + run->count;

	for (uint32_t i = run->first; i < run->end; i++)
		isa_comment(e, i);
	isa_open(e, "%s", "");
	for (const struct run_tile *t = run->tiles; t < end; t++)
		isa_line(e, "__ubuf__ %s *const %s_u = (__ubuf__ %s *)%s.GetPhyAddr();", type, isa_tile_name(e, t->tile), type, isa_tile(e, t->tile).text);
	isa_line(e, "uint32_t left = %lu;", count);
	isa_open(e, "__VEC_SCOPE__ ");
	isa_line(e, "AscendC::MicroAPI::MaskReg mask;");
	for (const struct run_tile *t = run->tiles; t < end; t++)
		isa_line(e, "AscendC::MicroAPI::RegTensor<%s> %s_v;", type, isa_tile_name(e, t->tile));
	isa_open(e, "for (uint16_t step = 0; step < tile_steps<%s>(%lu); step++) ", type, count);
	isa_line(e, "mask = AscendC::MicroAPI::UpdateMask<%s>(left);", type);
	for (const struct run_tile *t = run->tiles; t < end; t++)
		if (t->before)
			isa_line(e, "AscendC::MicroAPI::LoadAlign(%s_v, %s_u + step * tile_lanes<%s>());", isa_tile_name(e, t->tile), isa_tile_name(e, t->tile),
				 type);
	for (uint32_t i = run->first; i < run->end; i++)
		isa_line(e, "%s", filled(e, i, vector_ops[e->p->insts[i].op].registers, true).text);
	for (const struct run_tile *t = run->tiles; t < end; t++)
		if (t->written)
			isa_line(e, "AscendC::MicroAPI::StoreAlign(%s_u + step * tile_lanes<%s>(), %s_v, mask);", isa_tile_name(e, t->tile), type,
				 isa_tile_name(e, t->tile));
	isa_close(e);
	isa_close(e);
	isa_close(e);
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

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
	const struct isa_step *s = step_of(e, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;
	struct isa_element_texts texts = {.number = isa_piece("at")};

	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 's')
			texts.source[k] = isa_scalar_stored(e, sources[k]->row, isa_key_type(e, i));
		else if (access[k] != '-')
			texts.source[k] = element_of(e, sources[k], access[k], s->d.columns);
	isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
	isa_open(e, "for (uint32_t at = 0; at < %lu; at++) ", count_of(&s->d));
	isa_line(e, "tile_set(%s, at, %s);", isa_tile(e, s->d.row).text, isa_expression(e, i, &texts).text);
	isa_close(e);
	isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
}

/* Row and column reductions of types that the vector unit does not add up. */
static void reduce_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	isa_line(e, "tile_%s<isa_type_%s>(%s, %s, %lu, %lu);", isa_op(s->op)->mnemonic + 1, isa_type_suffix(s->a.dtype), isa_tile(e, s->d.row).text,
		 isa_tile(e, s->a.row).text, (unsigned long)s->a.rows, (unsigned long)s->a.columns);
}

/* --- windows --- */

static void check(struct isa_emitter *e, const char *call)
{
	isa_line(e, "if (%s)", call);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
}

static void load_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	check(e, isa_piece("tile_load(call, %s, %s, %s, %s, %lu, %lu)", isa_tile(e, s->d.row).text, isa_param_name(e, s->a.row),
			   isa_scalar_i64(e, s->b.row).text, isa_scalar_i64(e, s->c.row).text, (unsigned long)s->d.rows, (unsigned long)s->d.columns)
			 .text);
}

/* tstore.fp goes through a scaled copy. */
static void store_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool scaled = s->op == PTOWSP_PTO_TSTORE_FP;
	struct isa_element_texts texts = {.number = isa_piece("at")};
	struct isa_piece from = isa_tile(e, s->a.row);

	if (scaled) {
		texts.source[0] = element_of(e, &s->a, 'e', s->a.columns);
		texts.source[1] = element_of(e, &s->b, 'c', s->a.columns);
		isa_temp(e, count_of(&s->a), s->a.dtype);
		from = isa_piece("tile_work<%s>(call)", type_of(s->a.dtype));
		isa_line(e, "AscendC::PipeBarrier<PIPE_ALL>();");
		isa_open(e, "for (uint32_t at = 0; at < %lu; at++) ", count_of(&s->a));
		isa_line(e, "tile_set(%s, at, %s);", from.text, isa_expression(e, i, &texts).text);
		isa_close(e);
	}
	check(e, isa_piece("tile_store(call, %s, %s, %s, %s, %lu, %lu)", from.text, isa_param_name(e, s->d.row),
			   isa_scalar_i64(e, scaled ? s->c.row : s->b.row).text, isa_scalar_i64(e, scaled ? s->f.row : s->c.row).text, (unsigned long)s->a.rows,
			   (unsigned long)s->a.columns)
			 .text);
}

/* --- calls --- */

static void product_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
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
	const struct isa_step *s = step_of(e, i);
	const unsigned from = s->a.dtype, to = s->d.dtype;
	const bool down = from == PTOWSP_F32 && (to == PTOWSP_F16 || to == PTOWSP_BF16 || to == PTOWSP_I32 || to == PTOWSP_I16) && s->mode != PTOWSP_ROUND_ODD;
	const bool up = to == PTOWSP_F32 && (from == PTOWSP_F16 || from == PTOWSP_BF16 || from == PTOWSP_I16);

	if (!down && !up) {
		elements_emit(e, i);
		return;
	}
	isa_line(e, "AscendC::Cast(%s, %s, AscendC::RoundMode::%s, %lu);", isa_tile(e, s->d.row).text, isa_tile(e, s->a.row).text,
		 up ? "CAST_NONE" : modes[s->mode], count_of(&s->d));
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

/* The tile that a result is made in which must not land on its own source yet, and its way from there. */
static struct isa_piece work(struct isa_emitter *e, const struct isa_operand *d)
{
	isa_temp(e, count_of(d), d->dtype);
	return isa_piece("tile_work<%s>(call)", type_of(d->dtype));
}

static void work_copy(struct isa_emitter *e, const struct isa_operand *d)
{
	isa_line(e, "tile_copy(%s, tile_work<%s>(call), %lu);", isa_tile(e, d->row).text, type_of(d->dtype), count_of(d));
}

static void sort_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	if (s->op == PTOWSP_PTO_TSORT32) {
		isa_line(e, "tile_sort32<isa_type_%s>(%s, %s, %s, %lu);", isa_type_suffix(s->a.dtype), isa_tile(e, s->d.row).text, isa_tile(e, s->e.row).text,
			 isa_tile(e, s->a.row).text, count_of(&s->a));
		return;
	}
	isa_line(e, "tile_mrgsort<isa_type_%s>(%s, %lu, %s, %lu, %s, %lu);", isa_type_suffix(s->a.dtype), work(e, &s->d).text, count_of(&s->d),
		 isa_tile(e, s->a.row).text, count_of(&s->a), isa_tile(e, s->b.row).text, count_of(&s->b));
	work_copy(e, &s->d);
}

static void indexed_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool reads = s->op == PTOWSP_PTO_MGATHER;
	const struct isa_operand *tile = reads ? &s->d : &s->a;
	const char *type = isa_type_suffix(tile->dtype);
	const struct isa_piece window = isa_piece("&call->task->tensors[%s]", isa_param_name(e, reads ? s->a.row : s->d.row));
	const struct isa_piece index = isa_piece("%s, %lu", isa_tile(e, s->b.row).text, count_of(tile));

	if (reads)
		check(e, isa_piece("tile_mgather<isa_type_%s>(%s, %s, %s) != %lu", type, isa_tile(e, tile->row).text, window.text, index.text, count_of(tile))
				 .text);
	else
		check(e, isa_piece("tile_mscatter<isa_type_%s>(%s, %s, %s) != %lu", type, window.text, isa_tile(e, tile->row).text, index.text, count_of(tile))
				 .text);
}

/* By way of the work tile, as the destination may be a source. */
static void scatter_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const struct isa_piece to = work(e, &s->d);

	isa_line(e, "tile_copy(%s, %s, %lu);", to.text, isa_tile(e, s->d.row).text, count_of(&s->d));
	check(e, isa_piece("tile_scatter<isa_type_%s>(%s, %s, %s, %lu, %lu, %lu) != %lu", isa_type_suffix(s->d.dtype), to.text, isa_tile(e, s->a.row).text,
			   isa_tile(e, s->b.row).text, count_of(&s->a), (unsigned long)s->d.rows, (unsigned long)s->a.columns, count_of(&s->a))
			 .text);
	work_copy(e, &s->d);
}

static void gather_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const unsigned long unit = s->op == PTOWSP_PTO_TGATHERB ? s->a.bytes : 1;

	check(e, isa_piece("tile_gather<isa_type_%s>(%s, %s, %s, %lu, %lu, %lu) != %lu", isa_type_suffix(s->d.dtype), work(e, &s->d).text,
			   isa_tile(e, s->a.row).text, isa_tile(e, s->b.row).text, count_of(&s->d), count_of(&s->a) * unit, unit, count_of(&s->d))
			 .text);
	work_copy(e, &s->d);
}

static void single_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool gets = s->op == PTOWSP_PTO_GETVAL;
	const struct isa_operand *tile = gets ? &s->a : &s->d;
	const struct isa_piece offset = isa_scalar_i64(e, gets ? s->b.row : s->a.row);

	check(e, isa_piece("%s < 0 || %s >= %lu", offset.text, offset.text, count_of(tile)).text);
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
	const struct isa_step *s = step_of(e, i);
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
	const struct isa_step *s = step_of(e, i);

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
		isa_line(e, "tile_copy(%s, %s, %lu);", d.text, a.text, count_of(&s->d));
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

uint32_t isa_ascend_statement(struct isa_emitter *e, uint32_t i)
{
	const unsigned op = e->p->insts[i].op, form = isa_emit_op(op)->form;
	struct run run;

	e->temp_now = 0;
	if (is_register_form(e, i)) {
		run_make(e, &run, i);
		run_emit(e, &run);
		e->out.text.failed |= run.failed;
		free(run.tiles);
		return run.end;
	}
	isa_comment(e, i);
	if (knows(e, i))
		vector_emit(e, i);
	else if (op == PTOWSP_PTO_TCVT)
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
	return i + 1;
}

/* --- head and tail --- */

static void tensors_put(struct isa_emitter *e)
{
	for (uint32_t i = 0; i < e->p->header.tile_count; i++) {
		const struct ptowsp_tile_tile *t = &e->p->tiles[i];
		const char *type = type_of(t->dtype);

		if (e->tile_used[i])
			isa_line(e, "AscendC::LocalTensor<%s> %s = call->tiles.GetWithOffset<%s>(%lu, %lu); /* %lux%lux%s */", type, isa_tile(e, i).text, type,
				 (unsigned long)t->rows * t->columns, (unsigned long)e->p->plan.at[i], (unsigned long)t->rows, (unsigned long)t->columns,
				 common_dtype_text(t->dtype));
	}
}

void isa_ascend_head(struct isa_emitter *e)
{
	isa_put(e, "/* Kernel %s as Ascend C for %s, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */\n", e->symbol,
		e->target->registers ? "A5" : "A2 and A3");
	isa_put(e, "%s#include \"isa/kernel_ascend.h\"\n\n", e->target->registers ? "#define TILE_A5\n" : "");
	if (e->p->header.param_count) {
		isa_put(e, "enum {");
		for (uint32_t i = 0; i < e->p->header.param_count; i++)
			isa_put(e, "%s %s", i ? "," : "", isa_param_name(e, i));
		isa_put(e, " }; /* windows */\n\n");
	}
	isa_put(e, "__aicore__ inline ptowsp_status %s_body(struct tile_call *call)\n{\n", e->symbol);
	e->out.depth = 1;
	tensors_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

void isa_ascend_tail(struct isa_emitter *e)
{
	isa_put(e, "}\n\n/* One block of a task, for who calls kernels on a core; and the kernel as it is launched by itself. */\n");
	isa_put(e, "__aicore__ inline ptowsp_status %s_incore(GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count)\n{\n",
		e->symbol);
	isa_put(e, "\tstruct tile_call call;\n\tptowsp_status status;\n\n");
	isa_put(e, "\ttile_begin(&call, tensors, args, workspace, block, block_count, %llu, %llu);\n", (unsigned long long)e->temp_at,
		(unsigned long long)e->temp_most + 256); /* registers are loaded whole */
	isa_put(e, "\tstatus = %s_body(&call);\n\ttile_end(&call);\n\treturn status;\n}\n\n", e->symbol);
	isa_put(e, "extern \"C\" __global__ __aicore__ void %s(GM_ADDR tensors, GM_ADDR args, GM_ADDR result, GM_ADDR workspace)\n{\n", e->symbol);
	isa_put(e,
		"\t*(__gm__ int32_t *)result = %s_incore(tensors, args, workspace, (uint32_t)AscendC::GetBlockIdx(), (uint32_t)AscendC::GetBlockNum());\n}\n",
		e->symbol);
}
