/* SPDX-License-Identifier: MIT */
/* softmax.c - safe against pipelined start: the fused softmax of 64 tiles, 320 tasks, once with everything submitted before anything starts, once with a
 * start at 20 tasks. The two take turns, so that what else the machine does meets both. */
#include <unistd.h>
#include "tools/bench/bench.h"
#include "tools/bench/fused_softmax.h"

enum { TILES = 64, THRESHOLD = 20 };

struct sides {
	struct bench_series safe, pipelined, gain;
};

static ptowsp_status side_run(struct fused_softmax *f, uint32_t workers, uint32_t threshold, struct bench_series *series, double *ms_out,
			      struct ptowsp_error *error)
{
	struct rt_tasks_result result;
	ptowsp_status st = rt_tasks_run(f->tasks, fused_softmax_orchestrate, f, workers, threshold, &result, error);

	*ms_out = (double)result.total_ns / 1e6;
	if (series)
		bench_series_add(series, *ms_out);
	return st;
}

/* One pair first that is not counted: threads are made, memory is touched. */
static ptowsp_status sides_measure(struct fused_softmax *f, uint32_t workers, unsigned reps, struct sides *sides, struct ptowsp_error *error)
{
	double safe = 0, pipelined = 0;
	ptowsp_status st = side_run(f, workers, 0, NULL, &safe, error);

	if (!st)
		st = side_run(f, workers, THRESHOLD, NULL, &pipelined, error);
	for (unsigned r = 0; !st && r < reps; r++) {
		st = side_run(f, workers, 0, &sides->safe, &safe, error);
		if (!st)
			st = side_run(f, workers, THRESHOLD, &sides->pipelined, &pipelined, error);
		bench_series_add(&sides->gain, 100.0 * (safe / pipelined - 1));
	}
	return st;
}

static void row_print(const char *subject, const char *measure, const char *unit, const struct bench_series *series, const char *reference)
{
	const struct bench_row row = {.benchmark = "softmax", .subject = subject, .measure = measure, .unit = unit, .series = *series,
				      .reference = reference};

	bench_table_row(&row);
}

static ptowsp_status workers_measure(struct fused_softmax *f, uint32_t workers, unsigned reps, struct ptowsp_error *error)
{
	struct sides sides = {0};
	char subject[64];
	ptowsp_status st = sides_measure(f, workers, reps, &sides, error);

	if (st)
		return st;
	if (fused_softmax_wrong(f)) {
		snprintf(error->text, sizeof(error->text), "the results are wrong");
		return PTOWSP_MISMATCH;
	}
	snprintf(subject, sizeof(subject), "fused softmax, 320 tasks, %u thread%s%s", workers, workers == 1 ? "" : "s",
		 (long)workers > sysconf(_SC_NPROCESSORS_ONLN) ? " (more than cores)" : "");
	row_print(subject, "safe, threshold 0", "ms", &sides.safe, "102 (seed, claimed)");
	row_print(subject, "pipelined, threshold 20", "ms", &sides.pipelined, "73 (seed, claimed)");
	row_print(subject, "gain of the pipelined start", "%", &sides.gain, "40 (seed, claimed)");
	return PTOWSP_OK;
}

int bench_softmax(const struct bench_options *options)
{
	static const uint32_t workers[] = {1, 2, 8};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct fused_softmax f;
	ptowsp_status st = fused_softmax_init(&f, TILES, NULL);

	for (int i = 0; !st && i < 3; i++)
		st = workers_measure(&f, workers[i], options->reps, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench softmax: %s\n", *error.text ? error.text : "out of memory");
	if (f.tasks)
		fused_softmax_finish(&f);
	return st ? 1 : 0;
}
