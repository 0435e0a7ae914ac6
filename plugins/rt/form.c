/* SPDX-License-Identifier: MIT */
#include "rt/form.h"

#include <stdio.h>
#include <stdlib.h>
#include "rt/arithmetic.h"
#include "rt/error.h"

static bool form_known(const struct rt_form *form)
{
	return form->terms == 0;
}

static struct rt_form form_scale(const struct rt_form *form, int64_t by)
{
	struct rt_form out = *form;

	out.base = (int64_t)((uint64_t)form->base * (uint64_t)by);
	for (unsigned k = 0; k < form->terms; k++)
		out.step[k] = (int64_t)((uint64_t)form->step[k] * (uint64_t)by);
	return out;
}

static struct rt_form form_add(const struct rt_form *a, const struct rt_form *b)
{
	struct rt_form out = *a;

	out.base = (int64_t)((uint64_t)a->base + (uint64_t)b->base);
	for (unsigned k = 0; k < b->terms; k++) {
		unsigned at = 0;

		while (at < out.terms && out.loop[at] != b->loop[k])
			at++;
		if (at == RT_FORM_TERMS)
			return (struct rt_form){.terms = RT_FORM_CODE};
		if (at == out.terms) {
			out.loop[at] = b->loop[k];
			out.step[at] = 0;
			out.terms++;
		}
		out.step[at] = (int64_t)((uint64_t)out.step[at] + (uint64_t)b->step[k]);
	}
	return out;
}

static struct rt_form leaf_form(const struct rt_exprs *exprs, const struct rt_node *node, const uint64_t *values)
{
	if (node->op == PTOWSP_EXPR_CONST)
		return (struct rt_form){.base = node->value};
	if (node->op == PTOWSP_EXPR_LOOP)
		return (struct rt_form){.terms = 1, .loop = {(uint8_t)node->a}, .step = {1}};
	if (node->op == PTOWSP_EXPR_VALUE && !exprs->changed[node->a])
		return (struct rt_form){.base = (int64_t)values[node->a]};
	return (struct rt_form){.terms = RT_FORM_CODE};
}

static struct rt_form inner_form(const struct rt_node *node, const struct rt_form *forms)
{
	const struct rt_form code = {.terms = RT_FORM_CODE}, *a = &forms[node->a], *b = &forms[node->b], *c = &forms[node->c];
	unsigned count = rt_operands(node->op);
	struct rt_form out;
	uint32_t failed = 0;

	if (a->terms == RT_FORM_CODE || (count > 1 && b->terms == RT_FORM_CODE) || (count > 2 && c->terms == RT_FORM_CODE))
		return code;
	if (form_known(a) && (count < 2 || form_known(b)) && (count < 3 || form_known(c))) {
		out = (struct rt_form){.base = rt_operation(node->op, a->base, b->base, c->base, &failed)};
		return failed ? code : out;
	}
	switch (node->op) {
	case PTOWSP_EXPR_ADD: return form_add(a, b);
	case PTOWSP_EXPR_SUB: out = form_scale(b, -1); return form_add(a, &out);
	case PTOWSP_EXPR_NEG: return form_scale(a, -1);
	case PTOWSP_EXPR_MUL: return form_known(b) ? form_scale(a, b->base) : form_known(a) ? form_scale(b, a->base) : code;
	case PTOWSP_EXPR_SHL: return form_known(b) ? form_scale(a, (int64_t)(UINT64_C(1) << ((uint64_t)b->base & 63))) : code;
	case PTOWSP_EXPR_SELECT: return form_known(a) ? (a->base ? *b : *c) : code;
	}
	return code;
}

ptowsp_status rt_exprs_specialise(const struct rt_exprs *exprs, const uint64_t *values, struct rt_form *forms_out,
				  struct ptowsp_error *error)
{
	struct rt_form *forms = calloc(exprs->longest ? exprs->longest : 1, sizeof(*forms));

	if (!forms)
		return rt_no_memory(error, "expressions");
	for (uint32_t id = 0; id < exprs->count; id++) {
		const struct rt_expr *expr = &exprs->rows[id];
		const struct rt_node *node = &exprs->nodes[expr->first];

		for (uint32_t i = 0; i < expr->count; i++, node++)
			forms[i] = rt_operands(node->op) ? inner_form(node, forms) : leaf_form(exprs, node, values);
		forms_out[id] = forms[expr->count - 1];
	}
	free(forms);
	return PTOWSP_OK;
}

/* The first node that divides by zero among those whose values are known. */
static uint32_t division_find(const struct rt_node *nodes, uint32_t count, const int64_t *values)
{
	for (uint32_t i = 0; i < count; i++)
		if ((nodes[i].op == PTOWSP_EXPR_DIV || nodes[i].op == PTOWSP_EXPR_MOD) && !values[nodes[i].b])
			return (uint32_t)nodes[i].value;
	return UINT32_MAX;
}

const char *rt_division_place(const struct rt_env *env, const struct rt_tables *tables, uint32_t instruction, char *text, size_t size)
{
	const struct ptowsp_debug_record *rows = tables->debug.rows;

	for (uint32_t i = 0; env->failed && i < tables->debug.count; i++)
		if (rows[i].kind == 4 && rows[i].row == env->failed - 1) {
			snprintf(text, size, "instruction %u (%.40s:%u:%u)", instruction, rt_string(tables, rows[i].file), rows[i].line, rows[i].column);
			return text;
		}
	return rt_position(tables, instruction, text, size);
}

int64_t rt_expr_run(struct rt_env *env, uint32_t id)
{
	uint32_t failed = 0;
	const struct rt_expr *expr = &env->exprs->rows[id];
	const struct rt_node *node = &env->exprs->nodes[expr->first];
	int64_t *v = env->scratch;

	for (uint32_t i = 0; i < expr->count; i++, node++) {
		switch (node->op) {
		case PTOWSP_EXPR_CONST: v[i] = node->value; break;
		case PTOWSP_EXPR_LOOP: v[i] = env->loops[node->a]; break;
		case PTOWSP_EXPR_VALUE: v[i] = (int64_t)env->values[node->a]; break;
		case PTOWSP_EXPR_TASK: v[i] = (int64_t)env->task; break;
		case PTOWSP_EXPR_INSTANCE: v[i] = (int64_t)env->instance; break;
		default: v[i] = rt_operation(node->op, v[node->a], v[node->b], v[node->c], &failed);
		}
	}
	if (failed && !env->failed)
		env->failed = division_find(node - expr->count, expr->count, v);
	return v[expr->count - 1];
}
