/* SPDX-License-Identifier: MIT */
/* parse_graph.c - instructions of graphs: the word, its operands, where it may stand, blocks, what it says of the objects that it names; programs of them. */
#include "format/container.h"
#include "lang/graph/lang_graph.h"

#include <stdbool.h>
#include <string.h>

/* ---- what an instruction says about the objects that it names. ---- */

#define MAX_BYTES (UINT64_C(1) << 48) /* of an allocation: what addresses reach */

static void kernel_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	kernel->entry = inst->args[1].text;
	kernel->entry_at = inst->args[1].at;
	kernel->blockdim = (uint32_t)inst->args[2].value;
	kernel->core_type = (uint32_t)inst->args[3].value;
	kernel->workspace = inst->args[4].value;
	if (kernel->workspace > PKG_WORKSPACE_LIMIT)
		lang_error(reader->unit, inst->args[4].at, "the workspace of %s is %llu, it must be 0 to 2^37 bytes", kernel->object.name,
			   (unsigned long long)kernel->workspace);
	kernel->inst = inst;
	kernel->node = reader->graph->kernel_count;
	*COMMON_PUSH(&reader->unit->arena, reader->graph->kernels, reader->graph->kernel_count, reader->graph->kernel_capacity) = kernel;
}

static void depend_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_depend *depend = common_alloc(&reader->unit->arena, sizeof(*depend));
	struct lang_graph_object *tensor = inst->args[3].object;

	depend->inst = inst;
	depend->src = lang_graph_kernel(inst->args[0].object);
	depend->dst = lang_graph_kernel(inst->args[1].object);
	depend->type = (uint32_t)inst->args[2].value;
	depend->tensor = tensor ? lang_graph_tensor(tensor) : NULL;
	*COMMON_PUSH(&reader->unit->arena, reader->graph->depends, reader->graph->depend_count, reader->graph->depend_capacity) = depend;
}

static void alloc_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_tensor *tensor = lang_graph_tensor(inst->args[0].object);
	uint64_t alignment = inst->args[2].value;

	tensor->size = inst->args[1].value;
	tensor->alignment = (uint32_t)alignment;
	tensor->location = (uint32_t)inst->args[3].value;
	if (!tensor->size || tensor->size > MAX_BYTES)
		lang_error(reader->unit, inst->args[1].at, "the size of %s is %llu, it must be 1 to 2^48 bytes", tensor->object.name,
			   (unsigned long long)tensor->size);
	if (!alignment || (alignment & (alignment - 1)) || alignment > (1u << 30))
		lang_error(reader->unit, inst->args[2].at, "the alignment of %s is %llu, it must be a power of two up to 2^30", tensor->object.name,
			   (unsigned long long)alignment);
}

static void bind_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_program *p = reader->program;
	struct lang_graph_bind *bind = common_alloc(&reader->unit->arena, sizeof(*bind));

	bind->inst = inst;
	bind->kernel = lang_graph_kernel(inst->args[0].object);
	bind->arg = (uint32_t)inst->args[1].value;
	bind->tensor = lang_graph_tensor(inst->args[2].object);
	bind->offset = inst->args[3].scalar;
	bind->size = inst->args[4].scalar;
	*COMMON_PUSH(&reader->unit->arena, p->binds, p->bind_count, p->bind_capacity) = bind;
}

static void request_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	if (kernel->requested) {
		lang_error(reader->unit, inst->at, "the cores of %s are requested twice", kernel->object.name);
		lang_help(reader->unit, "take one of the two CA_REQUEST out");
	}
	kernel->requested = 1;
	kernel->aic = (uint32_t)inst->args[1].value;
	kernel->aiv = (uint32_t)inst->args[2].value;
	kernel->aicpu = (uint32_t)inst->args[3].value;
}

static void persistent_fill(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	if (kernel->persistent) {
		lang_error(reader->unit, inst->at, "it is said twice how long %s stays resident", kernel->object.name);
		lang_help(reader->unit, "take one of the two TG_PERSISTENT out");
	}
	kernel->persistent = 1;
	kernel->duration = inst->args[1].value;
}

/* Notes facts about the objects that a sound instruction names. */
static void facts_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	switch (inst->op) {
	case PTOWSP_TG_KERNEL: kernel_fill(reader, inst); break;
	case PTOWSP_TG_DEPEND: depend_fill(reader, inst); break;
	case PTOWSP_MC_ALLOC: alloc_fill(reader, inst); break;
	case PTOWSP_MC_BIND: bind_fill(reader, inst); break;
	case PTOWSP_CA_REQUEST: request_fill(reader, inst); break;
	case PTOWSP_TG_PERSISTENT: persistent_fill(reader, inst); break;
	default: break;
	}
}

/* ---- the blocks that instructions open and end: graphs, loops, branches. ---- */

/* Instructions that open and that end a block. */
static const struct frame {
	uint8_t open, end;
} frames[] = {
	{PTOWSP_TG_BEGIN, PTOWSP_TG_END},
	{PTOWSP_CF_IF, PTOWSP_CF_ENDIF},
	{PTOWSP_CF_LOOP, PTOWSP_CF_ENDLOOP},
	{PTOWSP_CF_WHILE, PTOWSP_CF_ENDWHILE},
};

static const struct frame *frame_of_open(unsigned op)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		if (frames[i].open == op)
			return &frames[i];
	return NULL;
}

static const struct frame *frame_of_end(unsigned op)
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

/* The instructions that follow stand in this one; until its end, which is told at `end`. */
static void block_open(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
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

static void block_close(struct lang_graph_reader *reader, struct lang_span end)
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

/* The error for a block that is still open. */
static void unclosed_refuse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
{
	const struct frame *frame = frame_of_open(inst->op);

	if (inst->op == PTOWSP_TG_BEGIN)
		lang_error(reader->unit, inst->at, "graph %s is not closed by %s(%s)", reader->graph->object.name, op_name(frame->end),
			   reader->graph->object.name);
	else
		lang_error(reader->unit, inst->at, "this %s is not closed by %s", op_name(inst->op), op_name(frame->end));
}

/* An instruction that ends a block: that of the innermost one of its sort; those inside of it that are open are wrong. */
static void end_parse(struct lang_graph_reader *reader, const struct frame *frame, const struct lang_graph_inst *end)
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
	for (; reader->parent != inst; block_close(reader, end->at))
		unclosed_refuse(reader, reader->parent);
	if (frame->open == PTOWSP_TG_BEGIN && named && !inst->broken && named != &reader->graph->object) {
		name = reader->graph->object.name;
		lang_error(reader->unit, end->args[0].at, "TG_END(%s) does not match TG_BEGIN(%s) at %s", named->name, name,
			   lang_place(reader->unit, inst->at));
		lang_help(reader->unit, "write TG_END(%s)", name);
	}
	block_close(reader, end->at);
}

static void else_parse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst)
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

/* ---- instructions: the word, its operands, where it may stand; programs of them. ---- */

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
	const struct frame *end = frame_of_end(form->op);
	int good;

	inst->op = form->op;
	inst->arg_count = form->count;
	inst->args = form->count ? common_alloc(&reader->unit->arena, form->count * sizeof(*inst->args)) : NULL;
	inst->at = lang_take(reader->parser)->at;
	/* An end ends its block, whatever is wrong with its operand. */
	good = lang_graph_operands_parse(reader, form, inst);
	if (end) {
		end_parse(reader, end, inst);
		return;
	}
	if (form->op == PTOWSP_CF_ELSE) {
		else_parse(reader, inst);
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
	if (frame_of_open(form->op))
		block_open(reader, inst);
	if (!inst->broken)
		facts_fill(reader, inst);
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
	for (; reader->parent; block_close(reader, lang_peek(parser)->at))
		unclosed_refuse(reader, reader->parent);
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
