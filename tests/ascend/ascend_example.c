/* SPDX-License-Identifier: MIT */
/* ascend_example.c - plan, kernels and arguments of the vector example. */
#include "tests/ascend/ascend_example.h"

#include <stdlib.h>
#include <string.h>

#include "ascend/plan/plan_build.h"

enum { PLUS, PLUS_SCALAR, TIMES };

struct ascend_example_record {
	struct ascend_call call;
	uint32_t kernel, inputs;
	_Atomic uint32_t *calls;
};

static const float *at(const int64_t *args, uint32_t index)
{
	const struct ascend_tensor *tensor = (const struct ascend_tensor *)(uintptr_t)args[index];

	return (const float *)(uintptr_t)tensor->addr + tensor->start;
}

static float scalar_at(const int64_t *args, uint32_t index)
{
	float value;

	memcpy(&value, &args[index], sizeof(value));
	return value;
}

static void kernel_run(const struct ascend_call *call, const int64_t *args)
{
	const struct ascend_example_record *record = (const struct ascend_example_record *)call;
	const float *x = at(args, 1), *y = at(args, 2);
	float *to = (float *)(uintptr_t)at(args, 1 + record->inputs);

	(*record->calls)++;
	for (uint32_t i = 0; i < ASCEND_EXAMPLE_LENGTH; i++)
		to[i] = record->kernel == PLUS ? x[i] + y[i] : record->kernel == TIMES ? x[i] * y[i] : x[i] + scalar_at(args, 3);
}

static void window_add(struct ascend_plan_build *build, uint32_t entry, uint8_t dtype, uint64_t start, uint32_t length)
{
	ascend_plan_window_add(
		build,
		&(struct ascend_plan_window){
			.start = start, .entry = entry, .dtype = dtype, .access = 3, .ndims = 1, .contiguous = 1, .shapes = {length, 1}, .strides = {1, 1}});
}

/* tensors: inputs and the output, by place in data. after: one bit per earlier task. */
static void task_add(struct ascend_example *example, struct ascend_plan_build *build, uint32_t kernel, const uint32_t *tensors, float scalar, uint32_t after)
{
	uint32_t number = example->record_count++, count = kernel == PLUS_SCALAR ? 2 : 3;
	uint64_t bits = 0;

	example->records[number] = (struct ascend_example_record){{kernel_run}, kernel, count - 1, &example->calls};
	ascend_plan_step_add(build, &(struct ascend_plan_step){.number = number, .function = kernel, .blocks = 1, .shape = ASCEND_SHAPE_VECTOR});
	for (uint32_t i = 0; i < number; i++)
		if (after >> i & 1)
			ascend_plan_edge_add(build, i);
	window_add(build, ASCEND_ENTRY_CALLS, ASCEND_U8, number * sizeof(struct ascend_example_record), sizeof(struct ascend_example_record));
	for (uint32_t i = 0; i < count; i++)
		window_add(build, ASCEND_ENTRY_FIRST + tensors[i], ASCEND_F32, 0, ASCEND_EXAMPLE_LENGTH);
	memcpy(&bits, &scalar, sizeof(scalar));
	if (kernel == PLUS_SCALAR)
		ascend_plan_scalar_add(build, bits);
}

static void plan_make(struct ascend_example *example)
{
	struct ptowsp_error error;
	struct ascend_plan_build build = {0};
	enum { A, B, F, C, D, E, G };

	example->records = calloc(8, sizeof(*example->records));
	task_add(example, &build, PLUS, (const uint32_t[]){A, B, C}, 0, 0);
	task_add(example, &build, PLUS_SCALAR, (const uint32_t[]){C, D}, 1, 1);
	task_add(example, &build, PLUS_SCALAR, (const uint32_t[]){C, E}, 2, 1);
	task_add(example, &build, TIMES, (const uint32_t[]){D, E, G}, 0, 6);
	task_add(example, &build, PLUS, (const uint32_t[]){G, C, F}, 0, 9);
	REQUIRE_INT(ascend_plan_block_make(&build, &example->plan, &error), PTOWSP_OK);
	ascend_plan_build_finish(&build);
}

static void entry_set(struct ascend_example *example, uint32_t index, const void *data, uint64_t count, uint8_t dtype, uint8_t space)
{
	example->args.tensors[index] = (struct ascend_tensor){.addr = (uintptr_t)data,
							      .bytes = count * (dtype == ASCEND_U8 ? 1 : 4),
							      .owner = ASCEND_NO_TASK,
							      .ndims = 1,
							      .dtype = dtype,
							      .is_contiguous = 1,
							      .address_space = space,
							      .shapes = {(uint32_t)count},
							      .strides = {1},
							      .extent = count};
}

static void args_make(struct ascend_example *example, const char *variant)
{
	entry_set(example, ASCEND_ENTRY_PLAN, example->plan, example->plan->bytes, ASCEND_U8, ASCEND_HOST);
	entry_set(example, ASCEND_ENTRY_CALLS, example->records, 8 * sizeof(struct ascend_example_record), ASCEND_U8, ASCEND_DEVICE);
	for (uint32_t i = 0; i < ASCEND_EXAMPLE_TENSORS; i++)
		entry_set(example, ASCEND_ENTRY_FIRST + i, example->data[i], ASCEND_EXAMPLE_LENGTH, ASCEND_F32, i < 3 ? ASCEND_HOST : ASCEND_DEVICE);
	example->args.tensor_count = ASCEND_ENTRY_FIRST + ASCEND_EXAMPLE_TENSORS;
	example->args.scalar_count = 1;
	example->args.scalars[ASCEND_ENTRY_ADDRESS] = strcmp(variant, ASCEND_HOST_GRAPH) ? 0 : (uintptr_t)example->plan;
}

static void callable_make(struct ascend_example *example)
{
	const int32_t directions[] = {ASCEND_IN, ASCEND_IN, ASCEND_IN, ASCEND_IN, ASCEND_OUT, ASCEND_INOUT, ASCEND_INOUT, ASCEND_INOUT, ASCEND_INOUT};
	struct ascend_kernel_object kernels[3];
	struct ascend_callable_args args = {
		example->objects.orchestration, example->objects.orchestration_size, kernels, 3, directions, ASCEND_ENTRY_FIRST + ASCEND_EXAMPLE_TENSORS};
	struct ptowsp_error error;
	void *block;

	for (int32_t i = 0; i < 3; i++)
		kernels[i] = (struct ascend_kernel_object){i, example->objects.kernel, example->objects.kernel_size};
	REQUIRE_INT(ascend_callable_make(&block, &args, &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_register(example->client, block, &example->callable, &error), PTOWSP_OK);
	free(block);
}

struct ascend_example *ascend_example_open(const char *root, const char *variant)
{
	const struct ascend_which which = {root, "a2a3", variant, false};
	struct ptowsp_error error;
	struct ascend_example *example = aligned_alloc(64, (sizeof(*example) + 63) / 64 * 64);

	memset(example, 0, sizeof(*example));
	REQUIRE_INT(ascend_objects_make(&example->objects, &which, check_fmt("%s/test/ascend_cache", check_build()), &error), PTOWSP_OK);
	REQUIRE_INT(ascend_client_open(&example->client, &which, 0, &error), PTOWSP_OK);
	for (uint32_t i = 0; i < ASCEND_EXAMPLE_TENSORS; i++)
		example->data[i] = calloc(ASCEND_EXAMPLE_LENGTH, sizeof(float));
	for (uint32_t i = 0; i < ASCEND_EXAMPLE_LENGTH; i++) {
		example->data[0][i] = 2;
		example->data[1][i] = 3;
	}
	plan_make(example);
	args_make(example, variant);
	callable_make(example);
	return example;
}

void ascend_example_close(struct ascend_example *example)
{
	for (uint32_t i = 0; i < ASCEND_EXAMPLE_TENSORS; i++)
		free(example->data[i]);
	ascend_client_close(example->client);
	ascend_objects_finish(&example->objects);
	free(example->plan);
	free(example->records);
	free(example);
}

char *ascend_example_log(struct ascend_example *example, const char *path)
{
	char *log;

	ascend_example_close(example);
	unsetenv("FAKE_LOG");
	log = check_read(path, NULL);
	REQUIRE(log != NULL);
	CHECK(!strstr(log, "WRONG"));
	return log;
}

ptowsp_status ascend_example_run(struct ascend_example *example, struct ptowsp_error *error)
{
	return ascend_client_run(example->client, example->callable, &example->args, &example->config, NULL, error);
}

const char *ascend_example_fakes(void)
{
	return check_fmt("%s/fakes/simpler", check_build());
}

bool ascend_example_has_compilers(void)
{
	return !check_run("g++ --version && gcc --version", NULL, NULL);
}
