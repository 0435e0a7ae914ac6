/* SPDX-License-Identifier: MIT */
/* parse_schedule.c - schedule { }: directives, and what of them can be told wrong without knowing the rest of the package. */
#include "lang/lang_schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what does not fit --- */

/* "round_robin, affinity or auto" */
static const char *expectations_text(const struct lang_match *match)
{
	const char *text = "";

	for (uint32_t i = 0; i < match->expected_count; i++) {
		const char *join = !i ? "" : i + 1 == match->expected_count ? " or " : ", ";
		const char *quote = match->expected[i].literal && !strpbrk(match->expected[i].text, "abcdefghijklmnopqrstuvwxyz") ? "\"" : "";

		text = common_format(&match->unit->arena, "%s%s%s%s%s", text, join, quote, match->expected[i].text, quote);
	}
	return text;
}

/* Nothing fits behind the directive's word. */
static void mismatch_tell(struct lang_parser *parser, const struct lang_match *match, const char *word)
{
	const struct lang_token *token = &match->tokens[match->stuck];
	const char *words[LANG_EXPECTATIONS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < match->expected_count; i++)
		if (match->expected[i].literal && !match->expected[i].text[strspn(match->expected[i].text, "abcdefghijklmnopqrstuvwxyz_")])
			words[count++] = match->expected[i].text;
	parser->at = match->stuck;
	if (token->kind != LANG_WORD || token->first || !count) {
		lang_expected(parser, expectations_text(match));
		lang_help(parser->unit, "such as: %s", lang_spelling_example(&parser->unit->arena, match->nearest));
		return;
	}
	lang_error(parser->unit, token->at, "%s does not take \"%.60s\" here", word, token->text);
	lang_known_help(parser->unit, token->text, "", words, count);
}

/* Skips to a word that may begin the next directive, or to the end of the block. */
static void directive_skip(struct lang_parser *parser)
{
	for (;;) {
		const struct lang_token *token = lang_peek(parser);

		if (token->kind == LANG_END || token->mark == '}' || (token->first && token->kind == LANG_WORD))
			return;
		lang_take(parser);
	}
}

static void unknown_tell(struct lang_parser *parser, const struct lang_token *token)
{
	const char *words[64];
	uint32_t count, known = 0;
	const struct lang_spelling *rows = lang_spellings(&count);

	if (token->kind != LANG_WORD) {
		lang_expected(parser, "a schedule directive such as dispatch or \"}\"");
		return;
	}
	for (uint32_t i = 0; i < count && known < 64; i++) {
		uint32_t old = 0;

		while (old < known && strcmp(words[old], rows[i].word) != 0)
			old++;
		if (old == known)
			words[known++] = rows[i].word;
	}
	lang_error(parser->unit, token->at, "there is no schedule directive \"%.60s\"", token->text);
	lang_known_help(parser->unit, token->text, "", words, known);
}

/* --- numbers --- */

static bool number_read(struct lang_parser *parser, struct lang_argument *argument)
{
	char *stop = NULL;

	errno = 0;
	argument->number = strtoll(argument->name, &stop, 10);
	if (*stop || stop == argument->name || errno == ERANGE) {
		lang_error(parser->unit, argument->at, "%.40s is no whole number of 64 bits", argument->name);
		return false;
	}
	return true;
}

/* "round_robin", or the directive's own word where the policy has none. */
static const char *policy_name(const struct lang_spelling *spelling)
{
	const struct reg_policy *policy = reg_policy(spelling->directive, spelling->policy);

	return reg_policy_is_bare(policy) ? spelling->word : policy->word;
}

static int number_check(struct lang_parser *parser, const struct lang_directive *directive, struct lang_argument *argument)
{
	const struct lang_spelling *spelling = directive->spelling;
	int64_t least = argument->kind == 'i' ? INT64_MIN : argument->kind == 'N', most = argument->kind == 'i' ? INT64_MAX : spelling->most;

	if (!number_read(parser, argument))
		return 0;
	if (argument->number < least) {
		lang_error(parser->unit, argument->at, "%lld is too small, %s takes %lld or more", (long long)argument->number, policy_name(spelling),
			   (long long)least);
		return 0;
	}
	if (argument->number > most) {
		lang_error(parser->unit, argument->at, "%lld is too large, %s takes %lld at most", (long long)argument->number, policy_name(spelling),
			   (long long)most);
		return 0;
	}
	argument->name = common_format(&parser->unit->arena, "%lld", (long long)argument->number);
	return 1;
}

static bool count_check(struct lang_parser *parser, const struct lang_directive *directive)
{
	const struct reg_policy *policy = reg_policy(directive->spelling->directive, directive->spelling->policy);

	if (directive->count <= policy->most || directive->spelling->policy == PTOWSP_DISPATCH_THRESHOLD)
		return true;
	lang_error(parser->unit, directive->arguments[policy->most].at, "%s takes %u arguments at most, here are %u", policy_name(directive->spelling),
		   policy->most, directive->count);
	return false;
}

static bool shard_check(struct lang_parser *parser, const struct lang_argument *argument)
{
	if (argument->kind != 's' || !strcmp(argument->name, "R") || !strcmp(argument->name, "S0") || !strcmp(argument->name, "S1"))
		return true;
	lang_error(parser->unit, argument->at, "S(%s) is no axis of the grid", argument->name + 1);
	lang_help(parser->unit, "S(0) cuts over the rows of spatial_map, S(1) over its columns, R leaves the dimension whole");
	return false;
}

/* A dimension, as in layout() of a tensor: no axis cuts two dimensions. */
static bool axes_check(struct lang_parser *parser, const struct lang_directive *directive)
{
	for (uint32_t i = 0; i < directive->count; i++)
		for (uint32_t j = 0; j < i; j++)
			if (directive->arguments[i].kind == 's' && directive->arguments[j].kind == 's' && *directive->arguments[i].name == 'S' &&
			    !strcmp(directive->arguments[i].name, directive->arguments[j].name)) {
				lang_error(parser->unit, directive->arguments[i].at, "two dimensions are sharded over axis %s of the grid",
					   directive->arguments[i].name + 1);
				lang_help(parser->unit, "each axis cuts one dimension; R leaves the other one whole");
				return false;
			}
	return true;
}

static int arguments_check(struct lang_parser *parser, struct lang_directive *directive)
{
	int ok = count_check(parser, directive);

	for (uint32_t i = 0; i < directive->count && ok; i++) {
		struct lang_argument *argument = &directive->arguments[i];

		if (strchr("nNi", argument->kind))
			ok = number_check(parser, directive, argument);
		else if (argument->policy)
			ok = arguments_check(parser, argument->policy);
		else
			ok = shard_check(parser, argument);
	}
	ok = ok && axes_check(parser, directive);
	if (ok && lang_spelling_is_grid(directive->spelling) && directive->arguments[0].number * directive->arguments[1].number > directive->spelling->most) {
		lang_error(parser->unit, directive->arguments[0].at, "a grid of %s x %s has more places than %lld", directive->arguments[0].name,
			   directive->arguments[1].name, (long long)directive->spelling->most);
		ok = 0;
	}
	return ok;
}

/* --- directives together --- */

/* Depths of different domains, capacities of different channels and layouts of different tensors stand side by side. */
static const char *subject(const struct lang_directive *directive)
{
	switch (directive->spelling->directive) {
	case PTOWSP_DIRECTIVE_PIPELINE_DEPTH: return directive->count > 1 ? directive->arguments[0].name : "global";
	case PTOWSP_DIRECTIVE_CHANNEL_CAPACITY:
	case PTOWSP_DIRECTIVE_LAYOUT: return directive->arguments[0].name;
	default: return "";
	}
}

static const struct lang_directive *directive_find(const struct lang_schedule *schedule, unsigned code, const char *about)
{
	for (const struct lang_directive *d = schedule->first; d; d = d->next)
		if (d->spelling->directive == code && !strcmp(subject(d), about))
			return d;
	return NULL;
}

static bool together_check(struct lang_parser *parser, const struct lang_schedule *schedule, const struct lang_directive *directive)
{
	unsigned code = directive->spelling->directive;
	unsigned rival = code == PTOWSP_DIRECTIVE_DISPATCH      ? PTOWSP_DIRECTIVE_SPATIAL_MAP
			 : code == PTOWSP_DIRECTIVE_SPATIAL_MAP ? PTOWSP_DIRECTIVE_DISPATCH
								: 0;
	const char *about = subject(directive);
	const struct lang_directive *old = directive_find(schedule, code, about);

	if (old) {
		lang_error(parser->unit, directive->at, "%s%s%s is stated twice, the first time at %s", directive->spelling->word, *about ? " of " : "", about,
			   lang_place(parser->unit, old->at));
		lang_help(parser->unit, "take one of them out");
		return false;
	}
	old = rival ? directive_find(schedule, rival, "") : NULL;
	if (old) {
		lang_error(parser->unit, directive->at, "%s and %s exclude each other, %s is stated at %s", directive->spelling->word, old->spelling->word,
			   old->spelling->word, lang_place(parser->unit, old->at));
		lang_help(parser->unit, "dispatch gives tasks to executors in a row, spatial_map to places of a grid; take one of them out");
		return false;
	}
	return true;
}

/* Directives that need another one beside them. */
static void needs_check(struct lang_parser *parser, const struct lang_schedule *schedule)
{
	const struct lang_directive *by = directive_find(schedule, PTOWSP_DIRECTIVE_STREAM_BY, "");

	if (by && !directive_find(schedule, PTOWSP_DIRECTIVE_STREAMS, "")) {
		lang_error(parser->unit, by->at, "stream_by needs streams beside it: how many there are");
		lang_help(parser->unit, "add: streams 4");
	}
}

/* --- the block --- */

static void directive_parse(struct lang_parser *parser, struct lang_schedule *schedule)
{
	const struct lang_token *word = lang_peek(parser);
	struct lang_directive *directive = common_alloc(&parser->unit->arena, sizeof(*directive));
	struct lang_match match = {.unit = parser->unit, .tokens = parser->tokens.rows};

	if (word->kind != LANG_WORD || !lang_is_directive(word->text)) {
		unknown_tell(parser, word);
		lang_take(parser);
		directive_skip(parser);
		return;
	}
	lang_take(parser);
	directive->at = word->at;
	match.at = match.stuck = parser->at;
	if (!lang_directive_match(&match, word->text, 0, directive)) {
		mismatch_tell(parser, &match, word->text);
		directive_skip(parser);
		return;
	}
	parser->at = match.at;
	if (!arguments_check(parser, directive) || !together_check(parser, schedule, directive))
		return;
	*schedule->last = directive;
	schedule->last = &directive->next;
}

/* A word that begins a declaration of the module and no directive: the "}" before it is missing. */
static bool block_ended(const struct lang_parser *parser)
{
	const struct lang_token *token = lang_peek(parser);

	return token->kind == LANG_END || (token->first && token->kind == LANG_WORD && lang_decl_word(token->text) && !lang_is_directive(token->text));
}

void lang_schedule_parse(struct lang_parser *parser)
{
	struct lang_span at = lang_take(parser)->at;
	struct lang_schedule *schedule = lang_decl_add(parser, LANG_DECL_SCHEDULE, sizeof(*schedule), "", at);

	schedule->last = &schedule->first;
	if (schedule->decl.position) {
		lang_error(parser->unit, at, "a package has one schedule, and this is another one");
		lang_help(parser->unit, "write all directives into one block");
	}
	if (!lang_expect(parser, '{', "and the directives behind schedule"))
		return;
	while (!lang_at_mark(parser, '}') && !block_ended(parser))
		directive_parse(parser, schedule);
	if (lang_at_mark(parser, '}'))
		lang_take(parser);
	else
		lang_error(parser->unit, at, "this schedule is not closed by \"}\"");
	needs_check(parser, schedule);
}
