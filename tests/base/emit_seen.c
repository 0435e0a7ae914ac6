/* SPDX-License-Identifier: MIT */
#include "tests/base/emit_seen.h"

#include <stdlib.h>
#include <string.h>

struct seen *seen_add(struct seen_list *list)
{
	if (list->count == list->room) {
		list->room = list->room ? list->room * 2 : 256;
		list->rows = realloc(list->rows, list->room * sizeof(*list->rows));
	}
	memset(&list->rows[list->count], 0, sizeof(*list->rows));
	return &list->rows[list->count++];
}

const char *seen_difference(const struct seen *core, const struct seen *emitted, bool varies)
{
	if (core->kernel != emitted->kernel)
		return "kernel";
	if (core->stream != emitted->stream)
		return "stream";
	if (core->arg_count != emitted->arg_count || memcmp(core->args, emitted->args, sizeof(core->args)) != 0)
		return "arguments";
	if (core->window_count != emitted->window_count)
		return "tensors";
	for (uint32_t i = 0; i < core->window_count && i < SEEN_WINDOWS; i++) {
		const struct tree_window *c = &core->windows[i], *e = &emitted->windows[i];
		const bool version = c->start == UINT64_MAX; /* packed, and somewhere else */

		if (c->tensor != e->tensor || c->access != e->access || c->dtype != e->dtype)
			return "tensor";
		if ((!version && c->start != e->start) || c->rows != e->rows)
			return "start of a region";
		if (c->columns != e->columns && !(varies && c->rows == 1 && e->columns >= c->columns))
			return "columns of a region";
		if (!version && c->rows > 1 && c->row_stride != e->row_stride)
			return "stride of a region";
	}
	return NULL;
}
