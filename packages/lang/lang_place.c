/* SPDX-License-Identifier: MIT */
#include "lang/diag.h"

#include "format/verify/rank.h"
#include "ptowsp/base.h"

#include <stdbool.h>
#include <string.h>

struct lang_place_row {
	uint32_t at; /* line where it is stated */
	struct lang_origin origin;
	struct lang_origin *divisions;
	uint32_t division_count, division_capacity;
};
struct lang_places {
	struct lang_span *divisions; /* where operators stand, in the order of the text */
	uint32_t division_count, division_capacity;
	struct lang_place_row *rows; /* by `at`: a source is read from its first line to its last */
	uint32_t count, capacity;
	const char *name;    /* NULL: positions are where the text stands */
	const char *natural; /* the source's own file name once somebody asked */
};

static struct lang_places *places_of(struct lang_unit *unit, uint32_t file)
{
	if (file >= unit->place_count) { /* included files come later */
		struct lang_places *more = common_alloc(&unit->arena, unit->source_count * sizeof(*more));

		if (unit->place_count)
			memcpy(more, unit->places, unit->place_count * sizeof(*more));
		unit->places = more;
		unit->place_count = unit->source_count;
	}
	return &unit->places[file];
}

/* Digits up to something else; NULL if there are none or too many. */
static const char *number_read(const char *text, const char *end, uint32_t *value_out)
{
	uint64_t value = 0;
	const char *at = text;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return NULL;
	}
	*value_out = (uint32_t)value;
	return at > text ? at : NULL;
}

/* Packages hold no folders. */
static const char *file_name(struct lang_unit *unit, const char *path, size_t length)
{
	const char *from = path + length;

	while (from > path && from[-1] != '/')
		from--;
	return lang_clean(&unit->arena, from, (size_t)(path + length - from));
}

/* "12:5" or "12", up to a blank or the end, and the blanks behind it; NULL if it is something else. */
static const char *origin_read(const char *text, const char *end, struct lang_origin *origin_out)
{
	const char *at = number_read(text, end, &origin_out->line);

	if (at && at < end && *at == ':')
		at = number_read(at + 1, end, &origin_out->column);
	if (!at || (at < end && *at != ' '))
		return NULL;
	while (at < end && *at == ' ')
		at++;
	return at;
}

void lang_place_read(struct lang_unit *unit, uint32_t file, uint32_t line, const char *text, size_t length)
{
	struct lang_places *places = places_of(unit, file);
	struct lang_place_row row = {.at = line};
	const char *end = text + length, *at;

	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	at = origin_read(text, end, &row.origin);
	while (at && end - at > 1 && *at == '/' && at[1] >= '0' && at[1] <= '9') {
		struct lang_origin *division = COMMON_PUSH(&unit->arena, row.divisions, row.division_count, row.division_capacity);

		memset(division, 0, sizeof(*division));
		at = origin_read(at + 1, end, division);
	}
	if (!at)
		return;
	if (at < end)
		row.origin.file = file_name(unit, at, (size_t)(end - at));
	*COMMON_PUSH(&unit->arena, places->rows, places->count, places->capacity) = row;
}

void lang_places_state(struct lang_unit *unit, uint32_t file, const char *name)
{
	places_of(unit, file)->name = file_name(unit, name, strlen(name));
}

bool lang_places_stated(const struct lang_unit *unit, uint32_t file)
{
	return file < unit->place_count && unit->places[file].name;
}

static const struct lang_place_row *row_find(const struct lang_places *places, uint32_t line)
{
	uint32_t low = pkg_row_from(places->rows, sizeof(*places->rows), offsetof(struct lang_place_row, at), places->count, line);

	return low < places->count && places->rows[low].at == line ? &places->rows[low] : NULL;
}

void lang_place_division(struct lang_unit *unit, struct lang_span at)
{
	struct lang_places *places = places_of(unit, at.file);

	*COMMON_PUSH(&unit->arena, places->divisions, places->division_count, places->division_capacity) = at;
}

/* Number in its line of the division at that very place, 0 first; PTOWSP_NONE: none stands there. */
static uint32_t division_number(const struct lang_places *places, struct lang_span at)
{
	uint32_t low = pkg_row_from(places->divisions, sizeof(*places->divisions), offsetof(struct lang_span, line), places->division_count, at.line);

	for (uint32_t i = low; i < places->division_count && places->divisions[i].line == at.line; i++)
		if (places->divisions[i].column == at.column)
			return i - low;
	return PTOWSP_NONE;
}

/* The position that the line states for itself; zeros where it states none. row_out: all that it says. */
static struct lang_origin origin_stated(const struct lang_places *places, uint32_t line, const struct lang_place_row **row_out)
{
	struct lang_origin origin = {0};

	*row_out = row_find(places, line);
	if (*row_out)
		origin = (*row_out)->origin;
	return origin;
}

struct lang_origin lang_origin_of(struct lang_unit *unit, struct lang_span at)
{
	struct lang_origin origin = {.line = at.line, .column = at.column};
	struct lang_places *places = places_of(unit, at.file);
	const struct lang_place_row *row;

	if (!places->name) {
		const char *path = unit->sources[at.file].name;

		if (!places->natural)
			places->natural = file_name(unit, path, strlen(path));
		origin.file = places->natural;
		return origin;
	}
	origin = origin_stated(places, at.line, &row);
	if (!origin.file)
		origin.file = places->name;
	return origin;
}

struct lang_origin lang_origin_of_division(struct lang_unit *unit, struct lang_span at)
{
	struct lang_origin origin = lang_origin_of(unit, at);
	struct lang_places *places = places_of(unit, at.file);
	const struct lang_place_row *row;
	uint32_t number = division_number(places, at);

	if (!places->name)
		return origin;
	origin_stated(places, at.line, &row);
	if (row && number == PTOWSP_NONE && row->division_count) /* the statement DIV, which is not where it was written first */
		number = 0;
	if (number == PTOWSP_NONE)
		return origin;
	if (!row || number >= row->division_count)
		return (struct lang_origin){0};
	origin.line = row->divisions[number].line;
	origin.column = row->divisions[number].column;
	return origin;
}
