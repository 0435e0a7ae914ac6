/* SPDX-License-Identifier: MIT */
/* parse_operand.c - what stands behind the opcode of a statement: operands, attributes, types. */
#include "lang/number.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

struct lang_operand *lang_operand_add(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity)
{
	return COMMON_PUSH(&parser->unit->arena, stmt->operands, stmt->count, *capacity);
}

/* inf, nan: words that are numbers. */
static bool is_number_word(const struct lang_token *token)
{
	return token->kind == LANG_WORD && lang_number_is_word(token->text);
}

static bool value_refuse(struct lang_parser *parser, int bare)
{
	const struct lang_token *token = lang_peek(parser);

	lang_expected(parser, bare ? "a loop value, a scalar or a number" : "a value such as %x or %1.0");
	if (token->kind == LANG_WORD && lang_mode_spelled(parser->unit, token->text))
		lang_help(parser->unit, "a comparison stands behind the operands: {%s}", lang_mode_spelled(parser->unit, token->text));
	else if (token->kind == LANG_WORD && !token->first)
		lang_help(parser->unit, "names carry a sign: %%%s", token->text);
	else if (strchr("<>=!", token->mark) && token->mark)
		lang_help(parser->unit, "comparisons are words: EQ NE LT LE GT GE");
	return false;
}

bool lang_value_parse(struct lang_parser *parser, struct lang_operand *operand, int bare)
{
	const struct lang_token *token = lang_peek(parser);
	int word = !bare && is_number_word(token);

	if (token->kind != LANG_NAME && token->kind != LANG_LITERAL && token->kind != LANG_NUMBER && !word && !(bare && token->kind == LANG_WORD))
		return value_refuse(parser, bare);
	memset(operand, 0, sizeof(*operand));
	operand->kind = !word && (token->kind == LANG_NAME || token->kind == LANG_WORD) ? LANG_OPERAND_NAME : LANG_OPERAND_NUMBER;
	operand->bare = token->kind == LANG_WORD && !word;
	operand->text = token->text;
	operand->at = token->at;
	lang_take(parser);
	return true;
}

int lang_annotation_parse(struct lang_parser *parser, struct lang_operand *operand)
{
	if (!lang_at_mark(parser, ':'))
		return 1;
	lang_take(parser);
	return lang_type_parse(parser, &operand->type);
}

/* "[r, c]" behind a memref or tile: more operands. */
static int indices_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity)
{
	if (!lang_at_mark(parser, '['))
		return 1;
	lang_take(parser);
	for (bool more = !lang_at_mark(parser, ']'); more; more = lang_comma_take(parser, ']'))
		if (!lang_value_parse(parser, lang_operand_add(parser, stmt, capacity), 1))
			return 0;
	return lang_expect(parser, ']', "behind the indices");
}

bool lang_operands_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity, int annotated)
{
	for (;;) {
		struct lang_operand operand;

		if (!lang_value_parse(parser, &operand, 0) || (annotated && !lang_annotation_parse(parser, &operand)))
			return false;
		*lang_operand_add(parser, stmt, capacity) = operand;
		if (!indices_parse(parser, stmt, capacity))
			return false;
		if (!lang_at_mark(parser, ','))
			return true;
		lang_take(parser);
		if (annotated && stmt->op == PTOWSP_PTO_CMP && lang_peek(parser)->kind == LANG_WORD && !is_number_word(lang_peek(parser)))
			return true;
	}
}

/* {isBinary = false}, {cmpMode = #pto.cmp<GT>} */
static bool attribute_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *name = lang_take(parser), *value;
	int wrapped;

	if (name->kind != LANG_WORD) {
		parser->at--;
		return lang_expected(parser, "the attribute's name");
	}
	if (!lang_expect(parser, '=', "behind the attribute's name"))
		return false;
	wrapped = lang_peek(parser)->kind == LANG_HASH;
	if (wrapped) {
		lang_take(parser);
		if (!lang_expect(parser, '<', "behind the attribute's type"))
			return false;
	}
	value = lang_peek(parser);
	if (value->kind != LANG_WORD && value->kind != LANG_NUMBER)
		return lang_expected(parser, "the attribute's value");
	lang_take(parser);
	return (!wrapped || lang_expect(parser, '>', "behind the attribute's value")) && lang_mode_read(parser, stmt, name->text, value->text, value->at);
}

int lang_attributes_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, '{'))
		return 1;
	lang_take(parser);
	for (bool more = !lang_at_mark(parser, '}'); more; more = lang_comma_take(parser, '}'))
		if (!attribute_parse(parser, stmt))
			return 0;
	return lang_expect(parser, '}', "behind the attributes");
}

/* "T", "T, T", "(T, T)" */
static bool types_parse(struct lang_parser *parser, struct lang_type **types, uint32_t *count)
{
	int wrapped = lang_at_mark(parser, '(');
	uint32_t capacity = 0;

	if (wrapped)
		lang_take(parser);
	for (;;) {
		if (!lang_type_parse(parser, COMMON_PUSH(&parser->unit->arena, *types, *count, capacity)))
			return false;
		if (wrapped ? !lang_at_more(parser) : !lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	return !wrapped || lang_expect(parser, ')', "behind the types");
}

bool lang_tail_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	if (!lang_at_mark(parser, ':'))
		return true;
	lang_take(parser);
	if (!types_parse(parser, &stmt->tail, &stmt->tail_count))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return true;
	lang_take(parser);
	return types_parse(parser, &stmt->tail_results, &stmt->tail_result_count);
}
