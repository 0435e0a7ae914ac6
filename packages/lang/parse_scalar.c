/* SPDX-License-Identifier: MIT */
/* parse_scalar.c - scalar expressions, by precedence. */
#include "lang/number.h"
#include "lang/parse.h"
#include "lang/scalar.h"

#include <stdio.h>
#include <string.h>

/* Two-operand operators; a larger level binds closer. Longer spellings first. */
static const struct operator {
	char text[3];
	uint8_t level, op;
} operators[] = {
	{"||", 1, PTOWSP_EXPR_LOR}, {"&&", 2, PTOWSP_EXPR_LAND}, {"==", 6, PTOWSP_EXPR_EQ},  {"!=", 6, PTOWSP_EXPR_NE},
	{"<=", 7, PTOWSP_EXPR_LE},  {">=", 7, PTOWSP_EXPR_GE},   {"<<", 8, PTOWSP_EXPR_SHL}, {">>", 8, PTOWSP_EXPR_SHR},
	{"|", 3, PTOWSP_EXPR_OR},   {"^", 4, PTOWSP_EXPR_XOR},   {"&", 5, PTOWSP_EXPR_AND},  {"<", 7, PTOWSP_EXPR_LT},
	{">", 7, PTOWSP_EXPR_GT},   {"+", 9, PTOWSP_EXPR_ADD},   {"-", 9, PTOWSP_EXPR_SUB},  {"*", 10, PTOWSP_EXPR_MUL},
	{"/", 10, PTOWSP_EXPR_DIV}, {"%", 10, PTOWSP_EXPR_MOD},
};
/* Functions and words. */
static const struct function {
	const char *text;
	uint8_t op, operands;
} functions[] = {
	{"min", PTOWSP_EXPR_MIN, 2}, {"max", PTOWSP_EXPR_MAX, 2},           {"select", PTOWSP_EXPR_SELECT, 3},
	{"task", PTOWSP_EXPR_TASK, 0}, {"instance", PTOWSP_EXPR_INSTANCE, 0},
};

struct reader {
	struct lang_parser *parser;
	const char *what;
	uint32_t operators, depth;
};

static struct lang_scalar *binary_parse(struct reader *reader, unsigned level);

static struct lang_scalar *scalar_make(struct reader *reader, enum lang_scalar_kind kind, struct lang_span at)
{
	struct lang_scalar *scalar = lang_alloc(&reader->parser->unit->arena, sizeof(*scalar));

	scalar->kind = (uint8_t)kind;
	scalar->at = scalar->all = at;
	return scalar;
}

/* From the first token of a to the last of b, as far as they stand on one line. */
static struct lang_span span_join(struct lang_span a, struct lang_span b)
{
	if (a.file == b.file && a.line == b.line && b.column + b.length > a.column)
		a.length = b.column + b.length - a.column;
	return a;
}

static struct lang_scalar *operation(struct reader *reader, unsigned op, struct lang_span at, struct lang_scalar *a,
				     struct lang_scalar *b, struct lang_scalar *c)
{
	struct lang_scalar *scalar;

	if (reader->operators++ == LANG_MAX_OPERATORS) {
		lang_error(reader->parser->unit, at, "this expression has more than %u operators", LANG_MAX_OPERATORS);
		return NULL;
	}
	scalar = scalar_make(reader, LANG_SCALAR_OP, at);
	scalar->op = (uint8_t)op;
	scalar->operands[0] = a;
	scalar->operands[1] = b;
	scalar->operands[2] = c;
	scalar->all = b ? span_join(a->all, c ? c->all : b->all) : span_join(at, a->all);
	return scalar;
}

static int deeper(struct reader *reader)
{
	if (++reader->depth < LANG_MAX_NESTING)
		return 1;
	if (reader->depth == LANG_MAX_NESTING)
		lang_error(reader->parser->unit, lang_peek(reader->parser)->at, "expressions nest deeper than %u", LANG_MAX_NESTING);
	return 0;
}

/* The operator at the next tokens; *signed_out: it is the sign of the number there. NULL if there is none. */
static const struct operator *operator_at(const struct lang_parser *parser, int *signed_out)
{
	const struct lang_token *token = lang_peek(parser);
	char first = token->mark, second = first ? token[1].mark : '\0';

	*signed_out = 0;
	if (token->kind == LANG_NUMBER && (*token->text == '-' || *token->text == '+')) {
		first = *token->text;
		*signed_out = 1;
	} else if (token->kind == LANG_LITERAL && !token->first) { /* "%i %2" */
		first = '%';
		*signed_out = 1;
	}
	if (second && (token[1].at.line != token->at.line || token[1].at.column != token->at.column + 1))
		second = '\0';
	for (size_t i = 0; first && i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].text[0] == first && (!operators[i].text[1] || operators[i].text[1] == second))
			return &operators[i];
	return NULL;
}

/* Takes the operator. A sign is cut off the number behind it. */
static struct lang_span operator_take(struct lang_parser *parser, const struct operator *operator, int is_sign)
{
	struct lang_token *token = &parser->tokens.rows[parser->at];
	struct lang_span at = token->at;

	if (!is_sign) {
		lang_take(parser);
		if (operator->text[1])
			lang_take(parser);
		at.length = (uint32_t)strlen(operator->text);
		return at;
	}
	at.length = 1;
	if (token->kind == LANG_LITERAL)
		token->kind = LANG_NUMBER;
	else
		token->text++;
	token->at.column++;
	token->at.length--;
	token->first = 0;
	return at;
}

static struct lang_scalar *number_parse(struct reader *reader)
{
	const struct lang_token *token = lang_take(reader->parser);
	struct lang_scalar *scalar = scalar_make(reader, LANG_SCALAR_NUMBER, token->at);
	uint64_t value = 0;

	scalar->text = token->text;
	switch (lang_number_read(token->text, PTOWSP_I64, &value)) {
	case LANG_NUMBER_OK:
		scalar->value = (int64_t)value;
		return scalar;
	case LANG_NUMBER_FRACTION:
		scalar->kind = LANG_SCALAR_FLOAT;
		return scalar;
	case LANG_NUMBER_RANGE:
		lang_error(reader->parser->unit, token->at, "%.40s does not fit 64 bits", token->text);
		return NULL;
	default:
		if (!strcmp(token->text, "-inf") || !strcmp(token->text, "+inf")) {
			scalar->kind = LANG_SCALAR_FLOAT;
			return scalar;
		}
		lang_error(reader->parser->unit, token->at, "\"%.40s\" is no number", token->text);
		return NULL;
	}
}

static struct lang_scalar *function_parse(struct reader *reader, const struct function *function)
{
	struct lang_parser *parser = reader->parser;
	struct lang_span at = lang_take(parser)->at, end;
	struct lang_scalar *operands[3] = {NULL, NULL, NULL}, *scalar;

	if (!function->operands) {
		scalar = scalar_make(reader, LANG_SCALAR_OP, at);
		scalar->op = function->op;
		return scalar;
	}
	if (!lang_expect(parser, '(', "and the operands behind the function"))
		return NULL;
	for (uint32_t i = 0; i < function->operands; i++) {
		if (i && !lang_expect(parser, ',', "and the next operand"))
			return NULL;
		operands[i] = binary_parse(reader, 0);
		if (!operands[i])
			return NULL;
	}
	end = lang_peek(parser)->at;
	if (!lang_expect(parser, ')', "behind the operands"))
		return NULL;
	scalar = operation(reader, function->op, at, operands[0], operands[1], operands[2]);
	if (scalar)
		scalar->all = span_join(at, end);
	return scalar;
}

static struct lang_scalar *group_parse(struct reader *reader)
{
	struct lang_span at = lang_take(reader->parser)->at, end;
	struct lang_scalar *scalar = binary_parse(reader, 0);

	end = lang_peek(reader->parser)->at;
	if (!scalar || !lang_expect(reader->parser, ')', "behind the expression"))
		return NULL;
	scalar->all = span_join(at, end);
	return scalar;
}

static struct lang_scalar *name_parse(struct reader *reader)
{
	const struct lang_token *token = lang_take(reader->parser);
	struct lang_scalar *scalar = scalar_make(reader, LANG_SCALAR_NAME, token->at);

	scalar->text = token->text;
	return scalar;
}

static struct lang_scalar *nothing_parse(struct reader *reader)
{
	const struct lang_token *token = lang_peek(reader->parser);

	if (token->kind == LANG_WORD && !token->first) {
		lang_error(reader->parser->unit, token->at, "\"%.80s\" is no value", token->text);
		lang_help(reader->parser->unit, "names carry a sign: %%%.80s", token->text);
		return NULL;
	}
	lang_expected(reader->parser, reader->what);
	return NULL;
}

static struct lang_scalar *primary_parse(struct reader *reader)
{
	const struct lang_token *token = lang_peek(reader->parser);

	if (token->kind == LANG_NUMBER)
		return number_parse(reader);
	if (token->kind == LANG_LITERAL)
		return number_parse(reader);
	if (token->kind == LANG_NAME)
		return name_parse(reader);
	if (token->mark == '(')
		return group_parse(reader);
	for (size_t i = 0; token->kind == LANG_WORD && i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].text, token->text))
			return function_parse(reader, &functions[i]);
	return nothing_parse(reader);
}

static struct lang_scalar *unary_parse(struct reader *reader)
{
	const struct lang_token *token = lang_peek(reader->parser);
	unsigned op = token->mark == '-' ? PTOWSP_EXPR_NEG : token->mark == '~' ? PTOWSP_EXPR_NOT : PTOWSP_EXPR_LNOT;
	struct lang_span at = token->at;
	struct lang_scalar *operand;

	if (!deeper(reader))
		return NULL;
	if (token->mark == '-' || token->mark == '~' || token->mark == '!') {
		lang_take(reader->parser);
		operand = unary_parse(reader);
		operand = operand ? operation(reader, op, at, operand, NULL, NULL) : NULL;
	} else {
		operand = primary_parse(reader);
	}
	reader->depth--;
	return operand;
}

/* "c ? a : b", and operators from that level on, from left to right. */
static struct lang_scalar *binary_parse(struct reader *reader, unsigned level)
{
	struct lang_parser *parser = reader->parser;
	struct lang_scalar *left, *middle, *right;
	const struct operator *operator;
	struct lang_span at;
	int is_sign;

	if (!deeper(reader))
		return NULL;
	left = unary_parse(reader);
	while (left && (operator = operator_at(parser, &is_sign)) != NULL && operator->level > level) {
		at = operator_take(parser, operator, is_sign);
		right = binary_parse(reader, operator->level);
		left = right ? operation(reader, operator->op, at, left, right, NULL) : NULL;
	}
	if (left && level == 0 && lang_at_mark(parser, '?')) {
		at = lang_take(parser)->at;
		middle = binary_parse(reader, 0);
		right = middle && lang_expect(parser, ':', "and the other value") ? binary_parse(reader, 0) : NULL;
		left = right ? operation(reader, PTOWSP_EXPR_SELECT, at, left, middle, right) : NULL;
	}
	reader->depth--;
	return left;
}

struct lang_scalar *lang_scalar_parse(struct lang_parser *parser, const char *what)
{
	struct reader reader = {.parser = parser, .what = what};
	struct lang_scalar *scalar = binary_parse(&reader, 0);
	const struct lang_token *token = lang_peek(parser);

	if (scalar && token->kind == LANG_NAME && !token->first && token[1].mark != '=') {
		lang_error(parser->unit, token->at, "expected an operator, found \"%%%.80s\"", token->text);
		lang_help(parser->unit, "a blank stands behind the sign of a remainder: %%a %% %%%.80s", token->text);
		return NULL;
	}
	return scalar;
}
