/* SPDX-License-Identifier: MIT */
/* parse_control.c - statements with blocks, and calls. */
#include "lang/levels.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

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

int lang_for_parse(struct lang_parser *parser, struct lang_stmt *stmt)
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

int lang_if_parse(struct lang_parser *parser, struct lang_stmt *stmt)
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

int lang_while_parse(struct lang_parser *parser, struct lang_stmt *stmt)
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

int lang_call_parse(struct lang_parser *parser, struct lang_stmt *stmt)
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
