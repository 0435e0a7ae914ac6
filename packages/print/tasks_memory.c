/* SPDX-License-Identifier: MIT */
/* tasks_memory.c - the memory that kernels work in: the task API gives its tasks none, so a function around a kernel that needs some does. */
#include "print/tasks_parts.h"

#include <inttypes.h>

#include "isa/emit.h"

#define ON_STACK (UINT64_C(1) << 20) /* bytes; threads have eight times that where nobody says otherwise */

/* The larger of what the kernel, its portable payload, and the function that is made of that say. 0 too where the payload is no program that runs: there is
 * no such function then. */
static uint64_t bytes_of(const struct print_tasks *p, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];
	const uint32_t at = print_c_payload(p, kernel);
	const struct ptowsp_payload_record *payload = at == PTOWSP_NONE ? NULL : &p->t->payload[at];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program;
	uint64_t bytes = row->workspace, tiles = 0;

	if (!payload)
		return bytes;
	if (payload->workspace > bytes)
		bytes = payload->workspace;
	if (isa_program_create(&program, p->t->code + payload->offset, payload->size, p->t->strings, p->t->strings_size, &error))
		return bytes;
	if (!isa_emit_workspace(program, &tiles, &error) && tiles > bytes)
		bytes = tiles;
	isa_program_destroy(program);
	return bytes;
}

/* Rounded up to what aligned_alloc takes. */
static void function_print(struct print_text *text, uint32_t number, const char *name, uint64_t bytes)
{
	const uint64_t whole = (bytes + 63) / 64 * 64;
	const int large = whole > ON_STACK;

	print_add(text, "\nstatic ptowsp_status with_memory_%" PRIu32 "(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)\n{\n", number);
	if (large)
		print_add(text, "\tvoid *memory = aligned_alloc(64, %" PRIu64 ");\n", whole);
	else
		print_add(text, "\t_Alignas(64) unsigned char memory[%" PRIu64 "];\n", whole);
	print_add(text, "\tstruct ptowsp_task given = *task;\n%s\n\tgiven.workspace = memory;\n", large ? "\tptowsp_status status;\n" : "");
	if (large)
		print_add(text, "\tgiven.workspace_size = memory ? %" PRIu64 " : 0;\n\tstatus = %s(&given, out);\n\tfree(memory);\n\treturn status;\n}\n",
			  whole, name);
	else
		print_add(text, "\tgiven.workspace_size = sizeof(memory);\n\treturn %s(&given, out);\n}\n", name);
}

int print_c_memory(const struct print_tasks *p, struct print_text *text, uint32_t at, const char *name)
{
	const uint64_t bytes = bytes_of(p, p->kernels[at]);

	if (bytes && text)
		function_print(text, at, name, bytes);
	return bytes ? bytes > ON_STACK ? PRINT_C_HEAP : PRINT_C_STACK : 0;
}
