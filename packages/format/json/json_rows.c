/* SPDX-License-Identifier: MIT */
/* json_rows.c - values, and rows by their schema. */
#include "format/json/json_rows.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_LIMIT (INT64_C(1) << 53) /* every JSON reader keeps it exactly */

ptowsp_status pkg_json_refuse(const struct pkg_json_reader *reader, const char *format, ...)
{
	char sentence[256], row[32] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	if (reader->row != SIZE_MAX)
		snprintf(row, sizeof(row), "[%zu]", reader->row);
	return pkg_refuse(&reader->place, "%s%s%s%s%s", reader->section, row, reader->key ? "." : "", reader->key ? reader->key : "", sentence);
}

json_t *pkg_json_number(uint64_t value, int is_signed)
{
	char text[24];

	if (is_signed ? (int64_t)value >= -EXACT_LIMIT && (int64_t)value <= EXACT_LIMIT : value <= (uint64_t)EXACT_LIMIT)
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)value);
	return json_string(text);
}

/* "0x" and 1 to 16 hexadecimal digits. */
static bool hexadecimal_read(const char *text, uint64_t *value_out)
{
	size_t digits = strspn(text, "0x") >= 2 && text[0] == '0' && text[1] == 'x' ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;

	if (!digits || digits > 16 || text[2 + digits])
		return false;
	*value_out = strtoull(text, NULL, 16);
	return true;
}

ptowsp_status pkg_json_number_read(const struct pkg_json_reader *reader, const json_t *json, unsigned bytes, int is_signed, uint64_t *value_out)
{
	uint64_t most = bytes < 8 ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
	json_int_t value = json_integer_value(json);

	if (json_is_string(json) && hexadecimal_read(json_string_value(json), value_out)) {
		if (*value_out > most)
			return pkg_json_refuse(reader, " is %s, which is more than %u bytes hold", json_string_value(json), bytes);
		return PTOWSP_OK;
	}
	if (!json_is_integer(json))
		return pkg_json_refuse(reader, " must be an integer or a string \"0x...\"");
	if ((value < 0 && !is_signed) || (value > 0 && (uint64_t)value > most))
		return pkg_json_refuse(reader, " is %lld, allowed are 0 to %llu", (long long)value, (unsigned long long)most);
	*value_out = (uint64_t)value;
	return PTOWSP_OK;
}

/* name -> row of a table of the document, made once per table. */
static json_t *names_of(struct pkg_json_reader *reader, const struct pkg_schema *section)
{
	json_t *names = json_object_get(reader->names, section->section), *row, *rows;
	size_t i;

	if (names)
		return names;
	names = json_object();
	rows = json_object_get(reader->root, section->section);
	json_array_foreach(rows, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "name"));

		if (name && !json_object_get(names, name))
			json_object_set_new(names, name, json_integer((json_int_t)i));
	}
	json_object_set_new(reader->names, section->section, names);
	return names;
}

ptowsp_status pkg_json_reference_read(struct pkg_json_reader *reader, const json_t *json, const struct pkg_schema *section, uint64_t *value_out)
{
	const char *name = json_string_value(json);
	const json_t *row;

	if (!name)
		return pkg_json_number_read(reader, json, 4, 0, value_out);
	row = json_object_get(names_of(reader, section), name);
	if (!row)
		return pkg_json_refuse(reader, " is \"%.60s\": %s has no row of that name", name, section->section);
	*value_out = (uint64_t)json_integer_value(row);
	return PTOWSP_OK;
}

ptowsp_status pkg_json_keys_check(struct pkg_json_reader *reader, const json_t *object, const char *const *known)
{
	char list[200] = "";
	size_t used = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		size_t i = 0;

		while (known[i] && strcmp(known[i], key))
			i++;
		if (known[i])
			continue;
		for (i = 0; known[i] && used < sizeof(list); i++)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", known[i]);
		return pkg_json_refuse(reader, ": \"%.40s\" is no key here; known: %s", key, list);
	}
	return PTOWSP_OK;
}

/* The value of a field that the row does not mention. */
static uint64_t default_of(const struct pkg_field *field)
{
	return field->kind == PKG_OPTIONAL ? PTOWSP_NONE : 0;
}

static json_t *field_write(const struct pkg_tables *tables, const struct pkg_field *field, uint64_t value)
{
	const char *word;

	switch (field->kind) {
	case PKG_NAME: return json_string(pkg_string(tables, (uint32_t)value));
	case PKG_ENUM: word = pkg_word(field->argument, value); return word ? json_string(word) : pkg_json_number(value, 0);
	default: return pkg_json_number(value, field->is_signed);
	}
}

/* Ids follow from names; words and references are always shown, other fields unless they are at their default. */
static bool field_is_shown(const struct pkg_field *field, uint64_t value)
{
	if (field->kind == PKG_ID)
		return false;
	return field->kind == PKG_ENUM || field->kind == PKG_REF || value != default_of(field);
}

static json_t *row_write(const struct pkg_schema *schema, const struct pkg_tables *tables, const void *record)
{
	json_t *object = json_object();
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = pkg_field_get(record, &fields[i]);

		if (field_is_shown(&fields[i], value))
			json_object_set_new(object, fields[i].name, field_write(tables, &fields[i], value));
	}
	return object;
}

ptowsp_status pkg_json_word_read(struct pkg_json_reader *reader, const struct pkg_field *field, const json_t *json, uint64_t *value_out)
{
	const char *word = json_string_value(json);
	char known[128];
	uint32_t code;

	if (json_is_integer(json))
		return pkg_json_number_read(reader, json, field->bytes, 0, value_out);
	if (!word || !pkg_word_find(field->argument, word, &code)) {
		pkg_words_list(field->argument, known, sizeof(known));
		return pkg_json_refuse(reader, " is \"%.40s\": no %s; known: %s", word ? word : "", pkg_words_name(field->argument), known);
	}
	*value_out = code;
	return PTOWSP_OK;
}

/* The default of a symbol or slot is the bits of a value of any type: a negative one may be written as such. */
static bool holds_either(const struct pkg_field *field)
{
	return field == pkg_schema_field(pkg_schema_find(PTOWSP_SECTION_SLOT), "value");
}

static ptowsp_status field_read(struct pkg_json_reader *reader, const struct pkg_field *field, const json_t *json, uint64_t *value_out)
{
	switch (field->kind) {
	case PKG_NAME:
		if (!json_is_string(json))
			return pkg_json_refuse(reader, " must be a string");
		*value_out = pkg_writer_string(reader->writer, json_string_value(json));
		return PTOWSP_OK;
	case PKG_ENUM: return pkg_json_word_read(reader, field, json, value_out);
	case PKG_OPTIONAL:
		if (json_is_null(json)) {
			*value_out = PTOWSP_NONE;
			return PTOWSP_OK;
		}
		return pkg_json_reference_read(reader, json, pkg_schema_find(field->argument), value_out);
	case PKG_REF: return pkg_json_reference_read(reader, json, pkg_schema_find(field->argument), value_out);
	default: return pkg_json_number_read(reader, json, field->bytes, field->is_signed || holds_either(field), value_out);
	}
}

static ptowsp_status row_keys_check(struct pkg_json_reader *reader, const struct pkg_schema *schema, const json_t *object)
{
	const char *known[32];
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	_Static_assert(sizeof(known) / sizeof(known[0]) > 20, "more than the fields of any record");
	for (uint32_t i = 0; i < count && i < 31; i++)
		known[i] = fields[i].name;
	known[count < 31 ? count : 31] = NULL;
	return pkg_json_keys_check(reader, object, known);
}

static uint64_t id_of(const char *name)
{
	return ptowsp_id(name, strlen(name));
}

static ptowsp_status row_read(struct pkg_json_reader *reader, const struct pkg_schema *schema, const json_t *object, void *record)
{
	ptowsp_status status = row_keys_check(reader, schema, object);
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	for (uint32_t i = 0; i < count && !status; i++) {
		const json_t *json = json_object_get(object, fields[i].name);
		uint64_t value = default_of(&fields[i]);

		reader->key = fields[i].name;
		if (json)
			status = field_read(reader, &fields[i], json, &value);
		else if (fields[i].kind == PKG_ID && json_is_string(json_object_get(object, fields[i].argument_text)))
			value = id_of(json_string_value(json_object_get(object, fields[i].argument_text)));
		pkg_field_set(record, &fields[i], value);
	}
	reader->key = NULL;
	return status;
}

json_t *pkg_json_row(const struct pkg_schema *schema, const struct pkg_tables *tables, const void *record)
{
	const struct pkg_json_form *form = pkg_json_form_find(schema->type);

	return form ? form->write(tables, record) : row_write(schema, tables, record);
}

ptowsp_status pkg_json_row_read(struct pkg_json_reader *reader, const struct pkg_schema *schema, const json_t *object, void *record)
{
	const struct pkg_json_form *form = pkg_json_form_find(schema->type);
	ptowsp_status status;

	reader->key = NULL;
	if (!json_is_object(object))
		return pkg_json_refuse(reader, " must be an object");
	status = form ? form->read(reader, object, record) : row_read(reader, schema, object, record);
	reader->key = NULL;
	return status;
}
