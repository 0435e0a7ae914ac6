/* SPDX-License-Identifier: MIT */
/* decl.c - the table of declarations, and their names. */
#include "lang/decl.h"

#include "lang/about.h"
#include "lang/graph/lang_graph.h"
#include "lang/lang_axis.h"
#include "lang/lang_kernel.h"
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"
#include "lang/lang_work.h"
#include "lang/parse/parse.h"
#include "lang/scalar.h"
#include "lang/tensor.h"
#include "ptowsp/package.h"

#include <string.h>

const struct lang_decl_form lang_decl_forms[LANG_DECL_KINDS] = {
#define X(word, KIND, sign, section, parse, check, build, code) [LANG_DECL_##KIND] = {word, LANG_DECL_##KIND, sign, section, parse, check, build, code},
#include "lang/decls.def"
#undef X
};

const struct lang_decl_form *lang_decl_word(const char *word)
{
	for (size_t i = 1; i < LANG_DECL_KINDS; i++)
		if (!strcmp(lang_decl_forms[i].word, word))
			return &lang_decl_forms[i];
	return NULL;
}

const struct lang_decl_form *lang_decl_at(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	return token->kind == LANG_WORD ? lang_decl_word(token->text) : NULL;
}

struct lang_decl *lang_decl_find(const struct lang_module *module, char sign, const char *name)
{
	return lang_map_find(sign == '@' ? &module->routines : &module->values, name);
}

const char *lang_decl_noun(struct lang_unit *unit, unsigned kind)
{
	const char *word = lang_decl_forms[kind].word;

	return common_format(&unit->arena, "%s %s", strchr("aeiou", *word) ? "an" : "a", word);
}

/* The declaration that has the name already: *at_out says where. NULL: nothing has. */
static const char *taken(const struct lang_module *module, char sign, const char *name, struct lang_span *at_out)
{
	const struct lang_decl *old = lang_decl_find(module, sign, name);
	const struct lang_function *function = sign == '@' ? lang_map_find(&module->functions, name) : NULL;

	if (!old && !function)
		return NULL;
	*at_out = old ? old->at : function->at;
	return lang_decl_noun(module->unit, old ? old->kind : LANG_DECL_FUNC);
}

static void name_add(struct lang_parser *parser, struct lang_decl *decl, char sign)
{
	struct lang_module *module = parser->module;
	struct lang_span at;
	const char *word = taken(module, sign, decl->name, &at);

	if (!word) {
		lang_map_add(sign == '@' ? &module->routines : &module->values, &parser->unit->arena, decl->name, decl);
		return;
	}
	lang_error(parser->unit, decl->at, "%c%s is declared twice, first as %s at %s", sign, decl->name, word, lang_place(parser->unit, at));
	lang_help(parser->unit, "rename one of them: the files of a package share one set of names");
}

void *lang_decl_add(struct lang_parser *parser, enum lang_decl_kind kind, size_t size, const char *name, struct lang_span at)
{
	struct lang_module *module = parser->module;
	struct lang_decl *decl = common_alloc(&parser->unit->arena, size);

	decl->name = name;
	decl->at = at;
	decl->kind = (uint8_t)kind;
	decl->position = module->decl_counts[kind]++;
	*module->last_decl = decl;
	module->last_decl = &decl->next;
	if (*name && lang_decl_forms[kind].sign)
		name_add(parser, decl, lang_decl_forms[kind].sign);
	return decl;
}

void lang_decl_help(struct lang_module *module, char sign, enum lang_decl_kind kind, const char *word)
{
	const char **names;
	uint32_t count = 0, most = module->function_count + 1;

	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		most++;
	names = common_alloc(&module->unit->arena, most * sizeof(*names));
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].sign == sign && (!kind || decl->kind == kind))
			names[count++] = decl->name;
	for (const struct lang_function *f = module->first; f && sign == '@' && !kind; f = f->next)
		names[count++] = f->name;
	if (count)
		lang_known_help(module->unit, word, sign == '@' ? "@" : "%", names, count);
}

void lang_decls_check(struct lang_module *module)
{
	/* In the order of the table: bodies refer to what is above them in it, wherever that stands in the source. */
	for (uint32_t kind = 1; kind < LANG_DECL_KINDS; kind++)
		for (struct lang_decl *decl = module->decls; decl && lang_decl_forms[kind].check; decl = decl->next)
			if (decl->kind == kind)
				lang_decl_forms[kind].check(module, decl);
}
