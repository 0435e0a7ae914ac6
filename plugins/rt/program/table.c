/* SPDX-License-Identifier: MIT */
#include "rt/program/table.h"

#include "rt/program/rt_error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptowsp_status rows_copy(void **rows_out, uint32_t *count_out, const struct ptowsp_section *section, size_t size, struct ptowsp_error *error)
{
	size_t part = section->stride < size ? section->stride : size;
	char *rows;

	if (*rows_out)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section %.4s is there twice", (const char *)&section->type);
	if (section->count >= UINT32_MAX || section->count > SIZE_MAX / size || !section->stride)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section %.4s has %llu records of %u bytes", (const char *)&section->type,
			       (unsigned long long)section->count, section->stride);
	rows = calloc(section->count ? section->count : 1, size);
	if (!rows)
		return rt_no_memory(error, "a table of the package");
	if (section->stride == size && section->count)
		memcpy(rows, section->data, section->count * size);
	for (uint64_t i = 0; section->stride != size && i < section->count; i++)
		memcpy(rows + i * size, (const char *)section->data + i * section->stride, part);
	*rows_out = rows;
	*count_out = (uint32_t)section->count;
	return PTOWSP_OK;
}

static ptowsp_status strings_copy(struct rt_tables *tables, const struct ptowsp_section *section, struct ptowsp_error *error)
{
	const char *bytes = section->data;
	uint64_t size = section->count * section->stride;

	if (tables->strings)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section STRS is there twice");
	if (section->stride != 1 || size >= UINT32_MAX)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section STRS has %llu bytes", (unsigned long long)size);
	if (size && bytes[size - 1])
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section STRS does not end in a zero byte");
	tables->strings = calloc(size + 1, 1);
	if (!tables->strings)
		return rt_no_memory(error, "the strings of the package");
	if (size)
		memcpy(tables->strings, bytes, size);
	tables->strings_size = (uint32_t)size;
	return PTOWSP_OK;
}

static void *part_copy(const char **at, uint32_t count, size_t size)
{
	void *rows = calloc(count ? count : 1, size);

	if (rows && count)
		memcpy(rows, *at, count * size);
	*at += count * size;
	return rows;
}

static ptowsp_status work_copy(struct rt_tables *tables, const struct ptowsp_section *section, struct ptowsp_error *error)
{
	struct ptowsp_workload_header header;
	const char *at = section->data;
	uint64_t size = section->count * section->stride, need = sizeof(header);

	if (tables->work.code)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section WORK is there twice");
	if (section->stride != 1 || size < need)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section WORK has %llu bytes, a header has %u", (unsigned long long)size, (unsigned)sizeof(header));
	memcpy(&header, at, sizeof(header));
	at += sizeof(header);
	if (header.magic != PTOWSP_WORKLOAD_MAGIC || header.version != PTOWSP_WORKLOAD_VERSION)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section WORK has magic %08x version %u, known is %08x version %u", header.magic, header.version,
			       PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION);
	need += sizeof(struct ptowsp_instruction) * (uint64_t)header.num_instructions +
		sizeof(uint32_t) * ((uint64_t)header.num_axes + header.num_kernels + header.num_tensors);
	if (need > size || header.num_instructions == UINT32_MAX)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "section WORK has %llu bytes, its header promises %llu", (unsigned long long)size,
			       (unsigned long long)need);
	tables->work.code_count = header.num_instructions;
	tables->work.axis_count = header.num_axes;
	tables->work.kernel_count = header.num_kernels;
	tables->work.tensor_count = header.num_tensors;
	tables->work.code = part_copy(&at, header.num_instructions, sizeof(struct ptowsp_instruction));
	tables->work.axes = part_copy(&at, header.num_axes, sizeof(uint32_t));
	tables->work.kernels = part_copy(&at, header.num_kernels, sizeof(uint32_t));
	tables->work.tensors = part_copy(&at, header.num_tensors, sizeof(uint32_t));
	return tables->work.code && tables->work.axes && tables->work.kernels && tables->work.tensors ? PTOWSP_OK : rt_no_memory(error, "the workload");
}

/* Short records of AXES: absent fields refer to nothing. It is the only table that OPTIONAL fields were appended to. */
static void axes_complete(struct rt_tables *tables, uint32_t stride)
{
	for (uint32_t i = 0; i < tables->axis.count; i++) {
		struct ptowsp_axis_record *axis = &tables->axis.rows[i];

		axis->row = stride <= offsetof(struct ptowsp_axis_record, row) ? PTOWSP_NONE : axis->row;
		axis->lengths = stride <= offsetof(struct ptowsp_axis_record, lengths) ? PTOWSP_NONE : axis->lengths;
		axis->indices = stride <= offsetof(struct ptowsp_axis_record, indices) ? PTOWSP_NONE : axis->indices;
	}
}

static ptowsp_status section_copy(struct rt_tables *tables, const struct ptowsp_section *section, struct ptowsp_error *error)
{
	void *rows = NULL;
	ptowsp_status status;

	if (section->count && !section->data)
		return rt_fail(error, PTOWSP_INVALID, "section %.4s has no bytes", (const char *)&section->type);
	if (section->type == PTOWSP_SECTION_STRS)
		return strings_copy(tables, section, error);
	if (section->type == PTOWSP_SECTION_WORK)
		return work_copy(tables, section, error);
#define TABLE(SECT, record, text)                                                                                                                              \
	if (section->type == PTOWSP_SECTION_##SECT) {                                                                                                          \
		rows = tables->record.rows;                                                                                                                    \
		status = rows_copy(&rows, &tables->record.count, section, sizeof(*tables->record.rows), error);                                                \
		tables->record.rows = rows;                                                                                                                    \
		return status;                                                                                                                                 \
	}
#include "registry/common/common_records.def"
	return PTOWSP_OK; /* a section that the core does not need */
}

ptowsp_status rt_tables_init(struct rt_tables *tables, const struct ptowsp_section *sections, uint32_t count, uint32_t stride, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	memset(tables, 0, sizeof(*tables));
	if (count && stride < PTOWSP_SECTION_FLOOR_10_0)
		return rt_fail(error, PTOWSP_INVALID, "sections have at least %u bytes, not %u", PTOWSP_SECTION_FLOOR_10_0, stride);
	for (uint32_t i = 0; !status && i < count; i++) {
		const struct ptowsp_section *section = (const struct ptowsp_section *)((const char *)sections + (size_t)i * stride);

		status = section_copy(tables, section, error);
		if (!status && section->type == PTOWSP_SECTION_AXES)
			axes_complete(tables, section->stride);
	}
	if (!status && !tables->strings)
		tables->strings = calloc(1, 1);
	if (!status && !tables->strings)
		status = rt_no_memory(error, "the strings of the package");
	if (!status && !tables->work.code)
		status = rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no section WORK: nothing to run");
	return status;
}

void rt_tables_finish(struct rt_tables *tables)
{
#define TABLE(SECT, record, text) free(tables->record.rows);
#include "registry/common/common_records.def"
	free(tables->strings);
	free(tables->work.code);
	free(tables->work.axes);
	free(tables->work.kernels);
	free(tables->work.tensors);
	memset(tables, 0, sizeof(*tables));
}

const char *rt_string(const struct rt_tables *tables, uint32_t offset)
{
	return offset < tables->strings_size ? tables->strings + offset : "";
}

/* The instruction's place in the source, or that of an entry which has none; NULL: unknown. */
static const struct ptowsp_debug_record *place_find(const struct rt_tables *tables, uint32_t instruction)
{
	const struct ptowsp_debug_record *rows = tables->debug.rows;
	const bool own = instruction == tables->work.code_count;

	for (uint32_t i = 0; i < tables->debug.count; i++)
		if (rows[i].kind == (own ? 2 : 0) && rows[i].row == (own ? tables->work.entry : instruction))
			return &rows[i];
	return NULL;
}

const char *rt_position(const struct rt_tables *tables, uint32_t instruction, char *text, size_t size)
{
	const struct ptowsp_debug_record *place = place_find(tables, instruction);

	if (place)
		snprintf(text, size, "instruction %u (%.40s:%u:%u)", instruction, rt_string(tables, place->file), place->line, place->column);
	else
		snprintf(text, size, "instruction %u", instruction);
	return text;
}

ptowsp_status rt_error_place(const struct rt_tables *tables, uint32_t instruction, ptowsp_status status, struct ptowsp_error *error)
{
	const struct ptowsp_debug_record *place = status && error ? place_find(tables, instruction) : NULL;
	char sentence[sizeof(error->text)];

	if (!place)
		return status;
	memcpy(sentence, error->text, sizeof(sentence));
	snprintf(error->text, sizeof(error->text), "%.40s:%u:%u: %.160s", rt_string(tables, place->file), place->line, place->column, sentence);
	rt_error_line(error);
	return status;
}
