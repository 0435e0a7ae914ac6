/* SPDX-License-Identifier: MIT */
#include "rt/form.h"

#include <stdio.h>
#include <stdlib.h>
#include "rt/arithmetic.h"
#include "rt/rt_error.h"
#include "rt/grow.h"

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

/* ---- steps: what is no sum of loop values ------------------------------------------------------------------------ */

void rt_codes_finish(struct rt_codes *codes)
{
	free(codes->rows);
	free(codes->steps);
	*codes = (struct rt_codes){0};
}

/* An expression that is being compiled. */
struct compiling {
	struct rt_codes *codes;
	uint32_t first; /* its own steps */
	bool long_one;  /* it has too many */
	bool lost;      /* out of memory */
};

static bool same_step(const struct rt_step *a, const struct rt_step *b)
{
	return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c && a->value == b->value;
}

/* The register that it fills, as a form: one that is there already, if an equal step is. */
static struct rt_form step_add(struct compiling *c, struct rt_step step)
{
	uint32_t at = c->codes->step_count - c->first;

	for (uint32_t k = 0; k < at; k++)
		if (same_step(&c->codes->steps[c->first + k], &step))
			return (struct rt_form){.terms = 1, .loop = {(uint8_t)(RT_REGISTER + k)}, .step = {1}};
	c->long_one |= at == RT_STEPS_MOST;
	c->lost |= !rt_grow((void **)&c->codes->steps, &c->codes->step_room, c->codes->step_count, sizeof(step));
	if (c->long_one || c->lost)
		return (struct rt_form){0};
	c->codes->steps[c->codes->step_count++] = step;
	return (struct rt_form){.terms = 1, .loop = {(uint8_t)(RT_REGISTER + at)}, .step = {1}};
}

/* The sum as one source: where it is none, steps make a register of it. */
static uint8_t source_of(struct compiling *c, const struct rt_form *form)
{
	struct rt_form sum = {.loop = {RT_IMMEDIATE}};

	if (form_known(form))
		sum = step_add(c, (struct rt_step){.op = PTOWSP_EXPR_CONST, .a = RT_IMMEDIATE, .b = RT_IMMEDIATE, .value = form->base});
	for (unsigned k = 0; k < form->terms; k++) {
		struct rt_form term = {.loop = {form->loop[k]}};

		if (form->step[k] != 1)
			term = step_add(c, (struct rt_step){.op = PTOWSP_EXPR_MUL, .a = term.loop[0], .b = RT_IMMEDIATE, .value = form->step[k]});
		sum = k ? step_add(c, (struct rt_step){.op = PTOWSP_EXPR_ADD, .a = sum.loop[0], .b = term.loop[0]}) : term;
	}
	if (!form_known(form) && form->base)
		sum = step_add(c, (struct rt_step){.op = PTOWSP_EXPR_ADD, .a = sum.loop[0], .b = RT_IMMEDIATE, .value = form->base});
	return sum.loop[0];
}

/* An operation, one of whose operands may be its own number. */
static struct rt_form operation_add(struct compiling *c, const struct rt_node *node, const struct rt_form *forms)
{
	struct rt_step step = {.op = (uint8_t)node->op, .b = RT_IMMEDIATE, .c = RT_IMMEDIATE};
	unsigned count = rt_operands(node->op);
	const struct rt_form *b = &forms[node->b];

	step.a = source_of(c, &forms[node->a]);
	if (count == 2 && form_known(b)) {
		step.b = RT_IMMEDIATE;
		step.value = b->base;
	} else if (count > 1) {
		step.b = source_of(c, b);
	}
	if (count > 2)
		step.c = source_of(c, &forms[node->c]);
	return step_add(c, step);
}

static struct rt_form node_form(struct compiling *c, const struct rt_exprs *exprs, const struct rt_node *node, const struct rt_form *forms,
				const uint64_t *values)
{
	bool leaf = !rt_operands(node->op);
	struct rt_form form = leaf ? leaf_form(exprs, node, values) : inner_form(node, forms);

	if (form.terms != RT_FORM_CODE)
		return form;
	return leaf ? step_add(c, (struct rt_step){.op = (uint8_t)node->op, .a = RT_IMMEDIATE, .b = RT_IMMEDIATE, .value = node->a}) : operation_add(c, node, forms);
}

/* It cannot fail. */
static bool is_quick(const struct rt_step *step)
{
	return (step->op != PTOWSP_EXPR_MOD && step->op != PTOWSP_EXPR_DIV) || (step->b == RT_IMMEDIATE && step->value > 0);
}

static uint64_t loop_bit(uint8_t at)
{
	return at < RT_REGISTER ? UINT64_C(1) << at : 0;
}

/* Bit d: the step asks for the value of the loop at depth d. */
static uint64_t loops_of(const struct rt_step *step)
{
	unsigned count = rt_operands(step->op);

	return (count > 0 ? loop_bit(step->a) : 0) | (count > 1 ? loop_bit(step->b) : 0) | (count > 2 ? loop_bit(step->c) : 0);
}

/* Of the steps from `first` on. */
static struct rt_code code_of(const struct rt_codes *codes, uint32_t first, const struct rt_form *sum)
{
	struct rt_code code = {.first = first, .count = codes->step_count - first, .quick = true, .sum = *sum};

	for (uint32_t k = first; k < codes->step_count; k++) {
		const struct rt_step *step = &codes->steps[k];

		code.quick &= is_quick(step);
		code.moves |= step->op == PTOWSP_EXPR_VALUE || step->op == PTOWSP_EXPR_TASK;
		code.loops |= loops_of(step);
	}
	return code;
}

/* Its form, with the code that it may need. */
static struct rt_form expr_form(struct compiling *c, const struct rt_exprs *exprs, const struct rt_expr *expr, struct rt_form *forms,
				const uint64_t *values)
{
	struct rt_codes *codes = c->codes;

	c->first = codes->step_count;
	c->long_one = false;
	for (uint32_t i = 0; i < expr->count; i++)
		forms[i] = node_form(c, exprs, &exprs->nodes[expr->first + i], forms, values);
	if (codes->step_count == c->first && !c->long_one)
		return forms[expr->count - 1];
	if (c->long_one) {
		codes->step_count = c->first;
		return (struct rt_form){.terms = RT_FORM_CODE, .base = -1};
	}
	c->lost |= !rt_grow((void **)&codes->rows, &codes->room, codes->count, sizeof(*codes->rows));
	if (!c->lost)
		codes->rows[codes->count++] = code_of(codes, c->first, &forms[expr->count - 1]);
	return (struct rt_form){.terms = RT_FORM_CODE, .base = (int64_t)codes->count - 1};
}

ptowsp_status rt_exprs_specialise(const struct rt_exprs *exprs, const uint64_t *values, struct rt_form *forms_out, struct rt_codes *codes,
				  struct ptowsp_error *error)
{
	struct rt_form *forms = calloc(exprs->longest ? exprs->longest : 1, sizeof(*forms));
	struct compiling c = {.codes = codes, .lost = !forms};

	for (uint32_t id = 0; !c.lost && id < exprs->count; id++)
		forms_out[id] = expr_form(&c, exprs, &exprs->rows[id], forms, values);
	free(forms);
	return c.lost ? rt_no_memory(error, "expressions") : PTOWSP_OK;
}

RT_INLINE int64_t source(const struct rt_env *env, uint8_t at)
{
	const int64_t *from = at < RT_REGISTER ? env->loops : env->scratch;

	return from[at];
}

RT_INLINE int64_t quick_step(const struct rt_env *env, const struct rt_step *step)
{
	int64_t a = source(env, step->a), b = step->b == RT_IMMEDIATE ? step->value : source(env, step->b);

	switch (step->op) {
	case PTOWSP_EXPR_CONST: return step->value;
	case PTOWSP_EXPR_VALUE: return (int64_t)env->values[step->value];
	case PTOWSP_EXPR_TASK: return (int64_t)env->task;
	case PTOWSP_EXPR_INSTANCE: return (int64_t)env->instance;
	case PTOWSP_EXPR_DIV: return a / b;
	case PTOWSP_EXPR_MOD: return a % b;
	}
	return rt_sure_operation(step->op, a, b, step->op == PTOWSP_EXPR_SELECT ? source(env, step->c) : 0);
}

/* The sum of what its steps filled and of loops. */
RT_INLINE int64_t sum_of(const struct rt_env *env, const struct rt_form *form)
{
	uint64_t sum = (uint64_t)form->base;

	for (unsigned k = 0; k < form->terms; k++)
		sum += (uint64_t)form->step[k] * (uint64_t)source(env, form->loop[k]);
	return (int64_t)sum;
}

static int64_t quick_run(const struct rt_env *env, const struct rt_code *code)
{
	int64_t *to = env->scratch + RT_REGISTER;

	for (const struct rt_step *step = env->codes->steps + code->first, *end = step + code->count; step < end; step++)
		*to++ = quick_step(env, step);
	return sum_of(env, &code->sum);
}

static inline int64_t step_run(const struct rt_env *env, const struct rt_step *step, uint32_t *failed)
{
	int64_t b = step->b == RT_IMMEDIATE ? step->value : source(env, step->b);

	return is_quick(step) ? quick_step(env, step) : rt_operation(step->op, source(env, step->a), b, source(env, step->c), failed);
}

static int64_t slow_run(struct rt_env *env, const struct rt_code *code, uint32_t id)
{
	const struct rt_step *step = env->codes->steps + code->first;
	uint32_t failed = 0;

	for (uint32_t k = 0; k < code->count; k++)
		env->scratch[RT_REGISTER + k] = step_run(env, &step[k], &failed);
	return failed ? rt_expr_run(env, id) : sum_of(env, &code->sum); /* the former finds the place */
}

int64_t rt_code_run(struct rt_env *env, const struct rt_form *form, uint32_t id)
{
	const struct rt_code *code = form->base < 0 ? NULL : &env->codes->rows[form->base];

	if (!code)
		return rt_expr_run(env, id);
	return code->quick ? quick_run(env, code) : slow_run(env, code, id);
}

/* ---- node by node ------------------------------------------------------------------------------------------------ */

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
