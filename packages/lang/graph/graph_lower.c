/* SPDX-License-Identifier: MIT */
/* graph_lower.c - the code of a graph program: scalars, tasks and copies with their regions, and what stands around them: branches, loops, launches. */
#include "lang/graph/graph_lower.h"
#include "format/graph/graph_read.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <string.h>

void lang_graph_nest(struct lang_graph_walk *walk)
{
	if (++walk->depth > PTOWSP_NESTING_LIMIT)
		lang_too_deep(walk->lower->unit, walk->at, " where graphs are launched");
}

/* ---- scalars of graph programs as expressions; what they load is loaded where they stand. ---- */

static uint32_t scalar_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar);

static uint32_t value_expr(struct lang_graph_walk *walk, const char *name)
{
	uint32_t row = lang_row_find(lang_rows_of(walk->lower, PTOWSP_SECTION_SLOT), name);

	if (row == PTOWSP_NONE)
		return lang_expr_const(&walk->lower->tables->exprs, 0);
	lang_value_use(walk->lower, row);
	return lang_expr_value(&walk->lower->tables->exprs, row);
}

/* Loads the element into its slot, here and now. */
static uint32_t element_load(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	const struct lang_graph_memory *memory = lang_graph_memory_of(walk, lang_graph_tensor(scalar->object));
	uint32_t size = common_dtype_bytes(scalar->dtype), index = scalar_expr(walk, scalar->a), slot = scalar->slot->made.row;
	struct ptowsp_region_record region = {.tensor = lang_graph_tensor_row(memory), .row = lang_expr_const(exprs, 0), .column = index, .unit = 1};

	if (memory->dtype != scalar->dtype) {
		region.column = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, index, lang_expr_const(exprs, size));
		region.columns = size;
		region.view = scalar->dtype + 1u;
	}
	lang_word_add(walk->lower, PTOWSP_OP_SLOT_LOAD, slot, lang_region_add(walk->lower->tables, &region), walk->at);
	return lang_expr_value(exprs, slot);
}

static uint32_t iterator_expr(struct lang_graph_walk *walk, const struct lang_graph_object *iterator)
{
	for (uint32_t i = walk->iterator_count; i-- > 0;)
		if (walk->iterators[i].object == iterator)
			return lang_expr_loop(&walk->lower->tables->exprs, walk->iterators[i].loop);
	return lang_expr_const(&walk->lower->tables->exprs, 0);
}

/* EXPR row of a scalar; what it loads is loaded here. */
static uint32_t scalar_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t a, b;

	switch (scalar->op) {
	case PTOWSP_EXPR_CONST: return lang_expr_const(exprs, (uint64_t)scalar->value);
	case PTOWSP_EXPR_VALUE: return value_expr(walk, scalar->object->name);
	case PTOWSP_EXPR_AXIS: return iterator_expr(walk, scalar->object);
	case PTOWSP_GRAPH_NODE_ELEMENT: return element_load(walk, scalar);
	case PTOWSP_GRAPH_NODE_ITERATION: return walk->iteration;
	default: break;
	}
	a = scalar_expr(walk, scalar->a);
	if (!scalar->b)
		return lang_expr_unary(exprs, scalar->op, a);
	b = scalar_expr(walk, scalar->b);
	return scalar->c ? lang_expr_ternary(exprs, scalar->op, a, b, scalar_expr(walk, scalar->c)) : lang_expr_binary(exprs, scalar->op, a, b);
}

/* Bytes as elements of the tensor; types were chosen so that nothing is left over. */
static uint32_t elements_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *bytes, const struct lang_graph_memory *memory)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t expr = scalar_expr(walk, bytes), size = common_dtype_bytes(memory->dtype);

	return size == 1 ? expr : lang_expr_binary(exprs, PTOWSP_EXPR_DIV, expr, lang_expr_const(exprs, size));
}

/* --- regions --- */

/* Elements of the tensor that the binding gives, 0: all behind its offset. */
static uint64_t bind_elements(const struct lang_graph_bind *bind, const struct lang_graph_memory *memory)
{
	int64_t size, offset;

	if (lang_graph_constant(bind->size, &size) && size > 0)
		return (uint64_t)size / common_dtype_bytes(memory->dtype);
	if (memory->elements && lang_graph_constant(bind->offset, &offset) && lang_graph_constant(bind->size, &size))
		return memory->elements - (uint64_t)offset / common_dtype_bytes(memory->dtype);
	return 0;
}

/* A portable kernel says itself what it touches behind the window's start; of any other the whole binding counts. */
static uint32_t bind_region(struct lang_graph_walk *walk, const struct lang_graph_bind *bind, uint32_t column)
{
	const struct lang_graph_memory *memory = lang_graph_memory_of(walk, bind->tensor);
	const struct lang_param param = lang_graph_param(bind->kernel, true, bind->arg);
	uint64_t elements = bind_elements(bind, memory);
	struct ptowsp_region_record region = {
		.tensor = lang_graph_tensor_row(memory), .row = lang_expr_const(&walk->lower->tables->exprs, 0), .column = column, .unit = 1};

	if (elements && elements <= UINT32_MAX)
		region.columns = (uint32_t)elements;
	if (!lang_graph_is_portable(bind->kernel) && region.columns && !memory->declared) {
		region.unit = 0;
		region.rows = 1;
	}
	if (param.name && param.dtype != memory->dtype)
		region.view = param.dtype + 1u;
	return lang_region_add(walk->lower->tables, &region);
}

/* --- tasks --- */

/* Behind the task. */
static void node_issue(struct lang_graph_walk *walk, struct lang_graph_node *node)
{
	node->conditional = walk->branches > 0;
	if (!node->issued || node->covered)
		*COMMON_PUSH(&walk->lower->unit->arena, walk->open, walk->open_count, walk->open_capacity) = node;
	node->issued = 1;
	node->covered = 0;
}

/* Before the task: the number that it is going to have. */
static void number_set(struct lang_graph_walk *walk, struct lang_graph_node *node)
{
	if (walk->lowering->dynamic && node->named)
		lang_word_add(walk->lower, PTOWSP_OP_SLOT_SET, node->slot.row, lang_expr_leaf(&walk->lower->tables->exprs, PTOWSP_EXPR_TASK), walk->at);
	node->number = walk->tasks++;
}

/* Scalars that an entry takes: loops around it by name, else symbols and slots. */
static uint32_t argument_expr(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel, uint32_t argument)
{
	const struct lang_param param = lang_graph_param(kernel, false, argument);
	const char *name = param.name;
	uint32_t row = kernel->function ? kernel->function->needs[argument]->symbol->row : lang_row_find(lang_rows_of(walk->lower, PTOWSP_SECTION_SLOT), name);

	for (uint32_t i = walk->iterator_count; i-- > 0;)
		if (!strcmp(walk->iterators[i].object->name, name))
			return lang_expr_loop(&walk->lower->tables->exprs, walk->iterators[i].loop);
	if (row == PTOWSP_NONE) {
		lang_error(walk->lower->unit, kernel->object.at, "kernel %s gets no %%%s, which @%s takes: no iterator around it, symbol or slot is called so",
			   kernel->object.name, name, kernel->entry);
		lang_help(walk->lower->unit, "symbol %%%s : %s = 0", name, common_dtype_text(param.dtype));
		return lang_expr_const(&walk->lower->tables->exprs, 0);
	}
	lang_value_use(walk->lower, row);
	return lang_expr_value(&walk->lower->tables->exprs, row);
}

static uint32_t tensors_of(const struct lang_graph_kernel *kernel)
{
	uint32_t known = lang_graph_tensor_params(kernel);

	return known == UINT32_MAX ? kernel->arg_count : known;
}

static void kernel_emit(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	struct lang_graph_node_row *row = walk->lowering->kernels[kernel->object.index].same;
	uint32_t tensors = tensors_of(kernel), scalars = lang_param_count(kernel->function, kernel->decl, false);
	uint32_t *columns = common_alloc(&walk->lower->unit->arena, (tensors + 1) * sizeof(*columns));
	struct lang_graph_node *node = lang_graph_node_of(walk->launch, kernel);

	if (!node)
		return;
	assert(kernel->bind_count == tensors);   /* each argument is bound once */
	for (uint32_t i = 0; i < tensors; i++) { /* their loads stand in front of the task */
		const struct lang_graph_bind *bind = lang_graph_bind_of(kernel, i);

		columns[i] = elements_expr(walk, bind->offset, lang_graph_memory_of(walk, bind->tensor));
	}
	lang_graph_barrier_emit(walk, kernel);
	lang_graph_events_wait(walk, kernel);
	number_set(walk, node);
	lang_word_add_at(walk->lower, PTOWSP_OP_TASK, build_kernel_listed(walk->lower->build, row->made.row), scalars << 16 | tensors, walk->at);
	for (uint32_t i = 0; i < scalars; i++)
		if (lang_argument_add(walk->lower->tables, i, argument_expr(walk, kernel, i)) == PTOWSP_NONE)
			lang_too_large(walk->lower, walk->at);
	for (uint32_t i = 0; i < tensors; i++) {
		const struct lang_graph_bind *bind = lang_graph_bind_of(kernel, i);

		lang_word_add(walk->lower, lang_io_word(lang_graph_access(walk->lowering, kernel, bind)), i, bind_region(walk, bind, columns[i]), walk->at);
	}
	lang_graph_edges_emit(walk, node, kernel);
	node_issue(walk, node);
}

/* --- copies --- */

static uint32_t part(struct lang_graph_walk *walk, uint32_t tensor, uint32_t column, uint64_t elements)
{
	struct ptowsp_region_record region = {
		.tensor = tensor, .row = lang_expr_const(&walk->lower->tables->exprs, 0), .column = column, .rows = 1, .columns = (uint32_t)elements};

	return lang_region_add(walk->lower->tables, &region);
}

static void copy_words(struct lang_graph_walk *walk, struct lang_graph_node *node, uint32_t from, uint32_t to)
{
	number_set(walk, node);
	lang_word_add_at(walk->lower, PTOWSP_OP_COPY, 0, from, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_IO_OUTPUT, 0, to, walk->at);
	lang_graph_edges_emit(walk, node, NULL);
	node_issue(walk, node);
}

static void copy_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	const struct lang_graph_memory *from = lang_graph_memory_of(walk, lang_graph_tensor(inst->args[0].object));
	const struct lang_graph_memory *to = lang_graph_memory_of(walk, lang_graph_tensor(inst->args[1].object));
	struct lang_graph_launch *launch = walk->launch;
	uint32_t first = launch->graph ? launch->graph->kernel_count : 0, a, b, source, target;
	uint64_t elements;
	int64_t size;

	if (!lang_graph_constant(inst->args[2].scalar, &size)) {
		lang_error(walk->lower->unit, inst->args[2].at, "the size of MC_COPY must be a constant");
		lang_help(walk->lower->unit, "copy it in a kernel, whose bindings may depend on scalars");
		return;
	}
	if (size / common_dtype_bytes(from->dtype) > UINT32_MAX) {
		lang_error(walk->lower->unit, inst->args[2].at, "MC_COPY copies at most %u elements, and %lld bytes are %lld of type %s", UINT32_MAX,
			   (long long)size, (long long)(size / common_dtype_bytes(from->dtype)), common_dtype_text(from->dtype));
		lang_help(walk->lower->unit, "copy it in several parts");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct lang_graph_memory *memory = i ? to : from;

		if (!memory->declared || memory->declared->rank <= 1)
			continue;
		lang_error(walk->lower->unit, inst->args[i].at, "MC_COPY counts bytes, and %%%s is declared with %u dimensions", memory->name,
			   memory->declared->rank);
		lang_help(walk->lower->unit, "declare it with one, or leave the declaration out");
		return;
	}
	elements = (uint64_t)size / common_dtype_bytes(from->dtype);
	a = elements_expr(walk, inst->args[3].scalar, from);
	b = elements_expr(walk, inst->args[4].scalar, to);
	for (uint32_t i = 0; i < launch->copy_count; i++)
		if (launch->copies[i] == inst) {
			/* One after the other: in which order arguments of a call are made, compilers choose, and a package must not depend on them. */
			target = part(walk, lang_graph_tensor_row(to), b, elements);
			source = part(walk, lang_graph_tensor_row(from), a, elements);
			copy_words(walk, &launch->nodes[first + i], source, target);
		}
}

/* Taking it copies its first two bytes onto the others, bringing it back the last one onto the second. */
static void mark_emit(struct lang_graph_walk *walk, struct lang_graph_node *node, const struct lang_graph_mark *mark, unsigned op)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	int saves = op == PTOWSP_TG_CHECKPOINT;
	uint32_t from = part(walk, mark->made.row, lang_expr_const(exprs, saves ? 0 : 3), saves ? 2 : 1);
	uint32_t to = part(walk, mark->made.row, lang_expr_const(exprs, saves ? 2 : 1), saves ? 2 : 1);

	copy_words(walk, node, from, to);
}

/* Every tensor that the graph changes, into its place in the checkpoint or back. */
static void checkpoint_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	uint32_t zero = lang_expr_const(&walk->lower->tables->exprs, 0), n = 0;

	for (const struct lang_graph_save *save = walk->lowering->saves; save; save = save->next) {
		uint32_t here, there;

		if (save->checkpoint != inst->args[1].object || !save->elements)
			continue;
		here = part(walk, lang_graph_tensor_row(save->memory), zero, save->elements);
		there = part(walk, save->made.row, zero, save->elements);
		copy_words(walk, &walk->launch->nodes[n++], inst->op == PTOWSP_TG_CHECKPOINT ? here : there, inst->op == PTOWSP_TG_CHECKPOINT ? there : here);
	}
	for (const struct lang_graph_mark *mark = walk->lowering->marks; mark; mark = mark->next)
		if (mark->checkpoint == inst->args[1].object)
			mark_emit(walk, &walk->launch->nodes[n++], mark, inst->op);
}

/* ---- instructions of a graph program in their order: branches, loops, launches, and what is one word of code. ---- */

#define FOREVER (INT64_C(1) << 62) /* iterations of a CF_WHILE */

static void block_emit(struct lang_graph_walk *walk, const struct lang_graph_block *block);

static void if_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	uint32_t condition = scalar_expr(walk, inst->args[0].scalar), head = lang_word_add_at(walk->lower, PTOWSP_OP_COND, 0, condition, walk->at);

	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, walk->at);
	lang_graph_nest(walk);
	walk->branches++;
	block_emit(walk, &inst->body);
	lang_work_end(walk->lower->tables, head + 1);
	block_emit(walk, &inst->other);
	lang_work_end(walk->lower->tables, head + 2);
	walk->branches--;
	walk->depth--;
}

static void break_emit(struct lang_graph_walk *walk, uint32_t condition)
{
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_COND, 0, condition, walk->at);

	lang_graph_nest(walk);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_BREAK, 0, 0, walk->at);
	walk->depth--;
	lang_work_end(walk->lower->tables, head + 1);
	lang_work_end(walk->lower->tables, head + 2);
}

static uint32_t axis_of(struct lang_graph_walk *walk, const char *name, uint32_t high)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t string = build_code_name(walk->lower->build, build_string(walk->lower->build, name)), low = lang_expr_const(exprs, 0);

	return lang_axis_dense(walk->lower->tables, string, low, high, lang_expr_const(exprs, 1), PTOWSP_NONE);
}

/* Iterations follow each other: a loop at this granularity is a sequence of kernels. CF_WHILE is such a loop that asks before each one. */
static void loop_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	int counted = inst->op == PTOWSP_CF_LOOP;
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t high = counted ? scalar_expr(walk, inst->args[0].scalar) : lang_expr_const(exprs, FOREVER);
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_FOR_EACH, axis_of(walk, counted ? inst->args[1].object->name : "while", high), 0, walk->at);

	lang_graph_nest(walk);
	walk->branches++;
	if (counted)
		walk->iterators[walk->iterator_count++] = (struct lang_graph_iterator){inst->args[1].object, walk->loops};
	walk->loops++;
	if (!counted)
		break_emit(walk, lang_expr_unary(exprs, PTOWSP_EXPR_LNOT, scalar_expr(walk, inst->args[0].scalar)));
	block_emit(walk, &inst->body);
	lang_work_end(walk->lower->tables, head);
	walk->iterator_count -= counted ? 1 : 0;
	walk->loops--;
	walk->branches--;
	walk->depth--;
}

static void fence_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_FENCE, inst->args[0].value == PTOWSP_fence_scope_GM ? PTOWSP_FENCE_SYSTEM : PTOWSP_FENCE_DEVICE, 0, walk->at);
}

/* A name means the same in the programs of all devices, whatever its number is in each. */
static uint32_t notification_of(const struct lang_graph_object *object)
{
	return object->numeric ? object->number : pkg_graph_notification(object->name);
}

static void notify_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst, unsigned opcode)
{
	if (inst->args[0].value > UINT16_MAX) {
		lang_error(walk->lower->unit, inst->args[0].at, "there is no device %llu; devices of a run are numbered from 0, at most to %u",
			   (unsigned long long)inst->args[0].value, UINT16_MAX);
		return;
	}
	lang_word_add_at(walk->lower, opcode, (uint32_t)inst->args[0].value, notification_of(inst->args[1].object), walk->at);
}

static void launch_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	struct lang_graph_launch *outer = walk->launch;
	uint32_t iteration = walk->iteration;

	if (inst->op == PTOWSP_TG_INVOKE)
		iteration = scalar_expr(walk, inst->args[1].scalar);
	walk->launch = lang_graph_launch_of(walk->lowering, inst);
	walk->iteration = iteration;
	walk->open_count = walk->barrier_count = 0;
	if (inst->op == PTOWSP_MC_COPY)
		copy_emit(walk, inst);
	else if (inst->op == PTOWSP_TG_CHECKPOINT || inst->op == PTOWSP_TG_RESTORE)
		checkpoint_emit(walk, inst);
	else
		block_emit(walk, walk->launch->graph->body);
	walk->launch = outer;
	walk->iteration = lang_expr_const(&walk->lower->tables->exprs, 0);
}

static void inst_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	walk->at = inst->at;
	switch (inst->op) {
	case PTOWSP_TG_KERNEL: kernel_emit(walk, lang_graph_kernel(inst->args[0].object)); break;
	case PTOWSP_MC_COPY:
		if (walk->launch)
			copy_emit(walk, inst);
		else
			launch_emit(walk, inst);
		break;
	case PTOWSP_TG_LAUNCH:
	case PTOWSP_TG_INVOKE:
	case PTOWSP_TG_CHECKPOINT:
	case PTOWSP_TG_RESTORE: launch_emit(walk, inst); break;
	case PTOWSP_MC_FREE: lang_graph_free_emit(walk, inst); break;
	case PTOWSP_MC_FENCE: fence_emit(walk, inst); break;
	case PTOWSP_SY_NOTIFY: notify_emit(walk, inst, PTOWSP_OP_NOTIFY); break;
	case PTOWSP_SY_WAIT_NOTIFY: notify_emit(walk, inst, PTOWSP_OP_WAIT_NOTIFY); break;
	case PTOWSP_CF_IF: if_emit(walk, inst); break;
	case PTOWSP_CF_LOOP:
	case PTOWSP_CF_WHILE: loop_emit(walk, inst); break;
	case PTOWSP_CF_BREAK: break_emit(walk, scalar_expr(walk, inst->args[0].scalar)); break;
	default: break; /* definitions, edges, hints: no code of their own */
	}
}

static void block_emit(struct lang_graph_walk *walk, const struct lang_graph_block *block)
{
	uint32_t homes = lang_graph_homes_find(walk, block);

	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (homes)
			lang_graph_wants_emit(walk, block, inst);
		inst_emit(walk, inst);
	}
}

/* --- the whole program --- */

void lang_graph_code(struct lang_lower *lower, struct lang_decl *decl)
{
	struct lang_graph_lowering *lowering = ((struct lang_graph_program *)decl)->lowering;
	struct lang_graph_walk walk = {.lower = lower, .lowering = lowering, .at = decl->at};

	lang_entry_begin(lower, decl->row);
	lower->graph = 1;
	walk.iteration = lang_expr_const(&lower->tables->exprs, 0);
	lang_graph_allocs_emit(&walk);
	block_emit(&walk, &lowering->program->body);
	walk.at = decl->at;
	lang_graph_events_end(&walk);
	lang_word_add(lower, PTOWSP_OP_HALT, 0, 0, walk.at);
	lower->graph = 0;
	lang_entry_end(lower, 0);
}
