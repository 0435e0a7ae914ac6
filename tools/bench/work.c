/* SPDX-License-Identifier: MIT */
/* work.c - the graphs w1 to w4 of the peer comparison, and that of a llama layer, on one thread, kernels that only count: what the core does of them per millisecond, beside
 * code written by hand for the same graph in the same process, in turn. Every execution is counted, the first and the last are checked for order. */
#include "tools/bench/bench.h"
#include "tools/bench/limit.h"

#define WINDOW 8192 /* the default, stated because the time of a survey is measured, too, which has none otherwise */
#define NO_WINDOW (UINT32_C(1) << 24) /* larger than any of these graphs */

static const struct work {
	enum bench_workload workload;
	unsigned n, small;
	/* targets, 0: none */
	double raw, full, share; /* expansion and inference: tasks/ms; default rule over exact keys */
	double run, stack;       /* end to end: tasks/ms; time as a multiple of the ready stack's */
	const char *best;        /* end to end: of the peers that track dependencies, in the recorded baseline */
	const char *seed;        /* expansion and inference */
} works[] = {
	{BENCH_LLAMA, 256, 16, 55000, 45000, 0.7, 30000, 0, NULL, "3800 (seed, measured), 5868 (claimed)"},
	{BENCH_W1, 128, 8, 0, 0, 0, 35000, 1.8, "22814 (tbb-taskgroup, counters made by hand)", NULL},
	{BENCH_W2, 512, 16, 0, 0, 0, 28000, 1.9, "22558 (tbb-taskgroup, counters made by hand)", NULL},
	{BENCH_W3, 200000, 500, 0, 0, 0, 125000, 0, "123593 (omp-libgomp, runs inline)", NULL},
	{BENCH_W4, 200000, 500, 0, 0, 0, 50000, 0, "28043 (tbb-taskgroup, counters made by hand)", NULL},
};

/* One graph under both rules. */
struct subject {
	const struct bench_options *options;
	const struct work *work;
	struct bench_load exact, overlap, raw; /* raw: exact keys, RAW edges only */
	char name[32];
	struct ptowsp_error *error;
};

static int load_rate(struct bench_load *load, double *value_out, struct ptowsp_error *error)
{
	double ns;
	ptowsp_status st = bench_load_run(load, 0, false, NULL, &ns, error);

	*value_out = load->graph.tasks * 1e6 / ns;
	return st;
}

static int exact_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return load_rate(&((struct subject *)context)->exact, value_out, error);
}

static int overlap_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	return load_rate(&((struct subject *)context)->overlap, value_out, error);
}

static int limit_rate(struct subject *s, enum bench_limit limit, double *value_out)
{
	double ns;
	ptowsp_status st = bench_limit_run(&s->exact, limit, false, &ns);

	*value_out = s->exact.graph.tasks * 1e6 / ns;
	return st;
}

static int stack_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	(void)error;
	return limit_rate(context, BENCH_LIMIT_STACK, value_out);
}

static int order_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	(void)error;
	return limit_rate(context, BENCH_LIMIT_ORDER, value_out);
}

/* One after the other, so that what else the machine does meets both. */
static int times_the_stack(void *context, double *value_out, struct ptowsp_error *error)
{
	double ours = 1, theirs = 0;
	int st = exact_rate(context, &ours, error);

	if (!st)
		st = stack_rate(context, &theirs, error);
	*value_out = theirs / ours;
	return st;
}

static int default_share(void *context, double *value_out, struct ptowsp_error *error)
{
	double exact = 1, overlap = 0;
	int st = exact_rate(context, &exact, error);

	if (!st)
		st = overlap_rate(context, &overlap, error);
	*value_out = overlap / exact;
	return st;
}

static int found_rate(struct bench_load *load, double *value_out, struct ptowsp_error *error)
{
	uint64_t began = bench_now_ns();
	struct rt_survey survey;
	ptowsp_status st = bench_load_survey(load, &survey, error);

	*value_out = load->graph.tasks * 1e6 / (double)(bench_now_ns() - began);
	return st;
}

static int raw_found(void *context, double *value_out, struct ptowsp_error *error)
{
	return found_rate(&((struct subject *)context)->raw, value_out, error);
}

static int exact_found(void *context, double *value_out, struct ptowsp_error *error)
{
	return found_rate(&((struct subject *)context)->exact, value_out, error);
}

static int overlap_found(void *context, double *value_out, struct ptowsp_error *error)
{
	return found_rate(&((struct subject *)context)->overlap, value_out, error);
}

static int found_share(void *context, double *value_out, struct ptowsp_error *error)
{
	double exact = 1, overlap = 0;
	int st = exact_found(context, &exact, error);

	if (!st)
		st = overlap_found(context, &overlap, error);
	*value_out = overlap / exact;
	return st;
}

static int faults(void *context, double *value_out, struct ptowsp_error *error)
{
	uint64_t before = bench_faults();
	double unused;
	int st = exact_rate(context, &unused, error);

	*value_out = (double)(bench_faults() - before);
	return st;
}

static struct bench_row row_of(const struct subject *s, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "work", .subject = s->name, .measure = measure, .unit = unit};
}

static ptowsp_status rows_measure(struct subject *s)
{
	const struct work *w = s->work;
	const bool targets = !s->options->small;
	const struct {
		const char *measure, *unit, *reference;
		int (*run)(void *context, double *value_out, struct ptowsp_error *error);
		double least, most;
	} rows[] = {
		{"expansion and inference, exact keys, raw", "tasks/ms", w->seed, raw_found, w->raw, 0},
		{"expansion and inference, exact keys", "tasks/ms", w->seed, exact_found, w->full, 0},
		{"expansion and inference, default", "tasks/ms", w->seed, overlap_found, 0, 0},
		{"expansion and inference, default / exact keys", "ratio", NULL, found_share, w->share, 0},
		{"end to end, exact keys", "tasks/ms", w->best, exact_rate, w->run, 0},
		{"end to end, default", "tasks/ms", w->best, overlap_rate, 0, 0},
		{"end to end, default / exact keys", "ratio", NULL, default_share, 0.8, 0},
		{"ready stack by hand, end to end", "tasks/ms", NULL, stack_rate, 0, 0},
		{"fixed order by hand, end to end", "tasks/ms", NULL, order_rate, 0, 0},
		{"time as a multiple of the ready stack's", "ratio", NULL, times_the_stack, 0, w->stack},
		{"page faults of a run", "faults", NULL, faults, 0, 0.5},
	};
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; !st && i < sizeof(rows) / sizeof(*rows); i++) {
		struct bench_row row = row_of(s, rows[i].measure, rows[i].unit);

		row.reference = rows[i].reference;
		row.least = targets ? rows[i].least : 0;
		row.most = targets ? rows[i].most : 0;
		bench_table_progress(s->name, row.measure);
		st = bench_measure(s->options, 1, &row.series, rows[i].run, s, s->error);
		if (!st)
			bench_table_row(&row);
	}
	return st;
}

/* Executions of both loads and of the two by hand, with every task's order looked at. */
static ptowsp_status checks_run(struct subject *s)
{
	double ns;
	ptowsp_status st = bench_load_run(&s->exact, 0, true, NULL, &ns, s->error);

	if (!st)
		st = bench_load_run(&s->overlap, 0, true, NULL, &ns, s->error);
	if (!st)
		st = bench_limit_run(&s->exact, BENCH_LIMIT_STACK, true, &ns);
	return st ? st : bench_limit_run(&s->exact, BENCH_LIMIT_ORDER, true, &ns);
}

/* Edges found without a window are those of the graph. */
static ptowsp_status edges_count(struct subject *s)
{
	struct bench_load load = {.workload = s->work->workload, .n = s->exact.n, .threads = 1, .deps = PTOWSP_DEPS_TENSOR_MAP_EXACT,
				  .hazards = PTOWSP_HAZARDS_RAW, .window = NO_WINDOW};
	struct rt_survey survey;
	ptowsp_status st = bench_load_init(&load, s->error);

	if (!st)
		st = bench_load_survey(&load, &survey, s->error);
	if (!st && (survey.edges != load.graph.edges || survey.tasks != load.graph.tasks)) {
		snprintf(s->error->text, sizeof(s->error->text), "%s: %llu edges were found and not %llu", s->name, (unsigned long long)survey.edges,
			 (unsigned long long)load.graph.edges);
		st = PTOWSP_MISMATCH;
	}
	if (!st) {
		bench_table_value(row_of(s, "tasks", "tasks"), (double)survey.tasks);
		bench_table_value(row_of(s, "edges without a window, raw", "edges"), (double)survey.edges);
	}
	bench_load_finish(&load);
	return st;
}

static ptowsp_status subject_measure(struct subject *s)
{
	ptowsp_status st = bench_load_init(&s->exact, s->error);

	if (!st)
		st = bench_load_init(&s->overlap, s->error);
	if (!st)
		st = bench_load_init(&s->raw, s->error);
	if (!st)
		st = edges_count(s);
	if (!st)
		st = checks_run(s);
	if (!st)
		st = rows_measure(s);
	if (!st)
		st = checks_run(s);
	if (!st && (s->exact.bad_order || s->exact.bad_count || s->overlap.bad_order || s->overlap.bad_count)) {
		snprintf(s->error->text, sizeof(s->error->text), "%s: tasks ran out of order, or not once each", s->name);
		st = PTOWSP_MISMATCH;
	}
	return st;
}

int bench_work(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; !st && i < sizeof(works) / sizeof(*works); i++) {
		const unsigned n = options->small ? works[i].small : works[i].n;
		const struct bench_load load = {.workload = works[i].workload, .n = n, .threads = 1, .deps = PTOWSP_DEPS_TENSOR_MAP_EXACT,
						.hazards = PTOWSP_HAZARDS_FULL, .window = WINDOW};
		struct subject s = {.options = options, .work = &works[i], .exact = load, .overlap = load, .raw = load, .error = &error};

		s.overlap.deps = PTOWSP_DEPS_BYTES_OVERLAP;
		s.raw.hazards = PTOWSP_HAZARDS_RAW;
		snprintf(s.name, sizeof(s.name), "%s/%u", bench_graph_name(works[i].workload), n);
		st = subject_measure(&s);
		bench_load_finish(&s.exact);
		bench_load_finish(&s.overlap);
		bench_load_finish(&s.raw);
	}
	if (st)
		fprintf(stderr, "ptowsp-bench work: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
