/* SPDX-License-Identifier: MIT */
/* schedule_lower.c - directives to rows of SCHD: names looked up in the tables, then the text that registry/schedule.h reads. */
#include "lang/lang_layout.h"
#include "lang/lang_schedule.h"
#include "lang/lower/lang_lower.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "registry/schedule.h"

/* Offsets of the schedule's own words begin here, beyond those of any package, until the writer takes them. */
#define WORDS_BASE (UINT32_C(1) << 31)

struct job {
	struct lang_lower *lower;
	struct lang_unit *unit;
	struct reg_scope scope;
};

/* --- names --- */

static const char *row_name(struct job *job, uint32_t offset)
{
	const char *text = pkg_writer_text(job->lower->writer, offset);

	return common_copy(&job->unit->arena, text, strlen(text)); /* the writer moves its strings */
}

static const char *table_name(struct job *job, uint32_t section, uint32_t row)
{
	union {
		const struct ptowsp_slot_record *slot;
		const struct ptowsp_tensor_record *tensor;
		const struct ptowsp_channel_record *channel;
	} at = {.slot = pkg_writer_at(job->lower->writer, section, row)};

	return row_name(job, section == PTOWSP_SECTION_SLOT ? at.slot->name : section == PTOWSP_SECTION_TENS ? at.tensor->name : at.channel->name);
}

/* Loops by name: equal names have one string. Internal slots cannot be meant. */
static void scope_fill(struct job *job)
{
	const struct lang_tables *tables = job->lower->tables;
	uint32_t slots = pkg_writer_count(job->lower->writer, PTOWSP_SECTION_SLOT);
	struct common_arena *arena = &job->unit->arena;
	const char **loops = common_alloc(arena, (tables->axis_count + 1) * sizeof(*loops));
	const char **values = common_alloc(arena, (slots + 1) * sizeof(*values));
	uint32_t *loop_strings = common_alloc(arena, (tables->axis_count + 1) * sizeof(*loop_strings));
	uint32_t *value_rows = common_alloc(arena, (slots + 1) * sizeof(*value_rows)), count = 0;

	for (uint32_t i = 0; i < tables->axis_count; i++) {
		uint32_t old = 0;

		while (old < count && loop_strings[old] != tables->axes[i].name)
			old++;
		if (old < count)
			continue;
		loops[count] = row_name(job, tables->axes[i].name);
		loop_strings[count++] = tables->axes[i].name;
	}
	job->scope = (struct reg_scope){loops, loop_strings, values, value_rows, count, 0};
	for (uint32_t i = 0; i < slots; i++) {
		const struct ptowsp_slot_record *slot = pkg_writer_at(job->lower->writer, PTOWSP_SECTION_SLOT, i);

		if (slot->flags & PTOWSP_SLOT_INTERNAL)
			continue;
		values[job->scope.value_count] = table_name(job, PTOWSP_SECTION_SLOT, i);
		value_rows[job->scope.value_count++] = i;
	}
}

static int is_known(const char *const *names, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

static bool loop_check(struct job *job, const struct lang_argument *argument)
{
	if (is_known(job->scope.loops, job->scope.loop_count, argument->name))
		return true;
	lang_error(job->unit, argument->at, "no loop of this package is called %%%s", argument->name);
	lang_known_help(job->unit, argument->name, "%", job->scope.loops, job->scope.loop_count);
	return false;
}

static bool row_check(struct job *job, const struct lang_argument *argument, uint32_t section, const char *what)
{
	uint32_t count = pkg_writer_count(job->lower->writer, section);
	const char **names = common_alloc(&job->unit->arena, (count + 1) * sizeof(*names));

	for (uint32_t i = 0; i < count; i++)
		names[i] = table_name(job, section, i);
	if (is_known(names, count, argument->name))
		return true;
	lang_error(job->unit, argument->at, "there is no %s %%%s", what, argument->name);
	lang_known_help(job->unit, argument->name, "%", names, count);
	return false;
}

/* Dimensions that a layout leaves out at the end stay whole, which a run takes: it may bind more dimensions than a source can see. */
static bool rank_check(struct job *job, const struct lang_directive *directive)
{
	const struct lang_argument *name = &directive->arguments[0];
	uint32_t count = pkg_writer_count(job->lower->writer, PTOWSP_SECTION_TENS), laid = directive->count - 1, rank;
	const struct ptowsp_tensor_record *tensor = NULL;

	for (uint32_t i = 0; i < count && !tensor; i++)
		if (!strcmp(table_name(job, PTOWSP_SECTION_TENS, i), name->name))
			tensor = pkg_writer_at(job->lower->writer, PTOWSP_SECTION_TENS, i);
	rank = tensor->flags & PTOWSP_TENSOR_SHAPELESS ? LANG_MAX_RANK : tensor->dim_count;
	if (laid > rank) {
		lang_error(job->unit, directive->arguments[rank + 1].at, "the layout has %u dimensions, %%%s has %u%s", laid, name->name, rank,
			   tensor->flags & PTOWSP_TENSOR_SHAPELESS ? " at most" : "");
		return false;
	}
	if (laid < rank && !(tensor->flags & PTOWSP_TENSOR_SHAPELESS)) {
		lang_warn(job->unit, name->at, "the layout has %u dimension%s, %%%s has %u: those behind stay whole", laid, laid == 1 ? "" : "s", name->name,
			  rank);
		lang_help(job->unit, "write R for each of them");
	}
	return true;
}

/* --- expressions --- */

static bool expression_name_check(struct job *job, const struct lang_token *token)
{
	static const char *const words[] = {"task", "instance", "min", "max", "select"};
	const struct reg_scope *scope = &job->scope;
	const char **names;
	uint32_t count = 0;

	if ((token->kind != LANG_NAME && token->kind != LANG_WORD) || is_known(scope->loops, scope->loop_count, token->text) ||
	    is_known(scope->values, scope->value_count, token->text) || (token->kind == LANG_WORD && is_known(words, 5, token->text)))
		return true;
	names = common_alloc(&job->unit->arena, (scope->loop_count + scope->value_count + 1) * sizeof(*names));
	for (uint32_t i = 0; i < scope->loop_count; i++)
		names[count++] = scope->loops[i];
	for (uint32_t i = 0; i < scope->value_count; i++)
		names[count++] = scope->values[i];
	lang_error(job->unit, token->at, "no loop, symbol or slot of this package is called %%%s", token->text);
	lang_known_help(job->unit, token->text, "%", names, count);
	return false;
}

/* The source of the expression on one line, comments and line ends as blanks: an offset in it is one from its first token. */
static char *expression_text(struct job *job, const struct lang_argument *argument)
{
	const struct lang_token *last = &argument->tokens[argument->token_count - 1];
	const struct lang_source *source = &job->unit->sources[argument->at.file];
	const char *from = source->text, *to;
	char *text;

	for (uint32_t line = 1; line < argument->at.line; from++)
		line += *from == '\n';
	from += argument->at.column - 1;
	to = from;
	for (uint32_t line = argument->at.line; line < last->at.line; to++)
		line += *to == '\n';
	to = last->at.line > argument->at.line ? to + last->at.column - 1 + last->at.length : from + last->at.column - argument->at.column + last->at.length;
	text = common_copy(&job->unit->arena, from, (size_t)(to - from));
	for (char *at = text; *at; at++) {
		if (at[0] == '/' && at[1] == '/')
			while (*at && *at != '\n')
				*at++ = ' ';
		if (*at && (unsigned char)*at < ' ')
			*at = ' ';
		if (!*at)
			break;
	}
	return text;
}

/* The token that begins at or behind the offset, or the end of the last one. */
static struct lang_span expression_place(const struct lang_argument *argument, uint64_t offset)
{
	const struct lang_token *last = &argument->tokens[argument->token_count - 1];
	struct lang_span end = last->at;

	for (uint32_t i = 0; i < argument->token_count; i++)
		if (argument->tokens[i].at.line == argument->at.line && argument->tokens[i].at.column - argument->at.column >= offset)
			return argument->tokens[i].at;
	end.column += end.length;
	end.length = 1;
	return end;
}

/* registry's rows are on the heap: they are given back before anything is told, which may end the compilation. */
static bool expression_check(struct job *job, struct lang_argument *argument)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const char *text = expression_text(job, argument), *why;
	struct reg_rows rows = {0};
	ptowsp_status status;
	uint32_t row;

	for (uint32_t i = 0; i < argument->token_count; i++)
		if (!expression_name_check(job, &argument->tokens[i]))
			return false;
	argument->name = common_format(&job->unit->arena, "(%s)", text); /* so that no name in it is taken for a word */
	status = reg_expression_compile(text, strlen(text), &job->scope, &rows, &row, &error);
	reg_rows_finish(&rows);
	if (!status)
		return true;
	why = strstr(error.text, "\", character ");
	why = why ? strstr(why, ": ") : NULL;
	lang_error(job->unit, expression_place(argument, error.where[0]), "in this expression %s", why ? why + 2 : error.text);
	return false;
}

/* --- directives --- */

static int names_check(struct job *job, struct lang_directive *directive)
{
	static const char *const domains[] = {"global", "stream", "pool"};
	int ok = 1;

	for (uint32_t i = 0; i < directive->count; i++) {
		struct lang_argument *argument = &directive->arguments[i];

		if (argument->kind == 'e')
			ok &= expression_check(job, argument);
		else if (argument->kind == 'a' || (argument->kind == 'd' && !is_known(domains, 3, argument->name)))
			ok &= loop_check(job, argument);
		else if (argument->kind == 'c')
			ok &= row_check(job, argument, PTOWSP_SECTION_CSPC, "channel");
		else if (argument->kind == 't')
			ok &= row_check(job, argument, PTOWSP_SECTION_TENS, "tensor") && rank_check(job, directive);
		else if (argument->policy)
			ok &= names_check(job, argument->policy);
	}
	return ok;
}

/* "round_robin(4)", "64,abort" */
static const char *value_text(struct job *job, const struct lang_directive *directive)
{
	const struct reg_policy *policy = reg_policy(directive->spelling->directive, directive->spelling->policy);
	struct common_arena *arena = &job->unit->arena;
	const char *text = "";
	int bare = reg_policy_is_bare(policy);

	for (uint32_t i = 0; i < directive->count; i++) {
		const struct lang_argument *argument = &directive->arguments[i];
		const char *join = !i ? "" : directive->arguments[i - 1].kind == 'i' ? ": " : ",";

		text = common_format(arena, "%s%s%s", text, join, argument->policy ? value_text(job, argument->policy) : argument->name);
	}
	if (!bare)
		return directive->count ? common_format(arena, "%s(%s)", policy->word, text) : policy->word;
	return policy->code > 1 ? common_format(arena, "%s,%.*s", text, (int)(strlen(policy->word) - 2), policy->word + 1) : text;
}

/* Words get their place among the package's strings. */
static void row_write(struct pkg_writer *writer, const struct reg_schedule *schedule, struct ptowsp_directive_record row)
{
	int64_t *arguments[] = {&row.a0, &row.a1, &row.a2, &row.a3, &row.a4, &row.a5, &row.a6, &row.a7};

	for (unsigned i = 0; i < row.count && i < 8; i++)
		if (reg_directive_argument_kind(&row, i) == PTOWSP_ARGUMENT_WORD && *arguments[i] >= WORDS_BASE)
			*arguments[i] = pkg_writer_string(writer, schedule->strings + (*arguments[i] - WORDS_BASE));
	pkg_writer_row(writer, PTOWSP_SECTION_SCHD, &row, sizeof(row));
}

/* Here again nothing is told, and nothing taken from the arena, while registry's memory is held. */
static const struct lang_directive *rows_write(struct job *job, const struct lang_schedule *schedule, struct ptowsp_error *error)
{
	struct pkg_writer *writer = job->lower->writer;
	const struct lang_directive *d = schedule->first;
	struct reg_schedule rows;

	reg_schedule_init(&rows, WORDS_BASE, pkg_writer_count(writer, PTOWSP_SECTION_EXPR));
	for (; d && !reg_schedule_add(&rows, d->line, &job->scope, error); d = d->next)
		rows.rows[rows.count - 1].flags = d->required ? PTOWSP_DIRECTIVE_MUST : 0;
	for (uint32_t i = 0; i < rows.expressions.count && !d; i++)
		pkg_writer_row(writer, PTOWSP_SECTION_EXPR, &rows.expressions.at[i], sizeof(*rows.expressions.at));
	for (uint32_t i = 0; i < rows.count && !d; i++)
		row_write(writer, &rows, rows.rows[i]);
	reg_schedule_finish(&rows);
	return d;
}

/* One of its own, or one that a threshold may pick. */
static int has_grid(const struct lang_directive *directive)
{
	int found = lang_spelling_is_grid(directive->spelling);

	for (uint32_t i = 0; i < directive->count; i++)
		found |= directive->arguments[i].policy && has_grid(directive->arguments[i].policy);
	return found;
}

/* Told once for all layouts, and beside what names are wrong. */
static bool grid_check(struct job *job, const struct lang_schedule *schedule)
{
	const struct lang_directive *layout = NULL;
	int dispatched = 0;

	for (const struct lang_directive *d = schedule->first; d; d = d->next) {
		if (has_grid(d))
			return true;
		dispatched |= d->spelling->directive == PTOWSP_DIRECTIVE_DISPATCH;
		if (d->spelling->directive == PTOWSP_DIRECTIVE_LAYOUT && !layout)
			layout = d;
	}
	if (!layout)
		return true;
	lang_error(job->unit, layout->at, "layout needs spatial_map beside it: the grid over which the shards lie");
	lang_help(job->unit, "%s",
		  dispatched ? "dispatch by a grid, such as dispatch spatial_map(2, 2), or have one among the policies of a threshold"
			     : "add: spatial_map(2, 2)");
	return false;
}

static void schedule_lower(struct job *job, const struct lang_schedule *schedule)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const struct lang_directive *failed;
	int ok = 1;

	for (struct lang_directive *d = schedule->first; d; d = d->next) {
		ok &= names_check(job, d);
		d->line = common_format(&job->unit->arena, "%s=%s", reg_directive(d->spelling->directive)->text, value_text(job, d));
	}
	ok &= grid_check(job, schedule);
	failed = ok ? rows_write(job, schedule, &error) : NULL;
	if (failed)
		lang_error(job->unit, failed->at, "%s", error.text);
}

/* --- what a run must have values for --- */

static void argument_values(struct lang_lower *lower, const struct lang_argument *argument)
{
	const struct ptowsp_build *b = lower->build;

	for (uint32_t i = 0; i < argument->token_count; i++)
		for (uint32_t row = 0; row < b->slot_count; row++) {
			const struct ptowsp_slot_record *slot = &b->slots[row];
			const struct lang_token *token = &argument->tokens[i];

			if ((token->kind == LANG_NAME || token->kind == LANG_WORD) && !(slot->flags & PTOWSP_SLOT_INTERNAL) &&
			    !strcmp(build_text(b, slot->name), token->text))
				*COMMON_PUSH(&lower->unit->arena, lower->schedule_values, lower->schedule_value_count, lower->schedule_value_capacity) = row;
		}
}

static void directive_values(struct lang_lower *lower, const struct lang_directive *directive)
{
	for (uint32_t i = 0; i < directive->count; i++) {
		argument_values(lower, &directive->arguments[i]);
		if (directive->arguments[i].policy)
			directive_values(lower, directive->arguments[i].policy);
	}
}

static void values_find(struct lang_lower *lower)
{
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_SCHEDULE)
			for (const struct lang_directive *d = ((struct lang_schedule *)decl)->first; d; d = d->next)
				directive_values(lower, d);
	lower->schedule_known = 1;
}

void lang_schedule_values(struct lang_lower *lower)
{
	if (!lower->schedule_known) /* once, not per entry */
		values_find(lower);
	for (uint32_t i = 0; i < lower->schedule_value_count; i++)
		lang_value_use(lower, lower->schedule_values[i]);
}

void lang_schedule_lower(struct lang_lower *lower)
{
	struct job job = {.lower = lower, .unit = lower->unit};

	scope_fill(&job);
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_SCHEDULE)
			schedule_lower(&job, (struct lang_schedule *)decl);
}
