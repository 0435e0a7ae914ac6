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

		fprintf(stderr, "  %-14.24s capacity %llu, used %llu, high water %llu, %llu stalls, %llu cycles, waited %.3f ms\n",
			r->name, (unsigned long long)r->capacity, (unsigned long long)r->used, (unsigned long long)r->high_water,
			(unsigned long long)r->stall_count, (unsigned long long)r->stall_cycles, (double)r->stall_ns / 1e6);
	}
}

/* live NULL ends the line. */
void run_progress_print(struct run *run, const struct ptowsp_run_stats *live)
{
	const char *erase = isatty(STDERR_FILENO) ? "\r\033[K" : "";

	fputs(erase, stderr);
	if (live && live->tasks) {
		fprintf(stderr, "%llu tasks, ", (unsigned long long)live->tasks);
		if (live->resource_count && live->task_window)
			fprintf(stderr, "window %llu of %llu, ", (unsigned long long)live->resources->used,
				(unsigned long long)live->task_window);
		fprintf(stderr, "%.1f s%s%s%s", ptowsp_elapsed_ms(run->program) / 1e3, live->stall ? ", " : "",
			live->stall ? reg_stall_text(live->stall - 1) : "", *erase ? "" : "\n");
	}
	fflush(stderr);
}
