/* SPDX-License-Identifier: MIT */
/* parse_layout.c - layout(S(0), R) mem(row_major) */
#include "lang/parse/parse.h"
#include "lang/tensor.h"
#include "ptowsp/package.h"

#include <stdbool.h>
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
		if (!lang_at_more(parser))
			return lang_expect(parser, ')', "behind the distribution");
		lang_take(parser);
	}
	lang_error(parser->unit, lang_peek(parser)->at, "a layout has at most %u dimensions", LANG_MAX_RANK);
	return 0;
}

/* "(16, 16)" behind blocked, nz or strides. */
static int numbers_parse(struct lang_parser *parser, struct lang_memory *memory, const char *what)
{
	if (!lang_expect(parser, '(', what))
		return 0;
	for (;;) {
		uint32_t number;

		if (memory->count == LANG_MAX_RANK) {
			lang_error(parser->unit, lang_peek(parser)->at, "at most %u numbers stand here", LANG_MAX_RANK);
			return 0;
		}
		if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, &number) || !number)
			return lang_expected(parser, "a number above 0");
		memory->numbers[memory->count++] = number;
		lang_take(parser);
		if (!lang_at_more(parser))
			return lang_expect(parser, ')', "behind the numbers");
		lang_take(parser);
	}
}

/* "mem(row_major)", "mem(blocked(16, 16) swizzle 3)" */
static int memory_parse(struct lang_parser *parser, struct lang_memory *memory)
{
	static const char *const numbers[] = {[PTOWSP_MEMORY_BLOCKED] = "and rows and columns of a block",
					      [PTOWSP_MEMORY_NZ] = "and rows and columns of a block",
					      [PTOWSP_MEMORY_STRIDED] = "and the stride of each dimension in elements"};
	uint32_t order;

	lang_take(parser);
	if (!lang_expect(parser, '(', "and the order behind mem"))
		return 0;
	memory->at = lang_peek(parser)->at;
	memory->stated = 1;
	if (!lang_words_take(parser, PKG_WORDS_memory_order, &order))
		return lang_expected(parser, "the order of the elements: row_major, col_major, blocked(r, c), nz(r, c) or strides(...)");
	memory->order = (uint16_t)order;
	if (numbers[order] && !numbers_parse(parser, memory, numbers[order]))
		return 0;
	if (lang_word_take(parser, "swizzle")) {
		if (!lang_uint_read(lang_peek(parser)->text ? lang_peek(parser)->text : "", &memory->swizzle) || !memory->swizzle || memory->swizzle > 7)
			return lang_expected(parser, "how many bits of the row, 1 to 7");
		lang_take(parser);
	}
	return lang_expect(parser, ')', "behind the order");
}

/* A second statement would be lost, or mix with what stands before. */
static int once(struct lang_parser *parser, const char *word, int stated)
{
	if (lang_at_word(parser, word) && stated)
		lang_error(parser->unit, lang_peek(parser)->at, "%s(...) stands here already", word);
	return !lang_at_word(parser, word) || !stated;
}

bool lang_layout_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	if (!once(parser, "layout", layout->stated))
		return false;
	if (lang_at_word(parser, "layout") && !dims_parse(parser, layout))
		return false;
	if (!once(parser, "mem", layout->memory.stated))
		return false;
	return !lang_at_word(parser, "mem") || memory_parse(parser, &layout->memory);
}
