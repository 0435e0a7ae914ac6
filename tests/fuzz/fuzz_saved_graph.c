/* SPDX-License-Identifier: MIT */
/* fuzz_saved_graph.c - any bytes as a task graph that was saved, in JSON or as a runtime dump: refused with a sentence, or one whose levels can be found or not. */
#include "tools/graph_layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sum;

static void levels(const struct graph *graph)
{
	struct ptowsp_error error = {.text = ""};
	struct graph_layout layout;

	if (graph_layout_init(&layout, graph, &error) && !error.text[0])
		abort();
	for (size_t i = 0; layout.level && !error.text[0] && i < graph->task_count; i++)
		if (layout.level[i] >= layout.level_count)
			abort();
	graph_layout_finish(&layout);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	static char path[32];
	struct ptowsp_error error = {.text = ""};
	struct graph graph = {0};

	if (file < 0) {
		file = memfd_create("graph", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		return false;
	if (graph_read(&graph, path, &error)) {
		if (!error.text[0])
			abort();
	} else {
		for (size_t i = 0; i < graph.task_count; i++)
			sum += strlen(graph.tasks[i].kernel);
		levels(&graph);
	}
	graph_finish(&graph);
	return false;
}
