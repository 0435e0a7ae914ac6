/* SPDX-License-Identifier: MIT */
/* parse_call.c - call @f(%x -> %T[%i*64, 0], %n -> 3) after %t: parts of tensors, arguments, stated edges. */
#include "lang/lang_work.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

static void part_end(struct lang_parser *parser, struct lang_part *part)
{
	struct lang_span end = parser->tokens.rows[parser->at - 1].at;

	part->all = part->at;
	if (end.line == part->at.line && end.file == part->at.file)
		part->all.length = end.column + end.length - part->at.column;
}

/* "%i*64, 0" and ": 64, 128" inside the brackets. */
static int indices_parse(struct lang_parser *parser, struct lang_part *part)
{
	do {
		if (part->index_count)
			lang_take(parser);
		if (part->index_count == LANG_MAX_RANK) {
			lang_error(parser->unit, lang_peek(parser)->at, "a tensor has at most %u dimensions", LANG_MAX_RANK);
			return 0;
		}
		part->indices[part->index_count] = lang_scalar_parse(parser, "an index such as %i*64");
		if (!part->indices[part->index_count++])
			return 0;
	} while (lang_at_more(parser));
	if (!lang_at_mark(parser, ':'))
		return 1;
	lang_take(parser);
	if (lang_dots_take(parser, NULL)) {
		part->flat = 1;
		if (!lang_at_more(parser))
			return 1;
		lang_take(parser);
		part->extents[1] = lang_scalar_parse(parser, "how many elements it may reach at most");
		return part->extents[1] != NULL;
	}
	part->extents[0] = lang_scalar_parse(parser, "how many rows");
	if (!part->extents[0] || !lang_expect(parser, ',', "and how many columns"))
		return 0;
	part->extents[1] = lang_scalar_parse(parser, "how many columns");
	return part->extents[1] != NULL;
}

bool lang_part_parse(struct lang_parser *parser, struct lang_part *part)
{
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "a tensor such as %x[0, 0]");

	memset(part, 0, sizeof(*part));
	if (!name)
		return false;
	part->tensor = name->text;
	part->at = name->at;
	if (lang_at_mark(parser, '[')) {
		lang_take(parser);
		if (!indices_parse(parser, part) || !lang_expect(parser, ']', "behind the indices"))
			return false;
	}
	part_end(parser, part);
	if (!lang_word_take(parser, "as"))
		return true;
	part->viewed = 1;
	return lang_element_parse(parser, &part->view, "the type that bytes are seen as, such as f32");
}

/* "inout %x[0, 0]": not as the callee's parameter says. */
static void access_parse(struct lang_parser *parser, struct lang_pass *pass)
{
	if (!pass->stated)
		pass->stated = (uint8_t)lang_access_take(parser, &pass->access);
}

static bool pass_parse(struct lang_parser *parser, struct lang_work *work)
{
	struct lang_pass *pass = COMMON_PUSH(&parser->unit->arena, work->passes, work->pass_count, work->pass_capacity);
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "an argument such as %x -> %tensor[0, 0]"), *token;

	memset(pass, 0, sizeof(*pass));
	if (!name)
		return false;
	pass->formal = name->text;
	pass->at = name->at;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_arrow_expected(parser, "call @f(%a -> %x[0, 0])");
	lang_take(parser);
	access_parse(parser, pass);
	token = lang_peek(parser);
	if (pass->stated)
		return lang_part_parse(parser, &pass->part);
	/* A name alone may be a tensor or a value; that is known when all names are. */
	pass->has_brackets = token->kind == LANG_NAME && (token[1].mark == '[' || (token[1].kind == LANG_WORD && !strcmp(token[1].text, "as")));
	if (pass->has_brackets)
		return lang_part_parse(parser, &pass->part);
	if (token->mark == '(' && token[1].kind == LANG_NAME && token[2].mark == ',') {
		lang_error(parser->unit, token->at, "a part of a tensor is written %%%s[row, column] here", token[1].text);
		lang_help(parser->unit, "(%%%s, row, column) stands in the CALL of an Orchestration function", token[1].text);
		return false;
	}
	pass->value = lang_scalar_parse(parser, "a tensor or a value");
	return pass->value != NULL;
}

static int passes_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_expect(parser, '(', "and the arguments behind the function"))
		return 0;
	for (bool more = !lang_at_mark(parser, ')'); more && !lang_dots_take(parser, &work->rest); more = lang_comma_take(parser, ')'))
		if (!pass_parse(parser, work))
			return 0;
	return lang_expect(parser, ')', "behind the arguments");
}

/* "after %t, data %u" */
bool lang_afters_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_word_take(parser, "after"))
		return true;
	for (;;) {
		struct lang_after *after = COMMON_PUSH(&parser->unit->arena, work->afters, work->after_count, work->after_capacity);

		*after = (struct lang_after){.kind = PTOWSP_AFTER_TASK};
		if (!lang_at_word(parser, "after"))
			lang_words_take(parser, PKG_WORDS_edge, &after->kind);
		after->task = lang_scalar_parse(parser, "a task such as %t");
		if (!after->task)
			return false;
		if (!lang_at_mark(parser, ','))
			return true;
		lang_take(parser);
	}
}

bool lang_task_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name = lang_name_take(parser, LANG_AT, "what is called, such as @f");

	if (!name)
		return false;
	work->callee = name->text;
	work->callee_at = name->at;
	return passes_parse(parser, work) && lang_afters_parse(parser, work);
}
