/* SPDX-License-Identifier: MIT */
/* picture_json.c - tiles, use and limits, routes hop by hop, for programs. */
#include "aie/picture/picture.h"

#include <stdlib.h>

#include "registry/common/common_text.h"

static bool at_shim(const struct aie_flow *flow)
{
	bool shim = flow->from.row == 0;

	for (uint32_t i = 0; i < flow->to_count; i++)
		shim |= flow->to[i].row == 0;
	return shim;
}

uint64_t aie_picture_bandwidth(const struct aie_picture *picture, uint32_t stream)
{
	const uint64_t clock = picture->arch->clock_hz, memory = picture->arch->ddr_bytes * clock;
	uint64_t shims = 0;

	for (uint32_t i = 0; i < picture->routes->count; i++)
		shims += at_shim(&picture->flows[i]);
	return at_shim(&picture->flows[stream]) && memory / shims < 4 * clock ? memory / shims : 4 * clock;
}

uint32_t aie_picture_narrowest(const struct aie_picture *picture)
{
	uint32_t best = PTOWSP_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < picture->routes->count; i++) {
		const uint64_t bandwidth = aie_picture_bandwidth(picture, i);

		if (bandwidth < least || (bandwidth == least && picture->streams[i].words > picture->streams[best].words)) {
			least = bandwidth;
			best = i;
		}
	}
	return best;
}

static void put_tile(struct common_text *text, const struct aie_picture *picture, const struct aie_picture_tile *tile)
{
	static const struct {
		enum aie_limit limit;
		const char *name;
	} rows[] = {{AIE_MEMORY, "memory_bytes"}, {AIE_BDS, "buffer_descriptors"}, {AIE_LOCKS, "locks"}, {AIE_DMA_IN, "dma_in"}, {AIE_DMA_OUT, "dma_out"}};
	const struct aie_tile_arch *arch = aie_arch_tile(picture->arch, tile->row);

	common_text_add(text, "    {\"column\": %d, \"row\": %d, \"kind\": \"%s\", \"nodes\": [", tile->column, tile->row,
			aie_arch_kind_text(aie_arch_kind(picture->arch, tile->row)));
	for (uint32_t i = 0; i < tile->node_count; i++) {
		common_text_put(text, i ? ", " : "");
		common_text_json(text, tile->nodes[i]);
	}
	common_text_put(text, "], \"use\": {");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		common_text_add(text, "%s\"%s\": [%llu, %llu]", i ? ", " : "", rows[i].name, (unsigned long long)tile->used[rows[i].limit],
				(unsigned long long)arch->limits[rows[i].limit]);
	common_text_put(text, "}");
	if (picture->cycles && aie_arch_kind(picture->arch, tile->row) == AIE_CORE)
		common_text_add(text, ", \"busy_cycles\": %llu", (unsigned long long)tile->busy);
	if (tile->program)
		common_text_add(text, ", \"program_by_stand_in\": [%llu, %llu], \"frame_by_stand_in\": %llu", (unsigned long long)tile->program,
				(unsigned long long)arch->limits[AIE_PROGRAM], (unsigned long long)tile->frame);
	common_text_put(text, ", \"memory\": [");
	for (uint32_t i = 0; i < tile->part_count; i++) {
		common_text_put(text, i ? ", {\"name\": " : "{\"name\": ");
		common_text_json(text, tile->parts[i].name);
		common_text_add(text, ", \"bytes\": %llu}", (unsigned long long)tile->parts[i].bytes);
	}
	common_text_put(text, "]}");
}

static void put_port(struct common_text *text, const struct aie_port *port)
{
	common_text_add(text, "{\"column\": %d, \"row\": %d, \"port\": \"%s %u\"}", port->column, port->row, aie_arch_bundle_text(port->bundle), port->channel);
}

static void put_stream(struct common_text *text, const struct aie_picture *picture, uint32_t number)
{
	const struct aie_flow *flow = &picture->flows[number];
	const struct aie_route *route = &picture->routes->routes[number];

	common_text_put(text, "    {\"name\": ");
	common_text_json(text, picture->streams[number].name);
	common_text_put(text, ", \"from\": ");
	put_port(text, &flow->from);
	common_text_put(text, ", \"to\": [");
	for (uint32_t i = 0; i < flow->to_count; i++) {
		common_text_put(text, i ? ", " : "");
		put_port(text, &flow->to[i]);
	}
	common_text_add(text, "], \"words\": %llu, \"bytes_per_second\": %llu, \"length\": %u, \"switches\": %u, \"hops\": [",
			(unsigned long long)picture->streams[number].words, (unsigned long long)aie_picture_bandwidth(picture, number), route->length,
			route->longest);
	for (uint32_t i = 0; i < route->count; i++) {
		const struct aie_hop *hop = &picture->routes->hops[route->first + i];

		common_text_add(text, "%s[%d, %d, \"%s %u\", \"%s %u\"]", i ? ", " : "", hop->column, hop->row, aie_arch_bundle_text(hop->in), hop->in_channel,
				aie_arch_bundle_text(hop->out), hop->out_channel);
	}
	common_text_put(text, "]}");
}

static void put_sums(struct common_text *text, const struct aie_picture *picture)
{
	const struct aie_routes *routes = picture->routes;
	const uint32_t narrowest = aie_picture_narrowest(picture);

	common_text_add(text, "  \"length\": %u, \"least\": %u, \"iterations\": %u,\n", routes->length, routes->least, routes->iterations);
	common_text_add(text, "  \"hottest\": {\"column\": %d, \"row\": %d, \"side\": \"%s\", \"used\": %u, \"limit\": %u},\n  \"narrowest\": ",
			routes->hottest.column, routes->hottest.row, aie_arch_bundle_text(routes->hottest.side), routes->hottest.used, routes->hottest.limit);
	if (narrowest == PTOWSP_NONE)
		common_text_put(text, "null");
	else
		common_text_json(text, picture->streams[narrowest].name);
	common_text_put(text, "\n}\n");
}

char *aie_picture_json(const struct aie_picture *picture)
{
	struct common_text text = {0};

	common_text_put(&text, "{\n  \"title\": ");
	common_text_json(&text, picture->title);
	common_text_add(&text, ",\n  \"device\": \"%s\", \"columns\": %u, \"rows\": %u, \"clock_hz\": %llu,\n", picture->arch->name, picture->arch->columns,
			picture->arch->rows, (unsigned long long)picture->arch->clock_hz);
	if (picture->grid[0])
		common_text_add(&text, "  \"grid\": [%u, %u],\n", picture->grid[0], picture->grid[1]);
	if (picture->cycles)
		common_text_add(&text, "  \"model_cycles\": %llu,\n", (unsigned long long)picture->cycles);
	common_text_put(&text, "  \"tiles\": [");
	for (uint32_t i = 0; i < picture->tile_count; i++) {
		common_text_put(&text, i ? ",\n" : "\n");
		put_tile(&text, picture, &picture->tiles[i]);
	}
	common_text_put(&text, "\n  ],\n  \"streams\": [");
	for (uint32_t i = 0; i < picture->routes->count; i++) {
		common_text_put(&text, i ? ",\n" : "\n");
		put_stream(&text, picture, i);
	}
	common_text_put(&text, "\n  ],\n");
	put_sums(&text, picture);
	if (text.failed)
		common_text_finish(&text);
	return text.bytes;
}
