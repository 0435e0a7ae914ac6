/* SPDX-License-Identifier: MIT */
#include "rt/program/form.h"

#include "registry/common/common_grow.h"
#include "registry/common/common_operation.h"
#include "rt/program/arithmetic.h"
#include "rt/program/rt_error.h"
#include "rt/rt_inline.h"
#include <stdio.h>
#include <stdlib.h>

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
		return (struct rt_form){.terms = 1, .loop = {(uint16_t)node->a}, .step = {1}};
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

static bool same_step(const struct rt_step *a, const struct rt_step *b)
{
	return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c && a->value == b->value && a->base == b->base && a->scale == b->scale;
}

static struct rt_form place_form(uint32_t place)
{
	return (struct rt_form){.terms = 1, .loop = {(uint16_t)place}, .step = {1}};
}

/* The register that it fills, as a form: one that is there already, if an equal step is. */
static struct rt_form step_add(struct rt_coding *c, struct rt_step step)
{
	struct rt_codes *codes = c->codes;

	for (uint32_t k = c->first; k < codes->step_count; k++)
		if (same_step(&codes->steps[k], &step))
			return place_form(RT_REGISTER + k);
	c->too_long |= codes->step_count >= rt_exprs_registers(c->exprs);
	c->lost |= !COMMON_GROW(codes->steps, codes->step_room, codes->step_count);
	if (c->too_long || c->lost)
		return (struct rt_form){0};
	codes->steps[codes->step_count++] = step;
	return place_form(RT_REGISTER + codes->step_count - 1);
}

/* With the term as its first operand. */
static struct rt_step step_of(uint32_t op, const struct rt_form *form, unsigned term)
{
	return (struct rt_step){.op = (uint16_t)op, .base = term ? 0 : form->base, .scale = form->step[term], .a = form->loop[term]};
}

/* The sum as one place: where it is none, steps make one of it. */
static uint16_t sum_place(struct rt_coding *c, const struct rt_form *form)
{
	unsigned term = form->terms ? form->terms - 1u : 0;
	bool place = form->terms && form->step[term] == 1 && (term || !form->base);
	uint16_t at = place ? form->loop[term] : step_add(c, step_of(PTOWSP_EXPR_ADD | RT_NUMBER, form, term)).loop[0];

	while (term--) {
		struct rt_step step = step_of(PTOWSP_EXPR_ADD, form, term);

		step.b = at;
		at = step_add(c, step).loop[0];
	}
	return at;
}

/* Of the form and a number. */
static struct rt_form number_add(struct rt_coding *c, uint32_t op, const struct rt_form *form, int64_t number)
{
	struct rt_form a = form->terms > 1 ? place_form(sum_place(c, form)) : *form;
	struct rt_step step = step_of(op | RT_NUMBER, &a, 0);

	step.value = number;
	return step_add(c, step);
}

/* A number comes last where the order does not count, so that equal values are equal steps. */
static struct rt_form operation_add(struct rt_coding *c, const struct rt_node *node)
{
	bool turned = (node->op == PTOWSP_EXPR_MIN || node->op == PTOWSP_EXPR_MAX) && form_known(&c->forms[node->a]);
	const struct rt_form *a = &c->forms[turned ? node->b : node->a], *b = &c->forms[turned ? node->a : node->b];
	unsigned count = rt_operands(node->op);
	struct rt_form first;
	struct rt_step step;

	if (count == 2 && form_known(b))
		return number_add(c, node->op, a, b->base);
	first = a->terms > 1 ? place_form(sum_place(c, a)) : *a;
	step = step_of(node->op, &first, 0);
	if (count > 1)
		step.b = sum_place(c, b);
	if (count > 2)
		step.c = sum_place(c, &c->forms[node->c]);
	return step_add(c, step);
}

struct rt_form rt_coding_rest(struct rt_coding *c, int64_t extent, const struct rt_form *at, int64_t most)
{
	struct rt_form rest = form_scale(at, -1);

	rest.base = (int64_t)((uint64_t)rest.base + (uint64_t)extent);
	if (!form_known(&rest))
		return number_add(c, PTOWSP_EXPR_MIN, &rest, most);
	rest.base = rest.base < most ? rest.base : most;
	return rest;
}

struct rt_form rt_coding_line(struct rt_coding *c, const struct rt_form *row, int64_t pitch, const struct rt_form *column)
{
	struct rt_form line = form_scale(row, pitch), sum = form_add(&line, column), rest;

	if (sum.terms != RT_FORM_CODE)
		return sum;
	line = place_form(sum_place(c, &line));
	rest = place_form(sum_place(c, column));
	return form_add(&line, &rest);
}

static struct rt_form node_form(struct rt_coding *c, const struct rt_node *node)
{
	bool leaf = !rt_operands(node->op);
	struct rt_form form = leaf ? leaf_form(c->exprs, node, c->values) : inner_form(node, c->forms);

	if (form.terms != RT_FORM_CODE)
		return form;
	return leaf ? step_add(c, (struct rt_step){.op = (uint16_t)node->op, .value = node->a}) : operation_add(c, node);
}

static bool divides(const struct rt_step *step)
{
	unsigned op = step->op & ~RT_NUMBER;

	return op == PTOWSP_EXPR_MOD || op == PTOWSP_EXPR_DIV;
}

/* The step cannot fail, nor wrap. */
static bool is_quick(const struct rt_step *step)
{
	return !divides(step) || (step->op & RT_NUMBER && step->value > 0);
}

static uint64_t loop_bit(uint16_t place)
{
	return place < RT_REGISTER ? UINT64_C(1) << place : 0;
}

/* Bit d: an operand is the value of the loop at depth d. */
static uint64_t loops_of(const struct rt_step *step)
{
	unsigned count = step->op & RT_NUMBER ? 1 : rt_operands(step->op);

	return (count && step->scale ? loop_bit(step->a) : 0) | (count > 1 ? loop_bit(step->b) : 0) | (count > 2 ? loop_bit(step->c) : 0);
}

/* Code of the steps from `first` on. */
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

static void coding_start(struct rt_coding *c)
{
	c->first = c->codes->step_count;
	c->too_long = false;
}

bool rt_coding_begin(struct rt_coding *c, const struct rt_exprs *exprs, const uint64_t *values, struct rt_codes *codes)
{
	*c = (struct rt_coding){.exprs = exprs, .values = values, .codes = codes};
	c->forms = calloc(exprs->longest ? exprs->longest : 1, sizeof(*c->forms));
	c->lost = !c->forms;
	coding_start(c);
	return !c->lost;
}

struct rt_form rt_coding_add(struct rt_coding *c, uint32_t id)
{
	const struct rt_expr *expr = &c->exprs->rows[id];

	for (uint32_t i = 0; i < expr->count; i++)
		c->forms[i] = node_form(c, &c->exprs->nodes[expr->first + i]);
	return c->forms[expr->count - 1];
}

/* The steps since the start as a row of codes. */
static void code_add(struct rt_coding *c, const struct rt_form *sum)
{
	struct rt_codes *codes = c->codes;

	c->lost |= !COMMON_GROW(codes->rows, codes->room, codes->count);
	if (!c->lost)
		codes->rows[codes->count++] = code_of(codes, c->first, sum);
}

bool rt_coding_end(struct rt_coding *c, uint32_t *code_out)
{
	bool steps = c->codes->step_count != c->first;

	free(c->forms);
	if (steps && !c->too_long && !c->lost)
		code_add(c, &(struct rt_form){0});
	if (c->too_long || c->lost)
		c->codes->step_count = c->first;
	*code_out = steps ? c->codes->count : 0;
	return !c->too_long && !c->lost;
}

/* Its form, with a code of its own where it needs one. */
static struct rt_form expr_form(struct rt_coding *c, uint32_t id)
{
	struct rt_form form;

	coding_start(c);
	form = rt_coding_add(c, id);
	if (c->too_long) {
		c->codes->step_count = c->first;
		return (struct rt_form){.terms = RT_FORM_CODE, .base = -1};
	}
	if (c->codes->step_count == c->first)
		return form;
	code_add(c, &form);
	return (struct rt_form){.terms = RT_FORM_CODE, .base = (int64_t)c->codes->count - 1};
}

ptowsp_status rt_exprs_specialise(const struct rt_exprs *exprs, const uint64_t *values, struct rt_form *forms_out, struct rt_codes *codes,
				  struct ptowsp_error *error)
{
	struct rt_coding c;

	rt_coding_begin(&c, exprs, values, codes);
	for (uint32_t id = 0; !c.lost && id < exprs->count; id++)
		forms_out[id] = expr_form(&c, id);
	free(c.forms);
	return c.lost ? rt_no_memory(error, "expressions") : PTOWSP_OK;
}

/* ---- steps run --------------------------------------------------------------------------------------------------- */

RT_INLINE int64_t leaf_value(const struct rt_env *env, const struct rt_step *step)
{
	switch (step->op) {
	case PTOWSP_EXPR_VALUE: return (int64_t)env->values[step->value];
	case PTOWSP_EXPR_TASK: return (int64_t)env->task;
	case PTOWSP_EXPR_INSTANCE: return (int64_t)env->instance;
	}
	return step->value;
}

RT_INLINE int64_t first_of(const int64_t *places, const struct rt_step *step)
{
	return (int64_t)((uint64_t)step->base + (uint64_t)step->scale * (uint64_t)places[step->a]);
}

/* b > 0 where it divides. */
RT_INLINE int64_t quick_operation(uint32_t op, int64_t a, int64_t b, int64_t c)
{
	return op == PTOWSP_EXPR_DIV ? a / b : op == PTOWSP_EXPR_MOD ? a % b : common_sure_operation(op, a, b, c);
}

/* A case of its own for each operation, twice: each is a few instructions. */
RT_INLINE int64_t quick_step(const struct rt_env *env, const int64_t *places, const struct rt_step *step)
{
	switch (step->op) {
#define X(NAME, code, mnemonic, count, effect)                                                                                                                 \
	case (code) | RT_NUMBER: return quick_operation(code, first_of(places, step), step->value, 0);                                                         \
	case code:                                                                                                                                             \
		return (count) ? quick_operation(code, first_of(places, step), (count) > 1 ? places[step->b] : 1, (count) > 2 ? places[step->c] : 0)           \
			       : leaf_value(env, step);
#include "ptowsp/expr_ops.def"
#undef X
	}
	__builtin_unreachable();
}

static inline int64_t step_run(const struct rt_env *env, const int64_t *places, const struct rt_step *step, uint32_t *failed)
{
	if (is_quick(step))
		return quick_step(env, places, step);
	return rt_operation(step->op & ~(uint32_t)RT_NUMBER, first_of(places, step), step->op & RT_NUMBER ? step->value : places[step->b], 0, failed);
}

/* Out of the way of the others, which call nothing. */
static __attribute__((noinline)) bool careful_fill(const struct rt_env *env, int64_t *to, const struct rt_step *step, const struct rt_step *end)
{
	uint32_t failed = 0;

	for (; step < end; step++)
		*to++ = step_run(env, env->loops, step, &failed);
	return !failed;
}

bool rt_code_fill(const struct rt_env *env, const struct rt_code *code)
{
	int64_t *places = env->loops, *to = places + RT_REGISTER + code->first;
	const struct rt_step *step = env->codes->steps + code->first, *end = step + code->count;

	if (!code->quick)
		return careful_fill(env, to, step, end);
	for (; step < end; step++)
		*to++ = quick_step(env, places, step);
	return true;
}

int64_t rt_code_run(struct rt_env *env, const struct rt_form *form, uint32_t id)
{
	const struct rt_code *code = form->base < 0 ? NULL : &env->codes->rows[form->base];

	return code && rt_code_fill(env, code) ? rt_form_sum(env->loops, &code->sum) : rt_expr_run(env, id); /* finds the place of a division by zero */
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
	int64_t *v = env->loops + RT_REGISTER + rt_exprs_registers(env->exprs);

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
