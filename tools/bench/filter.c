/* SPDX-License-Identifier: MIT */
/* filter.c - what a scheduler instance pays for tasks that are not its own: 33,554,432 tasks of which it keeps one in 64, beside expanding as many
 * as it keeps without a filter. Expansion only: no accesses, no clock. */
#include <stdlib.h>
#include <string.h>
#include "rt/rt_run.h"
#include "rt/skip.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_program.h"

enum { INSTANCES = 64, KEPT = 524288, ALL = KEPT * INSTANCES };

/* Whose a task is: value is an expression of loops, NULL without one. */
static const struct filter {
	const char *subject;
	unsigned policy;
	int depth; /* of the loop whose value decides; -1: none */
} filters[] = {
	{"round_robin", PTOWSP_DISPATCH_ROUND_ROBIN, -1},	 {"affinity, outermost axis", PTOWSP_DISPATCH_AFFINITY, 0},
	{"static_partition", PTOWSP_DISPATCH_STATIC_PARTITION, -1}, {"hash, innermost axis", PTOWSP_DISPATCH_HASH, 3},
	{"custom, innermost axis", PTOWSP_DISPATCH_CUSTOM, 3},	 {"hash, outermost axis", PTOWSP_DISPATCH_HASH, 0},
};

/* parallel_for b, h, q, k: one task. */
static void nest_make(struct bench_program *p, uint32_t batches, const struct filter *filter)
{
	static const char *const names[] = {"b", "h", "q", "k"};
	const uint32_t extents[] = {batches, 2, 512, 512};
	struct ptowsp_directive_record row = {.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = filter ? (uint16_t)filter->policy : 0};
	uint32_t kernel = bench_program_kernel(p, "nothing", 0, 0, NULL, 0), loops[4];

	for (int d = 0; d < 4; d++)
		loops[d] = bench_program_emit(p, PTOWSP_OP_PARALLEL_FOR, bench_program_axis(p, names[d], bench_program_const(p, extents[d])), 0);
	bench_program_task(p, kernel, 0, 0);
	for (int d = 3; d >= 0; d--)
		bench_program_end(p, loops[d]);
	if (!filter)
		return;
	switch (filter->policy) {
	case PTOWSP_DISPATCH_ROUND_ROBIN:
		row.count = 1, row.a0 = INSTANCES;
		break;
	case PTOWSP_DISPATCH_AFFINITY:
		row.count = 2, row.kinds = PTOWSP_ARGUMENT_WORD | PTOWSP_ARGUMENT_NUMBER << 8;
		row.a0 = bench_program_string(p, names[filter->depth]), row.a1 = INSTANCES;
		break;
	case PTOWSP_DISPATCH_STATIC_PARTITION: /* the first part is kept */
		row.count = 1, row.a0 = KEPT;
		break;
	default:
		row.count = 2, row.kinds = PTOWSP_ARGUMENT_EXPR | PTOWSP_ARGUMENT_NUMBER << 8;
		row.a0 = bench_program_expr(p, PTOWSP_EXPR_AXIS, bench_program_string(p, names[filter->depth]), 0), row.a1 = INSTANCES;
	}
	bench_program_row(p, PTOWSP_SECTION_SCHD, &row, sizeof(row));
}

/* The program in memory, and a run as far as expressions need it. */
struct subject {
	struct bench_program bytes;
	struct rt_program *program;
	struct rt_run *run;
	struct rt_skip *skip;
};

static ptowsp_status subject_init(struct subject *s, uint32_t batches, const struct filter *filter, struct ptowsp_error *error)
{
	static const struct rt_kernels kernels = {0};
	static const struct ptowsp_run_args none = {PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	static struct ptowsp_cap caps[512];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &kernels, .caps = caps};
	const struct rt_run_args run = {.args = &none};
	ptowsp_status st;

	*s = (struct subject){0};
	bench_program_init(&s->bytes);
	nest_make(&s->bytes, batches, filter);
	args.sections = bench_program_seal(&s->bytes, &args.section_count);
	args.cap_count = rt_capabilities(caps, sizeof(caps) / sizeof(*caps));
	s->run = calloc(1, sizeof(*s->run));
	s->skip = calloc(1, sizeof(*s->skip));
	if (!args.sections || !s->run || !s->skip)
		return PTOWSP_NO_MEMORY;
	st = rt_program_create(&s->program, &args, error);
	s->run->quiet = true;
	return st ? st : rt_run_init(s->run, s->program, &run, error);
}

static void subject_finish(struct subject *s)
{
	if (s->run && s->run->program)
		rt_run_finish(s->run);
	free(s->run);
	free(s->skip);
	rt_program_destroy(s->program);
	bench_program_finish(&s->bytes);
}

/* Tasks that come out; their numbers are added up so that nothing is left out. */
static uint64_t plain_walk(struct subject *s)
{
	struct rt_expand *expand = &s->run->expand;
	enum rt_event event;
	uint64_t tasks = 0;

	rt_expand_start(expand, s->program, &s->run->env, NULL);
	while ((event = rt_expand_next(expand)) != RT_EVENT_END)
		tasks += event == RT_EVENT_TASK;
	return tasks;
}

static uint64_t filtered_walk(struct subject *s)
{
	enum rt_event event;
	uint64_t tasks = 0;

	if (rt_skip_init(s->skip, &s->run->expand, s->program, &s->run->env, 0, INSTANCES, NULL))
		return 0;
	while ((event = rt_skip_next(s->skip)) != RT_EVENT_END)
		tasks += event == RT_EVENT_TASK;
	rt_skip_finish(s->skip);
	return s->skip->number == ALL ? tasks : 0;
}

/* Both in turn, on a machine that others use too: ms of the filtered walk, and how much more one of its tasks costs than one without a filter. */
static ptowsp_status pair_measure(const struct bench_options *options, const struct filter *filter, struct bench_series *ms, struct bench_series *ratios,
				  uint64_t *kept, struct ptowsp_error *error)
{
	struct subject plain, s;
	ptowsp_status st = subject_init(&plain, 1, NULL, error), filtered = subject_init(&s, INSTANCES, filter, error);

	st = st ? st : filtered;
	for (unsigned r = 0; !st && r <= options->reps; r++) {
		uint64_t began = bench_now_ns(), between;
		double each;

		plain_walk(&plain);
		between = bench_now_ns();
		each = (double)(between - began) / KEPT;
		*kept = filtered_walk(&s);
		began = bench_now_ns();
		if (!r || !*kept) /* the first one warms up */
			continue;
		bench_series_add(ms, (double)(began - between) / 1e6);
		bench_series_add(ratios, (double)(began - between) / (double)*kept / each);
	}
	subject_finish(&s);
	subject_finish(&plain);
	return st;
}

static ptowsp_status plain_measure(const struct bench_options *options, struct bench_series *ms, struct ptowsp_error *error)
{
	struct subject s;
	ptowsp_status st = subject_init(&s, 1, NULL, error);

	for (unsigned r = 0; !st && r <= options->reps; r++) {
		uint64_t began = bench_now_ns();

		plain_walk(&s);
		if (r)
			bench_series_add(ms, (double)(bench_now_ns() - began) / 1e6);
	}
	subject_finish(&s);
	return st;
}

static void row_print(const char *subject, const char *measure, const char *unit, const struct bench_series *series, double most)
{
	const struct bench_row row = {.benchmark = "filter", .subject = subject, .measure = measure, .unit = unit, .series = *series, .most = most};

	bench_table_row(&row);
}

static void one_print(const char *subject, const char *measure, const char *unit, double value, double most)
{
	struct bench_series series = {0};

	bench_series_add(&series, value);
	row_print(subject, measure, unit, &series, most);
}

/* By value of an inner axis each iteration is asked; else the price is compared with that of the tasks kept. */
static ptowsp_status filter_measure(const struct bench_options *options, const struct filter *filter, struct ptowsp_error *error)
{
	struct bench_series ms = {0}, ratios = {0};
	uint64_t kept = 0;
	ptowsp_status st = pair_measure(options, filter, &ms, &ratios, &kept, error);

	if (st)
		return st;
	row_print(filter->subject, "33,554,432 tasks filtered", "ms", &ms, 0);
	one_print(filter->subject, "tasks kept", "tasks", (double)kept, 0);
	if (filter->depth == 3)
		one_print(filter->subject, "per rejected iteration", "ns", bench_series_median(&ms) * 1e6 / (double)(ALL - kept), 3);
	else
		row_print(filter->subject, "per kept task, against no filter", "ratio", &ratios, 1.5);
	return st;
}

int bench_filter(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct bench_series ms = {0};
	ptowsp_status st = plain_measure(options, &ms, &error);

	if (!st)
		row_print("no filter", "524,288 tasks expanded", "ms", &ms, 0);
	for (size_t i = 0; !st && i < sizeof(filters) / sizeof(*filters); i++)
		st = filter_measure(options, &filters[i], &error);
	if (st)
		fprintf(stderr, "ptowsp-bench filter: %s\n", error.text);
	return st ? 1 : 0;
}
