/* SPDX-License-Identifier: MIT */
/* graph_stream.c - streams by what they carry from where to where. */
#include "aie/graph/graph_own.h"
#include "rt/program/dtype.h"
#include <string.h>

uint64_t aie_shape_bytes(const struct aie_shape *shape)
{
	return shape->rows * shape->columns * rt_dtype_bytes(shape->dtype);
}

bool aie_shape_same(const struct aie_shape *a, const struct aie_shape *b)
{
	return a->dtype == b->dtype && a->flat == b->flat && a->rows == b->rows && a->columns == b->columns;
}

static bool labels_same(const struct aie_label *a, const struct aie_label *b)
{
	return a->kind == b->kind && a->from == b->from && a->to == b->to && a->channel == b->channel && a->kernel == b->kernel && a->use == b->use &&
	       a->ends == b->ends && aie_shape_same(&a->shape, &b->shape);
}

static void stream_add(struct aie_maker *maker, const struct aie_label *label, const uint32_t *ends, uint32_t end_count)
{
	struct aie_graph *graph = maker->graph;

	AIE_MAKER_GROW(maker, maker->labels, maker->label_room, graph->stream_count);
	AIE_MAKER_GROW(maker, graph->streams, graph->stream_room, graph->stream_count);
	maker->labels[graph->stream_count] = *label;
	graph->streams[graph->stream_count++] = (struct aie_stream){.kind = label->kind,
								    .group = AIE_NOTHING,
								    .from = label->from,
								    .to = graph->end_count,
								    .to_count = end_count,
								    .channel = label->channel,
								    .shape = label->shape};
	for (uint32_t e = 0; e < end_count; e++) {
		AIE_MAKER_GROW(maker, maker->taken, maker->taken_room, graph->end_count);
		maker->taken[graph->end_count] = 0;
		aie_maker_stream_end(maker, ends[e]);
	}
}

void aie_maker_stream_end(struct aie_maker *maker, uint32_t end)
{
	struct aie_graph *graph = maker->graph;

	AIE_MAKER_GROW(maker, graph->ends, graph->end_room, graph->end_count);
	graph->ends[graph->end_count++] = end;
}

/* Few: those of some dozens of cells. */
uint32_t aie_maker_stream(struct aie_maker *maker, const struct aie_label *label, const uint32_t *ends, uint32_t end_count)
{
	struct aie_graph *graph = maker->graph;

	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (labels_same(&maker->labels[s], label))
			return s;
	stream_add(maker, label, ends, end_count);
	return graph->stream_count - 1;
}
