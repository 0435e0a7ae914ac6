/* SPDX-License-Identifier: MIT */
/* once.c - ptowsp-bench once: one graph, one rule, one thing, once. Prints how many tasks that were. */
#include "tools/bench/once.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

__attribute__((noinline)) ptowsp_status bench_once_measured(struct bench_once *once, struct ptowsp_error *error)
{
	const uint32_t flags = once->what == BENCH_COUNT ? PTOWSP_RUN_NO_KERNELS : 0;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_survey survey;
	double ns;

	if (once->what == BENCH_FIND)
		return once->is_layer ? bench_layer_survey(&once->layer, &survey, error) : bench_load_survey(&once->load, &survey, error);
	return once->is_layer ? bench_layer_run(&once->layer, flags, NULL, &stats, error)
			      : bench_load_run(&once->load, flags, false, NULL, &ns, error);
}

/* One of the words to its number. */
static bool word_take(const char *value, const char *const words[], const unsigned numbers[], size_t count, unsigned *number_out)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(value, words[i])) {
			*number_out = numbers[i];
			return true;
		}
	return false;
}

struct arguments {
	unsigned subject, n, deps, hazards, what; /* subject: 0 is the layer */
	const char *packages;
};

static bool argument_take(struct arguments *a, const char *name, const char *value)
{
	static const char *const subjects[] = {"layer", "w1", "w2", "w3", "w4", "llama"}, *const deps[] = {"exact", "overlap"}, *const hazards[] = {"full", "raw"},
				 *const whats[] = {"find", "count", "run"};
	static const unsigned numbers[] = {0, BENCH_W1, BENCH_W2, BENCH_W3, BENCH_W4, BENCH_LLAMA},
			      deps_numbers[] = {PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_DEPS_BYTES_OVERLAP},
			      hazards_numbers[] = {PTOWSP_HAZARDS_FULL, PTOWSP_HAZARDS_RAW}, what_numbers[] = {BENCH_FIND, BENCH_COUNT, BENCH_RUN};

	if (!strcmp(name, "--subject"))
		return word_take(value, subjects, numbers, 6, &a->subject);
	if (!strcmp(name, "--deps"))
		return word_take(value, deps, deps_numbers, 2, &a->deps);
	if (!strcmp(name, "--hazards"))
		return word_take(value, hazards, hazards_numbers, 2, &a->hazards);
	if (!strcmp(name, "--what"))
		return word_take(value, whats, what_numbers, 3, &a->what);
	if (!strcmp(name, "--n"))
		return (a->n = (unsigned)strtoul(value, NULL, 10)) > 0 && a->n <= 4096u << 10;
	a->packages = value;
	return !strcmp(name, "--packages") && *value;
}

static ptowsp_status once_run(const struct arguments *a, struct ptowsp_error *error)
{
	struct bench_once once = {
		.layer = {.iterations = a->n, .deps = a->deps, .hazards = a->hazards, .window = 8192, .threads = 1},
		.load = {.workload = (enum bench_workload)a->subject, .n = a->n, .deps = a->deps, .hazards = a->hazards, .window = 8192, .threads = 1},
		.is_layer = !a->subject,
		.what = (enum bench_what)a->what,
	};
	char path[4096];
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", a->packages);
	st = once.is_layer ? bench_layer_init(&once.layer, path, error) : bench_load_init(&once.load, error);
	if (!st)
		st = bench_once_measured(&once, error);
	if (!st)
		printf("%" PRIu64 " tasks\n", once.is_layer ? bench_layer_tasks(a->n) : (uint64_t)once.load.graph.tasks);
	if (once.is_layer)
		bench_layer_finish(&once.layer);
	else
		bench_load_finish(&once.load);
	return st;
}

int bench_once(int argc, char **argv)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct arguments a = {.n = 64, .deps = PTOWSP_DEPS_TENSOR_MAP_EXACT, .hazards = PTOWSP_HAZARDS_FULL, .what = BENCH_RUN, .packages = "build/packages"};

	for (int i = 1; i < argc; i += 2)
		if (!argument_take(&a, argv[i], i + 1 < argc ? argv[i + 1] : "")) {
			fprintf(stderr, "ptowsp-bench once: %s %s: not an option, or not a value that it takes; ptowsp-bench --help shows them\n", argv[i],
				i + 1 < argc ? argv[i + 1] : "");
			return 2;
		}
	if (a.subject != BENCH_W3 && a.subject != BENCH_W4 && a.n > 4096)
		return fprintf(stderr, "ptowsp-bench once: --n is at most 4096 here\n"), 2;
	if (!once_run(&a, &error))
		return 0;
	fprintf(stderr, "ptowsp-bench once: %s\n", *error.text ? error.text : "out of memory");
	return 1;
}
