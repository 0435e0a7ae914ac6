/* SPDX-License-Identifier: MIT */
/* graph_scalar.c - scalars of instructions: expressions in C's notation, folded where they are constant. */
#include "lang/graph.h"
#include "lang/number.h"
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

#define MAX_OPERATORS 1000u /* of one scalar */

/* Operators with two operands; a larger level binds closer. Longer spellings first. */
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

/* One scalar being read. */
struct scalar_reader {
	struct lang_graph_reader *reader;
	const char *what;
	uint32_t operators, depth;
};

static struct lang_graph_scalar *binary_parse(struct scalar_reader *s, unsigned level);

static struct lang_graph_scalar *node_make(struct lang_unit *unit, unsigned op, struct lang_span at)
{
	struct lang_graph_scalar *node = lang_alloc(&unit->arena, sizeof(*node));

	node->op = (uint8_t)op;
	node->at = at;
	return node;
}

struct lang_graph_scalar *lang_graph_scalar_constant(struct lang_unit *unit, int64_t value, struct lang_span at)
{
	struct lang_graph_scalar *node = node_make(unit, PTOWSP_EXPR_CONST, at);

	node->value = value;
	return node;
}

/* Wrapping, as runtime.md says. 0: a division by zero stays, it is an error when it is reached. */
static int fold(unsigned op, int64_t x, int64_t y, int64_t z, int64_t *value_out)
{
	const uint64_t a = (uint64_t)x, b = (uint64_t)y;

	switch (op) {
	case PTOWSP_EXPR_ADD: *value_out = (int64_t)(a + b); return 1;
	case PTOWSP_EXPR_SUB: *value_out = (int64_t)(a - b); return 1;
	case PTOWSP_EXPR_MUL: *value_out = (int64_t)(a * b); return 1;
	case PTOWSP_EXPR_DIV: *value_out = y == -1 ? (int64_t)(0 - a) : y ? x / y : 0; return y != 0;
	case PTOWSP_EXPR_MOD: *value_out = y == -1 || !y ? 0 : x % y; return y != 0;
	case PTOWSP_EXPR_MIN: *value_out = x < y ? x : y; return 1;
	case PTOWSP_EXPR_MAX: *value_out = x > y ? x : y; return 1;
	case PTOWSP_EXPR_AND: *value_out = (int64_t)(a & b); return 1;
	case PTOWSP_EXPR_OR: *value_out = (int64_t)(a | b); return 1;
	case PTOWSP_EXPR_XOR: *value_out = (int64_t)(a ^ b); return 1;
	case PTOWSP_EXPR_SHL: *value_out = (int64_t)(a << (b & 63)); return 1;
	case PTOWSP_EXPR_SHR: *value_out = (int64_t)(x < 0 ? ~(~a >> (b & 63)) : a >> (b & 63)); return 1;
	case PTOWSP_EXPR_EQ: *value_out = x == y; return 1;
	case PTOWSP_EXPR_NE: *value_out = x != y; return 1;
	case PTOWSP_EXPR_LT: *value_out = x < y; return 1;
	case PTOWSP_EXPR_LE: *value_out = x <= y; return 1;
	case PTOWSP_EXPR_GT: *value_out = x > y; return 1;
	case PTOWSP_EXPR_GE: *value_out = x >= y; return 1;
	case PTOWSP_EXPR_LAND: *value_out = x && y; return 1;
	case PTOWSP_EXPR_LOR: *value_out = x || y; return 1;
	case PTOWSP_EXPR_NEG: *value_out = (int64_t)(0 - a); return 1;
	case PTOWSP_EXPR_NOT: *value_out = (int64_t)~a; return 1;
	case PTOWSP_EXPR_LNOT: *value_out = !x; return 1;
	case PTOWSP_EXPR_SELECT: *value_out = x ? y : z; return 1;
	}
	return 0;
}

static struct lang_graph_scalar *operation(struct scalar_reader *s, unsigned op, struct lang_span at, struct lang_graph_scalar *a,
					   struct lang_graph_scalar *b, struct lang_graph_scalar *c)
{
	struct lang_graph_scalar *node;
	int64_t value;

	if (s->operators++ == MAX_OPERATORS) {
		lang_error(s->reader->unit, at, "this expression has more than %u operators", MAX_OPERATORS);
		return NULL;
	}
	if (a->op == PTOWSP_EXPR_CONST && (!b || b->op == PTOWSP_EXPR_CONST) && (!c || c->op == PTOWSP_EXPR_CONST) &&
	    fold(op, a->value, b ? b->value : 0, c ? c->value : 0, &value))
		return lang_graph_scalar_constant(s->reader->unit, value, a->at);
	node = node_make(s->reader->unit, op, at);
	node->a = a;
	node->b = b;
	node->c = c;
	return node;
}

static int deeper(struct scalar_reader *s)
{
	if (++s->depth < PTOWSP_NESTING_LIMIT)
		return 1;
	if (s->depth == PTOWSP_NESTING_LIMIT)
		lang_error(s->reader->unit, lang_peek(s->reader->parser)->at, "expressions nest deeper than %u", PTOWSP_NESTING_LIMIT);
	return 0;
}

/* The operator at the next tokens, NULL if there is none; *sign_out: it is the sign of the number there ("8-2"). */
static const struct operator *operator_at(const struct lang_parser *parser, int *sign_out)
{
	const struct lang_token *token = lang_peek(parser);
	char first = token->mark, second = first ? token[1].mark : '\0';

	*sign_out = 0;
	if (token->kind == LANG_NUMBER && (*token->text == '-' || *token->text == '+')) {
		first = *token->text;
		*sign_out = 1;
	} else if (token->kind == LANG_LITERAL || token->kind == LANG_NAME) { /* "n %2", "n %m" */
		first = '%';
		*sign_out = 1;
	}
	if (second && (token[1].at.line != token->at.line || token[1].at.column != token->at.column + 1))
		second = '\0';
	for (size_t i = 0; first && i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].text[0] == first && (!operators[i].text[1] || operators[i].text[1] == second))
			return &operators[i];
	return NULL;
}

/* Takes the operator; a sign is cut off what stands behind it. */
static struct lang_span operator_take(struct lang_parser *parser, const struct operator *operator, int is_sign)
{
	struct lang_token *token = &parser->tokens.rows[parser->at];
	struct lang_span at = token->at;

	at.length = is_sign ? 1 : (uint32_t)strlen(operator->text);
	if (!is_sign) {
		lang_take(parser);
		if (operator->text[1])
			lang_take(parser);
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

static int hex_read(const char *text, uint64_t *value_out)
{
	uint64_t value = 0;
	size_t digits = 0;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return 0;
	for (text += 2; *text; text++, digits++) {
		char c = *text;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
							: 16;

		if (digit > 15 || digits > 15)
			return 0;
		value = value << 4 | digit;
	}
	*value_out = value;
	return digits > 0;
}

static struct lang_graph_scalar *number_parse(struct scalar_reader *s)
{
	const struct lang_token *token = lang_take(s->reader->parser);
	uint64_t value = 0;

	if (!hex_read(token->text, &value) && lang_number_read(token->text, PTOWSP_I64, &value) != LANG_NUMBER_OK) {
		lang_error(s->reader->unit, token->at, "\"%.40s\" is no whole number of 64 bits", token->text);
		return NULL;
	}
	return lang_graph_scalar_constant(s->reader->unit, (int64_t)value, token->at);
}

/* min(a, b), max(a, b) */
static struct lang_graph_scalar *function_parse(struct scalar_reader *s, unsigned op, struct lang_span at)
{
	struct lang_parser *parser = s->reader->parser;
	struct lang_graph_scalar *a, *b;

	lang_take(parser);
	a = binary_parse(s, 0);
	if (!a || !lang_expect(parser, ',', "and the other operand"))
		return NULL;
	b = binary_parse(s, 0);
	if (!b || !lang_expect(parser, ')', "behind the operands"))
		return NULL;
	return operation(s, op, at, a, b, NULL);
}

/* ":f32" directly behind "]"; with a blank it is the colon of "c ? a : b". */
static int at_type(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser), *before = token - 1;

	return token->mark == ':' && token->at.line == before->at.line && token->at.column == before->at.column + 1 &&
	       token[1].kind == LANG_WORD && token[1].at.column == token->at.column + 1;
}

/* T[i] or T[i]:f32, element i of a tensor whose name is taken. */
static struct lang_graph_scalar *element_parse(struct scalar_reader *s, const struct lang_token *name)
{
	struct lang_parser *parser = s->reader->parser;
	struct lang_graph_scalar *node = node_make(s->reader->unit, PTOWSP_GRAPH_NODE_ELEMENT, name->at);
	struct lang_type type;

	lang_take(parser);
	node->object = lang_graph_mention(s->reader, PTOWSP_GRAPH_TENSOR, name->text, name->at);
	node->dtype = PTOWSP_I32;
	node->a = binary_parse(s, 0);
	if (!node->a || !lang_expect(parser, ']', "behind the index"))
		return NULL;
	if (!at_type(parser))
		return node;
	lang_take(parser);
	if (!lang_type_parse(parser, &type))
		return NULL;
	if (type.kind != LANG_TYPE_SCALAR) {
		lang_error(s->reader->unit, type.at, "an element has an element type such as i32");
		return NULL;
	}
	node->dtype = type.dtype;
	return node;
}

static struct lang_graph_object *iterator_find(const struct lang_graph_reader *reader, const char *name)
{
	for (uint32_t i = reader->iterator_count; i-- > 0;)
		if (!strcmp(reader->iterators[i]->name, name))
			return reader->iterators[i];
	return NULL;
}

static struct lang_graph_scalar *name_parse(struct scalar_reader *s)
{
	const struct lang_token *token = lang_take(s->reader->parser);
	struct lang_graph_scalar *node;
	struct lang_graph_object *iterator;

	if (lang_at_mark(s->reader->parser, '[') && !lang_peek(s->reader->parser)->first)
		return element_parse(s, token);
	if (lang_at_mark(s->reader->parser, '(') && (!strcmp(token->text, "min") || !strcmp(token->text, "max")))
		return function_parse(s, token->text[1] == 'i' ? PTOWSP_EXPR_MIN : PTOWSP_EXPR_MAX, token->at);
	if (!strcmp(token->text, "ITERATION"))
		return node_make(s->reader->unit, PTOWSP_GRAPH_NODE_ITERATION, token->at);
	iterator = iterator_find(s->reader, token->text);
	node = node_make(s->reader->unit, iterator ? PTOWSP_EXPR_AXIS : PTOWSP_EXPR_VALUE, token->at);
	node->object = iterator ? iterator : lang_graph_mention(s->reader, PTOWSP_GRAPH_SCALAR, token->text, token->at);
	return node;
}

static struct lang_graph_scalar *primary_parse(struct scalar_reader *s)
{
	struct lang_parser *parser = s->reader->parser;
	const struct lang_token *token = lang_peek(parser);
	struct lang_graph_scalar *node;

	if (token->kind == LANG_NUMBER || token->kind == LANG_LITERAL)
		return number_parse(s);
	if (token->kind == LANG_WORD || token->kind == LANG_NAME)
		return name_parse(s);
	if (token->mark != '(') {
		lang_expected(parser, s->what);
		return NULL;
	}
	lang_take(parser);
	node = binary_parse(s, 0);
	return node && lang_expect(parser, ')', "behind the expression") ? node : NULL;
}

/* "!x" is one token, which elsewhere begins a type. */
static struct lang_graph_scalar *not_parse(struct scalar_reader *s)
{
	struct lang_token *token = &s->reader->parser->tokens.rows[s->reader->parser->at];
	struct lang_span at = token->at;
	struct lang_graph_scalar *node;

	at.length = 1;
	token->kind = LANG_WORD;
	token->at.column++;
	token->at.length--;
	node = name_parse(s);
	return node ? operation(s, PTOWSP_EXPR_LNOT, at, node, NULL, NULL) : NULL;
}

static struct lang_graph_scalar *unary_parse(struct scalar_reader *s)
{
	const struct lang_token *token = lang_peek(s->reader->parser);
	unsigned op = token->mark == '-' ? PTOWSP_EXPR_NEG : token->mark == '~' ? PTOWSP_EXPR_NOT : PTOWSP_EXPR_LNOT;
	struct lang_span at = token->at;
	struct lang_graph_scalar *node;

	if (!deeper(s))
		return NULL;
	if (token->kind == LANG_TYPE) {
		node = not_parse(s);
	} else if (token->mark == '-' || token->mark == '~' || token->mark == '!') {
		lang_take(s->reader->parser);
		node = unary_parse(s);
		node = node ? operation(s, op, at, node, NULL, NULL) : NULL;
	} else {
		node = primary_parse(s);
	}
	s->depth--;
	return node;
}

/* "c ? a : b", and operators above that level, from left to right. */
static struct lang_graph_scalar *binary_parse(struct scalar_reader *s, unsigned level)
{
	struct lang_parser *parser = s->reader->parser;
	struct lang_graph_scalar *left, *middle, *right;
	const struct operator *operator;
	struct lang_span at;
	int is_sign;

	if (!deeper(s))
		return NULL;
	left = unary_parse(s);
	while (left && (operator = operator_at(parser, &is_sign)) != NULL && operator->level > level) {
		at = operator_take(parser, operator, is_sign);
		right = binary_parse(s, operator->level);
		left = right ? operation(s, operator->op, at, left, right, NULL) : NULL;
	}
	if (left && level == 0 && lang_at_mark(parser, '?')) {
		at = lang_take(parser)->at;
		middle = binary_parse(s, 0);
		right = middle && lang_expect(parser, ':', "and the other value") ? binary_parse(s, 0) : NULL;
		left = right ? operation(s, PTOWSP_EXPR_SELECT, at, left, middle, right) : NULL;
	}
	s->depth--;
	return left;
}

struct lang_graph_scalar *lang_graph_scalar_parse(struct lang_graph_reader *reader, const char *what)
{
	struct scalar_reader s = {.reader = reader, .what = what};

	return binary_parse(&s, 0);
}
