/* SPDX-License-Identifier: MIT */
/* verify_payload.c - the word behind a SEND into, or a CONSUME from, a payload channel: the region whose elements it moves. All regions of a channel have one
 * shape and type, which is what a block of it is. */
#include "rt/dtype.h"
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/process.h"
#include "rt/verifier.h"

/* The first region says what the channel carries, the others say the same. */
static ptowsp_status shape_check(struct rt_verifier *v, uint32_t at, uint32_t channel, const struct rt_io *io)
{
	struct rt_payload *payload = &v->program->payloads[channel], own = {.rows = io->rows, .columns = io->columns, .instruction = at};
	const char *name = rt_channel_name(v->program, channel);

	own.dtype = v->program->tables.tensor.rows[io->tensor].dtype;
	own.size = rt_dtype_bytes(own.dtype);
	own.bytes = (uint64_t)own.rows * own.columns;
	if (own.bytes > (UINT64_C(1) << 62) / own.size)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a block of channel %.40s is too large: %u x %u elements", rt_verifier_here(v), name,
			       own.rows, own.columns);
	own.bytes *= own.size;
	if (!payload->bytes)
		*payload = own;
	if (payload->rows == own.rows && payload->columns == own.columns && payload->dtype == own.dtype)
		return PTOWSP_OK;
	return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: channel %.40s carries %u x %u %s at instruction %u, here it is %u x %u %s", rt_verifier_here(v),
		       name, payload->rows, payload->columns, rt_dtype_text(payload->dtype), payload->instruction, own.rows, own.columns,
		       rt_dtype_text(own.dtype));
}

/* io: lowered. expr: of the token, or PTOWSP_NONE. */
static ptowsp_status move_add(struct rt_verifier *v, uint32_t channel, const struct rt_io *io, uint32_t expr, uint32_t *row_out)
{
	struct rt_program *program = v->program;
	const uint32_t ids[] = {io->row, io->column, expr};
	struct rt_move move = {.io = program->io_count, .channel = channel};
	ptowsp_status st = rt_exprs_reads(&program->exprs, ids, expr == PTOWSP_NONE ? 2 : 3, &move.read, &move.read_count, v->error);

	if (st)
		return st;
	if (!rt_grow((void **)&program->ios, &program->io_room, program->io_count, sizeof(*io)) ||
	    !rt_grow((void **)&program->moves, &program->move_room, program->move_count, sizeof(move)))
		return rt_no_memory(v->error, "regions");
	program->ios[program->io_count++] = *io;
	*row_out = program->move_count;
	program->moves[program->move_count++] = move;
	program->tensor_moved[io->tensor] |= (uint8_t)io->access;
	return PTOWSP_OK;
}

ptowsp_status rt_verify_payload(struct rt_verifier *v, uint32_t at, uint32_t expr, uint16_t *words_out)
{
	struct rt_program *program = v->program;
	const struct ptowsp_instruction *in = rt_verifier_word(v, at);
	bool sends = in->opcode == PTOWSP_OP_SEND;
	uint8_t word = sends ? PTOWSP_OP_IO_INPUT : PTOWSP_OP_IO_OUTPUT;
	struct rt_io io = {.access = sends ? PTOWSP_READ : PTOWSP_WRITE};
	uint32_t row = 0;
	ptowsp_status st;

	*words_out = 0;
	if (program->tables.channel.rows[in->operand1].kind != PTOWSP_CHANNEL_PAYLOAD)
		return PTOWSP_OK;
	if (at + 2 > v->bodies[v->depth - 1].end || at + 1 >= rt_verifier_code_count(v) || in[1].opcode != word || in[1].operand1 || in[1].flags)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: channel %.40s is one of payload, so behind the %s stands one %s word, of tensor argument 0",
			       rt_verifier_here(v), rt_channel_name(program, in->operand1), sends ? "send" : "consume", sends ? "io_input" : "io_output");
	st = rt_verifier_placed(v, rt_io_lower(program, &v->nest, in[1].operand2, &io, v->error));
	if (!st && io.unit)
		st = rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: channel %.40s moves blocks, so its region needs rows and columns", rt_verifier_here(v),
			     rt_channel_name(program, in->operand1));
	if (!st)
		st = shape_check(v, at, in->operand1, &io);
	if (!st)
		st = move_add(v, in->operand1, &io, expr, &row);
	program->code[at + 1] = (struct rt_ins){.op = word, .flags = io.checked ? PTOWSP_CHECKED : 0, .row = row};
	*words_out = 1;
	return st;
}

/* Its bytes would have to come back behind a move that is no task. */
ptowsp_status rt_verify_payloads(struct rt_verifier *v)
{
	const struct rt_program *program = v->program;

	for (uint32_t i = 0; i < program->move_count; i++) {
		uint32_t tensor = program->ios[program->moves[i].io].tensor;

		if (program->tensor_allocated[tensor])
			return rt_fail(v->error, PTOWSP_UNSUPPORTED,
				       "tensor %.60s lives between alloc and free, and channel %.60s moves elements of it; copy them to another tensor first",
				       rt_tensor_name(program, tensor), rt_channel_name(program, program->moves[i].channel));
	}
	return PTOWSP_OK;
}
