/* SPDX-License-Identifier: MIT */
/* peer.c - ptowsp-bench peer: one row of the comparison with other task-graph runtimes.
 *
 * Protocol: the graph is generated from bytecode in every repetition and executed while it is generated, so there is no figure
 * for building or for a second execution alone. The task counters are compared after every repetition; the order is checked
 * in an untimed first and last one, and with work in all. The kernel increments its task's counter, after a fixed
 * number of dependent multiply-adds if there is work. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/bench/load.h"
#include "tools/bench/quiet.h"
#include "tools/bench/spin.h"

#define DOES_NOT_APPLY 3

static const char *const columns =
	"peer\tthreads\tworkload\ttasks\tedges\twork_ns\treps\tbuild_tpms\tbuild_min\tbuild_max\texec_tpms\texec_min\texec_max"
	"\te2e_tpms\te2e_min\te2e_max\tteardown_tpms\trss_bytes_per_task\tnoisy\tverified";

struct peer {
	struct bench_load load;
	unsigned work_ns, reps;
};

static ptowsp_status repeat(struct peer *peer, bool check, double *ns_out, struct ptowsp_error *error)
{
	return bench_load_run(&peer->load, 0, check || peer->load.work, NULL, ns_out, error);
}

/* The timed repetitions. Disturbed ones are taken again, at most as many as there are. */
static ptowsp_status measure(struct peer *peer, struct bench_series *rates, struct ptowsp_error *error)
{
	unsigned again = peer->reps;
	ptowsp_status st = PTOWSP_OK;

	while (!st && rates->count < peer->reps) {
		struct bench_quiet quiet;
		bool disturbed;
		double ns;

		bench_quiet_wait();
		bench_quiet_begin(&quiet);
		st = repeat(peer, false, &ns, error);
		disturbed = bench_quiet_disturbed(&quiet, peer->load.threads);
		if (disturbed && again) {
			again--;
			continue;
		}
		rates->disturbed += disturbed;
		bench_series_add(rates, peer->load.graph.tasks * 1e6 / ns);
	}
	return st;
}

static void row_print(const struct peer *peer, const struct bench_series *rates, uint64_t bytes)
{
	const struct bench_load *load = &peer->load;

	printf("%s\t%u\tw%d/%u\t%" PRIu32 "\t%" PRIu64 "\t%u\t%u", load->deps == PTOWSP_DEPS_BYTES_OVERLAP ? "ptowsp-overlap" : "ptowsp", load->threads,
	       (int)load->workload, load->n, load->graph.tasks, load->graph.edges, peer->work_ns, peer->reps);
	printf("\t-\t-\t-\t-\t-\t-\t%.0f\t%.0f\t%.0f\t-", bench_series_median(rates), bench_series_least(rates),
	       bench_series_most(rates));
	printf("\t%.0f\t%u", (double)bytes / load->graph.tasks, rates->disturbed);
	if (load->bad_order || load->bad_count)
		printf("\tFAIL(order=%u,count=%u)\n", (unsigned)load->bad_order, load->bad_count);
	else
		printf("\tok\n");
}

static int argument_take(struct peer *peer, const char *name, const char *value)
{
	const struct {
		const char *name;
		unsigned *value;
		unsigned least, most;
	} arguments[] = {
		{"--n", &peer->load.n, 1, 1u << 24},	   {"--threads", &peer->load.threads, 1, 1024}, {"--work-ns", &peer->work_ns, 0, 1u << 30},
		{"--reps", &peer->reps, 1, BENCH_REPS_LIMIT}, {"--window", &peer->load.window, 1, 1u << 24},
	};
	char *end;

	if (!strcmp(name, "--workload") && value[0] == 'w' && value[1] >= '1' && value[1] <= '4' && !value[2]) {
		peer->load.workload = (enum bench_workload)(value[1] - '0');
		return 0;
	}
	if (!strcmp(name, "--deps") && (!strcmp(value, "exact") || !strcmp(value, "overlap"))) {
		peer->load.deps = !strcmp(value, "overlap") ? PTOWSP_DEPS_BYTES_OVERLAP : PTOWSP_DEPS_TENSOR_MAP_EXACT;
		return 0;
	}
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		if (!strcmp(arguments[i].name, name)) {
			unsigned long number = strtoul(value, &end, 10);

			*arguments[i].value = (unsigned)number;
			if (*value && !*end && number >= arguments[i].least && number <= arguments[i].most)
				return 0;
		}
	fprintf(stderr, "ptowsp-bench peer: %s %s: not an option, or not a value that it takes; ptowsp-bench --help shows them\n", name,
		value);
	return 2;
}

static ptowsp_status row_make(struct peer *peer, struct ptowsp_error *error)
{
	struct bench_series rates = {0};
	uint64_t resident, peak = 0;
	double ns;
	ptowsp_status st;

	peer->load.work = bench_spin_count(peer->work_ns);
	st = bench_load_init(&peer->load, error);
	bench_peak_reset();
	resident = bench_resident_bytes();
	if (!st)
		st = repeat(peer, true, &ns, error);
	peak = bench_peak_bytes();
	if (!st)
		st = measure(peer, &rates, error);
	if (!st)
		st = repeat(peer, true, &ns, error);
	if (!st)
		row_print(peer, &rates, peak > resident ? peak - resident : 0);
	return st;
}

int bench_peer(int argc, char **argv)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct peer peer = {.load = {.n = 128, .threads = 1, .workload = BENCH_W1, .hazards = PTOWSP_HAZARDS_FULL, .deps = PTOWSP_DEPS_TENSOR_MAP_EXACT},
			    .reps = 7};
	ptowsp_status st;
	int rc = 0;

	if (argc > 1 && !strcmp(argv[1], "--columns"))
		return puts(columns), 0;
	for (int i = 1; !rc && i < argc; i += 2)
		rc = argument_take(&peer, argv[i], i + 1 < argc ? argv[i + 1] : "");
	if (!rc && peer.load.workload <= BENCH_W2 && peer.load.n > 4096)
		rc = DOES_NOT_APPLY; /* task numbers of the harness have 32 bits */
	if (rc)
		return rc;
	st = row_make(&peer, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench peer: %s\n", *error.text ? error.text : "out of memory");
	rc = st ? 1 : peer.load.bad_order || peer.load.bad_count;
	bench_load_finish(&peer.load);
	return rc;
}
