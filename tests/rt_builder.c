/* SPDX-License-Identifier: MIT
 * rt_builder.c - see rt_builder.h. Out of memory ends the test program: these are tests. */
#include "rt_builder.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 80, TOUCHES = 16 };

struct table {
	char *rows;
	uint32_t count, room, size;
};
struct touch {
	uint32_t arg;
	int64_t offset;
	uint64_t length;
	unsigned access;
};
struct test_kernel {
	unsigned flags;
	struct touch touches[TOUCHES];
	uint32_t touch_count;
};
struct open {
	uint32_t at, branch, branches;
};
struct builder {
	struct table strings, event, axis_value, entry_value, expr, axis, levels, level, region, tensor, dim, slot, kernel, param, variant,
		directive, entry, code, axes, meta;
	struct table kernels; /* struct test_kernel */
	struct table shapes;  /* uint64_t[2] per tensor, as it was asked for */
	struct open open[DEPTH];
	uint32_t depth;
	struct table channel, process, process_channel;
	struct ptowsp_section sections[32];
	char *work;
	uint32_t *kernel_rows;
	struct rt_kernels table;
	_Atomic uint64_t calls;
	bool idle;
	char log[2048];
};

static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static uint32_t add(struct table *t, uint32_t size, const void *row)
{
	t->size = size;
	if (t->count == t->room) {
		t->room = t->room ? t->room * 2 : 16;
		t->rows = need(realloc(t->rows, (size_t)t->room * size));
	}
	memcpy(t->rows + (size_t)t->count * size, row, size);
	return t->count++;
}
#define ADD(t, row) add(&(t), sizeof(row), &(row))

static struct test_kernel *test_kernel(const struct builder *b, uint32_t kernel)
{
	return (struct test_kernel *)b->kernels.rows + kernel;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

uint64_t builder_fold(uint64_t state, uint64_t value)
{
	state = (state ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return state ^ state >> 29;
}

static ptowsp_status kernel_cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	struct builder *b = context;

	if (test_kernel(b, kernel)->flags & BUILDER_LATER)
		return PTOWSP_UNSUPPORTED;
	*cycles_out = args[0];
	return PTOWSP_OK;
}

static ptowsp_status kernel_footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	const struct test_kernel *k = test_kernel(context, kernel);

	(void)args;
	if (k->flags & BUILDER_NO_FOOTPRINT)
		return PTOWSP_UNSUPPORTED;
	for (uint32_t i = 0; i < k->touch_count; i++)
		touch(sink, k->touches[i].arg, k->touches[i].offset, k->touches[i].length, k->touches[i].access);
	return PTOWSP_OK;
}

static int kernel_varies(void *context, uint32_t kernel)
{
	/* Only its cycles depend on its arguments. */
	return !(test_kernel(context, kernel)->flags & (BUILDER_LATER | BUILDER_STEADY));
}

static const char *kernel_unusable(void *context, uint32_t kernel)
{
	return test_kernel(context, kernel)->flags & BUILDER_UNUSABLE ? "it has no body" : NULL;
}

/* Visits the elements of one argument: of a block all, of a flat window what its touches say. */
static uint64_t visit(const struct builder *b, const struct ptowsp_task *task, uint32_t arg, unsigned bit, uint64_t state)
{
	const struct ptowsp_tensor_arg *t = &task->tensors[arg];
	const struct test_kernel *k = test_kernel(b, task->kernel);
	uint64_t *data = t->data;

	if (!(t->access & bit))
		return state;
	for (uint64_t r = 0; !k->touch_count && r < t->rows; r++)
		for (uint64_t c = 0; c < t->columns; c++) {
			uint64_t *at = &data[r * t->row_stride + c * t->column_stride];

			if (bit == PTOWSP_READ)
				state = builder_fold(state, *at);
			else
				*at = builder_fold(state, (uint64_t)(at - data));
		}
	for (uint32_t i = 0; i < k->touch_count; i++)
		for (uint64_t e = 0; k->touches[i].arg == arg && k->touches[i].access & bit && e < k->touches[i].length; e++) {
			uint64_t *at = &data[k->touches[i].offset + (int64_t)e];

			if (bit == PTOWSP_READ)
				state = builder_fold(state, *at);
			else
				*at = builder_fold(state, (uint64_t)(at - data));
		}
	return state;
}

static ptowsp_status kernel_run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct builder *b = context;
	unsigned flags = test_kernel(b, task->kernel)->flags;
	struct timespec nap = {0, 2000000};
	uint64_t state = task->number + 1;

	(void)worker;
	atomic_fetch_add_explicit(&b->calls, 1, memory_order_relaxed);
	if (flags & BUILDER_SLOW)
		nanosleep(&nap, NULL);
	if (flags & BUILDER_FAILS || (flags & BUILDER_FAILS_LATE && task->number >= 1000)) {
		snprintf(out->error->text, sizeof(out->error->text), "planted failure");
		return PTOWSP_KERNEL_FAILED;
	}
	for (uint32_t i = 0; !b->idle && i < task->tensor_count; i++)
		state = visit(b, task, i, PTOWSP_READ, state);
	for (uint32_t i = 0; !b->idle && i < task->tensor_count; i++)
		state = visit(b, task, i, PTOWSP_WRITE, builder_fold(state, i));
	if (flags & BUILDER_LATER)
		out->cycles = task->args[0];
	return PTOWSP_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

struct builder *builder_create(void)
{
	struct builder *b = need(calloc(1, sizeof(*b)));
	struct ptowsp_entry_record entry = {.flags = PTOWSP_ENTRY_DEFAULT};

	builder_string(b, "");
	entry.name = builder_string(b, "main");
	ADD(b->entry, entry);
	b->table = (struct rt_kernels){b, kernel_cycles, kernel_footprint, kernel_varies, kernel_run, kernel_unusable, NULL};
	return b;
}

void builder_destroy(struct builder *b)
{
	struct table *tables[] = {&b->event, &b->axis_value, &b->entry_value, &b->strings, &b->expr, &b->axis, &b->levels, &b->level, &b->region, &b->tensor, &b->dim,
				  &b->slot, &b->kernel, &b->param, &b->variant, &b->directive, &b->entry, &b->code, &b->axes, &b->kernels, &b->shapes, &b->meta,
				  &b->channel, &b->process, &b->process_channel};

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
	struct ptowsp_slot_record row = {.name = builder_string(b, name), .kind = (uint16_t)kind, .dtype = PTOWSP_I64,
					 .flags = PTOWSP_SLOT_HAS_DEFAULT, .value = (uint64_t)value};

	return ADD(b->slot, row);
}

uint32_t builder_tensor(struct builder *b, const char *name, unsigned dtype, int64_t rows, int64_t columns)
{
	struct ptowsp_tensor_record row = {.name = builder_string(b, name), .dtype = (uint16_t)dtype, .role = PTOWSP_ROLE_INOUT,
					   .dims = b->dim.count, .dim_count = rows ? columns ? 2 : 1 : 0, .entry = PTOWSP_NONE};
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
	struct ptowsp_kernel_record row = {.name = builder_string(b, name), .unit = (uint16_t)unit, .params = b->param.count,
					   .param_count = scalars + tensors};
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
	struct ptowsp_axis_record row = {.name = builder_string(b, name), .low = low, .high = high, .step = step, .levels = levels,
					 .row = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE};
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

uint32_t builder_axis_values(struct builder *b, const char *name, unsigned kind, int64_t rows, uint32_t row, uint32_t count,
			     const int64_t *values)
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

static uint32_t region_add(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns,
			   uint32_t unit)
{
	struct ptowsp_region_record record = {tensor, row, column, rows, columns, unit};

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

void builder_schedule(struct builder *b, unsigned directive, unsigned policy, const char *args, ...)
{
	struct ptowsp_directive_record row = {.directive = (uint16_t)directive, .policy = (uint16_t)policy};
	va_list list;

	va_start(list, args);
	for (; *args; args++, row.count++) {
		int64_t *at = &(&row.a0)[row.count];
		uint64_t kind = *args == 'n' ? PTOWSP_ARGUMENT_NUMBER : *args == 'w' ? PTOWSP_ARGUMENT_WORD : PTOWSP_ARGUMENT_EXPR;

		*at = *args == 'n' ? va_arg(list, int64_t)
		      : *args == 'w' ? (int64_t)builder_string(b, va_arg(list, const char *)) : (int64_t)va_arg(list, uint32_t);
		row.kinds |= kind << (8 * row.count);
	}
	va_end(list);
	ADD(b->directive, row);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

uint32_t builder_emit(struct builder *b, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	struct ptowsp_instruction in = {(uint8_t)opcode, 0, (uint16_t)operand1, operand2};

	return ADD(b->code, in);
}

static struct ptowsp_instruction *instruction(struct builder *b, uint32_t at)
{
	return (struct ptowsp_instruction *)b->code.rows + at;
}

static void open_push(struct builder *b, uint32_t at, uint32_t branches)
{
	if (b->depth == DEPTH)
		abort();
	b->open[b->depth++] = (struct open){at, 0, branches};
}

void builder_loop(struct builder *b, unsigned opcode, uint32_t axis)
{
	open_push(b, builder_emit(b, opcode, axis, 0), 0);
}

void builder_loop_n(struct builder *b, unsigned opcode, const char *name, int64_t n)
{
	uint32_t zero = builder_const(b, 0), high = builder_const(b, n), one = builder_const(b, 1);

	builder_loop(b, opcode, builder_axis(b, name, zero, high, one, PTOWSP_NONE));
}

void builder_scope(struct builder *b)
{
	open_push(b, builder_emit(b, PTOWSP_OP_SCOPE, 0, 0), 0);
}

void builder_while(struct builder *b, uint32_t expr)
{
	open_push(b, builder_emit(b, PTOWSP_OP_WHILE, 0, expr), 1);
	builder_emit(b, PTOWSP_OP_TARGET, 0, 0);
}

void builder_after(struct builder *b, unsigned kind, uint32_t expr)
{
	builder_emit(b, PTOWSP_OP_AFTER, kind, expr);
}

void builder_copy(struct builder *b, uint32_t from, uint32_t to)
{
	builder_emit(b, PTOWSP_OP_COPY, 0, from);
	builder_emit(b, PTOWSP_OP_IO_OUTPUT, 0, to);
}

void builder_branches(struct builder *b, unsigned opcode, uint32_t n, uint32_t expr)
{
	open_push(b, builder_emit(b, opcode, opcode == PTOWSP_OP_COND ? 0 : n, expr), n);
	for (uint32_t i = 0; i < n; i++)
		builder_emit(b, PTOWSP_OP_TARGET, 0, 0);
}

void builder_next(struct builder *b)
{
	struct open *top = &b->open[b->depth - 1];

	instruction(b, top->at + 1 + top->branch++)->operand2 = b->code.count;
}

void builder_end(struct builder *b)
{
	struct open *top = &b->open[b->depth - 1];

	if (top->branches) {
		while (top->branch < top->branches)
			builder_next(b);
	} else {
		instruction(b, top->at)->operand2 = b->code.count;
	}
	b->depth--;
}

void builder_task_list(struct builder *b, uint32_t kernel, uint32_t cycles_expr, uint32_t count, const char *access,
		       const uint32_t *regions)
{
	builder_emit(b, PTOWSP_OP_TASK, kernel, 1u << 16 | count);
	builder_emit(b, PTOWSP_OP_PARAM_EXPR, 0, cycles_expr);
	for (uint32_t i = 0; i < count; i++)
		builder_emit(b,
			     access[i] == 'r'   ? PTOWSP_OP_IO_INPUT
			     : access[i] == 'w' ? PTOWSP_OP_IO_OUTPUT
			     : access[i] == 'm' ? PTOWSP_OP_IO_INOUT
						: PTOWSP_OP_IO_BIND,
			     i, regions[i]);
}

void builder_task(struct builder *b, uint32_t kernel, int64_t cycles, const char *access, ...)
{
	uint32_t regions[64], count = (uint32_t)strlen(access);
	va_list list;

	va_start(list, access);
	for (uint32_t i = 0; i < count; i++)
		regions[i] = va_arg(list, uint32_t);
	va_end(list);
	builder_task_list(b, kernel, builder_const(b, cycles), count, access, regions);
}

void builder_slot_set(struct builder *b, uint32_t slot, uint32_t expr)
{
	builder_emit(b, PTOWSP_OP_SLOT_SET, slot, expr);
}

void builder_slot_load(struct builder *b, uint32_t slot, uint32_t region)
{
	builder_emit(b, PTOWSP_OP_SLOT_LOAD, slot, region);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

uint32_t builder_process(struct builder *b, const char *name, uint32_t replicas)
{
	struct ptowsp_process_record row = {.name = builder_string(b, name), .replicas = replicas, .order = b->process.count,
					    .channels = b->process_channel.count};

	((struct ptowsp_entry_record *)b->entry.rows)->flags |= PTOWSP_ENTRY_PIPELINE;
	builder_emit(b, PTOWSP_OP_HALT, 0, 0);
	row.instruction = b->code.count;
	return ADD(b->process, row);
}

uint32_t builder_channel(struct builder *b, const char *name, uint32_t capacity, uint64_t latency)
{
	struct ptowsp_channel_record row = {.name = builder_string(b, name), .capacity = capacity, .latency = latency};

	return ADD(b->channel, row);
}

void builder_uses(struct builder *b, uint32_t channel, unsigned direction)
{
	struct ptowsp_process_record *process = (struct ptowsp_process_record *)b->process.rows + b->process.count - 1;
	struct ptowsp_process_channel_record row = {.channel = channel, .direction = (uint16_t)direction};
	const struct ptowsp_process_channel_record *uses = (struct ptowsp_process_channel_record *)b->process_channel.rows;

	for (uint32_t i = process->channels; i < b->process_channel.count; i++)
		if (uses[i].channel == channel && uses[i].direction == direction)
			return;
	ADD(b->process_channel, row);
	process->channel_count++;
}

void builder_send(struct builder *b, uint32_t channel, uint32_t expr)
{
	builder_uses(b, channel, PTOWSP_CHANNEL_PRODUCES);
	builder_emit(b, PTOWSP_OP_SEND, channel, expr);
}

void builder_consume(struct builder *b, uint32_t channel)
{
	builder_uses(b, channel, PTOWSP_CHANNEL_CONSUMES);
	open_push(b, builder_emit(b, PTOWSP_OP_CONSUME, channel, 0), 0);
}

void builder_close(struct builder *b, uint32_t channel)
{
	builder_uses(b, channel, PTOWSP_CHANNEL_PRODUCES);
	builder_emit(b, PTOWSP_OP_CLOSE, channel, 0);
}

uint32_t builder_payload(struct builder *b, const char *name, uint32_t capacity, uint64_t latency)
{
	uint32_t row = builder_channel(b, name, capacity, latency);

	((struct ptowsp_channel_record *)b->channel.rows)[row].kind = PTOWSP_CHANNEL_PAYLOAD;
	return row;
}

void builder_send_block(struct builder *b, uint32_t channel, uint32_t expr, uint32_t region)
{
	builder_send(b, channel, expr);
	builder_emit(b, PTOWSP_OP_IO_INPUT, 0, region);
}

void builder_consume_block(struct builder *b, uint32_t channel, uint32_t region)
{
	builder_consume(b, channel);
	builder_emit(b, PTOWSP_OP_IO_OUTPUT, 0, region);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void section_set(struct builder *b, uint32_t *count, uint32_t type, const struct table *t, uint32_t size)
{
	if (t->count)
		b->sections[(*count)++] = (struct ptowsp_section){type, size, t->count, t->rows};
}

static uint64_t work_make(struct builder *b)
{
	struct ptowsp_workload_header header = {PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, b->code.count, b->axes.count,
						b->kernel.count, 0};
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

struct ptowsp_instruction *builder_code(struct builder *b, uint32_t *count_out)
{
	*count_out = b->code.count;
	return (struct ptowsp_instruction *)b->code.rows;
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

const struct rt_kernels *builder_kernels(struct builder *b)
{
	return &b->table;
}

/* ---- host services ----------------------------------------------------------------------------------------------- */

static void log_line(void *context, int32_t level, const char *text, uint64_t length)
{
	struct builder *b = context;
	size_t used = strlen(b->log);

	(void)level;
	snprintf(b->log + used, sizeof(b->log) - used, "%.*s\n", (int)length, text);
}

static void diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	(void)feature;
	log_line(context, state, text, length);
}

uint64_t builder_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void *context)
{
	(void)context;
	return builder_now_ns();
}

ptowsp_status builder_program(struct builder *b, struct rt_program **program_out, struct ptowsp_error *error)
{
	static struct ptowsp_host host; /* the context is not read behind rt_program_destroy */
	struct ptowsp_cap caps[256];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &b->table, .host = &host, .caps = caps};

	args.cap_count = rt_capabilities(caps, 256);
	args.sections = builder_sections(b, &args.section_count);
	host = (struct ptowsp_host){.head = PTOWSP_HEAD(host, HOST), .context = b, .log = log_line, .diagnose = diagnose, .now_ns = now_ns};
	return rt_program_create(program_out, &args, error);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

uint32_t builder_tensor_count(const struct builder *b)
{
	return b->tensor.count;
}

uint64_t *builder_memory(const struct builder *b, uint64_t seed, struct ptowsp_binding *bindings, uint64_t *count_out)
{
	const struct ptowsp_tensor_record *tensors = (struct ptowsp_tensor_record *)b->tensor.rows;
	uint64_t total = 0, *memory;

	for (uint32_t t = 0; t < b->tensor.count; t++) {
		bindings[t] = (struct ptowsp_binding){.elements = 1, .tensor = t, .dtype = tensors[t].dtype, .rank = (uint16_t)tensors[t].dim_count};
		for (uint32_t d = 0; d < tensors[t].dim_count; d++) {
			bindings[t].extents[d] = ((uint64_t *)b->shapes.rows)[2 * t + d];
			bindings[t].elements *= bindings[t].extents[d];
		}
		total += bindings[t].elements;
	}
	memory = need(calloc(total + 1, sizeof(*memory)));
	for (uint64_t i = 0; i < total; i++)
		memory[i] = seed ? builder_fold(seed, i) : 0;
	*count_out = total;
	for (uint32_t t = 0; t < b->tensor.count; t++) {
		bindings[t].data = memory;
		memory += bindings[t].elements;
	}
	return memory - total;
}

static void task_sink(void *context, const struct ptowsp_trace_task *task)
{
	struct outcome *o = context;

	if (o->task_count == o->task_room) {
		o->task_room = o->task_room ? o->task_room * 2 : 64;
		o->tasks = need(realloc(o->tasks, o->task_room * sizeof(*o->tasks)));
	}
	o->tasks[o->task_count++] = *task;
}

static void edge_sink(void *context, uint64_t producer, uint64_t consumer)
{
	struct outcome *o = context;

	if (o->edge_count == o->edge_room) {
		o->edge_room = o->edge_room ? o->edge_room * 2 : 64;
		o->edges = need(realloc(o->edges, o->edge_room * sizeof(*o->edges)));
	}
	o->edges[o->edge_count++] = (struct outcome_edge){producer, consumer};
}

static int edge_compare(const void *a, const void *b)
{
	const struct outcome_edge *x = a, *y = b;

	if (x->consumer != y->consumer)
		return x->consumer < y->consumer ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static void arrays_copy(struct outcome *o)
{
	o->stats.resource_count = o->stats.resource_count < 64 ? o->stats.resource_count : 64;
	o->stats.kernel_count = o->stats.kernel_count < 64 ? o->stats.kernel_count : 64;
	if (o->stats.resources)
		memcpy(o->resources, o->stats.resources, o->stats.resource_count * sizeof(*o->resources));
	if (o->stats.kernels)
		memcpy(o->kernels, o->stats.kernels, o->stats.kernel_count * sizeof(*o->kernels));
	o->stats.channel_count = o->stats.channel_count < 64 ? o->stats.channel_count : 64;
	if (o->stats.channels)
		memcpy(o->channels, o->stats.channels, o->stats.channel_count * sizeof(*o->channels));
	o->stats.channels = o->channels;
	if (o->stats.schedulers)
		memcpy(o->schedulers, o->stats.schedulers, o->stats.scheduler_count * sizeof(*o->schedulers));
	o->stats.schedulers = o->schedulers;
	o->stats.resources = o->resources;
	o->stats.kernels = o->kernels;
	if (o->edge_count)
		qsort(o->edges, o->edge_count, sizeof(*o->edges), edge_compare);
}

/* Aligned as a graph has to be. */
static void graph_sink(void *context, const void *block, uint64_t size)
{
	struct outcome *o = context;

	o->graph = need(aligned_alloc(64, size));
	memcpy(o->graph, block, size);
	o->graph_size = size;
}

struct outcome *builder_run_program(struct builder *b, struct rt_program *program, const struct outcome_how *how)
{
	const struct outcome_how standard = {0};
	struct outcome *o = need(calloc(1, sizeof(*o)));
	struct ptowsp_binding *bindings = need(calloc(b->tensor.count + 1, sizeof(*bindings)));
	struct rt_sinks sinks = {.context = o, .task = task_sink, .edge = edge_sink, .graph = graph_sink};
	struct ptowsp_run_args run = {.head = PTOWSP_HEAD(run, RUN_ARGS), .bindings = bindings, .binding_stride = sizeof(*bindings)};
	struct rt_run_args args = {.args = &run, .sinks = &sinks};
	struct rt_pool *own = NULL;

	how = how ? how : &standard;
	b->idle = how->idle;
	o->error.head = (struct ptowsp_head)PTOWSP_HEAD(o->error, ERROR);
	o->stats.head = (struct ptowsp_head)PTOWSP_HEAD(o->stats, RUN_STATS);
	o->deadlock.head = (struct ptowsp_head)PTOWSP_HEAD(o->deadlock, DEADLOCK);
	o->memory = builder_memory(b, how->seed, bindings, &o->memory_count);
	for (uint64_t i = 0; i < how->content_count && i < o->memory_count; i++)
		o->memory[i] = how->content[i];
	run.binding_count = how->bare ? 0 : b->tensor.count;
	run.flags = how->flags;
	run.deadline_ns = how->deadline_ns;
	run.max_tasks = how->max_tasks;
	run.values = how->values;
	run.value_count = how->value_count;
	args.cancel = how->cancel;
	args.memory = how->memory;
	args.fixed_map = how->fixed_map;
	args.schedulers = how->schedulers;
	if (!how->pool && how->threads > 1 && rt_pool_create(&own, how->threads, NULL))
		abort();
	if (how->untold)
		args.sinks = NULL;
	args.pool = how->pool ? how->pool : own;
	atomic_store(&b->calls, 0);
	o->status = rt_run(program, &args, &o->stats, &o->deadlock, &o->error);
	o->calls = atomic_load(&b->calls);
	arrays_copy(o);
	memcpy(o->log, b->log, sizeof(o->log));
	rt_pool_destroy(own);
	free(bindings);
	return o;
}

struct outcome *builder_run(struct builder *b, const struct outcome_how *how)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct outcome *o;
	ptowsp_status st;

	b->log[0] = 0;
	st = builder_program(b, &program, &error);
	if (st) {
		o = need(calloc(1, sizeof(*o)));
		o->status = st;
		o->error = error;
		memcpy(o->log, b->log, sizeof(o->log));
		return o;
	}
	o = builder_run_program(b, program, how);
	rt_program_destroy(program);
	return o;
}

void outcome_destroy(struct outcome *o)
{
	free(o->tasks);
	free(o->edges);
	free(o->memory);
	free(o->graph);
	free(o);
}

const struct ptowsp_resource_stats *outcome_resource(const struct outcome *o, const char *name)
{
	static const struct ptowsp_resource_stats none;

	for (uint32_t i = 0; i < o->stats.resource_count; i++)
		if (!strcmp(o->resources[i].name, name))
			return &o->resources[i];
	return &none;
}

bool outcome_has_edge(const struct outcome *o, uint64_t producer, uint64_t consumer)
{
	for (uint32_t i = 0; i < o->edge_count; i++)
		if (o->edges[i].producer == producer && o->edges[i].consumer == consumer)
			return true;
	return false;
}
