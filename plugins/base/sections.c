/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include "error.h"
#include <stdio.h>
#include <string.h>

#define DEBUG_KERNEL 1 /* DBGI.kind */

void base_sections_find(struct base_sections *sections_out, const struct ptowsp_load_args *args)
{
	const struct {
		uint32_t type;
		struct ptowsp_section *to;
	} wanted[] = {
		{PTOWSP_SECTION_KREG, &sections_out->kreg}, {PTOWSP_SECTION_KPRM, &sections_out->kprm}, {PTOWSP_SECTION_KPAY, &sections_out->kpay},
		{PTOWSP_SECTION_CODE, &sections_out->code}, {PTOWSP_SECTION_STRS, &sections_out->strs}, {PTOWSP_SECTION_DBGI, &sections_out->dbgi},
		{PTOWSP_SECTION_WORK, &sections_out->work}, {PTOWSP_SECTION_ENTR, &sections_out->entr}, {PTOWSP_SECTION_GRPH, &sections_out->grph},
		{PTOWSP_SECTION_META, &sections_out->meta},
	};

	*sections_out = (struct base_sections){0};
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *section = (const void *)((const char *)args->sections + (size_t)i * args->section_stride);

		for (size_t w = 0; w < sizeof(wanted) / sizeof(*wanted); w++)
			if (wanted[w].type == section->type)
				*wanted[w].to = *section;
	}
}

ptowsp_status base_sections_row(const struct ptowsp_section *section, uint64_t row, void *record_out, size_t size, struct ptowsp_error *error)
{
	size_t there = section->stride < size ? section->stride : size;

	memset(record_out, 0, size);
	if (row >= section->count)
		return base_fail(error, PTOWSP_BAD_PACKAGE, "section %.4s has %llu rows, row %llu is referred to",
				 section->count ? (const char *)&section->type : "?", (unsigned long long)section->count, (unsigned long long)row);
	memcpy(record_out, (const char *)section->data + row * section->stride, there);
	return PTOWSP_OK;
}

const char *base_sections_string(const struct base_sections *sections, uint32_t offset)
{
	const char *text = sections->strs.data;
	uint64_t size = sections->strs.count;

	if (offset >= size || text[size - 1])
		return "";
	return text + offset;
}

const char *base_sections_name(const struct base_sections *sections)
{
	struct ptowsp_meta_record row;

	for (uint64_t i = 0; i < sections->meta.count; i++)
		if (!base_sections_row(&sections->meta, i, &row, sizeof(row), NULL) && !strcmp(base_sections_string(sections, row.key), "name"))
			return base_sections_string(sections, row.value);
	return "";
}

ptowsp_status base_sections_code(const struct base_sections *sections, uint64_t offset, uint64_t size, const void **bytes_out, struct ptowsp_error *error)
{
	uint64_t there = sections->code.count;

	if (offset > there || size > there - offset)
		return base_fail(error, PTOWSP_BAD_PACKAGE, "a payload lies at %llu, %llu bytes, outside section CODE of %llu bytes",
				 (unsigned long long)offset, (unsigned long long)size, (unsigned long long)there);
	*bytes_out = (const char *)sections->code.data + offset;
	return PTOWSP_OK;
}

const char *base_sections_place(struct base_sections *sections, uint32_t row, char *text, size_t size)
{
	const uint64_t count = sections->dbgi.count;
	struct ptowsp_debug_record debug;

	*text = 0;
	for (uint64_t i = 0, at = sections->place; i < count; i++, at++)
		if (!base_sections_row(&sections->dbgi, at % count, &debug, sizeof(debug), NULL) && debug.kind == DEBUG_KERNEL && debug.row == row) {
			snprintf(text, size, "%s:%u", base_sections_string(sections, debug.file), debug.line);
			sections->place = at + 1;
			break;
		}
	return text;
}
