/* SPDX-License-Identifier: MIT */
/* spelling.c - the rows of schedule.def, and their pieces; directives of a module. */
#include "lang/lang_schedule.h"

#include <assert.h>
#include <string.h>

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

const char *lang_spelling_example(struct lang_arena *arena, const struct lang_spelling *spelling)
{
	char piece[LANG_PIECE_BYTES], before[LANG_PIECE_BYTES] = "";
	const char *text = spelling->word;

	for (const char *at = spelling->text; (at = lang_spelling_piece(at, piece)); memcpy(before, piece, sizeof(before)))
		text = lang_format(arena, "%s%s%s", text, lang_piece_blank(piece, before),
				   *piece == '$' ? argument_example(spelling, piece) : piece + (*piece == '?'));
	return text;
}

int lang_spelling_is_grid(const struct lang_spelling *spelling)
{
	return spelling->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP ||
	       (spelling->directive == PTOWSP_DIRECTIVE_DISPATCH && spelling->policy == PTOWSP_DISPATCH_GRID);
}
