/* SPDX-License-Identifier: MIT */
/* parse_layout.c - layout(S(0), R) mem(row_major) */
#include "lang/parse.h"
#include "lang/tensor.h"

#include <string.h>

/* "R", "S(0)" */
static int dim_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	struct lang_layout_dim *dim = &layout->dims[layout->rank];
	uint32_t axis;

	dim->at = lang_peek(parser)->at;
	if (lang_word_take(parser, "R")) {
		layout->rank++;
		return 1;
	}
	if (!lang_word_take(parser, "S"))
		return lang_expected(parser, "R (replicated) or S(axis) (sharded over an axis of the grid)");
	if (!lang_expect(parser, '(', "and the axis of the grid behind S"))
		return 0;
	if (!lang_uint_read(lang_peek(parser)->text, &axis) || axis > UINT16_MAX)
		return lang_expected(parser, "the number of an axis of the grid");
	lang_take(parser);
	dim->sharded = 1;
	dim->mesh_axis = (uint16_t)axis;
	layout->rank++;
	return lang_expect(parser, ')', "behind the axis");
}

static int dims_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	layout->stated = 1;
	layout->at = lang_take(parser)->at;
	if (!lang_expect(parser, '(', "and the distribution behind layout"))
		return 0;
	while (layout->rank < LANG_MAX_RANK) {
		if (!dim_parse(parser, layout))
			return 0;
		if (!lang_at_mark(parser, ','))
			return lang_expect(parser, ')', "behind the distribution");
		lang_take(parser);
	}
	lang_error(parser->unit, lang_peek(parser)->at, "a layout has at most %u dimensions", LANG_MAX_RANK);
	return 0;
}

static int memory_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	const struct lang_token *word;

	lang_take(parser);
	if (!lang_expect(parser, '(', "and the order behind mem"))
		return 0;
	word = lang_name_take(parser, LANG_WORD, "the order of the elements: row_major");
	if (!word)
		return 0;
	layout->memory = word->text;
	layout->memory_at = word->at;
	return lang_expect(parser, ')', "behind the order");
}

int lang_layout_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	if (lang_at_word(parser, "layout") && !dims_parse(parser, layout))
		return 0;
	return !lang_at_word(parser, "mem") || memory_parse(parser, layout);
}
