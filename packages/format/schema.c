/* SPDX-License-Identifier: MIT */
/* schema.c - the descriptions of all sections, expanded from records.def. */
#include "format/schema.h"

#include <string.h>

/* The meaning of a field's argument depends on its kind. */
#define ARGUMENT_NUMBER(argument)   0
#define ARGUMENT_ZERO(argument)     0
#define ARGUMENT_NAME(argument)     0
#define ARGUMENT_ID(argument)       0
#define ARGUMENT_REF(argument)      PTOWSP_SECTION_##argument
#define ARGUMENT_OPTIONAL(argument) PTOWSP_SECTION_##argument
#define ARGUMENT_FIRST(argument)    PTOWSP_SECTION_##argument
#define ARGUMENT_COUNT(argument)    PTOWSP_SECTION_##argument
#define ARGUMENT_ENUM(argument)     PKG_WORDS_##argument
#define ARGUMENT_BITS(argument)     (argument)
#define ARGUMENT_OFFSET(argument)   PTOWSP_SECTION_##argument
#define ARGUMENT_SIZE(argument)     PTOWSP_SECTION_##argument

/* One function per table, because offsetof needs a type that the FIELD lines do not name. */
#define TABLE(SECT, record, text)                                                                                                                              \
	static const struct pkg_field *record##_fields(uint32_t *count)                                                                                        \
	{                                                                                                                                                      \
		typedef struct ptowsp_##record##_record here;                                                                                                  \
		static const struct pkg_field fields[] = {
#define FIELD(type, name, kind, argument, text)                                                                                                                \
	{#name, #type, #kind, #argument, text, offsetof(here, name), ARGUMENT_##kind(argument), sizeof(type), (type)-1 < (type)1, PKG_##kind},
#define END(SECT, record, bytes)                                                                                                                               \
	}                                                                                                                                                      \
	;                                                                                                                                                      \
	*count = sizeof(fields) / sizeof(fields[0]);                                                                                                           \
	return fields;                                                                                                                                         \
	}
#include "registry/common/common_records.def"

#define BYTES(SECT, text) {PTOWSP_SECTION_##SECT, 1, #SECT, "", text, NULL, 0, 0},
#define TABLE(SECT, record, text)                                                                                                                              \
	{PTOWSP_SECTION_##SECT,                                                                                                                                \
	 sizeof(struct ptowsp_##record##_record),                                                                                                              \
	 #SECT,                                                                                                                                                \
	 #record,                                                                                                                                              \
	 text,                                                                                                                                                 \
	 record##_fields,                                                                                                                                      \
	 offsetof(struct pkg_tables, record),                                                                                                                  \
	 offsetof(struct pkg_tables, record##_count)},
static const struct pkg_schema schemas[] = {
#include "registry/common/common_records.def"
};
#define SCHEMA_COUNT (sizeof(schemas) / sizeof(schemas[0]))

const struct pkg_schema *pkg_schema_all(uint32_t *count)
{
	*count = SCHEMA_COUNT;
	return schemas;
}

const struct pkg_schema *pkg_schema_find(uint32_t type)
{
	for (size_t i = 0; i < SCHEMA_COUNT; i++)
		if (schemas[i].type == type)
			return &schemas[i];
	return NULL;
}

const struct pkg_schema *pkg_schema_find_name(const char *section)
{
	for (size_t i = 0; i < SCHEMA_COUNT; i++)
		if (!strcmp(schemas[i].section, section))
			return &schemas[i];
	return NULL;
}

const struct pkg_field *pkg_schema_fields(const struct pkg_schema *schema, uint32_t *count)
{
	*count = 0;
	return schema->fields ? schema->fields(count) : NULL;
}

const struct pkg_field *pkg_schema_field(const struct pkg_schema *schema, const char *name)
{
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

const struct pkg_field *pkg_schema_id(const struct pkg_schema *schema)
{
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	for (uint32_t i = 0; i < count; i++)
		if (fields[i].kind == PKG_ID)
			return &fields[i];
	return NULL;
}

uint64_t pkg_field_get(const void *record, const struct pkg_field *field)
{
	const uint8_t *at = (const uint8_t *)record + field->offset;
	uint64_t value = 0;

	memcpy(&value, at, field->bytes);
	return value;
}

void pkg_field_set(void *record, const struct pkg_field *field, uint64_t value)
{
	memcpy((uint8_t *)record + field->offset, &value, field->bytes);
}

const uint8_t *pkg_schema_array(const struct pkg_schema *schema, const struct pkg_tables *tables, uint32_t *count)
{
	const uint8_t *from = (const uint8_t *)tables;
	const uint8_t *array = NULL;

	*count = 0;
	if (schema->fields) {
		memcpy(&array, from + schema->array_at, sizeof(array));
		memcpy(count, from + schema->count_at, sizeof(*count));
	}
	return array;
}
