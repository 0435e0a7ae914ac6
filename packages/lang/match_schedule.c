/* SPDX-License-Identifier: MIT */
/* match_schedule.c - directives as schedule.def spells them, matched with tokens. */
#include "lang/lang_schedule.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

bool lang_is_directive(const char *word)
{
	uint32_t count;
	const struct lang_spelling *rows = lang_spellings(&count);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(rows[i].word, word))
			return true;
	return false;
}

static const struct lang_token *next(const struct lang_match *match)
{
	return &match->tokens[match->at];
}

static bool is_word(const struct lang_token *token, const char *word)
{
	return token->kind == LANG_WORD && !strcmp(token->text, word);
}

/* Notes what was wanted at the next token; 0. */
static int stuck(struct lang_match *match, const char *what, int literal)
{
	if (match->at > match->stuck || !match->nearest) {
		match->stuck = match->at;
		match->nearest = match->trying;
		match->expected_count = 0;
	}
	if (match->at < match->stuck)
		return 0;
	for (uint32_t i = 0; i < match->expected_count; i++)
		if (!strcmp(match->expected[i].text, what))
			return 0;
	if (match->expected_count < LANG_EXPECTATIONS)
		match->expected[match->expected_count++] = (struct lang_expectation){(uint8_t)literal, common_copy(&match->unit->arena, what, strlen(what))};
	return 0;
}

static bool literal_match(struct lang_match *match, const char *piece)
{
	const struct lang_token *token = next(match);

	if (token->mark ? piece[0] != token->mark || piece[1] : !is_word(token, piece))
		return stuck(match, piece, 1);
	match->depth += *piece == '(';
	match->depth -= *piece == ')';
	match->at++;
	return true;
}

/* --- arguments --- */

static struct lang_argument *argument_add(struct lang_match *match, struct lang_directive *directive, char kind)
{
	struct lang_argument *argument = &directive->arguments[directive->count++];

	*argument = (struct lang_argument){.kind = kind, .at = next(match)->at, .name = next(match)->text};
	return argument;
}

static int full(struct lang_match *match, const struct lang_directive *directive)
{
	return directive->count == LANG_DIRECTIVE_ARGUMENTS ? !stuck(match, "the end of the list", 0) : 0;
}

static bool number_match(struct lang_match *match, struct lang_directive *directive, char kind)
{
	if (next(match)->kind != LANG_NUMBER)
		return stuck(match, "a number", 0);
	argument_add(match, directive, kind);
	match->at++;
	return true;
}

/* An expression ends at a comma, colon or parenthesis that is not its own; without parentheses around, at the end of its line, too. */
static bool expression_match(struct lang_match *match, struct lang_directive *directive)
{
	uint32_t first = match->at, depth = 0;
	struct lang_argument *argument;

	for (;; match->at++) {
		const struct lang_token *token = next(match);

		if (token->kind == LANG_END || token->mark == '{' || token->mark == '}')
			break;
		if (!depth && (token->mark == ',' || token->mark == ':' || token->mark == ')' || is_word(token, "required")))
			break;
		if (!depth && !match->depth && token->first && match->at > first)
			break;
		depth += token->mark == '(';
		depth -= token->mark == ')';
	}
	if (match->at == first)
		return stuck(match, "an expression such as %i * 4", 0);
	argument = &directive->arguments[directive->count++];
	*argument = (struct lang_argument){.kind = 'e', .at = match->tokens[first].at, .tokens = &match->tokens[first], .token_count = match->at - first};
	return true;
}

/* A name with its sign, or one of some words. */
static bool name_match(struct lang_match *match, struct lang_directive *directive, char kind)
{
	static const struct {
		char kind;
		uint8_t name; /* a name will do */
		const char *words[4], *what;
	} forms[] = {
		{'a', 1, {NULL}, "a loop such as %i"},
		{'d', 1, {"global", "stream", "pool", NULL}, "global, stream, pool or a loop such as %i"},
		{'c', 1, {NULL}, "a channel such as %c"},
		{'t', 1, {NULL}, "a tensor such as %x"},
		{'w', 0, {"bytes_overlap", "tensor_map_exact", NULL}, "bytes_overlap or tensor_map_exact"},
	};
	size_t form = 0;
	int fits;

	while (forms[form].kind != kind)
		form++;
	fits = forms[form].name && next(match)->kind == LANG_NAME;
	for (const char *const *word = forms[form].words; *word; word++)
		fits |= is_word(next(match), *word);
	if (!fits)
		return stuck(match, forms[form].what, 0);
	argument_add(match, directive, kind);
	match->at++;
	return true;
}

/* R, S(0), S(1) */
static bool shard_match(struct lang_match *match, struct lang_directive *directive)
{
	struct lang_argument *argument;

	if (is_word(next(match), "R")) {
		argument_add(match, directive, 's');
		match->at++;
		return true;
	}
	if (!is_word(next(match), "S"))
		return stuck(match, "R, S(0) or S(1)", 0);
	argument = argument_add(match, directive, 's');
	match->at++;
	if (!literal_match(match, "("))
		return false;
	if (next(match)->kind != LANG_NUMBER)
		return stuck(match, "0 for the rows of the grid or 1 for its columns", 0);
	argument->name = common_format(&match->unit->arena, "S%.20s", next(match)->text);
	match->at++;
	return literal_match(match, ")");
}

static bool policy_match(struct lang_match *match, struct lang_directive *directive)
{
	struct lang_directive *policy = common_alloc(&match->unit->arena, sizeof(*policy));
	struct lang_argument argument = {.kind = 'p', .at = next(match)->at, .policy = policy};

	if (!lang_directive_match(match, "dispatch", 1, policy))
		return false;
	directive->arguments[directive->count++] = argument;
	return true;
}

/* p0, t1: p1, t2: p2 ... */
static int policies_match(struct lang_match *match, struct lang_directive *directive)
{
	int ok = policy_match(match, directive);

	while (ok && next(match)->mark == ',') {
		match->at++;
		ok = !full(match, directive) && number_match(match, directive, 'i') && literal_match(match, ":") && !full(match, directive) &&
		     policy_match(match, directive);
	}
	return ok;
}

static int one_match(struct lang_match *match, struct lang_directive *directive, char kind)
{
	switch (kind) {
	case 'n':
	case 'N':
	case 'i': return number_match(match, directive, kind);
	case 'e': return expression_match(match, directive);
	case 's': return shard_match(match, directive);
	case 'p': return policies_match(match, directive);
	default: return name_match(match, directive, kind);
	}
}

/* "$1", "$0c", "$0+" */
static int argument_match(struct lang_match *match, const char *piece, struct lang_directive *directive)
{
	const struct lang_spelling *spelling = directive->spelling;
	const struct reg_policy *policy = reg_policy(spelling->directive, spelling->policy);
	int count = lang_spelling_arguments(spelling), list = piece[2] == '+' || piece[2] == 's', ok;
	char kind = lang_argument_kind(policy, count < 0 ? policy->most : (unsigned)count, (unsigned)(piece[1] - '0'));

	if (piece[2] && piece[2] != '+')
		kind = piece[2];
	ok = one_match(match, directive, kind);
	while (ok && list && next(match)->mark == ',') {
		match->at++;
		ok = !full(match, directive) && one_match(match, directive, kind);
	}
	return ok;
}

/* --- spellings --- */

/* Arguments are read in the order of the spelling and kept in that of the row. */
static void arguments_sort(struct lang_directive *directive)
{
	struct lang_argument first = directive->arguments[0];
	char piece[LANG_PIECE_BYTES];

	for (const char *at = directive->spelling->text; (at = lang_spelling_piece(at, piece));) {
		if (*piece != '$')
			continue;
		if (piece[1] == '1' && directive->count == 2) { /* "$1 in $0" */
			directive->arguments[0] = directive->arguments[1];
			directive->arguments[1] = first;
		}
		return;
	}
}

/* Checks the token behind the last piece: the next directive, or the end of the block; inside a threshold whatever follows there. */
static bool end_match(struct lang_match *match, int inner, struct lang_directive *directive)
{
	const struct lang_token *token;

	if (!inner && is_word(next(match), "required")) {
		directive->required = 1;
		match->at++;
	}
	token = next(match);
	if (inner || token->kind == LANG_END || token->mark == '}' || token->first || (token->kind == LANG_WORD && lang_is_directive(token->text)))
		return true;
	return stuck(match, "the end of the directive", 0);
}

static bool spelling_match(struct lang_match *match, const struct lang_spelling *spelling, int inner, struct lang_directive *directive)
{
	char piece[LANG_PIECE_BYTES];

	directive->spelling = spelling;
	match->trying = inner ? match->trying : spelling;
	for (const char *at = spelling->text; (at = lang_spelling_piece(at, piece));) {
		if (*piece == '?') {
			if (is_word(next(match), piece + 1))
				match->at++;
			else
				stuck(match, piece + 1, 1);
			continue;
		}
		if (*piece == '$' ? !argument_match(match, piece, directive) : !literal_match(match, piece))
			return false;
	}
	arguments_sort(directive);
	return end_match(match, inner, directive);
}

/* A threshold holds no thresholds, and auto is decided before there are tasks. */
static bool stands_inside(const struct lang_spelling *spelling)
{
	return spelling->policy != PTOWSP_DISPATCH_THRESHOLD && spelling->policy != PTOWSP_DISPATCH_AUTO;
}

bool lang_directive_match(struct lang_match *match, const char *word, int inner, struct lang_directive *directive_out)
{
	const struct lang_directive blank = *directive_out;
	uint32_t count, start = match->at, depth = match->depth;
	const struct lang_spelling *rows = lang_spellings(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(rows[i].word, word) != 0 || (inner && !stands_inside(&rows[i])))
			continue;
		*directive_out = blank;
		match->at = start;
		match->depth = depth;
		if (spelling_match(match, &rows[i], inner, directive_out))
			return true;
	}
	return false;
}

/* ---- the rows of schedule.def, and their pieces; directives of a module. ---- */

static const struct lang_spelling rows[] = {
#define X(word, directive, policy, text, most) {word, text, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, most},
#include "lang/schedule.def"
#undef X
};

const struct lang_spelling *lang_spellings(uint32_t *count)
{
	*count = sizeof(rows) / sizeof(*rows);
	return rows;
}

const char *lang_spelling_piece(const char *text, char piece_out[LANG_PIECE_BYTES])
{
	size_t length = strcspn(text, " ");

	assert(length < LANG_PIECE_BYTES);
	if (!length)
		return NULL;
	memcpy(piece_out, text, length);
	piece_out[length] = '\0';
	return text + length + (text[length] == ' ');
}

int lang_spelling_arguments(const struct lang_spelling *spelling)
{
	char piece[LANG_PIECE_BYTES];
	int count = 0;

	for (const char *at = spelling->text; (at = lang_spelling_piece(at, piece));) {
		if (*piece != '$')
			continue;
		if (piece[2] && strchr("+sp", piece[2]))
			return -1;
		if (piece[1] - '0' >= count)
			count = piece[1] - '0' + 1;
	}
	return count;
}

const struct lang_directive *lang_schedule_find(const struct lang_module *module, unsigned directive, unsigned policy)
{
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_SCHEDULE)
			for (const struct lang_directive *d = ((const struct lang_schedule *)decl)->first; d; d = d->next)
				if (d->spelling->directive == directive && d->spelling->policy == policy)
					return d;
	return NULL;
}

char lang_argument_kind(const struct reg_policy *policy, unsigned count, unsigned i)
{
	const char *kinds = policy->kinds;

	if (strchr("wd", *kinds) && *kinds && strlen(kinds) > policy->least && count < policy->most)
		kinds += policy->most - count;
	return i < strlen(kinds) ? kinds[i] : '\0';
}

/* --- examples --- */

/* Blanks between pieces, but not inside parentheses and before commas; a parenthesis follows a word directly. */
const char *lang_piece_blank(const char *piece, const char *before)
{
	if (*piece == ',' || *piece == ')' || *before == '(')
		return "";
	return *piece == '(' ? "" : " ";
}

static const char *argument_example(const struct lang_spelling *spelling, const char *piece)
{
	const struct reg_policy *policy = reg_policy(spelling->directive, spelling->policy);
	int count = lang_spelling_arguments(spelling);

	if (piece[2] == '+')
		return "4, 8";
	switch (piece[2] ? piece[2] : lang_argument_kind(policy, count < 0 ? policy->most : (unsigned)count, (unsigned)(piece[1] - '0'))) {
	case 'a': return "%i";
	case 'e': return "%i * 4";
	case 'd': return "stream";
	case 'w': return "bytes_overlap";
	case 'c': return "%c";
	case 't': return "%x";
	case 's': return "S(0), R";
	case 'p': return "round_robin(1), 8: round_robin(4)";
	default: return "4";
	}
}

const char *lang_spelling_example(struct common_arena *arena, const struct lang_spelling *spelling)
{
	char piece[LANG_PIECE_BYTES], before[LANG_PIECE_BYTES] = "";
	const char *text = spelling->word;

	for (const char *at = spelling->text; (at = lang_spelling_piece(at, piece)); memcpy(before, piece, sizeof(before)))
		text = common_format(arena, "%s%s%s", text, lang_piece_blank(piece, before),
				     *piece == '$' ? argument_example(spelling, piece) : piece + (*piece == '?'));
	return text;
}

bool lang_spelling_is_grid(const struct lang_spelling *spelling)
{
	return spelling->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP ||
	       (spelling->directive == PTOWSP_DIRECTIVE_DISPATCH && spelling->policy == PTOWSP_DISPATCH_GRID);
}
