/* SPDX-License-Identifier: MIT */
/* aie_package.c - from a loaded package to the files of its design: gemm_32 of the examples on 32 cores of npu2 is walked, mapped, placed, written, read back, checked, routed
 * and emitted, again and again; nothing of it runs. */
#include <stdio.h>
#include <time.h>
#include "host/ptowsp_host.h"
#include "tools/bench/bench.h"
#include "tools/bench/aie.h"

#define SUBJECT "gemm_32 on 32 cores of npu2"
enum { MOST_MS = 100, PATH = 4096 };

struct loaded {
	struct ptowsp_backend *backend;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_program *program;
	uint64_t bytes; /* of the latest files */
};

static ptowsp_status load(struct loaded *loaded, const struct bench_options *options, struct ptowsp_error *error)
{
	const struct ptowsp_backend_options backend = {.plugin = "aie", .device = "npu2", .threads = 1};
	char path[PATH];
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/gemm_32.pkg.zst", options->packages);
	st = ptowsp_backend_open(&loaded->backend, &backend, error);
	if (!st)
		st = ptowsp_package_open(&loaded->package, path, 0, error);
	if (!st)
		st = ptowsp_plan_create(&loaded->plan, loaded->package, NULL, error);
	return st ? st : ptowsp_program_load(&loaded->program, loaded->backend, loaded->plan, 0, error);
}

static void loaded_finish(struct loaded *loaded)
{
	ptowsp_program_unload(loaded->program);
	ptowsp_plan_destroy(loaded->plan);
	ptowsp_package_close(loaded->package);
	ptowsp_backend_close(loaded->backend);
}

static ptowsp_status file_take(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)path, (void)bytes;
	((struct loaded *)context)->bytes += size;
	return PTOWSP_OK;
}

static uint64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static ptowsp_status emit(struct loaded *loaded, struct ptowsp_error *error)
{
	loaded->bytes = 0;
	return ptowsp_report_emit(loaded->program, NULL, file_take, loaded, error);
}

static int wall_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t began = bench_now_ns();
	int st = emit(context, error);

	*value_out = (double)(bench_now_ns() - began) / 1e6;
	return st;
}

static int processor_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t began = processor_ns();
	int st = emit(context, error);

	*value_out = (double)(processor_ns() - began) / 1e6;
	return st;
}

static ptowsp_status measured(const struct bench_options *options, struct loaded *loaded, const char *measure, int (*run)(void *, double *, struct ptowsp_error *),
			      struct ptowsp_error *error)
{
	struct bench_row row = {.benchmark = "aie", .subject = SUBJECT, .measure = measure, .unit = "ms", .most = MOST_MS};
	ptowsp_status st;

	bench_table_progress(row.subject, row.measure);
	st = bench_measure(options, 1, &row.series, run, loaded, error);
	if (!st)
		bench_table_row(&row);
	return st;
}

int bench_aie_package(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct loaded loaded = {0};
	ptowsp_status st = load(&loaded, options, &error);

	if (!st)
		st = measured(options, &loaded, "map, place, route and emit: processor", processor_ms, &error);
	if (!st)
		st = measured(options, &loaded, "map, place, route and emit: wall", wall_ms, &error);
	if (!st)
		bench_table_value((struct bench_row){.benchmark = "aie", .subject = SUBJECT, .measure = "its files", .unit = "bytes"}, (double)loaded.bytes);
	else
		fprintf(stderr, "ptowsp-bench: aie: %s\n", error.text[0] ? error.text : "out of memory");
	loaded_finish(&loaded);
	return st ? 1 : 0;
}
