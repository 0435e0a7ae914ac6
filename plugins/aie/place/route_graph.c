/* SPDX-License-Identifier: MIT */
/* route_graph.c - tiles and links of an array out of what its switches may connect. */
#include <stdlib.h>
#include <string.h>

#include "aie/place/route_graph.h"
#include "base/error.h"

static int32_t column_of(const struct route_graph *graph, uint32_t tile)
{
	return (int32_t)(tile / graph->arch->rows);
}

static int32_t row_of(const struct route_graph *graph, uint32_t tile)
{
	return (int32_t)(tile % graph->arch->rows);
}

static void links_of_tile(struct route_graph *graph, uint32_t tile)
{
	for (uint32_t s = 0; s < ROUTE_SIDES; s++) {
		const enum aie_bundle side = (enum aie_bundle)(AIE_BUNDLE_SOUTH + s);
		int32_t column = column_of(graph, tile), row = row_of(graph, tile);
		const uint32_t wires = aie_arch_wires(graph->arch, column, row, side);
		const enum aie_bundle into = aie_arch_step(side, &column, &row);

		graph->out[tile][s] = ROUTE_NONE;
		if (!wires)
			continue;
		graph->out[tile][s] = (uint16_t)graph->link_count;
		graph->links[graph->link_count++] = (struct route_link){.from = (uint8_t)tile,
									.to = (uint8_t)(column * (int32_t)graph->arch->rows + row),
									.side = (uint8_t)side,
									.into = (uint8_t)into,
									.wires = (uint8_t)wires};
	}
}

static bool connects(const struct route_graph *graph, uint32_t link, uint32_t next, uint32_t in, uint32_t out)
{
	const struct route_link *l = &graph->links[link], *n = &graph->links[next];

	return aie_arch_connects(graph->arch, aie_arch_kind(graph->arch, row_of(graph, l->to)), (enum aie_bundle)l->into, in, (enum aie_bundle)n->side, out);
}

/* A switch allows all pairs of channels, or pairs of equal ones: two unequal pairs tell which. */
bool route_graph_keeps(const struct route_graph *graph, uint16_t link, uint16_t next)
{
	return !connects(graph, link, next, 0, 1) && !connects(graph, link, next, 1, 0);
}

static void ways_on(struct route_graph *graph, uint16_t link)
{
	const uint32_t tile = graph->links[link].to;

	graph->back[link] = graph->reverse[link] = ROUTE_NONE;
	for (uint32_t s = 0; s < ROUTE_SIDES; s++) {
		const uint16_t next = graph->out[tile][s];

		const bool back = next != ROUTE_NONE && graph->links[next].to == graph->links[link].from;

		if (back)
			graph->reverse[link] = next;
		if (next == ROUTE_NONE || (!connects(graph, link, next, 0, 0) && route_graph_keeps(graph, link, next)))
			continue;
		if (back) {
			graph->back[link] = next;
			continue;
		}
		graph->next[link][graph->next_count[link]++] = next;
		graph->before[next][graph->before_count[next]++] = link;
	}
}

ptowsp_status route_graph_init(struct route_graph *graph, const struct aie_arch *arch, struct ptowsp_error *error)
{
	memset(graph, 0, sizeof(*graph));
	if (arch->columns > AIE_COLUMNS_MAX || arch->rows > AIE_ROWS)
		return base_fail(error, PTOWSP_INVALID, "the array has %u columns and %u rows, more than the router's %u and %u", arch->columns, arch->rows,
				 AIE_COLUMNS_MAX, AIE_ROWS);
	graph->arch = arch;
	graph->tile_count = arch->columns * arch->rows;
	for (uint32_t tile = 0; tile < graph->tile_count; tile++)
		links_of_tile(graph, tile);
	for (uint32_t link = 0; link < graph->link_count; link++)
		ways_on(graph, (uint16_t)link);
	for (uint32_t a = 0; a < graph->tile_count; a++)
		for (uint32_t b = 0; b < graph->tile_count; b++)
			graph->distance[a][b] = (uint8_t)(abs(column_of(graph, a) - column_of(graph, b)) + abs(row_of(graph, a) - row_of(graph, b)));
	return PTOWSP_OK;
}
