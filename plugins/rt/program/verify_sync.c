/* SPDX-License-Identifier: MIT */
/* verify_sync.c - while, dispatch filters, events, barriers, copies and memory, as the verifier reads them. */
#include "registry/common/common_grow.h"
#include "rt/program/policy.h"
#include "rt/program/rt_verify.h"

ptowsp_status rt_verify_while(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	const struct ptowsp_instruction *target = in + 1;
	ptowsp_status status = rt_verifier_expr(v, in->operand2, &out->row);

	if (status)
		return status;
	if (v->at + 1 >= v->program->tables.work.code_count || target->opcode != PTOWSP_OP_TARGET || target->flags)
		return RT_REFUSE(v, "the target behind a while is missing");
	v->next = v->at + 2;
	v->loops++;
	out->end = target->operand2;
	v->program->code[v->at + 1] = (struct rt_ins){.op = PTOWSP_OP_TARGET, .end = target->operand2};
	status = rt_verifier_target(v, target->operand2, v->next);
	return status ? status : rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_WHILE, .end = target->operand2, .before = v->tasks, .times = UINT64_MAX});
}

ptowsp_status rt_verify_filter(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	out->count = in->operand1;
	switch (in->operand1) {
	case PTOWSP_DISPATCH_ROUND_ROBIN:
	case PTOWSP_DISPATCH_AFFINITY:
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_CUSTOM:
	case PTOWSP_DISPATCH_STATIC_PARTITION:
	case PTOWSP_DISPATCH_THRESHOLD: return rt_expr_compile(&v->program->exprs, &v->program->tables, in->operand2, &v->nest, true, &out->row, v->error);
	}
	return RT_REFUSE(v, "dispatch_filter has the predicate %u; known: 1 round_robin, 2 affinity, 3 hash, 4 threshold, 5 static_partition, 7 custom",
			 in->operand1);
}

/* ---- events, barriers, other devices ----------------------------------------------------------------------------- */

static ptowsp_status note(struct rt_verifier *v)
{
	if (!COMMON_GROW(v->noted, v->noted_room, v->noted_count))
		return rt_no_memory(v->error, "the verifier");
	v->noted[v->noted_count++] = v->at;
	return PTOWSP_OK;
}

ptowsp_status rt_verify_event(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = rt_verifier_row(v, "event", in->operand2, v->program->tables.event.count);

	out->slot = in->operand2;
	return status ? status : note(v);
}

/* A wait that no signal of the whole program can end. Signals of other entries do not count: they do not run. */
ptowsp_status rt_verify_events(struct rt_verifier *v)
{
	const struct rt_program *program = v->program;
	uint8_t *signalled = v->noted_count ? calloc((size_t)program->tables.event.count + 1, 1) : NULL;
	ptowsp_status status = signalled || !v->noted_count ? PTOWSP_OK : rt_no_memory(v->error, "events");

	for (uint32_t i = 0; !status && i < v->noted_count; i++)
		if (program->code[v->noted[i]].op == PTOWSP_OP_SIGNAL)
			signalled[program->code[v->noted[i]].slot] = 1;
	for (uint32_t i = 0; !status && i < v->noted_count; i++) {
		const struct rt_ins *in = &program->code[v->noted[i]];

		if (in->op != PTOWSP_OP_WAIT || signalled[in->slot])
			continue;
		v->where = v->noted[i];
		status = rt_verifier_placed(v, RT_REFUSE(v, "event %.80s is waited for, and nothing in the program signals it",
							 rt_string(&program->tables, program->tables.event.rows[in->slot].name)));
	}
	free(signalled);
	return status;
}

ptowsp_status rt_verify_barrier(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	out->count = in->operand1;
	return in->opcode == PTOWSP_OP_FENCE && in->operand1 > PTOWSP_FENCE_SYSTEM
		       ? RT_REFUSE(v, "fence has the unknown scope %u; 0 core, 1 device, 2 system", in->operand1)
		       : PTOWSP_OK;
}

ptowsp_status rt_verify_notify(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	out->count = in->operand1;
	out->slot = in->operand2;
	return v->process == PTOWSP_NONE ? PTOWSP_OK : RT_REFUSE(v, "devices tell each other in the entry's own instructions, not in a process");
}

/* ---- copies ---------------------------------------------------------------------------------------------------- */

static ptowsp_status regions_check(struct rt_verifier *v, const struct rt_io *from, const struct rt_io *to)
{
	const struct ptowsp_tensor_record *tensors = v->program->tables.tensor.rows;

	if (from->unit || to->unit)
		return RT_REFUSE(v, "copy needs regions with rows and columns");
	if (from->rows != to->rows || from->columns != to->columns)
		return RT_REFUSE(v, "copy from %u x %u to %u x %u elements", from->rows, from->columns, to->rows, to->columns);
	if (tensors[from->tensor].dtype != tensors[to->tensor].dtype)
		return RT_REFUSE(v, "copy between the tensors %.40s and %.40s, which differ in type", rt_tensor_name(v->program, from->tensor),
				 rt_tensor_name(v->program, to->tensor));
	return PTOWSP_OK;
}

/* A task of the kernel of copies. */
ptowsp_status rt_verify_copy(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	struct rt_program *program = v->program;
	struct rt_io from = {.access = PTOWSP_READ}, to = {.access = PTOWSP_WRITE};
	struct rt_site site = {.first_arg = program->arg_count, .first_io = program->io_count, .arg_count = 1, .io_count = 2, .kernels = program->copy_kernel};
	ptowsp_status status;

	if (!rt_verifier_tensor_word(v, PTOWSP_OP_IO_OUTPUT))
		return RT_REFUSE(v, "behind copy stands one io_output word, of tensor argument 0");
	v->next = v->at + 2;
	status = rt_io_lower(v, in[0].operand2, &from);
	if (!status)
		status = rt_io_lower(v, in[1].operand2, &to);
	if (!status)
		status = regions_check(v, &from, &to);
	if (!status)
		status = rt_site_rooms(v, 1, 2);
	if (!status)
		status = rt_expr_constant(&program->exprs, (int64_t)from.rows * from.columns, &program->args[site.first_arg], v->error);
	if (status)
		return status;
	program->traits[from.tensor].copied = program->traits[to.tensor].copied = 1;
	program->ios[site.first_io] = from;
	program->ios[site.first_io + 1] = to;
	return rt_site_close(v, &site, out);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Whether it is there, or there already, depends on what ran before. */
ptowsp_status rt_verify_memory(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	struct rt_program *program = v->program;
	ptowsp_status status = rt_verifier_row(v, "tensor", in->operand2, program->tables.tensor.count);

	if (!status && program->tables.tensor.rows[in->operand2].flags & PTOWSP_TENSOR_SHAPELESS)
		status = RT_REFUSE(v, "tensor %.80s has no shape, so nobody knows how many bytes it takes", rt_tensor_name(program, in->operand2));
	if (status)
		return status;
	program->traits[in->operand2].allocated = 1;
	out->flags = PTOWSP_CHECKED;
	out->slot = in->operand2;
	return note(v);
}
