/* SPDX-License-Identifier: MIT */
#include "lang/lang_schedule.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lang/expr_print.h"
#include "registry/schedule.h"

struct printer {
	const struct pkg_tables *tables;
	const struct ptowsp_directive_record *row;
	struct reg_text *text;
};

static int policies_print(struct printer *p);

static const struct lang_spelling *spelling_find(const struct ptowsp_directive_record *row)
{
	uint32_t count;
	const struct lang_spelling *rows = lang_spellings(&count);

	for (uint32_t i = 0; i < count; i++) {
		int arguments = lang_spelling_arguments(&rows[i]);

		if (rows[i].directive == row->directive && rows[i].policy == row->policy && (arguments < 0 || arguments == row->count))
			return &rows[i];
	}
	return NULL;
}

/* --- arguments --- */

static const char *word_of(const struct printer *p, unsigned i)
{
	int64_t offset = reg_directive_argument(p->row, i);

	if (i >= p->row->count || reg_directive_argument_kind(p->row, i) != PTOWSP_ARGUMENT_WORD || offset < 0 || (uint64_t)offset >= p->tables->strings_size)
		return NULL;
	return pkg_string(p->tables, (uint32_t)offset);
}

static bool number_print(struct printer *p, unsigned i)
{
	if (i >= p->row->count || reg_directive_argument_kind(p->row, i) != PTOWSP_ARGUMENT_NUMBER)
		return false;
	reg_text_add(p->text, "%lld", (long long)reg_directive_argument(p->row, i));
	return true;
}

static bool expression_print(struct printer *p, unsigned i)
{
	int64_t row = reg_directive_argument(p->row, i);

	if (i >= p->row->count || reg_directive_argument_kind(p->row, i) != PTOWSP_ARGUMENT_EXPR || row < 0 || row >= p->tables->expr_count)
		return false;
	return lang_expr_print(p->tables, (uint32_t)row, NULL, 0, p->text);
}

static bool name_print(struct printer *p, unsigned i, char kind)
{
	const char *word = word_of(p, i);
	int is_domain = kind == 'd' && word && (!strcmp(word, "global") || !strcmp(word, "stream") || !strcmp(word, "pool"));

	if (!word || !lang_name_is_plain(word))
		return false;
	reg_text_add(p->text, "%s%s", kind == 'w' || is_domain ? "" : "%", word);
	return true;
}

static bool shard_print(struct printer *p, unsigned i)
{
	const char *word = word_of(p, i);

	if (!word || (strcmp(word, "R") != 0 && strcmp(word, "S0") != 0 && strcmp(word, "S1") != 0))
		return false;
	if (*word == 'R')
		reg_text_add(p->text, "R");
	else
		reg_text_add(p->text, "S(%s)", word + 1);
	return true;
}

static int one_print(struct printer *p, unsigned i, char kind)
{
	switch (kind) {
	case 'n':
	case 'N': return number_print(p, i);
	case 'e': return expression_print(p, i);
	case 's': return shard_print(p, i);
	case 'p': return policies_print(p);
	default: return name_print(p, i, kind);
	}
}

static int argument_print(struct printer *p, const struct lang_spelling *spelling, const char *piece)
{
	const struct reg_policy *policy = reg_policy(spelling->directive, spelling->policy);
	unsigned i = (unsigned)(piece[1] - '0');
	int list = piece[2] == '+' || piece[2] == 's';
	char kind = piece[2] && piece[2] != '+' ? piece[2] : lang_argument_kind(policy, list || piece[2] == 'p' ? policy->most : p->row->count, i);
	int ok = one_print(p, i, kind);

	for (i++; list && ok && i < p->row->count; i++) {
		reg_text_add(p->text, ", ");
		ok = one_print(p, i, kind);
	}
	return ok;
}

/* --- policies of a threshold --- */

/* "hash(#12,4)", as registry/schedule.c keeps policies in words: "#" and a row stand for an expression. */
static bool inner_argument_print(struct printer *p, const char *at, size_t length, int is_loop)
{
	char *stop;
	unsigned long row;

	if (*at != '#') {
		reg_text_add(p->text, "%s%.*s", is_loop && *at != '%' ? "%" : "", (int)length, at);
		return true;
	}
	row = strtoul(at + 1, &stop, 10);
	return stop == at + length && row < p->tables->expr_count && lang_expr_print(p->tables, (uint32_t)row, NULL, 0, p->text);
}

/* Prints one policy at *at and moves behind it. */
static bool inner_print(struct printer *p, const char **at)
{
	size_t length = strcspn(*at, "(");
	const char *word = *at;
	int ok = 1, first = 1;

	if (!length || word[length] != '(')
		return false;
	reg_text_add(p->text, "%.*s(", (int)length, word);
	for (*at += length + 1; ok && **at && **at != ')'; first = 0) {
		size_t part = strcspn(*at, ",)");

		reg_text_add(p->text, "%s", first ? "" : ", ");
		ok = inner_argument_print(p, *at, part, first && !strncmp(word, "affinity(", 9));
		*at += part;
		*at += **at == ',';
	}
	if (!ok || **at != ')')
		return false;
	++*at;
	reg_text_add(p->text, ")");
	return true;
}

/* The policies and thresholds of one word: the last argument holds all that found no place of their own. */
static bool word_print(struct printer *p, const char *at)
{
	int ok = inner_print(p, &at);

	while (ok && !strncmp(at, ", ", 2)) {
		size_t length = strcspn(at, ":");

		reg_text_add(p->text, "%.*s: ", (int)length, at);
		at += length;
		ok = !strncmp(at, ": ", 2);
		at += ok ? 2 : 0;
		ok = ok && inner_print(p, &at);
	}
	return ok && !*at;
}

static int policies_print(struct printer *p)
{
	int ok = p->row->count > 1;

	for (unsigned i = 1; i < p->row->count && ok; i++)
		if (i % 2) {
			const char *word = word_of(p, i);

			ok = word && word_print(p, word);
		} else {
			reg_text_add(p->text, ", ");
			ok = number_print(p, i);
			reg_text_add(p->text, ": ");
		}
	return ok;
}

/* --- directives --- */

bool lang_directive_print(const struct pkg_tables *tables, uint32_t row, struct reg_text *text)
{
	struct printer p = {.tables = tables, .row = &tables->directive[row], .text = text};
	const struct lang_spelling *spelling = spelling_find(p.row);
	char piece[LANG_PIECE_BYTES], before[LANG_PIECE_BYTES] = "";
	int ok = spelling && p.row->count <= 8;

	if (!ok)
		return false;
	reg_text_add(text, "%s", spelling->word);
	for (const char *at = spelling->text; ok && (at = lang_spelling_piece(at, piece)); memcpy(before, piece, sizeof(before))) {
		reg_text_add(text, "%s", lang_piece_blank(piece, before));
		if (*piece == '$')
			ok = argument_print(&p, spelling, piece);
		else
			reg_text_add(text, "%s", piece + (*piece == '?'));
	}
	if (p.row->flags & PTOWSP_DIRECTIVE_MUST)
		reg_text_add(text, " required");
	return ok && text->length + 1 < text->room;
}

bool lang_schedule_print(const struct pkg_tables *tables, struct reg_text *text, uint32_t *row_out)
{
	if (!tables->directive_count)
		return true;
	reg_text_add(text, "schedule {\n");
	for (uint32_t i = 0; i < tables->directive_count; i++) {
		*row_out = i;
		reg_text_add(text, "  ");
		if (!lang_directive_print(tables, i, text))
			return false;
		reg_text_add(text, "\n");
	}
	reg_text_add(text, "}\n");
	return text->length + 1 < text->room;
}
