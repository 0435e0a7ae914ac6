/* SPDX-License-Identifier: MIT */
/* expression.c - a recursive descent compiler for integer expressions; depth and rows are bounded. */
#include "registry/expression.h"
#include "registry/common/common_grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_operation.h"
#include "registry/operator.h"
#include "registry/text.h"

enum { DEPTH_LIMIT = 64, ROW_LIMIT = 1024 };

struct parser {
	const char *begin, *at, *end;
	const struct reg_scope *scope;
	struct reg_rows *rows;
	struct ptowsp_error *error;
	ptowsp_status status; /* first failure; everything after it does nothing */
	unsigned depth;
};

static uint32_t parse_binary(struct parser *p, unsigned least);

static uint32_t fail(struct parser *p, const char *what)
{
	if (p->status)
		return 0;
	p->status = reg_fail(p->error, PTOWSP_INVALID, "expression \"%.*s\", character %d: %s", (int)(p->end - p->begin < 80 ? p->end - p->begin : 80),
			     p->begin, (int)(p->at - p->begin) + 1, what);
	if (p->error)
		p->error->where[0] = (uint64_t)(p->at - p->begin);
	return 0;
}

void reg_rows_finish(struct reg_rows *rows)
{
	free(rows->at);
	*rows = (struct reg_rows){.base = rows->base};
}

static uint32_t emit(struct parser *p, uint16_t op, uint32_t a, uint32_t b, uint32_t c)
{
	struct reg_rows *rows = p->rows;

	if (p->status)
		return 0;
	if (rows->count == ROW_LIMIT || rows->base > PTOWSP_NONE - ROW_LIMIT - 1)
		return fail(p, "the expressions are too long together");
	if (!COMMON_GROW(rows->at, rows->room, rows->count)) {
		p->status = reg_fail(p->error, PTOWSP_NO_MEMORY, "no memory for an expression");
		return 0;
	}
	rows->at[rows->count] = (struct ptowsp_expr_record){.op = op, .a = a, .b = b, .c = c};
	return rows->base + rows->count++;
}

static void blanks_skip(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
}

static bool take(struct parser *p, char c)
{
	blanks_skip(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t parse_number(struct parser *p)
{
	char copy[32], *stop;
	size_t length = 0;
	uint64_t value;

	while (p->at + length < p->end && (is_digit(p->at[length]) || is_letter(p->at[length])))
		length++;
	if (length >= sizeof(copy))
		return fail(p, "the number is too long");
	memcpy(copy, p->at, length);
	copy[length] = '\0';
	value = strtoull(copy, &stop, copy[0] == '0' && length > 1 ? 16 : 10);
	if (copy[0] == '0' && length > 1 && copy[1] != 'x')
		stop = copy; /* octal is nobody's intention */
	if (*stop || value > INT64_MAX)
		return fail(p, "that is no 64-bit number");
	p->at += length;
	return emit(p, PTOWSP_EXPR_CONST, 0, (uint32_t)value, (uint32_t)(value >> 32));
}

static bool is_name(const char *name, const char *text, size_t length)
{
	if (!name)
		return false;
	name += *name == '%';
	return strlen(name) == length && !memcmp(name, text, length);
}

int reg_scope_loop(const struct reg_scope *scope, const char *name, size_t length)
{
	if (length && *name == '%')
		name++, length--;
	for (uint32_t i = 0; i < scope->loop_count; i++)
		if (is_name(scope->loops[i], name, length))
			return (int)i;
	return -1;
}

/* Reads "(a, b)" behind min and the like. */
static uint32_t parse_call(struct parser *p, const struct reg_function *word)
{
	uint32_t operands[3] = {0};

	for (unsigned i = 0; i < word->operands; i++) {
		if (!p->status && !take(p, i ? ',' : '('))
			return fail(p, i ? "',' and another argument are missing" : "'(' is missing behind min, max or select");
		operands[i] = parse_binary(p, 1);
	}
	if (word->operands && !p->status && !take(p, ')'))
		return fail(p, "')' is missing");
	return emit(p, word->op, operands[0], operands[1], operands[2]);
}

static uint32_t fail_name(struct parser *p, const char *name, size_t length)
{
	const struct reg_scope *s = p->scope;
	uint32_t count = 0;
	const char **known = malloc(((size_t)s->loop_count + s->value_count + 1) * sizeof(*known));
	char copy[64];

	if (!known) {
		p->status = reg_fail(p->error, PTOWSP_NO_MEMORY, "no memory for an expression");
		return 0;
	}
	length = length < sizeof(copy) - 1 ? length : sizeof(copy) - 1;
	memcpy(copy, name, length);
	copy[length] = '\0';
	for (uint32_t i = 0; i < s->loop_count; i++)
		known[count++] = s->loops[i];
	for (uint32_t i = 0; i < s->value_count; i++)
		if (s->values[i])
			known[count++] = s->values[i];
	known[count++] = "task";
	p->status = reg_fail_unknown(p->error, PTOWSP_INVALID, "name", copy, known, count);
	if (p->error)
		p->error->where[0] = (uint64_t)(name - p->begin);
	free(known);
	return 0;
}

static uint32_t parse_name(struct parser *p)
{
	const char *name = p->at += *p->at == '%';
	size_t length = 0;
	int loop;

	while (name + length < p->end && (is_letter(name[length]) || is_digit(name[length]) || name[length] == '.'))
		length++;
	p->at += length;
	if (reg_function_find(name, length))
		return parse_call(p, reg_function_find(name, length));
	loop = reg_scope_loop(p->scope, name, length);
	if (loop >= 0)
		return emit(p, PTOWSP_EXPR_AXIS, p->scope->loop_strings[loop], 0, 0);
	for (uint32_t i = 0; i < p->scope->value_count; i++)
		if (is_name(p->scope->values[i], name, length))
			return emit(p, PTOWSP_EXPR_VALUE, p->scope->value_rows[i], 0, 0);
	return fail_name(p, name, length);
}

static uint32_t parse_unary(struct parser *p)
{
	static const struct {
		char text;
		uint8_t op;
	} signs[] = {{'-', PTOWSP_EXPR_NEG}, {'~', PTOWSP_EXPR_NOT}, {'!', PTOWSP_EXPR_LNOT}};
	uint32_t row = 0;

	if (p->status || ++p->depth > DEPTH_LIMIT)
		return fail(p, "it is nested too deeply");
	blanks_skip(p);
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (p->at < p->end && *p->at == signs[i].text) {
			p->at++;
			row = emit(p, signs[i].op, parse_unary(p), 0, 0);
			p->depth--;
			return row;
		}
	if (p->at == p->end)
		fail(p, "an operand is missing");
	else if (is_digit(*p->at))
		row = parse_number(p);
	else if (is_letter(*p->at) || (*p->at == '%' && p->at + 1 < p->end && is_letter(p->at[1])))
		row = parse_name(p);
	else if (take(p, '(')) {
		row = parse_binary(p, 1);
		if (!p->status && !take(p, ')'))
			fail(p, "')' is missing");
	} else
		fail(p, "an operand is missing");
	p->depth--;
	return row;
}

static const struct reg_operator *operator_peek(struct parser *p)
{
	blanks_skip(p);
	return reg_operator_find(p->at, (size_t)(p->end - p->at));
}

/* Operands joined by operators of at least that strength, left to right. */
static uint32_t parse_binary(struct parser *p, unsigned least)
{
	uint32_t left = parse_unary(p);
	const struct reg_operator *o;

	while (!p->status && (o = operator_peek(p)) && o->level >= least) {
		p->at += strlen(o->sign);
		left = emit(p, o->op, left, parse_binary(p, o->level + 1u), 0);
	}
	return left;
}

ptowsp_status reg_expression_compile(const char *text, size_t length, const struct reg_scope *scope, struct reg_rows *rows, uint32_t *row_out,
				     struct ptowsp_error *error)
{
	struct parser p = {.begin = text, .at = text, .end = text + length, .scope = scope, .rows = rows, .error = error};

	*row_out = parse_binary(&p, 1);
	blanks_skip(&p);
	if (!p.status && p.at < p.end)
		fail(&p, "this does not belong to an expression");
	return p.status;
}

/* --- values --- */

enum { VISIT_LIMIT = 4096 }; /* rows may be shared, so that a small table is a huge tree */

struct evaluation {
	const struct ptowsp_expr_record *rows;
	uint32_t count, visits;
	const struct reg_values *values;
	bool exact; /* what has more than 64 bits is an error */
};

/* Operations that a shape may have: of two operands, and no comparison, so that a value says how large something is. */
static bool is_of_shapes(unsigned op)
{
	switch (op) {
	case PTOWSP_EXPR_ADD:
	case PTOWSP_EXPR_SUB:
	case PTOWSP_EXPR_MUL:
	case PTOWSP_EXPR_DIV:
	case PTOWSP_EXPR_MOD:
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX:
	case PTOWSP_EXPR_SHL:
	case PTOWSP_EXPR_SHR: return true;
	default: return false;
	}
}

/* Has the result more than 64 bits with its sign? */
static bool is_wrapped(unsigned op, int64_t a, int64_t b)
{
	const int shift = (int)(b & 63);
	int64_t result;

	switch (op) {
	case PTOWSP_EXPR_ADD: return __builtin_add_overflow(a, b, &result);
	case PTOWSP_EXPR_SUB: return __builtin_sub_overflow(a, b, &result);
	case PTOWSP_EXPR_MUL: return __builtin_mul_overflow(a, b, &result);
	case PTOWSP_EXPR_SHL: return common_shift_right((int64_t)((uint64_t)a << shift), shift) != a;
	default: return false;
	}
}

static ptowsp_status evaluate(struct evaluation *v, uint32_t row, int64_t *value_out)
{
	const struct ptowsp_expr_record *e;
	uint32_t failed = 0;
	int64_t a, b;
	ptowsp_status status;

	if (row >= v->count || ++v->visits > VISIT_LIMIT)
		return PTOWSP_BAD_PACKAGE;
	e = &v->rows[row];
	if (e->op == PTOWSP_EXPR_CONST) {
		*value_out = (int64_t)((uint64_t)e->c << 32 | e->b);
		return PTOWSP_OK;
	}
	if (e->op == PTOWSP_EXPR_VALUE) {
		if (e->a >= v->values->count)
			return PTOWSP_BAD_PACKAGE;
		*value_out = (int64_t)v->values->at[e->a];
		return v->values->known && !v->values->known[e->a] ? PTOWSP_NOT_FOUND : PTOWSP_OK;
	}
	if (!is_of_shapes(e->op))
		return PTOWSP_UNSUPPORTED;
	status = evaluate(v, e->a, &a);
	if (!status)
		status = evaluate(v, e->b, &b);
	if (!status && v->exact && is_wrapped(e->op, a, b))
		status = PTOWSP_TOO_BIG;
	if (!status)
		*value_out = common_operation(e->op, a, b, 0, &failed);
	return status ? status : failed ? PTOWSP_INVALID : PTOWSP_OK;
}

ptowsp_status reg_expression_value(const struct ptowsp_expr_record *rows, uint32_t count, uint32_t row, const struct reg_values *values, int64_t *value_out)
{
	struct evaluation v = {.rows = rows, .count = count, .values = values};

	return evaluate(&v, row, value_out);
}

ptowsp_status reg_expression_exact(const struct ptowsp_expr_record *rows, uint32_t count, uint32_t row, const struct reg_values *values, int64_t *value_out)
{
	struct evaluation v = {.rows = rows, .count = count, .values = values, .exact = true};

	return evaluate(&v, row, value_out);
}
