/* SPDX-License-Identifier: MIT */
/* text.c - bounded sentences. */
#include "registry/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "registry/common/common_text.h"

#define NAME_LIMIT 63 /* bytes of a name that count for the distance */

void reg_text_init(struct reg_text *text, char *memory, size_t room)
{
	assert(room > 0);
	*text = (struct reg_text){.at = memory, .room = room};
	memory[0] = '\0';
}

/* Steps back over a UTF-8 character that was cut in the middle. */
static size_t whole_characters(const char *at, size_t length)
{
	size_t start = length;

	while (start > 0 && ((unsigned char)at[start - 1] & 0xC0) == 0x80)
		start--;
	if (start > 0 && ((unsigned char)at[start - 1] & 0xC0) == 0xC0)
		start--;
	else if (start == length || start == 0)
		return length;
	return start;
}

static void add(struct reg_text *text, const char *format, va_list list)
{
	size_t left = text->room - text->length;
	int n = vsnprintf(text->at + text->length, left, format, list);

	if (n < 0)
		n = 0;
	if ((size_t)n < left) {
		text->length += (size_t)n;
		return;
	}
	text->length = whole_characters(text->at, text->room - 1);
	text->at[text->length] = '\0';
}

void reg_text_add(struct reg_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	add(text, format, list);
	va_end(list);
}

/* Edits (insert, remove, replace one byte) that turn a into b, both cut at NAME_LIMIT. */
static unsigned distance(const char *a, const char *b)
{
	size_t m = strnlen(a, NAME_LIMIT), n = strnlen(b, NAME_LIMIT);
	unsigned row[NAME_LIMIT + 1];

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned replace = corner + (a[i - 1] != b[j - 1]);
			unsigned insert = row[j - 1] + 1, cut = row[j] + 1;

			corner = row[j];
			row[j] = replace < insert ? replace : insert;
			if (cut < row[j])
				row[j] = cut;
		}
	}
	return row[n];
}

enum { MEASURED = 128 }; /* names whose distance is kept: more are rare, and measured each time */

/* The next name behind (distance *at, index *index); false at the end. measured: distances of the first names. */
static bool nearest_next(const char *wanted, const char *const *names, uint32_t count, const unsigned *measured, unsigned *at, uint32_t *index)
{
	unsigned best = ~0u;
	uint32_t found = count;

	for (uint32_t i = 0; i < count; i++) {
		unsigned d = i < MEASURED ? measured[i] : distance(wanted, names[i]);

		if ((d > *at || (d == *at && (*index == PTOWSP_NONE || i > *index))) && d < best) {
			best = d;
			found = i;
		}
	}
	*at = best;
	*index = found;
	return found < count;
}

void reg_text_add_nearest(struct reg_text *text, const char *wanted, const char *const *names, uint32_t count)
{
	enum { TAIL = 24 }; /* ", and 4294967295 more" */
	unsigned at = 0, measured[MEASURED];
	uint32_t index = PTOWSP_NONE, shown = 0;

	if (!count)
		reg_text_add(text, "none");
	for (uint32_t i = 0; i < count && i < MEASURED; i++)
		measured[i] = distance(wanted, names[i]);
	while (shown < count && nearest_next(wanted, names, count, measured, &at, &index)) {
		size_t need = strlen(names[index]) + 2 + (shown + 1 < count ? TAIL : 0);

		if (need >= text->room - text->length) {
			reg_text_add(text, "%s%u more", shown ? " and " : "", (unsigned)(count - shown));
			return;
		}
		reg_text_add(text, "%s%s", shown ? ", " : "", names[index]);
		shown++;
	}
}

static void error_set(struct ptowsp_error *error, ptowsp_status status)
{
	*error = (struct ptowsp_error){PTOWSP_HEAD(struct ptowsp_error, ERROR), status, 0, PTOWSP_DOMAIN_HOST, 0, {UINT64_MAX, UINT64_MAX}, ""};
}

const char *reg_shape_text(const uint64_t *extents, uint32_t rank, char *memory, size_t room)
{
	struct reg_text text;

	reg_text_init(&text, memory, room);
	reg_text_add(&text, "[");
	for (uint32_t i = 0; i < rank; i++)
		reg_text_add(&text, "%s%llu", i ? ", " : "", (unsigned long long)extents[i]);
	reg_text_add(&text, "]");
	return memory;
}

ptowsp_status reg_fail(struct ptowsp_error *error, ptowsp_status status, const char *format, ...)
{
	char sentence[sizeof(error->text)]; /* the arguments may point into *error */
	struct reg_text text;
	va_list list;

	assert(status < 0);
	if (!error)
		return status;
	reg_text_init(&text, sentence, sizeof(sentence));
	va_start(list, format);
	add(&text, format, list);
	va_end(list);
	error_set(error, status);
	memcpy(error->text, sentence, text.length + 1);
	return status;
}

ptowsp_status reg_fail_unknown(struct ptowsp_error *error, ptowsp_status status, const char *what, const char *wanted, const char *const *names, uint32_t count)
{
	char sentence[sizeof(error->text)];
	struct reg_text text;

	reg_text_init(&text, sentence, sizeof(sentence));
	reg_text_add(&text, "%s \"%.40s\" is unknown; known: ", what, wanted);
	reg_text_add_nearest(&text, wanted, names, count);
	return reg_fail(error, status, "%s", sentence);
}

/* ---- plain text ---- */

/* Bytes of the character at the beginning; *plain_out: it is nothing but text. */
static size_t character(const char *at, bool *plain_out)
{
	const unsigned char *u = (const unsigned char *)at;
	const size_t bytes = common_text_character(at);
	const unsigned code = bytes == 2   ? (u[0] & 0x1Fu) << 6 | (u[1] & 0x3Fu)
			      : bytes == 3 ? (u[0] & 0xFu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu)
					   : u[0];

	*plain_out = bytes > 3 || (bytes && code >= 0x20 && (code < 0x7F || code > 0x9F) && code != 0x61C && code != 0x200E && code != 0x200F &&
				   (code < 0x2028 || code > 0x202E) && (code < 0x2066 || code > 0x2069));
	return bytes ? bytes : 1;
}

void reg_text_plain(char *text, char with)
{
	char *to = text;

	while (*text) {
		bool plain;
		const size_t bytes = character(text, &plain);

		if (plain)
			memmove(to, text, bytes);
		else
			*to = with;
		to += plain ? bytes : 1;
		text += bytes;
	}
	*to = '\0';
}

bool reg_text_is_plain(const char *text)
{
	bool plain = true;

	while (*text && plain)
		text += character(text, &plain);
	return plain;
}
