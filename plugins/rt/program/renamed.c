/* SPDX-License-Identifier: MIT */
#include "rt/program/renamed.h"

#include "rt/program/arithmetic.h"
#include "rt/program/rt_program.h"
#include <stdio.h>

static const struct rt_values any = {0, 1};

/* ---- values of an expression ----------------------------------------------------------------------------------- */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0 ? b - a : a - b;
}

/* Both are on the result. */
static struct rt_values join(struct rt_values a, struct rt_values b)
{
	return (struct rt_values){a.residue, rt_common(rt_common(a.modulus, b.modulus), distance(a.residue, b.residue))};
}

static uint64_t size_of(uint64_t value)
{
	return distance(value, 0);
}

/* (r + i m)(s + k n) = r s + r k n + s i m + i k m n. A modulus that does not fit says nothing that a smaller one would not. */
static struct rt_values product(struct rt_values a, struct rt_values b)
{
	uint64_t x, y, z;

	if (__builtin_mul_overflow(size_of(a.residue), b.modulus, &x) || __builtin_mul_overflow(size_of(b.residue), a.modulus, &y) ||
	    __builtin_mul_overflow(a.modulus, b.modulus, &z))
		return any;
	return (struct rt_values){a.residue * b.residue, rt_common(rt_common(x, y), z)};
}

static struct rt_values inner(const struct rt_node *node, struct rt_values a, struct rt_values b, struct rt_values c)
{
	bool shift = !b.modulus && b.residue < 62;

	switch (node->op) {
	case PTOWSP_EXPR_ADD: return (struct rt_values){a.residue + b.residue, rt_common(a.modulus, b.modulus)};
	case PTOWSP_EXPR_SUB: return (struct rt_values){a.residue - b.residue, rt_common(a.modulus, b.modulus)};
	case PTOWSP_EXPR_NEG: return (struct rt_values){0 - a.residue, a.modulus};
	case PTOWSP_EXPR_MUL: return product(a, b);
	case PTOWSP_EXPR_SHL: return shift ? product(a, (struct rt_values){UINT64_C(1) << b.residue, 0}) : any;
	/* What is taken away is a multiple of the divisor. */
	case PTOWSP_EXPR_MOD: return !b.modulus && b.residue ? (struct rt_values){a.residue, rt_common(a.modulus, size_of(b.residue))} : any;
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX: return join(a, b);
	case PTOWSP_EXPR_SELECT: return join(b, c);
	default: return any;
	}
}

#define NODES 256u /* of a longer expression nothing is proved */

static struct rt_values values_of(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest)
{
	const struct rt_expr *expr = &exprs->rows[id];
	const struct rt_node *node = &exprs->nodes[expr->first];
	struct rt_values v[NODES], last = any;
	int64_t known;

	if (rt_expr_known(exprs, id, &known))
		return (struct rt_values){(uint64_t)known, 0};
	for (uint32_t i = 0; expr->count <= NODES && i < expr->count; i++, node++) {
		if (node->op == PTOWSP_EXPR_CONST)
			last = (struct rt_values){(uint64_t)node->value, 0};
		else if (node->op == PTOWSP_EXPR_LOOP)
			last = nest->values[node->a].modulus ? nest->values[node->a] : any;
		else if (node->op == PTOWSP_EXPR_VALUE || node->op == PTOWSP_EXPR_TASK || node->op == PTOWSP_EXPR_INSTANCE)
			last = any;
		else
			last = inner(node, v[node->a], v[node->b], v[node->c]);
		v[i] = last;
	}
	return last;
}

struct rt_values rt_loop_values(const struct rt_exprs *exprs, const struct rt_nest *nest, uint32_t low, uint32_t step)
{
	struct rt_values from = values_of(exprs, low, nest), by = values_of(exprs, step, nest);
	uint64_t modulus = rt_common(from.modulus, rt_common(by.modulus, size_of(by.residue)));

	return modulus ? (struct rt_values){from.residue, modulus} : any;
}

/* ---- tensors --------------------------------------------------------------------------------------------------- */

static bool wide_enough(struct rt_values v, uint32_t shape)
{
	return !v.modulus || v.modulus >= shape;
}

void rt_renaming_see(struct rt_program *program, const struct rt_nest *nest, const struct rt_io *io)
{
	struct rt_renaming *renaming = &program->renamings[io->tensor];
	struct rt_values row, column;

	if (renaming->reason || program->tables.tensor.rows[io->tensor].role != PTOWSP_ROLE_TEMP)
		return;
	if (io->unit) {
		renaming->reason = "a flat window of it is accessed, of which only the kernel knows how far it reaches";
		return;
	}
	row = values_of(&program->exprs, io->row, nest);
	column = values_of(&program->exprs, io->column, nest);
	if (renaming->rows && (renaming->rows != io->rows || renaming->columns != io->columns)) {
		renaming->reason = "its regions differ in shape";
		return;
	}
	renaming->row = renaming->rows ? join(renaming->row, row) : row;
	renaming->column = renaming->rows ? join(renaming->column, column) : column;
	renaming->rows = io->rows;
	renaming->columns = io->columns;
	if (!wide_enough(renaming->row, io->rows) || !wide_enough(renaming->column, io->columns))
		renaming->reason = "its regions may overlap in part: no common step of their rows and columns is proved that is at least their size";
}

static bool power(uint64_t n)
{
	return !(n & (n - 1));
}

static const char *reason_of(const struct rt_program *program, uint32_t tensor)
{
	const struct rt_renaming *renaming = &program->renamings[tensor];

	if (program->tensor_allocated[tensor])
		return "it lives between alloc and free";
	if (program->tensor_loaded[tensor])
		return "a slot is loaded from it";
	if (program->tensor_indexed[tensor])
		return "an axis reads it";
	if (program->tensor_moved[tensor])
		return "a payload channel moves it";
	if (program->tables.tensor.rows[tensor].flags & PTOWSP_TENSOR_SHAPELESS)
		return "it has no shape";
	return renaming->reason;
}

static void sites_mark(struct rt_program *program)
{
	for (uint32_t s = 0; s < program->site_count; s++)
		for (uint32_t i = 0; i < program->sites[s].io_count; i++)
			if (program->renamings[program->ios[program->sites[s].first_io + i].tensor].renamed)
				program->sites[s].renamed = 1;
}

void rt_renamings_finish(struct rt_program *program)
{
	for (uint32_t i = 0; i < program->io_count; i++) /* what a kernel does behind a bind is not said */
		if (!program->ios[i].access && program->ios[i].tensor < program->tables.tensor.count)
			program->renamings[program->ios[i].tensor].reason = "it is bound without saying how it is accessed";
	for (uint32_t t = 0; t < program->tables.tensor.count; t++) {
		struct rt_renaming *renaming = &program->renamings[t];

		renaming->reason = reason_of(program, t);
		renaming->renamed = renaming->rows && !renaming->reason && program->tables.tensor.rows[t].role == PTOWSP_ROLE_TEMP && !program->planned;
		renaming->odd = !power(renaming->row.modulus) || !power(renaming->column.modulus);
		program->renamed |= renaming->renamed;
	}
	sites_mark(program);
}

void rt_renamings_tell(const struct rt_program *program)
{
	char text[256];

	for (uint32_t t = 0; t < program->tables.tensor.count; t++) {
		if (program->tables.tensor.rows[t].role != PTOWSP_ROLE_TEMP || !(program->tensor_access[t] | program->tensor_moved[t]) ||
		    !program->renamings[t].reason || program->tensor_allocated[t])
			continue;
		snprintf(text, sizeof(text), "temp tensor %.40s is not renamed but an ordinary one: %s", rt_tensor_name(program, t),
			 program->renamings[t].reason);
		rt_diagnose(program, PTOWSP_FEATURE_TEMP_RENAMED, text);
	}
}
