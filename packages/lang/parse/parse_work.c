/* SPDX-License-Identifier: MIT */
/* parse_work.c - workloads, and statements of bodies. */
#include "isa/isa.h"
#include "lang/lang_work.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

static const struct lang_work_form forms[] = {
#define X(word, opcode, parse, check, lower) {word, opcode, parse, check, lower},
#include "lang/works.def"
#undef X
};
#define FORMS (sizeof(forms) / sizeof(*forms))

bool lang_is_work_word(const char *word)
{
	uint32_t i = 0;

	while (i < FORMS && strcmp(forms[i].word, word) != 0)
		i++;
	return i < FORMS;
}

static const struct lang_work_form *form_take(struct lang_parser *parser)
{
	for (uint32_t i = 0; i < FORMS; i++)
		if (lang_word_take(parser, forms[i].word))
			return &forms[i];
	return NULL;
}

static void name_take(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *token = lang_take(parser);

	work->name = token->text;
	work->name_at = token->at;
}

bool lang_work_name_parse(struct lang_parser *parser, struct lang_work *work, const char *what)
{
	if (lang_peek(parser)->kind != LANG_NAME)
		return lang_expected(parser, what);
	name_take(parser, work);
	return true;
}

static struct lang_local *local_make(struct lang_parser *parser, enum lang_local_kind kind, const struct lang_token *name)
{
	struct lang_local *local = common_alloc(&parser->unit->arena, sizeof(*local));

	local->kind = (uint8_t)kind;
	local->name = name->text;
	local->at = name->at;
	return local;
}

static bool function_word(const struct lang_token *token)
{
	return isa_op_find(token->text, strlen(token->text)) >= 0 || !strcmp(token->text, "alloc_tile") || !strcmp(token->text, "alloc_scalar");
}

/* The help for an instruction of functions in a body. */
static const char *function_help(const struct lang_token *token)
{
	int op = isa_op_find(token->text, strlen(token->text));

	if (op == PTOWSP_PTO_CALL)
		return "calls are written here as: call @f(%x -> %tensor[row, column])";
	if (op == PTOWSP_PTO_RETURN)
		return "a workload ends with its \"}\"; halt ends it before";
	if (op >= PTOWSP_PTO_FOR)
		return "loops and branches are written here as: parallel_for %i in 0 to 16 { }, for_each, while, if %n > 0 { } else { }";
	return op >= PTOWSP_PTO_ADD ? "scalars are expressions here: slot_set %s, %a + 1" : "call an InCore function that does it";
}

/* "for %i in" with a word that is none of ours begins a loop all the same: its body is read with the value. */
static void loop_guess(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *token = lang_peek(parser);

	if ((token[1].kind != LANG_NAME && token[1].kind != LANG_WORD) || token[2].kind != LANG_WORD || strcmp(token[2].text, "in") != 0)
		return;
	work->local = local_make(parser, LANG_LOCAL_LOOP, &token[1]);
	work->form = forms;
	while (work->form->opcode != PTOWSP_OP_PARALLEL_FOR)
		work->form++;
}

/* set: the name in front of "=", NULL without. */
static bool unknown_refuse(struct lang_parser *parser, struct lang_work *work, const struct lang_token *set)
{
	const struct lang_token *token = lang_peek(parser);
	struct lang_guess guess;

	if (token->kind != LANG_WORD) {
		lang_expected(parser, "a statement or \"}\"");
		if (set)
			lang_help(parser->unit, "a value that changes is a slot, and set by: slot_set %%%s, value", set->text);
		return false;
	}
	if (function_word(token)) {
		lang_error(parser->unit, token->at, "%.80s is an instruction of functions, and this is the body of a workload or process", token->text);
		lang_help(parser->unit, "%s", function_help(token));
		return false;
	}
	lang_error(parser->unit, token->at, "there is no statement \"%.80s\"", token->text);
	loop_guess(parser, work);
	if (lang_habit_help(parser->unit, LANG_HABIT_WORKLOAD, token->text))
		return false;
	lang_guess_start(&guess, token->text);
	for (uint32_t i = 0; i < FORMS; i++)
		lang_guess_try(&guess, forms[i].word);
	lang_guess_help(parser->unit, &guess, "");
	return false;
}

/* "%t = call ..." or a statement. */
static int statement_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name = NULL, *word;

	if (lang_peek(parser)->kind == LANG_NAME) {
		name = lang_take(parser);
		if (!lang_expect(parser, '=', "and a call or copy behind the name of a task"))
			return 0;
	}
	word = lang_peek(parser);
	work->at = word->at;
	work->form = form_take(parser);
	if (!work->form)
		return unknown_refuse(parser, work, name);
	if (name && work->form->opcode != PTOWSP_OP_TASK && work->form->opcode != PTOWSP_OP_COPY) {
		lang_error(parser->unit, name->at, "%%%s can name the task of a call or copy, and %s makes none of its own", name->text, work->form->word);
		name = NULL;
	}
	if (name)
		work->local = local_make(parser, LANG_LOCAL_TASK, name);
	return work->form->parse(parser, work);
}

/* Skips the rest of a statement with an error: to the next line, or to what ends the body. */
static void statement_skip(struct lang_parser *parser, uint32_t start)
{
	if (parser->at == start && !lang_at_mark(parser, '}'))
		lang_take(parser);
	while (lang_peek(parser)->kind != LANG_END && !lang_peek(parser)->first && !lang_at_mark(parser, '}') && !lang_at_mark(parser, '{'))
		lang_take(parser);
}

static bool body_ends(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	return token->mark == '}' || token->kind == LANG_END || (token->first && lang_decl_at(parser));
}

/* The form that a statement with an error counts as, for the sake of its bodies: a loop while its value has a name, else a scope. */
static const struct lang_work_form *broken_form(const struct lang_work *work)
{
	const struct lang_work_form *scope = forms;

	if (work->form && work->form->check == lang_loop_check && work->local)
		return work->form;
	while (scope->opcode != PTOWSP_OP_SCOPE)
		scope++;
	return scope;
}

static void statements_parse(struct lang_parser *parser, struct lang_body *body)
{
	body->last = &body->first;
	while (!body_ends(parser)) {
		struct lang_work *work = common_alloc(&parser->unit->arena, sizeof(*work));
		uint32_t start = parser->at;

		if (statement_parse(parser, work)) {
			*body->last = work;
			body->last = &work->next;
			continue;
		}
		statement_skip(parser, start);
		/* The head of a loop was wrong: its body is read for its own errors. */
		if (lang_at_mark(parser, '{') && !lang_work_body_parse(parser, work))
			return;
		if (work->body_count) {
			work->form = broken_form(work);
			*body->last = work;
			body->last = &work->next;
		}
	}
}

/* One deeper. Nothing behind too deep a nest is worth reading. */
static void nest(struct lang_parser *parser, struct lang_span at)
{
	if (++parser->depth > LANG_MAX_NESTING + 1) /* the body of the workload itself is no nest */
		lang_too_deep(parser->unit, at, "");
}

bool lang_body_parse(struct lang_parser *parser, struct lang_body *body)
{
	body->at = lang_peek(parser)->at;
	body->last = &body->first;
	if (!lang_expect(parser, '{', "and the statements"))
		return false;
	nest(parser, body->at);
	statements_parse(parser, body);
	parser->depth--;
	if (lang_at_mark(parser, '}')) {
		lang_take(parser);
		return true;
	}
	lang_error(parser->unit, body->at, "this \"{\" is not closed by \"}\"");
	return false;
}

bool lang_work_body_parse(struct lang_parser *parser, struct lang_work *work)
{
	struct lang_body body = {0};
	struct lang_body *kept;
	int ok = lang_body_parse(parser, &body);

	if (work->body_count == UINT16_MAX) {
		lang_error(parser->unit, body.at, "%s has more than %u bodies", work->form->word, UINT16_MAX);
		return 0;
	}
	kept = COMMON_PUSH(&parser->unit->arena, work->bodies, work->body_count, work->body_capacity);
	*kept = body;
	if (!kept->first)
		kept->last = &kept->first;
	return ok;
}

/* --- loops and branches --- */

/* "0 to %n", "0 to %n step 2" */
static bool range_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	axis->kind = PTOWSP_AXIS_DENSE;
	axis->low = lang_scalar_parse(parser, "an axis such as %tiles, or a range such as 0 to %n");
	if (!axis->low)
		return false;
	if (!lang_word_take(parser, "to"))
		return lang_expected(parser, "\"to\" and the bound behind the first value");
	axis->high = lang_scalar_parse(parser, "a bound such as 16 or %n");
	if (!axis->high || !lang_word_take(parser, "step"))
		return axis->high != NULL;
	axis->step = lang_scalar_parse(parser, "a step such as 2");
	return axis->step != NULL;
}

/* "[%b]" behind a ragged or sparse axis. */
static bool row_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_at_mark(parser, '['))
		return true;
	lang_take(parser);
	work->value = lang_scalar_parse(parser, "a row such as %b");
	return work->value && lang_expect(parser, ']', "behind the row");
}

/* A name and "{" or "[" is an axis; a name and anything else begins a range. */
static bool space_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind == LANG_NAME && (token[1].mark == '{' || token[1].mark == '[')) {
		name_take(parser, work);
		return row_parse(parser, work);
	}
	work->axis = common_alloc(&parser->unit->arena, sizeof(*work->axis));
	work->axis->head.kind = LANG_DECL_AXIS;
	work->axis->head.at = token->at;
	if (token->kind == LANG_WORD && token[1].mark == '(' && strcmp(token->text, "min") != 0 && strcmp(token->text, "max") != 0 &&
	    strcmp(token->text, "select") != 0)
		return lang_axis_read(parser, work->axis) && row_parse(parser, work) && lang_levels_parse(parser, &work->axis->levels);
	return range_parse(parser, work->axis) && lang_levels_parse(parser, &work->axis->levels);
}

bool lang_loop_parse(struct lang_parser *parser, struct lang_work *work)
{
	const struct lang_token *name = lang_peek(parser);

	/* A name without its sign is plain enough: the body is read with it. */
	if (name->kind == LANG_NAME || name->kind == LANG_WORD)
		work->local = local_make(parser, LANG_LOCAL_LOOP, name);
	if (!lang_name_take(parser, LANG_NAME, "a name for the loop's value such as %i"))
		return false;
	if (!lang_word_take(parser, "in"))
		return lang_expected(parser, "\"in\" and what the loop runs over");
	return space_parse(parser, work) && lang_work_body_parse(parser, work);
}

static bool condition_parse(struct lang_parser *parser, struct lang_work *work)
{
	work->value = lang_scalar_parse(parser, "a condition such as %n > 0");
	if (!work->value || !lang_at_mark(parser, '='))
		return work->value != NULL;
	lang_error(parser->unit, lang_peek(parser)->at, "\"=\" is no comparison");
	lang_help(parser->unit, "write ==");
	return false;
}

bool lang_cond_parse(struct lang_parser *parser, struct lang_work *work)
{
	struct lang_work *other;
	struct lang_body *body;
	int ok;

	if (!condition_parse(parser, work) || !lang_work_body_parse(parser, work))
		return 0;
	if (!lang_word_take(parser, "else"))
		return 1;
	if (!lang_at_word(parser, "if"))
		return lang_work_body_parse(parser, work);
	/* else if: the other branch is one statement */
	nest(parser, lang_peek(parser)->at);
	other = common_alloc(&parser->unit->arena, sizeof(*other));
	body = COMMON_PUSH(&parser->unit->arena, work->bodies, work->body_count, work->body_capacity);
	*body = (struct lang_body){.at = lang_peek(parser)->at};
	other->at = body->at;
	other->form = form_take(parser);
	body->first = other;
	ok = lang_cond_parse(parser, other);
	parser->depth--;
	return ok;
}

bool lang_repeat_parse(struct lang_parser *parser, struct lang_work *work)
{
	return condition_parse(parser, work) && lang_work_body_parse(parser, work);
}

bool lang_scope_parse(struct lang_parser *parser, struct lang_work *work)
{
	return lang_work_body_parse(parser, work);
}

/* "combine { ... } { ... }": one body per branch. */
bool lang_branches_parse(struct lang_parser *parser, struct lang_work *work)
{
	do {
		if (!lang_work_body_parse(parser, work))
			return false;
	} while (lang_at_mark(parser, '{'));
	return true;
}

bool lang_bare_parse(struct lang_parser *parser, struct lang_work *work)
{
	(void)parser;
	(void)work;
	return true;
}

/* --- slots, events, memory --- */

bool lang_slot_set_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_work_name_parse(parser, work, "a slot such as %gate") || !lang_expect(parser, ',', "and the value behind the slot"))
		return false;
	work->value = lang_scalar_parse(parser, "a value such as %n + 1");
	return work->value != NULL;
}

bool lang_slot_load_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_work_name_parse(parser, work, "a slot such as %gate") || !lang_expect(parser, ',', "and the element behind the slot") ||
	    !lang_part_parse(parser, &work->parts[0]))
		return false;
	work->mode = (uint32_t)lang_word_take(parser, "bits");
	return true;
}

bool lang_event_use_parse(struct lang_parser *parser, struct lang_work *work)
{
	return lang_work_name_parse(parser, work, "an event such as %ready");
}

bool lang_memory_parse(struct lang_parser *parser, struct lang_work *work)
{
	return lang_work_name_parse(parser, work, "a tensor such as %x");
}

bool lang_fence_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (lang_words_take(parser, PKG_WORDS_scope, &work->mode))
		return true;
	return lang_expected(parser, "the scope of the fence: core, device or system");
}

bool lang_copy_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_part_parse(parser, &work->parts[0]))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_expected(parser, "\"->\" and where to copy");
	lang_take(parser);
	return lang_part_parse(parser, &work->parts[1]) && lang_afters_parse(parser, work);
}

/* --- workloads --- */

void lang_workload_parse(struct lang_parser *parser)
{
	struct lang_workload *workload = lang_decl_begin(parser, LANG_DECL_WORKLOAD, sizeof(*workload), LANG_AT, "the workload's name such as @main");

	if (workload)
		lang_decl_end(parser, &workload->head, lang_body_parse(parser, &workload->body));
}
