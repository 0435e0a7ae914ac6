/* SPDX-License-Identifier: MIT */
/* verify_exprs.c - expressions, and the tables whose fields are some. */
#include "format/verify/verify.h"

#include "format/format_names.h"
#include "ptowsp/workload.h"

#include <stdlib.h>

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Operands of one node; those that it does not use are 0, so that equal expressions have equal bytes. */
static ptowsp_status node_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_expr_record *e = &c->tables->expr[i];
	const uint32_t operands[3] = {e->a, e->b, e->c};
	uint32_t used = pkg_expr_operands(e->op), free_from = used;

	for (uint32_t k = 0; k < used; k++)
		MUST(operands[k] < i, "EXPR[%u].%c is %u: an operand is an earlier row", (unsigned)i, "abc"[k], (unsigned)operands[k]);
	if (e->op == PTOWSP_EXPR_CONST) {
		MUST(!e->a, "EXPR[%u].a is %u: not used by %s, must be 0", (unsigned)i, (unsigned)e->a, "const");
		return PTOWSP_OK;
	}
	if (e->op == PTOWSP_EXPR_LOOP)
		MUST(e->a < PTOWSP_NESTING_LIMIT, "EXPR[%u].a is %u: loops nest at most %u deep", (unsigned)i, (unsigned)e->a, PTOWSP_NESTING_LIMIT);
	if (e->op == PTOWSP_EXPR_VALUE)
		MUST(e->a < c->tables->slot_count, "EXPR[%u].a is %u: SLOT has %u rows", (unsigned)i, (unsigned)e->a, (unsigned)c->tables->slot_count);
	if (e->op == PTOWSP_EXPR_AXIS)
		MUST(e->a && pkg_verify_is_string(c, e->a), "EXPR[%u].a is %u: not the name of a loop in STRS", (unsigned)i, (unsigned)e->a);
	if (e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_VALUE || e->op == PTOWSP_EXPR_AXIS)
		free_from = 1;
	for (uint32_t k = free_from; k < 3; k++)
		MUST(!operands[k], "EXPR[%u].%c is %u: not used by %s, must be 0", (unsigned)i, "abc"[k], (unsigned)operands[k],
		     pkg_word(PKG_WORDS_expr_op, e->op));
	return PTOWSP_OK;
}

/* varies[i] = 1 if row i depends on more than constants and symbols. Operands are earlier rows: one pass. */
static void varies_fill(const struct pkg_tables *t, uint8_t *varies)
{
	for (uint32_t i = 0; i < t->expr_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		varies[i] = e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_AXIS || e->op == PTOWSP_EXPR_TASK || e->op == PTOWSP_EXPR_INSTANCE ||
			    (e->op == PTOWSP_EXPR_VALUE && t->slot[e->a].kind != PTOWSP_SLOT_SYMBOL);
		for (uint32_t k = 0; k < pkg_expr_operands(e->op); k++)
			varies[i] |= varies[operands[k]];
	}
}

static ptowsp_status dims_check(const struct pkg_check *c, const uint8_t *varies)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[t->dim[i].extent];

		MUST(!varies[t->dim[i].extent], "DIMS[%u].extent is EXPR[%u], which uses more than constants and symbols", (unsigned)i,
		     (unsigned)t->dim[i].extent);
		MUST(e->op != PTOWSP_EXPR_CONST || !(e->c >> 31), "DIMS[%u].extent is negative", (unsigned)i);
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_exprs(const struct pkg_check *c)
{
	uint32_t count = c->tables->expr_count;
	ptowsp_status status = PTOWSP_OK;
	uint8_t *varies;

	for (uint32_t i = 0; i < count && !status; i++)
		status = node_check(c, i);
	if (status)
		return status;
	varies = calloc(count + 1, 1);
	if (!varies)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	varies_fill(c->tables, varies);
	status = dims_check(c, varies);
	free(varies);
	return status;
}

ptowsp_status pkg_verify_loops(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->axis_count; i++) {
		const struct ptowsp_expr_record *step = &t->expr[t->axis[i].step];

		MUST(step->op != PTOWSP_EXPR_CONST || (!(step->c >> 31) && (step->b | step->c)), "AXES[%u].step is less than 1", (unsigned)i);
	}
	for (uint32_t i = 0; i < t->region_count; i++)
		MUST(!t->region[i].unit || !t->region[i].rows, "REGN[%u].unit is %u: rows must then be 0", (unsigned)i, (unsigned)t->region[i].unit);
	return PTOWSP_OK;
}
