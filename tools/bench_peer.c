/* SPDX-License-Identifier: MIT */
/* bench_peer.c - ptowsp-bench peer: one row of the comparison with other task-graph runtimes.
 *
 * Protocol: the graph is generated from bytecode in every repetition and executed while it is generated, so there is no figure
 * for building or for a second execution alone. The task counters are compared after every repetition; the order is checked
 * in an untimed first and last one, and with work in all. The kernel increments its task's counter, after a fixed
 * number of dependent multiply-adds if there is work. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "rt/rt.h"
#include "tools/bench.h"
#include "tools/bench_graph.h"
#include "tools/bench_kernels.h"
#include "tools/bench_quiet.h"

#define DOES_NOT_APPLY 3
#define CALIBRATION_NS 150000000u
#define TENSORS 8u

static const char *const columns =
	"peer\tthreads\tworkload\ttasks\tedges\twork_ns\treps\tbuild_tpms\tbuild_min\tbuild_max\texec_tpms\texec_min\texec_max"
	"\te2e_tpms\te2e_min\te2e_max\tteardown_tpms\trss_bytes_per_task\tnoisy\tverified";

/* Shared with the kernel; epoch and check change between repetitions only. */
static struct peer {
	enum bench_workload workload;
	unsigned n, threads, work_ns, reps, window;
	bool overlap;
	struct bench_graph graph;
	_Atomic uint32_t *counters; /* executions so far, one per task */
	uint32_t epoch;
	bool check;
	uint64_t work;              /* multiply-adds */
	_Atomic uint32_t bad_order;
	uint32_t bad_count;
	struct rt_pool *pool;
	struct rt_program *program;
	struct ptowsp_binding bindings[TENSORS];
	uint32_t binding_count;
	float *data; /* of all tensors: nobody looks at it */
} peer = {.n = 128, .threads = 1, .reps = 7, .workload = BENCH_W1};

static void work(uint64_t count)
{
	uint64_t x = count;

	for (; count; count--) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static void order_check(uint32_t t)
{
	const struct bench_graph *g = &peer.graph;
	uint32_t bad = atomic_load_explicit(&peer.counters[t], memory_order_relaxed) != peer.epoch - 1;

	for (uint32_t i = g->offset[t]; i < g->offset[t + 1]; i++)
		bad += atomic_load_explicit(&peer.counters[g->predecessors[i]], memory_order_acquire) != peer.epoch;
	if (bad)
		atomic_fetch_add(&peer.bad_order, bad);
}

/* release: a successor that sees the count sees the task's effects. */
static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	_Atomic uint32_t *counter = &peer.counters[task->number];

	(void)context, (void)out, (void)worker;
	if (peer.check)
		order_check((uint32_t)task->number);
	if (peer.work)
		work(peer.work);
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_release);
	return PTOWSP_OK;
}

/* A fixed amount of work, not of time: a thread that was preempted gets no credit. The best of many tries is taken. */
static void calibrate(void)
{
	uint64_t until = bench_now_ns() + CALIBRATION_NS;
	double best = 1e30;

	while (peer.work_ns && bench_now_ns() < until) {
		uint64_t began = bench_now_ns();
		double each;

		work(50000);
		each = (double)(bench_now_ns() - began) / 50000;
		best = each < best ? each : best;
	}
	peer.work = peer.work_ns ? (uint64_t)(peer.work_ns / best + 0.5) : 0;
}

static ptowsp_status tensors_make(void)
{
	uint64_t elements, most = 1;

	for (; (elements = bench_graph_tensor(peer.workload, peer.n, peer.binding_count)); peer.binding_count++) {
		most = elements > most ? elements : most;
		peer.bindings[peer.binding_count] = (struct ptowsp_binding){
			.elements = elements, .extents = {elements, 1}, .tensor = peer.binding_count, .dtype = PTOWSP_F32, .rank = 2};
	}
	peer.data = calloc(most, sizeof(*peer.data));
	for (uint32_t i = 0; i < peer.binding_count; i++)
		peer.bindings[i].data = peer.data;
	return peer.data ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static void schedule_add(struct bench_program *source)
{
	bench_program_directive(source, PTOWSP_DIRECTIVE_DEPS,
				peer.overlap ? PTOWSP_DEPS_BYTES_OVERLAP : PTOWSP_DEPS_TENSOR_MAP_EXACT, -1);
	if (peer.window)
		bench_program_directive(source, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, peer.window);
}

static ptowsp_status program_make(struct ptowsp_error *error)
{
	struct rt_kernels kernels = bench_kernels(run);
	struct ptowsp_cap caps[512];
	struct bench_program source;
	struct rt_program_args args = {.kernels = &kernels, .caps = caps, .section_stride = sizeof(struct ptowsp_section)};
	ptowsp_status st = PTOWSP_NO_MEMORY;

	args.cap_count = rt_capabilities(caps, sizeof(caps) / sizeof(*caps));
	bench_program_init(&source);
	bench_graph_program(&source, peer.workload, peer.n);
	schedule_add(&source);
	args.sections = bench_program_seal(&source, &args.section_count);
	if (args.sections)
		st = rt_program_create(&peer.program, &args, error);
	bench_program_finish(&source);
	return st;
}

/* One generation and execution; adds what is wrong with it. *ns_out: its wall time. */
static ptowsp_status repeat(bool check, double *ns_out, struct ptowsp_error *error)
{
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .bindings = peer.bindings,
				       .binding_count = peer.binding_count, .binding_stride = sizeof(*peer.bindings)};
	struct rt_run_args run_args = {.args = &args, .pool = peer.pool};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};
	ptowsp_status st;
	uint64_t began;

	peer.epoch++;
	peer.check = check || peer.work;
	began = bench_now_ns();
	st = rt_run(peer.program, &run_args, &stats, &deadlock, error);
	*ns_out = (double)(bench_now_ns() - began);
	for (uint32_t t = 0; t < peer.graph.tasks; t++)
		peer.bad_count += atomic_load_explicit(&peer.counters[t], memory_order_relaxed) != peer.epoch;
	return st;
}

/* The timed repetitions. Disturbed ones are taken again, at most as many as there are; returns how many stayed disturbed. */
static ptowsp_status measure(struct bench_series *rates, unsigned *noisy_out, struct ptowsp_error *error)
{
	unsigned again = peer.reps;
	ptowsp_status st = PTOWSP_OK;

	*noisy_out = 0;
	while (!st && rates->count < peer.reps) {
		struct bench_quiet quiet;
		bool disturbed;
		double ns;

		bench_quiet_wait();
		bench_quiet_begin(&quiet);
		st = repeat(false, &ns, error);
		disturbed = bench_quiet_disturbed(&quiet, peer.threads);
		if (disturbed && again) {
			again--;
			continue;
		}
		*noisy_out += disturbed;
		bench_series_add(rates, peer.graph.tasks * 1e6 / ns);
	}
	return st;
}

static void row_print(const struct bench_series *rates, uint64_t bytes, unsigned noisy)
{
	printf("%s\t%u\tw%d/%u\t%" PRIu32 "\t%" PRIu64 "\t%u\t%u", peer.overlap ? "ptowsp-overlap" : "ptowsp", peer.threads,
	       (int)peer.workload, peer.n, peer.graph.tasks, peer.graph.edges, peer.work_ns, peer.reps);
	printf("\t-\t-\t-\t-\t-\t-\t%.0f\t%.0f\t%.0f\t-", bench_series_median(rates), bench_series_least(rates),
	       bench_series_most(rates));
	printf("\t%.0f\t%u", (double)bytes / peer.graph.tasks, noisy);
	if (peer.bad_order || peer.bad_count)
		printf("\tFAIL(order=%u,count=%u)\n", (unsigned)peer.bad_order, peer.bad_count);
	else
		printf("\tok\n");
}

static ptowsp_status prepare(struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_NO_MEMORY;

	if (bench_graph_init(&peer.graph, peer.workload, peer.n))
		peer.counters = calloc(peer.graph.tasks, sizeof(*peer.counters));
	if (peer.counters)
		st = tensors_make();
	for (uint32_t t = 0; !st && t < peer.graph.tasks; t++)
		peer.counters[t] = 0; /* touched now, so that its pages do not count as the runtime's */
	if (!st && peer.data)
		memset(peer.data, 0, bench_graph_tensor(peer.workload, peer.n, peer.binding_count - 1) * sizeof(*peer.data));
	calibrate();
	if (!st)
		st = rt_pool_create(&peer.pool, peer.threads, error);
	return st ? st : program_make(error);
}

static void finish(void)
{
	rt_program_destroy(peer.program);
	rt_pool_destroy(peer.pool);
	bench_graph_finish(&peer.graph);
	free(peer.counters);
	free(peer.data);
}

static const struct argument {
	const char *name;
	unsigned *value;
	unsigned least, most;
} arguments[] = {
	{"--n", &peer.n, 1, 1u << 24},		  {"--threads", &peer.threads, 1, 1024}, {"--work-ns", &peer.work_ns, 0, 1u << 30},
	{"--reps", &peer.reps, 1, BENCH_REPS_LIMIT}, {"--window", &peer.window, 1, 1u << 24},
};

static int argument_take(const char *name, const char *value)
{
	char *end;

	if (!strcmp(name, "--workload") && value[0] == 'w' && value[1] >= '1' && value[1] <= '4' && !value[2]) {
		peer.workload = (enum bench_workload)(value[1] - '0');
		return 0;
	}
	if (!strcmp(name, "--deps") && (!strcmp(value, "exact") || !strcmp(value, "overlap"))) {
		peer.overlap = !strcmp(value, "overlap");
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

int bench_peer(int argc, char **argv)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct bench_series rates = {0};
	uint64_t resident, peak = 0;
	unsigned noisy = 0;
	ptowsp_status st;
	double ns;
	int rc = 0;

	if (argc > 1 && !strcmp(argv[1], "--columns"))
		return puts(columns), 0;
	for (int i = 1; !rc && i < argc; i += 2)
		rc = argument_take(argv[i], i + 1 < argc ? argv[i + 1] : "");
	if (!rc && peer.workload <= BENCH_W2 && peer.n > 4096)
		rc = DOES_NOT_APPLY; /* task numbers of the harness have 32 bits */
	if (rc)
		return rc;
	st = prepare(&error);
	bench_peak_reset();
	resident = bench_resident_bytes();
	if (!st)
		st = repeat(true, &ns, &error);
	peak = bench_peak_bytes();
	if (!st)
		st = measure(&rates, &noisy, &error);
	if (!st)
		st = repeat(true, &ns, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench peer: %s\n", *error.text ? error.text : "out of memory");
	else
		row_print(&rates, peak > resident ? peak - resident : 0, noisy);
	finish();
	return st ? 1 : peer.bad_order || peer.bad_count;
}
