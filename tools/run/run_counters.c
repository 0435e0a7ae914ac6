/* SPDX-License-Identifier: MIT */
#include "tools/run/run_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const run_counter_names[RUN_COUNTERS] = {"instructions", "cycles", "cache_misses", "branch_misses"};
static const uint64_t events[RUN_COUNTERS] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES};

static int event_open(uint64_t event)
{
	struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
					     .size = sizeof(attributes),
					     .config = event,
					     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
					     .disabled = 1,
					     .inherit = 1,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void run_counters_open(struct run_counters *counters)
{
	*counters = (struct run_counters){.open = true};
	for (unsigned i = 0; i < RUN_COUNTERS; i++) {
		counters->file[i] = event_open(events[i]);
		if (counters->file[i] < 0 && !counters->why)
			counters->why = errno;
	}
}

static void all(const struct run_counters *counters, unsigned long request)
{
	for (unsigned i = 0; counters->open && i < RUN_COUNTERS; i++)
		if (counters->file[i] >= 0)
			ioctl(counters->file[i], request, 0);
}

void run_counters_start(struct run_counters *counters)
{
	all(counters, PERF_EVENT_IOC_RESET);
	all(counters, PERF_EVENT_IOC_ENABLE);
}

/* A counter that had to share the hardware is scaled up to the whole time. */
static uint64_t event_read(int file)
{
	uint64_t got[3]; /* value, time enabled, time running */

	if (file < 0 || read(file, got, sizeof(got)) != sizeof(got) || !got[2])
		return 0;
	return got[1] == got[2] ? got[0] : (uint64_t)((double)got[0] * ((double)got[1] / (double)got[2]));
}

void run_counters_stop(struct run_counters *counters)
{
	all(counters, PERF_EVENT_IOC_DISABLE);
	for (unsigned i = 0; counters->open && i < RUN_COUNTERS; i++)
		counters->value[i] = event_read(counters->file[i]);
}

void run_counters_close(struct run_counters *counters)
{
	for (unsigned i = 0; counters->open && i < RUN_COUNTERS; i++)
		if (counters->file[i] >= 0)
			close(counters->file[i]);
	*counters = (struct run_counters){.open = false};
}
