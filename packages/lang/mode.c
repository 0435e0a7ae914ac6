/* SPDX-License-Identifier: MIT */
/* mode.c - modes of opcodes: the words that attributes, suffixes and comparisons say them with. */
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

static const struct mode {
	uint8_t op;
	const char *attribute, *word;
	uint8_t mode;
} modes[] = {
#define X(op, attribute, word, mode) {PTOWSP_PTO_##op, attribute, word, mode},
#include "lang/modes.def"
#undef X
};

int lang_mode_read(struct lang_parser *parser, struct lang_stmt *stmt, const char *attribute, const char *word,
		   struct lang_span at)
{
	char known[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != stmt->op || strcmp(modes[i].attribute, attribute) != 0)
			continue;
		if (!strcmp(modes[i].word, word)) {
			stmt->mode = modes[i].mode;
			return 1;
		}
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used ? " " : "", modes[i].word);
	}
	if (used) {
		lang_error(parser->unit, at, "\"%s\" is no mode of %s", word, stmt->word);
		lang_help(parser->unit, "it knows %s", known);
	} else {
		lang_error(parser->unit, at, "%s has no attribute \"%s\"", stmt->word, attribute);
	}
	return 0;
}

/* Letters alike whatever their case, "_" left out. */
static int is_like(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if ((*a | 0x20) != (*b | 0x20) || !*a != !*b)
			return 0;
		if (!*a)
			return 1;
	}
}

const char *lang_mode_spelled(struct lang_unit *unit, const char *word)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].attribute, "cmpMode") && is_like(modes[i].word, word))
			return lang_format(&unit->arena, "%s = %s", modes[i].attribute, modes[i].word);
	return NULL;
}

int lang_mode_find(struct lang_parser *parser, unsigned op, const char *attribute, const struct lang_token *word, uint8_t *mode_out)
{
	int known = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].op != op || !is_like(modes[i].attribute, attribute))
			continue;
		known = 1;
		if (is_like(modes[i].word, word->text)) {
			*mode_out = modes[i].mode;
			return 1;
		}
	}
	if (known)
		lang_error(parser->unit, word->at, "\"%s\" is no %s", word->text, attribute);
	return !known;
}
