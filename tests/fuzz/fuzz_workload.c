/* SPDX-License-Identifier: MIT
 * fuzz_workload.c - sections as a hostile package would have them, through the runtime core's verifier and, where it accepts them, through a run that
 * counts. Input: sections one behind the other, each {u32 type, u32 stride, u32 count} and its bytes. */
#include "rt/rt.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 32 };

/* Tensors that axes read lengths and indices from: bound to small memory where they are small, so that rows are walked. */
enum { TENSORS = 8, ELEMENTS = 64 };

static ptowsp_status cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	(void)context, (void)args;
	*cycles_out = kernel + 1;
	return PTOWSP_OK;
}

static ptowsp_status footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	(void)context, (void)args;
	touch(sink, 0, kernel, 4, 0, PTOWSP_READ);
	touch(sink, 1, -(int64_t)kernel, UINT64_MAX, 0, PTOWSP_WRITE);
	return kernel == 3 ? PTOWSP_UNSUPPORTED : PTOWSP_OK;
}

static int varies(void *context, uint32_t kernel)
{
	(void)context;
	return kernel == 1;
}

/* A clock that goes on by being looked at: a run ends after so many looks, whatever the machine has to do besides, and does the same each time. What is not hostile
 * takes six at most. */
enum { LOOKS = 8, LOOK_NS = 100000 };
static uint64_t clock_ns;

static uint64_t now_ns(void *context)
{
	(void)context;
	return clock_ns += LOOK_NS;
}

static uint32_t sections_cut(const uint8_t *data, size_t size, struct ptowsp_section *sections, void **copies)
{
	uint32_t count = 0, head[3];

	while (count < SECTIONS && size >= sizeof(head)) {
		uint64_t bytes;

		memcpy(head, data, sizeof(head));
		data += sizeof(head), size -= sizeof(head);
		bytes = (uint64_t)head[1] * head[2];
		if (bytes > size)
			break;
		copies[count] = malloc(bytes + 1); /* its own block: a read beyond it is seen */
		memcpy(copies[count], data, bytes);
		sections[count] = (struct ptowsp_section){head[0], head[1], head[2], copies[count]};
		data += bytes, size -= bytes;
		count++;
	}
	return count;
}

/* Every TENS row of one dimension, as the program sees it, with numbers that are mostly good lengths. */
static uint32_t tensors_bind(const struct ptowsp_section *sections, uint32_t count, struct ptowsp_binding *bindings, void *memory)
{
	static const uint8_t bytes[] = {
		[PTOWSP_I8] = 1, [PTOWSP_I16] = 2, [PTOWSP_I32] = 4, [PTOWSP_I64] = 8, [PTOWSP_U8] = 1, [PTOWSP_U16] = 2, [PTOWSP_U32] = 4, [PTOWSP_U64] = 8};
	uint32_t bound = 0;

	for (uint32_t s = 0; s < count; s++)
		for (uint64_t t = 0; sections[s].type == PTOWSP_SECTION_TENS && t < sections[s].count && bound < TENSORS; t++) {
			struct ptowsp_tensor_record tensor = {.dim_count = 0};
			size_t part = sections[s].stride < sizeof(tensor) ? sections[s].stride : sizeof(tensor);

			memcpy(&tensor, (const char *)sections[s].data + t * sections[s].stride, part);
			if (!(tensor.flags & PTOWSP_TENSOR_SHAPELESS) || tensor.dtype >= sizeof(bytes) || !bytes[tensor.dtype])
				continue;
			bindings[bound++] = (struct ptowsp_binding){
				.data = memory, .elements = ELEMENTS, .extents = {ELEMENTS}, .tensor = (uint32_t)t, .dtype = tensor.dtype, .rank = 1};
		}
	return bound;
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptowsp_section sections[SECTIONS];
	void *copies[SECTIONS];
	struct ptowsp_cap caps[256];
	struct ptowsp_host host = {.head = PTOWSP_HEAD(host, HOST), .now_ns = now_ns};
	const struct rt_kernels kernels = {.cycles = cycles, .footprint = footprint, .varies = varies};
	struct rt_program_args args = {.sections = sections, .section_stride = sizeof(*sections), .kernels = &kernels, .host = &host, .caps = caps};
	struct ptowsp_run_args run = {.head = PTOWSP_HEAD(run, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS | PTOWSP_RUN_STRICT, .max_tasks = 300};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_run_args how = {.args = &run};
	struct rt_program *program;

	struct ptowsp_binding bindings[TENSORS];
	int64_t memory[ELEMENTS];

	for (int i = 0; i < ELEMENTS; i++)
		memory[i] = i % 7 == 6 ? -1 : i % 5;
	args.cap_count = rt_capabilities(caps, 256);
	args.section_count = sections_cut(data, size, sections, copies);
	if (!rt_program_create(&program, &args, NULL)) {
		run.deadline_ns = now_ns(NULL) + LOOKS * LOOK_NS;
		run.bindings = bindings;
		run.binding_stride = sizeof(*bindings);
		run.binding_count = tensors_bind(sections, args.section_count, bindings, memory);
		rt_run(program, &how, &stats, NULL, NULL);
		rt_program_destroy(program);
	}
	for (uint32_t i = 0; i < args.section_count; i++)
		free(copies[i]);
	return false;
}
