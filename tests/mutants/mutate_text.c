/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that is being changed; changes go from behind to the front, so that places of the subject stay valid in front of them. */
struct edit {
	char *text;
	size_t length, room;
	int failed;
};

static void replace(struct edit *e, size_t at, size_t cut, const char *with, size_t length)
{
	char *text;

	if (e->failed)
		return;
	if (e->length + length + 1 > e->room) {
		e->room = (e->length + length) * 2 + 64;
		text = realloc(e->text, e->room);
		e->failed = !text;
		if (!text)
			return;
		e->text = text;
	}
	memmove(e->text + at + length, e->text + at + cut, e->length - at - cut + 1);
	memcpy(e->text + at, with, length);
	e->length += length - cut;
}

static void number_replace(struct edit *e, const struct subject *s, struct subject_token token, uint64_t *d)
{
	uint64_t was = strtoull(s->text + token.at, NULL, 10);
	char number[32];
	int length = snprintf(number, sizeof(number), "%" PRId64, (int64_t)mutate_number(was, d));

	replace(e, token.at, token.length, number, (size_t)length);
}

static void bytes_replace(struct edit *e, struct subject_token token, uint64_t *d)
{
	static const char letters[] = "AQgw0z/+\\\" x{},";

	for (uint64_t i = draw(d, 3) + 1; i && token.length > 2; i--)
		e->text[token.at + 1 + draw(d, token.length - 2)] = letters[draw(d, draw(d, 16) ? 7 : sizeof(letters) - 1)];
}

static void token_mutate(struct edit *e, const struct subject *s, const struct subject *other, struct subject_token token, uint64_t *d)
{
	const struct subject *from = draw(d, 4) ? s : other;
	struct subject_token with = from->tokens[draw(d, from->token_count)];
	int is_string = s->text[token.at] == '"';

	if (!is_string && draw(d, 4))
		number_replace(e, s, token, d);
	else if (is_string && !draw(d, 3))
		bytes_replace(e, token, d);
	else if (draw(d, 16) && is_string != (from->text[with.at] == '"'))
		token_mutate(e, s, other, token, d); /* the same sort, most of the time */
	else
		replace(e, token.at, token.length, from->text + with.at, with.length);
}

/* Rows stand in lines of their own. */
static void line_mutate(struct edit *e, const struct subject *s, const struct subject *other, uint32_t line, uint64_t *d)
{
	const struct subject *from = draw(d, 4) ? s : other;
	uint32_t with = (uint32_t)draw(d, from->line_count), at = s->lines[line], length = s->lines[line + 1] - at;

	if (draw(d, 3))
		with = from == s && line ? line - (uint32_t)draw(d, 2) : with; /* again, or the one in front */
	switch (draw(d, 3)) {
	case 0: replace(e, at, length, "", 0); break;
	case 1: replace(e, at, length, from->text + from->lines[with], from->lines[with + 1] - from->lines[with]); break;
	default: replace(e, at, 0, from->text + from->lines[with], from->lines[with + 1] - from->lines[with]);
	}
}

char *mutate_text(const struct subject *s, const struct subject *other, uint64_t *d, size_t *length_out)
{
	struct edit e = {malloc(s->length + 1), s->length, s->length + 1, 0};
	uint32_t at = UINT32_MAX;

	if (!e.text)
		return NULL;
	memcpy(e.text, s->text, s->length + 1);
	do {
		struct subject_token token = s->tokens[draw(d, s->token_count)];
		uint32_t line = (uint32_t)draw(d, s->line_count);
		int rows = !draw(d, 6);

		if (rows ? s->lines[line + 1] > at : token.at + token.length > at)
			break;
		if (rows)
			line_mutate(&e, s, other, line, d);
		else
			token_mutate(&e, s, other, token, d);
		at = rows ? s->lines[line] : token.at;
	} while (!draw(d, 3));
	*length_out = e.length;
	if (!e.failed)
		return e.text;
	free(e.text);
	return NULL;
}
