/* SPDX-License-Identifier: MIT */
/* tasks.c - tasks per millisecond of every shape as users run it: package, host, plugin, real tensors; kernels that do next to nothing and kernels of 200 ns to 20 us,
 * one thread and two; beside them the same tasks by loops in C and by a fixed order on two threads, which are no runtimes but limits. Then random nests
 * by seed, bytes per task in flight, and a run of ten tasks. Every execution is compared with the tensors that the loops leave. */
#include "tools/bench/trial.h"
#include <string.h>
#include <unistd.h>

enum { SEEDS = 5, RUNS = 100, WINDOW = 8192 /* tasks in flight: the default */ };

/* Wanted tasks/ms of empty kernels on one thread; beyond the first size of a shape, another one. */
static const struct {
	const char *shape;
	double rate;
} wanted[] = {{"chain", 70000}, {"wavefront", 40000}, {"llama", 45000}};
static const struct {
	const char *shape;
	unsigned n;
} larger[] = {{"wavefront", 512}, {"llama", 256}};
static const struct length {
	unsigned ns;
	const char *one, *two, *order, *ratio;
	bool few;     /* of the smaller size */
	double least; /* two threads over the fixed order, 0: nothing is wanted */
} lengths[] = {
#define LENGTH(ns, name, few, least)                                                                                                                           \
	{                                                                                                                                                      \
		ns, "kernels of " name ", 1 thread", "kernels of " name ", 2 threads", "kernels of " name ", limit: fixed order, 2 threads",                   \
			"kernels of " name ", 2 threads / fixed order", few, least                                                                             \
	}
	LENGTH(200, "200 ns", false, 0),
	LENGTH(1000, "1 us", false, 0.94),
	LENGTH(5000, "5 us", true, 0),
	LENGTH(20000, "20 us", true, 0),
#undef LENGTH
};

/* A shape with one thread and with two. */
struct pair {
	struct bench *bench;
	struct bench_trial one, two;
	struct bench_order order; /* on two.nest */
	char name[40];
};

/* ---- values -------------------------------------------------------------------------------------------------------- */

static double rate_of(const struct bench_trial *t, double ns)
{
	return (double)t->tasks * 1e6 / ns;
}

static ptowsp_status counted_rate(void *trial, double *value_out, struct ptowsp_error *error)
{
	double ns = 1;
	ptowsp_status status = bench_trial_run(trial, PTOWSP_RUN_NO_KERNELS, &ns, error);

	*value_out = rate_of(trial, ns);
	return status;
}

static ptowsp_status run_rate(void *trial, double *value_out, struct ptowsp_error *error)
{
	double ns = 1;
	ptowsp_status status = bench_trial_run(trial, 0, &ns, error);

	*value_out = rate_of(trial, ns);
	return status;
}

static ptowsp_status nest_rate(void *trial, double *value_out, struct ptowsp_error *error)
{
	double ns;

	(void)error;
	bench_trial_nest(trial, &ns);
	*value_out = rate_of(trial, ns);
	return PTOWSP_OK;
}

static ptowsp_status order_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct pair *p = context;
	double ns = 1;
	ptowsp_status status = bench_trial_order(&p->two, &p->order, &ns);

	(void)error;
	*value_out = rate_of(&p->two, ns);
	return status;
}

/* us of one run; shorter than a look at the clock is exact, so many are timed each by itself. */
static ptowsp_status run_us(void *trial, double *value_out, struct ptowsp_error *error)
{
	double ns = 0, sum = 0;
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; !status && i < RUNS; i++, sum += ns)
		status = bench_trial_run(trial, 0, &ns, error);
	*value_out = sum / RUNS / 1e3;
	return status;
}

/* ---- a shape at a size --------------------------------------------------------------------------------------------- */

static ptowsp_status pair_init(struct pair *p, const struct bench_wild *wild, const struct bench_shape *shape, unsigned n)
{
	const struct bench_trial like = {.bench = p->bench, .shape = shape, .wild = wild, .n = n, .subject = {.on = {.threads = 1}}};
	ptowsp_status status;

	p->one = p->two = like;
	p->two.subject.on.threads = 2;
	p->order = (struct bench_order){0};
	snprintf(p->name, sizeof(p->name), "%s/%u", shape->name, n);
	status = bench_trial_init(&p->one);
	return status ? status : bench_trial_init(&p->two);
}

/* The verdict about every execution since. */
static ptowsp_status pair_finish(struct pair *p, ptowsp_status status)
{
	if (!status)
		status = bench_trial_verdict(&p->one);
	if (!status)
		status = bench_trial_verdict(&p->two);
	bench_order_finish(&p->order);
	bench_trial_finish(&p->one);
	bench_trial_finish(&p->two);
	return status;
}

static ptowsp_status empty_measure(struct pair *p)
{
	enum { COUNTED, ONE, TWO, OVER, NEST, WAYS };
	struct bench_way ways[WAYS] = {
		[COUNTED] = {.row = {p->name, "without kernels, 1 thread", "tasks/ms", NULL, 0, 0}, .take = counted_rate, .context = &p->one},
		[ONE] = {.row = {p->name, "empty kernels, 1 thread", "tasks/ms", NULL, 0, 0}, .take = run_rate, .context = &p->one},
		[TWO] = {.row = {p->name, "empty kernels, 2 threads", "tasks/ms", NULL, 0, 0}, .take = run_rate, .context = &p->two, .threads = 2},
		[OVER] = {.row = {p->name, "empty kernels, 2 threads / 1", "ratio", NULL, 0.8, 0}, .sort = BENCH_RATIO, .over = TWO, .under = ONE},
		[NEST] = {.row = {p->name, "empty kernels, limit: loops in C", "tasks/ms", NULL, 0, 0}, .take = nest_rate, .context = &p->one},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strcmp(p->one.shape->name, wanted[i].shape))
			ways[ONE].row.least = wanted[i].rate;
	bench_table_value(p->bench, (struct bench_row){p->name, "tasks", "tasks", NULL, 0, 0}, (double)p->one.tasks);
	return bench_measure(p->bench, ways, WAYS);
}

/* Two that wait for each other need a core each, so the fixed order is left out on one core. */
static ptowsp_status long_measure(struct pair *p, const struct length *length)
{
	enum { ONE, TWO, ORDER, OVER, WAYS };
	const bool order = p->one.shape->two && sysconf(_SC_NPROCESSORS_ONLN) > 1;
	const struct bench_way ways[WAYS] = {
		[ONE] = {.row = {p->name, length->one, "tasks/ms", NULL, 0, 0}, .take = run_rate, .context = &p->one},
		[TWO] = {.row = {p->name, length->two, "tasks/ms", NULL, 0, 0}, .take = run_rate, .context = &p->two, .threads = 2},
		[ORDER] = {.row = {p->name, length->order, "tasks/ms", NULL, 0, 0}, .take = order_rate, .context = p, .threads = 2},
		[OVER] = {.row = {p->name, length->ratio, "ratio", NULL, length->least, 0}, .sort = BENCH_RATIO, .over = TWO, .under = ORDER},
	};
	ptowsp_status status = bench_trial_work(&p->one, length->ns);

	if (!status)
		status = bench_trial_work(&p->two, length->ns);
	bench_order_finish(&p->order);
	if (!status && order && !bench_order_init(&p->order, &p->two.nest, p->two.shape)) /* its tasks hold their work */
		status = PTOWSP_NO_MEMORY;
	return status ? status : bench_measure(p->bench, ways, order ? WAYS : ORDER);
}

/* Empty kernels and those whose size is the same; then those of the smaller size. */
static ptowsp_status size_measure(struct pair *p, const struct bench_wild *wild, const struct bench_shape *shape, unsigned n, bool few)
{
	ptowsp_status status = pair_init(p, wild, shape, n);

	if (!status && !few)
		status = empty_measure(p);
	for (size_t i = 0; !status && i < sizeof(lengths) / sizeof(*lengths); i++)
		if (lengths[i].few == few)
			status = long_measure(p, &lengths[i]);
	return pair_finish(p, status);
}

static ptowsp_status shape_measure(struct pair *p, const struct bench_wild *wild, const struct bench_shape *shape)
{
	const bool small = p->bench->options.small;
	ptowsp_status status = size_measure(p, wild, shape, small ? shape->small : shape->n, false);

	return status ? status : size_measure(p, wild, shape, small ? shape->small : shape->few, true);
}

static ptowsp_status ten_measure(struct pair *p, const char *name)
{
	const struct bench_way ways[] = {
		{.row = {p->name, "a run of ten empty tasks, 1 thread", "us", NULL, 0, 5}, .take = run_us, .context = &p->one},
		{.row = {p->name, "a run of ten empty tasks, 2 threads", "us", NULL, 0, 5}, .take = run_us, .context = &p->two, .threads = 2},
	};
	ptowsp_status status = pair_init(p, NULL, bench_shape_find(name), 10);

	return pair_finish(p, status ? status : bench_measure(p->bench, ways, 2));
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* By `peer`, which is a process of its own: memory that an earlier measurement gave back would be used again and not be counted. */
static ptowsp_status bytes_measure(struct bench *bench, const struct bench_shape *shape, unsigned threads)
{
	const char *measure = threads == 1 ? "bytes per task in flight, 1 thread" : "bytes per task in flight, 2 threads", *plugin = bench->options.plugin;
	const unsigned n = bench->options.small ? shape->small : shape->n;
	char name[40], self[BENCH_PATH], command[3 * BENCH_PATH];
	struct bench_series bytes = {0};
	double tasks = 0, each = 0;
	FILE *row;

	snprintf(name, sizeof(name), "%s/%u", shape->name, n);
	snprintf(command, sizeof(command), "PB_QUIET_S=0 '%s' peer --workload %s --n %u --threads %u --reps 1 --packages '%s' --plugin '%s'",
		 bench_build_path(bench, "bin/ptowsp-bench", self), shape->name, n, threads, bench->options.packages, plugin ? plugin : "cpu_sim");
	row = popen(command, "r");
	if (row && fscanf(row, "%*s %*s %*s %lf %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lf", &tasks, &each) == 2 && each > 0)
		bench_series_add(&bytes, each * tasks / (tasks < WINDOW ? tasks : WINDOW), false);
	if (row)
		pclose(row);
	bench_table_row(bench, &(struct bench_row){name, measure, "bytes", NULL, 0, 128}, &bytes);
	return PTOWSP_OK;
}

/* ---- shapes -------------------------------------------------------------------------------------------------------- */

static ptowsp_status wild_measure(struct pair *p, unsigned seed)
{
	struct bench_wild *wild = bench_wild_make(seed);
	ptowsp_status status = wild ? shape_measure(p, wild, &wild->shape) : PTOWSP_NO_MEMORY;

	bench_wild_free(wild);
	return status;
}

static bool is_wanted(const struct bench *bench, const char *shape)
{
	return !bench->options.shape || !strcmp(bench->options.shape, shape);
}

static ptowsp_status files_measure(struct pair *p)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct bench_shape *shape = bench_shapes; shape->name; shape++)
		for (unsigned threads = 1; threads <= 2 && !status && is_wanted(p->bench, shape->name); threads++)
			status = bytes_measure(p->bench, shape, threads);
	for (const struct bench_shape *shape = bench_shapes; !status && shape->name; shape++)
		if (is_wanted(p->bench, shape->name))
			status = shape_measure(p, NULL, shape);
	for (size_t i = 0; !status && !p->bench->options.small && i < sizeof(larger) / sizeof(*larger); i++)
		if (is_wanted(p->bench, larger[i].shape))
			status = size_measure(p, NULL, bench_shape_find(larger[i].shape), larger[i].n, false);
	return status;
}

ptowsp_status bench_tasks(struct bench *bench)
{
	const struct bench_options *options = &bench->options;
	struct pair pair = {.bench = bench};
	ptowsp_status status;

	if (options->shape && strcmp(options->shape, "wild") && !bench_shape_find(options->shape)) {
		snprintf(bench->error.text, sizeof(bench->error.text), "no shape \"%.60s\"; tools/bench/shapes has them, and wild are random ones",
			 options->shape);
		return PTOWSP_INVALID;
	}
	status = bench_shapes_check(bench);
	if (!status)
		status = files_measure(&pair);
	if (!status && is_wanted(bench, "chain"))
		status = ten_measure(&pair, "chain");
	if (!status && is_wanted(bench, "independent"))
		status = ten_measure(&pair, "independent");
	for (unsigned i = 0; !status && is_wanted(bench, "wild") && i < SEEDS; i++)
		status = wild_measure(&pair, options->seed + i);
	return status;
}
