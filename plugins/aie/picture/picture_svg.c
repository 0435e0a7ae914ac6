/* SPDX-License-Identifier: MIT */
/* picture_svg.c - the array drawn: row 0 at the bottom, a card per tile with its nodes, how much of it they take and how busy its core is, a line per wire of a stream. */
#include "aie/picture/picture.h"
#include <stdint.h>
#include <string.h>

#include <stdlib.h>

#include "aie/picture/sheet.h"
#include "registry/common/common_text.h"

void aie_xml_add_short(struct common_text *text, const char *name, size_t bytes)
{
	const bool whole = strlen(name) <= bytes;
	size_t at = 0;

	while (name[at]) {
		const size_t length = common_text_character(name + at);

		if (!whole && at + length + 3 > bytes) {
			common_text_put(text, "...");
			return;
		}
		if (name[at] == '&')
			common_text_put(text, "&amp;");
		else if (name[at] == '<')
			common_text_put(text, "&lt;");
		else if (name[at] == '>')
			common_text_put(text, "&gt;");
		else if (name[at] == '"')
			common_text_put(text, "&quot;");
		else if (length && (length > 1 || (unsigned char)name[at] >= 0x20) && strncmp(name + at, "\xef\xbf\xbe", 3) &&
			 strncmp(name + at, "\xef\xbf\xbf", 3))
			common_text_bytes(text, name + at, length);
		else
			common_text_put(text, "?");
		at += length ? length : 1;
	}
}

void aie_xml_add(struct common_text *text, const char *name)
{
	aie_xml_add_short(text, name, SIZE_MAX);
}

enum {
	LEGEND = 330,
	LINE = 15, /* width and height of its lines */
	BAR_X = 40,
	BAR = 50 /* of use and limit: beside its name, its width */
};
static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf",
				      "#7f7f00", "#393b79", "#ad494a", "#637939", "#843c39", "#7b4173", "#3182bd", "#e6550d"};

static const char *colour(uint32_t stream)
{
	return colours[stream % (sizeof(colours) / sizeof(*colours))];
}

/* ---- tiles ------------------------------------------------------------------------------------------------------------------------------------------- */

static void put_bar(struct common_text *text, struct aie_point at, const char *name, uint64_t used, uint64_t limit)
{
	const int filled = !limit ? 0 : used >= limit ? BAR : (int)(used * BAR / limit);

	common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">%s</text><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"8\" class=\"bar\"/>", at.x + 8,
			at.y + 7, name, at.x + BAR_X, at.y, BAR);
	if (filled)
		common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"8\" class=\"use\"/>", at.x + BAR_X, at.y, filled);
	common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">%llu / %llu</text>\n", at.x + BAR_X + BAR + 4, at.y + 7, (unsigned long long)used,
			(unsigned long long)limit);
}

/* The stretches of memory over its bar, every second one darker, with their names. */
static void put_parts(struct common_text *text, const struct aie_picture_tile *tile, struct aie_point at, uint64_t limit)
{
	uint64_t before = 0;

	for (uint32_t i = 0; limit && i < tile->part_count; i++) {
		const uint64_t end = before + tile->parts[i].bytes;
		const int x0 = (int)((before < limit ? before : limit) * BAR / limit), x1 = (int)((end < limit ? end : limit) * BAR / limit);

		if (x1 > x0) {
			common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"8\" class=\"part%u\"><title>", at.x + BAR_X + x0, at.y, x1 - x0,
					i % 2);
			aie_xml_add(text, tile->parts[i].name);
			common_text_add(text, ": %llu bytes</title></rect>\n", (unsigned long long)tile->parts[i].bytes);
		}
		before = end;
	}
}

static void put_names(struct common_text *text, const struct aie_picture_tile *tile, struct aie_point at)
{
	const uint32_t lines = aie_sheet_names(tile), shown = tile->node_count > lines ? lines - 1 : lines;

	for (uint32_t i = 0; i < shown; i++) {
		common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"node\">", at.x + 8, at.y + (int)i * AIE_SHEET_NAME);
		aie_xml_add_short(text, tile->nodes[i], 24);
		common_text_put(text, "<title>");
		aie_xml_add(text, tile->nodes[i]);
		common_text_put(text, "</title></text>\n");
	}
	if (shown == tile->node_count)
		return;
	common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"node\">and %u more<title>", at.x + 8, at.y + (int)shown * AIE_SHEET_NAME,
			tile->node_count - shown);
	for (uint32_t i = shown; i < tile->node_count; i++) {
		common_text_put(text, i > shown ? ", " : "");
		aie_xml_add(text, tile->nodes[i]);
	}
	common_text_put(text, "</title></text>\n");
}

static bool has_card(const struct aie_sheet *sheet, const struct aie_picture_tile *tile)
{
	return aie_sheet_names(tile) || aie_sheet_bars(sheet->picture, tile);
}

/* A tile with its switch; over its ways lies its card. */
static void put_box(struct common_text *text, const struct aie_sheet *sheet, int32_t column, int32_t row)
{
	static const char *const classes[AIE_KINDS] = {"shim", "memtile", "core"};
	const struct aie_point at = aie_sheet_corner(sheet, column, row), size = aie_sheet_size(sheet, column, row);

	common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" class=\"%s\"/>\n", at.x, at.y, size.x, size.y,
			classes[aie_arch_kind(sheet->picture->arch, row)]);
}

static void put_tile_name(struct common_text *text, const struct aie_sheet *sheet, int32_t column, int32_t row)
{
	static const char *const names[AIE_KINDS] = {"shim", "memory", "core"};
	const struct aie_point at = aie_sheet_corner(sheet, column, row);

	common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"tile\">%s (%d,%d)</text>\n", at.x + 8, at.y + 15,
			names[aie_arch_kind(sheet->picture->arch, row)], column, row);
}

/* The load of a core, in the colour of a temperature. */
static void put_busy(struct common_text *text, const struct aie_picture *picture, const struct aie_picture_tile *tile, struct aie_point at)
{
	const uint64_t tenths = tile->busy * 1000 / picture->cycles;

	common_text_add(
		text,
		"<text x=\"%d\" y=\"%d\" class=\"small\">busy</text><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"8\" class=\"bar\"/><rect x=\"%d\" "
		"y=\"%d\" width=\"%d\" height=\"8\" class=\"busy\"/><text x=\"%d\" y=\"%d\" class=\"small\">%llu.%llu %%<title>%llu of %llu cycles, by the "
		"model, not measured</title></text>\n",
		at.x + 8, at.y + 7, at.x + BAR_X, at.y, BAR, at.x + BAR_X, at.y, (int)(tenths * BAR / 1000), at.x + BAR_X + BAR + 4, at.y + 7,
		(unsigned long long)tenths / 10, (unsigned long long)tenths % 10, (unsigned long long)tile->busy, (unsigned long long)picture->cycles);
}

static void put_card(struct common_text *text, const struct aie_sheet *sheet, const struct aie_picture_tile *tile)
{
	static const struct {
		enum aie_limit limit;
		const char *name;
	} rows[] = {{AIE_MEMORY, "bytes"}, {AIE_BDS, "BDs"}, {AIE_LOCKS, "locks"}, {AIE_DMA_IN, "in"}, {AIE_DMA_OUT, "out"}};
	const struct aie_picture *picture = sheet->picture;
	const uint64_t *limits = aie_arch_tile(picture->arch, tile->row)->limits;
	struct aie_point at = aie_sheet_corner(sheet, tile->column, tile->row);

	common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" class=\"card\"/>\n", at.x + 2, at.y + 2,
			sheet->widths[tile->column] - 2, sheet->cards[tile->row] - 4);
	at.y += AIE_SHEET_TITLE + 9;
	put_names(text, tile, at);
	at.y += (int)aie_sheet_names(tile) * AIE_SHEET_NAME - 5;
	if (picture->cycles && aie_arch_kind(picture->arch, tile->row) == AIE_CORE) {
		put_busy(text, picture, tile, at);
		at.y += AIE_SHEET_BAR;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!tile->used[rows[i].limit])
			continue;
		put_bar(text, at, rows[i].name, tile->used[rows[i].limit], limits[rows[i].limit]);
		if (!i)
			put_parts(text, tile, at, limits[AIE_MEMORY]);
		if (tile->used[rows[i].limit] > limits[rows[i].limit])
			common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"8\" class=\"over\"/>\n", at.x + BAR_X, at.y, BAR);
		at.y += AIE_SHEET_BAR;
	}
}

/* ---- streams ----------------------------------------------------------------------------------------------------------------------------------------- */

static void put_point(struct common_text *text, struct aie_point at, bool first)
{
	common_text_add(text, "%s%d,%d", first ? "" : " ", at.x, at.y);
}

/* The first hop not drawn yet that goes on from another one; count: none. */
static uint32_t goes_on(const struct aie_hop *hops, uint32_t count, uint32_t at, const bool *drawn)
{
	int32_t column = hops[at].column, row = hops[at].row;
	enum aie_bundle into;

	if (hops[at].out < AIE_BUNDLE_SOUTH || hops[at].out > AIE_BUNDLE_EAST)
		return count;
	into = aie_arch_step(hops[at].out, &column, &row);
	for (uint32_t i = at + 1; i < count; i++)
		if (!drawn[i] && hops[i].column == column && hops[i].row == row && hops[i].in == into && hops[i].in_channel == hops[at].out_channel)
			return i;
	return count;
}

/* A line from where a hop comes in to the end of the way that goes on from it. */
static void put_line(struct common_text *text, const struct aie_sheet *sheet, const struct aie_hop *hops, uint32_t count, uint32_t at, bool *drawn)
{
	struct aie_point way[AIE_SHEET_WAY];
	bool first = true;

	common_text_put(text, "<polyline points=\"");
	for (; at < count; at = goes_on(hops, count, at, drawn)) {
		const struct aie_hop *hop = &hops[at];

		drawn[at] = true;
		for (uint32_t p = 0, points = aie_sheet_way(sheet, hop, way); p < points; p++, first = false)
			put_point(text, way[p], first);
	}
	common_text_put(text, "\"/>\n");
}

static void put_end(struct common_text *text, const struct aie_sheet *sheet, const struct aie_hop *hop, bool source)
{
	struct aie_point way[AIE_SHEET_WAY];
	const uint32_t points = aie_sheet_way(sheet, hop, way);
	const struct aie_point at = source ? way[0] : way[points - 1];

	if (source)
		common_text_add(text, "<rect x=\"%d\" y=\"%d\" width=\"6\" height=\"6\" class=\"end\"/>\n", at.x - 3, at.y - 3);
	else
		common_text_add(text, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" class=\"end\"/>\n", at.x, at.y);
}

static bool leaves_array(const struct aie_hop *hop)
{
	return hop->out < AIE_BUNDLE_SOUTH || hop->out > AIE_BUNDLE_EAST || (hop->row == 0 && hop->out == AIE_BUNDLE_SOUTH);
}

static void put_title(struct common_text *text, const struct aie_picture *picture, uint32_t stream)
{
	const struct aie_flow *flow = &picture->flows[stream];
	const struct aie_route *route = &picture->routes->routes[stream];

	aie_xml_add(text, picture->streams[stream].name);
	common_text_add(text, ": (%d,%d) %s %u to ", flow->from.column, flow->from.row, aie_arch_bundle_text(flow->from.bundle), flow->from.channel);
	for (uint32_t i = 0; i < flow->to_count; i++)
		common_text_add(text, "%s(%d,%d) %s %u", i ? ", " : "", flow->to[i].column, flow->to[i].row, aie_arch_bundle_text(flow->to[i].bundle),
				flow->to[i].channel);
	common_text_add(text, "; %u wires, %u switches", route->length, route->longest);
	if (picture->streams[stream].text) {
		common_text_put(text, "; ");
		aie_xml_add(text, picture->streams[stream].text);
	}
}

static bool put_stream(struct common_text *text, const struct aie_sheet *sheet, uint32_t stream)
{
	const struct aie_picture *picture = sheet->picture;
	const struct aie_route *route = &picture->routes->routes[stream];
	const struct aie_hop *hops = &picture->routes->hops[route->first];
	bool *drawn = calloc(route->count + 1, sizeof(*drawn));

	if (!drawn)
		return false;
	common_text_add(text, "<g class=\"stream\" stroke=\"%s\" fill=\"%s\"><title>", colour(stream), colour(stream));
	put_title(text, picture, stream);
	common_text_put(text, "</title>\n");
	for (uint32_t i = 0; i < route->count; i++) {
		if (!drawn[i])
			put_line(text, sheet, hops, route->count, i, drawn);
		if (!i)
			put_end(text, sheet, &hops[i], true);
		if (leaves_array(&hops[i]))
			put_end(text, sheet, &hops[i], false);
	}
	common_text_put(text, "</g>\n");
	free(drawn);
	return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------------------------------------------- */

static void put_legend(struct common_text *text, const struct aie_sheet *sheet)
{
	const struct aie_picture *picture = sheet->picture;
	const struct aie_routes *routes = picture->routes;
	const int x = sheet->columns[picture->arch->columns] + AIE_SHEET_GAP;
	const uint32_t narrowest = aie_picture_narrowest(picture);
	int y = AIE_SHEET_HEAD + 12;

	common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"tile\">%u streams, %u wires</text>\n", x, y, routes->count, routes->length);
	if (picture->cycles)
		common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">%llu cycles by the model, not measured</text>\n", x, y += LINE,
				(unsigned long long)picture->cycles);
	if (picture->grid[0])
		common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">grid of the schedule: %u x %u cores</text>\n", x, y += LINE, picture->grid[0],
				picture->grid[1]);
	if (routes->hottest.limit)
		common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">hottest: %s side of (%d,%d), %u of %u wires</text>\n", x, y += LINE,
				aie_arch_bundle_text(routes->hottest.side), routes->hottest.column, routes->hottest.row, routes->hottest.used,
				routes->hottest.limit);
	if (narrowest != PTOWSP_NONE) {
		common_text_add(text, "<text x=\"%d\" y=\"%d\" class=\"small\">narrowest: ", x, y += LINE);
		aie_xml_add_short(text, picture->streams[narrowest].name, 30);
		common_text_add(text, ", %llu MB/s</text>\n", (unsigned long long)(aie_picture_bandwidth(picture, narrowest) / 1000000));
	}
	for (uint32_t i = 0; i < routes->count; i++) {
		common_text_add(text,
				"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"3\"/><text x=\"%d\" y=\"%d\" class=\"small\">", x,
				y + LINE - 3, x + 20, y + LINE - 3, colour(i), x + 26, y + LINE);
		aie_xml_add_short(text, picture->streams[i].name, 44);
		common_text_put(text, "<title>");
		put_title(text, picture, i);
		common_text_put(text, "</title></text>\n");
		y += LINE;
	}
}

static void put_head(struct common_text *text, const struct aie_sheet *sheet)
{
	const struct aie_picture *picture = sheet->picture;
	const int width = sheet->columns[picture->arch->columns] + LEGEND;
	const int tiles = sheet->rows[picture->arch->rows], legend = AIE_SHEET_HEAD + LINE * ((int)picture->routes->count + 6);

	common_text_add(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width,
			tiles > legend ? tiles : legend, width, tiles > legend ? tiles : legend);
	common_text_put(
		text,
		"<style>text{font-family:sans-serif}.title{font-size:16px}.tile{font-size:12px;font-weight:bold}.node{font-size:11px}.small{font-size:9px}"
		".core{fill:#eef4fb;stroke:#5b7ea6}.memtile{fill:#f3eefb;stroke:#7c6aa6}.shim{fill:#f4f4ee;stroke:#8a8a5b}.bar{fill:#fff;stroke:#999;stroke-"
		"width:0.5}"
		".card{fill:#fff;fill-opacity:0.75}.use{fill:#9dbb7f}.busy{fill:#e6a04b}.over{fill:none;stroke:#d62728;stroke-width:2}.part0{fill:#9dbb7f}."
		"part1{fill:#7d9f5c}.stream "
		"polyline{fill:none;stroke-width:1.6;opacity:0.75}"
		".stream:hover polyline{stroke-width:4;opacity:1}.end{stroke:none}</style>\n<text x=\"24\" y=\"26\" class=\"title\">");
	aie_xml_add(text, picture->title);
	common_text_add(text, " on %s</text>\n", picture->arch->name);
}

char *aie_picture_svg(const struct aie_picture *picture)
{
	const struct aie_sheet sheet = aie_sheet_of(picture);
	struct common_text text = {0};
	bool drawn = true;

	put_head(&text, &sheet);
	for (int32_t row = 0; row < (int32_t)picture->arch->rows; row++)
		for (int32_t column = 0; column < (int32_t)picture->arch->columns; column++)
			put_box(&text, &sheet, column, row);
	for (uint32_t i = 0; drawn && i < picture->routes->count; i++)
		drawn = put_stream(&text, &sheet, i);
	for (uint32_t i = 0; i < picture->tile_count; i++)
		if (has_card(&sheet, &picture->tiles[i]))
			put_card(&text, &sheet, &picture->tiles[i]);
	for (int32_t row = 0; row < (int32_t)picture->arch->rows; row++)
		for (int32_t column = 0; column < (int32_t)picture->arch->columns; column++)
			put_tile_name(&text, &sheet, column, row);
	put_legend(&text, &sheet);
	common_text_put(&text, "</svg>\n");
	if (!drawn || text.failed)
		common_text_finish(&text);
	return text.bytes;
}
