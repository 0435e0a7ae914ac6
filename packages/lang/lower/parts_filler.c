/* SPDX-License-Identifier: MIT */
/* parts_filler.c - masks, values and the instructions that put them in the place of what is not there. */
#include "lang/lower/parts_filler.h"
#include "isa/isa.h"
#include "isa/opcode.h"
#include "lang/diag.h"
#include "registry/common/common_dtype.h"

#include <string.h>

/* Tiles that are made once: 1 where the row (or column) is there, or a value everywhere. */
struct filler_made {
	uint32_t rows, columns;
	uint32_t extent; /* of a mask; MADE_VALUE: filling; MADE_FACTOR: the columns of a left factor or the rows of a right one are filled in it */
	uint16_t dtype, tile;
	uint8_t by_columns, filling;
};
#define MADE_VALUE  UINT32_MAX
#define MADE_FACTOR (UINT32_MAX - 1)

/* ---- instructions ----------------------------------------------------------------------------------------------------------- */

static struct ptowsp_tile_inst *inst_add(struct filler *f, struct filler_insts *list, unsigned op)
{
	struct ptowsp_tile_inst *inst;

	if (list->count == LANG_MAX_INSTRUCTIONS)
		lang_too_large(f->lower, f->parts->function->at);
	inst = COMMON_PUSH(&f->lower->unit->arena, list->rows, list->count, list->capacity);
	*inst = (struct ptowsp_tile_inst){.op = (uint8_t)op, .line = f->parts->code->insts[f->at < f->parts->code->inst_count ? f->at : 0].line};
	return inst;
}

static void op_add(struct filler *f, struct filler_insts *list, unsigned op, uint16_t d, uint16_t a, uint16_t b, uint16_t c)
{
	struct ptowsp_tile_inst *inst = inst_add(f, list, op);

	inst->d = d;
	inst->a = a;
	inst->b = b;
	inst->c = c;
	inst->mode = op == PTOWSP_PTO_TCMPS ? PTOWSP_COMPARE_LT : 0;
}

static uint16_t tile_add(struct filler *f, const char *name, uint32_t rows, uint32_t columns, uint16_t dtype)
{
	const struct ptowsp_tile_tile tile = {.rows = rows, .columns = columns, .dtype = dtype, .space = PTOWSP_SPACE_UB};

	return (uint16_t)build_tile_add(f->lower->build, common_format(&f->lower->unit->arena, "%s.%ux%u", name, rows, columns), tile);
}

/* ---- what is made once ------------------------------------------------------------------------------------------------------ */

/* The tile, if there is one. */
static struct filler_made *made_find(const struct filler *f, const struct filler_made *like)
{
	for (uint32_t i = 0; i < f->made_count; i++) {
		struct filler_made *m = &f->made[i];

		if (m->rows == like->rows && m->columns == like->columns && m->extent == like->extent && m->dtype == like->dtype &&
		    m->by_columns == like->by_columns && m->filling == like->filling)
			return m;
	}
	return NULL;
}

static uint16_t made_tile(struct filler *f, struct filler_made like);

/* In the same group as what uses them first (isa_plan.h) they need no memory beyond the first cache. */
static struct filler_insts *making(struct filler *f)
{
	return f->straight ? &f->body : &f->head;
}

/* A line: numbers, each compared with how many are there; other masks: a line, in all rows or columns. */
static void mask_make(struct filler *f, struct filler_made *mask)
{
	const char *name = common_format(&f->lower->unit->arena, "there.%s%s", f->parts->names[mask->extent], mask->by_columns ? ".across" : "");
	struct filler_made line = *mask;

	*(mask->by_columns ? &line.rows : &line.columns) = 1;
	if (line.rows != mask->rows || line.columns != mask->columns) {
		const uint16_t tile = made_tile(f, line);

		mask->tile = tile_add(f, name, mask->rows, mask->columns, PTOWSP_I32);
		op_add(f, making(f), mask->by_columns ? PTOWSP_PTO_TCOLEXPAND : PTOWSP_PTO_TROWEXPAND, mask->tile, tile, 0, 0);
		return;
	}
	mask->tile = tile_add(f, name, mask->rows, mask->columns, PTOWSP_I32);
	op_add(f, making(f), PTOWSP_PTO_TCI, mask->tile, (uint16_t)build_literal_add(f->lower->build, PTOWSP_I32, 0), 0, 0);
	op_add(f, making(f), PTOWSP_PTO_TCMPS, mask->tile, mask->tile, f->parts->scalars[mask->extent], 0);
}

/* No element is below the least value of its type, or above the greatest. */
static uint64_t filling_bits(unsigned dtype, unsigned filling)
{
	const unsigned bits = 8 * common_dtype_bytes((uint16_t)dtype);
	const bool least = filling == FILL_LEAST;

	if (filling == FILL_ZERO || filling == FILL_MINUS_ZERO)
		return filling == FILL_ZERO || common_dtype_class((uint16_t)dtype) != 'f' ? 0 : UINT64_C(1) << (bits - 1);
	switch (dtype) {
	case PTOWSP_F32: return least ? 0xFF800000u : 0x7F800000u;
	case PTOWSP_F16: return least ? 0xFC00u : 0x7C00u;
	case PTOWSP_BF16: return least ? 0xFF80u : 0x7F80u;
	case PTOWSP_F64: return least ? UINT64_C(0xFFF0000000000000) : UINT64_C(0x7FF0000000000000);
	case PTOWSP_BOOL: return !least;
	default: break;
	}
	if (common_dtype_class((uint16_t)dtype) == 'u')
		return least ? 0 : UINT64_MAX >> (64 - bits);
	return least ? ~UINT64_C(0) << (bits - 1) : UINT64_MAX >> (65 - bits);
}

static void value_make(struct filler *f, struct filler_made *value)
{
	static const char *const names[FILLINGS] = {"zero", "minus_zero", "least", "greatest"};
	const char *name = common_format(&f->lower->unit->arena, "%s.%s", names[value->filling], common_dtype_text(value->dtype));

	value->tile = tile_add(f, name, value->rows, value->columns, value->dtype);
	op_add(f, making(f), PTOWSP_PTO_TEXPANDS, value->tile,
	       (uint16_t)build_literal_add(f->lower->build, value->dtype, filling_bits(value->dtype, value->filling)), 0, 0);
}

static uint16_t made_tile(struct filler *f, struct filler_made like)
{
	struct filler_made *made = made_find(f, &like);

	if (made)
		return made->tile;
	if (like.extent == MADE_VALUE)
		value_make(f, &like);
	else if (like.extent == MADE_FACTOR)
		like.tile = tile_add(f, common_format(&f->lower->unit->arena, "%s.%s", like.by_columns ? "left" : "right", common_dtype_text(like.dtype)),
				     like.rows, like.columns, like.dtype);
	else
		mask_make(f, &like);
	*COMMON_PUSH(&f->lower->unit->arena, f->made, f->made_count, f->made_capacity) = like;
	return like.tile;
}

/* ---- at an instruction ------------------------------------------------------------------------------------------------------ */

void filler_arrive(struct filler *f, uint32_t inst)
{
	for (; f->copied < inst; f->copied++) {
		*inst_add(f, &f->body, 0) = f->parts->code->insts[f->copied];
		f->starts[f->copied + 1] = f->body.count;
	}
	f->at = inst;
}

/* Before the instruction at hand, `out` gets the tile, filled. */
static void fill_into(struct filler *f, uint16_t out, uint16_t tile, bool columns, uint64_t extents, enum filling filling)
{
	const struct ptowsp_tile_tile whole = f->parts->code->tiles[tile];

	for (uint32_t e = 0; e < 64; e++) {
		uint16_t mask, value;

		if (!(extents >> e & 1))
			continue;
		mask = made_tile(f, (struct filler_made){whole.rows, whole.columns, e, PTOWSP_I32, 0, columns, 0});
		value = made_tile(f, (struct filler_made){whole.rows, whole.columns, MADE_VALUE, whole.dtype, 0, 0, (uint8_t)filling});
		op_add(f, &f->body, PTOWSP_PTO_TSEL, out, mask, tile, value);
		tile = out;
	}
}

void filler_fill(struct filler *f, uint16_t tile, bool columns, uint64_t extents, enum filling filling)
{
	fill_into(f, tile, tile, columns, extents, filling);
}

void filler_factor_fill(struct filler *f, uint16_t tile, bool left, uint64_t extents, enum filling filling)
{
	const struct ptowsp_tile_tile whole = f->parts->code->tiles[tile];
	const uint16_t out = made_tile(f, (struct filler_made){whole.rows, whole.columns, MADE_FACTOR, whole.dtype, 0, left, 0});
	struct ptowsp_tile_inst *inst = &f->parts->code->insts[f->at];
	const bool sums = isa_op(inst->op)->shape == ISA_SHAPE_MATMUL_ACC;

	fill_into(f, out, tile, left, extents, filling);
	if (left)
		*(sums ? &inst->b : &inst->a) = out;
	else
		*(sums ? &inst->c : &inst->b) = out;
}

void filler_refuse(const struct filler *f, const char *why)
{
	const struct ptowsp_tile_inst *inst = &f->parts->code->insts[f->at];
	struct lang_unit *unit = f->lower->unit;

	lang_error(unit, f->parts->function->at, "@%s line %u: %s %s, and calls pass parts of which a run says how much is there", f->parts->function->name,
		   inst->line, isa_op(inst->op)->mnemonic, why);
	lang_help(unit, "pass whole parts, or declare the parameters that say what is there (%%x.rows: i32) and see to the rest in @%s itself",
		  f->parts->function->name);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------------------- */

struct filler filler_begin(struct lang_lower *lower, const struct lang_parts *parts)
{
	uint32_t *starts = common_alloc(&lower->unit->arena, ((size_t)parts->code->inst_count + 1) * sizeof(*starts));
	bool straight = true;

	for (uint32_t i = 0; i < parts->code->inst_count; i++)
		straight &= parts->code->insts[i].op == PTOWSP_PTO_RETURN || !isa_op_is_control(parts->code->insts[i].op);
	return (struct filler){.lower = lower, .parts = parts, .starts = starts, .straight = straight};
}

/* Puts masks and values in front of the rest, whose jumps go where they went. */
static void insts_join(struct filler *f)
{
	const uint32_t count = f->head.count + f->body.count;
	struct ptowsp_tile_inst *insts = common_alloc(&f->lower->unit->arena, ((size_t)count + 1) * sizeof(*insts));

	if (count > LANG_MAX_INSTRUCTIONS)
		lang_too_large(f->lower, f->parts->function->at);
	for (uint32_t i = 0; i < f->body.count; i++)
		if (isa_op_has_target(f->body.rows[i].op))
			f->body.rows[i].target = f->head.count + f->starts[f->body.rows[i].target];
	if (f->head.count)
		memcpy(insts, f->head.rows, f->head.count * sizeof(*insts));
	memcpy(insts + f->head.count, f->body.rows, f->body.count * sizeof(*insts));
	f->parts->code->insts = insts;
	f->parts->code->inst_count = f->parts->code->inst_capacity = count;
}

void filler_end(struct filler *f)
{
	const uint32_t count = f->parts->code->inst_count;

	filler_arrive(f, count);
	if (f->body.count == count)
		return;
	insts_join(f);
	lang_tile_literals_order(f->parts->code);
}
