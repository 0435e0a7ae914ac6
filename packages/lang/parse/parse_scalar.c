/* SPDX-License-Identifier: MIT */
/* parse_scalar.c - scalar expressions, by precedence. */
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/scalar.h"
#include "registry/operator.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void *binary_parse(struct lang_climb *climb, unsigned level);

static bool deeper(struct lang_climb *climb)
{
	struct lang_parser *parser = climb->parser;

	if (++climb->depth <= LANG_MAX_NESTING + 1) /* an operand that stands in nothing is not nested */
		return true;
	if (climb->depth == LANG_MAX_NESTING + 2)
		lang_error(parser->unit, lang_peek(parser)->at, "expressions nest deeper than %u", LANG_MAX_NESTING);
	return false;
}

static bool operator_count(struct lang_climb *climb, struct lang_span at)
{
	if (climb->operators++ < climb->max_operators)
		return true;
	lang_error(climb->parser->unit, at, "this expression has more than %u operators", climb->max_operators);
	return false;
}

static void *operation(struct lang_climb *climb, unsigned op, struct lang_span at, void *a, void *b, void *c)
{
	return operator_count(climb, at) ? climb->operation(climb, op, at, a, b, c) : NULL;
}

/* The operator at the next tokens, NULL if there is none; *is_sign_out: it is the first byte of the token there ("8-2", "n %2"). */
static const struct reg_operator *operator_at(const struct lang_climb *climb, int *is_sign_out)
{
	const struct lang_token *token = lang_peek(climb->parser);
	char sign[2] = {token->mark, token->mark ? token[1].mark : '\0'};

	*is_sign_out = 0;
	if (token->kind == LANG_NUMBER && (*token->text == '-' || *token->text == '+')) {
		sign[0] = *token->text;
		*is_sign_out = 1;
	} else if ((token->kind == LANG_LITERAL && (climb->bare_names || !token->first)) || (token->kind == LANG_NAME && climb->bare_names)) {
		sign[0] = '%';
		*is_sign_out = 1;
	}
	if (sign[1] && (token[1].at.line != token->at.line || token[1].at.column != token->at.column + 1))
		sign[1] = '\0';
	return sign[0] ? reg_operator_find(sign, sign[1] ? 2 : 1) : NULL;
}

/* Takes the operator; a sign is cut off what stands behind it. */
static struct lang_span operator_take(struct lang_climb *climb, const struct reg_operator *operator, int is_sign)
{
	struct lang_token *token = &climb->parser->tokens.rows[climb->parser->at];
	struct lang_span at = token->at;

	at.length = is_sign ? 1 : (uint32_t)strlen(operator->sign);
	if (!is_sign) {
		lang_take(climb->parser);
		if (operator->sign[1])
			lang_take(climb->parser);
		return at;
	}
	if (token->kind == LANG_NUMBER)
		token->text++;
	token->kind = token->kind == LANG_NAME ? LANG_WORD : LANG_NUMBER;
	token->at.column++;
	token->at.length--;
	token->first = 0;
	return at;
}

static void *group_parse(struct lang_climb *climb)
{
	struct lang_span from = lang_take(climb->parser)->at, to;
	void *value = binary_parse(climb, 0);

	to = lang_peek(climb->parser)->at;
	if (value && lang_at_mark(climb->parser, ',')) { /* this is no list */
		lang_expected(climb->parser, "\")\" behind the expression");
		return NULL;
	}
	if (!value || !lang_expect(climb->parser, ')', "behind the expression"))
		return NULL;
	if (climb->grouped)
		climb->grouped(value, from, to);
	return value;
}

/* "!word" is one token, which elsewhere begins a type. */
static void *not_parse(struct lang_climb *climb)
{
	struct lang_token *token = &climb->parser->tokens.rows[climb->parser->at];
	struct lang_span at = token->at;
	void *operand;

	at.length = 1;
	token->kind = LANG_WORD;
	token->at.column++;
	token->at.length--;
	operand = climb->primary(climb);
	return operand ? operation(climb, PTOWSP_EXPR_LNOT, at, operand, NULL, NULL) : NULL;
}

static void *unary_parse(struct lang_climb *climb)
{
	const struct lang_token *token = lang_peek(climb->parser);
	unsigned op = token->mark == '-' ? PTOWSP_EXPR_NEG : token->mark == '~' ? PTOWSP_EXPR_NOT : PTOWSP_EXPR_LNOT;
	struct lang_span at = token->at;
	void *value;

	if (!deeper(climb))
		return NULL;
	if (token->kind == LANG_TYPE) {
		value = not_parse(climb);
	} else if (token->mark == '-' || token->mark == '~' || token->mark == '!') {
		lang_take(climb->parser);
		value = unary_parse(climb);
		value = value ? operation(climb, op, at, value, NULL, NULL) : NULL;
	} else if (token->mark == '(') {
		value = group_parse(climb);
	} else {
		value = climb->primary(climb);
	}
	climb->depth--;
	return value;
}

/* Both values of "c ? a : b" may be such again: they are counted before they are read, which bounds how deep this goes. */
static void *choice_parse(struct lang_climb *climb, void *condition)
{
	struct lang_span at = lang_take(climb->parser)->at;
	void *first = operator_count(climb, at) ? binary_parse(climb, 0) : NULL;
	void *second = first && lang_expect(climb->parser, ':', "and the other value") ? binary_parse(climb, 0) : NULL;

	return second ? climb->operation(climb, PTOWSP_EXPR_SELECT, at, condition, first, second) : NULL;
}

/* "c ? a : b", and operators above that level, from left to right. */
static void *binary_parse(struct lang_climb *climb, unsigned level)
{
	void *left, *right;
	const struct reg_operator *operator;
	struct lang_span at;
	int is_sign;

	left = unary_parse(climb);
	while (left && (operator= operator_at(climb, &is_sign)) != NULL && operator->level> level) {
		at = operator_take(climb, operator, is_sign);
		right = binary_parse(climb, operator->level);
		left = right ? operation(climb, operator->op, at, left, right, NULL) : NULL;
	}
	return left && level == 0 && lang_at_mark(climb->parser, '?') ? choice_parse(climb, left) : left;
}

int lang_climb_operands(struct lang_climb *climb, uint32_t count, void *operands[3], struct lang_span *end_out)
{
	struct lang_parser *parser = climb->parser;

	if (!lang_expect(parser, '(', "and the operands behind the function"))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		if (i && !lang_expect(parser, ',', "and the next operand"))
			return 0;
		operands[i] = binary_parse(climb, 0);
		if (!operands[i])
			return 0;
	}
	*end_out = lang_peek(parser)->at;
	return lang_expect(parser, ')', "behind the operands");
}

void *lang_climb_operation(struct lang_climb *climb, unsigned op, struct lang_span at, void *const operands[3])
{
	return operation(climb, op, at, operands[0], operands[1], operands[2]);
}

void *lang_climb(struct lang_climb *climb)
{
	return binary_parse(climb, 0);
}

/* ---- scalar expressions, by precedence. ---- */

static struct lang_scalar *scalar_make(struct lang_parser *parser, enum lang_scalar_kind kind, struct lang_span at)
{
	struct lang_scalar *scalar = common_alloc(&parser->unit->arena, sizeof(*scalar));

	scalar->kind = (uint8_t)kind;
	scalar->at = scalar->all = at;
	return scalar;
}

/* The span from the first token of a to the last of b, as far as they stand on one line. */
static struct lang_span span_join(struct lang_span a, struct lang_span b)
{
	if (a.file == b.file && a.line == b.line && b.column + b.length > a.column)
		a.length = b.column + b.length - a.column;
	return a;
}

static void *operation_make(struct lang_climb *climb, unsigned op, struct lang_span at, void *first, void *second, void *third)
{
	struct lang_scalar *scalar = scalar_make(climb->parser, LANG_SCALAR_OP, at), *a = first, *b = second, *c = third;

	scalar->op = (uint8_t)op;
	scalar->operands[0] = a;
	scalar->operands[1] = b;
	scalar->operands[2] = c;
	scalar->all = b ? span_join(a->all, c ? c->all : b->all) : span_join(at, a->all);
	return scalar;
}

static struct lang_scalar *number_parse(struct lang_parser *parser)
{
	const struct lang_token *token = lang_take(parser);
	struct lang_scalar *scalar = scalar_make(parser, LANG_SCALAR_NUMBER, token->at);
	uint64_t value = 0;

	scalar->text = token->text;
	switch (lang_number_read(token->text, PTOWSP_I64, &value)) {
	case LANG_NUMBER_OK: scalar->value = (int64_t)value; return scalar;
	case LANG_NUMBER_FRACTION: scalar->kind = LANG_SCALAR_FLOAT; return scalar;
	case LANG_NUMBER_RANGE: lang_error(parser->unit, token->at, "%.40s does not fit 64 bits", token->text); return NULL;
	default:
		if (lang_number_is_word(token->text)) {
			scalar->kind = LANG_SCALAR_FLOAT;
			return scalar;
		}
		lang_error(parser->unit, token->at, "\"%.40s\" is no number", token->text);
		return NULL;
	}
}

/* "axis(%i)": the loop of that name, wherever the code is expanded */
static struct lang_scalar *axis_parse(struct lang_parser *parser)
{
	struct lang_scalar *scalar = scalar_make(parser, LANG_SCALAR_OP, lang_take(parser)->at);
	const struct lang_token *name;
	struct lang_span end;

	scalar->op = PTOWSP_EXPR_AXIS;
	lang_take(parser); /* without a parenthesis the word is not read as this */
	name = lang_name_take(parser, LANG_NAME, "the name of a loop such as %i");
	if (!name)
		return NULL;
	scalar->text = name->text;
	end = lang_peek(parser)->at;
	scalar->at = name->at;
	scalar->all = span_join(scalar->all, end);
	return lang_expect(parser, ')', "behind the name of the loop") ? scalar : NULL;
}

static struct lang_scalar *function_parse(struct lang_climb *climb, const struct reg_function *function)
{
	struct lang_span at = lang_take(climb->parser)->at, end;
	struct lang_scalar *scalar;
	void *operands[3] = {NULL, NULL, NULL};

	if (!function->operands) {
		scalar = scalar_make(climb->parser, LANG_SCALAR_OP, at);
		scalar->op = function->op;
		return scalar;
	}
	if (!lang_climb_operands(climb, function->operands, operands, &end))
		return NULL;
	scalar = lang_climb_operation(climb, function->op, at, operands);
	if (scalar)
		scalar->all = span_join(at, end);
	return scalar;
}

static void group_widen(void *value, struct lang_span from, struct lang_span to)
{
	struct lang_scalar *scalar = value;

	scalar->all = span_join(from, to);
}

static struct lang_scalar *name_parse(struct lang_parser *parser)
{
	const struct lang_token *token = lang_take(parser);
	struct lang_scalar *scalar = scalar_make(parser, LANG_SCALAR_NAME, token->at);

	scalar->text = token->text;
	return scalar;
}

static struct lang_scalar *nothing_parse(struct lang_climb *climb)
{
	struct lang_parser *parser = climb->parser;
	const struct lang_token *token = lang_peek(parser);

	if (token->kind == LANG_WORD && !token->first) {
		lang_error(parser->unit, token->at, "\"%.80s\" is no value", token->text);
		lang_help(parser->unit, "names carry a sign: %%%.80s", token->text);
		return NULL;
	}
	lang_expected(parser, climb->what);
	return NULL;
}

static void *primary_parse(struct lang_climb *climb)
{
	const struct lang_token *token = lang_peek(climb->parser);
	const struct reg_function *function;

	if (token->kind == LANG_NUMBER || token->kind == LANG_LITERAL || (token->kind == LANG_WORD && lang_number_is_word(token->text)))
		return number_parse(climb->parser);
	if (token->kind == LANG_NAME)
		return name_parse(climb->parser);
	if (token->kind == LANG_WORD && !strcmp(token->text, "axis") && token[1].mark == '(')
		return axis_parse(climb->parser);
	function = token->kind == LANG_WORD ? reg_function_find(token->text, strlen(token->text)) : NULL;
	return function ? function_parse(climb, function) : nothing_parse(climb);
}

struct lang_scalar *lang_scalar_parse(struct lang_parser *parser, const char *what)
{
	struct lang_climb climb = {.parser = parser,
				   .what = what,
				   .max_operators = LANG_MAX_OPERATORS,
				   .primary = primary_parse,
				   .operation = operation_make,
				   .grouped = group_widen};
	struct lang_scalar *scalar = lang_climb(&climb);
	const struct lang_token *token = lang_peek(parser);

	if (scalar && token->kind == LANG_NAME && !token->first && token[1].mark != '=') {
		lang_error(parser->unit, token->at, "expected an operator, found \"%%%.80s\"", token->text);
		lang_help(parser->unit, "a blank stands behind the sign of a remainder: %%a %% %%%.80s", token->text);
		return NULL;
	}
	return scalar;
}
