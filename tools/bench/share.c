/* SPDX-License-Identifier: MIT */
/* share.c - what finding the tasks costs: the time of a llama layer without kernels as a share of its time with kernels of 1, 10 and 50 us, one
 * thread, the two runs in turn. */
#include "tools/bench/bench.h"
#include "tools/bench/layer.h"
#include "tools/bench/spin.h"

#define PATH_SIZE 4096

static const struct length {
	const char *name;
	unsigned ns;
	double most; /* target, %, 0: none */
} lengths[] = {{"1 us", 1000, 0}, {"10 us", 10000, 5}, {"50 us", 50000, 0}};

static int share(void *context, double *value_out, struct ptowsp_error *error)
{
	struct bench_layer *layer = context;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	uint64_t began = bench_now_ns(), between;
	ptowsp_status st = bench_layer_run(layer, PTOWSP_RUN_NO_KERNELS, NULL, &stats, error);

	between = bench_now_ns();
	if (!st)
		st = bench_layer_run(layer, 0, NULL, &stats, error);
	*value_out = 100.0 * (double)(between - began) / (double)(bench_now_ns() - between);
	return st;
}

static ptowsp_status lengths_measure(const struct bench_options *options, struct bench_layer *layer, const char *rule, struct ptowsp_error *error)
{
	const char *subject = options->small ? "llama_layer 1K" : "llama_layer 4K";
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; !st && i < sizeof(lengths) / sizeof(*lengths); i++) {
		char measure[96];
		struct bench_row row = {.benchmark = "share", .subject = subject, .measure = measure, .unit = "%", .most = options->small ? 0 : lengths[i].most};

		snprintf(measure, sizeof(measure), "without kernels / with kernels of %s, %s", lengths[i].name, rule);
		bench_table_progress(subject, measure);
		layer->work = bench_spin_count(lengths[i].ns);
		st = bench_measure(options, 1, &row.series, share, layer, error);
		if (!st)
			bench_table_row(&row);
	}
	return st;
}

int bench_share(const struct bench_options *options)
{
	static const struct {
		const char *name;
		unsigned deps;
	} rules[] = {{"exact keys, full", PTOWSP_DEPS_TENSOR_MAP_EXACT}, {"default", PTOWSP_DEPS_BYTES_OVERLAP}};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char path[PATH_SIZE];
	ptowsp_status st = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", options->packages);
	for (size_t i = 0; !st && i < sizeof(rules) / sizeof(*rules); i++) {
		struct bench_layer layer = {.iterations = options->small ? 16 : 64, .deps = rules[i].deps, .hazards = PTOWSP_HAZARDS_FULL, .window = 8192,
					    .threads = 1};

		st = bench_layer_init(&layer, path, &error);
		if (!st)
			st = lengths_measure(options, &layer, rules[i].name, &error);
		bench_layer_finish(&layer);
	}
	if (st)
		fprintf(stderr, "ptowsp-bench share: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
