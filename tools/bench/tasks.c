/* SPDX-License-Identifier: MIT */
/* tasks.c - tasks per millisecond of the runtime core on the llama layer, with kernels that do nothing.
 *
 * Expansion and inference: bytecode to tasks, regions to edges, nothing else. Without kernels: the same with the semantic clock and all counters. End to end: and
 * every task called. Execution: the recorded graph, linked in the task ring as a whole before the clock starts, drained through the ready queue. M
 * iterations give the seed's sizes, 1K to 16K rows in tiles of 64. The seed's figures are for building the whole graph in memory, by its README; its rule is
 * exact keys, RAW only. Edges are counted both ways, and without a window, where their number is known; another number ends the benchmark. */
#include <sys/wait.h>
#include <unistd.h>
#include "rt/crew.h"
#include "tools/bench/bench.h"
#include "tools/bench/drain.h"
#include "tools/bench/layer.h"

#define PATH_SIZE 4096
#define WINDOW 8192 /* tasks in flight: the default */

static const struct size {
	const char *name;
	uint32_t iterations; /* M */
	const char *seed;    /* tasks per ms, README of the seed, Mac ARM64 */
	bool targets;        /* of this size */
} sizes[] = {
	{"llama_layer 1K", 16, "7111 (seed, claimed)", false},	 {"llama_layer 2K", 32, "8072 (seed, claimed)", false},
	{"llama_layer 4K", 64, "7849 (seed, claimed)", false},	 {"llama_layer 8K", 128, "6021 (seed, claimed)", false},
	{"llama_layer 16K", 256, "5868 (seed, claimed)", true},
};

enum { RAW, FULL, OVERLAP, RULES };
static const struct rule {
	const char *name;
	unsigned deps, hazards;
	unsigned square, line; /* edges without a window: square M^2 + line M */
	double found, run, bytes; /* targets at 16K: tasks/ms found; tasks/ms end to end, 0: none; bytes per task of the window, at most */
} rules[RULES] = {
	[RAW] = {"exact keys, raw", PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_HAZARDS_RAW, 7, 17, 55000, 0, 96},
	[FULL] = {"exact keys, full", PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_HAZARDS_FULL, 10, 19, 45000, 30000, 160},
	[OVERLAP] = {"default", PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_HAZARDS_FULL, 10, 19, 0, 0, 160},
};

/* What is measured at one size. */
struct subject {
	const struct bench_options *options;
	const struct size *size;
	const char *path;
	struct bench_layer layers[RULES];
	struct rt_memory memory;
	struct ptowsp_error *error;
};

static struct bench_row row_of(const struct size *size, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "tasks", .subject = size->name, .measure = measure, .unit = unit};
}

static double rate(const struct bench_layer *layer, uint64_t began)
{
	return (double)bench_layer_tasks(layer->iterations) * 1e6 / (double)(bench_now_ns() - began);
}

/* ---- measures: context is a layer -------------------------------------------------------------------------------- */

static int found_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct rt_survey survey;
	uint64_t began = bench_now_ns();
	ptowsp_status st = bench_layer_survey(context, &survey, error);

	*value_out = rate(context, began);
	return st;
}

static int run_measure(struct bench_layer *layer, uint32_t flags, double *value_out, struct ptowsp_error *error)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	uint64_t began = bench_now_ns();
	ptowsp_status st = bench_layer_run(layer, flags, NULL, &stats, error);

	*value_out = rate(layer, began);
	return st;
}

static int counted_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return run_measure(context, PTOWSP_RUN_NO_KERNELS, value_out, error);
}

static int run_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return run_measure(context, 0, value_out, error);
}

static int run_faults(void *context, double *value_out, struct ptowsp_error *error)
{
	uint64_t before = bench_faults();
	double unused;
	int st = run_measure(context, 0, &unused, error);

	*value_out = (double)(bench_faults() - before);
	return st;
}

/* Default rule against exact keys, one after the other, so that what else the machine does meets both; context: the layers. */
static int ratio(void *context, double *value_out, struct ptowsp_error *error, int (*measure)(void *, double *, struct ptowsp_error *))
{
	struct bench_layer *layers = context;
	double exact = 1, overlap = 0;
	int st = measure(&layers[FULL], &exact, error);

	if (!st)
		st = measure(&layers[OVERLAP], &overlap, error);
	*value_out = overlap / exact;
	return st;
}

static int found_ratio(void *context, double *value_out, struct ptowsp_error *error)
{
	return ratio(context, value_out, error, found_rate);
}

static int run_ratio(void *context, double *value_out, struct ptowsp_error *error)
{
	return ratio(context, value_out, error, run_rate);
}

static ptowsp_status row_measure(const struct subject *s, struct bench_row row, int (*measure)(void *, double *, struct ptowsp_error *), void *context)
{
	ptowsp_status st;

	bench_table_progress(row.subject, row.measure);
	st = bench_measure(s->options, 1, &row.series, measure, context, s->error);
	if (!st)
		bench_table_row(&row);
	return st;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static ptowsp_status counts_differ(const struct subject *s, const char *where, uint64_t found, uint64_t wanted)
{
	snprintf(s->error->text, sizeof(s->error->text), "%s: %s: %llu edges were found and not %llu", s->size->name, where, (unsigned long long)found,
		 (unsigned long long)wanted);
	return PTOWSP_MISMATCH;
}

/* All edges of the graph, which a formula gives. */
static ptowsp_status all_edges_count(const struct subject *s, const struct rule *rule)
{
	uint64_t m = s->size->iterations, wanted = rule->square * m * m + rule->line * m;
	struct bench_layer layer = {.iterations = s->size->iterations, .deps = rule->deps, .hazards = rule->hazards, .threads = 1};
	struct bench_row row = row_of(s->size, NULL, "edges");
	struct rt_survey survey;
	char measure[96];
	ptowsp_status st = bench_layer_init(&layer, s->path, s->error);

	if (!st)
		st = bench_layer_survey(&layer, &survey, s->error);
	bench_layer_finish(&layer);
	if (st)
		return st;
	if (survey.edges != wanted)
		return counts_differ(s, "without a window", survey.edges, wanted);
	snprintf(measure, sizeof(measure), "edges without a window, %s", rule->name);
	row.measure = measure;
	row.reference = rule->hazards == PTOWSP_HAZARDS_RAW ? "7 M^2 + 17 M" : "10 M^2 + 19 M";
	bench_table_value(row, (double)survey.edges);
	return PTOWSP_OK;
}

/* Those of the window, by the survey and by a run. */
static ptowsp_status edges_count(struct subject *s, const struct rule *rule, struct bench_layer *layer)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_survey survey;
	char measure[96];
	ptowsp_status st = bench_layer_survey(layer, &survey, s->error);

	if (!st)
		st = bench_layer_run(layer, 0, NULL, &stats, s->error);
	if (st)
		return st;
	if (survey.edges != stats.edges)
		return counts_differ(s, "by themselves", survey.edges, stats.edges);
	snprintf(measure, sizeof(measure), "edges, %s", rule->name);
	bench_table_value(row_of(s->size, measure, "edges"), (double)stats.edges);
	return PTOWSP_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void memory_take(void *context, const struct rt_memory *memory)
{
	((struct subject *)context)->memory = *memory;
}

static double bytes_of(const struct rt_memory *memory)
{
	return (double)(memory->records + memory->edges + memory->map + memory->readers);
}

/* What a run has asked for over the tasks of its window. threads 2: all tasks go through the ring. */
static ptowsp_status bytes_measure(struct subject *s, const struct rule *rule, unsigned threads)
{
	const struct rt_crew_rules rules_before = rt_crew_rules;
	struct bench_layer layer = {.iterations = s->size->iterations, .deps = rule->deps, .hazards = rule->hazards, .window = WINDOW, .threads = threads};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_sinks sinks = {.context = s, .memory = memory_take};
	struct bench_row row = row_of(s->size, NULL, "bytes");
	char measure[96];
	ptowsp_status st = bench_layer_init(&layer, s->path, s->error);

	rt_crew_rules.brief_ns = threads > 1 ? 0 : rules_before.brief_ns;
	if (!st)
		st = bench_layer_run(&layer, 0, &sinks, &stats, s->error);
	rt_crew_rules = rules_before;
	bench_layer_finish(&layer);
	if (st)
		return st;
	snprintf(measure, sizeof(measure), "bytes per task of the window, %s%s", rule->name, threads > 1 ? ", two threads" : "");
	row.measure = measure;
	row.reference = "2864 (seed)";
	row.most = s->size->targets ? rule->bytes : 0;
	bench_table_value(row, bytes_of(&s->memory) / (double)s->memory.window);
	return PTOWSP_OK;
}

static void parts_print(const struct subject *s)
{
	const struct rt_memory *m = &s->memory;
	const struct {
		const char *name;
		uint64_t bytes;
	} parts[] = {{"of these: records", m->records}, {"of these: edges", m->edges}, {"of these: keys or intervals", m->map}, {"of these: readers", m->readers}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		bench_table_value(row_of(s->size, parts[i].name, "bytes"), (double)parts[i].bytes / (double)m->window);
	bench_table_value(row_of(s->size, "most tasks in flight", "tasks"), (double)m->in_flight);
}

/* In a process of its own, because memory that an earlier measurement gave back would be used again and not be counted: what loading and the
 * first run add to the resident memory at its peak. */
static uint64_t peak_fill(const struct subject *s)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct bench_layer layer = {.iterations = s->size->iterations, .deps = rules[FULL].deps, .hazards = rules[FULL].hazards, .window = WINDOW, .threads = 1};
	uint64_t before, peak;
	ptowsp_status st;

	bench_peak_reset();
	before = bench_resident_bytes();
	st = bench_layer_init(&layer, s->path, s->error);
	if (!st)
		st = bench_layer_run(&layer, 0, NULL, &stats, s->error);
	peak = bench_peak_bytes();
	bench_layer_finish(&layer);
	return st ? 0 : peak - before;
}

static ptowsp_status peak_measure(const struct subject *s)
{
	uint64_t bytes = 0;
	int ends[2];
	pid_t child = pipe(ends) ? -1 : fork();

	if (child == 0) {
		bytes = peak_fill(s);
		_exit(write(ends[1], &bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) ? 0 : 1);
	}
	if (child < 0)
		return PTOWSP_NO_MEMORY;
	close(ends[1]);
	if (read(ends[0], &bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		bytes = 0;
	close(ends[0]);
	waitpid(child, NULL, 0);
	if (!bytes) {
		snprintf(s->error->text, sizeof(s->error->text), "%s: the peak of its memory cannot be told", s->size->name);
		return PTOWSP_RUN_FAILED;
	}
	bench_table_value(row_of(s->size, "peak memory of program and run", "bytes"), (double)bytes);
	return PTOWSP_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The graph is recorded once and drained as often as asked. */
static ptowsp_status drain_measure(const struct subject *s, struct bench_layer *layer)
{
	struct bench_recording recording = {.tasks = bench_layer_tasks(s->size->iterations)};
	struct rt_sinks sinks = {.context = &recording, .edge = bench_recording_add};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct bench_row row = row_of(s->size, "execution of the built graph", "tasks/ms");
	ptowsp_status st = bench_layer_run(layer, PTOWSP_RUN_NO_KERNELS, &sinks, &stats, s->error);

	for (unsigned r = 0; !st && r < s->options->reps; r++) {
		double ns = 0;

		st = bench_drain(&recording, layer->pool, &ns);
		bench_series_add(&row.series, (double)recording.tasks * 1e6 / ns);
	}
	bench_recording_finish(&recording);
	if (!st)
		bench_table_row(&row);
	return st;
}

static ptowsp_status rule_measure(struct subject *s, const struct rule *rule, struct bench_layer *layer)
{
	struct bench_row row = row_of(s->size, NULL, "tasks/ms");
	const bool targets = s->size->targets;
	char measure[96];
	ptowsp_status st = edges_count(s, rule, layer);

	if (!st)
		st = all_edges_count(s, rule);
	row.measure = measure;
	row.reference = s->size->seed;
	snprintf(measure, sizeof(measure), "expansion and inference, %s", rule->name);
	row.least = targets ? rule->found : 0;
	if (!st)
		st = row_measure(s, row, found_rate, layer);
	snprintf(measure, sizeof(measure), "without kernels, %s", rule->name);
	row.least = 0;
	if (!st)
		st = row_measure(s, row, counted_rate, layer);
	snprintf(measure, sizeof(measure), "end to end, %s", rule->name);
	row.least = targets ? rule->run : 0;
	if (!st)
		st = row_measure(s, row, run_rate, layer);
	row = row_of(s->size, measure, "faults");
	snprintf(measure, sizeof(measure), "page faults of a run, %s", rule->name);
	row.most = targets ? 0.5 : 0;
	return st ? st : row_measure(s, row, run_faults, layer);
}

static ptowsp_status ratios_measure(struct subject *s)
{
	struct bench_row row = row_of(s->size, "expansion and inference, default / exact keys, full", "ratio");
	ptowsp_status st;

	row.least = s->size->targets ? 0.7 : 0;
	st = row_measure(s, row, found_ratio, s->layers);
	row.measure = "end to end, default / exact keys, full";
	row.least = s->size->targets ? 0.8 : 0;
	return st ? st : row_measure(s, row, run_ratio, s->layers);
}

static ptowsp_status size_measure(struct subject *s)
{
	ptowsp_status st = PTOWSP_OK;

	bench_table_value(row_of(s->size, "tasks", "tasks"), (double)bench_layer_tasks(s->size->iterations));
	for (int r = 0; !st && r < RULES; r++) {
		s->layers[r] = (struct bench_layer){.iterations = s->size->iterations, .deps = rules[r].deps, .hazards = rules[r].hazards,
						    .window = WINDOW, .threads = s->options->threads};
		st = bench_layer_init(&s->layers[r], s->path, s->error);
		if (!st)
			st = rule_measure(s, &rules[r], &s->layers[r]);
	}
	if (!st)
		st = ratios_measure(s);
	if (!st)
		st = drain_measure(s, &s->layers[FULL]);
	for (int r = 0; r < RULES; r++)
		bench_layer_finish(&s->layers[r]);
	for (int r = 0; !st && r < RULES; r++) {
		st = bytes_measure(s, &rules[r], 1);
		if (!st && r == FULL)
			parts_print(s);
	}
	if (!st)
		st = bytes_measure(s, &rules[FULL], 2);
	return st;
}

int bench_tasks(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct subject subject = {.options = options, .error = &error};
	char path[PATH_SIZE];
	ptowsp_status st = PTOWSP_OK;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", options->packages);
	subject.path = path;
	fflush(stdout);
	for (size_t i = 0; !st && i < sizeof(sizes) / sizeof(*sizes); i++) {
		subject.size = &sizes[i];
		st = peak_measure(&subject);
	}
	for (size_t i = 0; !st && i < sizeof(sizes) / sizeof(*sizes); i++) {
		subject.size = &sizes[i];
		st = size_measure(&subject);
	}
	if (st)
		fprintf(stderr, "ptowsp-bench tasks: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
