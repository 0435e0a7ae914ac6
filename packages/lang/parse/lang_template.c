/* SPDX-License-Identifier: MIT */
/* lang_template.c - constants and templates, worked out on tokens. */
#include "lang/decl.h"
#include "lang/lang_map.h"
#include "lang/parse/lex.h"

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
static const char *constant_shape_fill(struct constants *c, const struct lang_token *func, const char *text)
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

static void constant_fill(struct constants *c, const struct lang_tokens *source, uint32_t at, const struct lang_token *func)
{
	struct lang_token *token = &source->rows[at];
	const struct lang_token *value = token->kind == LANG_WORD || token->kind == LANG_NAME ? lang_map_find(&c->names, token->text) : NULL;

	if (at > 1 && is_shape(token) && (token->kind == LANG_WORD || token->kind == LANG_NUMBER)) {
		token->text = constant_shape_fill(c, func, token->text);
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
		constant_fill(c, source, i, func);
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

enum { PARAMETERS = 16, INSTANCES = 4096 };

/* Tokens that grow, in the arena. */
struct row_list {
	struct lang_token *rows;
	uint32_t count, capacity;
};

struct template
{
	const char *name;
	struct lang_span at;
	const char *parameters[PARAMETERS];
	uint32_t parameter_count;
	const struct lang_token *func;        /* with the note about its type */
	const struct lang_token *begin, *end; /* of its tokens from "(" on */
	struct row_list *made;                /* instances: of its source */
};

struct expansion {
	struct lang_unit *unit;
	struct lang_map templates, instances;
	uint32_t instance_count;
};

static void row_add(struct expansion *e, struct row_list *list, const struct lang_token *token)
{
	*COMMON_PUSH(&e->unit->arena, list->rows, list->count, list->capacity) = *token;
}

static void rows_add(struct expansion *e, struct row_list *list, const struct row_list *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		row_add(e, list, &more->rows[i]);
}

static bool begins_declaration(const struct lang_token *token)
{
	return token->first && token->kind == LANG_WORD && lang_decl_word(token->text);
}

static const struct lang_token *declaration_end(const struct lang_token *token)
{
	while (token->kind != LANG_END && !begins_declaration(token))
		token++;
	return token;
}

static bool begins_template(const struct lang_token *token)
{
	return begins_declaration(token) && !strcmp(token->text, "func") && token[1].kind == LANG_AT && token[2].mark == '<';
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static bool parameter_add(struct expansion *e, struct template *made, const struct lang_token *token)
{
	if (token->kind != LANG_WORD) {
		lang_error(e->unit, token->at, "a parameter of a template is a name such as M");
		return false;
	}
	for (uint32_t i = 0; i < made->parameter_count; i++)
		if (!strcmp(made->parameters[i], token->text)) {
			lang_error(e->unit, token->at, "there are two parameters %s", token->text);
			return false;
		}
	if (made->parameter_count == PARAMETERS) {
		lang_error(e->unit, token->at, "a template has at most %d parameters", PARAMETERS);
		return false;
	}
	made->parameters[made->parameter_count++] = token->text;
	return true;
}

/* "<M, K, T>"; *token_io is behind it. */
static bool parameters_read(struct expansion *e, struct template *made, const struct lang_token **token_io)
{
	const struct lang_token *token = *token_io;

	do {
		token++;
		if (!parameter_add(e, made, token++))
			return false;
	} while (token->mark == ',');
	if (token->mark != '>') {
		lang_error(e->unit, token->at, "the parameters of a template end with \">\"");
		return false;
	}
	*token_io = token + 1;
	return true;
}

static void template_add(struct expansion *e, const struct lang_token *func, struct row_list *made_to)
{
	struct template *made = common_alloc(&e->unit->arena, sizeof(*made)), *old = lang_map_find(&e->templates, func[1].text);

	*made = (struct template){.name = func[1].text, .at = func[1].at, .func = func, .begin = func + 2, .end = declaration_end(func + 1), .made = made_to};
	if (old) {
		lang_error(e->unit, made->at, "there are two templates @%s, the first one at %s", made->name, lang_place(e->unit, old->at));
		return;
	}
	if (parameters_read(e, made, &made->begin))
		lang_map_add(&e->templates, &e->unit->arena, made->name, made);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

/* The parameter of the first `length` letters, -1: none. */
static int parameter_find(const struct template *made, const char *text, size_t length)
{
	for (uint32_t i = 0; i < made->parameter_count; i++)
		if (strlen(made->parameters[i]) == length && !memcmp(made->parameters[i], text, length))
			return (int)i;
	return -1;
}

/* The parameter that a part of a shape such as "MxKxf32" begins with, the longest of those that an "x" or the end follows. */
static int part_find(const struct template *made, const char *text, size_t *length_out)
{
	int found = -1;

	for (uint32_t i = 0; i < made->parameter_count; i++) {
		const size_t length = strlen(made->parameters[i]);

		if (!strncmp(text, made->parameters[i], length) && (text[length] == 'x' || !text[length]) && (found < 0 || length > *length_out)) {
			found = (int)i;
			*length_out = length;
		}
	}
	return found;
}

static const char *shape_fill(struct expansion *e, const struct template *made, const struct lang_token *arguments, const char *text)
{
	const char *filled = "";

	while (*text) {
		size_t length = strcspn(text, "x");
		const int parameter = part_find(made, text, &length);

		filled = common_format(&e->unit->arena, "%s%.*s", filled, parameter < 0 ? (int)length : 256, parameter < 0 ? text : arguments[parameter].text);
		text += length;
		if (*text)
			filled = common_format(&e->unit->arena, "%sx", filled);
		text += *text != '\0';
	}
	return filled;
}

/* A token of the template stands for itself, unless it is or holds the name of a parameter. */
static struct lang_token token_fill(struct expansion *e, const struct template *made, const struct lang_token *arguments, const struct lang_token *token)
{
	struct lang_token filled = *token;
	const bool is_shape = token > made->begin + 1 && token[-1].mark == '<' && token[-2].kind == LANG_TYPE && !strcmp(token[-2].text, "pto.tile");
	const int parameter = token->kind == LANG_WORD || token->kind == LANG_NAME ? parameter_find(made, token->text, strlen(token->text)) : -1;

	if (is_shape && (token->kind == LANG_WORD || token->kind == LANG_NUMBER)) {
		filled.kind = LANG_NUMBER;
		filled.text = shape_fill(e, made, arguments, token->text);
	} else if (parameter >= 0) {
		filled.kind = token->kind == LANG_NAME && arguments[parameter].kind == LANG_NUMBER ? LANG_LITERAL : arguments[parameter].kind;
		filled.text = arguments[parameter].text;
	}
	return filled;
}

static void uses_expand(struct expansion *e, const struct lang_token *from, const struct lang_token *end, struct row_list *to);

/* The instance's tokens, behind those of the source that has its template. */
static void instance_make(struct expansion *e, const struct template *made, const struct lang_token *arguments, const char *name)
{
	struct row_list filled = {0}, expanded = {0};
	struct lang_token header = made->func[1];

	if (++e->instance_count > INSTANCES) {
		lang_error(e->unit, made->at, "the templates have more than %d instances", INSTANCES);
		lang_stop(e->unit);
	}
	lang_map_add(&e->instances, &e->unit->arena, name, (void *)(uintptr_t)made);
	header.text = name;
	row_add(e, &filled, made->func);
	row_add(e, &filled, &header);
	for (const struct lang_token *token = made->begin; token < made->end; token++) {
		struct lang_token row = token_fill(e, made, arguments, token);

		row_add(e, &filled, &row);
	}
	uses_expand(e, filled.rows, filled.rows + filled.count, &expanded); /* which may make others, in front of this one */
	rows_add(e, made->made, &expanded);
}

/* "<16, 64, f32>" behind a use; *token_io is behind it. NULL after an error. */
static const struct lang_token *arguments_read(struct expansion *e, const struct template *made, const struct lang_token **token_io, const char **name_io)
{
	struct lang_token *arguments = common_alloc(&e->unit->arena, PARAMETERS * sizeof(*arguments));
	const struct lang_token *token = *token_io;
	uint32_t count = 0;

	do {
		token++;
		if (token->kind != LANG_NUMBER && token->kind != LANG_WORD) {
			lang_error(e->unit, token->at, "a number or a type stands for a parameter of @%s", made->name);
			return NULL;
		}
		if (count < PARAMETERS)
			arguments[count] = *token;
		count++;
		*name_io = common_format(&e->unit->arena, "%s.%.80s", *name_io, token->text);
		token++;
	} while (token->mark == ',');
	if (token->mark != '>' || count != made->parameter_count) {
		lang_error(e->unit, token->at, "@%s<...> takes %u parameter%s and then \">\"", made->name, made->parameter_count,
			   made->parameter_count == 1 ? "" : "s");
		return NULL;
	}
	*token_io = token + 1;
	return arguments;
}

static void unknown_tell(struct expansion *e, const struct lang_token *use)
{
	struct lang_guess guess;

	lang_error(e->unit, use->at, "there is no template @%s", use->text);
	lang_guess_start(&guess, use->text);
	for (uint32_t i = 0; e->templates.slots && i <= e->templates.mask; i++)
		if (e->templates.slots[i].name)
			lang_guess_try(&guess, e->templates.slots[i].name);
	if (!lang_guess_help(e->unit, &guess, "@"))
		lang_help(e->unit, "one begins with: func @%s<M, N>(%%x: !pto.memref<gm,...,f32>) {", use->text);
}

/* The use of a template at the token, as the name of its instance; returns the token behind it. */
static const struct lang_token *use_expand(struct expansion *e, const struct lang_token *use, struct row_list *to)
{
	const struct template *made = lang_map_find(&e->templates, use->text);
	const struct lang_token *behind = use + 1, *arguments;
	struct lang_token name = *use;

	if (!made) {
		unknown_tell(e, use);
		return behind;
	}
	arguments = arguments_read(e, made, &behind, &name.text);
	if (!arguments)
		return behind;
	if (!lang_map_find(&e->instances, name.text))
		instance_make(e, made, arguments, name.text);
	row_add(e, to, &name);
	return behind;
}

/* Rows of a source, with names of instances in the places of uses. */
static void uses_expand(struct expansion *e, const struct lang_token *from, const struct lang_token *end, struct row_list *to)
{
	while (from < end)
		if (from->kind == LANG_AT && from + 1 < end && from[1].mark == '<') {
			from = use_expand(e, from, to);
		} else {
			if (from->kind == LANG_AT && lang_map_find(&e->templates, from->text)) {
				lang_error(e->unit, from->at, "@%s is a template; say what its parameters are, such as @%s<16>", from->text, from->text);
			}
			row_add(e, to, from++);
		}
}

static bool uses_templates(const struct lang_tokens *source)
{
	for (uint32_t i = 0; i + 1 < source->count; i++)
		if (source->rows[i].kind == LANG_AT && source->rows[i + 1].mark == '<')
			return true;
	return false;
}

/* The source's rows but for its templates and its end. */
static struct row_list templates_take(struct expansion *e, const struct lang_tokens *source, struct row_list *made)
{
	const struct lang_token *token = source->rows;
	struct row_list rest = {0};

	while (token->kind != LANG_END)
		if (begins_template(token)) {
			template_add(e, token, made);
			token = declaration_end(token + 1);
		} else {
			row_add(e, &rest, token++);
		}
	return rest;
}

void lang_templates_expand(struct lang_module *module, struct lang_tokens *sources, uint32_t count)
{
	struct expansion e = {.unit = module->unit};
	struct row_list *rest = common_alloc(&e.unit->arena, count * sizeof(*rest)), *made = common_alloc(&e.unit->arena, count * sizeof(*made));
	const uint32_t errors = e.unit->list->head.errors;
	bool wanted = false;

	for (uint32_t i = 0; i < count; i++)
		wanted |= uses_templates(&sources[i]);
	if (!wanted)
		return;
	memset(made, 0, count * sizeof(*made));
	for (uint32_t i = 0; i < count; i++)
		rest[i] = templates_take(&e, &sources[i], &made[i]);
	for (uint32_t i = 0; i < count; i++) {
		struct row_list whole = {0};

		if (rest[i].count)
			uses_expand(&e, rest[i].rows, rest[i].rows + rest[i].count, &whole);
		rest[i] = whole;
	}
	if (e.unit->list->head.errors > errors)
		lang_stop(e.unit); /* a wrong use has no known expansion */
	for (uint32_t i = 0; i < count; i++) {
		rows_add(&e, &rest[i], &made[i]);
		row_add(&e, &rest[i], &sources[i].rows[sources[i].count - 1]);
		sources[i].rows = rest[i].rows;
		sources[i].count = rest[i].count;
	}
}
