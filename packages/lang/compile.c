/* SPDX-License-Identifier: MIT */
#include "lang/lang.h"

#include "format/fail.h"
#include "lang/check/lang_check.h"
#include "lang/check/range.h"
#include "lang/diag.h"
#include "lang/lang_move.h"
#include "lang/lang_process.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "lang/tensor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_BYTES ((size_t)16 << 20)
#define ARENA_BYTES  ((size_t)896 << 20)

struct compilation {
	struct lang_unit unit;
	struct lang_module module;
	const struct lang_options *options;
	struct pkg_writer *writer;
};

static void sizes_check(struct lang_unit *unit)
{
	for (uint32_t i = 0; i < unit->source_count; i++)
		if (unit->sources[i].size > SOURCE_BYTES)
			lang_error(unit, (struct lang_span){.file = i}, "the source is larger than 16 MiB");
}

static const char *name_of(struct compilation *c)
{
	const char *path = c->unit.sources[0].name, *base = strrchr(path, '/'), *dot;

	if (c->options->name)
		return lang_clean(&c->unit.arena, c->options->name, strlen(c->options->name));
	if (c->module.module_name)
		return c->module.module_name;
	if (c->module.name)
		return c->module.name;
	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	return lang_clean(&c->unit.arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool has_errors(const struct compilation *c)
{
	return c->unit.list->head.errors > 0;
}

/* Checking goes on behind errors of parsing, so that all of them are told at once; lowering needs a sound module. */
static void stages_run(struct compilation *c)
{
	sizes_check(&c->unit);
	if (has_errors(c))
		return;
	lang_parse(&c->module);
	if (!has_errors(c) && !c->module.first && !c->module.decls) {
		lang_error(&c->unit, c->module.end, "there is no function here");
		lang_help(&c->unit, "a function begins with: func @name(%%x: !pto.memref<gm,...,f32>) {");
	}
	lang_pipeline_complete(&c->module);
	lang_reductions_prepare(&c->module);
	lang_link(&c->module, c->options->entry);
	lang_parts_note(&c->module);
	lang_check(&c->module);
	lang_extents_note(&c->module);
	lang_decls_check(&c->module);
	lang_tensors_finish(&c->module);
	if (!has_errors(c))
		lang_lower(&c->module, c->writer, name_of(c), c->options);
}

static ptowsp_status no_memory(const struct lang_source *sources, struct ptowsp_error *error)
{
	return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to compile %.120s", sources[0].name);
}

/* More than one compilation may take is no lack of memory: more memory would not help. */
static ptowsp_status too_big(const struct compilation *c, struct ptowsp_error *error)
{
	return pkg_fail(error, PTOWSP_TOO_BIG, "%.120s takes more than %zu MiB to compile, which is the limit; pack it as several packages",
			c->unit.sources[0].name, c->unit.arena.limit >> 20);
}

static ptowsp_status verdict(const struct compilation *c, int left, struct ptowsp_error *error)
{
	const struct lang_diagnostics *list = &c->unit.list->head;
	ptowsp_status status = !has_errors(c) ? PTOWSP_OK : c->unit.misuses == list->errors ? PTOWSP_INVALID : PTOWSP_BAD_PACKAGE;

	if (!status && left)
		return c->unit.arena.full ? too_big(c, error) : no_memory(c->unit.sources, error);
	if (!status)
		return status;
	return pkg_fail(error, status, "%.120s: %u error%s", c->unit.source_count == 1 ? c->unit.sources[0].name : "these sources", list->errors,
			list->errors == 1 ? "" : "s");
}

ptowsp_status lang_compile(struct pkg_writer *writer, const struct lang_source *sources, uint32_t source_count, const struct lang_options *options,
			   struct lang_diagnostics **diagnostics_out, struct ptowsp_error *error)
{
	static const struct lang_options none;
	struct compilation *c = calloc(1, sizeof(*c));
	ptowsp_status status;
	volatile int left = 0; /* set behind setjmp */

	*diagnostics_out = NULL;
	if (!c)
		return no_memory(sources, error);
	c->options = options ? options : &none;
	c->writer = writer;
	c->unit.sources = sources;
	c->unit.source_count = c->unit.own_count = source_count;
	c->unit.list = lang_list_create(&c->unit.out);
	if (!c->unit.list) {
		free(c);
		return no_memory(sources, error);
	}
	common_arena_init(&c->unit.arena, c->options->memory ? c->options->memory : ARENA_BYTES, &c->unit.out);
	c->module.unit = &c->unit;
	c->module.last = &c->module.first;
	c->module.options = c->options;
	c->module.last_decl = &c->module.decls;
	c->module.entry_chosen = c->options->entry != NULL;
	if (setjmp(c->unit.out) == 0)
		stages_run(c);
	else
		left = 1;
	lang_list_sort(c->unit.list);
	status = verdict(c, left, error);
	*diagnostics_out = &c->unit.list->head;
	ptowsp_build_destroy(c->module.build);
	common_arena_finish(&c->unit.arena);
	free(c);
	return status;
}
