/* SPDX-License-Identifier: MIT */
/* layout.c - what two layouts are together, and layouts as text. */
#include "lang/layout.h"

#include <stdio.h>

static int shards(const struct lang_layout *layout, uint32_t dim)
{
	return layout->dims[dim].sharded;
}

/* b shards another dimension over the axis that a shards this one over. */
static int elsewhere(const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	for (uint32_t i = 0; i < b->rank && shards(a, dim); i++)
		if (i != dim && shards(b, i) && b->dims[i].mesh_axis == a->dims[dim].mesh_axis)
			return 1;
	return 0;
}

static int differ(const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	return shards(a, dim) && shards(b, dim) && a->dims[dim].mesh_axis != b->dims[dim].mesh_axis;
}

enum lang_join lang_layout_join(const struct lang_layout *a, const struct lang_layout *b, struct lang_layout *joined_out, uint32_t *dim_out)
{
	struct lang_layout joined = a->stated ? *a : *b;

	*dim_out = 0;
	if (a->stated && b->stated && a->rank != b->rank)
		return LANG_JOIN_RANK;
	for (; a->stated && b->stated && *dim_out < a->rank; ++*dim_out) {
		if (differ(a, b, *dim_out))
			return LANG_JOIN_AXES;
		if (elsewhere(a, b, *dim_out))
			return LANG_JOIN_TWICE;
		if (shards(b, *dim_out))
			joined.dims[*dim_out] = b->dims[*dim_out];
	}
	if (joined_out)
		*joined_out = joined;
	return LANG_JOIN_OK;
}

struct lang_layout lang_layout_bridge(const struct lang_layout *a, const struct lang_layout *b)
{
	struct lang_layout bridge = *a;

	for (uint32_t i = 0; i < bridge.rank; i++)
		if (differ(a, b, i) || elsewhere(a, b, i))
			bridge.dims[i] = (struct lang_layout_dim){.at = a->dims[i].at};
	return bridge;
}

void lang_layout_print(const struct lang_layout *layout, char *text)
{
	size_t used = (size_t)snprintf(text, LANG_LAYOUT_TEXT, "layout(");

	for (uint32_t i = 0; i < layout->rank; i++) {
		const char *comma = i ? ", " : "";

		used += (size_t)(shards(layout, i) ? snprintf(text + used, LANG_LAYOUT_TEXT - used, "%sS(%u)", comma, layout->dims[i].mesh_axis)
						   : snprintf(text + used, LANG_LAYOUT_TEXT - used, "%sR", comma));
	}
	snprintf(text + used, LANG_LAYOUT_TEXT - used, ")");
}
