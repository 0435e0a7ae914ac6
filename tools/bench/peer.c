/* SPDX-License-Identifier: MIT */
/* peer.c - ptowsp-bench peer: one row of the comparison with other task-graph runtimes, as users run it: package, host, plugin, real tensors.
 *
 * Protocol: the graph is generated from bytecode in every repetition and executed while it is generated, so there is no figure for building or for a second
 * execution alone. After every repetition, the timed ones too, tensors and counts are compared with what plain loops leave behind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/quiet.h"
#include "tools/bench/subject.h"

#define DOES_NOT_APPLY 3

static const char *const columns =
	"peer\tthreads\tworkload\ttasks\tedges\twork_ns\treps\tbuild_tpms\tbuild_min\tbuild_max\texec_tpms\texec_min\texec_max"
	"\te2e_tpms\te2e_min\te2e_max\tteardown_tpms\trss_bytes_per_task\tnoisy\tverified";

struct peer {
	struct bench_subject subject;
	struct bench_options options;
	const char *workload;
	unsigned work_ns, window;
	bool exact;
	uint64_t edges; /* unique pairs of a task and one that wrote what it reads */
	char schedule[2][40];
	const char *rows[2];
};

/* The timed repetitions. Disturbed ones are taken again, at most as many as there are. */
static ptowsp_status measure(struct peer *peer, struct bench_series *rates, struct ptowsp_error *error)
{
	unsigned again = peer->options.reps;
	ptowsp_status st = PTOWSP_OK;

	while (!st && rates->count < peer->options.reps) {
		struct bench_quiet quiet;
		bool disturbed;
		double ns;

		bench_quiet_wait();
		bench_quiet_begin(&quiet);
		st = bench_subject_run(&peer->subject, 0, &ns, error);
		disturbed = bench_quiet_disturbed(&quiet, peer->subject.threads);
		if (disturbed && again) {
			again--;
			continue;
		}
		rates->disturbed += disturbed;
		bench_series_add(rates, (double)peer->subject.tasks * 1e6 / ns);
	}
	return st;
}

static void row_print(const struct peer *peer, const struct bench_series *rates, uint64_t bytes)
{
	const struct bench_subject *s = &peer->subject;

	printf("%s\t%u\t%s/%u\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u", peer->exact ? "ptowsp-exact" : "ptowsp", s->threads, peer->workload, s->n, s->tasks, peer->edges,
	       peer->work_ns, peer->options.reps);
	printf("\t-\t-\t-\t-\t-\t-\t%.0f\t%.0f\t%.0f\t-", bench_series_median(rates), bench_series_least(rates), bench_series_most(rates));
	printf("\t%.0f\t%u", (double)bytes / (double)s->tasks, rates->disturbed);
	if (s->bad_tensors || s->bad_counts)
		printf("\tFAIL(order=%" PRIu64 ",count=%" PRIu64 ")\n", s->bad_tensors, s->bad_counts);
	else
		printf("\tok\n");
}

static int word_take(struct peer *peer, const char *name, const char *value)
{
	if (!strcmp(name, "--workload") && (peer->subject.shape = bench_shape_find(value)))
		peer->workload = value;
	else if (!strcmp(name, "--deps") && (!strcmp(value, "exact") || !strcmp(value, "overlap")))
		peer->exact = !strcmp(value, "exact");
	else if (!strcmp(name, "--plugin") && *value)
		peer->options.plugin = value;
	else if (!strcmp(name, "--packages") && *value)
		peer->options.packages = value;
	else
		return 2;
	return 0;
}

static int argument_take(struct peer *peer, const char *name, const char *value)
{
	const struct {
		const char *name;
		unsigned *value;
		unsigned least, most;
	} arguments[] = {
		{"--n", &peer->subject.n, 1, 1u << 24},	    {"--threads", &peer->subject.threads, 1, 1024}, {"--work-ns", &peer->work_ns, 0, 1u << 30},
		{"--reps", &peer->options.reps, 1, BENCH_REPS_LIMIT}, {"--window", &peer->window, 1, 1u << 24},
	};
	char *end;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		if (!strcmp(arguments[i].name, name)) {
			unsigned long number = strtoul(value, &end, 10);

			*arguments[i].value = (unsigned)number;
			if (*value && !*end && number >= arguments[i].least && number <= arguments[i].most)
				return 0;
		}
	if (!word_take(peer, name, value))
		return 0;
	fprintf(stderr, "ptowsp-bench peer: %s %s: not an option, or not a value that it takes; ptowsp-bench --help shows them\n", name, value);
	return 2;
}

/* The edges of the row; the lists they come from are not kept. */
static ptowsp_status edges_count(struct peer *peer)
{
	struct bench_order order;
	const bool made = bench_order_init(&order, &peer->subject.nest, peer->subject.shape);

	peer->edges = order.edges;
	bench_order_finish(&order);
	return made ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static ptowsp_status row_make(struct peer *peer, struct ptowsp_error *error)
{
	struct bench_series rates = {0};
	uint64_t resident = 0, peak;
	double ns;
	ptowsp_status st;

	snprintf(peer->schedule[0], sizeof(peer->schedule[0]), "deps=%s", peer->exact ? "tensor_map_exact" : "bytes_overlap");
	snprintf(peer->schedule[1], sizeof(peer->schedule[1]), "task_window=%u", peer->window);
	peer->rows[0] = peer->schedule[0];
	peer->rows[1] = peer->schedule[1];
	peer->subject.options = &peer->options;
	peer->subject.schedule = peer->rows;
	peer->subject.schedule_count = peer->window ? 2 : 1;
	st = bench_subject_init(&peer->subject, error);
	if (!st)
		st = edges_count(peer);
	if (!st)
		st = bench_subject_work(&peer->subject, peer->work_ns, error);
	bench_peak_reset();
	resident = bench_resident_bytes();
	if (!st)
		st = bench_subject_run(&peer->subject, 0, &ns, error);
	peak = bench_peak_bytes();
	if (!st)
		st = measure(peer, &rates, error);
	if (!st)
		row_print(peer, &rates, peak > resident ? peak - resident : 0);
	return st;
}

int bench_peer(int argc, char **argv, const char *packages)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct peer peer = {.subject = {.n = 128, .threads = 1, .shape = bench_shape_find("w1")}, .options = {.reps = 7, .packages = packages}, .workload = "w1"};
	ptowsp_status st;
	int rc = 0;

	if (argc > 1 && !strcmp(argv[1], "--columns"))
		return puts(columns), 0;
	for (int i = 1; !rc && i < argc; i += 2)
		rc = argument_take(&peer, argv[i], i + 1 < argc ? argv[i + 1] : "");
	if (!rc && peer.subject.n > 4096 && peer.subject.shape->n < 1000)
		rc = DOES_NOT_APPLY; /* tasks grow with the square of n or faster, and their numbers here have 32 bits */
	if (rc)
		return rc;
	st = row_make(&peer, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench peer: %s\n", *error.text ? error.text : "out of memory");
	rc = st ? 1 : peer.subject.bad_tensors || peer.subject.bad_counts;
	bench_subject_finish(&peer.subject);
	return rc;
}
