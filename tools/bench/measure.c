/* SPDX-License-Identifier: MIT */
/* measure.c - takes values while nobody else uses the machine; time and memory of this process. */
#include "tools/bench/bench.h"

#include "registry/variable.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND     1e9
#define LOOK_NS    40000000 /* one look whether others work */
#define RESTING_NS 15e6     /* processor time of the others during a look that counts as rest */

/* ---- this process -------------------------------------------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

uint64_t bench_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t bench_processor_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* A line of /proc/self/status in KiB. */
static uint64_t status_bytes(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	size_t length = strlen(key);
	uint64_t kib = 0;
	char line[256];

	while (f && !kib && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, length))
			kib = strtoull(line + length, NULL, 10);
	if (f)
		fclose(f);
	return kib * 1024;
}

uint64_t bench_resident_bytes(void)
{
	return status_bytes("VmRSS:");
}

uint64_t bench_peak_bytes(void)
{
	return status_bytes("VmHWM:");
}

void bench_peak_reset(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f) {
		fputs("5", f); /* 5: the peak begins again at what is resident now */
		fclose(f);
	}
}

/* ---- others -------------------------------------------------------------------------------------------------------- */

/* Time of one thread: ns on a processor, and ns that it was ready to run and had none. */
static void thread_ns(const char *thread, double *running_out, double *waiting_out)
{
	char path[320];
	FILE *f;

	*running_out = *waiting_out = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", thread);
	f = fopen(path, "r");
	if (f && fscanf(f, "%lf %lf", running_out, waiting_out) != 2)
		*running_out = *waiting_out = 0;
	if (f)
		fclose(f);
}

static bool is_main(const char *thread)
{
	return atol(thread) == (long)getpid();
}

/* The plugin's runner, and threads that it has started, which have its name (plugins/base/queue.c). */
static bool is_runner(const char *thread)
{
	char path[320], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", thread);
	f = fopen(path, "r");
	if (f && !fgets(name, sizeof(name), f))
		*name = '\0';
	if (f)
		fclose(f);
	return !strcmp(name, "ptowsp-runner\n");
}

static void threads_ns(double *own_out, double *waiting_out)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *entry;

	*own_out = *waiting_out = 0;
	while (threads && (entry = readdir(threads))) {
		double running, waiting;

		if (entry->d_name[0] == '.')
			continue;
		thread_ns(entry->d_name, &running, &waiting);
		*waiting_out += waiting;
		*own_out += is_main(entry->d_name) || is_runner(entry->d_name) ? running : 0;
	}
	if (threads)
		closedir(threads);
}

static double delay_ns(void)
{
	double own, waiting;

	threads_ns(&own, &waiting);
	return waiting;
}

double bench_own_ns(void)
{
	double own, waiting;

	threads_ns(&own, &waiting);
	return own;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Processor time of everybody but this process. */
static double foreign_ns(void)
{
	unsigned long long t[7] = {0};
	struct rusage own;
	FILE *f = fopen("/proc/stat", "r");
	int n = f ? fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6) : 0;
	double used; /* all but idle and waiting for disks */

	if (f)
		fclose(f);
	if (n != 7)
		return 0;
	getrusage(RUSAGE_SELF, &own);
	used = (double)(t[0] + t[1] + t[2] + t[5] + t[6]) / (double)sysconf(_SC_CLK_TCK);
	return (used - seconds(own.ru_utime) - seconds(own.ru_stime)) * SECOND;
}

void bench_quiet_wait(void)
{
	static uint64_t waited_ns;
	const char *limit = reg_variable("PB_QUIET_S");
	double limit_ns = (limit ? atof(limit) : 30) * SECOND;
	bool resting = false;

	while (!resting && (double)waited_ns < limit_ns) {
		struct timespec look = {0, LOOK_NS};
		uint64_t began = bench_now_ns();
		double before = foreign_ns();

		nanosleep(&look, NULL);
		resting = foreign_ns() - before < RESTING_NS;
		waited_ns += bench_now_ns() - began;
	}
}

void bench_quiet_begin(struct bench_quiet *quiet)
{
	quiet->delay_ns = delay_ns();
	quiet->foreign_ns = foreign_ns();
	quiet->began_ns = bench_now_ns();
}

bool bench_quiet_disturbed(const struct bench_quiet *quiet, unsigned threads)
{
	double wall = (double)(bench_now_ns() - quiet->began_ns), cores = (double)sysconf(_SC_NPROCESSORS_ONLN);

	if (delay_ns() - quiet->delay_ns > 0.03 * wall + 20e3)
		return true;
	return threads > 1 && foreign_ns() - quiet->foreign_ns > 0.05 * wall * cores + 30e6;
}

/* ---- ways ---------------------------------------------------------------------------------------------------------- */

/* Again while it was disturbed and *again is not used up. */
static ptowsp_status taken_add(struct bench *bench, const struct bench_way *way, struct bench_series *series, unsigned *again)
{
	struct bench_quiet quiet;
	double value = 0;
	bool disturbed;
	ptowsp_status status;

	do {
		bench_quiet_begin(&quiet);
		status = way->take(way->context, &value, &bench->error);
		disturbed = bench_quiet_disturbed(&quiet, way->threads);
	} while (!status && disturbed && *again && (*again)--);
	bench_series_add(series, value, disturbed);
	return status;
}

/* Nothing where one of the two has no value. */
static void derived_add(const struct bench_way *way, const struct bench_series *all, struct bench_series *series, unsigned r)
{
	const struct bench_series *a = &all[way->over], *b = &all[way->under];
	const double over = a->values[r], under = b->values[r];
	const bool disturbed = (a->disturbed | b->disturbed) >> r & 1;

	if (r < a->count && r < b->count)
		bench_series_add(series,
				 way->sort == BENCH_DIFFERENCE ? over - under
				 : way->sort == BENCH_GAIN     ? 100 * (over / under - 1)
							       : over / under,
				 disturbed);
}

static ptowsp_status round_take(struct bench *bench, const struct bench_way *ways, unsigned count, struct bench_series *series, unsigned r, unsigned *again)
{
	ptowsp_status status = PTOWSP_OK;

	bench_quiet_wait();
	for (unsigned w = 0; !status && w < count; w++) {
		if (ways[w].sort != BENCH_TAKEN) {
			derived_add(&ways[w], series, &series[w], r);
		} else if (ways[w].take) {
			bench_table_progress(&ways[w].row);
			status = taken_add(bench, &ways[w], &series[w], again);
		}
	}
	return status;
}

ptowsp_status bench_take_all(struct bench *bench, const struct bench_way *ways, unsigned count, struct bench_series *series)
{
	unsigned again = bench->options.reps * count;
	ptowsp_status status = PTOWSP_OK;

	for (unsigned r = 0; !status && r < bench->options.reps; r++)
		status = round_take(bench, ways, count, series, r, &again);
	return status;
}

ptowsp_status bench_measure(struct bench *bench, const struct bench_way *ways, unsigned count)
{
	struct bench_series *series = calloc(count, sizeof(*series));
	ptowsp_status status = series ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	double unused;

	for (unsigned w = 0; !status && w < count; w++)
		if (ways[w].take)
			status = ways[w].take(ways[w].context, &unused, &bench->error);
	if (!status)
		status = bench_take_all(bench, ways, count, series);
	for (unsigned w = 0; !status && w < count; w++)
		bench_table_row(bench, &ways[w].row, &series[w]);
	free(series);
	return status;
}
