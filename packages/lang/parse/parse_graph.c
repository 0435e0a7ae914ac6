/* SPDX-License-Identifier: MIT */
/* parse_graph.c - instructions: the word, its operands, where it may stand; programs of them. */
#include "lang/graph/lang_graph.h"

#include <stdbool.h>
#include <string.h>

#define MAX_INSTRUCTIONS (1u << 20)

/* A loop around a graph is none of the kernels in it. */
static int in_loop(const struct lang_graph_reader *reader)
{
	const struct lang_graph_inst *at = reader->parent;

	while (at && at->op != PTOWSP_CF_LOOP && at->op != PTOWSP_CF_WHILE)
		at = at->op == PTOWSP_TG_BEGIN ? NULL : at->parent;
	return at != NULL;
}

static bool place_check(struct lang_graph_reader *reader, const struct pkg_graph_form *form, const struct lang_graph_inst *inst)
{
	if (reader->graph && form->place == PKG_GRAPH_TOP) {
		if (inst->op == PTOWSP_TG_BEGIN) {
			lang_error(reader->unit, inst->at, "graphs do not nest: graph %s is open here, from %s on", reader->graph->object.name,
				   lang_place(reader->unit, reader->graph->object.at));
			lang_help(reader->unit, "write TG_END(%s) first", reader->graph->object.name);
		} else {
			lang_error(reader->unit, inst->at, "%s stands outside of graphs, and graph %s is open here", form->name, reader->graph->object.name);
			lang_help(reader->unit, "move it behind TG_END(%s)", reader->graph->object.name);
		}
		return false;
	}
	if (inst->op == PTOWSP_CF_BREAK && !in_loop(reader)) {
		lang_error(reader->unit, inst->at, "this CF_BREAK is in no loop");
		return false;
	}
	if (!reader->graph && form->place == PKG_GRAPH_GRAPH) {
		lang_error(reader->unit, inst->at, "%s stands inside of a graph, between TG_BEGIN and TG_END", form->name);
		return false;
	}
	return true;
}

/* The block around a graph's definition that has ended here, NULL: none. A loop's value is nothing outside of it, and a branch that is not
 * taken defines nothing. */
static const struct lang_graph_inst *block_left(const struct lang_graph_reader *reader, const struct lang_graph_inst *definition)
{
	const struct lang_graph_inst *outer, *at;

	for (outer = definition->parent; outer; outer = outer->parent) {
		for (at = reader->parent; at && at != outer;)
			at = at->parent;
		if (!at || (outer->has_else && definition->order < outer->else_order))
			return outer;
	}
	return NULL;
}

/* The graph's kernels are issued here, or become those of another graph. */
static bool issues(const struct lang_graph_inst *inst, const struct lang_graph_object *graph)
{
	return inst->op == PTOWSP_TG_LAUNCH || inst->op == PTOWSP_TG_INVOKE || (inst->op == PTOWSP_TG_FUSE && graph->inst != inst);
}

static bool definition_reaches(const struct lang_graph_reader *reader, const struct lang_graph_object *graph, struct lang_span at)
{
	const struct lang_graph_inst *left = graph->inst ? block_left(reader, graph->inst) : NULL;

	if (!left)
		return true;
	lang_error(reader->unit, at, "graph %s is defined inside of the %s at %s, and this is outside", graph->name, pkg_graph_form(left->op)->name,
		   lang_place(reader->unit, left->at));
	lang_help(reader->unit, "define it in front of that %s", pkg_graph_form(left->op)->name);
	return false;
}

/* A graph can be launched, fused, saved ... when its TG_END is above. */
static int graphs_check(struct lang_graph_reader *reader, const struct pkg_graph_form *form, const struct lang_graph_inst *inst)
{
	for (uint32_t i = 0; i < form->count; i++) {
		const struct lang_graph_object *object = inst->args[i].object;

		if (form->operands[i].kind != PKG_GRAPH_ID || !object || form->operands[i].argument != PTOWSP_GRAPH_GRAPH)
			continue;
		if (!object->defined) {
			lang_graph_missing_refuse(reader, inst->args[i].object);
			return 0;
		}
		/* One that began inside of another was refused there. */
		if (object->defined && object->inst && object->inst->op == PTOWSP_TG_BEGIN && !lang_graph_of(inst->args[i].object)->closed)
			return 0;
		if (issues(inst, object) && !definition_reaches(reader, object, inst->args[i].at))
			return 0;
	}
	return 1;
}

static void inst_append(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	inst->parent = reader->parent;
	inst->graph = reader->graph;
	inst->order = reader->program->inst_count++;
	*reader->block->last = inst;
	reader->block->last = &inst->next;
	if (inst->order >= MAX_INSTRUCTIONS) {
		lang_error(reader->unit, inst->at, "there are more than %u instructions", MAX_INSTRUCTIONS);
		lang_stop(reader->unit);
	}
}

/* A graph whose id could not be read has a body all the same. */
static struct lang_graph_object *nameless_make(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_object *object = lang_graph_mention(reader, PTOWSP_GRAPH_GRAPH, "?", inst->at);

	object->defined = LANG_GRAPH_TOLD;
	return object;
}

static void inst_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form)
{
	struct lang_graph_inst *inst = common_alloc(&reader->unit->arena, sizeof(*inst));
	const struct lang_graph_frame *end = lang_graph_frame_of_end(form->op);
	int good;

	inst->op = form->op;
	inst->arg_count = form->count;
	inst->args = form->count ? common_alloc(&reader->unit->arena, form->count * sizeof(*inst->args)) : NULL;
	inst->at = lang_take(reader->parser)->at;
	/* An end ends its block, whatever is wrong with its operand. */
	good = lang_graph_operands_parse(reader, form, inst);
	if (end) {
		lang_graph_end_parse(reader, end, inst);
		return;
	}
	if (form->op == PTOWSP_CF_ELSE) {
		lang_graph_else_parse(reader, inst);
		return;
	}
	good = place_check(reader, form, inst) && good && graphs_check(reader, form, inst);
	inst->broken |= !good;
	/* A block without a sound head is opened all the same: its end will come. A second graph inside of one is not. */
	if (form->op == PTOWSP_TG_BEGIN && reader->graph)
		return;
	if (form->op == PTOWSP_TG_BEGIN && !inst->args[0].object)
		inst->args[0].object = nameless_make(reader, inst);
	inst_append(reader, inst);
	if (lang_graph_frame_of_open(form->op))
		lang_graph_block_open(reader, inst);
	if (!inst->broken)
		lang_graph_facts_fill(reader, inst);
}

static void word_unknown(struct lang_graph_reader *reader)
{
	struct lang_parser *parser = reader->parser;
	const struct lang_token *token = lang_peek(parser);
	uint32_t count;
	const struct pkg_graph_form *forms = pkg_graph_forms(&count);
	struct lang_guess guess;

	if (token->kind != LANG_WORD) {
		lang_expected(parser, "an instruction such as TG_KERNEL(...)");
	} else {
		lang_error(parser->unit, token->at, "there is no instruction \"%.80s\"", token->text);
		lang_guess_start(&guess, lang_graph_upper(reader, token->text));
		for (uint32_t i = 0; i < count; i++)
			lang_guess_try(&guess, forms[i].name);
		lang_guess_help(parser->unit, &guess, "");
	}
	lang_take(parser);
	lang_line_skip(parser);
}

/* "}" ends a `graph` block, the next declaration ends bare instructions. */
static bool at_end(const struct lang_graph_reader *reader)
{
	const struct lang_token *token = lang_peek(reader->parser);

	return token->kind == LANG_END || (reader->bare ? token->first && lang_decl_at(reader->parser) : token->mark == '}');
}

/* Edges without a tensor name tensor 0 where there is one, else none. */
static void tensor_zero_resolve(struct lang_graph_program *program)
{
	struct lang_graph_object *zero = lang_graph_find(program, PTOWSP_GRAPH_TENSOR, "0");

	for (uint32_t g = 0; zero && g < program->graph_count; g++)
		for (uint32_t i = 0; i < program->graphs[g]->depend_count; i++) {
			struct lang_graph_depend *depend = program->graphs[g]->depends[i];

			if (depend->tensor || depend->type != PTOWSP_dep_type_DATA)
				continue;
			depend->tensor = lang_graph_tensor(zero);
			depend->inst->args[3].object = zero;
		}
}

static void program_read(struct lang_graph_reader *reader)
{
	struct lang_parser *parser = reader->parser;
	const struct pkg_graph_form *form;

	uint32_t errors = parser->unit->list->head.errors;

	reader->unit = parser->unit;
	reader->block = &reader->program->body;
	reader->program->body.last = &reader->program->body.first;
	while (!at_end(reader)) {
		form = lang_peek(parser)->kind == LANG_WORD ? pkg_graph_form_find(lang_peek(parser)->text) : NULL;
		if (form)
			inst_parse(reader, form);
		else
			word_unknown(reader);
	}
	for (; reader->parent; lang_graph_block_close(reader, lang_peek(parser)->at))
		lang_graph_unclosed_refuse(reader, reader->parent);
	lang_graph_undefined_refuse(reader, NULL);
	tensor_zero_resolve(reader->program);
	lang_graph_number(reader);
	/* An instruction that could not be read would be missed elsewhere. */
	reader->program->head.broken = parser->unit->list->head.errors != errors;
}

/* "on device 1" */
static bool device_parse(struct lang_parser *parser, struct lang_graph_program *program)
{
	if (!lang_at_word(parser, "on"))
		return true;
	lang_take(parser);
	if (!lang_at_word(parser, "device"))
		return lang_expected(parser, "\"device\" and its number");
	lang_take(parser);
	if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, &program->device))
		return lang_expected(parser, "the number of a device");
	lang_take(parser);
	program->placed = 1;
	return true;
}

void lang_graph_parse(struct lang_parser *parser)
{
	struct lang_graph_reader reader = {.parser = parser};

	reader.program = lang_decl_begin(parser, LANG_DECL_GRAPH, sizeof(*reader.program), LANG_AT, "the name such as @attention");
	if (!reader.program)
		return;
	if (!device_parse(parser, reader.program) || !lang_expect(parser, '{', "and the instructions")) {
		lang_decl_skip(parser);
		return;
	}
	program_read(&reader);
	lang_expect(parser, '}', "behind the instructions");
}

bool lang_graph_at(const struct lang_parser *parser)
{
	return lang_peek(parser)->kind == LANG_WORD && pkg_graph_form_find(lang_peek(parser)->text);
}

void lang_graph_bare_parse(struct lang_parser *parser, const char *name)
{
	struct lang_graph_reader reader = {.parser = parser, .bare = 1};

	reader.program = lang_decl_add(parser, LANG_DECL_GRAPH, sizeof(*reader.program), name, lang_peek(parser)->at);
	program_read(&reader);
}
