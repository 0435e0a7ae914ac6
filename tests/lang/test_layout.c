/* SPDX-License-Identifier: MIT
 * test_layout.c - what two layouts are together. */
#include "lang/lang_layout.h"
#include "tests/check.h"

#include <stdbool.h>
#include <string.h>

/* "RR1" is R, R, S(1): one character per dimension, a digit is the axis. "" is a layout that is not stated. */
static struct lang_layout layout_of(const char *text)
{
	struct lang_layout layout = {.stated = *text != '\0', .rank = (uint8_t)strlen(text)};

	for (uint32_t i = 0; i < layout.rank; i++)
		if (text[i] != 'R')
			layout.dims[i] = (struct lang_layout_dim){.sharded = 1, .mesh_axis = (uint16_t)(text[i] - '0')};
	return layout;
}

static const char *text_of(const struct lang_layout *layout)
{
	char text[LANG_LAYOUT_TEXT];

	lang_layout_print(layout, text);
	return check_fmt("%s", text);
}

/* What the join is: a layout as text, or why there is none and where. */
static const char *join_of(const struct lang_layout *a, const struct lang_layout *b)
{
	static const char *const why[] = {[LANG_JOIN_AXES] = "axes", [LANG_JOIN_TWICE] = "twice", [LANG_JOIN_RANK] = "rank"};
	struct lang_layout joined = layout_of("77");
	uint32_t dim = 99;
	enum lang_join join = lang_layout_join(a, b, &joined, &dim);

	if (join == LANG_JOIN_OK)
		return text_of(&joined);
	CHECK_STR(text_of(&joined), "layout(S(7), S(7))"); /* left as it was */
	return check_fmt("%s at %u", why[join], dim);
}

static const char *join(const char *a, const char *b)
{
	struct lang_layout left = layout_of(a), right = layout_of(b);

	return join_of(&left, &right);
}

TEST(all_nine_pairs_of_one_dimension_follow_the_rules)
{
	static const char *const rows[][3] = {
		{"R", "R", "layout(R)"}, {"R", "0", "layout(S(0))"}, {"R", "1", "layout(S(1))"}, {"0", "R", "layout(S(0))"}, {"0", "0", "layout(S(0))"},
		{"0", "1", "axes at 0"}, {"1", "R", "layout(S(1))"}, {"1", "0", "axes at 0"},    {"1", "1", "layout(S(1))"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_STR(join(rows[i][0], rows[i][1]), rows[i][2]);
}

TEST(dimensions_join_each_for_itself)
{
	CHECK_STR(join("R1", "0R"), "layout(S(0), S(1))");
	CHECK_STR(join("0R2", "01R"), "layout(S(0), S(1), S(2))");
	CHECK_STR(join("RR2R", "R1R3"), "layout(R, S(1), S(2), S(3))");
	CHECK_STR(join("01", "02"), "axes at 1");
	CHECK_STR(join("R01", "R02"), "axes at 2");
	CHECK_STR(join("R012", "R013"), "axes at 3");
}

TEST(one_axis_shards_no_two_dimensions_of_what_is_joined)
{
	CHECK_STR(join("0R", "R0"), "twice at 0");
	CHECK_STR(join("R0", "0R"), "twice at 1");
	CHECK_STR(join("R1RR", "RRR1"), "twice at 1");
}

TEST(other_ranks_do_not_join_and_what_is_not_stated_joins_with_all)
{
	for (size_t a = 1; a <= LANG_MAX_RANK; a++)
		for (size_t b = 0; b <= LANG_MAX_RANK; b++) {
			struct lang_layout left = layout_of(&"RRRR"[LANG_MAX_RANK - a]), right = layout_of(&"RRRR"[LANG_MAX_RANK - b]);
			const char *want = b && a != b ? "rank at 0" : text_of(&left);

			CHECK_STR(join_of(&left, &right), want);
			CHECK_STR(join_of(&right, &left), want);
		}
	CHECK_STR(join("", "R3"), "layout(R, S(3))");
	CHECK_STR(join("", ""), "layout()");
}

static const char letters[] = "R012";

/* The number `code` in base 4 as a layout of that rank; 0 if it shards two dimensions over one axis. */
static bool layout_make(uint32_t code, uint32_t rank, struct lang_layout *layout_out)
{
	char text[LANG_MAX_RANK + 1] = "";
	unsigned seen = 0;

	for (uint32_t i = 0; i < rank; i++, code /= 4) {
		text[i] = letters[code % 4];
		if (code % 4 && seen & 1u << code % 4)
			return false;
		seen |= 1u << code % 4;
	}
	*layout_out = layout_of(text);
	return true;
}

/* Symmetric; and from a there is a way to b over a bridge that joins with both, where a join with b is refused. */
static void pair_check(const struct lang_layout *a, const struct lang_layout *b)
{
	struct lang_layout ab, ba, bridge = lang_layout_bridge(a, b);
	uint32_t dim;
	enum lang_join forth = lang_layout_join(a, b, &ab, &dim);

	CHECK_INT((lang_layout_join(b, a, &ba, &dim) == LANG_JOIN_OK), (forth == LANG_JOIN_OK));
	if (forth == LANG_JOIN_OK) {
		CHECK_STR(text_of(&ab), text_of(&ba));
		CHECK_STR(text_of(&bridge), text_of(a));
		CHECK_INT(lang_layout_join(&ab, a, NULL, &dim), LANG_JOIN_OK);
	}
	CHECK_INT(lang_layout_join(a, &bridge, NULL, &dim), LANG_JOIN_OK);
	CHECK_INT(lang_layout_join(&bridge, b, NULL, &dim), LANG_JOIN_OK);
}

TEST(every_pair_is_symmetric_and_has_a_bridge)
{
	for (uint32_t rank = 1, codes = 4; rank <= 3; rank++, codes *= 4)
		for (uint32_t i = 0; i < codes * codes; i++) {
			struct lang_layout a, b;

			if (layout_make(i / codes, rank, &a) && layout_make(i % codes, rank, &b))
				pair_check(&a, &b);
		}
}

TEST(a_bridge_keeps_what_both_agree_on)
{
	struct lang_layout a = layout_of("02R"), b = layout_of("12R"), bridge = lang_layout_bridge(&a, &b);

	CHECK_STR(text_of(&bridge), "layout(R, S(2), R)");
}

TEST(the_longest_layout_fits_its_text)
{
	struct lang_layout layout = layout_of("0123");

	for (uint32_t i = 0; i < LANG_MAX_RANK; i++)
		layout.dims[i].mesh_axis = UINT16_MAX;
	CHECK_STR(text_of(&layout), "layout(S(65535), S(65535), S(65535), S(65535))");
}
