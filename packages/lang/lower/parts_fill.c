/* SPDX-License-Identifier: MIT */
/* parts_fill.c - a kernel that gets parts of tiles, so that it works on whole ones: masks of what is there, made at its beginning, and a tsel wherever an operation would bring
 * elements together with what is not there. Other operations do no harm there, and nothing of it is stored. */
#include "isa/isa.h"
#include "lang/diag.h"
#include "lang/lower/lang_lower.h"
#include "lang/lower/parts_flow.h"
#include "registry/common/common_dtype.h"

#include <string.h>

/* Tiles that are made once: 1 where the row (or column) is there, or a value everywhere. */
struct made {
	uint32_t rows, columns;
	uint32_t extent; /* of a mask; MADE_VALUE: filling */
	uint16_t dtype, tile;
	uint8_t by_columns, filling;
};
#define MADE_VALUE UINT32_MAX

struct insts {
	struct ptowsp_tile_inst *rows;
	uint32_t count, capacity;
};
struct filler {
	struct lang_lower *lower;
	const struct lang_function *function;
	struct lang_tile_code *code;
	const uint16_t *scalars;  /* per extent: its row */
	const char *const *names; /* per extent */
	struct made *made;
	uint32_t made_count, made_capacity;
	struct insts head, body; /* instructions that make them; all others */
	uint32_t *starts;        /* per instruction as it was: what it is in `body`, with what stands before it */
	uint32_t at, copied;     /* the instruction at hand; so many are in `body` */
};

/* ---- instructions ----------------------------------------------------------------------------------------------------------- */

static struct ptowsp_tile_inst *inst_add(struct filler *f, struct insts *list, unsigned op)
{
	struct ptowsp_tile_inst *inst;

	if (list->count == LANG_MAX_INSTRUCTIONS)
		lang_too_large(f->lower, f->function->at);
	inst = COMMON_PUSH(&f->lower->unit->arena, list->rows, list->count, list->capacity);
	*inst = (struct ptowsp_tile_inst){.op = (uint8_t)op, .line = f->code->insts[f->at < f->code->inst_count ? f->at : 0].line};
	return inst;
}

static void op_add(struct filler *f, struct insts *list, unsigned op, uint16_t d, uint16_t a, uint16_t b, uint16_t c)
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
static struct made *made_find(const struct filler *f, const struct made *like)
{
	for (uint32_t i = 0; i < f->made_count; i++) {
		struct made *m = &f->made[i];

		if (m->rows == like->rows && m->columns == like->columns && m->extent == like->extent && m->dtype == like->dtype &&
		    m->by_columns == like->by_columns && m->filling == like->filling)
			return m;
	}
	return NULL;
}

static uint16_t made_tile(struct filler *f, struct made like);

/* A line: numbers, each compared with how many are there; other masks: a line, in all rows or columns. */
static void mask_make(struct filler *f, struct made *mask)
{
	const char *name = common_format(&f->lower->unit->arena, "%s.%s", "there", f->names[mask->extent]);
	struct made line = *mask;

	*(mask->by_columns ? &line.rows : &line.columns) = 1;
	if (line.rows != mask->rows || line.columns != mask->columns) {
		const uint16_t tile = made_tile(f, line);

		mask->tile = tile_add(f, name, mask->rows, mask->columns, PTOWSP_I32);
		op_add(f, &f->head, mask->by_columns ? PTOWSP_PTO_TCOLEXPAND : PTOWSP_PTO_TROWEXPAND, mask->tile, tile, 0, 0);
		return;
	}
	mask->tile = tile_add(f, name, mask->rows, mask->columns, PTOWSP_I32);
	op_add(f, &f->head, PTOWSP_PTO_TCI, mask->tile, (uint16_t)build_literal_add(f->lower->build, PTOWSP_I32, 0), 0, 0);
	op_add(f, &f->head, PTOWSP_PTO_TCMPS, mask->tile, mask->tile, f->scalars[mask->extent], 0);
}

/* No element is below the least value of its type, or above the greatest. */
static uint64_t filling_bits(unsigned dtype, unsigned filling)
{
	const unsigned bits = 8 * common_dtype_bytes((uint16_t)dtype);
	const bool least = filling == LANG_FILL_LEAST;

	if (filling == LANG_FILL_ZERO || filling == LANG_FILL_MINUS_ZERO)
		return filling == LANG_FILL_ZERO || common_dtype_class((uint16_t)dtype) != 'f' ? 0 : UINT64_C(1) << (bits - 1);
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

static void value_make(struct filler *f, struct made *value)
{
	static const char *const names[LANG_FILLINGS] = {"zero", "minus_zero", "least", "greatest"};
	const char *name = common_format(&f->lower->unit->arena, "%s.%s", names[value->filling], common_dtype_text(value->dtype));

	value->tile = tile_add(f, name, value->rows, value->columns, value->dtype);
	op_add(f, &f->head, PTOWSP_PTO_TEXPANDS, value->tile,
	       (uint16_t)build_literal_add(f->lower->build, value->dtype, filling_bits(value->dtype, value->filling)), 0, 0);
}

static uint16_t made_tile(struct filler *f, struct made like)
{
	struct made *made = made_find(f, &like);

	if (made)
		return made->tile;
	if (like.extent == MADE_VALUE)
		value_make(f, &like);
	else
		mask_make(f, &like);
	*COMMON_PUSH(&f->lower->unit->arena, f->made, f->made_count, f->made_capacity) = like;
	return like.tile;
}

/* ---- what the walk says ----------------------------------------------------------------------------------------------------- */

/* Copies instructions before it that are not there yet; fillings that it wants follow. */
static void at(void *context, uint32_t inst)
{
	struct filler *f = context;

	for (; f->copied < inst; f->copied++) {
		*inst_add(f, &f->body, 0) = f->code->insts[f->copied];
		f->starts[f->copied + 1] = f->body.count;
	}
	f->at = inst;
}

static void wanted(void *context, uint16_t tile, bool columns, uint64_t extents, enum lang_filling filling)
{
	struct filler *f = context;
	const struct ptowsp_tile_tile whole = f->code->tiles[tile];

	for (uint32_t e = 0; e < 64; e++) {
		uint16_t mask, value;

		if (!(extents >> e & 1))
			continue;
		mask = made_tile(f, (struct made){whole.rows, whole.columns, e, PTOWSP_I32, 0, columns, 0});
		value = made_tile(f, (struct made){whole.rows, whole.columns, MADE_VALUE, whole.dtype, 0, 0, (uint8_t)filling});
		op_add(f, &f->body, PTOWSP_PTO_TSEL, tile, mask, tile, value);
	}
}

static void refused(void *context, const struct ptowsp_tile_inst *inst, const char *why)
{
	const struct filler *f = context;
	struct lang_unit *unit = f->lower->unit;

	lang_error(unit, f->function->at, "@%s line %u: %s %s, and calls pass parts of which a run says how much is there", f->function->name, inst->line,
		   isa_op(inst->op)->mnemonic, why);
	lang_help(unit, "pass whole parts, or declare the parameters that say what is there (%%x.rows: i32) and see to the rest in @%s itself",
		  f->function->name);
}

/* ---- the kernel ------------------------------------------------------------------------------------------------------------- */

static bool has_target(unsigned op)
{
	switch (op) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_ENDFOR:
	case PTOWSP_PTO_DO:
	case PTOWSP_PTO_ENDWHILE:
	case PTOWSP_PTO_IF:
	case PTOWSP_PTO_ELSE:
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: return true;
	default: return false;
	}
}

/* Puts masks and values in front of the rest, whose jumps go where they went. */
static void insts_join(struct filler *f)
{
	const uint32_t count = f->head.count + f->body.count;
	struct ptowsp_tile_inst *insts = common_alloc(&f->lower->unit->arena, ((size_t)count + 1) * sizeof(*insts));

	if (count > LANG_MAX_INSTRUCTIONS)
		lang_too_large(f->lower, f->function->at);
	for (uint32_t i = 0; i < f->body.count; i++)
		if (has_target(f->body.rows[i].op))
			f->body.rows[i].target = f->head.count + f->starts[f->body.rows[i].target];
	if (f->head.count)
		memcpy(insts, f->head.rows, f->head.count * sizeof(*insts));
	memcpy(insts + f->head.count, f->body.rows, f->body.count * sizeof(*insts));
	f->code->insts = insts;
	f->code->inst_count = f->code->inst_capacity = count;
}

void lang_parts_fill(struct lang_lower *lower, const struct lang_function *function, struct lang_tile_code *code, const struct lang_dims *memrefs,
		     const uint16_t *scalars, const char *const *names)
{
	struct filler f = {.lower = lower, .function = function, .code = code, .scalars = scalars, .names = names};
	const struct lang_parts parts = {.memrefs = memrefs};
	const struct lang_parts_sink sink = {&f, at, wanted, refused};
	const uint32_t count = code->inst_count;

	f.starts = common_alloc(&lower->unit->arena, ((size_t)count + 1) * sizeof(*f.starts));
	lang_parts_flow(&parts, code, &sink);
	at(&f, count);
	if (f.body.count == count)
		return;
	insts_join(&f);
	lang_tile_literals_order(code);
}
