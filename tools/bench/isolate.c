/* SPDX-License-Identifier: MIT */
/* isolate.c - what it costs to run a plugin in a process of its own: one run, and starting it. All ways in turns, each on a worker that is running. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "host/ptowsp_host.h"
#include "tools/bench/bench.h"

enum { WAYS = 4, RUNS = 50, ELEMENTS = 2048 };

/* One backend of each kind with the program loaded. */
static struct way {
	const char *subject;
	uint32_t isolate;
	bool copies; /* tensors in memory of the caller */
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
} ways[WAYS] = {
	{.subject = "vector_add, none", .isolate = PTOWSP_ISOLATE_NONE},
	{.subject = "vector_add, process", .isolate = PTOWSP_ISOLATE_PROCESS},
	{.subject = "vector_add, sandbox", .isolate = PTOWSP_ISOLATE_SANDBOX},
	{.subject = "vector_add, process, tensors copied", .isolate = PTOWSP_ISOLATE_PROCESS, .copies = true},
};

struct bench_isolate {
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	float tensors[3][ELEMENTS];
	struct ptowsp_error error;
	ptowsp_status st;
};

static struct ptowsp_backend_options backend_options(const struct way *way)
{
	return (struct ptowsp_backend_options){.plugin = "cpu_sim", .threads = 1, .isolate = way->isolate};
}

static void way_open(struct bench_isolate *b, struct way *way)
{
	const struct ptowsp_backend_options options = backend_options(way);
	struct ptowsp_tensor_info info;

	b->st = ptowsp_backend_open(&way->backend, &options, &b->error);
	if (!b->st)
		b->st = ptowsp_program_load(&way->program, way->backend, b->plan, 0, &b->error);
	for (uint32_t i = 0; i < 3 && !b->st && way->copies && ptowsp_plan_tensor(b->plan, i, &info); i++)
		b->st = ptowsp_tensor_bind(way->program, info.name, b->tensors[i], ELEMENTS, &b->error);
}

static void way_close(struct way *way)
{
	ptowsp_program_unload(way->program);
	ptowsp_backend_close(way->backend);
	way->program = NULL;
	way->backend = NULL;
}

/* The host's part of a run, which prepares tensors, is in all of them. */
static double runs_measure(void *context, unsigned w)
{
	struct bench_isolate *b = context;
	const uint64_t began = bench_now_ns();

	for (int i = 0; i < RUNS && !b->st; i++)
		b->st = ptowsp_execute(ways[w].program, NULL, &b->error);
	return (double)(bench_now_ns() - began) / RUNS / 1000;
}

static double open_measure(void *context, unsigned w)
{
	struct bench_isolate *b = context;
	const struct ptowsp_backend_options options = backend_options(&ways[w]);
	struct ptowsp_backend *backend = NULL;
	const uint64_t began = bench_now_ns();
	uint64_t ended;

	if (!b->st)
		b->st = ptowsp_backend_open(&backend, &options, &b->error);
	ended = bench_now_ns();
	ptowsp_backend_close(backend);
	return (double)(ended - began) / 1e6;
}

/* From the kill of a worker to the first call that says so; w counts from the first way with a worker. */
static double end_measure(void *context, unsigned w)
{
	struct bench_isolate *b = context;
	struct way way = {.isolate = ways[w + 1].isolate};
	uint64_t began = 0, ended = 0;
	ptowsp_status st = PTOWSP_OK;

	if (!b->st)
		way_open(b, &way);
	if (!b->st) {
		began = bench_now_ns();
		kill((pid_t)ptowsp_backend_worker(way.backend), SIGKILL);
		while (!st)
			st = ptowsp_execute(way.program, NULL, NULL);
		ended = bench_now_ns();
	}
	if (!b->st && st != PTOWSP_DEVICE_LOST)
		b->st = st;
	way_close(&way);
	return (double)(ended - began) / 1000;
}

/* Repetition by repetition, as they were taken side by side. */
static struct bench_series minus(const struct bench_series *a, const struct bench_series *b)
{
	struct bench_series out = {0};

	for (unsigned i = 0; i < a->count && i < b->count; i++)
		bench_series_add(&out, a->values[i] - b->values[i]);
	return out;
}

static void rows_print(const struct bench_series *runs, const struct bench_series *opens, const struct bench_series *ends)
{
	struct bench_row row = {.benchmark = "isolate", .measure = "one run", .unit = "us"};

	for (unsigned w = 0; w < WAYS; w++) {
		row.subject = ways[w].subject;
		row.series = runs[w];
		bench_table_row(&row);
	}
	for (unsigned w = 1; w < WAYS; w++) {
		row = (struct bench_row){.benchmark = "isolate", .subject = ways[w].subject, .measure = "one run, beyond none", .unit = "us",
					 .series = minus(&runs[w], &runs[0]), .most = ways[w].copies ? 0 : 100};
		bench_table_row(&row);
	}
	for (unsigned w = 0; w < 3; w++) {
		row = (struct bench_row){.benchmark = "isolate", .subject = ways[w].subject, .measure = "opening the plugin", .unit = "ms", .series = opens[w],
					 .most = w ? 5 : 0};
		bench_table_row(&row);
	}
	for (unsigned w = 0; w < 2; w++) {
		row = (struct bench_row){.benchmark = "isolate", .subject = ways[w + 1].subject, .measure = "kill of the worker to the call that says so", .unit = "us", .series = ends[w],
					 .most = 10000};
		bench_table_row(&row);
	}
}

int bench_isolate(const struct bench_options *options)
{
	struct bench_isolate *b = calloc(1, sizeof(*b));
	struct bench_series runs[WAYS] = {0}, opens[WAYS] = {0}, ends[2] = {0};
	char path[4096];

	if (!b)
		return fputs("ptowsp-bench isolate: no memory\n", stderr), 1;
	snprintf(path, sizeof(path), "%s/vector_add.pkg.zst", options->packages);
	b->error = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	b->st = ptowsp_package_open(&b->package, path, 0, &b->error);
	if (!b->st)
		b->st = ptowsp_plan_create(&b->plan, b->package, NULL, &b->error);
	for (unsigned w = 0; w < WAYS && !b->st; w++)
		way_open(b, &ways[w]);
	if (!b->st)
		bench_alternate(options, WAYS, runs, runs_measure, b);
	if (!b->st)
		bench_alternate(options, 3, opens, open_measure, b);
	if (!b->st)
		bench_alternate(options, 2, ends, end_measure, b);
	if (!b->st)
		rows_print(runs, opens, ends);
	else
		fprintf(stderr, "ptowsp-bench isolate: %s\n", b->error.text);
	for (unsigned w = 0; w < WAYS; w++)
		way_close(&ways[w]);
	ptowsp_plan_destroy(b->plan);
	ptowsp_package_close(b->package);
	runs[0].count = b->st != 0;
	free(b);
	return (int)runs[0].count;
}
