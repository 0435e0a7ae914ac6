/* SPDX-License-Identifier: MIT */
/* tasks.c - tasks per millisecond of every shape as users run it: package, host, plugin, real tensors; kernels that do next to nothing and kernels of 200 ns to 20 us,
 * one thread and two; beside them the same tasks by loops in C and by a fixed order on two threads, which are no runtimes but limits. Then random nests
 * by seed, what a task in flight takes, and how long a run of ten tasks takes. Every execution is compared with what the loops leave behind. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/subject.h"

enum { SEEDS = 5, RUNS = 100, WINDOW = 8192 /* tasks in flight: the default */ };

/* What is wanted, tasks/ms of empty kernels on one thread; beyond the first size of a shape, another one. */
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
	const char *name;
	bool few;     /* of the smaller size */
	double least; /* two threads over the fixed order, 0: nothing is asked */
} lengths[] = {{200, "200 ns", false, 0}, {1000, "1 us", false, 0.94}, {5000, "5 us", true, 0}, {20000, "20 us", true, 0}};

/* A shape with one thread and with two. */
struct subject {
	const struct bench_options *options;
	struct bench_subject one, two;
	struct bench_order order; /* on two.nest */
	char name[40];
	struct ptowsp_error *error;
};

/* ---- measures ------------------------------------------------------------------------------------------------------ */

static int rate(struct bench_subject *b, uint32_t flags, double *value_out, struct ptowsp_error *error)
{
	double ns = 1;
	ptowsp_status st = bench_subject_run(b, flags, &ns, error);

	*value_out = (double)b->tasks * 1e6 / ns;
	return st;
}

static int one_counted(void *context, double *value_out, struct ptowsp_error *error)
{
	return rate(&((struct subject *)context)->one, PTOWSP_RUN_NO_KERNELS, value_out, error);
}

static int one_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return rate(&((struct subject *)context)->one, 0, value_out, error);
}

static int two_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return rate(&((struct subject *)context)->two, 0, value_out, error);
}

static int nest_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct bench_subject *b = &((struct subject *)context)->one;
	double ns;

	(void)error;
	bench_subject_nest(b, &ns);
	*value_out = (double)b->tasks * 1e6 / ns;
	return PTOWSP_OK;
}

static int order_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct subject *s = context;
	double ns = 1;
	ptowsp_status st = bench_subject_order(&s->two, &s->order, &ns);

	(void)error;
	*value_out = (double)s->two.tasks * 1e6 / ns;
	return st;
}

/* One right after the other, so that what else the machine does meets both. */
static int ratio(void *context, double *value_out, struct ptowsp_error *error, int (*over)(void *, double *, struct ptowsp_error *),
		 int (*under)(void *, double *, struct ptowsp_error *))
{
	double a = 0, b = 1;
	int st = over(context, &a, error);

	if (!st)
		st = under(context, &b, error);
	*value_out = a / b;
	return st;
}

static int two_over_one(void *context, double *value_out, struct ptowsp_error *error)
{
	return ratio(context, value_out, error, two_rate, one_rate);
}

static int two_over_order(void *context, double *value_out, struct ptowsp_error *error)
{
	return ratio(context, value_out, error, two_rate, order_rate);
}

/* us of one run; shorter than a look at the clock is exact, so many are timed each by itself. */
static int run_us(struct bench_subject *b, double *value_out, struct ptowsp_error *error)
{
	double ns = 0, sum = 0;
	ptowsp_status st = PTOWSP_OK;

	for (unsigned i = 0; !st && i < RUNS; i++, sum += ns)
		st = bench_subject_run(b, 0, &ns, error);
	*value_out = sum / RUNS / 1e3;
	return st;
}

static int one_us(void *context, double *value_out, struct ptowsp_error *error)
{
	return run_us(&((struct subject *)context)->one, value_out, error);
}

static int two_us(void *context, double *value_out, struct ptowsp_error *error)
{
	return run_us(&((struct subject *)context)->two, value_out, error);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

/* least, most: as in struct bench_row. */
static ptowsp_status row_measure(struct subject *s, unsigned threads, const char *measure, const char *unit, double least, double most,
				 int (*take)(void *context, double *value_out, struct ptowsp_error *error))
{
	struct bench_row row = {.benchmark = "tasks", .subject = s->name, .measure = measure, .unit = unit, .least = s->options->small ? 0 : least,
				.most = s->options->small ? 0 : most};
	ptowsp_status st;

	bench_table_progress(s->name, measure);
	st = bench_measure(s->options, threads, &row.series, take, s, s->error);
	if (!st)
		bench_table_row(&row);
	return st;
}

static ptowsp_status subject_init(struct subject *s, const struct bench_wild *wild, const struct bench_shape *shape, unsigned n)
{
	const struct bench_subject like = {.options = s->options, .shape = shape, .wild = wild, .n = n, .threads = 1};
	ptowsp_status st;

	s->one = s->two = like;
	s->two.threads = 2;
	s->order = (struct bench_order){0};
	snprintf(s->name, sizeof(s->name), "%s/%u", shape->name, n);
	st = bench_subject_init(&s->one, s->error);
	if (!st)
		st = bench_subject_init(&s->two, s->error);
	if (!st && shape->two && !bench_order_init(&s->order, &s->two.nest, shape))
		st = PTOWSP_NO_MEMORY;
	return st;
}

/* The verdict about every execution since. */
static ptowsp_status subject_finish(struct subject *s, ptowsp_status st)
{
	if (!st)
		st = bench_subject_verdict(&s->one, s->error);
	if (!st)
		st = bench_subject_verdict(&s->two, s->error);
	bench_order_finish(&s->order);
	bench_subject_finish(&s->one);
	bench_subject_finish(&s->two);
	return st;
}

static double rate_wanted(const struct subject *s)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strcmp(s->one.shape->name, wanted[i].shape))
			return wanted[i].rate;
	return 0;
}

static ptowsp_status empty_measure(struct subject *s)
{
	struct bench_row row = {.benchmark = "tasks", .subject = s->name, .measure = "tasks", .unit = "tasks"};
	ptowsp_status st;

	bench_table_value(row, (double)s->one.tasks);
	st = row_measure(s, 1, "without kernels, 1 thread", "tasks/ms", 0, 0, one_counted);
	if (!st)
		st = row_measure(s, 1, "empty kernels, 1 thread", "tasks/ms", rate_wanted(s), 0, one_rate);
	if (!st)
		st = row_measure(s, 2, "empty kernels, 2 threads", "tasks/ms", 0, 0, two_rate);
	if (!st)
		st = row_measure(s, 2, "empty kernels, 2 threads / 1", "ratio", 0.8, 0, two_over_one);
	return st ? st : row_measure(s, 1, "empty kernels, limit: loops in C", "tasks/ms", 0, 0, nest_rate);
}

/* The rows of two that wait for each other need a core each. */
static ptowsp_status long_measure(struct subject *s, const struct length *length)
{
	const bool order = s->one.shape->two && sysconf(_SC_NPROCESSORS_ONLN) > 1;
	char measure[96];
	ptowsp_status st = bench_subject_work(&s->one, length->ns, s->error);

	if (!st)
		st = bench_subject_work(&s->two, length->ns, s->error);
	bench_order_finish(&s->order);
	if (!st && order && !bench_order_init(&s->order, &s->two.nest, s->two.shape)) /* its tasks hold their work */
		st = PTOWSP_NO_MEMORY;
	snprintf(measure, sizeof(measure), "kernels of %s, 1 thread", length->name);
	if (!st)
		st = row_measure(s, 1, measure, "tasks/ms", 0, 0, one_rate);
	snprintf(measure, sizeof(measure), "kernels of %s, 2 threads", length->name);
	if (!st)
		st = row_measure(s, 2, measure, "tasks/ms", 0, 0, two_rate);
	snprintf(measure, sizeof(measure), "kernels of %s, limit: fixed order, 2 threads", length->name);
	if (!st && order)
		st = row_measure(s, 2, measure, "tasks/ms", 0, 0, order_rate);
	snprintf(measure, sizeof(measure), "kernels of %s, 2 threads / fixed order", length->name);
	if (!st && order)
		st = row_measure(s, 2, measure, "ratio", length->least, 0, two_over_order);
	return st;
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* What a first run adds to the resident memory at its peak, 0: it failed. */
static uint64_t peak_of(const struct subject *s, const struct bench_shape *shape, unsigned n, unsigned threads)
{
	struct bench_subject b = {.options = s->options, .shape = shape, .n = n, .threads = threads};
	uint64_t before = 0, peak = 0;
	double ns;
	ptowsp_status st = bench_subject_init(&b, s->error);

	if (!st) {
		bench_peak_reset();
		before = bench_resident_bytes();
		st = bench_subject_run(&b, 0, &ns, s->error);
		peak = bench_peak_bytes();
	}
	bench_subject_finish(&b);
	return st || peak <= before ? 0 : peak - before;
}

/* In a process of its own, because memory that an earlier measurement gave back would be used again and not be counted. */
static ptowsp_status bytes_measure(struct subject *s, const struct bench_shape *shape, unsigned n, uint64_t tasks, unsigned threads)
{
	struct bench_row row = {.benchmark = "tasks", .subject = s->name, .unit = "bytes", .most = s->options->small ? 0 : 128};
	uint64_t bytes = 0;
	int ends[2];
	pid_t child;

	fflush(NULL);
	child = pipe(ends) ? -1 : fork();
	if (child == 0) {
		bytes = peak_of(s, shape, n, threads);
		_exit(write(ends[1], &bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) ? 0 : 1);
	}
	if (child < 0)
		return PTOWSP_NO_MEMORY;
	close(ends[1]);
	if (read(ends[0], &bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		bytes = 0;
	close(ends[0]);
	waitpid(child, NULL, 0);
	row.measure = threads == 1 ? "bytes per task in flight, 1 thread" : "bytes per task in flight, 2 threads";
	if (bytes)
		bench_table_value(row, (double)bytes / (double)(tasks < WINDOW ? tasks : WINDOW));
	else
		bench_table_row(&row);
	return PTOWSP_OK;
}

/* ---- subjects ------------------------------------------------------------------------------------------------------ */

/* Empty kernels and those whose size is the same; then those of the smaller size. */
static ptowsp_status size_measure(struct subject *s, const struct bench_wild *wild, const struct bench_shape *shape, unsigned n, bool few)
{
	ptowsp_status st = subject_init(s, wild, shape, n);

	if (!st && !few)
		st = empty_measure(s);
	for (size_t i = 0; !st && i < sizeof(lengths) / sizeof(*lengths); i++)
		if (lengths[i].few == few)
			st = long_measure(s, &lengths[i]);
	return subject_finish(s, st);
}

static ptowsp_status shape_measure(struct subject *s, const struct bench_wild *wild, const struct bench_shape *shape)
{
	const unsigned n = s->options->small ? shape->small : shape->n;
	ptowsp_status st = size_measure(s, wild, shape, n, false);

	if (!st)
		st = size_measure(s, wild, shape, s->options->small ? shape->small : shape->few, true);
	return st;
}

static ptowsp_status shape_bytes(struct subject *s, const struct bench_shape *shape)
{
	const unsigned n = s->options->small ? shape->small : shape->n;
	uint64_t tasks;
	ptowsp_status st = subject_init(s, NULL, shape, n);

	tasks = s->one.tasks;
	st = subject_finish(s, st);
	if (!st)
		st = bytes_measure(s, shape, n, tasks, 1);
	return st ? st : bytes_measure(s, shape, n, tasks, 2);
}

static ptowsp_status ten_measure(struct subject *s, const char *name)
{
	ptowsp_status st = subject_init(s, NULL, bench_shape_find(name), 10);

	if (!st)
		st = row_measure(s, 1, "a run of ten empty tasks, 1 thread", "us", 0, 5, one_us);
	if (!st)
		st = row_measure(s, 2, "a run of ten empty tasks, 2 threads", "us", 0, 5, two_us);
	return subject_finish(s, st);
}

static ptowsp_status wild_measure(struct subject *s, unsigned seed)
{
	struct bench_wild *wild = bench_wild_make(seed);
	ptowsp_status st = wild ? shape_measure(s, wild, bench_wild_shape(wild)) : PTOWSP_NO_MEMORY;

	bench_wild_free(wild);
	return st;
}

static bool is_wanted(const struct bench_options *options, const char *shape)
{
	return !options->shape || !strcmp(options->shape, shape);
}

static ptowsp_status all_measure(struct subject *s)
{
	const struct bench_options *options = s->options;
	ptowsp_status st = PTOWSP_OK;

	for (const struct bench_shape *shape = bench_shapes; !st && shape->name; shape++)
		if (is_wanted(options, shape->name))
			st = shape_bytes(s, shape); /* first, while this process is small */
	for (const struct bench_shape *shape = bench_shapes; !st && shape->name; shape++)
		if (is_wanted(options, shape->name))
			st = shape_measure(s, NULL, shape);
	for (size_t i = 0; !st && !options->small && i < sizeof(larger) / sizeof(*larger); i++)
		if (is_wanted(options, larger[i].shape))
			st = size_measure(s, NULL, bench_shape_find(larger[i].shape), larger[i].n, false);
	if (!st && is_wanted(options, "chain"))
		st = ten_measure(s, "chain");
	if (!st && is_wanted(options, "independent"))
		st = ten_measure(s, "independent");
	for (unsigned i = 0; !st && is_wanted(options, "wild") && i < SEEDS; i++)
		st = wild_measure(s, options->seed + i);
	return st;
}

int bench_tasks(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct subject s = {.options = options, .error = &error};
	ptowsp_status st;

	if (options->shape && strcmp(options->shape, "wild") && !bench_shape_find(options->shape))
		return fprintf(stderr, "ptowsp-bench tasks: no shape \"%s\"; tools/bench/shapes has them, and wild are random ones\n", options->shape), 2;
	st = all_measure(&s);
	if (st)
		fprintf(stderr, "ptowsp-bench tasks: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
