/* SPDX-License-Identifier: MIT */
/* parse_stmt.c - declarations and statements of functions, one by one, up to the end of a block. */
#include "lang/parse/parse.h"

#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

void lang_line_skip(struct lang_parser *parser)
{
	while (lang_peek(parser)->kind != LANG_END && !lang_peek(parser)->first)
		lang_take(parser);
}

static int nothing_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	(void)parser;
	(void)stmt;
	return 1;
}

/* Statements that begin with a word of their own; so do scalar operations, by every spelling that the opcode table has. Every
 * other word is a tile operation without a result. */
static const struct form {
	const char *word;
	uint8_t op;
	int (*parse)(struct lang_parser *parser, struct lang_stmt *stmt);
} forms[] = {
	{"FOR", PTOWSP_PTO_FOR, lang_for_parse},       {"IF", PTOWSP_PTO_IF, lang_if_parse},       {"IF_BIT", PTOWSP_PTO_IF, lang_if_parse},
	{"WHILE", PTOWSP_PTO_WHILE, lang_while_parse}, {"BREAK", PTOWSP_PTO_BREAK, nothing_parse}, {"CONTINUE", PTOWSP_PTO_CONTINUE, nothing_parse},
	{"YIELD", PTOWSP_PTO_YIELD, nothing_parse},    {"CALL", PTOWSP_PTO_CALL, lang_call_parse}, {"return", PTOWSP_PTO_RETURN, nothing_parse},
};

static int word_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *word = lang_peek(parser);
	const int op = lang_scalar_op_find(word);

	stmt->at = word->at;
	stmt->word = word->text;
	if (op >= 0) {
		stmt->op = (uint8_t)op;
		lang_take(parser);
		return lang_scalar_op_parse(parser, stmt);
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (lang_at_word(parser, forms[i].word)) {
			stmt->op = forms[i].op;
			lang_take(parser);
			return forms[i].parse(parser, stmt);
		}
	return lang_tile_op_parse(parser, stmt, 0);
}

static bool instruction_expected(struct lang_parser *parser, const struct lang_operand *result)
{
	lang_expected(parser, "one instruction such as tadd");
	if (lang_peek(parser)->kind == LANG_NAME || lang_peek(parser)->kind == LANG_NUMBER)
		lang_help(parser->unit, "there are no expressions in functions: ADD %%%s, %%a, 1 adds scalars, %%t = tadd %%a, %%b tiles", result->text);
	return false;
}

/* "%x = ..." or "%x, %y = ..." */
static bool results_parse(struct lang_parser *parser, struct lang_stmt *stmt, int *declared)
{
	uint32_t capacity = 0;

	for (;;) {
		struct lang_operand *operand = lang_operand_add(parser, stmt, &capacity);

		if (lang_peek(parser)->kind != LANG_NAME)
			return lang_expected(parser, "a name such as %x");
		lang_value_parse(parser, operand, 0);
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	stmt->results = stmt->count;
	if (lang_var_is_misspelt(parser))
		lang_broken_declare(parser, stmt->operands[0].text, stmt->operands[0].at);
	if (!lang_expect(parser, '=', "behind the result"))
		return false;
	*declared = lang_peek(parser)->kind == LANG_WORD && lang_is_var_word(lang_peek(parser)->text);
	if (*declared && stmt->count == 1)
		return lang_var_parse(parser, &stmt->operands[0]);
	if (lang_peek(parser)->kind != LANG_WORD || *declared)
		return instruction_expected(parser, &stmt->operands[0]);
	return lang_tile_op_parse(parser, stmt, capacity);
}

static bool block_ends(const struct lang_parser *parser)
{
	static const char *const words[] = {"ENDFOR", "ENDIF", "ELSE", "DO", "ENDWHILE", "func"};
	const struct lang_token *token = lang_peek(parser);

	if (token->kind == LANG_END || token->mark == '}' || (token->first && lang_decl_at(parser)))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (lang_at_word(parser, words[i]))
			return true;
	return false;
}

static bool statement_expected(struct lang_parser *parser)
{
	const char mark = lang_peek(parser)->mark;

	lang_expected(parser, "a statement");
	if (mark == '{')
		lang_help(parser->unit, "there are no braces in functions: FOR ... ENDFOR, IF ... ELSE ... ENDIF, WHILE ... DO ... ENDWHILE");
	else if (mark && strchr("<>=!", mark))
		lang_help(parser->unit, "a condition is one scalar: CMP %%c:u1, %%a:i32, 1, GT sets it");
	return false;
}

static void statement_parse(struct lang_parser *parser, struct lang_block *block)
{
	struct lang_stmt *stmt = common_alloc(&parser->unit->arena, sizeof(*stmt));
	uint32_t start = parser->at;
	int declared = 0, ok;

	stmt->body.last = &stmt->body.first;
	stmt->other.last = &stmt->other.first;
	stmt->at = lang_peek(parser)->at;
	if (lang_peek(parser)->kind == LANG_NAME)
		ok = results_parse(parser, stmt, &declared);
	else if (lang_peek(parser)->kind == LANG_WORD)
		ok = word_parse(parser, stmt);
	else
		ok = statement_expected(parser);
	if (!ok) {
		if (parser->at == start)
			lang_take(parser);
		lang_line_skip(parser);
	}
	stmt->broken = !ok && (stmt->body.first || stmt->other.first);
	if (stmt->broken || (ok && !declared)) {
		*block->last = stmt;
		block->last = &stmt->next;
	}
}

void lang_block_parse(struct lang_parser *parser, struct lang_block *block)
{
	if (!block->last)
		block->last = &block->first;
	while (!block_ends(parser))
		statement_parse(parser, block);
}

/* ---- "%x = alloc_tile : T" and its like: declarations inside functions. ---- */

void lang_broken_declare(struct lang_parser *parser, const char *name, struct lang_span at)
{
	struct lang_type none = {0};

	if (!lang_var_find(parser->function, name))
		lang_var_add(parser->unit, parser->function, LANG_BROKEN, name, none, at);
}

static const struct declarer {
	const char *word;
	uint8_t tile, block;
} declarers[] = {{"alloc_tile", 1, 0}, {"alloc_scalar", 0, 0}, {"block_index", 0, PTOWSP_SCALAR_BLOCK}, {"block_count", 0, PTOWSP_SCALAR_BLOCKS}};
#define DECLARERS (sizeof(declarers) / sizeof(*declarers))

static const struct declarer *declarer_of(const char *word)
{
	for (size_t i = 0; word && i < DECLARERS; i++)
		if (!strcmp(declarers[i].word, word))
			return &declarers[i];
	return NULL;
}

bool lang_is_var_word(const char *word)
{
	return declarer_of(word) != NULL;
}

/* A block's number is an integer that an InCore function reads. */
static void block_declare(struct lang_parser *parser, struct lang_var *var, uint8_t block)
{
	const char *word = block == PTOWSP_SCALAR_BLOCK ? "block_index" : "block_count";

	var->block = block;
	if (block && common_dtype_class(var->type.dtype) == 'f')
		lang_error(parser->unit, var->type.at, "%s is an integer, not %s", word, lang_type_text(parser->unit, &var->type));
	if (block && parser->function->kind == LANG_ORCHESTRATION) {
		lang_error(parser->unit, var->at, "%s stands in InCore functions: a call of one may have several blocks, @%s has none", word,
			   parser->function->name);
		lang_help(parser->unit, "read it in the InCore function that is called");
	}
}

bool lang_var_parse(struct lang_parser *parser, const struct lang_operand *name)
{
	const struct declarer *declarer = declarer_of(lang_peek(parser)->text);
	int tile = declarer->tile;
	struct lang_var *old = lang_var_find(parser->function, name->text);
	struct lang_type type;

	lang_take(parser);
	memset(&type, 0, sizeof(type));
	if (!lang_expect(parser, ':', "and the type behind the declaration") || !lang_type_parse(parser, &type)) {
		lang_broken_declare(parser, name->text, name->at);
		return false;
	}
	if (type.kind != (tile ? LANG_TYPE_TILE : LANG_TYPE_SCALAR)) {
		lang_error(parser->unit, type.at, "%s needs %s", declarer->word,
			   tile ? "a tile type such as !pto.tile<8x8xf32>" : "an element type such as i32");
		lang_broken_declare(parser, name->text, name->at);
		return true;
	}
	if (old && (old->kind != LANG_LOOP || tile)) {
		lang_error(parser->unit, name->at, "%%%s is declared twice, first at line %u", name->text, old->at.line);
		return true;
	}
	if (!old)
		block_declare(parser, lang_var_add(parser->unit, parser->function, tile ? LANG_TILE : LANG_SCALAR, name->text, type, name->at),
			      declarer->block);
	return true;
}

bool lang_var_is_misspelt(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	token += token->mark == '=';
	return token->kind == LANG_WORD && !token->first && !strncmp(token->text, "alloc", 5) &&
	       ((strcmp(token->text, "alloc_tile") != 0 && strcmp(token->text, "alloc_scalar") != 0) || token == lang_peek(parser));
}
