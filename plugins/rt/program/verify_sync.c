/* SPDX-License-Identifier: MIT */
/* verify_sync.c - while and break, dispatch filters, events, barriers, copies and memory, as the verifier reads them. */
#include "registry/common/common_grow.h"
#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_verify.h"

/* ---- while, break ---------------------------------------------------------------------------------------------- */

ptowsp_status rt_verify_while(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at), *target = in + 1;
	uint32_t id = 0;
	ptowsp_status status = rt_verifier_expr(v, in->operand2, &id);

	if (status)
		return status;
	if (v->at + 1 >= rt_verifier_code_count(v) || target->opcode != PTOWSP_OP_TARGET || target->flags)
		return rt_verifier_refuse(v, "the target behind a while is missing");
	status = rt_verifier_target(v, target->operand2, v->at + 2);
	if (!status)
		status = rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_WHILE, .end = target->operand2, .before = v->tasks, .times = UINT64_MAX});
	if (status)
		return status;
	v->loops++;
	v->program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_WHILE, .end = target->operand2, .row = id};
	v->program->code[v->at + 1] = (struct rt_ins){.op = PTOWSP_OP_TARGET, .end = target->operand2};
	v->at += 2;
	return PTOWSP_OK;
}

ptowsp_status rt_verify_break(struct rt_verifier *v)
{
	if (!v->loops)
		return rt_verifier_refuse(v, "break outside every loop");
	v->program->code[v->at++].op = PTOWSP_OP_BREAK;
	return PTOWSP_OK;
}

/* ---- dispatch_filter ------------------------------------------------------------------------------------------- */

ptowsp_status rt_verify_filter(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	uint32_t id = 0;
	ptowsp_status status;

	switch (in->operand1) {
	case PTOWSP_DISPATCH_ROUND_ROBIN:
	case PTOWSP_DISPATCH_AFFINITY:
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_CUSTOM:
	case PTOWSP_DISPATCH_STATIC_PARTITION:
	case PTOWSP_DISPATCH_THRESHOLD: break;
	default:
		return rt_verifier_refuse(
			v, "dispatch_filter has the predicate %u; known: 1 round_robin, 2 affinity, 3 hash, 4 threshold, 5 static_partition, 7 custom",
			in->operand1);
	}
	status = rt_verifier_placed(v, rt_expr_compile(&v->program->exprs, &v->program->tables, in->operand2, &v->nest, true, &id, v->error));
	v->program->code[v->at++] = (struct rt_ins){.op = PTOWSP_OP_DISPATCH_FILTER, .count = in->operand1, .row = id};
	return status;
}

/* ---- events, barriers ------------------------------------------------------------------------------------------ */

static ptowsp_status note(struct rt_verifier *v)
{
	if (!COMMON_GROW(v->noted, v->noted_room, v->noted_count))
		return rt_no_memory(v->error, "the verifier");
	v->noted[v->noted_count++] = v->at;
	return PTOWSP_OK;
}

ptowsp_status rt_verify_event(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);

	if (in->operand2 >= v->program->tables.event.count)
		return rt_verifier_refuse(v, "there is no event %u, the package has %u", in->operand2, v->program->tables.event.count);
	if (note(v))
		return PTOWSP_NO_MEMORY;
	v->program->code[v->at++] = (struct rt_ins){.op = in->opcode, .slot = in->operand2};
	return PTOWSP_OK;
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
		v->at = v->noted[i];
		status = rt_verifier_refuse(v, "event %.80s is waited for, and nothing in the program signals it",
					    rt_string(&program->tables, program->tables.event.rows[in->slot].name));
	}
	free(signalled);
	return status;
}

ptowsp_status rt_verify_barrier(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);

	if (in->opcode == PTOWSP_OP_FENCE && in->operand1 > PTOWSP_FENCE_SYSTEM)
		return rt_verifier_refuse(v, "fence has the unknown scope %u; 0 core, 1 device, 2 system", in->operand1);
	v->program->code[v->at++] = (struct rt_ins){.op = in->opcode, .count = in->operand1};
	return PTOWSP_OK;
}

/* ---- other devices --------------------------------------------------------------------------------------------- */

ptowsp_status rt_verify_notify(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);

	if (v->process != PTOWSP_NONE)
		return rt_verifier_refuse(v, "devices tell each other in the entry's own instructions, not in a process");
	v->program->code[v->at++] = (struct rt_ins){.op = in->opcode, .count = in->operand1, .slot = in->operand2};
	return PTOWSP_OK;
}

/* ---- copies ---------------------------------------------------------------------------------------------------- */

static ptowsp_status regions_check(struct rt_verifier *v, const struct rt_io *from, const struct rt_io *to)
{
	const struct ptowsp_tensor_record *tensors = v->program->tables.tensor.rows;

	if (from->unit || to->unit)
		return rt_verifier_refuse(v, "copy needs regions with rows and columns");
	if (from->rows != to->rows || from->columns != to->columns)
		return rt_verifier_refuse(v, "copy from %u x %u to %u x %u elements", from->rows, from->columns, to->rows, to->columns);
	if (tensors[from->tensor].dtype != tensors[to->tensor].dtype)
		return rt_verifier_refuse(v, "copy between the tensors %.40s and %.40s, which differ in type", rt_tensor_name(v->program, from->tensor),
					  rt_tensor_name(v->program, to->tensor));
	return PTOWSP_OK;
}

static ptowsp_status site_make(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_site *site)
{
	struct rt_program *program = v->program;
	struct rt_io *ios;
	ptowsp_status status = rt_site_rooms(program, 1, 2, v->error);

	if (status)
		return status;
	ios = &program->ios[site->first_io];
	ios[0] = (struct rt_io){.access = PTOWSP_READ};
	ios[1] = (struct rt_io){.access = PTOWSP_WRITE};
	status = rt_verifier_placed(v, rt_io_lower(program, &v->nest, in[0].operand2, &ios[0], v->error));
	if (!status)
		status = rt_verifier_placed(v, rt_io_lower(program, &v->nest, in[1].operand2, &ios[1], v->error));
	if (!status)
		status = regions_check(v, &ios[0], &ios[1]);
	if (!status)
		status = rt_expr_constant(&program->exprs, (int64_t)ios[0].rows * ios[0].columns, &program->args[site->first_arg], v->error);
	if (status)
		return status;
	program->traits[ios[0].tensor].access |= PTOWSP_READ;
	program->traits[ios[1].tensor].access |= PTOWSP_WRITE;
	return PTOWSP_OK;
}

ptowsp_status rt_verify_copy(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	struct rt_site site = {.instruction = v->at,
			       .first_arg = program->arg_count,
			       .first_io = program->io_count,
			       .arg_count = 1,
			       .io_count = 2,
			       .kernels = program->copy_kernel,
			       .first_after = program->after_count,
			       .depth = (uint8_t)v->nest.depth};
	uint32_t row = program->site_count, next = v->at + 2;
	ptowsp_status status;

	if (v->at + 2 > v->bodies[v->depth - 1].end || v->at + 1 >= rt_verifier_code_count(v) || in[1].opcode != PTOWSP_OP_IO_OUTPUT || in[1].operand1 ||
	    in[1].flags)
		return rt_verifier_refuse(v, "behind copy stands one io_output word, of tensor argument 0");
	status = site_make(v, in, &site);
	if (!status)
		status = rt_verifier_placed(v, rt_site_after(program, &v->nest, &site, &next, v->error));
	if (!status && next > v->bodies[v->depth - 1].end)
		status = rt_verifier_refuse(v, "the words of the copy reach beyond its body");
	if (!status)
		status = rt_site_close(program, &v->nest, &site, v->error);
	if (!status)
		status = rt_verify_count_task(v, &site);
	if (status)
		return status;
	program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_TASK, .end = next, .row = row};
	if (program->ios[site.first_io].checked || program->ios[site.first_io + 1].checked)
		program->code[v->at].flags = PTOWSP_CHECKED;
	v->at = next;
	return PTOWSP_OK;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

ptowsp_status rt_verify_memory(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	struct rt_program *program = v->program;

	if (in->operand2 >= program->tables.tensor.count)
		return rt_verifier_refuse(v, "there is no tensor %u, the package has %u", in->operand2, program->tables.tensor.count);
	if (program->tables.tensor.rows[in->operand2].flags & PTOWSP_TENSOR_SHAPELESS)
		return rt_verifier_refuse(v, "tensor %.80s has no shape, so nobody knows how many bytes it takes", rt_tensor_name(program, in->operand2));
	if (note(v))
		return PTOWSP_NO_MEMORY;
	program->traits[in->operand2].allocated = 1;
	/* Whether it is there, or there already, depends on what ran before. */
	program->code[v->at++] = (struct rt_ins){.op = in->opcode, .flags = PTOWSP_CHECKED, .slot = in->operand2};
	return PTOWSP_OK;
}
