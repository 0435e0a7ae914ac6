/* SPDX-License-Identifier: MIT */
/* schema.h - records.def as data: what every table looks like, for the verifier, the JSON form and FORMAT.md. */
#ifndef FORMAT_SCHEMA_H
#define FORMAT_SCHEMA_H

#include "format/format_names.h"
#include "format/format_package.h"

enum pkg_kind { /* see the head of records.def */
		PKG_NUMBER,
		PKG_ZERO,
		PKG_NAME,
		PKG_ID,
		PKG_REF,
		PKG_OPTIONAL,
		PKG_FIRST,
		PKG_COUNT,
		PKG_ENUM,
		PKG_BITS,
		PKG_OFFSET,
		PKG_SIZE
};

struct pkg_field {
	const char *name;
	const char *type;      /* C type */
	const char *kind_text; /* "NUMBER" */
	const char *argument_text;
	const char *text;
	uint32_t offset;   /* in the record */
	uint32_t argument; /* section type, enum pkg_words, or mask, as the kind says */
	uint8_t bytes;     /* 2, 4 or 8 */
	uint8_t is_signed;
	uint8_t kind; /* enum pkg_kind */
};

/* One section type; byte sections have no fields. Sections are stored in the order of this array. */
struct pkg_schema {
	uint32_t type;
	uint32_t bytes; /* of one record, 1 for bytes */
	const char *section, *record, *text;
	const struct pkg_field *(*fields)(uint32_t *count); /* NULL for bytes */
	size_t array_at, count_at;                          /* in struct pkg_tables */
};

const struct pkg_schema *pkg_schema_all(uint32_t *count);
const struct pkg_schema *pkg_schema_find(uint32_t type);            /* NULL if unknown */
const struct pkg_schema *pkg_schema_find_name(const char *section); /* "KREG" */
const struct pkg_field *pkg_schema_fields(const struct pkg_schema *schema, uint32_t *count);
const struct pkg_field *pkg_schema_field(const struct pkg_schema *schema, const char *name); /* NULL if none */
/* The field whose hash the table is sorted by; NULL for tables without ids. */
const struct pkg_field *pkg_schema_id(const struct pkg_schema *schema);

/* Value of a field of a native record; int64 fields as their bit pattern. */
uint64_t pkg_field_get(const void *record, const struct pkg_field *field);
/* Keeps the low bytes of value. */
void pkg_field_set(void *record, const struct pkg_field *field, uint64_t value);

/* A table of an open package by its description. Both are NULL and 0 for byte sections. */
const uint8_t *pkg_schema_array(const struct pkg_schema *schema, const struct pkg_tables *tables, uint32_t *count);

#endif
