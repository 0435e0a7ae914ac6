/* SPDX-License-Identifier: MIT */
#include "lang/views.h"

#include "lang/lang_rows.h"

static const char *view_text(int viewed)
{
	return viewed ? "bytes with \"as\"" : "elements as they are";
}

void lang_view_note(struct lang_lower *lower, const struct lang_viewing *viewing)
{
	struct lang_arena *arena = &lower->unit->arena;
	struct lang_view **views, *first;

	if (!lower->views)
		lower->views = lang_alloc(arena, (lang_rows_of(lower, PTOWSP_SECTION_KREG)->count + 1) * sizeof(*lower->views));
	views = &lower->views[viewing->kernel];
	if (!*views)
		*views = lang_alloc(arena, (viewing->count + 1) * sizeof(**views));
	first = &(*views)[viewing->tensor];
	if (first->scope != LANG_VIEW_PROCESSES && first->scope != lower->view_scope) {
		*first = (struct lang_view){lower->view_scope, viewing->viewed, viewing->at};
	} else if (viewing->flat && viewing->viewed != first->viewed) {
		lang_error(lower->unit, viewing->at, "%%%s of @%s is passed %s here, and %s at %s: all tasks of a kernel see flat memory alike", viewing->param,
			   viewing->name, view_text(viewing->viewed), view_text(first->viewed), lang_place(lower->unit, first->at));
		lang_help(lower->unit, "declare a kernel of the same code for one of them: kernel @%s_bytes(...) { portable @%s }", viewing->name, viewing->name);
	}
}
