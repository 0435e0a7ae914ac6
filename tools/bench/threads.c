/* SPDX-License-Identifier: MIT */
/* threads.c - the graphs w1 to w4 with 1 to 8 threads, kernels that only count and kernels of 1 us; two threads against one; two threads against
 * a fixed order on two threads, written by hand, in alternating pairs. */
#include <unistd.h>
#include "tools/bench/bench.h"
#include "tools/bench/limit.h"
#include "tools/bench/spin.h"

enum { MOST = 8, PAIRS = 5 };

static const struct graph {
	enum bench_workload workload;
	unsigned n, small;
	double gain; /* target of two threads over one at 200 ns, 0: none */
} graphs[] = {
	{BENCH_W1, 128, 8, 1.5},
	{BENCH_W2, 256, 16, 1.5},
	{BENCH_W3, 50000, 500, 1.5},
	{BENCH_W4, 50000, 500, 0},
};

struct subject {
	const struct bench_options *options;
	const struct graph *graph;
	unsigned n;
	struct bench_load one, more; /* more: with the threads being measured */
	struct ptowsp_error *error;
};

static ptowsp_status load_make(const struct subject *s, struct bench_load *load, unsigned threads)
{
	*load = (struct bench_load){.workload = s->graph->workload, .n = s->n, .threads = threads, .deps = PTOWSP_DEPS_TENSOR_MAP_EXACT,
				    .hazards = PTOWSP_HAZARDS_FULL};
	return bench_load_init(load, s->error);
}

static int load_rate(struct bench_load *load, double *value_out, struct ptowsp_error *error)
{
	double ns;
	ptowsp_status st = bench_load_run(load, 0, load->work > 0, NULL, &ns, error);

	*value_out = load->graph.tasks * 1e6 / ns;
	return st;
}

static int more_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return load_rate(&((struct subject *)context)->more, value_out, error);
}

static int more_over_one(void *context, double *value_out, struct ptowsp_error *error)
{
	struct subject *s = context;
	double one = 1, more = 0;
	int st = load_rate(&s->one, &one, error);

	if (!st)
		st = load_rate(&s->more, &more, error);
	*value_out = more / one;
	return st;
}

static int more_over_order(void *context, double *value_out, struct ptowsp_error *error)
{
	struct subject *s = context;
	double ns, order, more = 0;
	int st = bench_limit_run(&s->more, BENCH_LIMIT_ORDER_TWO, true, &ns);

	order = s->more.graph.tasks * 1e6 / ns;
	if (!st)
		st = load_rate(&s->more, &more, error);
	*value_out = more / order;
	return st;
}

static int order_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct subject *s = context;
	double ns;
	int st = bench_limit_run(&s->more, BENCH_LIMIT_ORDER_TWO, true, &ns);

	(void)error;
	*value_out = s->more.graph.tasks * 1e6 / ns;
	return st;
}

static ptowsp_status row_measure(struct subject *s, const char *measure, const char *unit, double least,
				 int (*run)(void *context, double *value_out, struct ptowsp_error *error))
{
	const unsigned threads = s->more.threads;
	char subject[64];
	struct bench_row row = {.benchmark = "threads", .subject = subject, .measure = measure, .unit = unit, .least = s->options->small ? 0 : least};
	struct bench_options pairs = *s->options;
	ptowsp_status st;

	if (run == more_over_order)
		pairs.reps = PAIRS;
	snprintf(subject, sizeof(subject), "w%d/%u, %u thread%s%s", (int)s->graph->workload, s->n, threads, threads == 1 ? "" : "s",
		 (long)threads > sysconf(_SC_NPROCESSORS_ONLN) ? " (more than cores)" : "");
	bench_table_progress(subject, measure);
	st = bench_measure(&pairs, threads, &row.series, run, s, s->error);
	if (!st)
		bench_table_row(&row);
	return st;
}

static void work_set(struct subject *s, unsigned ns)
{
	s->one.work = s->more.work = bench_spin_count(ns);
}

/* Rows of so many threads. */
static ptowsp_status threads_measure(struct subject *s, unsigned threads)
{
	ptowsp_status st = load_make(s, &s->more, threads);

	work_set(s, 0);
	if (!st)
		st = row_measure(s, "end to end, empty kernels", "tasks/ms", 0, more_rate);
	work_set(s, 1000);
	if (!st)
		st = row_measure(s, "end to end, kernels of 1 us", "tasks/ms", 0, more_rate);
	return st;
}

static ptowsp_status two_measure(struct subject *s)
{
	ptowsp_status st;

	work_set(s, 0);
	st = row_measure(s, "two threads over one, empty kernels", "ratio", 0.95, more_over_one);
	work_set(s, 200);
	if (!st)
		st = row_measure(s, "two threads over one, kernels of 200 ns", "ratio", s->graph->gain, more_over_one);
	work_set(s, 1000);
	if (st || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return st; /* the two that wait for each other need a core each */
	st = row_measure(s, "fixed order by hand, kernels of 1 us", "tasks/ms", 0, order_rate);
	return st ? st : row_measure(s, "over the fixed order by hand, kernels of 1 us", "ratio", 0.97, more_over_order);
}

static ptowsp_status wrong(const struct subject *s, const struct bench_load *load)
{
	if (!load->bad_order && !load->bad_count)
		return PTOWSP_OK;
	snprintf(s->error->text, sizeof(s->error->text), "w%d/%u, %u threads: tasks ran out of order, or not once each", (int)s->graph->workload, s->n,
		 load->threads);
	return PTOWSP_MISMATCH;
}

static ptowsp_status graph_measure(struct subject *s)
{
	const unsigned most = s->options->small ? 2 : MOST;
	ptowsp_status st = load_make(s, &s->one, 1);

	for (unsigned threads = 1; !st && threads <= most; threads++) {
		st = threads_measure(s, threads);
		if (!st && threads == 2)
			st = two_measure(s);
		if (!st)
			st = wrong(s, &s->more);
		bench_load_finish(&s->more);
	}
	if (!st)
		st = wrong(s, &s->one);
	bench_load_finish(&s->one);
	return st;
}

int bench_threads(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; !st && i < sizeof(graphs) / sizeof(*graphs); i++) {
		struct subject s = {.options = options, .graph = &graphs[i], .n = options->small ? graphs[i].small : graphs[i].n, .error = &error};

		st = graph_measure(&s);
	}
	if (st)
		fprintf(stderr, "ptowsp-bench threads: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
