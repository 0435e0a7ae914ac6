/* SPDX-License-Identifier: MIT */
/* bench_tasks.c - tasks per millisecond of the runtime core on the llama layer, with kernels that do nothing.
 *
 * Expansion: bytecode to tasks, regions to edges, semantic clock, without calling kernels. End to end: the same and every task
 * called. Execution: the recorded graph, linked in the task ring as a whole before the clock starts, drained through the ready
 * queue. M iterations give the seed's sizes, 1K to 16K rows in tiles of 64. The seed's figures are for building the whole graph in memory, by its README; its rule is exact keys, RAW only. */
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench.h"
#include "tools/bench_drain.h"
#include "tools/bench_layer.h"

#define PATH_SIZE 4096
#define WINDOW 8192 /* tasks in flight: the default, stated because a run without kernels has none otherwise */

static const struct size {
	const char *name;
	uint32_t iterations; /* M */
	const char *seed; /* tasks per ms, README of the seed, Mac ARM64 */
} sizes[] = {
	{"llama_layer 1K", 16, "7111 (seed, claimed)"},	  {"llama_layer 2K", 32, "8072 (seed, claimed)"},
	{"llama_layer 4K", 64, "7849 (seed, claimed)"},	  {"llama_layer 8K", 128, "6021 (seed, claimed)"},
	{"llama_layer 16K", 256, "5868 (seed, claimed)"},
};

static void row_print(const struct size *size, const char *measure, const char *unit, const struct bench_series *series,
		      const char *reference)
{
	struct bench_row row = {.benchmark = "tasks", .subject = size->name, .measure = measure, .unit = unit, .series = *series,
				.reference = reference};

	bench_table_row(&row);
}

static void one_print(const struct size *size, const char *measure, const char *unit, double value, const char *reference)
{
	struct bench_series series = {0};

	bench_series_add(&series, value);
	row_print(size, measure, unit, &series, reference);
}

/* One kind of run, repeated: tasks per ms. */
static ptowsp_status rate_measure(const struct bench_options *options, const struct size *size, struct bench_layer *layer,
				  uint32_t flags, struct bench_series *rates, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (unsigned r = 0; !st && r < options->reps; r++) {
		struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
		uint64_t began = bench_now_ns();

		st = bench_layer_run(layer, flags, NULL, &stats, error);
		bench_series_add(rates, (double)bench_layer_tasks(size->iterations) * 1e6 / (double)(bench_now_ns() - began));
	}
	return st;
}

/* The graph is recorded once and drained as often as asked. */
static ptowsp_status drain_measure(const struct bench_options *options, const struct size *size, struct bench_layer *layer,
				   struct bench_series *rates, struct ptowsp_error *error)
{
	struct bench_recording recording = {.tasks = bench_layer_tasks(size->iterations)};
	struct rt_sinks sinks = {.context = &recording, .edge = bench_recording_add};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	ptowsp_status st = bench_layer_run(layer, PTOWSP_RUN_NO_KERNELS, &sinks, &stats, error);

	for (unsigned r = 0; !st && r < options->reps; r++) {
		double ns = 0;

		st = bench_drain(&recording, layer->pool, &ns);
		bench_series_add(rates, (double)recording.tasks * 1e6 / ns);
	}
	bench_recording_finish(&recording);
	return st;
}

static uint64_t in_flight(const struct ptowsp_run_stats *stats)
{
	for (uint32_t i = 0; i < stats->resource_count; i++) {
		const struct ptowsp_resource_stats *r =
			(const void *)((const char *)stats->resources + (size_t)i * stats->resource_stride);

		if (r->resource == PTOWSP_RESOURCE_TASK_RING)
			return r->high_water;
	}
	return 0;
}

/* What a first run needs. */
struct memory {
	ptowsp_status status;
	uint64_t in_flight, bytes;
	struct ptowsp_error error;
};

/* In a process of its own: what loading and the first run add to the resident memory at its peak. */
static void memory_fill(const struct bench_options *options, const struct size *size, const char *path, struct memory *m)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct bench_layer layer;
	uint64_t before, peak;

	bench_peak_reset();
	before = bench_resident_bytes();
	m->status = bench_layer_init(&layer, path, size->iterations, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_HAZARDS_FULL, WINDOW,
				     options->threads, &m->error);
	if (!m->status)
		m->status = bench_layer_run(&layer, 0, NULL, &stats, &m->error);
	peak = bench_peak_bytes();
	m->bytes = peak > before ? peak - before : 0;
	m->in_flight = in_flight(&stats);
	bench_layer_finish(&layer);
}

/* Forks, because memory that an earlier measurement gave back would be used again and not be counted. */
static void memory_fork(const struct bench_options *options, const struct size *size, const char *path, struct memory *m)
{
	int ends[2];
	pid_t child = pipe(ends) ? -1 : fork();

	if (child == 0) {
		memory_fill(options, size, path, m);
		_exit(write(ends[1], m, sizeof(*m)) == (ssize_t)sizeof(*m) ? 0 : 1);
	}
	m->status = PTOWSP_NO_MEMORY;
	if (child < 0)
		return;
	close(ends[1]);
	if (read(ends[0], m, sizeof(*m)) != (ssize_t)sizeof(*m))
		m->status = PTOWSP_RUN_FAILED;
	close(ends[0]);
	waitpid(child, NULL, 0);
}

static ptowsp_status memory_measure(const struct bench_options *options, const struct size *size, const char *path,
				    struct ptowsp_error *error)
{
	struct memory m = {.error = {.head = PTOWSP_HEAD(m.error, ERROR)}};

	memory_fork(options, size, path, &m);
	*error = m.error;
	if (m.status || !m.in_flight)
		return m.status;
	one_print(size, "most tasks in flight", "tasks", (double)m.in_flight, "-");
	one_print(size, "memory per task in flight", "bytes", (double)m.bytes / (double)m.in_flight, "2864 (seed)");
	one_print(size, "peak memory of program and run", "bytes", (double)m.bytes, "-");
	return PTOWSP_OK;
}

static ptowsp_status size_measure(const struct bench_options *options, const struct size *size, const char *path,
				  struct ptowsp_error *error)
{
	struct bench_series raw = {0}, full = {0}, executed = {0}, whole = {0};
	struct bench_layer layer;
	ptowsp_status st;

	one_print(size, "tasks", "tasks", (double)bench_layer_tasks(size->iterations), "-");
	st = bench_layer_init(&layer, path, size->iterations, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_HAZARDS_RAW, WINDOW,
			      options->threads, error);
	if (!st)
		st = rate_measure(options, size, &layer, PTOWSP_RUN_NO_KERNELS, &raw, error);
	bench_layer_finish(&layer);
	if (!st)
		st = bench_layer_init(&layer, path, size->iterations, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_HAZARDS_FULL, WINDOW,
				      options->threads, error);
	if (!st)
		st = rate_measure(options, size, &layer, PTOWSP_RUN_NO_KERNELS, &full, error);
	if (!st)
		st = rate_measure(options, size, &layer, 0, &whole, error);
	if (!st)
		st = drain_measure(options, size, &layer, &executed, error);
	bench_layer_finish(&layer);
	if (st)
		return st;
	row_print(size, "expansion, exact keys, raw hazards", "tasks/ms", &raw, size->seed);
	row_print(size, "expansion, exact keys, full hazards", "tasks/ms", &full, "-");
	row_print(size, "execution of the built graph", "tasks/ms", &executed, "-");
	row_print(size, "end to end, exact keys, full hazards", "tasks/ms", &whole, size->seed);
	return st;
}

int bench_tasks(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char path[PATH_SIZE];
	ptowsp_status st = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", options->packages);
	fflush(stdout);
	for (size_t i = 0; !st && i < sizeof(sizes) / sizeof(*sizes); i++)
		st = memory_measure(options, &sizes[i], path, &error);
	for (size_t i = 0; !st && i < sizeof(sizes) / sizeof(*sizes); i++)
		st = size_measure(options, &sizes[i], path, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench tasks: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
