/* SPDX-License-Identifier: MIT
 * rt_builder.c - tables of a package: strings, expressions, kernels, axes, tensors, directives; and all of them as sections. */
#include "tests/rt/builder/rt_builder_rows.h"

#include <stdarg.h>

struct builder *builder_create(void)
{
	struct builder *b = need(calloc(1, sizeof(*b)));
	struct ptowsp_entry_record entry = {.flags = PTOWSP_ENTRY_DEFAULT};

	builder_string(b, "");
	entry.name = builder_string(b, "main");
	ADD(b->entry, entry);
	b->table = builder_kernels_make(b);
	return b;
}

void builder_destroy(struct builder *b)
{
	struct table *tables[] = {&b->event,  &b->axis_value, &b->entry_value, &b->strings, &b->expr,    &b->axis,    &b->levels,         &b->level, &b->region,
				  &b->tensor, &b->dim,        &b->slot,        &b->kernel,  &b->param,   &b->variant, &b->directive,      &b->entry, &b->code,
				  &b->axes,   &b->kernels,    &b->shapes,      &b->meta,    &b->channel, &b->process, &b->process_channel};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		free(tables[i]->rows);
	free(b->work);
	free(b->kernel_rows);
	free(b);
}

uint32_t builder_string(struct builder *b, const char *text)
{
	uint32_t at = b->strings.count;

	do
		add(&b->strings, 1, text);
	while (*text++);
	return at;
}

uint32_t builder_const(struct builder *b, int64_t value)
{
	return builder_expr(b, PTOWSP_EXPR_CONST, 0, (uint32_t)value, (uint32_t)((uint64_t)value >> 32));
}

uint32_t builder_expr(struct builder *b, unsigned op, uint32_t a, uint32_t x, uint32_t c)
{
	struct ptowsp_expr_record row = {.op = (uint16_t)op, .a = a, .b = x, .c = c};

	return ADD(b->expr, row);
}

uint32_t builder_axis_value(struct builder *b, const char *name)
{
	return builder_expr(b, PTOWSP_EXPR_AXIS, builder_string(b, name), 0, 0);
}

uint32_t builder_slot(struct builder *b, const char *name, unsigned kind, int64_t value)
{
	struct ptowsp_slot_record row = {
		.name = builder_string(b, name), .kind = (uint16_t)kind, .dtype = PTOWSP_I64, .flags = PTOWSP_SLOT_HAS_DEFAULT, .value = (uint64_t)value};

	return ADD(b->slot, row);
}

uint32_t builder_tensor(struct builder *b, const char *name, unsigned dtype, int64_t rows, int64_t columns)
{
	struct ptowsp_tensor_record row = {.name = builder_string(b, name),
					   .dtype = (uint16_t)dtype,
					   .role = PTOWSP_ROLE_INOUT,
					   .dims = b->dim.count,
					   .dim_count = rows ? columns ? 2 : 1 : 0,
					   .entry = PTOWSP_NONE};
	struct ptowsp_dim_record dim = {0};
	const uint64_t shape[2] = {(uint64_t)rows, (uint64_t)columns};

	ADD(b->shapes, shape);
	row.flags = rows ? 0 : PTOWSP_TENSOR_SHAPELESS;
	if (rows) {
		dim.extent = builder_const(b, rows);
		ADD(b->dim, dim);
	}
	if (rows && columns) {
		dim.extent = builder_const(b, columns);
		ADD(b->dim, dim);
	}
	return ADD(b->tensor, row);
}

void builder_role(struct builder *b, uint32_t tensor, unsigned role)
{
	((struct ptowsp_tensor_record *)(void *)b->tensor.rows)[tensor].role = (uint16_t)role;
}

uint32_t builder_kernel(struct builder *b, const char *name, unsigned unit, uint32_t scalars, uint32_t tensors)
{
	struct ptowsp_kernel_record row = {.name = builder_string(b, name), .unit = (uint16_t)unit, .params = b->param.count, .param_count = scalars + tensors};
	struct ptowsp_param_record param = {.kind = PTOWSP_PARAM_SCALAR, .dtype = PTOWSP_I64};
	struct test_kernel kernel = {0};

	for (uint32_t i = 0; i < scalars; i++)
		ADD(b->param, param);
	param.kind = PTOWSP_PARAM_TENSOR;
	for (uint32_t i = 0; i < tensors; i++)
		ADD(b->param, param);
	ADD(b->kernels, kernel);
	return ADD(b->kernel, row);
}

void builder_touch(struct builder *b, uint32_t kernel, uint32_t arg, int64_t offset, uint64_t length, unsigned access)
{
	struct test_kernel *k = test_kernel(b, kernel);

	if (k->touch_count == TOUCHES)
		abort();
	k->touches[k->touch_count++] = (struct touch){arg, offset, length, access};
}

void builder_kernel_flags(struct builder *b, uint32_t kernel, unsigned flags)
{
	test_kernel(b, kernel)->flags = flags;
	if (flags & BUILDER_MEASURED)
		((struct ptowsp_kernel_record *)b->kernel.rows)[kernel].flags = PTOWSP_KERNEL_MEASURED;
}

void builder_variant(struct builder *b, uint32_t kernel, uint32_t rows, uint32_t variant)
{
	struct ptowsp_kernel_record *row = (struct ptowsp_kernel_record *)b->kernel.rows + kernel;
	struct ptowsp_variant_record record = {rows, variant};

	if (!row->variant_count)
		row->variants = b->variant.count;
	row->variant_count++;
	ADD(b->variant, record);
}

uint32_t builder_levels(struct builder *b, uint32_t max_range, uint32_t min_range, uint32_t count, const uint32_t (*levels)[2])
{
	struct ptowsp_levels_record row = {max_range, min_range, b->level.count, count};

	for (uint32_t i = 0; i < count; i++) {
		struct ptowsp_level_record level = {levels[i][0], levels[i][1]};

		ADD(b->level, level);
	}
	return ADD(b->levels, row);
}

uint32_t builder_axis(struct builder *b, const char *name, uint32_t low, uint32_t high, uint32_t step, uint32_t levels)
{
	struct ptowsp_axis_record row = {.name = builder_string(b, name),
					 .low = low,
					 .high = high,
					 .step = step,
					 .levels = levels,
					 .row = PTOWSP_NONE,
					 .lengths = PTOWSP_NONE,
					 .indices = PTOWSP_NONE};
	uint32_t at = ADD(b->axis, row);

	ADD(b->axes, at);
	return at;
}

uint32_t builder_axis_rows(struct builder *b, const char *name, unsigned kind, uint32_t rows, uint32_t row, uint32_t lengths, uint32_t indices)
{
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), at = builder_axis(b, name, zero, rows, one, PTOWSP_NONE);
	struct ptowsp_axis_record *axis = (struct ptowsp_axis_record *)b->axis.rows + at;

	axis->kind = (uint16_t)kind;
	axis->row = row;
	axis->lengths = lengths;
	axis->indices = indices;
	return at;
}

uint32_t builder_axis_values(struct builder *b, const char *name, unsigned kind, int64_t rows, uint32_t row, uint32_t count, const int64_t *values)
{
	uint32_t at = builder_axis_rows(b, name, kind, builder_const(b, rows), row, PTOWSP_NONE, PTOWSP_NONE);
	struct ptowsp_axis_record *axis = (struct ptowsp_axis_record *)b->axis.rows + at;

	axis->first = b->axis_value.count;
	axis->count = count;
	for (uint32_t i = 0; i < count; i++)
		ADD(b->axis_value, values[i]);
	return at;
}

uint32_t builder_event(struct builder *b, const char *name)
{
	struct ptowsp_event_record row = {.name = builder_string(b, name)};

	return ADD(b->event, row);
}

void builder_kernel_entry(struct builder *b, uint32_t kernel, uint32_t value_count, const uint32_t *slots)
{
	struct ptowsp_entry_record *entry = (struct ptowsp_entry_record *)b->entry.rows;
	struct ptowsp_tensor_record *tensors = (struct ptowsp_tensor_record *)b->tensor.rows;

	entry->flags |= PTOWSP_ENTRY_KERNEL;
	entry->instruction = kernel;
	entry->values = b->entry_value.count;
	entry->value_count = value_count;
	for (uint32_t i = 0; i < value_count; i++)
		ADD(b->entry_value, slots[i]);
	for (uint32_t t = 0; t < b->tensor.count; t++) {
		tensors[t].entry = 0;
		tensors[t].position = t;
	}
}

static uint32_t region_add(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns, uint32_t unit)
{
	struct ptowsp_region_record record = {tensor, row, column, rows, columns, unit, 0};

	return ADD(b->region, record);
}

uint32_t builder_region(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
	return region_add(b, tensor, row, column, rows, columns, 0);
}

uint32_t builder_window(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t unit)
{
	return region_add(b, tensor, row, column, 0, 0, unit);
}

uint32_t builder_view(struct builder *b, uint32_t tensor, uint32_t column, uint32_t columns, uint32_t unit, unsigned dtype)
{
	struct ptowsp_region_record record = {tensor, builder_const(b, 0), column, unit ? 0 : 1, columns, unit, dtype + 1};

	return ADD(b->region, record);
}

void builder_schedule(struct builder *b, unsigned directive, unsigned policy, const char *args, ...)
{
	struct ptowsp_directive_record row = {.directive = (uint16_t)directive, .policy = (uint16_t)policy};
	va_list list;

	va_start(list, args);
	for (; *args; args++, row.count++) {
		int64_t *at = &(&row.a0)[row.count];
		uint64_t kind = *args == 'n' ? PTOWSP_ARGUMENT_NUMBER : *args == 'w' ? PTOWSP_ARGUMENT_WORD : PTOWSP_ARGUMENT_EXPR;

		*at = *args == 'n'   ? va_arg(list, int64_t)
		      : *args == 'w' ? (int64_t)builder_string(b, va_arg(list, const char *))
				     : (int64_t)va_arg(list, uint32_t);
		row.kinds |= kind << (8 * row.count);
	}
	va_end(list);
	ADD(b->directive, row);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void section_set(struct builder *b, uint32_t *count, uint32_t type, const struct table *t, uint32_t size)
{
	if (t->count)
		b->sections[(*count)++] = (struct ptowsp_section){type, size, t->count, t->rows};
}

static uint64_t work_make(struct builder *b)
{
	struct ptowsp_workload_header header = {PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, b->code.count, b->axes.count, b->kernel.count, 0};
	uint64_t size = sizeof(header) + b->code.count * UINT64_C(8) + (b->axes.count + (uint64_t)b->kernel.count) * 4;
	char *at;

	b->work = at = need(realloc(b->work, size));
	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	memcpy(at, b->code.rows, b->code.count * UINT64_C(8));
	at += b->code.count * UINT64_C(8);
	if (b->axes.count)
		memcpy(at, b->axes.rows, b->axes.count * UINT64_C(4));
	at += b->axes.count * UINT64_C(4);
	for (uint32_t k = 0; k < b->kernel.count; k++, at += 4)
		memcpy(at, &k, 4);
	return size;
}

void builder_meta(struct builder *b, const char *key, const char *value)
{
	struct ptowsp_meta_record row = {builder_string(b, key), builder_string(b, value)};

	ADD(b->meta, row);
}

const struct ptowsp_section *builder_sections(struct builder *b, uint32_t *count_out)
{
	uint32_t count = 0;

	if (!b->code.count || instruction(b, b->code.count - 1)->opcode != PTOWSP_OP_HALT)
		builder_emit(b, PTOWSP_OP_HALT, 0, 0);
	b->sections[count++] = (struct ptowsp_section){PTOWSP_SECTION_WORK, 1, work_make(b), b->work};
	section_set(b, &count, PTOWSP_SECTION_STRS, &b->strings, 1);
	section_set(b, &count, PTOWSP_SECTION_EXPR, &b->expr, sizeof(struct ptowsp_expr_record));
	section_set(b, &count, PTOWSP_SECTION_AXES, &b->axis, sizeof(struct ptowsp_axis_record));
	section_set(b, &count, PTOWSP_SECTION_AXVL, &b->axis_value, sizeof(struct ptowsp_axis_value_record));
	section_set(b, &count, PTOWSP_SECTION_EVNT, &b->event, sizeof(struct ptowsp_event_record));
	section_set(b, &count, PTOWSP_SECTION_ESYM, &b->entry_value, sizeof(struct ptowsp_entry_value_record));
	section_set(b, &count, PTOWSP_SECTION_TLVL, &b->levels, sizeof(struct ptowsp_levels_record));
	section_set(b, &count, PTOWSP_SECTION_LVLS, &b->level, sizeof(struct ptowsp_level_record));
	section_set(b, &count, PTOWSP_SECTION_REGN, &b->region, sizeof(struct ptowsp_region_record));
	section_set(b, &count, PTOWSP_SECTION_TENS, &b->tensor, sizeof(struct ptowsp_tensor_record));
	section_set(b, &count, PTOWSP_SECTION_DIMS, &b->dim, sizeof(struct ptowsp_dim_record));
	section_set(b, &count, PTOWSP_SECTION_SLOT, &b->slot, sizeof(struct ptowsp_slot_record));
	section_set(b, &count, PTOWSP_SECTION_KREG, &b->kernel, sizeof(struct ptowsp_kernel_record));
	section_set(b, &count, PTOWSP_SECTION_KPRM, &b->param, sizeof(struct ptowsp_param_record));
	section_set(b, &count, PTOWSP_SECTION_KVAR, &b->variant, sizeof(struct ptowsp_variant_record));
	section_set(b, &count, PTOWSP_SECTION_SCHD, &b->directive, sizeof(struct ptowsp_directive_record));
	section_set(b, &count, PTOWSP_SECTION_META, &b->meta, sizeof(struct ptowsp_meta_record));
	section_set(b, &count, PTOWSP_SECTION_CSPC, &b->channel, sizeof(struct ptowsp_channel_record));
	section_set(b, &count, PTOWSP_SECTION_PROC, &b->process, sizeof(struct ptowsp_process_record));
	section_set(b, &count, PTOWSP_SECTION_PRCH, &b->process_channel, sizeof(struct ptowsp_process_channel_record));
	section_set(b, &count, PTOWSP_SECTION_ENTR, &b->entry, sizeof(struct ptowsp_entry_record));
	*count_out = count;
	return b->sections;
}
