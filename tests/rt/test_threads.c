/* SPDX-License-Identifier: MIT
 * test_threads.c - semantic time is a function of the package: the same numbers with 1, 2 and 8 threads, over 100 runs each. */
#include "tests/check.h"

#include "tests/corpus.h"
#include <stdlib.h>
#include <string.h>

#define RUNS      100u
#define RESOURCES 8u

/* Kernels of different lengths, chains and fans, a buffer that is used again and again. */
static const char source[] = "// PTO Module: threads\n"
			     "// Entry: @mixed\n"
			     "// Function Type: InCore\n"
			     "func @double_it(%input: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {\n"
			     "  %x = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %x = tload %input[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
			     "  %x = tadd %x, %x : !pto.tile<8x8xf32>\n"
			     "  tstore %x, %output[0, 0]\n"
			     "  return\n"
			     "}\n"
			     "// Function Type: InCore\n"
			     "func @add_small(%input_a: !pto.memref<gm,...,f32>, %input_b: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {\n"
			     "  %x = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %y = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %x = tload %input_a[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
			     "  %y = tload %input_b[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
			     "  %x = tmuls %x, %0.5 : !pto.tile<8x8xf32>, f32\n"
			     "  %x = tadd %x, %y : !pto.tile<8x8xf32>\n"
			     "  tstore %x, %output[0, 0]\n"
			     "  return\n"
			     "}\n"
			     "// Function Type: InCore\n"
			     "func @multiply(%input_a: !pto.memref<gm,...,f32>, %input_b: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {\n"
			     "  %x = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %y = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %z = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %x = tload %input_a[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
			     "  %y = tload %input_b[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
			     "  %z = tmatmul %x, %y : (!pto.tile<8x8xf32>, !pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>\n"
			     "  tstore %z, %output[0, 0]\n"
			     "  return\n"
			     "}\n"
			     "// Function Type: Orchestration\n"
			     "func @mixed(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>, "
			     "%s: !pto.memref<gm,...,f32>) {\n"
			     "  FOR %i:idx, 0:idx, 12:idx, 1:idx\n"
			     "    CALL @double_it(%input -> (%a, i, 0), %output -> (%b, i, 0))\n"
			     "    FOR %k:idx, 0:idx, 3:idx, 1:idx\n"
			     "      CALL @multiply(%input_a -> (%b, i, 0), %input_b -> (%a, k, 0), %output -> (%s, k, 0))\n"
			     "      CALL @add_small(%input_a -> (%s, k, 0), %input_b -> (%c, i, 0), %output -> (%c, i, 0))\n"
			     "    ENDFOR\n"
			     "  ENDFOR\n"
			     "  return\n"
			     "}\n";

/* What must not differ. */
struct figures {
	uint64_t cycles, tasks, edges, executors, trace;
	struct {
		uint64_t capacity, high_water, stall_count, stall_cycles;
	} resources[RESOURCES];
	uint64_t output; /* of the last run's elements */
};

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	uint64_t *hash = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *t = (const void *)((const char *)tasks + (size_t)i * stride);
		const uint64_t facts[] = {t->task, t->start, t->end, t->kernel, t->executor, t->stream};

		*hash = *hash * UINT64_C(0x100000001B3) ^ ptowsp_id((const char *)facts, sizeof(facts));
	}
}

static void figures_take(struct figures *f, const struct ptowsp_run_stats *stats)
{
	f->cycles = stats->total_cycles;
	f->tasks = stats->tasks;
	f->edges = stats->edges;
	f->executors = stats->executors;
	for (uint32_t i = 0; i < stats->resource_count && i < RESOURCES; i++) {
		const struct ptowsp_resource_stats *r = (const void *)((const char *)stats->resources + (size_t)i * stats->resource_stride);

		f->resources[i].capacity = r->capacity;
		f->resources[i].high_water = r->high_water;
		f->resources[i].stall_count = r->stall_count;
		f->resources[i].stall_cycles = r->stall_cycles;
	}
}

static void input_set(float *data, uint32_t elements)
{
	for (uint32_t i = 0; i < elements; i++)
		data[i] = (float)(i % 17) / 16;
}

/* One run with fresh data. */
static void figures_run(struct figures *f, struct ptowsp_program *program, float data[4][12 * 64])
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	memset(f, 0, sizeof(*f));
	for (unsigned t = 0; t < 4; t++)
		input_set(data[t], 12 * 64);
	ptowsp_trace_attach(program, on_tasks, &f->trace, &error);
	if (ptowsp_execute(program, NULL, &error))
		CHECK_FAIL("%s", error.text);
	figures_take(f, ptowsp_stats(program));
	f->output = ptowsp_id((const char *)data[2], sizeof(data[2]));
}

static bool figures_differ(const struct figures *a, const struct figures *b)
{
	return memcmp(a, b, sizeof(*a)) != 0;
}

static struct ptowsp_program *program_load(const struct ptowsp_plan *plan, unsigned threads, float data[4][12 * 64])
{
	static const char *const names[] = {"a", "b", "c", "s"};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_program *program = NULL;
	ptowsp_status status = ptowsp_program_load(&program, corpus_backend(threads), plan, 0, &error);

	for (unsigned i = 0; !status && i < 4; i++)
		status = ptowsp_tensor_bind(program, names[i], data[i], 12 * 64, &error);
	if (status)
		CHECK_FAIL("%s", error.text);
	return program;
}

/* 100 runs with each number of threads under one schedule; gives the figures of the first. */
static struct figures schedule_check(const char *const *schedule, uint32_t count)
{
	static const unsigned threads[] = {1, 2, 8};
	static float data[4][12 * 64];
	struct ptowsp_plan_options options = {.schedule = schedule, .schedule_count = count};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct figures first = {0}, now;
	struct ptowsp_plan *plan = NULL;
	void *bytes;
	struct ptowsp_package *package = corpus_compile("threads.pto", source, sizeof(source) - 1, &bytes);

	if (package && ptowsp_plan_create(&plan, package, &options, &error))
		CHECK_FAIL("%s", error.text);
	for (size_t t = 0; plan && t < sizeof(threads) / sizeof(*threads); t++) {
		struct ptowsp_program *program = program_load(plan, threads[t], data);
		uint32_t different = 0;

		for (unsigned run = 0; program && run < RUNS; run++) {
			figures_run(&now, program, data);
			if (!run && !t)
				first = now;
			different += figures_differ(&first, &now);
		}
		if (different)
			CHECK_FAIL("%u of %u runs with %u threads differ: %llu cycles instead of %llu", different, RUNS, threads[t],
				   (unsigned long long)now.cycles, (unsigned long long)first.cycles);
		ptowsp_program_unload(program);
	}
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	free(bytes);
	return first;
}

#define CHECK_SCHEDULE(...) schedule_check((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

TEST(cycles_are_the_same_with_any_number_of_threads)
{
	struct figures f = CHECK_SCHEDULE("dispatch=round_robin(4)");

	CHECK_UINT(f.tasks, 12 * 7);
	CHECK(f.cycles > 0);
}

TEST(cycles_are_the_same_with_a_narrow_window)
{
	struct figures f = CHECK_SCHEDULE("dispatch=work_steal(3)", "task_window=8");

	CHECK_UINT(f.tasks, 12 * 7);
	CHECK(f.resources[0].stall_count > 0);
	CHECK_UINT(f.resources[0].high_water, 8);
}

TEST(cycles_are_the_same_with_a_pipeline_depth)
{
	struct figures wide = CHECK_SCHEDULE("dispatch=round_robin(4)"), narrow = CHECK_SCHEDULE("dispatch=round_robin(4)", "pipeline_depth=1");

	CHECK(narrow.cycles > wide.cycles);
	CHECK_UINT(narrow.output, wide.output);
}
