/* SPDX-License-Identifier: MIT */
/* sizes.c - the llama layer as bytes, at several lengths, and the time from its file to its first task. */
#include <sys/stat.h>
#include "tools/bench/bench.h"
#include "tools/bench/layer.h"

#define PATH_SIZE 4096
#define WORKLOAD_MOST 4096 /* targets, bytes */
#define PACKAGE_MOST (24u << 10)

static const struct length {
	const char *name;
	uint32_t iterations;
} lengths[] = {{"llama_layer 1K", 16}, {"llama_layer 4K", 64}, {"llama_layer 16K", 256}, {"llama_layer 128K", 2048}};

static const struct part {
	const char *measure;
	uint32_t type;
	bool workload; /* counts for the target */
} parts[] = {
	{"WORK", PTOWSP_SECTION_WORK, true},	    {"AXES", PTOWSP_SECTION_AXES, true},	 {"SCHD, with the dispatch", PTOWSP_SECTION_SCHD, true},
	{"expressions", PTOWSP_SECTION_EXPR, false}, {"regions", PTOWSP_SECTION_REGN, false},
};

/* What the core is handed. */
static uint64_t section_bytes(const struct bench_layer *layer, uint32_t type)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < layer->section_count; i++)
		if (layer->sections[i].type == type)
			bytes += layer->sections[i].count * layer->sections[i].stride;
	return bytes;
}

static struct bench_row row_of(const char *subject, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "sizes", .subject = subject, .measure = measure, .unit = unit};
}

static void parts_print(const struct bench_layer *layer, const char *subject)
{
	struct bench_row row = row_of(subject, "WORK, AXES and SCHD together", "bytes");
	uint64_t together = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t bytes = section_bytes(layer, parts[i].type);

		together += parts[i].workload ? bytes : 0;
		bench_table_value(row_of(subject, parts[i].measure, "bytes"), (double)bytes);
	}
	row.most = WORKLOAD_MOST;
	bench_table_value(row, (double)together);
}

struct start {
	const struct bench_layer *layer;
	const char *path;
};

static int start_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct start *start = context;
	double ns;
	ptowsp_status st = bench_layer_start(start->layer, start->path, &ns, error);

	*value_out = ns / 1e6;
	return st;
}

static ptowsp_status length_measure(const struct bench_options *options, const struct length *length, const char *path, struct ptowsp_error *error)
{
	struct bench_layer layer = {.iterations = length->iterations, .deps = PTOWSP_DEPS_BYTES_OVERLAP, .hazards = PTOWSP_HAZARDS_FULL, .threads = 1};
	struct start start = {&layer, path};
	struct bench_row row = row_of(length->name, "from the file to the first task", "ms");
	ptowsp_status st = bench_layer_init(&layer, path, error);

	if (!st)
		parts_print(&layer, length->name);
	row.most = 5;
	bench_table_progress(row.subject, row.measure);
	if (!st)
		st = bench_measure(options, 1, &row.series, start_ms, &start, error);
	bench_layer_finish(&layer);
	if (!st)
		bench_table_row(&row);
	return st;
}

int bench_sizes(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const size_t count = sizeof(lengths) / sizeof(*lengths) - (options->small ? 2 : 0);
	struct bench_row row = row_of("llama_layer", "package", "bytes");
	char path[PATH_SIZE];
	struct stat file;
	ptowsp_status st = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", options->packages);
	row.most = PACKAGE_MOST;
	if (!stat(path, &file))
		bench_table_value(row, (double)file.st_size);
	for (size_t i = 0; !st && i < count; i++)
		st = length_measure(options, &lengths[i], path, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench sizes: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
