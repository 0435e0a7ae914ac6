/* SPDX-License-Identifier: MIT */
/* peer.c - ptowsp-bench peer: one row of the comparison with other task-graph runtimes, as users run it: package, host, plugin, real tensors.
 *
 * Protocol: the graph is generated from bytecode in every repetition and executed while it is generated, so there is no figure for building or for a second
 * execution alone. After every repetition, the timed ones too, tensors and counts are compared with those of plain loops. */
#include "tools/bench/trial.h"
#include "tools/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DOES_NOT_APPLY 3

static const char *const columns = "peer\tthreads\tworkload\ttasks\tedges\twork_ns\treps\tbuild_tpms\tbuild_min\tbuild_max\texec_tpms\texec_min\texec_max"
				   "\te2e_tpms\te2e_min\te2e_max\tteardown_tpms\trss_bytes_per_task\tnoisy\tverified";

/* Flags of the row. */
struct peer {
	const char *workload, *deps, *plugin, *packages;
	uint32_t n, threads, work_ns, reps, window;
	bool columns;
};
static const struct flag flags[] = {
#define X(name, sort, field) FLAG_ROW(struct peer, name, 0, sort, field, "VALUE")
	X("workload", TEXT, workload) X("n", COUNT, n) X("threads", COUNT, threads) X("work-ns", COUNT, work_ns) X("reps", COUNT, reps)
		X("window", COUNT, window) X("deps", TEXT, deps) X("plugin", TEXT, plugin) X("packages", TEXT, packages) X("columns", FLAG, columns)
#undef X
};

static int flags_check(const struct peer *peer)
{
	const struct bench_shape *shape = bench_shape_find(peer->workload);

	if (!shape)
		return tool_misuse("peer: no workload \"%s\"", peer->workload);
	if (strcmp(peer->deps, "exact") && strcmp(peer->deps, "overlap"))
		return tool_misuse("peer: --deps is exact or overlap, not \"%s\"", peer->deps);
	if (!peer->n || peer->n > 1u << 24 || !peer->threads || peer->threads > 1024 || !peer->reps || peer->reps > BENCH_REPS_LIMIT ||
	    peer->work_ns > 1u << 30 || peer->window > 1u << 24)
		return tool_misuse("peer: a number is out of range for \"%s\"", peer->workload);
	/* Tasks grow with the square of n or faster, and their numbers here have 32 bits. */
	return peer->n > 4096 && shape->n < 1000 ? DOES_NOT_APPLY : 0;
}

static ptowsp_status rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct bench_trial *trial = context;
	double ns = 1;
	ptowsp_status status = bench_trial_run(trial, 0, &ns, error);

	*value_out = (double)trial->tasks * 1e6 / ns;
	return status;
}

static void row_print(const struct peer *peer, const struct bench_trial *t, uint64_t edges, const struct bench_series *rates, uint64_t bytes)
{
	const struct bench_quantiles rate = bench_series_quantiles(rates);

	printf("%s\t%u\t%s/%u\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u", strcmp(peer->deps, "exact") ? "ptowsp" : "ptowsp-exact", peer->threads, peer->workload,
	       peer->n, t->tasks, edges, peer->work_ns, peer->reps);
	printf("\t-\t-\t-\t-\t-\t-\t%.0f\t%.0f\t%.0f\t-", rate.median, rate.least, rate.most);
	printf("\t%.0f\t%u", (double)bytes / (double)t->tasks, bench_series_noisy(rates));
	if (t->bad_tensors || t->bad_counts)
		printf("\tFAIL(order=%" PRIu64 ",count=%" PRIu64 ")\n", t->bad_tensors, t->bad_counts);
	else
		printf("\tok\n");
}

/* The edges of the row; the lists they come from are not kept. */
static ptowsp_status edges_count(struct bench_trial *trial, uint64_t *edges_out)
{
	struct bench_order order;
	const bool made = bench_order_init(&order, &trial->nest, trial->shape);

	*edges_out = order.edges;
	bench_order_finish(&order);
	return made ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static ptowsp_status row_make(const struct peer *peer, struct bench_trial *trial)
{
	const struct bench_way way = {.row = {peer->workload, "", "", NULL, 0, 0}, .take = rate, .context = trial, .threads = peer->threads};
	struct bench_series rates = {0};
	uint64_t resident, peak, edges = 0;
	double ns;
	ptowsp_status status = bench_trial_init(trial);

	if (!status)
		status = edges_count(trial, &edges);
	if (!status)
		status = bench_trial_work(trial, peer->work_ns);
	bench_peak_reset();
	resident = bench_resident_bytes();
	if (!status)
		status = bench_trial_run(trial, 0, &ns, &trial->bench->error);
	peak = bench_peak_bytes();
	if (!status)
		status = bench_take_all(trial->bench, &way, 1, &rates);
	if (!status)
		row_print(peer, trial, edges, &rates, peak > resident ? peak - resident : 0);
	return status;
}

int bench_peer(struct bench *bench, int argc, char **argv)
{
	struct peer peer = {.workload = "w1", .deps = "overlap", .packages = bench->options.packages, .n = 128, .threads = 1, .reps = 7};
	struct command_line line = {.flags = flags, .count = sizeof(flags) / sizeof(*flags), .into = &peer};
	int rc = command_line_read(&line, argc, argv, &bench->error) ? tool_misuse("peer: %s", bench->error.text) : 0;
	char window[40];
	const char *schedule[] = {NULL, window};
	struct bench_trial trial = {.bench = bench, .n = peer.n};

	if (!rc && line.words.count)
		rc = tool_misuse("peer: no option \"%s\"", line.words.at[0]);
	free(line.words.at);
	if (!rc && peer.columns)
		return puts(columns), 0;
	if (!rc)
		rc = flags_check(&peer);
	if (rc)
		return rc;
	schedule[0] = strcmp(peer.deps, "exact") ? "deps=bytes_overlap" : "deps=tensor_map_exact";
	snprintf(window, sizeof(window), "task_window=%u", peer.window);
	bench->options.reps = peer.reps;
	bench->options.packages = peer.packages;
	bench->options.plugin = peer.plugin;
	trial.n = peer.n;
	trial.shape = bench_shape_find(peer.workload);
	trial.subject = (struct bench_subject){.on = {.threads = peer.threads}, .schedule = {.schedule = schedule, .schedule_count = peer.window ? 2 : 1}};
	rc = bench_shapes_check(bench) ? 2 : row_make(&peer, &trial) != PTOWSP_OK;
	if (rc)
		fprintf(stderr, "ptowsp-bench peer: %s\n", *bench->error.text ? bench->error.text : "out of memory");
	rc = rc ? rc : trial.bad_tensors || trial.bad_counts;
	bench_trial_finish(&trial);
	return rc;
}
