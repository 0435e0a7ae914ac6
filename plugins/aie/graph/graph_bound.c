/* SPDX-License-Identifier: MIT */
/* graph_bound.c - words between a cell and the host. A task that a bound of the schedule holds begins with something that the host hands over, and one that others wait for ends
 * with something that the host gets. Where no elements do that, a word does. */
#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"
#include <string.h>

uint32_t aie_word_stream(struct aie_maker *maker, uint32_t cell, bool stores)
{
	uint32_t end = stores ? AIE_HOST : cell, stream;
	bool packed = maker->pack[cell] & (stores ? AIE_PACK_STORES : AIE_PACK_LOADS);
	struct aie_label label = {.kind = stores ? AIE_STREAM_STORE : AIE_STREAM_LOAD,
				  .from = stores ? cell : AIE_HOST,
				  .to = end,
				  .channel = AIE_NOTHING,
				  .kernel = AIE_NOTHING,
				  .use = stores ? 0 : AIE_NOTHING,
				  .shape = {PTOWSP_I32, true, 1, 1}};

	if (packed) {
		label.use = AIE_NOTHING;
		label.shape = (struct aie_shape){PTOWSP_U8, true, 1, 0};
	}
	stream = aie_maker_stream(maker, &label, &end, 1);
	maker->graph->streams[stream].packed = packed;
	if (packed && maker->graph->streams[stream].shape.columns < 4)
		maker->graph->streams[stream].shape.columns = 4;
	return stream;
}

/* Two lines of the cell, before line `at`. */
static void lines_insert(struct aie_maker *maker, struct aie_lines *lines, uint32_t at, bool produces, uint32_t stream)
{
	for (int i = 0; i < 2; i++) {
		AIE_MAKER_GROW(maker, lines->lines, lines->room, lines->count);
		lines->count++;
	}
	memmove(lines->lines + at + 2, lines->lines + at, (lines->count - at - 2) * sizeof(*lines->lines));
	lines->lines[at] = (struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = produces, .stream = stream};
	lines->lines[at + 1] = (struct aie_line){.kind = AIE_LINE_RELEASE, .produces = produces, .stream = stream};
}

void aie_word_add(struct aie_maker *maker, uint32_t act, uint32_t at, bool stores)
{
	struct aie_graph *graph = maker->graph;
	uint32_t cell = maker->args->acts->rows[act].cell, stream = aie_word_stream(maker, cell, stores);

	AIE_MAKER_GROW(maker, graph->jobs, graph->job_room, graph->job_count);
	graph->jobs[graph->job_count++] = (struct aie_job){.stream = stream,
							   .object = graph->streams[stream].objects++,
							   .area = AIE_NOTHING,
							   .bytes = 4,
							   .act = act,
							   .use = AIE_NOTHING,
							   .stores = stores};
	lines_insert(maker, &graph->cells[cell], at, stores, stream);
}

static bool has_job(const struct aie_graph *graph, uint32_t from, bool stores)
{
	while (from < graph->job_count && graph->jobs[from].stores != stores)
		from++;
	return from < graph->job_count;
}

void aie_bound_words(struct aie_maker *maker, uint32_t number, uint32_t line, uint32_t job)
{
	const struct aie_act *act = &maker->args->acts->rows[number];
	const struct aie_lines *lines = &maker->graph->cells[act->cell];
	const bool loads = has_job(maker->graph, job, false), stores = has_job(maker->graph, job, true);

	if (!loads && aie_bounds_held(maker->args->bounds, act->task))
		aie_word_add(maker, number, line, false);
	if (!stores && aie_bounds_seen(maker->args->bounds, act->task))
		aie_word_add(maker, number, lines->count, true);
}
