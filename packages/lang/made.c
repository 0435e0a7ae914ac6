/* SPDX-License-Identifier: MIT */
/* made.c - text of the compiler's own, read with one place for all of it. */
#include "lang/made.h"

#include "lang/parse.h"

#include <assert.h>
#include <string.h>

static struct lang_parser parser_of(struct lang_module *module, const char *text, struct lang_span at)
{
	struct lang_unit *unit = module->unit;
	const struct lang_source source = {.name = "", .text = text, .size = strlen(text)}, *sources = unit->sources;
	struct lang_parser parser = {.unit = unit, .module = module};

	unit->sources = &source;
	lang_lex(unit, 0, &parser.tokens);
	unit->sources = sources;
	for (uint32_t i = 0; i < parser.tokens.count; i++)
		parser.tokens.rows[i].at = parser.tokens.rows[i].note_at = at;
	return parser;
}

void lang_made_function(struct lang_module *module, const char *text, struct lang_span at)
{
	struct lang_parser parser = parser_of(module, text, at);

	lang_func_parse(&parser);
	assert(lang_peek(&parser)->kind == LANG_END);
}

void lang_made_body(struct lang_module *module, struct lang_work *work, const char *text)
{
	/* Operators are tokens behind the word of a declaration. */
	struct lang_parser parser = parser_of(module, lang_format(&module->unit->arena, "workload {\n%s}\n", text), work->at);
	int ok;

	lang_take(&parser);
	ok = lang_work_body_parse(&parser, work);
	assert(ok && lang_peek(&parser)->kind == LANG_END);
	(void)ok;
}
