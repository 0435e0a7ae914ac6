/* SPDX-License-Identifier: MIT */
/* parse.c - tokens, functions and files: what declarations and statements are read with. */
#include "lang/parse/parse.h"
#include "format/format_names.h"
#include "lang/ast.h"
#include "lang/graph/lang_graph.h"
#include "lang/lang_work.h"
#include "lang/parse/as.h"
#include "lang/parse/lex.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct lang_var *lang_var_add(struct lang_unit *unit, struct lang_function *function, enum lang_var_kind kind, const char *name, struct lang_type type,
			      struct lang_span at)
{
	struct lang_var *var = common_alloc(&unit->arena, sizeof(*var));

	var->name = name;
	var->type = type;
	var->at = at;
	var->kind = (uint8_t)kind;
	var->id = function->var_count;
	*COMMON_PUSH(&unit->arena, function->vars, function->var_count, function->var_capacity) = var;
	lang_map_add(&function->names, &unit->arena, name, var);
	return var;
}

static struct lang_function *function_add(struct lang_module *module, const char *name, struct lang_span at)
{
	struct lang_function *function = common_alloc(&module->unit->arena, sizeof(*function));

	function->name = name;
	function->at = at;
	function->body.last = &function->body.first;
	*module->last = function;
	module->last = &function->next;
	module->function_count++;
	return function;
}

const char *lang_type_text(struct lang_unit *unit, const struct lang_type *type)
{
	const char *element = type->index ? "index" : type->dtype == PTOWSP_BOOL ? "u1" : common_dtype_text(type->dtype);

	switch (type->kind) {
	case LANG_TYPE_TILE:
		if (type->space != PTOWSP_SPACE_UB)
			return common_format(&unit->arena, "!pto.tile<%ux%ux%s,%s>", type->rows, type->columns, element,
					     pkg_word(PKG_WORDS_space, type->space));
		return common_format(&unit->arena, "!pto.tile<%ux%ux%s>", type->rows, type->columns, element);
	case LANG_TYPE_MEMREF: return common_format(&unit->arena, "!pto.memref<%s,...,%s>", pkg_word(PKG_WORDS_space, type->space), element);
	default: return element;
	}
}

void lang_inlined_refuse(struct lang_unit *unit, struct lang_span at, const struct lang_function *function)
{
	lang_error(unit, at, "@%s takes tiles: it is expanded in InCore functions that call it, and is no task", function->name);
	lang_help(unit, "write an InCore function that loads the tiles, calls it by CALL @%s(...), and stores the result", function->name);
}

const struct lang_token *lang_peek(const struct lang_parser *parser)
{
	return &parser->tokens.rows[parser->at];
}

bool lang_at_mark(const struct lang_parser *parser, char mark)
{
	return lang_peek(parser)->mark == mark;
}

bool lang_at_word(const struct lang_parser *parser, const char *word)
{
	const struct lang_token *token = lang_peek(parser);

	return token->kind == LANG_WORD && !strcmp(token->text, word);
}

const struct lang_token *lang_take(struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind != LANG_END)
		parser->at++;
	return token;
}

bool lang_dots_take(struct lang_parser *parser, struct lang_span *at_out)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind != LANG_NUMBER || strcmp(token->text, "...") != 0)
		return false;
	if (at_out)
		*at_out = token->at;
	lang_take(parser);
	return true;
}

bool lang_comma_take(struct lang_parser *parser, char close)
{
	if (!lang_at_mark(parser, ','))
		return false;
	lang_take(parser);
	return !lang_at_mark(parser, close);
}

static const char *token_text(struct lang_unit *unit, const struct lang_token *token)
{
	static const char signs[] = {[LANG_NAME] = '%', [LANG_LITERAL] = '%', [LANG_AT] = '@', [LANG_TYPE] = '!', [LANG_HASH] = '#'};

	if (token->kind == LANG_END)
		return "the end of the file";
	if (token->kind < sizeof(signs) && signs[token->kind])
		return common_format(&unit->arena, "\"%c%.80s\"", signs[token->kind], token->text);
	return common_format(&unit->arena, "\"%.80s\"", token->text);
}

bool lang_expected(struct lang_parser *parser, const char *what)
{
	const struct lang_token *token = lang_peek(parser), *before = parser->at ? token - 1 : NULL;

	/* A word that is missing at the end of a line is missed there, not at the next word. */
	if (token->first && before) {
		struct lang_span end = before->at;

		end.column += end.length;
		end.length = 1;
		lang_error(parser->unit, end, "expected %s, found the end of the line", what);
	} else {
		lang_error(parser->unit, token->at, "expected %s, found %s", what, token_text(parser->unit, token));
	}
	return false;
}

bool lang_arrow_expected(struct lang_parser *parser, const char *example)
{
	lang_expected(parser, "\"->\" behind the callee's parameter");
	lang_help(parser->unit, "arguments have names, those of the callee's parameters: %s", example);
	return false;
}

static int closes(char mark)
{
	return mark == ')' || mark == ']' || mark == '}';
}

bool lang_at_more(const struct lang_parser *parser)
{
	return lang_at_mark(parser, ',') && !closes(lang_peek(parser)[1].mark);
}

bool lang_expect(struct lang_parser *parser, char mark, const char *where)
{
	char what[128];

	if (closes(mark) && lang_at_mark(parser, ',') && lang_peek(parser)[1].mark == mark)
		lang_take(parser);
	if (lang_at_mark(parser, mark)) {
		lang_take(parser);
		return true;
	}
	snprintf(what, sizeof(what), "\"%c\" %s", mark, where);
	return lang_expected(parser, what);
}

static bool param_parse(struct lang_parser *parser)
{
	static const uint8_t kinds[] = {[LANG_TYPE_TILE] = LANG_TILE, [LANG_TYPE_MEMREF] = LANG_MEMREF, [LANG_TYPE_SCALAR] = LANG_SCALAR};
	const struct lang_token *name = lang_peek(parser);
	struct lang_type type;
	struct lang_var *old;

	if (name->kind != LANG_NAME)
		return lang_expected(parser, "a parameter such as %x: !pto.memref<gm,...,f32>");
	lang_take(parser);
	if (!lang_expect(parser, ':', "and a type behind the parameter") || !lang_type_parse(parser, &type)) {
		lang_broken_declare(parser, name->text, name->at);
		return false;
	}
	if (type.kind == LANG_TYPE_TILE && parser->function->kind == LANG_ORCHESTRATION) {
		lang_error(parser->unit, type.at, "%%%s cannot be a tile: memrefs and scalars are passed to an Orchestration function", name->text);
		lang_help(parser->unit, "pass the memref; InCore functions take tiles");
		lang_broken_declare(parser, name->text, name->at);
		return true;
	}
	old = lang_var_find(parser->function, name->text);
	if (old) {
		lang_error(parser->unit, name->at, "there are two parameters %%%s", name->text);
		parser->function->broken_signature = 1; /* one of them was to have another name */
		return true;
	}
	parser->function->inlined |= type.kind == LANG_TYPE_TILE;
	lang_var_add(parser->unit, parser->function, kinds[type.kind], name->text, type, name->at)->param = 1;
	return true;
}

/* Skips a parameter with an error: to the next one, or to what ends the list. 0: neither is in sight. */
static bool param_skip(struct lang_parser *parser)
{
	for (;;) {
		const struct lang_token *token = lang_peek(parser);

		if (token->mark == ')' || (token->kind == LANG_NAME && token[1].mark == ':'))
			return true;
		if (token->kind == LANG_END || token->mark == '{' || token->first)
			return false;
		lang_take(parser);
	}
}

static int params_parse(struct lang_parser *parser)
{
	if (!lang_expect(parser, '(', "and the parameters behind the function's name"))
		return 0;
	while (!lang_at_mark(parser, ')')) {
		if (!param_parse(parser)) {
			if (!param_skip(parser))
				return 0;
			continue;
		}
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	if (lang_at_mark(parser, ')')) {
		lang_take(parser);
		return 1;
	}
	lang_expected(parser, "\")\" at the end of the parameters");
	if (lang_at_mark(parser, '['))
		lang_help(parser->unit, "memory without a shape is passed: !pto.memref<gm,...,f32>; shapes stand in tensors, kernels and tiles");
	return 0;
}

/* The next token begins a declaration, which ends a function that is not closed. */
static bool at_func(const struct lang_parser *parser)
{
	return lang_peek(parser)->first && lang_decl_at(parser);
}

/* The signature up to "{". Behind an error the statements are read all the same, for their own errors; 0: there are none. */
static bool signature_parse(struct lang_parser *parser)
{
	if (!params_parse(parser))
		parser->function->broken_signature |= !lang_at_mark(parser, '{');
	else if (lang_expect(parser, '{', "and the statements behind the parameters"))
		return true;
	while (!lang_at_mark(parser, '{') && !lang_peek(parser)->first && lang_peek(parser)->kind != LANG_END)
		lang_take(parser);
	if (!lang_at_mark(parser, '{'))
		return lang_peek(parser)->kind != LANG_END && !at_func(parser);
	lang_take(parser);
	return true;
}

static void kind_set(struct lang_parser *parser, const struct lang_token *token)
{
	struct lang_function *function = parser->function;

	function->kind = token->note == LANG_NOTE_ORCHESTRATION ? LANG_ORCHESTRATION : LANG_INCORE;
	if (token->note == LANG_NOTE_OTHER) {
		lang_error(parser->unit, token->note_at, "a function is of type InCore or Orchestration");
		lang_help(parser->unit, "write \"// Function Type: InCore\" or \"// Function Type: Orchestration\"");
	}
}

/* A function's name may be used once in all sources. The second function is still read, for its own errors. */
void lang_function_start(struct lang_parser *parser, const struct lang_token *name)
{
	struct lang_function *old = lang_map_find(&parser->module->functions, name->text);
	const struct lang_decl *decl = lang_decl_find(parser->module, '@', name->text);

	parser->function = function_add(parser->module, name->text, name->at);
	if (old) {
		lang_error(parser->unit, name->at, "there are two functions @%s, the first one at %s", name->text, lang_place(parser->unit, old->at));
		lang_help(parser->unit, "rename one of them: the files of a package share one set of names");
	} else {
		if (decl) {
			lang_error(parser->unit, name->at, "@%s is declared twice, first as %s at %s", name->text, lang_decl_noun(parser->unit, decl->kind),
				   lang_place(parser->unit, decl->at));
			lang_help(parser->unit, "rename one of them: the files of a package share one set of names");
		}
		lang_map_add(&parser->module->functions, &parser->unit->arena, name->text, parser->function);
	}
}

/* Up to the next declaration at the start of a line, or the end. */
static void function_skip(struct lang_parser *parser)
{
	while (lang_peek(parser)->kind != LANG_END && !at_func(parser))
		lang_take(parser);
}

/* Reads the rest of a function whose statements ended at a token that ends none of them. */
static void function_end(struct lang_parser *parser)
{
	while (!lang_at_mark(parser, '}')) {
		const struct lang_token *token = lang_peek(parser);

		if (token->kind == LANG_END || at_func(parser) || lang_at_word(parser, "func")) {
			lang_error(parser->unit, parser->function->at, "@%s is not closed by \"}\"", parser->function->name);
			return;
		}
		lang_error(parser->unit, token->at, "this %s ends nothing", token->text);
		lang_take(parser);
		lang_block_parse(parser, &parser->function->body);
	}
	lang_take(parser);
}

void lang_func_parse(struct lang_parser *parser)
{
	const struct lang_token *func = lang_take(parser), *name = lang_peek(parser);

	if (name->kind != LANG_AT)
		lang_expected(parser, "the function's name such as @f");
	if (name->kind != LANG_AT && name->kind != LANG_WORD) {
		function_skip(parser);
		return;
	}
	lang_take(parser);
	lang_function_start(parser, name);
	kind_set(parser, func);
	if (!signature_parse(parser))
		return;
	lang_block_parse(parser, &parser->function->body);
	function_end(parser);
}

/* A name that a function may have: the letters of a text, others as "_". */
static const char *name_make(struct lang_unit *unit, const char *text, size_t length)
{
	char *name = common_copy(&unit->arena, text, length);

	for (char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
			*c = '_';
	return *name ? name : "main";
}

static const char *stem(struct lang_unit *unit, const char *path)
{
	const char *base = strrchr(path, '/'), *dot;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	return name_make(unit, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* The name of bare text: like its program or its file. */
static const char *bare_name(struct lang_parser *parser, uint32_t file)
{
	const char *program = parser->tokens.program.text;

	return program ? name_make(parser->unit, program, strlen(program)) : stem(parser->unit, parser->unit->sources[file].name);
}

/* A file of statements without a function: one InCore function. */
static void bare_parse(struct lang_parser *parser, uint32_t file)
{
	struct lang_token name = *lang_peek(parser);

	name.text = bare_name(parser, file);
	lang_function_start(parser, &name);
	parser->function->bare = 1;
	kind_set(parser, &name);
	lang_block_parse(parser, &parser->function->body);
	/* An error in front makes the statements look wrong that were only taken for others. */
	while (lang_peek(parser)->kind != LANG_END && !parser->unit->list->head.errors) {
		lang_error(parser->unit, lang_peek(parser)->at, "%s ends nothing here", token_text(parser->unit, lang_peek(parser)));
		lang_take(parser);
		lang_block_parse(parser, &parser->function->body);
	}
}

static void entry_take(struct lang_parser *parser, struct lang_remark entry)
{
	struct lang_module *module = parser->module;

	if (!entry.text)
		return;
	if (*entry.text == '@')
		entry.text++;
	if (module->entry.text && !module->entry_chosen && strcmp(module->entry.text, entry.text) != 0) {
		lang_error(parser->unit, entry.at, "there are two entries, @%s here and @%s at %s", entry.text, module->entry.text,
			   lang_place(parser->unit, module->entry.at));
		lang_help(parser->unit, "take one of the comments out, or choose with --entry");
	} else {
		module->entry = entry;
	}
}

/* The remarks of a file that concern the whole module set; the first file that has one decides. */
static void remarks_take(struct lang_parser *parser)
{
	if (!parser->module->name)
		parser->module->name = parser->tokens.module.text;
	entry_take(parser, parser->tokens.entry);
	entry_take(parser, parser->tokens.second_entry);
}

static void unknown_refuse(struct lang_parser *parser)
{
	const struct lang_token *token = lang_take(parser);
	struct lang_guess guess;

	lang_error(parser->unit, token->at, "%s is no declaration", token_text(parser->unit, token));
	if (lang_habit_help(parser->unit, LANG_HABIT_FILE, token->text)) {
		lang_decl_skip(parser);
		return;
	}
	lang_guess_start(&guess, token->text);
	for (size_t i = 1; i < LANG_DECL_KINDS; i++)
		lang_guess_try(&guess, lang_decl_forms[i].word);
	if (!lang_guess_help(parser->unit, &guess, ""))
		lang_help(parser->unit, "a function begins with: func @name(%%x: !pto.memref<gm,...,f32>) {");
	lang_decl_skip(parser);
}

static void source_parse(struct lang_module *module, uint32_t file, const struct lang_tokens *tokens)
{
	struct lang_parser parser = {.unit = module->unit, .module = module, .tokens = *tokens};
	const struct lang_decl_form *form;

	if (file == 0)
		module->end = parser.tokens.rows[parser.tokens.count - 1].at;
	remarks_take(&parser);
	if (lang_as_at(&parser)) {
		lang_as_parse(&parser);
		return;
	}
	if (!lang_decl_at(&parser) && !lang_graph_at(&parser) && lang_peek(&parser)->kind != LANG_END) {
		bare_parse(&parser, file);
		return;
	}
	while (lang_peek(&parser)->kind != LANG_END) {
		form = lang_decl_at(&parser);
		if (form)
			form->parse(&parser);
		else if (lang_graph_at(&parser))
			lang_graph_bare_parse(&parser, bare_name(&parser, file));
		else
			unknown_refuse(&parser);
	}
}

void lang_parse(struct lang_module *module)
{
	struct lang_unit *unit = module->unit;
	struct lang_tokens *tokens = lang_sources_lex(module);

	lang_constants_fill(module, tokens, unit->source_count);
	lang_templates_expand(module, tokens, unit->source_count);
	for (uint32_t i = 0; i < unit->source_count; i++)
		source_parse(module, i, &tokens[i]);
}

/* ---- text of the compiler's own, read with one place for all of it. ---- */

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
	struct lang_parser parser = parser_of(module, common_format(&module->unit->arena, "workload {\n%s}\n", text), work->at);
	int ok;

	lang_take(&parser);
	ok = lang_work_body_parse(&parser, work);
	assert(ok && lang_peek(&parser)->kind == LANG_END);
	(void)ok;
}
