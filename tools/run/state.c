/* SPDX-License-Identifier: MIT */
/* state.c - the flow control of a run that goes on, for SIGUSR1 and the progress line. */
#include <stdio.h>
#include <unistd.h>

#include "registry/names.h"
#include "tools/run/run_run.h"

static const void *row_at(const void *rows, uint32_t stride, uint32_t i)
{
	return (const char *)rows + (size_t)i * stride;
}

static void resources_print(const struct run *run, const struct ptowsp_run_stats *live)
{
	char name[160], capacity[32];

	for (uint32_t i = 0; i < live->resource_count; i++) {
		const struct ptowsp_resource_stats *r = row_at(live->resources, live->resource_stride, i);

		if (r->resource == PTOWSP_RESOURCE_CHANNEL_FULL)
			continue; /* below, with both waits apart */
		snprintf(capacity, sizeof(capacity), "%llu", (unsigned long long)r->capacity);
		fprintf(stderr, "  %-14s used %llu of %s, high water %llu, %s %llu times, %llu cycles, waited %.3f ms\n",
			run_resource_name(run, r, name, sizeof(name)), (unsigned long long)r->used, r->capacity ? capacity : "any number",
			(unsigned long long)r->high_water, reg_stall_text(r->resource), (unsigned long long)r->stall_count, (unsigned long long)r->stall_cycles,
			(double)r->stall_ns / 1e6);
	}
}

static void channels_print(const struct run *run, const struct ptowsp_run_stats *live)
{
	for (uint32_t i = 0; i < live->channel_count; i++) {
		const struct ptowsp_channel_stats *c = row_at(live->channels, live->channel_stride, i);

		fprintf(stderr,
			"  channel:%s holds %llu of %llu, high water %llu, %llu sent, %llu consumed%s, CHANNEL_FULL_WAIT %llu times, %llu cycles, "
			"CHANNEL_EMPTY_WAIT %llu times, %llu cycles\n",
			ptowsp_plan_channel(run->plan, c->channel), (unsigned long long)(c->sends - c->consumes), (unsigned long long)c->capacity,
			(unsigned long long)c->high_water, (unsigned long long)c->sends, (unsigned long long)c->consumes,
			c->flags & PTOWSP_CHANNEL_CLOSED ? ", closed" : "", (unsigned long long)c->full_count, (unsigned long long)c->full_cycles,
			(unsigned long long)c->empty_count, (unsigned long long)c->empty_cycles);
	}
}

static const char *const standings[] = {"going on", "sending to", "consuming from", "issuing a task", "waiting for an event", "ended"};

static void processes_print(const struct run *run, const struct ptowsp_run_stats *live)
{
	for (uint32_t i = 0; i < live->process_count; i++) {
		const struct ptowsp_process_stats *p = row_at(live->processes, live->process_stride, i);

		fprintf(stderr, "  process %s.%u at cycle %llu, %llu tasks, %s%s%s\n", ptowsp_plan_process(run->plan, p->process), p->replica,
			(unsigned long long)p->clock, (unsigned long long)p->tasks,
			p->standing < sizeof(standings) / sizeof(*standings) ? standings[p->standing] : "?", p->channel == PTOWSP_NONE ? "" : " ",
			p->channel == PTOWSP_NONE ? "" : ptowsp_plan_channel(run->plan, p->channel));
	}
}

void run_state_print(struct run *run)
{
	struct ptowsp_run_stats live;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (ptowsp_stats_live(run->program, &live, &error)) {
		fprintf(stderr, "ptowsp-run: no state: %s\n", error.text);
		return;
	}
	fprintf(stderr, "state: %llu tasks, %llu edges, %llu cycles, task window %llu, %s\n", (unsigned long long)live.tasks, (unsigned long long)live.edges,
		(unsigned long long)live.total_cycles, (unsigned long long)live.task_window, live.stall ? reg_stall_text(live.stall - 1) : "not stalled");
	resources_print(run, &live);
	channels_print(run, &live);
	processes_print(run, &live);
}

/* live NULL ends the line. */
void run_progress_print(struct run *run, const struct ptowsp_run_stats *live)
{
	const char *erase = isatty(STDERR_FILENO) ? "\r\033[K" : "";

	fputs(erase, stderr);
	if (live && live->tasks) {
		fprintf(stderr, "%llu tasks, ", (unsigned long long)live->tasks);
		if (live->resource_count && live->task_window)
			fprintf(stderr, "window %llu of %llu, ", (unsigned long long)live->resources->used, (unsigned long long)live->task_window);
		fprintf(stderr, "%.1f s%s%s%s", ptowsp_elapsed_ms(run->program) / 1e3, live->stall ? ", " : "",
			live->stall ? reg_stall_text(live->stall - 1) : "", *erase ? "" : "\n");
	}
	fflush(stderr);
}
