/* SPDX-License-Identifier: MIT */
/* tasks_reach.c - how far a kernel reaches in each of its tensors, and in tiles of how many columns: from its portable payload. */
#include "print/tasks_parts.h"

#include <stdlib.h>

#include "isa/isa.h"
#include "isa/program.h"

static void touch(void *context, uint32_t param, int64_t offset, uint64_t length, unsigned access)
{
	struct print_reach *reach = (struct print_reach *)context + param;

	(void)access;
	if (offset < 0 || length > INT64_MAX - (uint64_t)offset)
		reach->elements = PRINT_WHOLE;
	else if (reach->elements < (uint64_t)offset + length)
		reach->elements = (uint64_t)offset + length;
}

static void columns_find(const struct isa_program *program, struct print_reach *reach, uint32_t count)
{
	for (uint32_t i = 0; i < program->header.inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &program->insts[i];
		const int loads = inst->op == PTOWSP_PTO_TLOAD, stores = inst->op == PTOWSP_PTO_TSTORE || inst->op == PTOWSP_PTO_TSTORE_FP;
		const char *operands = isa_op(inst->op)->operands;
		uint32_t param = PTOWSP_NONE;

		for (unsigned k = 0; operands[k]; k++)
			param = operands[k] == 'M' ? inst->d : operands[k] == 'm' ? inst->a : param;
		if (param < count && (!(loads || stores) || reach[param].columns != program->tiles[loads ? inst->d : inst->a].columns))
			reach[param].columns = 0;
	}
}

static void payload_ask(struct print_reach *reach, uint32_t count, const struct isa_program *program)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const int known = !isa_program_varies(program) && !isa_program_data_dependent(program);
	uint64_t args[64] = {0}, cycles;

	if (program->header.param_count > count)
		return;
	for (uint32_t i = 0; i < count; i++)
		reach[i] = (struct print_reach){.elements = known ? 0 : PRINT_WHOLE,
						.columns = i < program->header.param_count ? program->params[i].columns : 0};
	columns_find(program, reach, program->header.param_count);
	if (known && (program->arg_count > 64 || isa_walk(program, args, program->arg_count, 0, touch, reach, &cycles, &error)))
		for (uint32_t i = 0; i < count; i++)
			reach[i].elements = PRINT_WHOLE;
}

static struct print_reach *reach_make(const struct print_tasks *p, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];
	struct print_reach *reach = calloc((size_t)row->param_count + 1, sizeof(*reach));

	for (uint32_t i = 0; reach && i < row->param_count; i++)
		reach[i] = (struct print_reach){PRINT_WHOLE, p->t->param[row->params + i].columns};
	for (uint32_t i = 0; reach && i < row->payload_count; i++) {
		const struct ptowsp_payload_record *payload = &p->t->payload[row->payloads + i];
		struct isa_program *program;

		if (payload->kind != PTOWSP_PAYLOAD_PTO || isa_program_create(&program, p->t->code + payload->offset, payload->size, p->t->strings,
									      p->t->strings_size, NULL))
			continue;
		payload_ask(reach, row->param_count, program);
		isa_program_destroy(program);
		break;
	}
	return reach;
}

const struct print_reach *print_c_reach(struct print_tasks *p, uint32_t kernel)
{
	if (!p->reach[kernel])
		p->reach[kernel] = reach_make(p, kernel);
	if (!p->reach[kernel])
		p->body.failed = 1;
	return p->reach[kernel];
}
