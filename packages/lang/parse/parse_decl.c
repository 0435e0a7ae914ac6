/* SPDX-License-Identifier: MIT */
/* parse_decl.c - declarations: those of one line, the table of all, and their names. */
#include "lang/about.h"
#include "lang/decl.h"
#include "lang/graph/lang_graph.h"
#include "lang/lang_axis.h"
#include "lang/lang_kernel.h"
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"
#include "lang/lang_work.h"
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/scalar.h"
#include "lang/tensor.h"
#include "ptowsp/package.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct lang_token *lang_name_take(struct lang_parser *parser, enum lang_token_kind kind, const char *what)
{
	if (lang_peek(parser)->kind != kind) {
		lang_expected(parser, what);
		return NULL;
	}
	return lang_take(parser);
}

bool lang_word_take(struct lang_parser *parser, const char *word)
{
	if (!lang_at_word(parser, word))
		return false;
	lang_take(parser);
	return true;
}

bool lang_clause_take(struct lang_parser *parser, struct lang_clauses *clauses, uint32_t bit, const char *word)
{
	const uint32_t mask = UINT32_C(1) << bit;

	if (clauses->again || !lang_at_word(parser, word))
		return false;
	if (clauses->seen & mask) {
		lang_error(parser->unit, lang_peek(parser)->at, "\"%s\" stands here already", word);
		clauses->again = 1;
		return false;
	}
	clauses->seen |= mask;
	return lang_word_take(parser, word);
}

void lang_decl_skip(struct lang_parser *parser)
{
	lang_line_skip(parser);
	while (lang_peek(parser)->kind != LANG_END && !(lang_peek(parser)->first && lang_decl_at(parser)))
		lang_take(parser);
}

void *lang_decl_begin(struct lang_parser *parser, enum lang_decl_kind decl, size_t size, enum lang_token_kind kind, const char *what)
{
	const struct lang_token *name;

	lang_take(parser);
	name = lang_name_take(parser, kind, what);
	if (name)
		return lang_decl_add(parser, decl, size, name->text, name->at);
	lang_decl_skip(parser);
	return NULL;
}

void lang_decl_end(struct lang_parser *parser, struct lang_decl *decl, int ok)
{
	decl->broken = !ok;
	if (!ok)
		lang_decl_skip(parser);
}

bool lang_words_take(struct lang_parser *parser, enum pkg_words words, uint32_t *code_out)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind != LANG_WORD || !pkg_word_find(words, token->text, code_out))
		return false;
	lang_take(parser);
	return true;
}

bool lang_access_take(struct lang_parser *parser, uint8_t *access_out)
{
	for (uint8_t access = 0; access < 4; access++)
		if (lang_word_take(parser, lang_access_text(access))) {
			*access_out = access;
			return true;
		}
	return false;
}

const char *lang_access_text(unsigned access)
{
	return access & 3 ? pkg_word(PKG_WORDS_access, access & 3) : "bind";
}

void lang_module_parse(struct lang_parser *parser)
{
	struct lang_module *module = parser->module;
	const struct lang_token *name;

	lang_take(parser);
	name = lang_name_take(parser, LANG_AT, "the module's name such as @attention");
	if (!name) {
		lang_decl_skip(parser);
		return;
	}
	if (module->module_name && strcmp(module->module_name, name->text) != 0) {
		lang_error(parser->unit, name->at, "the module is called @%s at %s", module->module_name, lang_place(parser->unit, module->module_at));
		return;
	}
	module->module_name = name->text;
	module->module_at = name->at;
}

/* "dav-c220", "x86_64": what stands together without blanks is one word. NULL after an error. */
const char *lang_target_read(struct lang_parser *parser, const char *what)
{
	const struct lang_token *token = lang_peek(parser);
	const char *text = token->text;
	uint32_t end;

	if (token->kind != LANG_WORD) {
		lang_expected(parser, what);
		return NULL;
	}
	for (;;) {
		end = token->at.column + token->at.length;
		lang_take(parser);
		token = lang_peek(parser);
		if (token->first || token->at.column != end ||
		    (token->kind != LANG_WORD && token->kind != LANG_NUMBER && token->mark != '-' && token->mark != '+'))
			return text;
		text = common_format(&parser->unit->arena, "%s%.*s", text, (int)token->at.length, token->mark ? &token->mark : token->text);
	}
}

void lang_target_parse(struct lang_parser *parser)
{
	struct lang_module *module = parser->module;

	lang_take(parser);
	for (;;) {
		struct lang_span at = lang_peek(parser)->at;
		const char *name = NULL;

		if (lang_peek(parser)->first && lang_decl_at(parser)) {
			lang_expected(parser, "a target such as cpu_sim");
			return;
		}
		name = lang_target_read(parser, "a target such as cpu_sim");
		if (!name) {
			lang_decl_skip(parser);
			return;
		}
		for (uint32_t i = 0; i < module->target_count; i++)
			if (!strcmp(module->targets[i], name)) {
				lang_error(parser->unit, at, "the target %.80s is named twice", name);
				return;
			}
		if (module->target_count == LANG_MAX_TARGETS) {
			lang_error(parser->unit, at, "a package has at most %u targets", LANG_MAX_TARGETS);
			return;
		}
		*COMMON_PUSH(&parser->unit->arena, module->targets, module->target_count, module->target_capacity) = name;
		if (!lang_at_mark(parser, ','))
			return;
		lang_take(parser);
	}
}

bool lang_element_parse(struct lang_parser *parser, uint16_t *dtype_out, const char *what)
{
	struct lang_type type;

	if (lang_peek(parser)->kind != LANG_WORD)
		return lang_expected(parser, what);
	if (!lang_type_parse(parser, &type))
		return false;
	*dtype_out = type.dtype;
	return true;
}

/* The text of a number of a type, as a slot holds it. */
static bool default_read(struct lang_parser *parser, struct lang_value *value, const char *text, struct lang_span at)
{
	if (lang_number_read(text, value->dtype, &value->value) == LANG_NUMBER_OK) {
		value->has_default = 1;
		return true;
	}
	lang_error(parser->unit, at, "%.40s is no value of type %s", text, common_dtype_text(value->dtype));
	return false;
}

/* "= 1024", "= 64 * 16", "= -0.5" */
static bool default_parse(struct lang_parser *parser, struct lang_value *value)
{
	const struct lang_token *token = lang_peek(parser);
	struct lang_scope scope = {.module = parser->module, .constant = 1};
	struct lang_scalar *scalar;
	char text[32];
	int64_t number;

	if ((token->kind == LANG_NUMBER || (token->kind == LANG_WORD && lang_number_is_word(token->text))) &&
	    (common_dtype_class(value->dtype) == 'f' || (value->dtype == PTOWSP_U64 && *token->text != '-' && token[1].first))) {
		lang_take(parser);
		return default_read(parser, value, token->text, token->at);
	}
	scalar = lang_scalar_parse(parser, "a value such as 1024");
	if (!scalar || !lang_scalar_check(&scope, scalar, "a default value"))
		return false;
	if (!lang_scalar_known(scalar, &number)) {
		lang_error(parser->unit, scalar->all, "a default value is a number");
		return false;
	}
	snprintf(text, sizeof(text), "%lld", (long long)number);
	return default_read(parser, value, text, scalar->all);
}

void lang_symbol_parse(struct lang_parser *parser)
{
	const enum lang_decl_kind kind = lang_decl_at(parser)->kind;
	struct lang_value *value = lang_decl_begin(parser, kind, sizeof(*value), LANG_NAME,
						   kind == LANG_DECL_SYMBOL ? "the symbol's name such as %n" : "the slot's name such as %gate");
	int ok;

	if (!value)
		return;
	value->dtype = PTOWSP_I64;
	ok = lang_expect(parser, ':', "and the type behind the name") && lang_element_parse(parser, &value->dtype, "a type such as u64");
	if (ok && lang_at_mark(parser, '=')) {
		lang_take(parser);
		ok = default_parse(parser, value);
	}
	lang_decl_end(parser, &value->head, ok);
}

void lang_event_parse(struct lang_parser *parser)
{
	lang_decl_begin(parser, LANG_DECL_EVENT, sizeof(struct lang_event), LANG_NAME, "the event's name such as %ready");
}

/* ---- the table of declarations, and their names. ---- */

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
