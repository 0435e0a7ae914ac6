/* SPDX-License-Identifier: MIT */
/* inline_flow.c - one instruction after the other; loops and branches, through which scalars go as values. */
#include "inline_own.h"

#include <stdlib.h>
#include <string.h>
#include "isa/convert.h"
#include "ptowsp/ids.h"

/* ---- who reads and writes scalars --------------------------------------------------------------------------------------- */

static bool uses(const struct aie_inliner *in, uint32_t first, uint32_t end, char letter, uint32_t row)
{
	for (uint32_t i = first; i < end; i++) {
		const struct aie_inline_operands o = aie_inline_operands(in, i);

		for (unsigned k = 0; k < o.count; k++)
			if (o.op->operands[k] == letter && o.rows[k] == row)
				return true;
	}
	return false;
}

/* Scalars that are written there, but one: their rows, to be freed. */
static uint32_t *written_find(struct aie_inliner *in, uint32_t first, uint32_t end, uint32_t except, uint32_t *count_out)
{
	const uint32_t count = isa_program_header(in->program)->scalar_count;
	uint32_t *rows = calloc((size_t)count + 1, sizeof(*rows));

	*count_out = 0;
	in->failed |= !rows;
	for (uint32_t i = 0; rows && i < count; i++)
		if (i != except && uses(in, first, end, 'S', i))
			rows[(*count_out)++] = i;
	return rows;
}

static struct aie_value **values_of(struct aie_inliner *in, const uint32_t *rows, uint32_t count)
{
	struct aie_value **values = calloc((size_t)count + 1, sizeof(struct aie_value *));

	in->failed |= !values;
	for (uint32_t i = 0; values && i < count; i++)
		values[i] = aie_inline_scalar(in, rows[i]);
	return values;
}

static void scalars_set(struct aie_inliner *in, const uint32_t *rows, uint32_t count, struct aie_value *const *values)
{
	for (uint32_t i = 0; i < count; i++)
		aie_inline_scalar_set(in, rows[i], values[i]);
}

/* ---- loops -------------------------------------------------------------------------------------------------------------- */

/* A counter's value in its register: d is narrowed when it is written. */
static struct aie_value *counted(struct aie_inliner *in, struct aie_value *counter, uint32_t d)
{
	return aie_inline_scalar_narrow(in, aie_inline_unary(in, "arith.index_cast", aie_inline_bits(in, 64), counter), in->rows[d].dtype);
}

/* The first value of a counter, which its register can hold. */
static struct aie_inline_index from_narrowed(struct aie_inliner *in, struct aie_value *value, unsigned dtype)
{
	return aie_inline_of(aie_inline_unary(in, "arith.index_cast", aie_inline_index_type(in), aie_inline_scalar_narrow(in, value, dtype)));
}

/* What the register holds behind the loop goes from round to round with the rest, as the last one of rows. */
static void rounds_write(struct aie_inliner *in, uint32_t inst, const struct aie_inline_operands *o, uint32_t *rows, uint32_t count)
{
	const uint32_t end = in->insts[inst].target - 1;
	const struct aie_inline_scalar *start = &in->scalars[o->src[0]];
	const unsigned dtype = in->rows[o->dst[0]].dtype;
	struct aie_inline_index from = start->known ? aie_inline_number((int64_t)isa_scalar_narrow(start->bits, dtype)) : from_narrowed(in, start->value, dtype), to = aie_inline_scalar_index(in, o->src[1]), by = aie_inline_scalar_index(in, o->src[2]);
	struct aie_value *first = aie_inline_value(in, from), *last = aie_inline_value(in, to), *step = aie_inline_value(in, by), **values, **now, **next;
	const bool seen = count && rows[count - 1] == o->dst[0];
	struct aie_inline_loop loop;

	if (seen) { /* the loop gives it its first value even if no round is done */
		struct aie_value *narrowed = counted(in, first, o->dst[0]);

		aie_inline_scalar_set(in, o->dst[0], narrowed);
	}
	values = values_of(in, rows, count);
	now = calloc((size_t)count + 1, sizeof(struct aie_value *));
	if (!values || !now) {
		in->failed = true;
	} else {
		loop = aie_inline_loop_begin(in, first, last, step, count, values, now);
		scalars_set(in, rows, count, now);
		aie_inline_scalar_set(in, o->dst[0], counted(in, loop.counter, o->dst[0]));
		aie_inline_range(in, inst + 1, end);
		if (seen) {
			struct aie_value *after = aie_inline_binary(in, "arith.addi", loop.counter, step);

			aie_inline_scalar_set(in, o->dst[0], counted(in, after, o->dst[0]));
		}
		next = values_of(in, rows, count);
		if (next)
			aie_inline_loop_end(in, &loop, count, next, values);
		if (!seen) /* nobody reads it there */
			in->scalars[o->dst[0]] = (struct aie_inline_scalar){.known = true};
		scalars_set(in, rows, count, values);
		free(next);
	}
	free(values);
	free(now);
}

static void for_write(struct aie_inliner *in, uint32_t inst)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const uint32_t first = inst + 1, end = in->insts[inst].target - 1, all = isa_program_header(in->program)->inst_count;
	const bool moves = uses(in, first, end, 'S', o.dst[0]) || uses(in, first, end, 'S', o.src[1]) || uses(in, first, end, 'S', o.src[2]);
	uint32_t count, *rows;

	if (moves || o.dst[0] == o.src[1] || o.dst[0] == o.src[2]) {
		aie_inline_refuse(in, inst, " whose bounds change");
		return;
	}
	rows = written_find(in, first, end, o.dst[0], &count);
	if (rows && (uses(in, 0, inst, 's', o.dst[0]) || uses(in, end, all, 's', o.dst[0])))
		rows[count++] = o.dst[0];
	if (rows)
		rounds_write(in, inst, &o, rows, count);
	free(rows);
}

/* ---- branches ----------------------------------------------------------------------------------------------------------- */

struct arms {
	uint32_t then, then_end, other, end; /* instructions; end: its ENDIF */
};

static struct arms arms_of(const struct aie_inliner *in, uint32_t inst)
{
	const uint32_t target = in->insts[inst].target;
	const bool has_else = in->insts[target - 1].op == PTOWSP_PTO_ELSE && target - 1 > inst;
	struct arms arms = {inst + 1, has_else ? target - 1 : target, target, has_else ? in->insts[target - 1].target : target};

	return arms;
}

static struct aie_value *condition_of(struct aie_inliner *in, uint32_t inst, uint32_t row)
{
	const struct aie_type *wide = aie_inline_bits(in, 64);
	struct aie_value *value = aie_inline_scalar(in, row), *shift, *one;

	if (!in->insts[inst].mode)
		return aie_inline_true(in, value);
	if (aie_inline_class(in->rows[row].dtype) == 'f') {
		aie_inline_refuse(in, inst, " of a bit of a float");
		return NULL;
	}
	shift = aie_inline_int(in, wide, in->insts[inst].mode - 1);
	one = aie_inline_int(in, wide, 1);
	value = aie_inline_binary(in, "arith.shrui", value, shift);
	return aie_inline_true(in, aie_inline_binary(in, "arith.andi", value, one));
}

static void arm_write(struct aie_inliner *in, struct aie_op *op, uint32_t first, uint32_t end, const uint32_t *rows, uint32_t count)
{
	struct aie_op *parent = in->parent;
	struct aie_region *region = in->region;
	struct aie_value **values;

	in->parent = op;
	in->region = aie_op_region(in->module, op);
	in->failed |= !in->region;
	if (in->region) {
		aie_inline_range(in, first, end);
		values = values_of(in, rows, count);
		if (values)
			aie_inline_make(in, "scf.yield", NULL, count, values, NULL);
		free(values);
	}
	in->parent = parent;
	in->region = region;
}

static void branch_write(struct aie_inliner *in, uint32_t inst, const struct arms *arms, struct aie_value *condition)
{
	const size_t size = (isa_program_header(in->program)->scalar_count + (size_t)1) * sizeof(*in->scalars);
	struct aie_inline_scalar *before = malloc(size);
	uint32_t count, *rows = written_find(in, inst, arms->end, UINT32_MAX, &count);
	struct aie_op *op;

	if (!before || !rows) {
		in->failed = true;
	} else {
		memcpy(before, in->scalars, size);
		aie_inline_make(in, "scf.if", NULL, 1, &condition, &op);
		arm_write(in, op, arms->then, arms->then_end, rows, count);
		memcpy(in->scalars, before, size);
		arm_write(in, op, arms->other, arms->end, rows, count);
		for (uint32_t i = 0; i < count; i++) {
			struct aie_value *result = aie_op_result(in->module, op, aie_inline_scalar_type(in, rows[i]));

			in->failed |= !result;
			aie_inline_scalar_set(in, rows[i], result);
		}
	}
	free(before);
	free(rows);
}

static void if_write(struct aie_inliner *in, uint32_t inst, const struct arms *arms)
{
	const uint32_t row = in->insts[inst].a;
	const struct aie_inline_scalar *scalar = &in->scalars[row];
	struct aie_value *condition;

	if (scalar->known) {
		const unsigned mode = in->insts[inst].mode;
		const bool yes = mode ? scalar->bits >> (mode - 1) & 1 : isa_scalar_true(scalar->bits, in->rows[row].dtype);

		aie_inline_range(in, yes ? arms->then : arms->other, yes ? arms->then_end : arms->end);
		return;
	}
	condition = condition_of(in, inst, row);
	if (condition)
		branch_write(in, inst, arms, condition);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

void aie_inline_range(struct aie_inliner *in, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end && !in->failed && !*in->why; i++) {
		const unsigned op = in->insts[i].op;
		const struct aie_inline_row *row = &aie_inline_rows[op];

		if (op == PTOWSP_PTO_FOR) {
			for_write(in, i);
			i = in->insts[i].target - 1;
		} else if (op == PTOWSP_PTO_IF) {
			const struct arms arms = arms_of(in, i);

			if_write(in, i, &arms);
			i = arms.end;
		} else if (op == PTOWSP_PTO_RETURN && i + 1 != isa_program_header(in->program)->inst_count) {
			aie_inline_refuse(in, i, " before the end");
		} else if (!row->make) {
			aie_inline_refuse(in, i, "");
		} else {
			row->make(in, i, row);
		}
	}
}
