/* SPDX-License-Identifier: MIT */
#include "aie/picture/sheet.h"

#include <string.h>

enum { LANE = 7 /* between two wires */, PAD = 8 /* between wires and what lies beside them */, SLIM = 84 /* width of a card without texts but its title */ };

/* ---- what is there ----------------------------------------------------------------------------------------------------- */

uint32_t aie_sheet_names(const struct aie_picture_tile *tile)
{
	return tile->node_count < AIE_SHEET_NAMES ? tile->node_count : AIE_SHEET_NAMES;
}

uint32_t aie_sheet_bars(const struct aie_picture *picture, const struct aie_picture_tile *tile)
{
	static const enum aie_limit limits[] = {AIE_MEMORY, AIE_BDS, AIE_LOCKS, AIE_DMA_IN, AIE_DMA_OUT};
	uint32_t bars = picture->cycles && aie_arch_kind(picture->arch, tile->row) == AIE_CORE;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		bars += tile->used[limits[i]] != 0;
	return bars;
}

/* Count of used channels; of those before a channel. */
static uint32_t count_of(uint32_t used)
{
	return (uint32_t)__builtin_popcount(used);
}

static uint32_t before(uint32_t used, uint32_t channel)
{
	return count_of(used & ((UINT32_C(1) << channel) - 1));
}

/* A port that no neighbour is wired to: of a DMA, and of the host below a shim. */
static bool is_pin(int32_t row, enum aie_bundle bundle)
{
	return bundle < AIE_BUNDLE_SOUTH || bundle > AIE_BUNDLE_EAST || (bundle == AIE_BUNDLE_SOUTH && !row);
}

static void lanes_count(struct aie_sheet *sheet, int32_t row, enum aie_bundle bundle, uint32_t channel, bool into)
{
	const uint32_t bit = UINT32_C(1) << channel;

	if (is_pin(row, bundle))
		*(into ? &sheet->pins_in[row] : &sheet->pins_out[row]) |= bit;
	else if (bundle == AIE_BUNDLE_NORTH || bundle == AIE_BUNDLE_SOUTH)
		*((bundle == AIE_BUNDLE_NORTH) == into ? &sheet->down : &sheet->up) |= bit;
	else
		*((bundle == AIE_BUNDLE_EAST) == into ? &sheet->west : &sheet->east) |= bit;
}

static void routes_look(struct aie_sheet *sheet)
{
	const struct aie_routes *routes = sheet->picture->routes;

	for (uint32_t h = 0; h < routes->hop_count; h++) {
		const struct aie_hop *hop = &routes->hops[h];

		lanes_count(sheet, hop->row, hop->in, hop->in_channel, true);
		lanes_count(sheet, hop->row, hop->out, hop->out_channel, false);
	}
}

/* ---- how much room it takes -------------------------------------------------------------------------------------------- */

static int strip_width(const struct aie_sheet *sheet)
{
	return (int)(count_of(sheet->up) + count_of(sheet->down)) * LANE + 2 * PAD;
}

/* Memory tiles have no wires sideways. */
static uint32_t sideways(const struct aie_sheet *sheet, int32_t row)
{
	return row == 1 ? 0 : count_of(sheet->east) + count_of(sheet->west);
}

static int strip_height(const struct aie_sheet *sheet, int32_t row)
{
	return (int)(sideways(sheet, row) + count_of(sheet->pins_in[row]) + count_of(sheet->pins_out[row])) * LANE + 2 * PAD;
}

static void cards_measure(struct aie_sheet *sheet)
{
	const struct aie_picture *picture = sheet->picture;

	for (uint32_t c = 0; c < picture->arch->columns; c++)
		sheet->widths[c] = SLIM;
	for (uint32_t r = 0; r < picture->arch->rows; r++)
		sheet->cards[r] = AIE_SHEET_TITLE + 2;
	for (uint32_t t = 0; t < picture->tile_count; t++) {
		const struct aie_picture_tile *tile = &picture->tiles[t];
		const int names = (int)aie_sheet_names(tile) * AIE_SHEET_NAME, bars = (int)aie_sheet_bars(picture, tile) * AIE_SHEET_BAR;
		const int card = AIE_SHEET_TITLE + names + bars + 8;

		if (!names && !bars)
			continue;
		sheet->widths[tile->column] = AIE_SHEET_CARD;
		if (sheet->cards[tile->row] < card)
			sheet->cards[tile->row] = card;
	}
}

struct aie_sheet aie_sheet_of(const struct aie_picture *picture)
{
	struct aie_sheet sheet = {.picture = picture};
	int x = AIE_SHEET_MARGIN, y = AIE_SHEET_HEAD;

	routes_look(&sheet);
	cards_measure(&sheet);
	for (uint32_t c = 0; c < picture->arch->columns; c++) {
		sheet.columns[c] = x;
		x += sheet.widths[c] + strip_width(&sheet) + AIE_SHEET_GAP;
	}
	sheet.columns[picture->arch->columns] = x;
	for (uint32_t r = picture->arch->rows; r-- > 0;) {
		sheet.rows[r] = y;
		y += sheet.cards[r] + strip_height(&sheet, (int32_t)r) + AIE_SHEET_GAP;
	}
	sheet.rows[picture->arch->rows] = y;
	return sheet;
}

struct aie_point aie_sheet_corner(const struct aie_sheet *sheet, int32_t column, int32_t row)
{
	return (struct aie_point){sheet->columns[column], sheet->rows[row]};
}

struct aie_point aie_sheet_size(const struct aie_sheet *sheet, int32_t column, int32_t row)
{
	return (struct aie_point){sheet->widths[column] + strip_width(sheet), sheet->cards[row] + strip_height(sheet, row)};
}

/* ---- ways -------------------------------------------------------------------------------------------------------------- */

/* A port of a tile. Ways leave it along its lane: those of a pin and of wires that go up and down at their x first, those of wires that go sideways at their y. */
struct port {
	struct aie_point at;
	bool sideways;
	bool pin;
	int lane; /* of a pin: the y at which its way goes sideways */
};

static int lane_y(const struct aie_sheet *sheet, int32_t row, uint32_t lane)
{
	return sheet->rows[row] + sheet->cards[row] + PAD + (int)lane * LANE;
}

static struct port pin_of(const struct aie_sheet *sheet, const struct aie_hop *hop, uint32_t channel, bool into)
{
	const uint32_t in = sheet->pins_in[hop->row], pin = into ? before(in, channel) : count_of(in) + before(sheet->pins_out[hop->row], channel);
	const struct aie_point corner = aie_sheet_corner(sheet, hop->column, hop->row), size = aie_sheet_size(sheet, hop->column, hop->row);

	return (struct port){{corner.x + 12 + (int)pin * 11, hop->row ? corner.y + sheet->cards[hop->row] : corner.y + size.y},
			     false,
			     true,
			     lane_y(sheet, hop->row, sideways(sheet, hop->row) + pin)};
}

static struct port port_of(const struct aie_sheet *sheet, const struct aie_hop *hop, enum aie_bundle bundle, uint32_t channel, bool into)
{
	const struct aie_point corner = aie_sheet_corner(sheet, hop->column, hop->row), size = aie_sheet_size(sheet, hop->column, hop->row);
	const bool north = bundle == AIE_BUNDLE_NORTH, east = bundle == AIE_BUNDLE_EAST;
	const uint32_t vertical = north == into ? count_of(sheet->up) + before(sheet->down, channel) : before(sheet->up, channel),
		       horizontal = east == into ? count_of(sheet->east) + before(sheet->west, channel) : before(sheet->east, channel);

	if (is_pin(hop->row, bundle))
		return pin_of(sheet, hop, channel, into);
	if (north || bundle == AIE_BUNDLE_SOUTH)
		return (struct port){
			{corner.x + sheet->widths[hop->column] + PAD + (int)vertical * LANE, north ? corner.y : corner.y + size.y}, false, false, 0};
	return (struct port){{east ? corner.x + size.x : corner.x, lane_y(sheet, hop->row, horizontal)}, true, false, 0};
}

/* Between two lanes of one direction: across where the stretches of a tile meet. */
static uint32_t change(const struct aie_sheet *sheet, const struct aie_hop *hop, const struct port *in, const struct port *out, struct aie_point *points)
{
	const struct aie_point corner = aie_sheet_corner(sheet, hop->column, hop->row), size = aie_sheet_size(sheet, hop->column, hop->row);
	const int left = corner.x + sheet->widths[hop->column] + 2, right = corner.x + size.x - 2, top = corner.y + sheet->cards[hop->row] + 2,
		  low = corner.y + size.y - 2;

	if (in->sideways) {
		const bool eastward = in->at.x < out->at.x;

		points[0] = (struct aie_point){eastward ? left : right, in->at.y};
		points[1] = (struct aie_point){eastward ? right : left, out->at.y};
	} else {
		const bool down = in->at.y < out->at.y;

		points[0] = (struct aie_point){in->at.x, down ? top : low};
		points[1] = (struct aie_point){out->at.x, down ? low : top};
	}
	return 2;
}

uint32_t aie_sheet_way(const struct aie_sheet *sheet, const struct aie_hop *hop, struct aie_point points_out[AIE_SHEET_WAY])
{
	const struct port in = port_of(sheet, hop, hop->in, hop->in_channel, true), out = port_of(sheet, hop, hop->out, hop->out_channel, false);
	uint32_t count = 0;

	points_out[count++] = in.at;
	if (in.pin || out.pin) {
		const struct port *pin = in.pin ? &in : &out;
		const struct port *other = in.pin ? &out : &in;
		const int lane = other->sideways ? other->at.y : pin->lane;

		points_out[count++] = (struct aie_point){in.sideways ? out.at.x : in.at.x, lane};
		if (!other->sideways)
			points_out[count++] = (struct aie_point){out.at.x, lane};
	} else if (in.sideways != out.sideways) {
		points_out[count++] = in.sideways ? (struct aie_point){out.at.x, in.at.y} : (struct aie_point){in.at.x, out.at.y};
	} else if (in.sideways ? in.at.y != out.at.y : in.at.x != out.at.x) {
		count += change(sheet, hop, &in, &out, points_out + count);
	}
	points_out[count++] = out.at;
	return count;
}
