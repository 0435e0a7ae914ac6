/* SPDX-License-Identifier: MIT */
#include "tools/bench/quiet.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "registry/variable.h"
#include "tools/bench/bench.h"

#define SECOND 1e9
#define LOOK_NS 40000000 /* one look whether others work */
#define RESTING_NS 15e6  /* processor time of the others during a look that counts as rest */

/* ns one thread was ready to run and had no processor. */
static double delay_of(const char *thread)
{
	unsigned long long running, waiting;
	char path[320];
	double delay = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", thread);
	f = fopen(path, "r");
	if (f && fscanf(f, "%llu %llu", &running, &waiting) == 2)
		delay = (double)waiting;
	if (f)
		fclose(f);
	return delay;
}

static double delay_ns(void)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *entry;
	double sum = 0;

	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			sum += delay_of(entry->d_name);
	if (threads)
		closedir(threads);
	return sum;
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

	if (f)
		fclose(f);
	if (n != 7)
		return 0;
	getrusage(RUSAGE_SELF, &own);
	/* all but idle and waiting for disks */
	return ((double)(t[0] + t[1] + t[2] + t[5] + t[6]) / (double)sysconf(_SC_CLK_TCK) - seconds(own.ru_utime) -
		seconds(own.ru_stime)) *
	       SECOND;
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

int bench_measure(const struct bench_options *options, unsigned threads, struct bench_series *series,
		  int (*measure)(void *context, double *value_out, struct ptowsp_error *error), void *context, struct ptowsp_error *error)
{
	unsigned again = options->reps, wanted = series->count + options->reps;
	int st = 0;

	while (!st && series->count < wanted && series->count < BENCH_REPS_LIMIT) {
		struct bench_quiet quiet;
		bool disturbed;
		double value;

		bench_quiet_wait();
		bench_quiet_begin(&quiet);
		st = measure(context, &value, error);
		disturbed = bench_quiet_disturbed(&quiet, threads);
		if (disturbed && again) {
			again--;
			continue;
		}
		series->disturbed += disturbed;
		if (!st)
			bench_series_add(series, value);
	}
	return st;
}

void bench_alternate(const struct bench_options *options, unsigned ways, struct bench_series *series, double (*measure)(void *context, unsigned way), void *context)
{
	unsigned again = 2 * options->reps * ways;

	for (unsigned i = 0; i < options->reps; i++) {
		bench_quiet_wait();
		for (unsigned way = 0; way < ways; way++) {
			struct bench_quiet quiet;
			bool disturbed;
			double value;

			do {
				bench_quiet_begin(&quiet);
				value = measure(context, way);
				disturbed = bench_quiet_disturbed(&quiet, 1);
			} while (disturbed && again && again--);
			series[way].disturbed += disturbed;
			bench_series_add(&series[way], value);
		}
	}
}
