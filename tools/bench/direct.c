/* SPDX-License-Identifier: MIT */
/* direct.c - a client of the pto-runtime that PTO_RUNTIME_DIR names, without package, host and plugin: tasks that do nothing, of an orchestration and a kernel of its own (direct/),
 * loaded as the engine loads its own. */
#include "tools/bench/programs.h"

#include "ascend/engine/callable.h"
#include "ascend/engine/client.h"
#include "ascend/engine/compile.h"
#include "registry/variable.h"
#include <stdlib.h>
#include <string.h>

extern const struct isa_text direct_sources[]; /* made by tools/ninja/embed */

static struct direct {
	struct ascend_client *client;
	struct ascend_objects objects;
	int32_t callable;
	float *words; /* one per task */
	uint32_t count;
	struct ascend_entry_args args;
} direct;

static ptowsp_status callable_register(struct ptowsp_error *error)
{
	const struct ascend_kernel_object kernel = {0, direct.objects.kernel, direct.objects.kernel_size};
	const int32_t directions[] = {ASCEND_INOUT};
	const struct ascend_callable_args args = {direct.objects.orchestration, direct.objects.orchestration_size, &kernel, 1, directions, 1};
	void *block = NULL;
	ptowsp_status status = ascend_callable_make(&block, &args, error);

	if (!status)
		status = ascend_client_register(direct.client, block, &direct.callable, error);
	free(block);
	return status;
}

static void args_set(bool mapped)
{
	direct.args.tensors[0] = (struct ascend_tensor){.addr = (uintptr_t)direct.words,
							.bytes = direct.count * sizeof(float),
							.owner = ASCEND_NO_TASK,
							.ndims = 1,
							.dtype = ASCEND_F32,
							.is_contiguous = 1,
							.address_space = ASCEND_DEVICE, /* as the engine's, which are not copied either */
							.shapes = {direct.count},
							.strides = {1},
							.extent = direct.count};
	direct.args.scalars[0] = mapped;
	direct.args.tensor_count = direct.args.scalar_count = 1;
}

static ptowsp_status direct_open(uint32_t count, struct ptowsp_error *error)
{
	const struct ascend_which which = {reg_variable("PTO_RUNTIME_DIR"), "a2a3", ASCEND_TASK_BUFFER, false};
	ptowsp_status status;

	direct.count = count;
	direct.words = calloc(count, sizeof(float));
	status = direct.words ? ascend_objects_of(&direct.objects, direct_sources, &which, NULL, error) : PTOWSP_NO_MEMORY;
	if (!status)
		status = ascend_client_open(&direct.client, &which, 0, error);
	return status ? status : callable_register(error);
}

void bench_direct_close(void)
{
	ascend_client_close(direct.client);
	ascend_objects_finish(&direct.objects);
	free(direct.words);
	direct = (struct direct){0};
}

/* "direct mapped 524288": the runtime finds by its map that nobody comes behind anybody; "stated": it does not look. */
static ptowsp_status run(const struct bench_program *p, bench_clock *clock, double *value_out, struct ptowsp_error *error)
{
	static const struct ascend_call_config config;
	ptowsp_status status = PTOWSP_OK;
	uint32_t count = 0;
	char how[16] = "";
	uint64_t began;

	if (sscanf(p->hand, "direct %15s %*u %u", how, &count) < 2)
		sscanf(p->hand, "direct %15s %u", how, &count);
	if (!direct.client)
		status = direct_open(count, error);
	args_set(!strcmp(how, "mapped"));
	began = clock();
	if (!status)
		status = ascend_client_run(direct.client, direct.callable, &direct.args, &config, NULL, error);
	*value_out = (double)(clock() - began) / 1e6;
	return status;
}

ptowsp_status bench_direct_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	return run(((const struct bench_program *)context)->of, bench_now_ns, value_out, error);
}

ptowsp_status bench_direct_processor_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	return run(((const struct bench_program *)context)->of, bench_processor_ns, value_out, error);
}
