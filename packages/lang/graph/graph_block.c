/* SPDX-License-Identifier: MIT */
/* graph_block.c - the blocks that instructions open and end: graphs, loops, branches. */
#include "lang/graph/lang_graph.h"

/* Instructions that open, go on with and end a block. */
static const struct lang_graph_frame frames[] = {
	{PTOWSP_TG_BEGIN, PTOWSP_TG_END},
	{PTOWSP_CF_IF, PTOWSP_CF_ENDIF},
	{PTOWSP_CF_LOOP, PTOWSP_CF_ENDLOOP},
	{PTOWSP_CF_WHILE, PTOWSP_CF_ENDWHILE},
};

const struct lang_graph_frame *lang_graph_frame_of_open(unsigned op)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		if (frames[i].open == op)
			return &frames[i];
	return NULL;
}

const struct lang_graph_frame *lang_graph_frame_of_end(unsigned op)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		if (frames[i].end == op)
			return &frames[i];
	return NULL;
}

static const char *op_name(unsigned op)
{
	return pkg_graph_form(op)->name;
}

static struct lang_graph_block *block_of(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	return !inst ? &reader->program->body : inst->has_else ? &inst->other : &inst->body;
}

void lang_graph_block_open(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	inst->body.last = &inst->body.first;
	inst->other.last = &inst->other.first;
	reader->parent = inst;
	reader->block = &inst->body;
	if (++reader->depth > PTOWSP_NESTING_LIMIT) {
		lang_error(reader->unit, inst->at, "blocks nest deeper than %u", PTOWSP_NESTING_LIMIT);
		lang_stop(reader->unit);
	}
	if (inst->op == PTOWSP_CF_LOOP && inst->args[1].object)
		reader->iterators[reader->iterator_count++] = inst->args[1].object;
	if (inst->op == PTOWSP_TG_BEGIN) {
		reader->graph = lang_graph_of(inst->args[0].object);
		reader->first_kernel = reader->program->kernel_count;
		reader->graph->body = &inst->body;
	}
}

void lang_graph_block_close(struct lang_graph_reader *reader, struct lang_span end)
{
	struct lang_graph_inst *inst = reader->parent;

	inst->end = end;
	inst->end_order = reader->program->inst_count++;
	if (inst->op == PTOWSP_CF_LOOP && inst->args[1].object)
		reader->iterator_count--;
	if (inst->op == PTOWSP_TG_BEGIN) {
		lang_graph_undefined_refuse(reader, reader->graph);
		lang_graph_forget(reader);
		reader->graph->closed = 1;
		reader->graph = NULL;
	}
	reader->parent = inst->parent;
	reader->block = block_of(reader, inst->parent);
	reader->depth--;
}

void lang_graph_unclosed_refuse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	const struct lang_graph_frame *frame = lang_graph_frame_of_open(inst->op);

	if (inst->op == PTOWSP_TG_BEGIN)
		lang_error(reader->unit, inst->at, "graph %s is not closed by %s(%s)", reader->graph->object.name, op_name(frame->end),
			   reader->graph->object.name);
	else
		lang_error(reader->unit, inst->at, "this %s is not closed by %s", op_name(inst->op), op_name(frame->end));
}

void lang_graph_end_parse(struct lang_graph_reader *reader, const struct lang_graph_frame *frame, const struct lang_graph_inst *end)
{
	struct lang_graph_inst *inst = reader->parent;
	struct lang_graph_object *named = end->arg_count ? end->args[0].object : NULL;
	const char *name;

	/* A graph that only its end names is no graph that is missing. */
	if (named && frame->open == PTOWSP_TG_BEGIN && !named->defined)
		named->defined = LANG_GRAPH_TOLD;
	while (inst && inst->op != frame->open && (frame->open == PTOWSP_TG_BEGIN || inst->op != PTOWSP_TG_BEGIN))
		inst = inst->parent;
	if (!inst || inst->op != frame->open) {
		lang_error(reader->unit, end->at, "this %s ends nothing: no %s is open", op_name(frame->end), op_name(frame->open));
		return;
	}
	for (; reader->parent != inst; lang_graph_block_close(reader, end->at))
		lang_graph_unclosed_refuse(reader, reader->parent);
	if (frame->open == PTOWSP_TG_BEGIN && named && !inst->broken && named != &reader->graph->object) {
		name = reader->graph->object.name;
		lang_error(reader->unit, end->args[0].at, "TG_END(%s) does not match TG_BEGIN(%s) at %s", named->name, name,
			   lang_place(reader->unit, inst->at));
		lang_help(reader->unit, "write TG_END(%s)", name);
	}
	lang_graph_block_close(reader, end->at);
}

void lang_graph_else_parse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_inst *parent = reader->parent;

	if (!parent || parent->op != PTOWSP_CF_IF || parent->has_else) {
		lang_error(reader->unit, inst->at,
			   parent && parent->op == PTOWSP_CF_IF ? "this CF_IF has a CF_ELSE already" : "this CF_ELSE belongs to no CF_IF");
		return;
	}
	parent->has_else = 1;
	parent->else_order = reader->program->inst_count++;
	reader->block = &parent->other;
}
