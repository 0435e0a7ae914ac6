/* SPDX-License-Identifier: MIT
 * fuzz_tile.c - a payload of a portable kernel: whatever verifies is walked, listed and run with small limits. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/state.h"

enum { ELEMENTS = 4096, SCRATCH = 1 << 16, PARAMS = 8, STEPS = 20000, JUMPS = 500 };

/* Names of the seeds; others fall behind the end and are refused, as they should. */
static const char strings[] = "\0kernel\0input\0output\0x\0y\0n\0row\0col\0i";

static void on_touch(void *context, uint32_t param, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	(void)offset, (void)length, (void)width, (void)access;
	*(uint32_t *)context |= param;
}

static void on_line(void *context, const char *line)
{
	*(uint32_t *)context += (uint32_t)strlen(line);
}

/* Windows of every sort: flat, a grid, a grid with columns apart. */
static void window(struct ptowsp_tensor_arg *w, uint32_t i, uint64_t *memory, unsigned dtype)
{
	*w = (struct ptowsp_tensor_arg){.data = memory,
					.rows = 1,
					.columns = ELEMENTS,
					.row_stride = ELEMENTS,
					.column_stride = 1,
					.dtype = (uint16_t)dtype,
					.access = PTOWSP_READ | PTOWSP_WRITE};
	if (i % 3 == 1) {
		w->rows = 60;
		w->columns = 60;
		w->row_stride = 64;
	} else if (i % 3 == 2) {
		w->rows = 30;
		w->columns = 30;
		w->row_stride = 1;
		w->column_stride = 64;
	}
}

static void run(const struct isa_program *program, const uint64_t *args)
{
	static uint64_t memory[PARAMS][ELEMENTS]; /* room for any type */
	static _Alignas(64) unsigned char scratch[SCRATCH];
	struct ptowsp_tensor_arg tensors[PARAMS];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};
	struct ptowsp_task task = {
		.head = PTOWSP_HEAD(task, TASK), .args = args, .tensors = tensors, .arg_count = 8, .tensor_stride = sizeof(tensors[0]), .block_count = 1};
	const uint32_t count = isa_program_header(program)->param_count;

	if (count > PARAMS || isa_program_scratch(program) > SCRATCH)
		return;
	for (uint32_t i = 0; i < count; i++)
		window(&tensors[i], i, memory[i], isa_program_params(program)[i].dtype);
	task.tensor_count = count;
	memset(scratch, 0xA5, sizeof(scratch));
	(void)isa_run_within(program, &task, &out, scratch, JUMPS);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t args[8] = {2, 1, 3, 0, UINT64_MAX, 5, 7, 64};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct isa_options options = {.rows_bytes = 256}; /* so that even small tiles go in blocks of rows */
	struct isa_program *program;
	void *payload = malloc(size + 1); /* aligned, and its end is watched */
	uint64_t cycles;
	uint32_t sink = 0;

	memcpy(payload, data, size);
	if (isa_program_create_with(&program, payload, size, strings, sizeof(strings), &options, &error) == PTOWSP_OK) {
		free(payload);
		payload = NULL; /* the program keeps none of it */
		(void)isa_walk(program, args, 8, STEPS, on_touch, &sink, &cycles, &error);
		(void)isa_walk(program, args, 8, STEPS, NULL, NULL, &cycles, NULL);
		isa_disassemble(program, on_line, &sink);
		run(program, args);
		isa_program_destroy(program);
	}
	free(payload);
	return false;
}
