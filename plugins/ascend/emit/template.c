/* SPDX-License-Identifier: MIT */
#include "ascend/emit/template.h"

#include "rt/program/rt_error.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct filling {
	const char *start, *file;
	struct common_text *out;
	struct ptowsp_error *error;
	const struct ascend_scope *scopes[ASCEND_TEMPLATE_DEPTH + 1]; /* innermost last */
	unsigned depth, blocks;
};

static unsigned line_of(const struct filling *f, const char *at)
{
	unsigned line = 1;

	for (const char *p = f->start; p < at; p++)
		line += *p == '\n';
	return line;
}

static ptowsp_status wrong(const struct filling *f, const char *at, const char *what, const char *name, size_t length)
{
	return rt_fail(f->error, PTOWSP_INVALID, "template %.80s, line %u: %s%.*s", f->file, line_of(f, at), what, (int)(length < 60 ? length : 60), name);
}

static bool is_named(const char *have, const char *name, size_t length)
{
	return strlen(have) == length && !memcmp(have, name, length);
}

static const char *field_find(const struct filling *f, const char *name, size_t length)
{
	for (unsigned d = f->depth; d-- > 0;)
		for (uint32_t i = 0; i < f->scopes[d]->field_count; i++)
			if (is_named(f->scopes[d]->fields[i].name, name, length))
				return f->scopes[d]->fields[i].text;
	return NULL;
}

static const struct ascend_list *list_find(const struct filling *f, const char *name, size_t length)
{
	for (unsigned d = f->depth; d-- > 0;)
		for (uint32_t i = 0; i < f->scopes[d]->list_count; i++)
			if (is_named(f->scopes[d]->lists[i].name, name, length))
				return &f->scopes[d]->lists[i];
	return NULL;
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static const char *line_end(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

enum word { COPIED, EACH, IF, ELSE, END };

/* The kind of the line at `at`; its name, if it has one. */
static enum word word_of(const char *at, const char **name_out, size_t *length_out)
{
	static const struct {
		const char *text;
		enum word word;
	} words[] = {{"each ", EACH}, {"if ", IF}, {"else", ELSE}, {"end", END}};
	const char *end = line_end(at);
	size_t mark;

	while (*at == ' ' || *at == '\t')
		at++;
	mark = !strncmp(at, "//%", 3) ? 3 : !strncmp(at, "#%", 2) ? 2 : 0;
	if (!mark)
		return COPIED;
	at += mark;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t length = strlen(words[i].text);

		if (strncmp(at, words[i].text, length))
			continue;
		for (at += length; end > at && isspace((unsigned char)end[-1]);)
			end--;
		*name_out = at;
		*length_out = (size_t)(end - at);
		return words[i].word;
	}
	return COPIED;
}

/* The //%else or //%end of the block whose body begins at `at`; NULL without one. */
static const char *block_end(const char *at, bool also_else)
{
	unsigned open = 0;
	const char *name;
	size_t length;

	for (; *at; at = line_end(at)) {
		const enum word word = word_of(at, &name, &length);

		if (!open && (word == END || (word == ELSE && also_else)))
			return at;
		open += word == EACH || word == IF;
		open -= word == END;
	}
	return NULL;
}

static ptowsp_status line_fill(struct filling *f, const char *at, const char *end)
{
	while (at < end) {
		const char *hole = at, *close, *text;

		while (hole < end && (hole[0] != '$' || hole[1] != '{'))
			hole++;
		common_text_bytes(f->out, at, (size_t)(hole - at));
		if (hole == end)
			return PTOWSP_OK;
		if (hole > at && hole[-1] == '$') { /* "$$" is there already: the second one is taken back */
			common_text_bytes(f->out, "{", 1);
			at = hole + 2;
			continue;
		}
		close = memchr(hole, '}', (size_t)(end - hole));
		if (!close)
			return wrong(f, hole, "a } is missing behind ", hole, (size_t)(end - hole - (end[-1] == '\n')));
		text = field_find(f, hole + 2, (size_t)(close - hole - 2));
		if (!text)
			return wrong(f, hole, "there is no field ", hole + 2, (size_t)(close - hole - 2));
		common_text_bytes(f->out, text, strlen(text));
		at = close + 1;
	}
	return PTOWSP_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static ptowsp_status lines_fill(struct filling *f, const char *at, const char *end);

static ptowsp_status each_fill(struct filling *f, const char *at, const char *name, size_t length, const char *end)
{
	const struct ascend_list *list = list_find(f, name, length);
	ptowsp_status status = PTOWSP_OK;

	if (!list)
		return wrong(f, at, "there is no list ", name, length);
	for (uint32_t i = 0; !status && i < list->count; i++) {
		f->scopes[f->depth++] = &list->rows[i];
		status = lines_fill(f, line_end(at), end);
		f->depth--;
	}
	return status;
}

static ptowsp_status if_fill(struct filling *f, const char *at, const char *name, size_t length, const char *middle, const char *end)
{
	const char *field = field_find(f, name, length);
	const struct ascend_list *list = field ? NULL : list_find(f, name, length);

	if (!field && !list)
		return wrong(f, at, "there is no field or list ", name, length);
	if (field ? *field != '\0' : list->count > 0)
		return lines_fill(f, line_end(at), middle);
	return middle == end ? PTOWSP_OK : lines_fill(f, line_end(middle), end);
}

/* *next_out: behind the block that begins at `at`. */
static ptowsp_status block_fill(struct filling *f, enum word word, const char *at, const char *name, size_t length, const char **next_out)
{
	const char *middle = block_end(line_end(at), word == IF), *end = middle, *ignored;
	size_t none;
	ptowsp_status status;

	if (middle && word_of(middle, &ignored, &none) == ELSE)
		end = block_end(line_end(middle), false);
	if (!end)
		return wrong(f, at, "no end of the block of ", name, length);
	if (f->blocks == ASCEND_TEMPLATE_DEPTH)
		return wrong(f, at, "blocks nest too deep at ", name, length);
	f->blocks++;
	status = word == EACH ? each_fill(f, at, name, length, end) : if_fill(f, at, name, length, middle, end);
	f->blocks--;
	*next_out = line_end(end);
	return status;
}

static ptowsp_status lines_fill(struct filling *f, const char *at, const char *end)
{
	ptowsp_status status = PTOWSP_OK;

	while (!status && at < end) {
		const char *name, *next = line_end(at);
		size_t length;
		const enum word word = word_of(at, &name, &length);

		if (word == COPIED)
			status = line_fill(f, at, next);
		else if (word == EACH || word == IF)
			status = block_fill(f, word, at, name, length, &next);
		else
			status = wrong(f, at, "nothing is open that could end here", "", 0);
		at = next;
	}
	return status;
}

ptowsp_status ascend_template_fill(const char *template, const char *file, const struct ascend_scope *scope, struct common_text *out,
				   struct ptowsp_error *error)
{
	struct filling f = {.start = template, .file = file, .out = out, .error = error, .scopes = {scope}, .depth = 1};
	ptowsp_status status = lines_fill(&f, template, template + strlen(template));

	return status || !out->failed ? status : rt_fail(error, PTOWSP_NO_MEMORY, "no memory to fill the template %.80s", file);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

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
