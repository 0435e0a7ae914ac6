/* SPDX-License-Identifier: MIT */
/* sizes.c - the llama layer as bytes, and the time from its file to its first task at several lengths, through the host. */
#include <stdlib.h>
#include <sys/stat.h>
#include "format/format_package.h"
#include "host/ptowsp_host.h"
#include "tools/bench/bench.h"

#define PATH_SIZE 4096
#define SUBJECT "llama_layer"
#define WORKLOAD_MOST 4096 /* targets, bytes */
#define PACKAGE_MOST (24u << 10)

static const struct length {
	const char *name, *tiles; /* of 32 rows; from 256 on a task takes two */
} lengths[] = {{SUBJECT " 1K", "16"}, {SUBJECT " 4K", "64"}, {SUBJECT " 16K", "512"}, {SUBJECT " 128K", "4096"}};

static const struct part {
	const char *measure;
	uint32_t type;
	bool workload; /* counts for the target */
} parts[] = {
	{"WORK", PTOWSP_SECTION_WORK, true},	     {"AXES", PTOWSP_SECTION_AXES, true},	  {"SCHD", PTOWSP_SECTION_SCHD, true},
	{"expressions", PTOWSP_SECTION_EXPR, false}, {"regions", PTOWSP_SECTION_REGN, false},
};

static struct bench_row row_of(const char *subject, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "sizes", .subject = subject, .measure = measure, .unit = unit};
}

static uint64_t section_bytes(const struct pkg *package, uint32_t type)
{
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(package, &count);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == type)
			bytes += sections[i].count * sections[i].stride;
	return bytes;
}

static ptowsp_status parts_print(const char *path, struct ptowsp_error *error)
{
	struct bench_row row = row_of(SUBJECT, "WORK, AXES and SCHD together", "bytes");
	struct pkg *package = NULL;
	uint64_t together = 0;
	ptowsp_status st = pkg_open(&package, path, NULL, error);

	for (size_t i = 0; !st && i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t bytes = section_bytes(package, parts[i].type);

		together += parts[i].workload ? bytes : 0;
		if (bytes)
			bench_table_value(row_of(SUBJECT, parts[i].measure, "bytes"), (double)bytes);
	}
	row.most = WORKLOAD_MOST;
	if (!st)
		bench_table_value(row, (double)together);
	pkg_close(package);
	return st;
}

struct start {
	struct ptowsp_backend *backend;
	const char *path, *tiles;
};

/* A run that may have one task ends when it has issued it. */
static ptowsp_status first_task(struct ptowsp_program *program, const char *tiles, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options one = {.flags = PTOWSP_RUN_NO_KERNELS, .max_tasks = 1};
	ptowsp_status st = ptowsp_value_set(program, "num_tiles", tiles, error);

	if (!st)
		st = ptowsp_execute(program, &one, error);
	return st == PTOWSP_LIMIT ? PTOWSP_OK : st ? st : PTOWSP_MISMATCH;
}

static int start_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct start *start = context;
	const uint64_t began = bench_now_ns();
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	struct ptowsp_program *program = NULL;
	ptowsp_status st = ptowsp_package_open(&package, start->path, 0, error);

	if (!st)
		st = ptowsp_plan_create(&plan, package, NULL, error);
	if (!st)
		st = ptowsp_program_load(&program, start->backend, plan, 0, error);
	if (!st)
		st = first_task(program, start->tiles, error);
	*value_out = (double)(bench_now_ns() - began) / 1e6;
	ptowsp_program_unload(program);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
	return st;
}

static ptowsp_status length_measure(const struct bench_options *options, const struct length *length, struct start *start, struct ptowsp_error *error)
{
	struct bench_row row = row_of(length->name, "from the file to the first task", "ms");
	ptowsp_status st;

	row.most = 5;
	start->tiles = length->tiles;
	bench_table_progress(row.subject, row.measure);
	st = bench_measure(options, 1, &row.series, start_ms, start, error);
	if (!st)
		bench_table_row(&row);
	return st;
}

int bench_sizes(const struct bench_options *options)
{
	const struct ptowsp_backend_options cpu = {.plugin = options->plugin ? options->plugin : "cpu_sim", .threads = 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const size_t count = sizeof(lengths) / sizeof(*lengths) - (options->small ? 2 : 0);
	struct bench_row row = row_of(SUBJECT, "package", "bytes");
	char path[PATH_SIZE];
	struct start start = {.path = path};
	struct stat file;
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/" SUBJECT ".pkg.zst", options->packages);
	row.most = PACKAGE_MOST;
	if (!stat(path, &file))
		bench_table_value(row, (double)file.st_size);
	st = parts_print(path, &error);
	if (!st)
		st = ptowsp_backend_open(&start.backend, &cpu, &error);
	for (size_t i = 0; !st && i < count; i++)
		st = length_measure(options, &lengths[i], &start, &error);
	ptowsp_backend_close(start.backend);
	if (st)
		fprintf(stderr, "ptowsp-bench sizes: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
