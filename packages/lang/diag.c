/* SPDX-License-Identifier: MIT */
#include "lang/diag.h"
#include "ptowsp/workload.h"
#include "registry/common/common_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character at text, 0: it is none, or a control character (C0, DEL, C1). */
static size_t character_length(const char *text)
{
	const unsigned char *b = (const unsigned char *)text;

	return b[0] < 32 || b[0] == 127 || (b[0] == 0xC2 && b[1] < 0xA0) ? 0 : common_text_character(text);
}

char *lang_clean(struct common_arena *arena, const char *text, size_t length)
{
	char *copy = common_copy(arena, text, length);

	for (size_t at = 0; at < length;) {
		size_t size = character_length(copy + at);

		if (!size)
			copy[at] = '_';
		at += size ? size : 1;
	}
	return copy;
}

bool lang_is_clean(const char *text)
{
	while (*text) {
		size_t size = *text == '\t' || *text == '\n' ? 1 : character_length(text);

		if (!size)
			return false;
		text += size;
	}
	return true;
}

#define EXCERPT_WIDTH 120u /* columns of the source line that are shown; longer lines are cut around the caret */
#define LIST_BYTES    ((size_t)8 << 20)

struct lang_list *lang_list_create(jmp_buf *out)
{
	struct lang_list *list = calloc(1, sizeof(*list));

	if (list)
		common_arena_init(&list->arena, LIST_BYTES, out);
	return list;
}

void lang_diagnostics_destroy(struct lang_diagnostics *diagnostics)
{
	struct lang_list *list = (struct lang_list *)(void *)diagnostics;

	if (!list)
		return;
	common_arena_finish(&list->arena);
	free(list);
}

/* A whole source line, without its end. Most questions are about the line of the one before or a later line: the way goes on from there. */
static void line_find(const struct lang_unit *unit, uint32_t file, uint32_t line, const char **text_out, size_t *length_out)
{
	const struct lang_source *source = &unit->sources[file];
	struct lang_line *near = &unit->list->near;
	const char *end = source->text + source->size, *stop;

	if (!near->at || near->file != file || near->line > line)
		*near = (struct lang_line){source->text, file, 1};
	for (; near->line < line && near->at < end; near->line++) {
		stop = memchr(near->at, '\n', (size_t)(end - near->at));
		near->at = stop ? stop + 1 : end;
	}
	stop = near->at < end ? memchr(near->at, '\n', (size_t)(end - near->at)) : NULL;
	*text_out = near->at;
	*length_out = (size_t)((stop ? stop : end) - near->at);
}

/* Bytes that would upset a terminal become a dot; a tab stays a tab, and UTF-8 stays as it is. */
static char shown(char c)
{
	return ((unsigned char)c < 32 && c != '\t') || c == 127 ? '.' : c;
}

static const char *excerpt_make(const struct lang_unit *unit, struct lang_span at)
{
	const char *line;
	size_t length, first = 0, caret = at.column - 1, width, used = 0;
	char *text;

	line_find(unit, at.file, at.line, &line, &length);
	if (length && line[length - 1] == '\r')
		length--;
	if (caret > length)
		caret = length;
	if (length > EXCERPT_WIDTH && caret > EXCERPT_WIDTH / 2)
		first = caret - EXCERPT_WIDTH / 2;
	if (length - first > EXCERPT_WIDTH)
		length = first + EXCERPT_WIDTH;
	width = at.length && caret + at.length <= length ? at.length : 1;
	text = common_alloc(&unit->list->arena, 2 * (length - first) + width + 16);
	for (size_t i = first; i < length; i++)
		text[used++] = shown(line[i]);
	text[used++] = '\n';
	for (size_t i = first; i < caret; i++)
		text[used++] = line[i] == '\t' ? '\t' : ' ';
	text[used++] = '^';
	for (size_t i = 1; i < width; i++)
		text[used++] = '~';
	text[used] = '\n';
	return text;
}

static struct lang_diagnostic *list_add(struct lang_unit *unit, uint32_t severity, struct lang_span at, const char *text)
{
	struct lang_list *list = unit->list;
	const struct lang_source *source = &unit->sources[at.file];
	struct lang_diagnostic row = {.severity = severity, .source = at.file, .text = text, .help = "", .excerpt = ""};

	row.line = at.line;
	row.column = at.column;
	row.file = common_copy(&list->arena, source->name, strlen(source->name));
	if (at.line)
		row.excerpt = excerpt_make(unit, at);
	list->rows = common_room(&list->arena, list->rows, list->head.count, &list->capacity, sizeof(*list->rows));
	list->rows[list->head.count] = row;
	list->head.rows = list->rows;
	return &list->rows[list->head.count++];
}

static char *text_format(struct lang_list *list, const char *format, va_list args)
{
	char text[1024];
	int length = vsnprintf(text, sizeof(text), format, args);

	return common_copy(&list->arena, text, length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

_Noreturn void lang_stop(struct lang_unit *unit)
{
	unit->stopped = 1;
	longjmp(unit->out, 1);
}

_Noreturn void lang_too_deep(struct lang_unit *unit, struct lang_span at, const char *why)
{
	lang_error(unit, at, "loops and branches are nested deeper than %u%s", PTOWSP_NESTING_LIMIT, why);
	lang_stop(unit);
}

void lang_error(struct lang_unit *unit, struct lang_span at, const char *format, ...)
{
	va_list args;

	if (unit->list->head.errors == LANG_MAX_ERRORS)
		lang_stop(unit);
	va_start(args, format);
	list_add(unit, LANG_ERROR, at, text_format(unit->list, format, args));
	va_end(args);
	unit->list->head.errors++;
}

void lang_warn(struct lang_unit *unit, struct lang_span at, const char *format, ...)
{
	va_list args;

	unit->list->head.warnings++;
	if (unit->list->head.warnings > LANG_MAX_WARNINGS) {
		unit->list->head.dropped++;
		return;
	}
	va_start(args, format);
	list_add(unit, LANG_WARNING, at, text_format(unit->list, format, args));
	va_end(args);
}

void lang_help(struct lang_unit *unit, const char *format, ...)
{
	struct lang_list *list = unit->list;
	va_list args;

	if (!list->head.count || list->head.dropped)
		return;
	va_start(args, format);
	list->rows[list->head.count - 1].help = text_format(list, format, args);
	va_end(args);
}

struct lang_span lang_line_span(const struct lang_unit *unit, uint32_t file, uint32_t line)
{
	struct lang_span at = {.file = file, .line = line, .column = 1};
	const char *text;
	size_t length;

	line_find(unit, file, line, &text, &length);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
		length--;
	while (at.column <= length && (text[at.column - 1] == ' ' || text[at.column - 1] == '\t'))
		at.column++;
	at.length = (uint32_t)length + 1 - at.column;
	return at;
}

struct lang_span lang_word_span(const struct lang_unit *unit, struct lang_span line, const char *word, size_t length)
{
	static const char inner[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
	struct lang_span at = line;
	const char *text, *end;
	size_t size;

	line_find(unit, line.file, line.line, &text, &size);
	end = text + line.column - 1 + line.length;
	for (text += line.column - 1; (size_t)(end - text) >= length && length; text++, at.column++)
		if (!memcmp(text, word, length) && (text + length == end || !memchr(inner, text[length], sizeof(inner) - 1))) {
			at.length = (uint32_t)length;
			return at;
		}
	return line;
}

const char *lang_place(struct lang_unit *unit, struct lang_span at)
{
	return common_format(&unit->arena, "%s:%u", unit->sources[at.file].name, at.line);
}

void lang_diagnostic_print(const struct lang_diagnostic *row, void (*emit)(void *context, const char *line), void *context)
{
	const char *kind = row->severity == LANG_ERROR ? "error" : "warning";
	char line[2048];
	const char *at = row->excerpt;

	if (row->line)
		snprintf(line, sizeof(line), "%s:%u:%u: %s: %s\n", row->file, row->line, row->column, kind, row->text);
	else
		snprintf(line, sizeof(line), "%s: %s: %s\n", row->file, kind, row->text);
	emit(context, line);
	while (*at) {
		const char *end = strchr(at, '\n');

		snprintf(line, sizeof(line), "    %.*s\n", (int)(end - at), at);
		emit(context, line);
		at = end + 1;
	}
	if (*row->help) {
		snprintf(line, sizeof(line), "    help: %s\n", row->help);
		emit(context, line);
	}
}

static int place_compare(const struct lang_diagnostic *a, const struct lang_diagnostic *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* The same sentence at the same place is one message: of a template, each instance may have it. */
static void same_drop(struct lang_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->head.count; i++) {
		const struct lang_diagnostic *row = &list->rows[i];
		bool is_said = false;

		for (uint32_t k = kept; k && !is_said && !place_compare(&list->rows[k - 1], row); k--)
			is_said = list->rows[k - 1].severity == row->severity && !strcmp(list->rows[k - 1].text, row->text);
		if (!is_said)
			list->rows[kept++] = *row;
		else if (row->severity == LANG_ERROR)
			list->head.errors--;
		else
			list->head.warnings--;
	}
	list->head.count = kept;
}

/* Few rows; equal places keep the order in which they were found. */
void lang_list_sort(struct lang_list *list)
{
	for (uint32_t i = 1; i < list->head.count; i++) {
		struct lang_diagnostic row = list->rows[i];
		uint32_t at = i;

		for (; at && place_compare(&list->rows[at - 1], &row) > 0; at--)
			list->rows[at] = list->rows[at - 1];
		list->rows[at] = row;
	}
	same_drop(list);
}

void lang_guess_start(struct lang_guess *guess, const char *word)
{
	size_t length = strlen(word);

	guess->word = word;
	guess->best = NULL;
	/* Nothing is near a single letter; one slip in a short word, a third of a long one. */
	guess->distance = length < 2 ? 1 : length < 4 ? 2 : (uint32_t)(length > 30 ? 10 : length / 3) + 1;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int letter(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b, capitals as small letters; words beyond 63 bytes count as far. At most `limit`: what is farther is as far. */
static uint32_t edits(const char *a, const char *b, uint32_t limit)
{
	size_t length_a = strlen(a), length_b = strlen(b);
	uint32_t rows[3][64]; /* of the last three letters of a */
	uint32_t nearest = 0, before_nearest;

	if (length_a > 63 || length_b > 63)
		return UINT32_MAX;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= length_a; i++) {
		uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		before_nearest = nearest;
		nearest = row[0] = (uint32_t)i;
		for (size_t j = 1; j <= length_b; j++) {
			row[j] = least(above[j - 1] + (letter(a[i - 1]) != letter(b[j - 1])), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
			nearest = least(nearest, row[j]);
		}
		if (nearest >= limit && before_nearest >= limit) /* a row depends on the two in front of it */
			return limit;
	}
	return least(rows[length_a % 3][length_b], limit);
}

/* There are at least as many edits as the lengths differ by. */
static uint32_t least_edits(const char *a, const char *b)
{
	size_t length_a = strlen(a), length_b = strlen(b);

	return (uint32_t)(length_a > length_b ? length_a - length_b : length_b - length_a);
}

void lang_guess_try(struct lang_guess *guess, const char *candidate)
{
	uint32_t distance = guess->distance;

	if (least_edits(guess->word, candidate) < distance)
		distance = edits(guess->word, candidate, distance);
	if (distance < guess->distance) {
		guess->distance = distance;
		guess->best = candidate;
	}
}

bool lang_guess_help(struct lang_unit *unit, const struct lang_guess *guess, const char *prefix)
{
	if (guess->best)
		lang_help(unit, "did you mean %s%s?", prefix, guess->best);
	return guess->best != NULL;
}

enum { MEASURED = 128 }; /* names whose distance is kept: more are rare, and measured each time */

/* The nearest name behind name `last` of distance *far; count at the end. */
static uint32_t nearest_next(const char *word, const char *const *names, uint32_t count, const uint32_t *measured, uint32_t last, uint32_t *far)
{
	uint32_t best = UINT32_MAX, found = count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t distance = i < MEASURED ? measured[i] : edits(word, names[i], UINT32_MAX);

		if ((distance > *far || (distance == *far && (last == count || i > last))) && (found == count || distance < best)) {
			best = distance;
			found = i;
		}
	}
	*far = best;
	return found;
}

void lang_known_help(struct lang_unit *unit, const char *word, const char *prefix, const char *const *names, uint32_t count)
{
	enum { ROOM = 160 };
	struct lang_guess guess;
	char text[ROOM + 32] = "";
	uint32_t at = count, far = 0, shown = 0, measured[MEASURED];
	size_t used = 0;

	lang_guess_start(&guess, word);
	for (uint32_t i = 0; i < count; i++)
		lang_guess_try(&guess, names[i]);
	for (uint32_t i = 0; i < count && i < MEASURED; i++)
		measured[i] = edits(word, names[i], UINT32_MAX);
	while (shown < count) {
		at = nearest_next(word, names, count, measured, at, &far);
		if (used + strlen(prefix) + strlen(names[at]) + 2 >= ROOM)
			break;
		used += (size_t)snprintf(text + used, ROOM - used, "%s%s%s", shown++ ? ", " : "", prefix, names[at]);
	}
	if (shown < count)
		snprintf(text + used, sizeof(text) - used, "%s%u more", shown ? " and " : "", count - shown);
	if (guess.best)
		lang_help(unit, "did you mean %s%s? known: %s", prefix, guess.best, text);
	else
		lang_help(unit, "known: %s", count ? text : "none");
}
