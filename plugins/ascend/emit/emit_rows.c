/* SPDX-License-Identifier: MIT */
#include "ascend/emit/emit_rows.h"

#include <stdlib.h>
#include <string.h>

void ascend_rows_init(struct ascend_rows *rows, uint32_t room)
{
	*rows = (struct ascend_rows){.room = room};
	rows->scopes = calloc((size_t)room + 1, sizeof(*rows->scopes));
	rows->fields = calloc(((size_t)room + 1) * ASCEND_ROW_FIELDS, sizeof(*rows->fields));
	rows->lists = calloc(((size_t)room + 1) * ASCEND_ROW_LISTS, sizeof(*rows->lists));
	rows->failed = !rows->scopes || !rows->fields || !rows->lists;
}

void ascend_rows_finish(struct ascend_rows *rows)
{
	for (uint32_t i = 0; rows->fields && i < rows->count * ASCEND_ROW_FIELDS; i++)
		free((char *)(uintptr_t)rows->fields[i].text);
	free(rows->scopes);
	free(rows->fields);
	free(rows->lists);
	*rows = (struct ascend_rows){0};
}

void ascend_row_add(struct ascend_rows *rows)
{
	if (rows->failed)
		return;
	rows->scopes[rows->count].fields = rows->fields + (size_t)rows->count * ASCEND_ROW_FIELDS;
	rows->scopes[rows->count].lists = rows->lists + (size_t)rows->count * ASCEND_ROW_LISTS;
	rows->count++;
}

void ascend_row_field(struct ascend_rows *rows, const char *name, const char *format, ...)
{
	struct ascend_scope *row = rows->failed ? NULL : &rows->scopes[rows->count - 1];
	struct common_text text = {0};
	va_list list;

	if (!row || row->field_count == ASCEND_ROW_FIELDS)
		return;
	va_start(list, format);
	common_text_add_list(&text, format, list);
	va_end(list);
	common_text_add(&text, "%s", "");
	rows->failed |= text.failed;
	rows->fields[(size_t)(rows->count - 1) * ASCEND_ROW_FIELDS + row->field_count++] = (struct ascend_field){name, text.bytes ? text.bytes : strdup("")};
}

void ascend_row_comment(struct ascend_rows *rows, const char *name, const char *before, const char *text)
{
	struct common_text comment = {0};

	common_text_add(&comment, "%s", before);
	common_text_comment(&comment, text);
	rows->failed |= comment.failed;
	ascend_row_field(rows, name, "%s", common_text_view(&comment));
	common_text_finish(&comment);
}

void ascend_row_list(struct ascend_rows *rows, const char *name, const struct ascend_rows *inner)
{
	struct ascend_scope *row = rows->failed ? NULL : &rows->scopes[rows->count - 1];

	rows->failed |= inner->failed;
	if (row && row->list_count < ASCEND_ROW_LISTS)
		rows->lists[(size_t)(rows->count - 1) * ASCEND_ROW_LISTS + row->list_count++] = ascend_rows_list(name, inner);
}

struct ascend_list ascend_rows_list(const char *name, const struct ascend_rows *rows)
{
	return (struct ascend_list){name, rows->scopes, rows->failed ? 0 : rows->count};
}
