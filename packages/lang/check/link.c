/* SPDX-License-Identifier: MIT */
#include "lang/check/lang_check.h"
#include "lang/decl.h"
#include "lang/graph/lang_graph.h"
#include "ptowsp/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct linker {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_function *path[LANG_MAX_NESTING]; /* callers of the function being walked, outermost first */
	uint32_t depth, order_count;
};

static void guess_functions(struct linker *linker, const char *word)
{
	struct lang_guess guess;

	lang_guess_start(&guess, word);
	for (struct lang_function *f = linker->module->first; f; f = f->next)
		lang_guess_try(&guess, f->name);
	lang_guess_help(linker->unit, &guess, "@");
}

/* "@a -> @b -> @a" */
static void cycle_refuse(struct linker *linker, const struct lang_stmt *stmt)
{
	char text[512];
	size_t used = 0;
	uint32_t from = linker->depth;

	while (from > 0 && linker->path[from - 1] != stmt->target)
		from--;
	for (uint32_t i = from ? from - 1 : 0; i < linker->depth && used < sizeof(text) - 80; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "@%.60s -> ", linker->path[i]->name);
	snprintf(text + used, sizeof(text) - used, "@%.60s", stmt->target->name);
	lang_error(linker->unit, stmt->callee_at, "recursion: %s", text);
	lang_help(linker->unit, "calls are expanded when a program is packed, so they must end; use a loop");
}

static void callee_refuse(struct linker *linker, const struct lang_stmt *stmt)
{
	const struct lang_decl *decl = lang_decl_find(linker->module, '@', stmt->callee);

	if (decl && decl->kind != LANG_DECL_FUNC) {
		lang_error(linker->unit, stmt->callee_at, "@%s is %s, and CALL calls functions", stmt->callee, lang_decl_noun(linker->unit, decl->kind));
		lang_help(linker->unit, "a workload calls kernels, functions and other workloads: call @%s(...)", stmt->callee);
		return;
	}
	lang_error(linker->unit, stmt->callee_at, "there is no function @%s", stmt->callee);
	guess_functions(linker, stmt->callee);
}

static void function_walk(struct linker *linker, struct lang_function *function);

static void block_walk(struct linker *linker, struct lang_block *block)
{
	for (struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next) {
		block_walk(linker, &stmt->body);
		block_walk(linker, &stmt->other);
		if (stmt->op != PTOWSP_PTO_CALL)
			continue;
		stmt->target = lang_map_find(&linker->module->functions, stmt->callee);
		if (!stmt->target) {
			callee_refuse(linker, stmt);
		} else if (stmt->target->state == 1) {
			cycle_refuse(linker, stmt);
			stmt->target = NULL;
		} else if (stmt->target->state == 0 && linker->depth == LANG_MAX_NESTING) {
			lang_error(linker->unit, stmt->callee_at, "calls are nested deeper than %u", LANG_MAX_NESTING);
		} else if (stmt->target->state == 0) {
			function_walk(linker, stmt->target);
		}
	}
}

static void function_walk(struct linker *linker, struct lang_function *function)
{
	function->state = 1;
	linker->path[linker->depth++] = function;
	block_walk(linker, &function->body);
	linker->depth--;
	function->state = 2;
	linker->module->order[linker->order_count++] = function;
}

/* The default entry: the one that the source says, else the only orchestration, else the only function. */
static struct lang_function *entry_guess(struct lang_module *module)
{
	struct lang_function *only = NULL, *kernel = NULL;
	uint32_t orchestrations = 0, kernels = 0;

	for (struct lang_function *f = module->first; f; f = f->next)
		if (f->kind == LANG_ORCHESTRATION) {
			orchestrations++;
			only = f;
		} else if (!f->inlined) {
			kernels++;
			kernel = f;
		}
	if (orchestrations == 1)
		return only;
	return kernels == 1 && !orchestrations ? kernel : NULL;
}

/* The program of another device than the first one: nothing begins with that. */
static bool is_mate(const struct lang_decl *decl)
{
	return decl->kind == LANG_DECL_GRAPH && ((const struct lang_graph_program *)decl)->device;
}

/* A declared entry goes before functions: the only one, or @main of several. 1: some are declared, and functions are what they call. */
static bool decl_guess(struct lang_module *module, struct lang_decl **decl_out)
{
	struct lang_decl *only = NULL;
	uint32_t count = 0, mates = 0;

	for (struct lang_decl *decl = module->decls; decl; decl = decl->next) {
		if (lang_decl_forms[decl->kind].section != PTOWSP_SECTION_ENTR)
			continue;
		if (is_mate(decl)) {
			mates++;
			continue;
		}
		count++;
		if (!only || !strcmp(decl->name, "main"))
			only = decl;
	}
	*decl_out = count == 1 || (only && !strcmp(only->name, "main")) ? only : NULL;
	return count + mates > 0;
}

static void known_help(struct linker *linker, const char *word)
{
	struct lang_module *module = linker->module;
	uint32_t count = 0, most = module->function_count + 1;
	const char **names;

	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		most++;
	names = common_alloc(&linker->unit->arena, most * sizeof(*names));
	for (struct lang_function *f = module->first; f; f = f->next)
		names[count++] = f->name;
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].section == PTOWSP_SECTION_ENTR)
			names[count++] = decl->name;
	lang_known_help(linker->unit, word, "@", names, count);
}

static void entry_find(struct linker *linker, const char *chosen)
{
	struct lang_module *module = linker->module;
	const char *name = chosen ? chosen : module->entry.text;
	struct lang_span at = {0};

	if (!name) {
		module->default_entry = decl_guess(module, &module->default_decl) ? NULL : entry_guess(module);
		return;
	}
	module->default_entry = lang_map_find(&module->functions, name);
	module->default_decl = module->default_entry ? NULL : lang_decl_find(module, '@', name);
	if (module->default_decl && lang_decl_forms[module->default_decl->kind].section != PTOWSP_SECTION_ENTR)
		module->default_decl = NULL;
	if (module->default_entry && module->default_entry->inlined)
		lang_inlined_refuse(linker->unit, chosen ? at : module->entry.at, module->default_entry);
	if (module->default_entry || module->default_decl)
		return;
	linker->unit->misuses += chosen != NULL;
	lang_error(linker->unit, chosen ? at : module->entry.at, "the entry @%s is no function of this package", name);
	known_help(linker, name);
}

void lang_link(struct lang_module *module, const char *chosen)
{
	struct linker linker = {.unit = module->unit, .module = module};

	module->order = common_alloc(&module->unit->arena, (module->function_count + 1) * sizeof(*module->order));
	for (struct lang_function *f = module->first; f; f = f->next)
		if (!f->state)
			function_walk(&linker, f);
	entry_find(&linker, chosen);
}
