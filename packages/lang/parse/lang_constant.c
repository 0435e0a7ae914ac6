/* SPDX-License-Identifier: MIT */
#include "lang/parse/lex.h"

#include "lang/decl.h"
#include "lang/lang_map.h"

#include <string.h>

struct constants {
	struct lang_unit *unit;
	struct lang_map names; /* to struct lang_token *, the value */
	uint32_t count;
};

static bool begins_constant(const struct lang_token *token)
{
	return token->first && token->kind == LANG_WORD && !strcmp(token->text, "const");
}

static bool is_value(const struct lang_token *token)
{
	return token->kind == LANG_NUMBER || token->kind == LANG_LITERAL || token->kind == LANG_WORD;
}

/* "const N = 64" at the token; returns the token behind it. */
static const struct lang_token *constant_read(struct constants *c, const struct lang_token *token)
{
	const struct lang_token *name = token + 1, *value = token + 3;
	struct lang_token *kept;
	const struct lang_token *old = name->kind == LANG_WORD ? lang_map_find(&c->names, name->text) : NULL;

	if (name->kind != LANG_WORD || name->first || name[1].mark != '=' || !is_value(value) || (!value[1].first && value[1].kind != LANG_END)) {
		lang_error(c->unit, token->at, "a constant is one word that stands for one number or word");
		lang_help(c->unit, "write const N = 64");
		for (token++; token->kind != LANG_END && !token->first;)
			token++;
		return token;
	}
	if (old) {
		lang_error(c->unit, name->at, "there are two constants %s, the first one at %s", name->text, lang_place(c->unit, old->at));
		return value + 1;
	}
	if (value->kind == LANG_WORD && lang_map_find(&c->names, value->text))
		value = lang_map_find(&c->names, value->text);
	kept = common_alloc(&c->unit->arena, sizeof(*kept)); /* the tokens move up */
	*kept = *value;
	kept->at = name->at;
	lang_map_add(&c->names, &c->unit->arena, name->text, kept);
	c->count++;
	return token + 4;
}

static void constants_take(struct constants *c, struct lang_tokens *source)
{
	uint32_t kept = 0;

	for (const struct lang_token *token = source->rows, *end = token + source->count; token < end;)
		if (begins_constant(token))
			token = constant_read(c, token);
		else
			source->rows[kept++] = *token++;
	source->count = kept;
}

/* Is the word a parameter of the template that the tokens before `end`, from its "func" on, begin? */
static bool is_hidden(const struct lang_token *func, const char *word)
{
	for (const struct lang_token *token = func ? func + 3 : NULL; token && token->kind == LANG_WORD; token += 2) {
		if (!strcmp(token->text, word))
			return true;
		if (token[1].mark != ',')
			return false;
	}
	return false;
}

/* "NxMxf32" with the values of its words. */
static const char *shape_fill(struct constants *c, const struct lang_token *func, const char *text)
{
	const char *filled = "";

	while (*text) {
		size_t length = strcspn(text, "x");
		const char *part = common_format(&c->unit->arena, "%.*s", (int)length, text);
		const struct lang_token *value = is_hidden(func, part) ? NULL : lang_map_find(&c->names, part);

		filled = common_format(&c->unit->arena, "%s%s%s", filled, value ? value->text : part, text[length] ? "x" : "");
		text += length + (text[length] != '\0');
	}
	return filled;
}

static bool is_shape(const struct lang_token *token)
{
	return token[-1].mark == '<' && token[-2].kind == LANG_TYPE && !strcmp(token[-2].text, "pto.tile");
}

static void token_fill(struct constants *c, const struct lang_tokens *source, uint32_t at, const struct lang_token *func)
{
	struct lang_token *token = &source->rows[at];
	const struct lang_token *value = token->kind == LANG_WORD || token->kind == LANG_NAME ? lang_map_find(&c->names, token->text) : NULL;

	if (at > 1 && is_shape(token) && (token->kind == LANG_WORD || token->kind == LANG_NUMBER)) {
		token->text = shape_fill(c, func, token->text);
		token->kind = strchr(token->text, 'x') ? LANG_NUMBER : token->kind;
	} else if (value && !is_hidden(func, token->text)) {
		token->kind = token->kind == LANG_NAME && value->kind == LANG_NUMBER ? LANG_LITERAL : value->kind;
		token->text = value->text;
	}
}

/* `func` is the template that the walk is in, NULL: none. Its parameters stand for themselves. */
static void source_fill(struct constants *c, const struct lang_tokens *source)
{
	const struct lang_token *func = NULL;

	for (uint32_t i = 0; i < source->count; i++) {
		const struct lang_token *token = &source->rows[i];

		if (token->first && token->kind == LANG_WORD && lang_decl_word(token->text))
			func = !strcmp(token->text, "func") && i + 3 < source->count && token[2].mark == '<' ? token : NULL;
		token_fill(c, source, i, func);
	}
}

void lang_constants_fill(struct lang_module *module, struct lang_tokens *sources, uint32_t count)
{
	struct constants c = {.unit = module->unit};
	const uint32_t errors = c.unit->list->head.errors;

	for (uint32_t i = 0; i < count; i++)
		constants_take(&c, &sources[i]);
	if (c.unit->list->head.errors > errors)
		lang_stop(c.unit); /* the value of a name is not known */
	for (uint32_t i = 0; i < count && c.count; i++)
		source_fill(&c, &sources[i]);
}
