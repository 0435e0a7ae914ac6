/* SPDX-License-Identifier: MIT */
#include "tests/host/record_program.h"

#include "ptowsp/caps.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS 0u /* a table of ours, not a section */
#define LINE         64u

void fake_program_init(struct fake_program *program)
{
	*program = (struct fake_program){0};
	fake_program_row(program, PTOWSP_SECTION_STRS, "", 1);
}

void fake_program_finish(struct fake_program *program)
{
	for (uint32_t i = 0; i < program->table_count; i++)
		free(program->tables[i].rows);
	*program = (struct fake_program){0};
}

static struct fake_table *table(struct fake_program *program, uint32_t type, uint32_t stride)
{
	for (uint32_t i = 0; i < program->table_count; i++)
		if (program->tables[i].type == type) {
			assert(program->tables[i].stride == stride);
			return &program->tables[i];
		}
	assert(program->table_count < FAKE_TABLES);
	program->tables[program->table_count] = (struct fake_table){.type = type, .stride = stride};
	return &program->tables[program->table_count++];
}

static bool grow(struct fake_table *t, uint64_t rows)
{
	uint64_t room = t->room ? t->room : 64;
	unsigned char *more;

	while (room < t->count + rows)
		room *= 2;
	if (room == t->room)
		return true;
	more = aligned_alloc(LINE, (room * t->stride + LINE - 1) / LINE * LINE);
	if (!more)
		return false;
	if (t->count)
		memcpy(more, t->rows, t->count * t->stride);
	free(t->rows);
	t->rows = more;
	t->room = room;
	return true;
}

/* Several rows of a table at once; returns the first. */
static uint32_t append(struct fake_program *program, uint32_t type, uint32_t stride, const void *rows, uint64_t count)
{
	struct fake_table *t = table(program, type, stride);

	if (!grow(t, count)) {
		program->failed = true;
		return 0;
	}
	if (count)
		memcpy(t->rows + t->count * stride, rows, count * stride);
	t->count += count;
	return (uint32_t)(t->count - count);
}

uint32_t fake_program_row(struct fake_program *program, uint32_t type, const void *record, uint32_t size)
{
	return append(program, type, size, record, 1);
}

uint32_t fake_program_string(struct fake_program *program, const char *text)
{
	return append(program, PTOWSP_SECTION_STRS, 1, text, strlen(text) + 1);
}

static uint32_t rows_of(struct fake_program *program, uint32_t type, uint32_t stride)
{
	return (uint32_t)table(program, type, stride)->count;
}

static uint64_t code_append(struct fake_program *program, const void *bytes, uint64_t size)
{
	static const unsigned char zeros[LINE];
	uint64_t at = rows_of(program, PTOWSP_SECTION_CODE, 1);

	append(program, PTOWSP_SECTION_CODE, 1, zeros, (LINE - at % LINE) % LINE);
	return append(program, PTOWSP_SECTION_CODE, 1, bytes, size);
}

uint32_t fake_program_kernel(struct fake_program *program, const char *name, uint32_t tensors, uint32_t scalars, const void *payload, uint64_t size)
{
	struct ptowsp_kernel_record kernel = {
		.id = ptowsp_id(name, strlen(name)),
		.name = fake_program_string(program, name),
		.params = rows_of(program, PTOWSP_SECTION_KPRM, sizeof(struct ptowsp_param_record)),
		.param_count = tensors + scalars,
		.payloads = rows_of(program, PTOWSP_SECTION_KPAY, sizeof(struct ptowsp_payload_record)),
		.payload_count = payload ? 1 : 0,
	};
	struct ptowsp_payload_record row = {.kind = PTOWSP_PAYLOAD_PTO, .size = size};

	for (uint32_t i = 0; i < tensors + scalars; i++) {
		struct ptowsp_param_record param = {.access = i < tensors ? 3 : 0,
						    .kind = i < tensors ? PTOWSP_PARAM_TENSOR : PTOWSP_PARAM_SCALAR,
						    .dtype = i < tensors ? PTOWSP_F32 : PTOWSP_I64};

		fake_program_row(program, PTOWSP_SECTION_KPRM, &param, sizeof(param));
	}
	if (payload) {
		row.offset = code_append(program, payload, size);
		fake_program_row(program, PTOWSP_SECTION_KPAY, &row, sizeof(row));
	}
	return fake_program_row(program, PTOWSP_SECTION_KREG, &kernel, sizeof(kernel));
}

uint32_t fake_program_tensor(struct fake_program *program, const char *name, uint32_t rows, uint32_t columns)
{
	struct ptowsp_dim_record dims[2] = {{.extent = fake_program_const(program, rows)}, {.extent = fake_program_const(program, columns)}};
	struct ptowsp_tensor_record tensor = {
		.id = ptowsp_id(name, strlen(name)),
		.name = fake_program_string(program, name),
		.dtype = PTOWSP_F32,
		.role = PTOWSP_ROLE_INOUT,
		.dims = append(program, PTOWSP_SECTION_DIMS, sizeof(*dims), dims, 2),
		.dim_count = 2,
		.entry = PTOWSP_NONE,
	};

	return fake_program_row(program, PTOWSP_SECTION_TENS, &tensor, sizeof(tensor));
}

uint32_t fake_program_const(struct fake_program *program, int64_t value)
{
	struct ptowsp_expr_record expr = {.op = PTOWSP_EXPR_CONST, .b = (uint32_t)(uint64_t)value, .c = (uint32_t)((uint64_t)value >> 32)};

	return fake_program_row(program, PTOWSP_SECTION_EXPR, &expr, sizeof(expr));
}

uint32_t fake_program_expr(struct fake_program *program, unsigned op, uint32_t a, uint32_t b)
{
	struct ptowsp_expr_record expr = {.op = (uint16_t)op, .a = a, .b = b};

	return fake_program_row(program, PTOWSP_SECTION_EXPR, &expr, sizeof(expr));
}

uint32_t fake_program_region(struct fake_program *program, uint32_t tensor, uint32_t row, uint32_t rows, uint32_t columns)
{
	struct ptowsp_region_record region = {.tensor = tensor, .row = row, .column = fake_program_const(program, 0), .rows = rows, .columns = columns};

	return fake_program_row(program, PTOWSP_SECTION_REGN, &region, sizeof(region));
}

uint32_t fake_program_axis(struct fake_program *program, const char *name, uint32_t high)
{
	struct ptowsp_axis_record axis = {.name = fake_program_string(program, name),
					  .kind = PTOWSP_AXIS_DENSE,
					  .low = fake_program_const(program, 0),
					  .high = high,
					  .step = fake_program_const(program, 1),
					  .levels = PTOWSP_NONE,
					  .row = PTOWSP_NONE,
					  .lengths = PTOWSP_NONE,
					  .indices = PTOWSP_NONE};

	return fake_program_row(program, PTOWSP_SECTION_AXES, &axis, sizeof(axis));
}

void fake_program_directive(struct fake_program *program, unsigned directive, unsigned policy, int64_t a0)
{
	struct ptowsp_directive_record row = {.directive = (uint16_t)directive, .policy = (uint16_t)policy, .count = a0 >= 0, .a0 = a0 >= 0 ? a0 : 0};

	fake_program_row(program, PTOWSP_SECTION_SCHD, &row, sizeof(row));
}

uint32_t fake_program_emit(struct fake_program *program, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	struct ptowsp_instruction instruction = {.opcode = (uint8_t)opcode, .operand1 = (uint16_t)operand1, .operand2 = operand2};

	return fake_program_row(program, INSTRUCTIONS, &instruction, sizeof(instruction));
}

void fake_program_end(struct fake_program *program, uint32_t instruction)
{
	struct fake_table *t = table(program, INSTRUCTIONS, sizeof(struct ptowsp_instruction));

	if (!program->failed)
		((struct ptowsp_instruction *)(void *)t->rows)[instruction].operand2 = (uint32_t)t->count;
}

void fake_program_task(struct fake_program *program, uint32_t kernel, uint32_t tensors, uint32_t scalars)
{
	fake_program_emit(program, PTOWSP_OP_TASK, kernel, scalars << 16 | tensors);
}

/* The header's tables name every row once, in order: operands are then rows. */
static void work_tables(struct fake_program *program, const uint32_t counts[3])
{
	for (unsigned t = 0; t < 3; t++)
		for (uint32_t i = 0; i < counts[t]; i++)
			append(program, PTOWSP_SECTION_WORK, 1, &i, sizeof(i));
}

static void work_seal(struct fake_program *program)
{
	struct fake_table *code = table(program, INSTRUCTIONS, sizeof(struct ptowsp_instruction));
	const uint32_t counts[3] = {rows_of(program, PTOWSP_SECTION_AXES, sizeof(struct ptowsp_axis_record)),
				    rows_of(program, PTOWSP_SECTION_KREG, sizeof(struct ptowsp_kernel_record)),
				    rows_of(program, PTOWSP_SECTION_TENS, sizeof(struct ptowsp_tensor_record))};
	struct ptowsp_workload_header header = {.magic = PTOWSP_WORKLOAD_MAGIC,
						.version = PTOWSP_WORKLOAD_VERSION,
						.num_instructions = (uint32_t)code->count,
						.num_axes = counts[0],
						.num_kernels = counts[1],
						.num_tensors = counts[2]};

	append(program, PTOWSP_SECTION_WORK, 1, &header, sizeof(header));
	if (!program->failed)
		append(program, PTOWSP_SECTION_WORK, 1, code->rows, code->count * code->stride);
	work_tables(program, counts);
}

const struct ptowsp_section *fake_program_seal(struct fake_program *program, uint32_t *count_out)
{
	struct ptowsp_entry_record entry = {.id = ptowsp_id("main", 4), .name = fake_program_string(program, "main"), .flags = PTOWSP_ENTRY_DEFAULT};

	fake_program_emit(program, PTOWSP_OP_HALT, 0, 0);
	fake_program_row(program, PTOWSP_SECTION_ENTR, &entry, sizeof(entry));
	work_seal(program);
	*count_out = 0;
	for (uint32_t i = 0; i < program->table_count; i++) {
		const struct fake_table *t = &program->tables[i];

		if (t->type != INSTRUCTIONS && t->count)
			program->sections[(*count_out)++] = (struct ptowsp_section){t->type, t->stride, t->count, t->rows};
	}
	return program->failed ? NULL : program->sections;
}
