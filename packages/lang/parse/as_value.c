/* SPDX-License-Identifier: MIT */
/* as_value.c - names of PTO-AS and what they stand for; statements that the dialect's operations become. */
#include "lang/parse/as.h"

#include "isa/isa.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct common_arena *arena_of(const struct lang_as *as)
{
	return &as->parser->unit->arena;
}

static struct lang_as_name *name_of(struct lang_as *as, const char *text)
{
	struct lang_as_name *name = lang_map_find(&as->names, text);

	if (!name) {
		name = common_alloc(arena_of(as), sizeof(*name));
		lang_map_add(&as->names, arena_of(as), text, name);
	}
	return name;
}

/* Never NULL: a name that is not there is told, and broken. */
static struct lang_as_value *name_find(struct lang_as *as, const struct lang_token *token)
{
	struct lang_as_name *name = name_of(as, token->text);

	if (!name->top) {
		lang_error(as->parser->unit, token->at, "there is no %%%s here", token->text);
		lang_help(as->parser->unit, "a value is seen from its operation to the end of the region around it");
		lang_as_define(as, token, LANG_AS_BROKEN);
	}
	return name->top;
}

struct lang_as_value *lang_as_define(struct lang_as *as, const struct lang_token *token, enum lang_as_kind kind)
{
	struct lang_as_name *name = name_of(as, token->text);
	struct lang_as_value *value = common_alloc(arena_of(as), sizeof(*value));

	if (name->top && name->top->kind != LANG_AS_BROKEN && kind != LANG_AS_BROKEN)
		lang_error(as->parser->unit, token->at, "%%%s is there already, from %s", token->text, lang_place(as->parser->unit, name->top->at));
	value->kind = (uint8_t)kind;
	value->name = token->text;
	value->at = token->at;
	value->shadowed = name->top;
	value->next = as->region;
	name->top = value;
	as->region = value;
	return value;
}

struct lang_as_value *lang_as_region_enter(struct lang_as *as)
{
	struct lang_as_value *outer = as->region;

	as->region = NULL;
	return outer;
}

void lang_as_region_leave(struct lang_as *as, struct lang_as_value *outer)
{
	for (struct lang_as_value *value = as->region; value; value = value->next)
		name_of(as, value->name)->top = value->shadowed;
	as->region = outer;
}

/* Names of numbers get a letter; the same name of another region gets a number. */
const char *lang_as_var(struct lang_as *as, enum lang_var_kind kind, const char *name, struct lang_type type, struct lang_span at)
{
	const int is_number = *name >= '0' && *name <= '9';
	const char *text = is_number ? common_format(arena_of(as), "v%s", name) : name;

	while (lang_var_find(as->parser->function, text))
		text = common_format(arena_of(as), "%s%s.%u", is_number ? "v" : "", name, ++as->made);
	type.kind = kind == LANG_TILE ? LANG_TYPE_TILE : kind == LANG_MEMREF ? LANG_TYPE_MEMREF : LANG_TYPE_SCALAR;
	lang_var_add(as->parser->unit, as->parser->function, kind, text, type, at);
	return text;
}

static struct lang_as_value *number_value(struct lang_as *as, const struct lang_token *token)
{
	struct lang_as_value *value = common_alloc(arena_of(as), sizeof(*value));

	value->kind = LANG_AS_NUMBER;
	value->type = (struct lang_type){.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_I64, .index = 1};
	value->text = token->text;
	value->at = token->at;
	if (strpbrk(token->text, ".eE"))
		value->kind = LANG_AS_FLOAT;
	return value;
}

/* Decimal, with a sign; 0 if it is none or does not fit 64 bits. */
static int integer_read(const char *text, int64_t *value_out)
{
	const int negative = *text == '-';
	int64_t value = 0;

	text += negative || *text == '+';
	if (!*text)
		return 0;
	for (; *text; text++)
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, *text - '0', &value)) /* negative: it reaches further */
			return 0;
	return negative ? (*value_out = value, 1) : !__builtin_sub_overflow(0, value, value_out);
}

struct lang_as_value *lang_as_operand(struct lang_as *as)
{
	const struct lang_token *token = lang_peek(as->parser);
	struct lang_as_value *value;

	if (token->kind == LANG_NAME || token->kind == LANG_LITERAL) {
		lang_take(as->parser);
		value = name_find(as, token);
		return value->kind == LANG_AS_BROKEN ? NULL : value;
	}
	if (token->kind != LANG_NUMBER) {
		lang_expected(as->parser, "a value such as %x");
		return NULL;
	}
	lang_take(as->parser);
	value = number_value(as, token);
	if (value->kind == LANG_AS_NUMBER && !integer_read(token->text, &value->term.number)) {
		lang_error(as->parser->unit, token->at, "\"%s\" is no number of 64 bits", token->text);
		return NULL;
	}
	return value;
}

int lang_as_term(struct lang_as *as, struct lang_as_term *term_out)
{
	const struct lang_token *token = lang_peek(as->parser);
	const struct lang_as_value *value = lang_as_operand(as);

	if (!value)
		return 0;
	*term_out = value->term;
	if (value->kind == LANG_AS_NUMBER || (value->kind == LANG_AS_SCALAR && common_dtype_class(value->type.dtype) != 'f'))
		return 1;
	lang_error(as->parser->unit, token->at, "a whole number is needed here, and %s%s is none", token->kind == LANG_NUMBER ? "" : "%", token->text);
	return 0;
}

struct lang_stmt *lang_as_emit(struct lang_as *as, unsigned op, const struct lang_operand *operands, uint32_t count)
{
	struct lang_stmt *stmt = common_alloc(arena_of(as), sizeof(*stmt));

	stmt->op = (uint8_t)op;
	stmt->at = as->at;
	stmt->word = isa_op(op)->mnemonic;
	stmt->body.last = &stmt->body.first;
	stmt->other.last = &stmt->other.first;
	stmt->count = count;
	stmt->results = (uint32_t)strspn(isa_op(op)->operands, "TS");
	stmt->operands = common_alloc(arena_of(as), (count + 1) * sizeof(*stmt->operands));
	if (count)
		memcpy(stmt->operands, operands, count * sizeof(*operands));
	*as->block->last = stmt;
	as->block->last = &stmt->next;
	return stmt;
}

struct lang_operand lang_as_of_term(const struct lang_as *as, struct lang_as_term term)
{
	if (term.var)
		return lang_as_of_name(as, term.var);
	return (struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = common_format(arena_of(as), "%lld", (long long)term.number), .at = as->at};
}

struct lang_operand lang_as_of_name(const struct lang_as *as, const char *name)
{
	return (struct lang_operand){.kind = LANG_OPERAND_NAME, .text = name, .at = as->at};
}

struct lang_operand lang_as_of_value(const struct lang_as *as, const struct lang_as_value *value)
{
	switch (value->kind) {
	case LANG_AS_NUMBER:
	case LANG_AS_SCALAR: return lang_as_of_term(as, value->term);
	case LANG_AS_FLOAT: return (struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = value->text, .at = as->at};
	case LANG_AS_VIEW: return lang_as_of_name(as, value->view->memref);
	default: return lang_as_of_name(as, value->text);
	}
}

/* The value of two numbers. 0: the result does not fit, or there is none. */
static int fold(unsigned op, int64_t x, int64_t y, int64_t *result_out)
{
	switch (op) {
	case PTOWSP_PTO_ADD: return !__builtin_add_overflow(x, y, result_out);
	case PTOWSP_PTO_SUB: return !__builtin_sub_overflow(x, y, result_out);
	case PTOWSP_PTO_MUL: return !__builtin_mul_overflow(x, y, result_out);
	default:
		if (y == 0 || (x == INT64_MIN && y == -1))
			return 0;
		*result_out = x / y;
		return 1;
	}
}

/* The neutral operand, which leaves the other one as it is. */
static bool is_neutral(unsigned op, struct lang_as_term term)
{
	return !term.var && term.number == (op == PTOWSP_PTO_MUL || op == PTOWSP_PTO_DIV);
}

struct lang_as_term lang_as_calc(struct lang_as *as, unsigned op, struct lang_as_term x, struct lang_as_term y)
{
	static const struct lang_type index = {.dtype = PTOWSP_I64, .index = 1};
	struct lang_as_term result = {0};
	struct lang_operand operands[3];

	if (!x.var && !y.var && fold(op, x.number, y.number, &result.number))
		return result;
	if (is_neutral(op, y))
		return x;
	if (is_neutral(op, x) && (op == PTOWSP_PTO_ADD || op == PTOWSP_PTO_MUL))
		return y;
	if (op == PTOWSP_PTO_MUL && ((!x.var && !x.number) || (!y.var && !y.number)))
		return result;
	result.var = lang_as_var(as, LANG_SCALAR, "at", index, as->at);
	operands[0] = lang_as_of_name(as, result.var);
	operands[1] = lang_as_of_term(as, x);
	operands[2] = lang_as_of_term(as, y);
	lang_as_emit(as, op, operands, 3);
	return result;
}
