/* SPDX-License-Identifier: MIT */
/* tasks_memory.c - the memory that kernels work in. */
#include "print/tasks_parts.h"

#include "isa/emit.h"

/* A program that does not run has no function: nobody calls it. */
uint64_t print_c_workspace(const struct print_tasks *p, const struct print_function *function)
{
	const struct ptowsp_payload_record *payload = function->payload == PTOWSP_NONE ? NULL : &p->t->payload[function->payload];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program;
	uint64_t tiles = 0;

	if (!payload || isa_program_create(&program, p->t->code + payload->offset, payload->size, p->t->strings, p->t->strings_size, &error))
		return function->workspace;
	if (isa_emit_workspace(program, &tiles, &error))
		tiles = 0;
	isa_program_destroy(program);
	return tiles > function->workspace ? tiles : function->workspace;
}
