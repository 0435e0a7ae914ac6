/* SPDX-License-Identifier: MIT */
/* package_tables.c - sections of a package as tables: decoded, brought to the size of this build's records, and put where they belong. */
#include "format/package_open.h"

#include "format/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pkg_notice_add(struct pkg *p, const char *format, const char *what)
{
	snprintf(p->notices[p->notice_count++], PKG_NOTICE_SIZE, format, what);
}

/* The stride of a known table: its own record, a longer one, or a shorter one that ends between two fields; then its records are
 * copied, and all of them together obey the limit too. */
static ptowsp_status stride_check(const struct pkg *p, const struct pkg_toc_row *row, const struct pkg_schema *schema, struct ptowsp_error *error)
{
	const struct pkg_place place = pkg_place_of(p, error);
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	if (!schema->fields && row->stride != 1)
		return pkg_refuse(&place, "section %s: stride is %u, a section of bytes has 1", schema->section, (unsigned)row->stride);
	if (row->count > p->caps.section_bytes / schema->bytes)
		return pkg_refuse(&place, "section %s: %llu records of %u bytes are more than the limit of %llu bytes", schema->section,
				  (unsigned long long)row->count, (unsigned)schema->bytes, (unsigned long long)p->caps.section_bytes);
	if (!schema->fields || row->stride >= schema->bytes)
		return PTOWSP_OK;
	for (uint32_t i = 1; i < count; i++)
		if (fields[i].offset == row->stride)
			return PTOWSP_OK;
	return pkg_refuse(&place, "section %s: stride is %u, which ends inside a field", schema->section, (unsigned)row->stride);
}

/* Fields that a record lacks are 0, or PTOWSP_NONE where it would refer to something. */
static void fields_complete(uint8_t *record, const struct pkg_schema *schema, size_t from)
{
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	for (uint32_t i = 0; i < count; i++)
		if (fields[i].offset >= from && fields[i].kind == PKG_OPTIONAL)
			pkg_field_set(record, &fields[i], PTOWSP_NONE);
}

/* Records with another stride are copied: what is missing gets its default, what is unknown is left out. */
static ptowsp_status table_convert(struct pkg *p, uint32_t i, const struct pkg_schema *schema, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &p->container.rows[i];
	size_t each = row->stride < schema->bytes ? row->stride : schema->bytes;
	uint8_t *copy;

	p->native[i] = copy = calloc((size_t)row->count + 1, schema->bytes);
	if (!copy)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory for table %s", p->path, schema->section);
	for (size_t k = 0; k < row->count; k++) {
		memcpy(copy + k * schema->bytes, p->data[i] + k * row->stride, each);
		fields_complete(copy + k * schema->bytes, schema, each);
	}
	return PTOWSP_OK;
}

/* Puts a decoded section where pkg_tables has its place. */
static ptowsp_status table_place(struct pkg *p, uint32_t i, const struct pkg_schema *schema, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &p->container.rows[i];
	struct pkg_tables *t = &p->tables;
	const void *array = p->data[i];
	uint32_t count = (uint32_t)row->count;
	ptowsp_status status = PTOWSP_OK;

	switch (row->type) {
	case PTOWSP_SECTION_STRS:
		t->strings = array;
		t->strings_size = row->size;
		return status;
	case PTOWSP_SECTION_CODE:
		t->code = array;
		t->code_size = row->size;
		return status;
	case PTOWSP_SECTION_WORK:
		t->raw_work = array;
		t->raw_work_size = row->size;
		return status;
	case PTOWSP_SECTION_GRPH:
		t->graph = array;
		t->graph_size = row->size;
		return status;
	}
	if (row->stride != schema->bytes) {
		status = table_convert(p, i, schema, error);
		array = p->native[i];
	}
	memcpy((uint8_t *)t + schema->array_at, &array, sizeof(array));
	memcpy((uint8_t *)t + schema->count_at, &count, sizeof(count));
	return status;
}

/* An optional one is not decompressed, but damage to it is damage to the file. */
static ptowsp_status section_unknown(struct pkg *p, uint32_t i, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &p->container.rows[i];
	const struct pkg_place place = pkg_place_of(p, error);
	struct pkg_type_text type = pkg_type_text(row->type);

	if (row->flags & PKG_SECTION_REQUIRED)
		return pkg_refuse(&place, "section %s is required and this build does not know it; use a newer ptowsp", type.text);
	pkg_notice_add(p, "section %s is optional and unknown to this build: left out", type.text);
	return pkg_container_check(&p->container, i, error);
}

ptowsp_status pkg_section_open(struct pkg *p, uint32_t i, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &p->container.rows[i];
	const struct pkg_schema *schema = pkg_schema_find(row->type);
	ptowsp_status status;

	if (!schema)
		return section_unknown(p, i, error);
	status = stride_check(p, row, schema, error);
	if (row->type == PTOWSP_SECTION_TBLB) { /* decoded when its data are used */
		p->sample_row = i;
		return status;
	}
	if (!status)
		status = pkg_container_section(&p->container, i, &p->data[i], error);
	if (!status)
		status = table_place(p, i, schema, error);
	if (!status)
		p->sections[p->section_count++] = (struct ptowsp_section){row->type, row->stride, row->count, p->data[i]};
	return status;
}
