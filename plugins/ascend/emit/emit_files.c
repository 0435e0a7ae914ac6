/* SPDX-License-Identifier: MIT */
/* emit_files.c - files of the tree: templates filled, and what is the same for all packages. */
#include "ascend/emit/ascend_emit_state.h"

#include "isa/emit/emit.h"
#include <stdio.h>
#include <string.h>

extern const struct isa_text ascend_templates[]; /* tools/ninja/embed; the last one's path is NULL */
extern const struct isa_text ascend_tree[];

static void file_give(struct ascend_emitter *e, const char *path, const struct common_text *text)
{
	if (!e->status && text->failed)
		e->status = rt_no_memory(e->error, path);
	if (!e->status)
		e->status = e->sink->file(e->sink->context, path, common_text_view(text), text->length);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void lines_join(struct common_text *text, const char *const *lines)
{
	for (; *lines; lines++)
		common_text_add(text, "%s", *lines);
	common_text_add(text, "%s", "");
}

/* Every template becomes the file of its name without .in. */
void ascend_emit_templates(struct ascend_emitter *e, const struct ascend_scope *scope)
{
	for (const struct isa_text *t = ascend_templates; t->path && !e->status; t++) {
		struct common_text template = {0}, out = {0};
		char path[64];

		lines_join(&template, t->lines);
		snprintf(path, sizeof(path), "%.*s", (int)(strlen(base_of(t->path)) - 3), base_of(t->path));
		if (template.failed)
			e->status = rt_no_memory(e->error, path);
		else
			e->status = ascend_template_fill(template.bytes, base_of(t->path), scope, &out, e->error);
		file_give(e, path, &out);
		common_text_finish(&template);
		common_text_finish(&out);
	}
}

/* Files of the tree lie side by side, others at the path by which they are included. */
static const char *place_of(const char *path)
{
	return strstr(path, "/tree/") ? base_of(path) : path;
}

/* Files that all packages share: the builder, platforms, headers of kernels. */
void ascend_emit_tree(struct ascend_emitter *e)
{
	for (const struct isa_text *t = ascend_tree; t->path && !e->status; t++) {
		struct common_text text = {0};

		lines_join(&text, t->lines);
		file_give(e, place_of(t->path), &text);
		common_text_finish(&text);
	}
	for (const struct isa_text *t = isa_emit_headers; t->path && !e->status; t++) {
		struct common_text text = {0};

		lines_join(&text, t->lines);
		file_give(e, t->path, &text);
		common_text_finish(&text);
	}
}
