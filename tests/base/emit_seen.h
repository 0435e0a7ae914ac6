/* SPDX-License-Identifier: MIT */
/* emit_seen.h - a task as the core or an emitted tree has it. */
#ifndef TESTS_EMIT_SEEN_H
#define TESTS_EMIT_SEEN_H

#include "tests/emit/tree_glue.h"
#include <stdbool.h>

enum { SEEN_WINDOWS = 64, SEEN_ARGS = 64 };

struct seen {
	uint32_t kernel, stream, owner, arg_count, window_count;
	uint64_t args[SEEN_ARGS];
	struct tree_window windows[SEEN_WINDOWS];
};
struct seen_list {
	struct seen *rows;
	uint64_t count, room;
};
/* A zeroed row more. */
struct seen *seen_add(struct seen_list *list);
/* What differs in a task, NULL: nothing. varies: a window may be larger than what the kernel is known to touch with its arguments. */
const char *seen_difference(const struct seen *core, const struct seen *emitted, bool varies);

#endif
