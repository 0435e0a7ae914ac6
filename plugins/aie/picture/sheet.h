/* SPDX-License-Identifier: MIT */
/* sheet.h - where things lie on the drawing of an array, in pixels. A tile is a card with its texts, a stretch to the right of it for wires that go up and down, and one
 * below it for wires that go sideways: no way of a stream crosses a text. Rows and columns take as much room as what lies in them. Any thread. */
#ifndef AIE_SHEET_H
#define AIE_SHEET_H

#include "aie/picture/picture.h"
#include "registry/common/common_text.h"

enum {
	AIE_SHEET_MARGIN = 24,
	AIE_SHEET_HEAD = 44,  /* above the tiles: the title */
	AIE_SHEET_GAP = 14,   /* between tiles */
	AIE_SHEET_CARD = 172, /* "524288 / 524288" behind a bar, of a memory tile that is full, ends on it */
	AIE_SHEET_TITLE = 20, /* of a card: its first line */
	AIE_SHEET_NAMES = 4,  /* lines of nodes on a card, */
	AIE_SHEET_NAME = 13,  /*   as high as that */
	AIE_SHEET_BARS = 6,   /* of use and limit, at most; */
	AIE_SHEET_BAR = 12,   /*   as high as that */
	AIE_SHEET_WAY = 8     /* most points of a way through a tile */
};
struct aie_point {
	int x, y;
};
struct aie_sheet {
	const struct aie_picture *picture;
	int columns[AIE_COLUMNS_MAX + 1];               /* left edges of tiles, and where the next one would begin */
	int rows[AIE_ROWS + 1];                         /* upper edges, row 0 lowest; the last: below row 0 */
	int cards[AIE_ROWS];                            /* heights of the cards of a row */
	int widths[AIE_COLUMNS_MAX];                    /* widths of the cards of a column */
	uint32_t up, down, east, west;                  /* channels that some tile uses, a bit each: they have lanes in all tiles, the others none */
	uint32_t pins_in[AIE_ROWS], pins_out[AIE_ROWS]; /* the same of a row's ports of DMA and host, into a switch and out of it */
};
/* Rows of picture.arch are AIE_ROWS or fewer, its columns AIE_COLUMNS_MAX or fewer. */
struct aie_sheet aie_sheet_of(const struct aie_picture *picture);
/* The upper left corner of a tile, and its width and height. */
struct aie_point aie_sheet_corner(const struct aie_sheet *sheet, int32_t column, int32_t row);
struct aie_point aie_sheet_size(const struct aie_sheet *sheet, int32_t column, int32_t row);
/* The way of a hop through its tile, from the port where it comes in to the one where it leaves: both lie where the neighbour has them. Returns how many points. */
uint32_t aie_sheet_way(const struct aie_sheet *sheet, const struct aie_hop *hop, struct aie_point points_out[AIE_SHEET_WAY]);
/* Lines of nodes that a card shows, and bars: those of limits that are used, and one of how busy its core is where that is known. */
uint32_t aie_sheet_names(const struct aie_picture_tile *tile);
uint32_t aie_sheet_bars(const struct aie_picture *picture, const struct aie_picture_tile *tile);

/* A name that somebody chose as text of XML. Bytes that are no UTF-8 and characters that XML does not know become '?'. */
void aie_xml_add(struct common_text *text, const char *name);
/* At most so many bytes of the name, with "..." behind a cut between characters. */
void aie_xml_add_short(struct common_text *text, const char *name, size_t bytes);

#endif
