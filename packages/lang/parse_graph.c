/* SPDX-License-Identifier: MIT */
/* parse_graph.c - instructions: the word, its operands as graph_ops.def says, and the blocks that some of them open and end. */
#include "lang/graph.h"
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

#define MAX_INSTRUCTIONS (1u << 20)
#define MAX_BYTES (UINT64_C(1) << 48) /* of an allocation, of a workspace: what addresses reach */

/* Behind an error in the operands of an instruction: to the ")" that ends them, or to the next line. */
static void operands_skip(struct lang_parser *parser, uint32_t open)
{
	while (lang_peek(parser)->kind != LANG_END && !lang_peek(parser)->first && open) {
		open += lang_at_mark(parser, '(');
		open -= lang_at_mark(parser, ')');
		lang_take(parser);
	}
}

/* --- operands --- */

/* A name or a number that is an id; NULL after an error. */
static const struct lang_token *id_take(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand)
{
	struct lang_parser *parser = reader->parser;
	const struct lang_token *token = lang_peek(parser);
	const char *object = pkg_graph_object_text((uint32_t)operand->argument);
	uint32_t number;

	if (token->kind != LANG_WORD && token->kind != LANG_NAME && token->kind != LANG_NUMBER) {
		lang_expected(parser, lang_format(&reader->unit->arena, "the id of a %s (%s)", object, operand->name));
		return NULL;
	}
	if (token->kind == LANG_NUMBER && (!lang_uint_read(token->text, &number) || number == UINT32_MAX)) {
		lang_error(reader->unit, token->at, "%s is no id: %s is a name or a whole number below 4294967295", token->text, operand->name);
		return NULL;
	}
	if (token->kind == LANG_NUMBER && operand->argument == PTOWSP_GRAPH_GRAPH && number > PTOWSP_GRAPH_ID_LIMIT) {
		lang_error(reader->unit, token->at, "%s is no id of a graph: the largest one is %u", token->text, PTOWSP_GRAPH_ID_LIMIT);
		return NULL;
	}
	return lang_take(parser);
}

/* "007" is the graph 7. */
static const char *id_text(struct lang_graph_reader *reader, const struct lang_token *token)
{
	uint32_t number;

	if (token->kind != LANG_NUMBER || !lang_uint_read(token->text, &number))
		return token->text;
	return lang_format(&reader->unit->arena, "%u", (unsigned)number);
}

static int id_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_inst *inst,
		    struct lang_graph_arg *arg)
{
	const struct lang_token *token = id_take(reader, operand);

	if (!token)
		return 0;
	arg->at = token->at;
	/* The default of TG_DEPEND, written out: what it means is known when all tensors are. */
	if (operand->kind == PKG_GRAPH_USE && *operand->value && !strcmp(id_text(reader, token), operand->value)) {
		arg->given = 0;
		return 1;
	}
	if (operand->kind == PKG_GRAPH_NEW)
		arg->object = lang_graph_define(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at, inst);
	else
		arg->object = lang_graph_mention(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at);
	/* Two definitions of one id were told; the second one has nothing more to say. */
	inst->broken |= operand->kind == PKG_GRAPH_NEW && arg->object->inst != inst;
	return 1;
}

static int set_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	struct lang_parser *parser = reader->parser;
	const struct lang_token *token;
	uint32_t capacity = 0;

	reader->sets++;
	arg->at = lang_peek(parser)->at;
	if (!lang_expect(parser, '{', lang_format(&reader->unit->arena, "and the %ss of the set", pkg_graph_object_text((uint32_t)operand->argument))))
		return 0;
	for (;;) {
		struct lang_graph_object *object;

		token = id_take(reader, operand);
		if (!token)
			return 0;
		object = lang_graph_mention(reader, (enum ptowsp_graph_object)operand->argument, id_text(reader, token), token->at);
		if (object->set == reader->sets) {
			lang_error(reader->unit, token->at, "%s is twice in this set", object->name);
			return 0;
		}
		object->set = reader->sets;
		*LANG_PUSH(&reader->unit->arena, arg->set, arg->set_count, capacity) = object;
		if (!lang_at_mark(parser, ','))
			return lang_expect(parser, '}', "behind the set");
		lang_take(parser);
	}
}

static int symbol_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	const struct lang_token *token = lang_peek(reader->parser);

	if (token->kind != LANG_WORD && token->kind != LANG_AT)
		return lang_expected(reader->parser, lang_format(&reader->unit->arena, "the name of a kernel (%s)", operand->name));
	lang_take(reader->parser);
	arg->at = token->at;
	arg->text = token->text;
	return 1;
}

/* Words and instructions are written in capitals: a guess at what is meant by small ones. */
static const char *upper_text(struct lang_graph_reader *reader, const char *text)
{
	char *upper = lang_copy(&reader->unit->arena, text, strlen(text));

	for (char *at = upper; *at; at++)
		*at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
	return upper;
}

static int word_refuse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, const struct lang_token *token)
{
	uint32_t count;
	const struct pkg_word *words = pkg_words((enum pkg_words)operand->argument, &count);
	const char *names[16];

	lang_error(reader->unit, token->at, "there is no %s \"%.80s\"", operand->name, token->text);
	for (uint32_t i = 0; i < count && i < 16; i++)
		names[i] = words[i].word;
	lang_known_help(reader->unit, upper_text(reader, token->text), "", names, count < 16 ? count : 16);
	return 0;
}

/* One of the words, or its code. */
static int word_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	const struct lang_token *token = lang_peek(reader->parser);
	uint32_t code = 0;

	if (token->kind != LANG_WORD && token->kind != LANG_NUMBER)
		return lang_expected(reader->parser, lang_format(&reader->unit->arena, "a word (%s)", operand->name));
	if (token->kind == LANG_NUMBER ? !lang_uint_read(token->text, &code) || !pkg_word((enum pkg_words)operand->argument, code)
				       : !pkg_word_find((enum pkg_words)operand->argument, token->text, &code))
		return word_refuse(reader, operand, token);
	lang_take(reader->parser);
	arg->at = token->at;
	arg->value = code;
	return 1;
}

static int constant_check(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, const struct lang_graph_arg *arg)
{
	int64_t value;

	if (!lang_graph_constant(arg->scalar, &value)) {
		lang_error(reader->unit, arg->at, "%s must be a constant", operand->name);
		lang_help(reader->unit, "conditions, counts, offsets and sizes of bindings and copies may depend on scalars, this may not");
		return 0;
	}
	if (operand->kind == PKG_GRAPH_RANGE && (value < 1 || value > (int64_t)operand->argument)) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must be 1 to %llu", operand->name, (long long)value,
			   (unsigned long long)operand->argument);
		return 0;
	}
	return 1;
}

static int scalar_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_arg *arg)
{
	int64_t value;

	arg->at = lang_peek(reader->parser)->at;
	arg->scalar = lang_graph_scalar_parse(reader, lang_format(&reader->unit->arena, "a value (%s)", operand->name));
	if (!arg->scalar)
		return 0;
	if (operand->kind != PKG_GRAPH_SCALAR && !constant_check(reader, operand, arg))
		return 0;
	if (!lang_graph_constant(arg->scalar, &value))
		return 1;
	arg->value = (uint64_t)value;
	if (value < 0) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must not be negative", operand->name, (long long)value);
		return 0;
	}
	if (operand->bytes == 4 && value > UINT32_MAX) {
		lang_error(reader->unit, arg->at, "%s is %lld, it must fit 32 bits", operand->name, (long long)value);
		return 0;
	}
	return 1;
}

static int operand_parse(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_graph_inst *inst,
			 struct lang_graph_arg *arg)
{
	arg->given = 1;
	switch ((enum pkg_graph_kind)operand->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE:
		return id_parse(reader, operand, inst, arg);
	case PKG_GRAPH_SET:
		return set_parse(reader, operand, arg);
	case PKG_GRAPH_SYMBOL:
		return symbol_parse(reader, operand, arg);
	case PKG_GRAPH_ENUM:
		return word_parse(reader, operand, arg);
	default:
		return scalar_parse(reader, operand, arg);
	}
}

/* What stands for an operand that is not written. */
static void operand_default(struct lang_graph_reader *reader, const struct pkg_graph_operand *operand, struct lang_span at,
			    struct lang_graph_arg *arg)
{
	uint32_t code = 0;

	arg->at = at;
	if (operand->kind == PKG_GRAPH_ENUM)
		pkg_word_find((enum pkg_words)operand->argument, operand->value, &code);
	else
		lang_uint_read(operand->value, &code);
	arg->value = code;
	if (operand->kind == PKG_GRAPH_SCALAR)
		arg->scalar = lang_graph_scalar_constant(reader->unit, code, at);
}

/* "graph_id, stream" of a form, for messages; optional ones in brackets. */
static const char *operands_text(struct lang_unit *unit, const struct pkg_graph_form *form)
{
	const char *text = "";

	for (uint32_t i = 0; i < form->count; i++) {
		const struct pkg_graph_operand *o = &form->operands[i];

		text = lang_format(&unit->arena, *o->value ? "%s%s[%s]" : "%s%s%s", text, i ? ", " : "", o->name);
	}
	return text;
}

static int count_refuse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_span at, uint32_t count)
{
	lang_error(reader->unit, at, "%s has %s operands here: %u", form->name, count > form->count ? "too many" : "too few", count);
	lang_help(reader->unit, "%s(%s)", form->name, operands_text(reader->unit, form));
	return 0;
}

static int operands_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_graph_inst *inst)
{
	struct lang_parser *parser = reader->parser;
	uint32_t count = 0;

	if (!lang_at_mark(parser, '(') || lang_peek(parser)->first) {
		if (!form->count)
			return 1;
		lang_expected(parser, lang_format(&reader->unit->arena, "\"(\" and the operands of %s", form->name));
		lang_line_skip(parser);
		return 0;
	}
	lang_take(parser);
	while (!lang_at_mark(parser, ')')) {
		if (count == form->count) {
			count_refuse(reader, form, lang_peek(parser)->at, count + 1);
			operands_skip(parser, 1);
			return 0;
		}
		if (!operand_parse(reader, &form->operands[count], inst, &inst->args[count])) {
			operands_skip(parser, 1);
			return 0;
		}
		count++;
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	if (!lang_expect(parser, ')', "behind the operands")) {
		operands_skip(parser, 1);
		return 0;
	}
	for (; count < form->count; count++) {
		if (!*form->operands[count].value)
			return count_refuse(reader, form, inst->at, count);
		operand_default(reader, &form->operands[count], inst->at, &inst->args[count]);
	}
	return 1;
}

/* --- blocks --- */

/* What opens, goes on with and ends a block. */
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

static void block_open(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	inst->body.last = &inst->body.first;
	inst->other.last = &inst->other.first;
	reader->parent = inst;
	reader->block = &inst->body;
	if (++reader->depth == PTOWSP_NESTING_LIMIT) {
		lang_error(reader->unit, inst->at, "blocks nest deeper than %u", PTOWSP_NESTING_LIMIT);
		reader->unit->stopped = 1;
		longjmp(reader->unit->out, 1);
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
		lang_error(reader->unit, inst->at, parent && parent->op == PTOWSP_CF_IF ? "this CF_IF has a CF_ELSE already"
										  : "this CF_ELSE belongs to no CF_IF");
		return;
	}
	parent->has_else = 1;
	parent->else_order = reader->program->inst_count++;
	reader->block = &parent->other;
}

/* --- instructions --- */

/* A loop around a graph is none of the kernels in it. */
static int in_loop(const struct lang_graph_reader *reader)
{
	const struct lang_graph_inst *at = reader->parent;

	while (at && at->op != PTOWSP_CF_LOOP && at->op != PTOWSP_CF_WHILE)
		at = at->op == PTOWSP_TG_BEGIN ? NULL : at->parent;
	return at != NULL;
}

static int place_check(struct lang_graph_reader *reader, const struct pkg_graph_form *form, const struct lang_graph_inst *inst)
{
	if (reader->graph && form->place == PKG_GRAPH_TOP) {
		if (inst->op == PTOWSP_TG_BEGIN) {
			lang_error(reader->unit, inst->at, "graphs do not nest: graph %s is open here, from %s on", reader->graph->object.name,
				   lang_place(reader->unit, reader->graph->object.at));
			lang_help(reader->unit, "write TG_END(%s) first", reader->graph->object.name);
		} else {
			lang_error(reader->unit, inst->at, "%s stands outside of graphs, and graph %s is open here", form->name,
				   reader->graph->object.name);
			lang_help(reader->unit, "move it behind TG_END(%s)", reader->graph->object.name);
		}
		return 0;
	}
	if (inst->op == PTOWSP_CF_BREAK && !in_loop(reader)) {
		lang_error(reader->unit, inst->at, "this CF_BREAK is in no loop");
		return 0;
	}
	if (!reader->graph && form->place == PKG_GRAPH_GRAPH) {
		lang_error(reader->unit, inst->at, "%s stands inside of a graph, between TG_BEGIN and TG_END", form->name);
		return 0;
	}
	return 1;
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
		if (object->defined && object->inst && object->inst->op == PTOWSP_TG_BEGIN && !lang_graph_of(inst->args[i].object)->closed) {
			lang_error(reader->unit, inst->args[i].at, "graph %s has no end yet", object->name);
			return 0;
		}
	}
	return 1;
}

static void kernel_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	kernel->entry = inst->args[1].text;
	kernel->entry_at = inst->args[1].at;
	kernel->blockdim = (uint32_t)inst->args[2].value;
	kernel->core_type = (uint32_t)inst->args[3].value;
	kernel->workspace = inst->args[4].value;
	if (kernel->workspace > MAX_BYTES)
		lang_error(reader->unit, inst->args[4].at, "the workspace of %s is %llu, it must be 0 to 2^48 bytes", kernel->object.name,
			   (unsigned long long)kernel->workspace);
	kernel->inst = inst;
	kernel->node = reader->graph->kernel_count;
	*LANG_PUSH(&reader->unit->arena, reader->graph->kernels, reader->graph->kernel_count, reader->graph->kernel_capacity) = kernel;
}

static void depend_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_depend *depend = lang_alloc(&reader->unit->arena, sizeof(*depend));
	struct lang_graph_object *tensor = inst->args[3].object;

	depend->inst = inst;
	depend->src = lang_graph_kernel(inst->args[0].object);
	depend->dst = lang_graph_kernel(inst->args[1].object);
	depend->type = (uint32_t)inst->args[2].value;
	depend->tensor = tensor ? lang_graph_tensor(tensor) : NULL;
	*LANG_PUSH(&reader->unit->arena, reader->graph->depends, reader->graph->depend_count, reader->graph->depend_capacity) = depend;
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
		lang_error(reader->unit, inst->args[2].at, "the alignment of %s is %llu, it must be a power of two up to 2^30",
			   tensor->object.name, (unsigned long long)alignment);
}

static void bind_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	struct lang_graph_program *p = reader->program;
	struct lang_graph_bind *bind = lang_alloc(&reader->unit->arena, sizeof(*bind));

	bind->inst = inst;
	bind->kernel = lang_graph_kernel(inst->args[0].object);
	bind->arg = (uint32_t)inst->args[1].value;
	bind->tensor = lang_graph_tensor(inst->args[2].object);
	bind->offset = inst->args[3].scalar;
	bind->size = inst->args[4].scalar;
	*LANG_PUSH(&reader->unit->arena, p->binds, p->bind_count, p->bind_capacity) = bind;
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

/* What an instruction says about the objects that it names. */
static void facts_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst)
{
	switch (inst->op) {
	case PTOWSP_TG_KERNEL:
		kernel_fill(reader, inst);
		break;
	case PTOWSP_TG_DEPEND:
		depend_fill(reader, inst);
		break;
	case PTOWSP_MC_ALLOC:
		alloc_fill(reader, inst);
		break;
	case PTOWSP_MC_BIND:
		bind_fill(reader, inst);
		break;
	case PTOWSP_CA_REQUEST:
		request_fill(reader, inst);
		break;
	case PTOWSP_TG_PERSISTENT:
		persistent_fill(reader, inst);
		break;
	default:
		break;
	}
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
		reader->unit->stopped = 1;
		longjmp(reader->unit->out, 1);
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
	struct lang_graph_inst *inst = lang_alloc(&reader->unit->arena, sizeof(*inst));
	const struct frame *end = frame_of_end(form->op);
	int good;

	inst->op = form->op;
	inst->arg_count = form->count;
	inst->args = form->count ? lang_alloc(&reader->unit->arena, form->count * sizeof(*inst->args)) : NULL;
	inst->at = lang_take(reader->parser)->at;
	/* An end ends its block, whatever is wrong with its operand. */
	good = operands_parse(reader, form, inst);
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
		lang_guess_start(&guess, upper_text(reader, token->text));
		for (uint32_t i = 0; i < count; i++)
			lang_guess_try(&guess, forms[i].name);
		lang_guess_help(parser->unit, &guess, "");
	}
	lang_take(parser);
	lang_line_skip(parser);
}

/* "}" ends a `graph` block, the next declaration ends bare instructions. */
static int at_end(const struct lang_graph_reader *reader)
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
	/* What could not be read would be missed elsewhere. */
	reader->program->head.broken = parser->unit->list->head.errors != errors;
}

/* "on device 1" */
static int device_parse(struct lang_parser *parser, struct lang_graph_program *program)
{
	if (!lang_at_word(parser, "on"))
		return 1;
	lang_take(parser);
	if (!lang_at_word(parser, "device"))
		return lang_expected(parser, "\"device\" and its number");
	lang_take(parser);
	if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, &program->device))
		return lang_expected(parser, "the number of a device");
	lang_take(parser);
	program->placed = 1;
	return 1;
}

void lang_graph_parse(struct lang_parser *parser)
{
	struct lang_graph_reader reader = {.parser = parser};
	const struct lang_token *name;

	lang_take(parser);
	name = lang_name_take(parser, LANG_AT, "the name such as @attention");
	if (!name) {
		lang_decl_skip(parser);
		return;
	}
	reader.program = lang_decl_add(parser, LANG_DECL_GRAPH, sizeof(*reader.program), name->text, name->at);
	if (!device_parse(parser, reader.program) || !lang_expect(parser, '{', "and the instructions")) {
		lang_decl_skip(parser);
		return;
	}
	program_read(&reader);
	lang_expect(parser, '}', "behind the instructions");
}

int lang_graph_at(const struct lang_parser *parser)
{
	return lang_peek(parser)->kind == LANG_WORD && pkg_graph_form_find(lang_peek(parser)->text);
}

void lang_graph_bare_parse(struct lang_parser *parser, const char *name)
{
	struct lang_graph_reader reader = {.parser = parser, .bare = 1};

	reader.program = lang_decl_add(parser, LANG_DECL_GRAPH, sizeof(*reader.program), name, lang_peek(parser)->at);
	program_read(&reader);
}
