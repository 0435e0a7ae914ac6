/* SPDX-License-Identifier: MIT */
/* run_report.h - --report: the latest run as one page of HTML that needs nothing else: what ran where, timeline, graph, kernels, resources, verdicts. Times and edges are
 * kept as they come, a few bytes each, and drawn by the page. */
#ifndef TOOLS_RUN_RUN_REPORT_H
#define TOOLS_RUN_RUN_REPORT_H

#include "isa/emit/emit.h" /* isa_text */
#include "ptowsp/plugin.h"
#include "tools/output.h"

struct run;

/* Rows kept of a run: beyond that many the page says how many there were. */
enum { REPORT_TASKS = 1 << 17, REPORT_EDGES = 1 << 18, REPORT_EVENTS = 1 << 16 };

/* Numbers of 7 bits a byte, the lowest first; signed ones are differences to the one before, zigzag. */
struct report_column {
	unsigned char *bytes; /* owned */
	size_t size, room;
	uint64_t count, last[5]; /* last: values of the row before */
	bool failed;             /* without memory */
};

/* Zeroed without --report. One thread at a time. */
struct run_report {
	struct output output;
	struct report_column tasks, reals, edges, events;
};

/* Empties what an earlier run left. */
void run_report_begin(struct run_report *report);
void run_report_task(struct run_report *report, const struct ptowsp_trace_task *task);
/* The same in real time beside that: by its number, on a worker thread. */
void run_report_real(struct run_report *report, const struct ptowsp_trace_task *task);
void run_report_edge(struct run_report *report, const struct ptowsp_graph_edge *edge);
void run_report_event(struct run_report *report, const struct ptowsp_trace_event *event); /* stalls alone */
/* Writes the page, not yet in its place. failure: what the run ended with, NULL where it ended well. Errors: NO_MEMORY, those of output_finish. */
ptowsp_status run_report_write(struct run *run, const struct ptowsp_error *failure, struct ptowsp_error *error);
void run_report_drop(struct run_report *report);

/* run/tracks.c: names of executors by number, as --trace has them too; an EXECUTOR event tells one. */
struct run_trace;
void run_executor_told(struct run_trace *trace, const struct ptowsp_trace_event *event);
struct json_t *run_executor_names(const struct run *run);

/* Pages without their data; made by the build. */
enum { REPORT_PAGE, REPORT_MATRIX };
extern const struct isa_text run_report_page[];

#endif
