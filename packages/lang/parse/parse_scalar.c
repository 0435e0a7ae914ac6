/* SPDX-License-Identifier: MIT */
/* parse_scalar.c - scalar expressions, by precedence. */
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/scalar.h"
#include "registry/operator.h"

#include <stdio.h>
#include <string.h>

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
