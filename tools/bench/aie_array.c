/* SPDX-License-Identifier: MIT */
/* aie_array.c - what a product on all 32 cores of npu2 costs before it runs there: places, routes, picture. A goes along the rows, B along the columns, C is joined per
 * column; each through a memory tile and a shim. */
#include <stdlib.h>
#include <string.h>

#include "aie/picture.h"
#include "aie/aie_place.h"
#include "tools/bench/bench.h"
#include "tools/bench/aie.h"

enum { CORES = 32, ROWS = 4, COLUMNS = 8, NODES = CORES + 2 * (ROWS + 2 * COLUMNS), NETS = 2 * (ROWS + COLUMNS) + CORES + COLUMNS, ENDS = 2 * CORES + ROWS + COLUMNS + CORES + COLUMNS };

struct product {
	const struct aie_arch *arch;
	struct aie_place_node nodes[NODES];
	struct aie_place_net nets[NETS];
	struct aie_place places[NODES];
	struct aie_flow flows[NETS];
	struct aie_picture_stream streams[NETS];
	struct aie_port ports[ENDS];
	struct aie_routes routes;
	uint32_t ends[ENDS], node_count, net_count, end_count;
};

static uint32_t add_nodes(struct product *p, uint32_t count, struct aie_place_node node)
{
	const uint32_t first = p->node_count;

	node.column = node.row = AIE_ANYWHERE;
	for (uint32_t i = 0; i < count; i++)
		p->nodes[p->node_count++] = node;
	return first;
}

/* To `count` nodes, each `step` behind the one before. */
static void add_net(struct product *p, uint32_t from, uint32_t to, uint32_t count, uint32_t step)
{
	p->nets[p->net_count++] = (struct aie_place_net){.from = from, .to = &p->ends[p->end_count], .to_count = count, .weight = 1024};
	for (uint32_t i = 0; i < count; i++)
		p->ends[p->end_count++] = to + i * step;
}

static void make(struct product *p)
{
	uint32_t a, b, c, shim_a, shim_b, shim_c;

	memset(p, 0, sizeof(*p));
	p->arch = aie_arch_named("npu2");
	add_nodes(p, CORES, (struct aie_place_node){.kind = AIE_CORE, .in = 2, .out = 1, .locks = 6, .bds = 6, .bytes = 40000, .name = "core"});
	a = add_nodes(p, ROWS, (struct aie_place_node){.kind = AIE_MEMTILE, .in = 1, .out = 1, .locks = 4, .bds = 4, .bytes = 65536, .name = "a"});
	b = add_nodes(p, COLUMNS, (struct aie_place_node){.kind = AIE_MEMTILE, .in = 1, .out = 1, .locks = 4, .bds = 4, .bytes = 65536, .name = "b"});
	c = add_nodes(p, COLUMNS, (struct aie_place_node){.kind = AIE_MEMTILE, .in = 4, .out = 1, .locks = 10, .bds = 10, .bytes = 65536, .name = "c"});
	shim_a = add_nodes(p, ROWS, (struct aie_place_node){.kind = AIE_SHIM, .out = 1, .name = "shim a"});
	shim_b = add_nodes(p, COLUMNS, (struct aie_place_node){.kind = AIE_SHIM, .out = 1, .name = "shim b"});
	shim_c = add_nodes(p, COLUMNS, (struct aie_place_node){.kind = AIE_SHIM, .in = 1, .name = "shim c"});
	for (uint32_t row = 0; row < ROWS; row++) {
		add_net(p, a + row, row, COLUMNS, ROWS);
		add_net(p, shim_a + row, a + row, 1, 1);
	}
	for (uint32_t column = 0; column < COLUMNS; column++) {
		add_net(p, b + column, column * ROWS, ROWS, 1);
		add_net(p, shim_b + column, b + column, 1, 1);
		for (uint32_t row = 0; row < ROWS; row++)
			add_net(p, column * ROWS + row, c + column, 1, 1);
		add_net(p, c + column, shim_c + column, 1, 1);
	}
}

/* Each net takes the next channels of its tiles. */
static void make_flows(struct product *p)
{
	uint32_t in[COLUMNS][AIE_ROWS] = {{0}}, out[COLUMNS][AIE_ROWS] = {{0}}, end = 0;

	for (uint32_t i = 0; i < p->net_count; i++) {
		const struct aie_place from = p->places[p->nets[i].from];

		p->flows[i] = (struct aie_flow){.from = {from.column, from.row, AIE_BUNDLE_DMA, out[from.column][from.row]++}, .to = &p->ports[end], .to_count = p->nets[i].to_count};
		p->streams[i].name = p->nodes[p->nets[i].from].name;
		for (uint32_t k = 0; k < p->nets[i].to_count; k++) {
			const struct aie_place to = p->places[p->nets[i].to[k]];

			p->ports[end++] = (struct aie_port){to.column, to.row, AIE_BUNDLE_DMA, in[to.column][to.row]++};
		}
	}
}

static int place(void *context, double *ms_out, struct ptowsp_error *error)
{
	struct product *p = context;
	const uint64_t began = bench_now_ns();
	const ptowsp_status status = aie_place(p->arch, p->nodes, p->node_count, p->nets, p->net_count, 1, p->places, error);

	*ms_out = (double)(bench_now_ns() - began) / 1e6;
	return status;
}

static int route(void *context, double *ms_out, struct ptowsp_error *error)
{
	struct product *p = context;
	uint64_t began;
	ptowsp_status status;

	aie_routes_finish(&p->routes);
	began = bench_now_ns();
	status = aie_route(p->arch, p->flows, p->net_count, &p->routes, error);
	*ms_out = (double)(bench_now_ns() - began) / 1e6;
	return status;
}

static int draw(void *context, double *ms_out, struct ptowsp_error *error)
{
	struct product *p = context;
	const struct aie_picture picture = {.arch = p->arch, .title = "product", .flows = p->flows, .streams = p->streams, .routes = &p->routes};
	const uint64_t began = bench_now_ns();
	char *svg = aie_picture_svg(&picture);

	(void)error;
	*ms_out = (double)(bench_now_ns() - began) / 1e6;
	free(svg);
	return svg ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static struct bench_row row_of(const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "aie", .subject = "product on 32 cores", .measure = measure, .unit = unit};
}

static int measured(const struct bench_options *options, struct product *p, const char *measure, int (*run)(void *context, double *ms_out, struct ptowsp_error *error),
		    double most)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct bench_row row = row_of(measure, "ms");
	const int status = bench_measure(options, 1, &row.series, run, p, &error);

	if (status)
		return fprintf(stderr, "ptowsp-bench aie: %s: %s\n", measure, error.text), 1;
	row.most = most;
	bench_table_row(&row);
	return 0;
}

int bench_aie_array(const struct bench_options *options)
{
	struct product p;
	int rc;

	make(&p);
	rc = measured(options, &p, "places", place, 50);
	make_flows(&p);
	if (!rc)
		rc = measured(options, &p, "routes", route, 30);
	if (!rc)
		rc = measured(options, &p, "picture", draw, 0);
	if (!rc) {
		struct bench_row length = row_of("wires of all routes", "wires");

		length.most = p.routes.least; /* no routes are shorter */
		bench_table_value(length, p.routes.length);
	}
	aie_routes_finish(&p.routes);
	return rc;
}
