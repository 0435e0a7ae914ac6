/* SPDX-License-Identifier: MIT */
/* rt_builder_code.c - instructions: loops, branches and tasks, processes and their channels. */
#include "tests/rt/builder/rt_builder_rows.h"

#include <stdarg.h>

uint32_t builder_emit(struct builder *b, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	struct ptowsp_instruction in = {(uint8_t)opcode, 0, (uint16_t)operand1, operand2};

	return ADD(b->code, in);
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

void builder_task_list(struct builder *b, uint32_t kernel, uint32_t cycles_expr, uint32_t count, const char *access, const uint32_t *regions)
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

uint32_t builder_process(struct builder *b, const char *name, uint32_t replicas)
{
	struct ptowsp_process_record row = {
		.name = builder_string(b, name), .replicas = replicas, .order = b->process.count, .channels = b->process_channel.count};

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

struct ptowsp_instruction *builder_code(struct builder *b, uint32_t *count_out)
{
	*count_out = b->code.count;
	return (struct ptowsp_instruction *)b->code.rows;
}
