/* SPDX-License-Identifier: MIT
 * array_trial.c - a device from its text, run. */
#include "tests/aie/array_trial.h"

#include <string.h>

#include "tests/check.h"

static ptowsp_status on_memories(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct array_trial *trial = context;
	struct content *wanted = ran ? trial->out : trial->in;

	(void)error;
	for (uint32_t w = 0; w < MEMORIES && wanted[w].name; w++) {
		bool met = false;

		for (uint32_t i = 0; i < count; i++) {
			if (strcmp(memories[i].name, wanted[w].name) != 0)
				continue;
			met = CHECK_UINT(memories[i].size, wanted[w].size);
			memcpy(ran ? wanted[w].bytes : memories[i].bytes, ran ? memories[i].bytes : wanted[w].bytes, wanted[w].size);
		}
		if (!met)
			CHECK_FAIL("there is no memory %s", wanted[w].name);
	}
	return PTOWSP_OK;
}

ptowsp_status array_trial_run(struct array_trial *trial, const char *text)
{
	struct aie_module module = {0};
	struct aie_array_device device;
	struct aie_array_args args = {.module = &module,
				      .device = &device,
				      .arch = trial->arch,
				      .values = trial->values,
				      .value_count = trial->value_count,
				      .kernels = trial->kernels,
				      .buffering = trial->buffering,
				      .max_events = 1000000,
				      .cancel = trial->cancel,
				      .memories = on_memories,
				      .memories_context = trial};
	ptowsp_status status;

	trial->error = (struct ptowsp_error){.head = PTOWSP_HEAD(trial->error, ERROR)};
	status = aie_module_read(&module, text, strlen(text), &trial->error);
	if (!status && !CHECK(aie_array_device_find(&module, trial->number, &device)))
		status = PTOWSP_INVALID;
	if (!status)
		status = aie_array_run(&args, &trial->report, &trial->stats, &trial->error);
	aie_module_finish(&module);
	return status;
}
