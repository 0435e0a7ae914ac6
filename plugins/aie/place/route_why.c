/* SPDX-License-Identifier: MIT */
/* route_why.c - why streams have no routes.
 *
 * The proof is a cut: a rectangle of tiles, the streams that begin in it and end outside of it, and the wires that leave it; or the other way round. The cut with
 * the fewest wires is told, and where they are all on one side of one tile, that side. */
#include "aie/place/route_graph.h"
#include "base/error.h"

struct cut {
	uint32_t c0, r0, c1, r1; /* tiles of the rectangle, both ends inside */
	bool out;
	uint32_t need, limit, sides;
	uint16_t link; /* one that crosses */
};

static uint64_t tiles_of(const struct route_graph *graph, const struct cut *cut)
{
	uint64_t tiles = 0;

	for (uint32_t c = cut->c0; c <= cut->c1; c++)
		for (uint32_t r = cut->r0; r <= cut->r1; r++)
			tiles |= UINT64_C(1) << (c * graph->arch->rows + r);
	return tiles;
}

static void measure(const struct route_work *work, struct cut *cut)
{
	const uint64_t inside = tiles_of(&work->graph, cut);

	cut->need = cut->limit = cut->sides = 0;
	for (uint32_t i = 0; i < work->graph.link_count; i++) {
		const struct route_link *link = &work->graph.links[i];
		const bool from = inside >> link->from & 1, to = inside >> link->to & 1;

		if (from == to || from != cut->out)
			continue;
		cut->limit += link->wires;
		cut->sides++;
		cut->link = (uint16_t)i;
	}
	for (uint32_t i = 0; i < work->net_count; i++) {
		const struct route_net *net = &work->nets[i];
		const bool from = inside >> net->source & 1;

		if (from == cut->out && (from ? net->targets & ~inside : net->targets & inside))
			cut->need++;
	}
}

static const char *way_of(uint32_t side)
{
	return side == AIE_BUNDLE_NORTH ? "up" : side == AIE_BUNDLE_SOUTH ? "down" : side == AIE_BUNDLE_WEST ? "to the west" : "to the east";
}

static void tell_side(const struct route_work *work, const struct cut *cut, struct ptowsp_error *error)
{
	const struct route_link *link = &work->graph.links[cut->link];
	const uint32_t rows = work->graph.arch->rows, tile = link->from;

	base_fail(error, PTOWSP_UNSUPPORTED,
		  "the %s side of %s (%u,%u) needs wires for %u streams %s, of %u; pack streams into fewer, or place their ends on one side of it",
		  aie_arch_bundle_text((enum aie_bundle)link->side), aie_arch_kind_text(aie_arch_kind(work->graph.arch, (int32_t)(tile % rows))), tile / rows,
		  tile % rows, cut->need, way_of(link->side), cut->limit);
}

static void tell_part(const struct cut *cut, struct ptowsp_error *error)
{
	base_fail(error, PTOWSP_UNSUPPORTED,
		  "tiles (%u,%u) to (%u,%u) need wires for %u streams %s them, of %u; pack streams into fewer, or place their ends together", cut->c0, cut->r0,
		  cut->c1, cut->r1, cut->need, cut->out ? "out of" : "into", cut->limit);
}

bool route_why(const struct route_work *work, struct ptowsp_error *error)
{
	const uint32_t columns = work->graph.arch->columns, rows = work->graph.arch->rows;
	struct cut cut, best = {.limit = UINT32_MAX};

	for (cut.c0 = 0; cut.c0 < columns; cut.c0++)
		for (cut.c1 = cut.c0; cut.c1 < columns; cut.c1++)
			for (cut.r0 = 0; cut.r0 < rows; cut.r0++)
				for (cut.r1 = cut.r0; cut.r1 < rows; cut.r1++)
					for (int out = 1; out >= 0; out--) {
						cut.out = out;
						measure(work, &cut);
						if (cut.need > cut.limit && (cut.limit < best.limit || (cut.limit == best.limit && cut.sides < best.sides)))
							best = cut;
					}
	if (best.limit == UINT32_MAX)
		return false;
	if (best.sides == 1)
		tell_side(work, &best, error);
	else
		tell_part(&best, error);
	return true;
}

void route_why_tried(const struct route_work *work, struct ptowsp_error *error)
{
	const uint32_t rows = work->graph.arch->rows;
	uint32_t worst = 0;

	for (uint32_t i = 0; i < work->graph.link_count; i++)
		if (work->used[i] - work->graph.links[i].wires > work->used[worst] - work->graph.links[worst].wires)
			worst = i;
	base_fail(error, PTOWSP_UNSUPPORTED,
		  "no routes were found in %u rounds; closest to it, the %s side of tile (%u,%u) needs wires for %u streams, of %u; place ends of streams "
		  "nearer together",
		  work->iterations, aie_arch_bundle_text((enum aie_bundle)work->graph.links[worst].side), work->graph.links[worst].from / rows,
		  work->graph.links[worst].from % rows, work->used[worst], work->graph.links[worst].wires);
}
