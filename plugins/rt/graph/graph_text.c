/* SPDX-License-Identifier: MIT */
#include "rt/graph_text.h"

#include "rt/rt_graph.h"
#include <inttypes.h>

static const char rule[] = "================================================================================\n";
enum { NAME_WIDTH = 14 };

void rt_graph_text_begin(FILE *to, uint64_t tasks, uint64_t ready)
{
	fprintf(to, "%sPTO RUNTIME DUMP\n%s\nSUMMARY\n  Total tasks scheduled:  %" PRIu64 "\n  Ready queue size:       %" PRIu64 "\n\nTASK TABLE\n", rule, rule,
		tasks, ready);
}

/* How many bytes a control character at `at` has in UTF-8, those of U+0080 to U+009F two; 0: there is none. */
static int control_bytes(const unsigned char *at)
{
	if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0)
		return 2;
	return *at < ' ' || *at == 0x7F;
}

/* A line stays a line, and no command to a terminal: control characters become blanks. */
static int name_write(FILE *to, const char *name)
{
	int width = 0;

	for (int control; *name; name += control ? control : 1, width++) {
		control = control_bytes((const unsigned char *)name);
		fputc(control ? ' ' : *name, to);
	}
	return width;
}

void rt_graph_text_task(FILE *to, uint64_t number, const char *kernel, uint64_t fanin, uint64_t bytes)
{
	int width;

	fprintf(to, "  Task %" PRIu64 ": ", number);
	width = name_write(to, kernel);
	fprintf(to, "%*s %-7s fanin=%" PRIu64 " buf=%.1fKB fanout=[", width < NAME_WIDTH ? NAME_WIDTH - width : 0, "", fanin ? "[WAIT]" : "[READY]", fanin,
		(double)bytes / 1024);
}

void rt_graph_text_successor(FILE *to, uint64_t number, int first)
{
	fprintf(to, "%s%" PRIu64, first ? "" : ",", number);
}

void rt_graph_text_task_end(FILE *to)
{
	fputs("]\n", to);
}

void rt_graph_text_edges(FILE *to)
{
	fputs("\nDEPENDENCY GRAPH\n", to);
}

void rt_graph_text_edge(FILE *to, uint64_t from, uint64_t number)
{
	fprintf(to, "  Task %" PRIu64 " -> Task %" PRIu64 "\n", from, number);
}

/* ---- built graphs ------------------------------------------------------------------------------------------------------ */

static uint64_t bytes_written(const struct rt_graph *g, const struct rt_graph_task *task)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < task->io_count; i++) {
		const struct rt_graph_io *io = &g->ios[task->io_begin + i];

		if (io->access & 2u)
			bytes += (io->rows ? (uint64_t)io->rows * io->columns : io->length) * g->tensors[io->tensor].size;
	}
	return bytes;
}

static void task_dump(FILE *to, const struct rt_graph *g, uint32_t number)
{
	const struct rt_graph_task *task = &g->tasks[number];
	uint32_t edges = task->fanin - (task->tags & RT_GRAPH_STREAMED ? 1 : 0);

	rt_graph_text_task(to, number, g->text + g->kernels[task->kernel].name, edges, bytes_written(g, task));
	for (uint32_t i = 0; i < task->fanout_count; i++)
		rt_graph_text_successor(to, g->edges[task->fanout_begin + i], !i);
	rt_graph_text_task_end(to);
}

void rt_graph_dump(FILE *to, const struct rt_graph *g)
{
	uint64_t ready = 0;

	for (uint32_t t = 0; t < g->task_count; t++)
		ready += !g->tasks[t].fanin;
	rt_graph_text_begin(to, g->task_count, ready);
	for (uint32_t t = 0; t < g->task_count; t++)
		task_dump(to, g, t);
	rt_graph_text_edges(to);
	for (uint32_t t = 0; t < g->task_count; t++)
		for (uint32_t i = 0; i < g->tasks[t].fanout_count; i++)
			rt_graph_text_edge(to, t, g->edges[g->tasks[t].fanout_begin + i]);
}
