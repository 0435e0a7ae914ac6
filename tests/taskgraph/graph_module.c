/* SPDX-License-Identifier: MIT */
#include "tests/taskgraph/graph_module.h"

#include "lang/check/lang_check.h"
#include "lang/parse/parse.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

static struct lang_unit unit;
static struct lang_module module;
static struct lang_source source;
static char messages[16384], order[4096];

void graph_module_finish(void)
{
	if (!unit.list)
		return;
	lang_diagnostics_destroy(&unit.list->head);
	common_arena_finish(&unit.arena);
	memset(&unit, 0, sizeof(unit));
}

static struct lang_graph_program *program_find(void)
{
	for (struct lang_decl *decl = module.decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_GRAPH)
			return (struct lang_graph_program *)(void *)decl;
	return NULL;
}

struct lang_graph_program *graph_module(const char *text)
{
	graph_module_finish();
	memset(&module, 0, sizeof(module));
	source = (struct lang_source){"test.pto", text, strlen(text)};
	unit.sources = &source;
	unit.source_count = 1;
	unit.list = lang_list_create(&unit.out);
	common_arena_init(&unit.arena, 1 << 28, &unit.out);
	unit.own_count = unit.source_count;
	module.unit = &unit;
	module.last = &module.first;
	module.last_decl = &module.decls;
	messages[0] = '\0';
	if (setjmp(unit.out)) {
		snprintf(messages, sizeof(messages), "the compilation ended\n");
		return NULL;
	} else {
		lang_parse(&module);
		lang_link(&module, NULL);
		lang_check(&module);
		lang_decls_check(&module);
	}
	for (uint32_t i = 0; i < unit.list->head.count; i++)
		if (strncmp(unit.list->head.rows[i].text, "no graph of this program is launched", 36))
			snprintf(messages + strlen(messages), sizeof(messages) - strlen(messages), "%s\n", unit.list->head.rows[i].text);
	return unit.list->head.errors ? NULL : program_find();
}

const char *graph_module_messages(void)
{
	return messages;
}

static void order_add(const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		size_t used = strlen(order);

		if (inst->op == PTOWSP_TG_KERNEL)
			snprintf(order + used, sizeof(order) - used, "%s%s", used && order[used - 1] != '(' ? " " : "", inst->args[0].object->name);
		if (!inst->body.first)
			continue;
		strcat(order, used ? " (" : "(");
		order_add(&inst->body);
		if (inst->has_else)
			strcat(order, " |");
		order_add(&inst->other);
		strcat(order, ")");
	}
}

const char *graph_order_text(const struct lang_graph_block *block)
{
	order[0] = '\0';
	order_add(block);
	return order;
}

struct lang_graph *graph_named(const struct lang_graph_program *program, const char *name)
{
	for (uint32_t i = 0; program && i < program->graph_count; i++)
		if (!strcmp(program->graphs[i]->object.name, name))
			return program->graphs[i];
	return NULL;
}
