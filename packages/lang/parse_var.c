/* SPDX-License-Identifier: MIT */
/* parse_var.c - "%x = alloc_tile : T" and its like: declarations inside functions. */
#include "lang/parse.h"

#include <string.h>

void lang_broken_declare(struct lang_parser *parser, const char *name, struct lang_span at)
{
	struct lang_type none = {0};

	if (!lang_var_find(parser->function, name))
		lang_var_add(parser->unit, parser->function, LANG_BROKEN, name, none, at);
}

static const struct declarer {
	const char *word;
	uint8_t tile, block;
} declarers[] = {{"alloc_tile", 1, 0},
		 {"alloc_scalar", 0, 0},
		 {"block_index", 0, PTOWSP_SCALAR_BLOCK},
		 {"block_count", 0, PTOWSP_SCALAR_BLOCKS}};
#define DECLARERS (sizeof(declarers) / sizeof(*declarers))

static const struct declarer *declarer_of(const char *word)
{
	for (size_t i = 0; word && i < DECLARERS; i++)
		if (!strcmp(declarers[i].word, word))
			return &declarers[i];
	return NULL;
}

int lang_is_var_word(const char *word)
{
	return declarer_of(word) != NULL;
}

/* A block's number is an integer that an InCore function reads. */
static void block_declare(struct lang_parser *parser, struct lang_var *var, uint8_t block)
{
	const char *word = block == PTOWSP_SCALAR_BLOCK ? "block_index" : "block_count";

	var->block = block;
	if (block && lang_dtype_class(var->type.dtype) == 'f')
		lang_error(parser->unit, var->type.at, "%s is an integer, not %s", word, lang_type_text(parser->unit, &var->type));
	if (block && parser->function->kind == LANG_ORCHESTRATION) {
		lang_error(parser->unit, var->at, "%s stands in InCore functions: a call of one may have several blocks, @%s has none", word,
			   parser->function->name);
		lang_help(parser->unit, "read it in the InCore function that is called");
	}
}

int lang_var_parse(struct lang_parser *parser, const struct lang_operand *name)
{
	const struct declarer *declarer = declarer_of(lang_peek(parser)->text);
	int tile = declarer->tile;
	struct lang_var *old = lang_var_find(parser->function, name->text);
	struct lang_type type;

	lang_take(parser);
	memset(&type, 0, sizeof(type));
	if (!lang_expect(parser, ':', "and the type behind the declaration") || !lang_type_parse(parser, &type)) {
		lang_broken_declare(parser, name->text, name->at);
		return 0;
	}
	if (type.kind != (tile ? LANG_TYPE_TILE : LANG_TYPE_SCALAR)) {
		lang_error(parser->unit, type.at, "%s needs %s", declarer->word,
			   tile ? "a tile type such as !pto.tile<8x8xf32>" : "an element type such as i32");
		lang_broken_declare(parser, name->text, name->at);
		return 1;
	}
	if (old && (old->kind != LANG_LOOP || tile)) {
		lang_error(parser->unit, name->at, "%%%s is declared twice, first at line %u", name->text, old->at.line);
		return 1;
	}
	if (!old)
		block_declare(parser,
			      lang_var_add(parser->unit, parser->function, tile ? LANG_TILE : LANG_SCALAR, name->text, type, name->at),
			      declarer->block);
	return 1;
}

int lang_var_is_misspelt(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	token += token->mark == '=';
	return token->kind == LANG_WORD && !token->first && !strncmp(token->text, "alloc", 5) &&
	       ((strcmp(token->text, "alloc_tile") != 0 && strcmp(token->text, "alloc_scalar") != 0) || token == lang_peek(parser));
}
