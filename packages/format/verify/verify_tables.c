/* SPDX-License-Identifier: MIT */
/* verify_tables.c - the table-driven part of the verifier: one pass over every field, as records.def describes it. */
#include "format/verify/verify.h"

#include <stdbool.h>
#include <string.h>

/* The field being looked at. */
struct look {
	const struct pkg_check *check;
	const struct pkg_schema *schema;
	const struct pkg_field *field;
	const uint8_t *record;
	uint32_t row;
	uint64_t value;
};

/* "KREG[3].unit is 9: " and the rule. */
#define REFUSE(l, format, ...)                                                                                                                                 \
	pkg_refuse(&(l)->check->place, "%s[%u].%s is %llu: " format, (l)->schema->section, (unsigned)(l)->row, (l)->field->name,                               \
		   (unsigned long long)(l)->value, __VA_ARGS__)

/* Length of the UTF-8 character at text (size bytes left), 0 if it is none. RFC 3629: no overlong forms, no surrogates. */
static size_t character_length(const uint8_t *text, uint64_t size)
{
	static const struct {
		uint8_t first, last, second_low, second_high, length;
	} forms[] = {{0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
		     {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
		     {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first || text[0] > forms[i].last)
			continue;
		if (forms[i].length > size)
			return 0;
		if (forms[i].length > 1 && (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if ((text[k] & 0xC0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

ptowsp_status pkg_verify_strings(const struct pkg_check *check)
{
	const uint8_t *text = (const uint8_t *)check->tables->strings;
	uint64_t size = check->tables->strings_size, at = 0;

	if (!text)
		return pkg_refuse(&check->place, "section STRS is missing");
	if (!size || text[0])
		return pkg_refuse(&check->place, "STRS does not begin with the empty string");
	if (text[size - 1])
		return pkg_refuse(&check->place, "STRS does not end in NUL");
	while (at < size) {
		size_t length = character_length(text + at, size - at);

		if (!length)
			return pkg_refuse(&check->place, "STRS: the bytes at %llu are not UTF-8", (unsigned long long)at);
		if ((text[at] > 0 && text[at] < ' ' && text[at] != '\t' && text[at] != '\n') || text[at] == 0x7F)
			return pkg_refuse(&check->place, "STRS: the byte at %llu is the control character 0x%02x", (unsigned long long)at, text[at]);
		at += length;
	}
	return PTOWSP_OK;
}

bool pkg_verify_is_string(const struct pkg_check *check, uint64_t offset)
{
	const struct pkg_tables *t = check->tables;

	return offset < t->strings_size && (offset == 0 || !t->strings[offset - 1]);
}

/* Rows of a table, or bytes of a byte section. */
static uint64_t section_length(const struct pkg_check *check, uint32_t type)
{
	const struct pkg_schema *schema = pkg_schema_find(type);
	uint32_t count;

	if (schema->fields) {
		pkg_schema_array(schema, check->tables, &count);
		return count;
	}
	switch (type) {
	case PTOWSP_SECTION_STRS: return check->tables->strings_size;
	case PTOWSP_SECTION_CODE: return check->tables->code_size;
	case PTOWSP_SECTION_WORK: return check->tables->raw_work_size;
	case PTOWSP_SECTION_GRPH: return check->tables->graph_size;
	default: return check->sample_size;
	}
}

static ptowsp_status number_check(const struct look *l)
{
	(void)l;
	return PTOWSP_OK;
}

static ptowsp_status zero_check(const struct look *l)
{
	return l->value ? REFUSE(l, "%s", "reserved, must be 0") : PTOWSP_OK;
}

static ptowsp_status name_check(const struct look *l)
{
	if (l->value >= l->check->tables->strings_size)
		return REFUSE(l, "outside the %llu bytes of STRS", (unsigned long long)l->check->tables->strings_size);
	if (!pkg_verify_is_string(l->check, l->value))
		return REFUSE(l, "%s", "not the beginning of a string of STRS");
	return PTOWSP_OK;
}

/* Name to id, and the order of the rows: sorted and unique. A name is hashed only if its row is in order; different ids need
 * different names, so all hashing together is bounded by the size of STRS. */
static ptowsp_status id_check(const struct look *l)
{
	const struct pkg_field *name = pkg_schema_field(l->schema, l->field->argument_text);
	uint64_t offset = pkg_field_get(l->record, name), before;
	const char *text;

	if (!pkg_verify_is_string(l->check, offset) || !offset)
		return REFUSE(l, "its %s is %llu, which is no string of STRS or the empty one", name->name, (unsigned long long)offset);
	text = l->check->tables->strings + offset;
	if (l->row) {
		before = pkg_field_get(l->record - l->schema->bytes, l->field);
		if (before == l->value)
			return REFUSE(l, "row %u has the same id (\"%.40s\")", (unsigned)(l->row - 1), text);
		if (before > l->value)
			return REFUSE(l, "rows are not sorted by id, row %u has a larger one", (unsigned)(l->row - 1));
	}
	if (ptowsp_id(text, strlen(text)) != l->value)
		return REFUSE(l, "not the id of its name \"%.40s\"", text);
	return PTOWSP_OK;
}

static ptowsp_status ref_check(const struct look *l)
{
	uint64_t rows = section_length(l->check, l->field->argument);

	return l->value < rows ? PTOWSP_OK : REFUSE(l, "%s has %llu rows", l->field->argument_text, (unsigned long long)rows);
}

static ptowsp_status optional_check(const struct look *l)
{
	return l->value == PTOWSP_NONE ? PTOWSP_OK : ref_check(l);
}

/* First row and length are checked together, here and for OFFSET, at the field that comes first. */
static ptowsp_status first_check(const struct look *l)
{
	uint64_t count = pkg_field_get(l->record, l->field + 1), rows = section_length(l->check, l->field->argument);

	if (l->value > rows || count > rows - l->value)
		return REFUSE(l, "with %s %llu it leaves %s, which has %llu", l->field[1].name, (unsigned long long)count, l->field->argument_text,
			      (unsigned long long)rows);
	return PTOWSP_OK;
}

static ptowsp_status enum_check(const struct look *l)
{
	char known[128];

	if (pkg_word(l->field->argument, l->value))
		return PTOWSP_OK;
	pkg_words_list(l->field->argument, known, sizeof(known));
	return REFUSE(l, "no %s; known: %s", pkg_words_name(l->field->argument), known);
}

static ptowsp_status bits_check(const struct look *l)
{
	return l->value & ~(uint64_t)l->field->argument ? REFUSE(l, "only the bits 0x%x are known", (unsigned)l->field->argument) : PTOWSP_OK;
}

static ptowsp_status (*const checks[])(const struct look *) = {
	[PKG_NUMBER] = number_check, [PKG_ZERO] = zero_check,         [PKG_NAME] = name_check,    [PKG_ID] = id_check,
	[PKG_REF] = ref_check,       [PKG_OPTIONAL] = optional_check, [PKG_FIRST] = first_check,  [PKG_COUNT] = number_check,
	[PKG_ENUM] = enum_check,     [PKG_BITS] = bits_check,         [PKG_OFFSET] = first_check, [PKG_SIZE] = number_check,
};

static ptowsp_status record_check(struct look *l, const struct pkg_field *fields, uint32_t count)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < count && !status; i++) {
		l->field = &fields[i];
		l->value = pkg_field_get(l->record, l->field);
		status = checks[l->field->kind](l);
	}
	return status;
}

ptowsp_status pkg_verify_tables(const struct pkg_check *check)
{
	uint32_t schema_count, field_count, rows;
	const struct pkg_schema *schemas = pkg_schema_all(&schema_count);
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t s = 0; s < schema_count && !status; s++) {
		const uint8_t *array = pkg_schema_array(&schemas[s], check->tables, &rows);
		const struct pkg_field *fields = pkg_schema_fields(&schemas[s], &field_count);

		for (uint32_t row = 0; row < rows && !status; row++) {
			struct look l = {check, &schemas[s], NULL, array + (size_t)row * schemas[s].bytes, row, 0};

			status = record_check(&l, fields, field_count);
		}
	}
	return status;
}
