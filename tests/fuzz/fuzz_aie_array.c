/* SPDX-License-Identifier: MIT */
/* fuzz_aie_array.c - any bytes as devices that some tool wrote: refused with one sentence, or built and run a while, with the same outcome, time and memory each time. */
#include "aie/array/array.h"

#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEVICES = 3, EVENTS = 3000, HOST_BYTES = 1 << 20 };

struct outcome {
	ptowsp_status status;
	uint64_t sum, cycles, events;
	char text[sizeof(((struct ptowsp_error *)0)->text)];
};

/* A kernel that touches all that it may: the first and the last byte of each argument. */
static ptowsp_status on_kernel(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;

	(void)context, (void)error;
	for (uint32_t i = 0; i < type->inputs; i++) {
		const uint64_t bytes = aie_type_bytes(type->parts[i]);
		uint8_t *memory = call->memrefs[i];

		if (type->parts[i]->kind != AIE_TYPE_MEMREF || type->parts[i]->strided || !bytes)
			continue;
		memory[0]++;
		memory[bytes - 1]++;
	}
	*cycles_out = 7;
	return PTOWSP_OK;
}

static ptowsp_status on_memories(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct outcome *outcome = context;

	(void)error;
	for (uint32_t i = 0; ran && i < count; i++)
		for (uint64_t b = 0; b < memories[i].size && b < HOST_BYTES; b++)
			outcome->sum = outcome->sum * 31 + memories[i].bytes[b];
	return PTOWSP_OK;
}

static void run(const struct aie_module *module, const struct aie_array_device *device, struct outcome *outcome)
{
	const struct aie_array_args args = {.module = module,
					    .device = device,
					    .kernels = {.call = on_kernel},
					    .buffering = 4,
					    .max_events = EVENTS,
					    .memories = on_memories,
					    .memories_context = outcome};
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct aie_array_report report;
	struct aie_sim_stats stats = {0};

	*outcome = (struct outcome){.sum = 0};
	outcome->status = aie_array_run(&args, &report, &stats, &error);
	if (outcome->status && (error.code != outcome->status || !*error.text || strchr(error.text, '\n')))
		abort();
	if (!*aie_array_outcome(outcome->status, &report, &stats))
		abort();
	outcome->cycles = stats.cycles;
	outcome->events = stats.events;
	memcpy(outcome->text, error.text, sizeof(outcome->text));
	aie_sim_finish(&stats);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct aie_module module = {0};
	struct aie_array_device device;

	if (aie_module_read(&module, (const char *)data, size, &error))
		return false;
	for (uint32_t i = 0; i < DEVICES && aie_array_device_find(&module, i, &device); i++) {
		struct outcome first, second;

		run(&module, &device, &first);
		run(&module, &device, &second);
		if (first.status != second.status || first.sum != second.sum || first.cycles != second.cycles || first.events != second.events ||
		    (first.status && strcmp(first.text, second.text)))
			abort();
	}
	aie_module_finish(&module);
	return false;
}
