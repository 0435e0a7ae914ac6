/* SPDX-License-Identifier: MIT */
/* verify_channel.c - send, consume and close, which belong into processes; the processes of a pipeline, whose bodies are programs of their own; and the words of payload
 * channels. */
#include "registry/common/common_grow.h"
#include "rt/process/process.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>

/* ---- payload ----------------------------------------------------------------------------------------------------- */

/* The first region says what the channel carries, the others say the same. */
static ptowsp_status shape_check(struct rt_verifier *v, uint32_t at, uint32_t channel, const struct rt_io *io)
{
	struct rt_payload *payload = &v->program->payloads[channel],
			  own = {.rows = io->rows, .columns = io->columns, .takers = payload->takers, .instruction = at};
	const char *name = rt_channel_name(v->program, channel);

	own.dtype = v->program->tables.tensor.rows[io->tensor].dtype;
	own.size = rt_dtype_bytes(own.dtype);
	own.bytes = (uint64_t)own.rows * own.columns;
	if (own.bytes > (UINT64_C(1) << 62) / own.size)
		return RT_REFUSE(v, "a block of channel %.40s is too large: %u x %u elements", name, own.rows, own.columns);
	own.bytes *= own.size;
	if (!payload->bytes)
		*payload = own;
	if (payload->rows == own.rows && payload->columns == own.columns && payload->dtype == own.dtype)
		return PTOWSP_OK;
	return RT_REFUSE(v, "channel %.40s carries %u x %u %s at instruction %u, here it is %u x %u %s", name, payload->rows, payload->columns,
			 rt_dtype_text(payload->dtype), payload->instruction, own.rows, own.columns, rt_dtype_text(own.dtype));
}

/* io: lowered. expr: of the token, or PTOWSP_NONE. Its row goes to the word behind v->at. */
static ptowsp_status move_add(struct rt_verifier *v, uint32_t channel, const struct rt_io *io, uint32_t expr)
{
	struct rt_program *program = v->program;
	struct rt_move move = {.io = program->io_count, .channel = channel};
	ptowsp_status status = rt_exprs_reads(&program->exprs, (const uint32_t[]){io->row, io->column, expr}, 3, &move.read, &move.read_count, v->error);

	program->code[v->at + 1] =
		(struct rt_ins){.op = rt_verifier_word(v, v->at + 1)->opcode, .flags = io->checked ? PTOWSP_CHECKED : 0, .row = program->move_count};
	program->traits[io->tensor].moved |= (uint8_t)io->access;
	if (!status)
		status = RT_APPEND(v, ios, io_count, io_room, *io);
	return status ? status : RT_APPEND(v, moves, move_count, move_room, move);
}

/* The word of a SEND, whose token is `expr`, or CONSUME (PTOWSP_NONE), as seen from the nest as it is. */
static ptowsp_status payload_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out, uint32_t expr)
{
	bool sends = in->opcode == PTOWSP_OP_SEND;
	struct rt_io io = {.access = sends ? PTOWSP_READ : PTOWSP_WRITE};
	const char *name = rt_channel_name(v->program, in->operand1);
	ptowsp_status status;

	if (v->program->tables.channel.rows[in->operand1].kind != PTOWSP_CHANNEL_PAYLOAD)
		return PTOWSP_OK;
	if (!rt_verifier_tensor_word(v, sends ? PTOWSP_OP_IO_INPUT : PTOWSP_OP_IO_OUTPUT))
		return RT_REFUSE(v, "channel %.40s is one of payload, so behind the %s stands one %s word, of tensor argument 0", name,
				 sends ? "send" : "consume", sends ? "io_input" : "io_output");
	out->count = 1;
	v->next = v->at + 2;
	status = rt_io_lower(v, in[1].operand2, &io);
	if (!status && io.unit)
		status = RT_REFUSE(v, "channel %.40s moves blocks, so its region needs rows and columns", name);
	if (!status)
		status = shape_check(v, v->at, in->operand1, &io);
	return status ? status : move_add(v, in->operand1, &io, expr);
}

/* Its bytes would have to come back behind a move that is no task. */
ptowsp_status rt_verify_payloads(struct rt_verifier *v)
{
	const struct rt_program *program = v->program;

	for (uint32_t i = 0; i < program->move_count; i++) {
		uint32_t tensor = program->ios[program->moves[i].io].tensor;

		if (program->traits[tensor].allocated)
			return rt_fail(v->error, PTOWSP_UNSUPPORTED,
				       "tensor %.60s lives between alloc and free, and channel %.60s moves elements of it; copy them to another tensor first",
				       rt_tensor_name(program, tensor), rt_channel_name(program, program->moves[i].channel));
	}
	return PTOWSP_OK;
}

/* ---- processes and their channels -------------------------------------------------------------------------------- */

/* The channel, which the process says that it uses so. */
static ptowsp_status channel_check(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out, unsigned direction)
{
	static const char *const verbs[] = {"produces for", "consumes from"};
	const struct rt_tables *tables = &v->program->tables;
	const struct ptowsp_process_record *process;
	ptowsp_status status;

	if (v->process == PTOWSP_NONE)
		return RT_REFUSE(v, "opcode 0x%02x belongs into a process", in->opcode);
	status = rt_verifier_row(v, "channel", in->operand1, tables->channel.count);
	if (status)
		return status;
	out->slot = in->operand1;
	process = &tables->process.rows[v->process];
	for (uint32_t i = 0; i < process->channel_count; i++) {
		const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels + i];

		if (use->channel == in->operand1 && use->direction == direction)
			return PTOWSP_OK;
	}
	return RT_REFUSE(v, "process %.40s does not say that it %s channel %.40s", rt_string(tables, process->name), verbs[direction],
			 rt_string(tables, tables->channel.rows[in->operand1].name));
}

ptowsp_status rt_verify_send(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = channel_check(v, in, out, PTOWSP_CHANNEL_PRODUCES);

	if (!status)
		status = rt_verifier_value(v, in->operand2, &out->row);
	return status ? status : payload_lower(v, in, out, out->row);
}

ptowsp_status rt_verify_close(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	return channel_check(v, in, out, PTOWSP_CHANNEL_PRODUCES);
}

/* Inside, and for the region of its payload, the token is the value of a loop that bears the channel's name and may be any number. */
ptowsp_status rt_verify_consume(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	struct rt_nest *nest = &v->nest;
	ptowsp_status status = channel_check(v, in, out, PTOWSP_CHANNEL_CONSUMES);

	if (!status)
		status = rt_verifier_target(v, in->operand2, v->at + 1);
	if (!status)
		status = rt_verifier_push(
			v, (struct rt_body){.kind = RT_BODY_LOOP, .end = in->operand2, .outer_key = nest->key, .before = v->tasks, .times = UINT64_MAX});
	if (status)
		return status;
	v->loops++;
	out->end = in->operand2;
	out->row = nest->depth;
	nest->loops[nest->depth] = rt_unbounded;
	nest->names[nest->depth++] = v->program->tables.channel.rows[in->operand1].name;
	nest->key = v->at;
	return payload_lower(v, in, out, PTOWSP_NONE);
}

/* ---- the tables ------------------------------------------------------------------------------------------------ */

static ptowsp_status channels_check(const struct rt_program *program, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;

	for (uint32_t i = 0; i < tables->channel.count; i++)
		if (tables->channel.rows[i].kind > PTOWSP_CHANNEL_PAYLOAD)
			return rt_fail(error, PTOWSP_UNSUPPORTED, "channel %.60s has the unknown kind %u; 0 token, 1 payload",
				       rt_string(tables, tables->channel.rows[i].name), tables->channel.rows[i].kind);
	return PTOWSP_OK;
}

static ptowsp_status uses_check(struct rt_program *program, const struct ptowsp_process_record *process, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;

	if (process->channel_count > tables->process_channel.count || process->channels > tables->process_channel.count - process->channel_count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "process %.60s names PRCH rows that are not there", rt_string(tables, process->name));
	for (uint32_t i = 0; i < process->channel_count; i++) {
		const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels + i];

		if (use->channel >= tables->channel.count || use->direction > PTOWSP_CHANNEL_CONSUMES)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "PRCH row %u names channel %u of %u, direction %u", process->channels + i, use->channel,
				       tables->channel.count, use->direction);
		program->payloads[use->channel].takers += use->direction == PTOWSP_CHANNEL_CONSUMES ? process->replicas : 0;
	}
	return PTOWSP_OK;
}

static ptowsp_status processes_check(struct rt_program *program, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	uint64_t instances = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < tables->process.count; i++) {
		const struct ptowsp_process_record *process = &tables->process.rows[i];

		instances += process->replicas;
		if (process->instruction >= tables->work.code_count || !process->replicas || instances > RT_INSTANCE_LIMIT)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "process %.60s begins at instruction %u of %u and has %u replicas; all together are 1 to %u",
				       rt_string(tables, process->name), process->instruction, tables->work.code_count, process->replicas, RT_INSTANCE_LIMIT);
		status = uses_check(program, process, error);
	}
	return status;
}

/* ---- bodies ---------------------------------------------------------------------------------------------------- */

/* An instruction is lowered for one place in one nest, so bodies do not overlap: owner[i] is 1 + the process, or 1 + count for the entry, that has instruction i. */
static ptowsp_status body_claim(struct rt_verifier *v, uint32_t *owner, uint32_t first, uint32_t halt, uint32_t who)
{
	const struct rt_tables *tables = &v->program->tables;

	for (uint32_t i = first; i < halt; i++) {
		if (owner[i])
			return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "instruction %u belongs to process %.60s and to %.60s", i,
				       rt_string(tables, tables->process.rows[who].name),
				       owner[i] > tables->process.count ? "the entry" : rt_string(tables, tables->process.rows[owner[i] - 1].name));
		owner[i] = who + 1;
	}
	return PTOWSP_OK;
}

/* A body's end is known once it is read; nothing runs before all are. */
ptowsp_status rt_verify_processes(struct rt_verifier *v, uint32_t first, uint32_t halt)
{
	const struct rt_tables *tables = &v->program->tables;
	uint32_t *owner = calloc((size_t)tables->work.code_count + 1, sizeof(*owner));
	ptowsp_status status = owner ? PTOWSP_OK : rt_no_memory(v->error, "the verifier");

	if (!status && v->program->schedule.built)
		status = rt_fail(v->error, PTOWSP_UNSUPPORTED,
				 "the graph of a pipeline cannot be built before it runs, its tasks follow the tokens; leave out start=after_orchestration");
	if (!status)
		status = channels_check(v->program, v->error);
	if (!status)
		status = processes_check(v->program, v->error);
	if (!status)
		status = body_claim(v, owner, first, halt, tables->process.count);
	for (uint32_t i = 0; !status && i < tables->process.count; i++) {
		status = rt_verifier_pass(v, tables->process.rows[i].instruction, i);
		if (!status)
			status = body_claim(v, owner, tables->process.rows[i].instruction, v->at, i);
	}
	free(owner);
	return status;
}
