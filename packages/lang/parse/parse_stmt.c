/* SPDX-License-Identifier: MIT */
/* parse_stmt.c - declarations and statements of functions, one by one, up to the end of a block. */
#include "lang/lang_axis.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

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

static bool is_var_word(const char *word)
{
	return declarer_of(word) != NULL;
}

/* "alloc_tile : T" and its like behind "%x =": a declaration, no statement. */
static bool var_parse(struct lang_parser *parser, const struct lang_operand *name)
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

/* "%x = alloctile" or "%x alloc_tile" behind the name: what was meant is plain, and one error is enough. */
static bool var_is_misspelt(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	token += token->mark == '=';
	return token->kind == LANG_WORD && !token->first && !strncmp(token->text, "alloc", 5) &&
	       ((strcmp(token->text, "alloc_tile") != 0 && strcmp(token->text, "alloc_scalar") != 0) || token == lang_peek(parser));
}

/* ---- statements with blocks, and calls. ---- */

/* The loop's value. Loops may share one; a scalar that was declared for it becomes one. */
static bool loop_value_declare(struct lang_parser *parser, const struct lang_operand *operand)
{
	static const struct lang_type type = {.kind = LANG_TYPE_SCALAR, .index = 1, .dtype = PTOWSP_I64};
	struct lang_var *var = lang_var_find(parser->function, operand->text);

	if (operand->kind != LANG_OPERAND_NAME) {
		lang_error(parser->unit, operand->at, "a loop needs a name for its value, such as %%i");
		return false;
	}
	if (var && var->kind == LANG_BROKEN)
		return false;
	if (!var) {
		lang_var_add(parser->unit, parser->function, LANG_LOOP, operand->text, type, operand->at);
	} else if (var->kind == LANG_SCALAR && !var->param) {
		var->kind = LANG_LOOP;
		var->type = type;
	} else if (var->kind != LANG_LOOP) {
		lang_error(parser->unit, operand->at, "%%%s is declared at line %u and cannot be a loop's value", operand->text, var->at.line);
		return false;
	}
	return true;
}

/* "{4096:256,...,0:32}" */
static int level_list_parse(struct lang_parser *parser, struct lang_levels *levels)
{
	if (!lang_expect(parser, '{', "and the levels behind tile_levels="))
		return 0;
	for (bool more = !lang_at_mark(parser, '}'); more; more = lang_comma_take(parser, '}')) {
		struct lang_level level = {.at = lang_peek(parser)->at};

		if (!lang_uint_read(lang_peek(parser)->text, &level.block))
			return lang_expected(parser, "a block size");
		lang_take(parser);
		if (!lang_expect(parser, ':', "between block size and tile rows"))
			return 0;
		if (!lang_uint_read(lang_peek(parser)->text, &level.rows))
			return lang_expected(parser, "tile rows");
		lang_take(parser);
		*COMMON_PUSH(&parser->unit->arena, levels->rows, levels->count, levels->capacity) = level;
		levels->stated = 1; /* an empty list says no more than none */
	}
	return lang_expect(parser, '}', "behind the levels");
}

/* "max_range=4096", "min_range=256" */
static bool range_parse(struct lang_parser *parser, uint32_t *value_out, struct lang_span *at_out)
{
	*at_out = lang_peek(parser)->at;
	if (!lang_uint_read(lang_peek(parser)->text, value_out) || !*value_out)
		return lang_expected(parser, "a whole number above 0");
	lang_take(parser);
	return true;
}

bool lang_levels_parse(struct lang_parser *parser, struct lang_levels **levels)
{
	static const char *const words[] = {"max_range", "min_range", "tile_levels"};
	struct lang_clauses clauses = {0};

	for (;;) {
		const struct lang_span at = lang_peek(parser)->at;
		uint32_t word = 0;

		while (word < 3 && !lang_clause_take(parser, &clauses, word, words[word]))
			word++;
		if (word == 3)
			return !clauses.again;
		if (!*levels) {
			*levels = common_alloc(&parser->unit->arena, sizeof(**levels));
			(*levels)->at = at;
		}
		if (!lang_expect(parser, '=', "behind the loop's attribute"))
			return false;
		if (word == 2 ? !level_list_parse(parser, *levels)
			      : !range_parse(parser, word ? &(*levels)->min_range : &(*levels)->max_range, word ? &(*levels)->min_at : &(*levels)->max_at))
			return false;
	}
}

static bool for_head_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	uint32_t capacity = 0;

	if (!lang_operands_parse(parser, stmt, &capacity, 1))
		return false;
	if (stmt->count != 4) {
		lang_error(parser->unit, stmt->at, "FOR takes its value, the first value, the bound and the step, here %s",
			   stmt->count == 1 ? "is 1 operand" : common_format(&parser->unit->arena, "are %u operands", stmt->count));
		lang_help(parser->unit, "FOR %%i:idx, 0:idx, %%n:idx, 1:idx");
		return false;
	}
	return loop_value_declare(parser, &stmt->operands[0]) && lang_levels_parse(parser, &stmt->levels);
}

static int nest(struct lang_parser *parser, const struct lang_stmt *stmt)
{
	if (parser->depth < LANG_MAX_NESTING)
		return 1;
	lang_error(parser->unit, stmt->at, "loops and branches are nested deeper than %u", LANG_MAX_NESTING);
	return 0;
}

/* end: the word behind the statement's last block */
static void block_parse(struct lang_parser *parser, struct lang_block *block, const char *end)
{
	parser->ends[parser->depth++] = end;
	lang_block_parse(parser, block);
	parser->depth--;
}

/* A block around waits for this word, so it is not ours to take. */
static int awaited(const struct lang_parser *parser, const struct lang_token *token)
{
	for (uint32_t i = 0; i < parser->depth; i++)
		if (!strcmp(parser->ends[i], token->text))
			return 1;
	return 0;
}

/* Takes the word that ends a block, or says which one is missing. */
static bool end_take(struct lang_parser *parser, const struct lang_stmt *stmt, const char *end)
{
	const struct lang_token *token = lang_peek(parser);

	if (lang_at_word(parser, end)) {
		lang_take(parser);
		return true;
	}
	if (token->kind != LANG_WORD || !strcmp(token->text, "func")) {
		lang_error(parser->unit, stmt->at, "this %s has no %s", stmt->word, end);
		return false;
	}
	lang_error(parser->unit, token->at, "%s found where %s must end the %s of line %u", token->text, end, stmt->word, stmt->at.line);
	if (!awaited(parser, token))
		lang_take(parser);
	return false;
}

/* Their first word is taken. 0 after an error. */
static int for_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	/* A bad head does not hide its body: ENDFOR must still find its FOR. */
	int ok = for_head_parse(parser, stmt);

	if (!ok)
		lang_line_skip(parser);
	if (!ok && stmt->count && stmt->operands[0].kind == LANG_OPERAND_NAME && !lang_var_find(parser->function, stmt->operands[0].text))
		loop_value_declare(parser, &stmt->operands[0]);
	if (!nest(parser, stmt))
		return 0;
	block_parse(parser, &stmt->body, "ENDFOR");
	return end_take(parser, stmt, "ENDFOR") && ok;
}

static bool condition_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	uint32_t capacity = 0;
	struct lang_operand *operand = lang_operand_add(parser, stmt, &capacity);

	return lang_value_parse(parser, operand, 0) && lang_annotation_parse(parser, operand);
}

/* IF_BIT %mask:i32, 3 */
static bool bit_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	uint32_t bit;

	if (!lang_expect(parser, ',', "and a bit behind the value"))
		return false;
	if (!lang_uint_read(lang_peek(parser)->text, &bit) || bit > 63)
		return lang_expected(parser, "a bit from 0 to 63");
	lang_take(parser);
	stmt->mode = (uint8_t)(1 + bit);
	return true;
}

static int if_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	int ok = condition_parse(parser, stmt) && (strcmp(stmt->word, "IF_BIT") != 0 || bit_parse(parser, stmt));

	if (!ok)
		lang_line_skip(parser);
	if (!nest(parser, stmt))
		return 0;
	block_parse(parser, &stmt->body, "ENDIF");
	if (lang_at_word(parser, "ELSE")) {
		lang_take(parser);
		stmt->has_else = 1;
		block_parse(parser, &stmt->other, "ENDIF");
	}
	return end_take(parser, stmt, "ENDIF") && ok;
}

static int while_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	int ok;

	if (!nest(parser, stmt))
		return 0;
	block_parse(parser, &stmt->body, "ENDWHILE");
	stmt->do_at = lang_peek(parser)->at;
	if (!end_take(parser, stmt, "DO"))
		return 0;
	ok = condition_parse(parser, stmt);
	if (!ok)
		lang_line_skip(parser);
	block_parse(parser, &stmt->other, "ENDWHILE");
	return end_take(parser, stmt, "ENDWHILE") && ok;
}

/* (%tensor, row, column) */
static bool tuple_parse(struct lang_parser *parser, struct lang_arg *arg)
{
	arg->tuple = 1;
	lang_take(parser);
	return lang_value_parse(parser, &arg->actual, 0) && lang_expect(parser, ',', "and the row behind the tensor") &&
	       lang_value_parse(parser, &arg->row, 1) && lang_expect(parser, ',', "and the column behind the row") &&
	       lang_value_parse(parser, &arg->column, 1) && lang_expect(parser, ')', "behind the column");
}

static bool arg_parse(struct lang_parser *parser, struct lang_arg *arg)
{
	const struct lang_token *name = lang_peek(parser);

	memset(arg, 0, sizeof(*arg));
	if (name->kind != LANG_NAME)
		return lang_expected(parser, "an argument such as %x -> %tensor");
	lang_take(parser);
	arg->formal = name->text;
	arg->at = name->at;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_arrow_expected(parser, "CALL @f(%a -> (%x, i, 0))");
	lang_take(parser);
	return lang_at_mark(parser, '(') ? tuple_parse(parser, arg) : lang_value_parse(parser, &arg->actual, 0);
}

static int call_parse(struct lang_parser *parser, struct lang_stmt *stmt)
{
	const struct lang_token *name = lang_peek(parser);

	if (name->kind != LANG_AT)
		return lang_expected(parser, "a function such as @f");
	lang_take(parser);
	stmt->callee = name->text;
	stmt->callee_at = name->at;
	if (!lang_expect(parser, '(', "and the arguments behind the function"))
		return 0;
	for (bool more = !lang_at_mark(parser, ')'); more && !lang_dots_take(parser, &stmt->rest); more = lang_comma_take(parser, ')'))
		if (!arg_parse(parser, COMMON_PUSH(&parser->unit->arena, stmt->args, stmt->arg_count, stmt->arg_capacity)))
			return 0;
	return lang_expect(parser, ')', "behind the arguments");
}

/* ---- declarations and statements of functions, one by one, up to the end of a block. ---- */

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
	{"FOR", PTOWSP_PTO_FOR, for_parse},           {"IF", PTOWSP_PTO_IF, if_parse},
	{"IF_BIT", PTOWSP_PTO_IF, if_parse},          {"WHILE", PTOWSP_PTO_WHILE, while_parse},
	{"BREAK", PTOWSP_PTO_BREAK, nothing_parse},   {"CONTINUE", PTOWSP_PTO_CONTINUE, nothing_parse},
	{"YIELD", PTOWSP_PTO_YIELD, nothing_parse},   {"CALL", PTOWSP_PTO_CALL, call_parse},
	{"return", PTOWSP_PTO_RETURN, nothing_parse},
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
	if (var_is_misspelt(parser))
		lang_broken_declare(parser, stmt->operands[0].text, stmt->operands[0].at);
	if (!lang_expect(parser, '=', "behind the result"))
		return false;
	*declared = lang_peek(parser)->kind == LANG_WORD && is_var_word(lang_peek(parser)->text);
	if (*declared && stmt->count == 1)
		return var_parse(parser, &stmt->operands[0]);
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
