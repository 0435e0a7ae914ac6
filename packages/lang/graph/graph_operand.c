/* SPDX-License-Identifier: MIT */
/* graph_operand.c - operands of an instruction, as graph_ops.def says. */
#include "lang/graph/lang_graph.h"

#include <stdbool.h>
#include <string.h>

/* Skips the operands of an instruction with an error: to the ")" that ends them, or to the next line. */
static void operands_skip(struct lang_parser *parser, uint32_t open)
{
	while (lang_peek(parser)->kind != LANG_END && !lang_peek(parser)->first && open) {
		open += lang_at_mark(parser, '(');
		open -= lang_at_mark(parser, ')');
		lang_take(parser);
	}
}

/* A name or a number that is an id; NULL after an error. */
static const struct lang_token *id_take(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand)
{
	struct lang_parser *parser = reader->parser;
	const struct lang_token *token = lang_peek(parser);
	const char *object = pkg_graph_object_text((uint32_t)operand->argument);
	uint32_t number;

	if (token->kind != LANG_WORD && token->kind != LANG_NAME && token->kind != LANG_NUMBER) {
		lang_expected(parser, common_format(&reader->unit->arena, "the id of a %s (%s)", object, operand->name));
		return NULL;
	}
	if (token->kind == LANG_NUMBER && (!lang_uint_read(token->text, &number) || number == UINT32_MAX)) {
		lang_error(reader->unit, token->at, "%s is no id: %s is a name or a whole number below 4294967295", token->text, operand->name);
		return NULL;
	}
	if (token->kind == LANG_NUMBER && operand->argument == PTOWSP_GRAPH_GRAPH && number > PTOWSP_GRAPH_ID_LIMIT) {
		lang_error(reader->unit, token->at, "%s is no id of a graph: the largest one is %u", token->text, PTOWSP_GRAPH_ID_LIMIT);
		return NULL;
	}
	return lang_take(parser);
}

/* "007" is the graph 7. */
static const char *id_text(struct lang_graph_reader *reader, const struct lang_token *token)
{
	uint32_t number;

	if (token->kind != LANG_NUMBER || !lang_uint_read(token->text, &number))
		return token->text;
	return common_format(&reader->unit->arena, "%u", (unsigned)number);
}

static bool id_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_inst *inst, struct lang_graph_arg *arg)
{
	const struct lang_token *token = id_take(reader, operand);

	if (!token)
		return false;
	arg->at = token->at;
	/* The default of TG_DEPEND, written out: what it means is known when all tensors are. */
	if (operand->kind == PKG_GRAPH_USE && *operand->value && !strcmp(id_text(reader, token), operand->value)) {
		arg->given = 0;
		return true;
	}
	if (operand->kind == PKG_GRAPH_NEW)
		arg->object = lang_graph_define(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at, inst);
	else
		arg->object = lang_graph_mention(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at);
	/* Two definitions of one id were told; the second one has nothing more to say. */
	inst->broken |= operand->kind == PKG_GRAPH_NEW && arg->object->inst != inst;
	return true;
}

static int set_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	struct lang_parser *parser = reader->parser;
	const struct lang_token *token;
	uint32_t capacity = 0;

	reader->sets++;
	arg->at = lang_peek(parser)->at;
	if (!lang_expect(parser, '{', common_format(&reader->unit->arena, "and the %ss of the set", pkg_graph_object_text((uint32_t)operand->argument))))
		return 0;
	for (;;) {
		struct lang_graph_object *object;

		token = id_take(reader, operand);
		if (!token)
			return 0;
		object = lang_graph_mention(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at);
		if (object->set == reader->sets) {
			lang_error(reader->unit, token->at, "%s is twice in this set", object->name);
			return 0;
		}
		object->set = reader->sets;
		*COMMON_PUSH(&reader->unit->arena, arg->set, arg->set_count, capacity) = object;
		if (!lang_at_more(parser))
			return lang_expect(parser, '}', "behind the set");
		lang_take(parser);
	}
}

static bool symbol_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	const struct lang_token *token = lang_peek(reader->parser);

	if (token->kind != LANG_WORD && token->kind != LANG_AT)
		return lang_expected(reader->parser, common_format(&reader->unit->arena, "the name of a kernel (%s)", operand->name));
	lang_take(reader->parser);
	arg->at = token->at;
	arg->text = token->text;
	return true;
}

const char *lang_graph_upper(struct lang_graph_reader *reader, const char *text)
{
	char *upper = common_copy(&reader->unit->arena, text, strlen(text));

	for (char *at = upper; *at; at++)
		*at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
	return upper;
}

static int word_refuse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, const struct lang_token *token)
{
	uint32_t count;
	const struct pkg_word *words = pkg_words((enum pkg_words)operand->argument, &count);
	const char *names[16];

	lang_error(reader->unit, token->at, "there is no %s \"%.80s\"", operand->name, token->text);
	for (uint32_t i = 0; i < count && i < 16; i++)
		names[i] = words[i].word;
	lang_known_help(reader->unit, lang_graph_upper(reader, token->text), "", names, count < 16 ? count : 16);
	return 0;
}

/* One of the words, or its code. */
static int word_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	const struct lang_token *token = lang_peek(reader->parser);
	uint32_t code = 0;

	if (token->kind != LANG_WORD && token->kind != LANG_NUMBER)
		return lang_expected(reader->parser, common_format(&reader->unit->arena, "a word (%s)", operand->name));
	if (token->kind == LANG_NUMBER ? !lang_uint_read(token->text, &code) || !pkg_word((enum pkg_words)operand->argument, code)
				       : !pkg_word_find((enum pkg_words)operand->argument, token->text, &code))
		return word_refuse(reader, operand, token);
	lang_take(reader->parser);
	arg->at = token->at;
	arg->value = code;
	return 1;
}

static bool constant_check(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, const struct lang_graph_arg *arg)
{
	int64_t value;

	if (!lang_graph_constant(arg->scalar, &value)) {
		lang_error(reader->unit, arg->at, "%s must be a constant", operand->name);
		lang_help(reader->unit, "conditions, counts, offsets and sizes of bindings and copies may depend on scalars, this may not");
		return false;
	}
	if (operand->kind == PKG_GRAPH_RANGE && (value < 1 || value > (int64_t)operand->argument)) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must be 1 to %llu", operand->name, (long long)value, (unsigned long long)operand->argument);
		return false;
	}
	return true;
}

static bool scalar_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	int64_t value;

	arg->at = lang_peek(reader->parser)->at;
	arg->scalar = lang_graph_scalar_parse(reader, common_format(&reader->unit->arena, "a value (%s)", operand->name));
	if (!arg->scalar)
		return false;
	if (operand->kind != PKG_GRAPH_SCALAR && !constant_check(reader, operand, arg))
		return false;
	if (!lang_graph_constant(arg->scalar, &value))
		return true;
	arg->value = (uint64_t)value;
	if (value < 0) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must not be negative", operand->name, (long long)value);
		return false;
	}
	if (operand->bytes == 4 && value > UINT32_MAX) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must fit 32 bits", operand->name, (long long)value);
		return false;
	}
	return true;
}

static int operand_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_inst *inst, struct lang_graph_arg *arg)
{
	arg->given = 1;
	switch ((enum pkg_graph_kind)operand->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: return id_parse(reader, operand, inst, arg);
	case PKG_GRAPH_SET: return set_parse(reader, operand, arg);
	case PKG_GRAPH_SYMBOL: return symbol_parse(reader, operand, arg);
	case PKG_GRAPH_ENUM: return word_parse(reader, operand, arg);
	default: return scalar_parse(reader, operand, arg);
	}
}

/* The default of an operand that is not written. */
static void operand_default(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_span at, struct lang_graph_arg *arg)
{
	uint32_t code = 0;

	arg->at = at;
	if (operand->kind == PKG_GRAPH_ENUM)
		pkg_word_find((enum pkg_words)operand->argument, operand->value, &code);
	else
		lang_uint_read(operand->value, &code);
	arg->value = code;
	if (operand->kind == PKG_GRAPH_SCALAR)
		arg->scalar = lang_graph_scalar_constant(reader->unit, code, at);
}

/* "graph_id, stream" of a form, for messages; optional ones in brackets. */
static const char *operands_text(struct lang_unit *unit, const struct pkg_graph_form *form)
{
	const char *text = "";

	for (uint32_t i = 0; i < form->count; i++) {
		const struct pkg_graph_operand *o = &form->operands[i];

		text = common_format(&unit->arena, *o->value ? "%s%s[%s]" : "%s%s%s", text, i ? ", " : "", o->name);
	}
	return text;
}

static bool count_refuse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_span at, uint32_t count)
{
	lang_error(reader->unit, at, "%s has %s operands here: %u", form->name, count > form->count ? "too many" : "too few", count);
	lang_help(reader->unit, "%s(%s)", form->name, operands_text(reader->unit, form));
	return false;
}

static bool is_operand(const struct lang_token *token)
{
	return token->kind == LANG_WORD || token->kind == LANG_NUMBER || token->kind == LANG_NAME;
}

/* How many there are from here, at "(", to the ")" of it: one that is missing is told before those that stand in its place. */
static uint32_t operands_count(const struct lang_parser *parser)
{
	uint32_t depth = 0, commas = 0, at = parser->at;
	const struct lang_token *rows = parser->tokens.rows;

	for (; rows[at].kind != LANG_END; at++) {
		depth += rows[at].mark && strchr("([{", rows[at].mark) != NULL;
		depth -= rows[at].mark && strchr(")]}", rows[at].mark) != NULL;
		if (!depth)
			return at == parser->at + 1 ? 0 : commas + (rows[at - 1].mark != ',');
		commas += depth == 1 && rows[at].mark == ',';
		if (is_operand(&rows[at]) && is_operand(&rows[at + 1])) /* it is the comma that is missing */
			break;
	}
	return UINT32_MAX; /* an open list has its own error */
}

static uint32_t operands_needed(const struct pkg_graph_form *form)
{
	uint32_t count = 0;

	while (count < form->count && !*form->operands[count].value)
		count++;
	return count;
}

/* Up to and with ")"; how many there were. */
static int list_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_graph_inst *inst, uint32_t *count)
{
	struct lang_parser *parser = reader->parser;

	for (bool more = !lang_at_mark(parser, ')'); more; more = lang_comma_take(parser, ')')) {
		if (*count == form->count)
			return count_refuse(reader, form, lang_peek(parser)->at, *count + 1);
		if (!operand_parse(reader, &form->operands[*count], inst, &inst->args[*count]))
			return 0;
		++*count;
	}
	return lang_expect(parser, ')', "behind the operands");
}

bool lang_graph_operands_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_graph_inst *inst)
{
	struct lang_parser *parser = reader->parser;
	uint32_t count = 0;

	if (!lang_at_mark(parser, '(') || lang_peek(parser)->first) {
		if (!form->count)
			return true;
		lang_expected(parser, common_format(&reader->unit->arena, "\"(\" and the operands of %s", form->name));
		lang_line_skip(parser);
		return false;
	}
	if (operands_count(parser) < operands_needed(form)) {
		count_refuse(reader, form, inst->at, operands_count(parser));
		lang_take(parser);
		operands_skip(parser, 1);
		return false;
	}
	lang_take(parser);
	if (!list_parse(reader, form, inst, &count)) {
		operands_skip(parser, 1);
		return false;
	}
	for (; count < form->count; count++) {
		if (!*form->operands[count].value)
			return count_refuse(reader, form, inst->at, count);
		operand_default(reader, &form->operands[count], inst->at, &inst->args[count]);
	}
	return true;
}
