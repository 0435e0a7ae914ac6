/* SPDX-License-Identifier: MIT */
/* process.c - time and memory of this process. */
#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

uint64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* A line of /proc/self/status in KiB. */
static uint64_t status_bytes(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	size_t length = strlen(key);
	uint64_t kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, length)) {
			kib = strtoull(line + length, NULL, 10);
			break;
		}
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

uint64_t bench_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_minflt;
}
