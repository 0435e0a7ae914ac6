/* SPDX-License-Identifier: MIT */
#include "lang/lang_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct lang_rows *lang_rows_of(struct lang_lower *lower, uint32_t section)
{
	for (uint32_t i = 0; i < lower->rows_count; i++)
		if (lower->rows[i].section == section)
			return &lower->rows[i];
	assert(lower->rows_count < LANG_MAX_SECTIONS);
	lower->rows[lower->rows_count].section = section;
	return &lower->rows[lower->rows_count++];
}

/* The first row of a name counts; a second one is refused when the rows are sorted. */
static void name_put(struct lang_lower *lower, struct lang_rows *rows, uint32_t place)
{
	if (!lang_map_find(&rows->names, rows->rows[place].name))
		lang_map_add(&rows->names, &lower->unit->arena, rows->rows[place].name, (void *)((uintptr_t)place + 1));
}

struct lang_row *lang_row_add(struct lang_lower *lower, struct lang_rows *rows, const char *name)
{
	struct lang_row *row = LANG_PUSH(&lower->unit->arena, rows->rows, rows->count, rows->capacity);

	*row = (struct lang_row){.id = ptowsp_id(name, strlen(name)), .name = name};
	name_put(lower, rows, rows->count - 1);
	return row;
}

uint32_t lang_row_find(const struct lang_rows *rows, const char *name)
{
	uintptr_t place = (uintptr_t)lang_map_find(&rows->names, name);

	return place ? (uint32_t)(place - 1) : PTOWSP_NONE;
}

void lang_rows_declare(struct lang_lower *lower)
{
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next) {
		uint32_t section = lang_decl_forms[decl->kind].section;

		if (section)
			lang_row_add(lower, lang_rows_of(lower, section), decl->name)->decl = decl;
	}
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct lang_row *)a)->id, y = ((const struct lang_row *)b)->id;

	return x < y ? -1 : x > y;
}

/* Where the name was written; line 0: it was made. */
static struct lang_span row_place(const struct lang_row *row)
{
	static const struct lang_span nowhere;

	return row->decl       ? row->decl->at
	       : row->var      ? row->var->at
	       : row->function ? row->function->at
	       : row->symbol   ? row->symbol->var->at
			       : nowhere;
}

/* Told where the later one stands. */
static void equal_ids_refuse(struct lang_lower *lower, const struct lang_row *a, const struct lang_row *b)
{
	struct lang_span first = row_place(a), second = row_place(b);

	if (second.file < first.file || (second.file == first.file && (second.line < first.line || (second.line == first.line && second.column < first.column)))) {
		equal_ids_refuse(lower, b, a);
		return;
	}
	lang_error(lower->unit, second, "the names \"%s\" and \"%s\" have the same 64-bit id", b->name, a->name);
	if (first.line)
		lang_help(lower->unit, "rename one of them; \"%s\" stands at %s", a->name, lang_place(lower->unit, first));
	else
		lang_help(lower->unit, "rename one of them");
}

void lang_rows_sort(struct lang_lower *lower, struct lang_rows *rows)
{
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), by_id);
	rows->names = (struct lang_map){0};
	for (uint32_t i = 0; i < rows->count; i++) {
		name_put(lower, rows, i);
		if (rows->rows[i].decl)
			rows->rows[i].decl->row = i;
		if (rows->rows[i].made)
			rows->rows[i].made->row = i;
	}
	for (uint32_t i = 1; i < rows->count; i++)
		if (rows->rows[i].id == rows->rows[i - 1].id)
			equal_ids_refuse(lower, &rows->rows[i - 1], &rows->rows[i]);
}

int lang_row_made(struct lang_lower *lower, const struct lang_row *row)
{
	if (row->made)
		row->made->write(lower, row->made, row->id, pkg_writer_string(lower->writer, row->name));
	return row->made != NULL;
}

void lang_rows_write(struct lang_lower *lower, struct lang_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		struct lang_decl *decl = rows->rows[i].decl;

		if (decl && lang_decl_forms[decl->kind].write)
			lang_decl_forms[decl->kind].write(lower, decl);
		lang_row_made(lower, &rows->rows[i]);
	}
}
