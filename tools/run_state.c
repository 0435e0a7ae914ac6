/* SPDX-License-Identifier: MIT */
/* run_state.c - the flow control of a run that goes on, for SIGUSR1 and the progress line. */
#include <stdio.h>
#include <unistd.h>

#include "registry/names.h"
#include "tools/run.h"

void run_state_print(struct run *run)
{
	struct ptowsp_run_stats live;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (ptowsp_stats_live(run->program, &live, &error)) {
		fprintf(stderr, "ptowsp-run: no state: %s\n", error.text);
		return;
	}
	fprintf(stderr, "state: %llu tasks, %llu edges, %llu cycles, task window %llu, %s\n", (unsigned long long)live.tasks,
		(unsigned long long)live.edges, (unsigned long long)live.total_cycles, (unsigned long long)live.task_window,
		live.stall ? reg_stall_text(live.stall - 1) : "not stalled");
	for (uint32_t i = 0; i < live.resource_count; i++) {
		const struct ptowsp_resource_stats *r = (const void *)((const char *)live.resources + (size_t)i * live.resource_stride);

		fprintf(stderr, "  %-14.24s capacity %llu, high water %llu, %llu stalls, %llu cycles, %.3f ms\n", r->name,
			(unsigned long long)r->capacity, (unsigned long long)r->high_water, (unsigned long long)r->stall_count,
			(unsigned long long)r->stall_cycles, (double)r->stall_ns / 1e6);
	}
}

/* tasks 0 ends the line. */
void run_progress_print(struct run *run, uint64_t tasks, const char *stall)
{
	const char *erase = isatty(STDERR_FILENO) ? "\r\033[K" : "";

	if (!tasks) {
		fputs(*erase ? erase : "", stderr);
		return;
	}
	fprintf(stderr, "%s%llu tasks, %.1f s%s%s%s", erase, (unsigned long long)tasks, ptowsp_elapsed_ms(run->program) / 1e3,
		stall ? ", " : "", stall ? stall : "", *erase ? "" : "\n");
	fflush(stderr);
}
