/* SPDX-License-Identifier: MIT */
/* graph_scalar.c - scalars of instructions: expressions in C's notation, folded where they are constant, and the values
 * that they can have. */
#include "lang/builder/tables.h"
#include "lang/graph/lang_graph.h"
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/scalar.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One scalar being read. */
struct scalar_climb {
	struct lang_climb climb; /* first: a climb is cast to what it is in */
	struct lang_graph_reader *reader;
};

static struct lang_graph_scalar *node_make(struct lang_unit *unit, unsigned op, struct lang_span at)
{
	struct lang_graph_scalar *node = common_alloc(&unit->arena, sizeof(*node));

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

static struct lang_graph_reader *reader_of(struct lang_climb *climb)
{
	return ((struct scalar_climb *)climb)->reader;
}

/* Scalars wrap around in a run; a constant that does is a slip. */
static int overflows(unsigned op, int64_t a, int64_t b)
{
	int64_t value;

	switch (op) {
	case PTOWSP_EXPR_ADD: return __builtin_add_overflow(a, b, &value);
	case PTOWSP_EXPR_SUB: return __builtin_sub_overflow(a, b, &value);
	case PTOWSP_EXPR_MUL: return __builtin_mul_overflow(a, b, &value);
	case PTOWSP_EXPR_SHL: return b < 0 || b > 62 || a < 0 || a > INT64_MAX >> b;
	default: return 0;
	}
}

/* 1: it makes sense as far as its constants say. */
static bool operation_check(struct lang_unit *unit, unsigned op, struct lang_span at, const struct lang_graph_scalar *a, const struct lang_graph_scalar *b)
{
	if (!b || b->op != PTOWSP_EXPR_CONST)
		return true;
	if ((op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD) && !b->value) {
		lang_error(unit, at, "this divides by 0");
		return false;
	}
	if (a->op == PTOWSP_EXPR_CONST && overflows(op, a->value, b->value)) {
		lang_error(unit, at, "the result does not fit 63 bits and a sign");
		return false;
	}
	return true;
}

static void *operation_make(struct lang_climb *climb, unsigned op, struct lang_span at, void *first, void *second, void *third)
{
	struct lang_graph_scalar *node, *a = first, *b = second, *c = third;
	uint64_t value;

	if (!operation_check(climb->parser->unit, op, at, a, b))
		return NULL;
	if (a->op == PTOWSP_EXPR_CONST && (!b || b->op == PTOWSP_EXPR_CONST) && (!c || c->op == PTOWSP_EXPR_CONST) &&
	    lang_expr_fold(op, a->value, b ? b->value : 0, c ? c->value : 0, &value))
		return lang_graph_scalar_constant(climb->parser->unit, (int64_t)value, a->at);
	node = node_make(climb->parser->unit, op, at);
	node->a = a;
	node->b = b;
	node->c = c;
	return node;
}

static bool hex_read(const char *text, uint64_t *value_out)
{
	uint64_t value = 0;
	size_t digits = 0;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return false;
	for (text += 2; *text; text++, digits++) {
		char c = *text;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
							: 16;

		if (digit > 15 || digits > 15)
			return false;
		value = value << 4 | digit;
	}
	*value_out = value;
	return digits > 0;
}

/* min(a, b), max(a, b) */
static void *function_parse(struct lang_climb *climb, unsigned op, struct lang_span at)
{
	void *operands[3] = {NULL, NULL, NULL};
	struct lang_span end;

	return lang_climb_operands(climb, 2, operands, &end) ? lang_climb_operation(climb, op, at, operands) : NULL;
}

/* ":f32" directly behind "]"; with a blank it is the colon of "c ? a : b". */
static bool at_type(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser), *before = token - 1;

	return token->mark == ':' && token->at.line == before->at.line && token->at.column == before->at.column + 1 && token[1].kind == LANG_WORD &&
	       token[1].at.column == token->at.column + 1;
}

/* T[i] or T[i]:f32, element i of a tensor whose name is taken. */
static struct lang_graph_scalar *element_parse(struct lang_climb *climb, const char *name, struct lang_span at)
{
	struct lang_parser *parser = climb->parser;
	struct lang_graph_scalar *node = node_make(climb->parser->unit, PTOWSP_GRAPH_NODE_ELEMENT, at);
	struct lang_type type;

	lang_take(parser);
	node->object = lang_graph_mention(reader_of(climb), PTOWSP_GRAPH_TENSOR, name, at);
	node->dtype = PTOWSP_I32;
	node->a = lang_climb(climb);
	if (!node->a || !lang_expect(parser, ']', "behind the index"))
		return NULL;
	if (!at_type(parser))
		return node;
	lang_take(parser);
	if (!lang_type_parse(parser, &type))
		return NULL;
	assert(type.kind == LANG_TYPE_SCALAR); /* a word */
	node->dtype = type.dtype;
	return node;
}

/* A constant, or an element of a tensor whose id is a number: 7[0]. */
static struct lang_graph_scalar *number_parse(struct lang_climb *climb)
{
	const struct lang_token *token = lang_take(climb->parser);
	uint64_t value = 0;
	uint32_t id;

	if (lang_at_mark(climb->parser, '[') && !lang_peek(climb->parser)->first && lang_uint_read(token->text, &id) && id < UINT32_MAX)
		return element_parse(climb, common_format(&climb->parser->unit->arena, "%u", (unsigned)id), token->at);
	if (!hex_read(token->text, &value) && lang_number_read(token->text, PTOWSP_I64, &value) != LANG_NUMBER_OK) {
		lang_error(climb->parser->unit, token->at, "\"%.40s\" is no whole number of 64 bits", token->text);
		return NULL;
	}
	return lang_graph_scalar_constant(climb->parser->unit, (int64_t)value, token->at);
}

static struct lang_graph_object *iterator_find(const struct lang_graph_reader *reader, const char *name)
{
	for (uint32_t i = reader->iterator_count; i-- > 0;)
		if (!strcmp(reader->iterators[i]->name, name))
			return reader->iterators[i];
	return NULL;
}

/* The name of a loop that is over, which nothing declares: it would be a symbol that a run has to set. */
static void iterator_warn(struct lang_graph_reader *reader, const struct lang_token *token)
{
	const struct lang_graph_object *over = lang_graph_find(reader->program, PTOWSP_GRAPH_ITERATOR, token->text);

	if (!over || lang_decl_find(reader->parser->module, '%', token->text) || lang_graph_find(reader->program, PTOWSP_GRAPH_SCALAR, token->text))
		return;
	lang_warn(reader->unit, token->at, "%s counts the loop at %s, which is over: here it is a symbol that is set from outside", token->text,
		  lang_place(reader->unit, over->at));
	lang_help(reader->unit, "move this into the loop, or declare: symbol %%%s : u64", token->text);
}

static struct lang_graph_scalar *name_parse(struct lang_climb *climb)
{
	const struct lang_token *token = lang_take(climb->parser);
	struct lang_graph_scalar *node;
	struct lang_graph_object *iterator;

	if (lang_at_mark(climb->parser, '[') && !lang_peek(climb->parser)->first)
		return element_parse(climb, token->text, token->at);
	if (lang_at_mark(climb->parser, '(') && (!strcmp(token->text, "min") || !strcmp(token->text, "max")))
		return function_parse(climb, token->text[1] == 'i' ? PTOWSP_EXPR_MIN : PTOWSP_EXPR_MAX, token->at);
	if (!strcmp(token->text, "ITERATION"))
		return node_make(climb->parser->unit, PTOWSP_GRAPH_NODE_ITERATION, token->at);
	iterator = iterator_find(reader_of(climb), token->text);
	if (!iterator)
		iterator_warn(reader_of(climb), token);
	node = node_make(climb->parser->unit, iterator ? PTOWSP_EXPR_AXIS : PTOWSP_EXPR_VALUE, token->at);
	node->object = iterator ? iterator : lang_graph_mention(reader_of(climb), PTOWSP_GRAPH_SCALAR, token->text, token->at);
	return node;
}

static void *primary_parse(struct lang_climb *climb)
{
	const struct lang_token *token = lang_peek(climb->parser);

	if (token->kind == LANG_NUMBER || token->kind == LANG_LITERAL)
		return number_parse(climb);
	if (token->kind == LANG_WORD || token->kind == LANG_NAME)
		return name_parse(climb);
	lang_expected(climb->parser, climb->what);
	return NULL;
}

struct lang_graph_scalar *lang_graph_scalar_parse(struct lang_graph_reader *reader, const char *what)
{
	struct scalar_climb scalar = {.climb = {.parser = reader->parser,
						.what = what,
						.max_operators = LANG_MAX_OPERATORS,
						.bare_names = 1,
						.primary = primary_parse,
						.operation = operation_make},
				      .reader = reader};

	return lang_climb(&scalar.climb);
}

/* ---- which values a scalar can have, and which bytes a binding can mean. ---- */

/* Bounds of an operation from the least and the largest values of its two operands. */
static bool operation_range(unsigned op, const int64_t a[2], const int64_t b[2], int64_t *low_out, int64_t *high_out)
{
	switch (op) {
	case PTOWSP_EXPR_ADD:
	case PTOWSP_EXPR_SUB:
		*low_out = op == PTOWSP_EXPR_ADD ? a[0] + b[0] : a[0] - b[1];
		*high_out = op == PTOWSP_EXPR_ADD ? a[1] + b[1] : a[1] - b[0];
		return true;
	case PTOWSP_EXPR_MUL:
		if (a[0] < 0 || b[0] < 0 || (b[1] && a[1] > LANG_GRAPH_FAR / b[1]))
			return false;
		*low_out = a[0] * b[0];
		*high_out = a[1] * b[1];
		return true;
	case PTOWSP_EXPR_SHL:
		if (a[0] < 0 || b[0] < 0 || b[1] > 60 || a[1] > LANG_GRAPH_FAR >> b[1])
			return false;
		*low_out = a[0] << b[0];
		*high_out = a[1] << b[1];
		return true;
	default: return false;
	}
}

bool lang_graph_range(const struct lang_graph_scalar *scalar, int64_t *low_out, int64_t *high_out)
{
	int64_t al, ah, bl, bh;

	*low_out = *high_out = scalar->value;
	if (scalar->op == PTOWSP_EXPR_CONST)
		return scalar->value > -LANG_GRAPH_FAR && scalar->value < LANG_GRAPH_FAR;
	if (scalar->op == PTOWSP_EXPR_AXIS) {
		*low_out = 0;
		return scalar->object->inst && lang_graph_range(scalar->object->inst->args[0].scalar, &al, high_out) && --*high_out >= 0;
	}
	if (!scalar->b || scalar->c || !lang_graph_range(scalar->a, &al, &ah) || !lang_graph_range(scalar->b, &bl, &bh) ||
	    !operation_range(scalar->op, (const int64_t[]){al, ah}, (const int64_t[]){bl, bh}, low_out, high_out))
		return false;
	return *low_out > -LANG_GRAPH_FAR && *high_out < LANG_GRAPH_FAR;
}

void lang_graph_bytes(const struct lang_graph_bind *bind, int64_t *from_out, int64_t *end_out)
{
	int64_t high, size, unused;

	*end_out = INT64_MAX;
	if (!lang_graph_range(bind->offset, from_out, &high)) {
		*from_out = 0;
		return;
	}
	if (lang_graph_range(bind->size, &unused, &size) && size > 0)
		*end_out = high + size;
}

bool lang_graph_overlaps(const struct lang_graph_bind *a, const struct lang_graph_bind *b)
{
	int64_t from, end, other_from, other_end;

	lang_graph_bytes(a, &from, &end);
	lang_graph_bytes(b, &other_from, &other_end);
	return a->tensor == b->tensor && from < other_end && other_from < end;
}
