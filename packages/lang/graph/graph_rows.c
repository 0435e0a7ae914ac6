/* SPDX-License-Identifier: MIT */
/* graph_rows.c - the rows that a graph program has in the tables with ids: a kernel per TG_KERNEL, tensors, slots for task numbers, loaded elements and
 * scalars, events that may stay away; and where its code takes and frees tensors. */
#include "lang/graph/graph_lower.h"
#include "lang/lang_kernel.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* --- names --- */

static bool is_row_taken(struct lang_lower *lower, uint32_t section, const char *name)
{
	if (lang_row_find(lang_rows_of(lower, section), name) != PTOWSP_NONE)
		return true;
	return section == PTOWSP_SECTION_KREG && lang_map_find(&lower->module->functions, name);
}

/* A free name, as short as it can be: K, graph.K, program.graph.K */
static const char *row_name(struct lang_lower *lower, uint32_t section, const char *program, const char *graph, const char *name)
{
	struct common_arena *arena = &lower->unit->arena;

	if (is_row_taken(lower, section, name) && graph)
		name = common_format(arena, "%s.%s", graph, name);
	return is_row_taken(lower, section, name) ? common_format(arena, "%s.%s", program, name) : name;
}

/* A row that the compiler makes; write: once all rows have their places. */
static void row_add(struct lang_lower *lower, uint32_t section, const char *name, struct lang_made *made,
		    void (*build)(struct lang_lower *lower, struct lang_made *made, const char *name))
{
	made->build = build;
	lang_row_add(lower, lang_rows_of(lower, section), name)->made = made;
}

/* ---- tensors of graph programs: a row per tensor id, per saved one, and per mark of a checkpoint; where they are taken and freed. ---- */

#define SHAPELESS UINT64_MAX /* of the shape of what is bound */

/* A tensor of one dimension. */
static void tensor_build(struct lang_lower *lower, const char *name, struct ptowsp_tensor_record record, uint64_t elements)
{
	struct build_tensor tensor = {.record = record};

	tensor.record.entry = PTOWSP_NONE;
	if (elements != SHAPELESS)
		build_tensor_dim(lower->build, &tensor, (struct ptowsp_dim_record){.extent = lang_expr_const(&lower->tables->exprs, elements)});
	else
		tensor.record.flags = PTOWSP_TENSOR_SHAPELESS;
	build_tensor_add(lower->build, name, &tensor);
}

static unsigned space_of(unsigned location)
{
	switch (location) {
	case PTOWSP_location_L2: return PTOWSP_SPACE_L2;
	case PTOWSP_location_HBM: return PTOWSP_SPACE_HBM;
	case PTOWSP_location_SHARED: return PTOWSP_SPACE_SHARED;
	default: return PTOWSP_SPACE_GM;
	}
}

static unsigned role_of(const struct lang_graph_memory *memory)
{
	switch (memory->tensor->access) {
	case PTOWSP_READ: return PTOWSP_ROLE_IN;
	case PTOWSP_WRITE: return PTOWSP_ROLE_OUT;
	default: return PTOWSP_ROLE_INOUT;
	}
}

static void memory_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	const struct lang_graph_memory *memory = (const struct lang_graph_memory *)made;
	const struct lang_graph_tensor *tensor = memory->tensor;
	struct ptowsp_tensor_record record = {.dtype = memory->dtype, .position = tensor->object.index, .role = (uint16_t)role_of(memory)};

	if (tensor->object.defined) {
		record.role = PTOWSP_ROLE_TEMP;
		record.location = (uint16_t)space_of(tensor->location);
		record.alignment = tensor->alignment;
	}
	tensor_build(lower, name, record, tensor->object.defined ? memory->elements : SHAPELESS);
}

static void save_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	const struct lang_graph_save *save = (const struct lang_graph_save *)made;

	tensor_build(lower, name,
		     (struct ptowsp_tensor_record){.dtype = save->memory->dtype, .role = PTOWSP_ROLE_OUT, .alignment = save->memory->tensor->alignment},
		     save->elements);
}

/* The name of such a row ends in a character that no id has: who looks for checkpoints finds them by that. */
static void mark_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	(void)made;
	tensor_build(lower, name, (struct ptowsp_tensor_record){.dtype = PTOWSP_U8, .role = PTOWSP_ROLE_OUT}, LANG_GRAPH_MARK_BYTES);
}

/* Marks, by tensor, that the graph is bound to it or copies into it. */
static void touches_find(const struct lang_graph_lowering *lowering, const struct lang_graph *graph, uint8_t *touched)
{
	const struct lang_graph_launch *launch = NULL;

	for (uint32_t k = 0; k < graph->kernel_count; k++)
		for (uint32_t b = 0; b < graph->kernels[k]->bind_count; b++)
			touched[graph->kernels[k]->binds[b]->tensor->object.index] = 1;
	for (uint32_t i = 0; i < lowering->launch_count && !launch; i++)
		if (lowering->launches[i].graph == graph)
			launch = &lowering->launches[i];
	for (uint32_t c = 0; launch && c < launch->copy_count; c++)
		touched[lang_graph_tensor(launch->copies[c]->args[1].object)->object.index] = 1;
}

static bool prefix_taken(struct lang_lower *lower, const char *prefix)
{
	const struct lang_rows *rows = lang_rows_of(lower, PTOWSP_SECTION_TENS);
	size_t length = strlen(prefix);

	for (uint32_t i = 0; i < rows->count; i++)
		if (!strncmp(rows->rows[i].name, prefix, length) && rows->rows[i].name[length] == '.')
			return true;
	return false;
}

/* "C", where all tensors of the checkpoint are called C.something, and nothing else is. */
static const char *prefix_find(struct lang_lower *lower, const char *program, const char *checkpoint)
{
	const char *prefix = checkpoint;

	for (unsigned n = 1; prefix_taken(lower, prefix); n++)
		prefix = n > 1 ? common_format(&lower->unit->arena, "%s.%s.%u", program, checkpoint, n)
			       : common_format(&lower->unit->arena, "%s.%s", program, checkpoint);
	return prefix;
}

static void mark_add(struct lang_lower *lower, struct lang_graph_lowering *lowering, const struct lang_graph_object *checkpoint, const char *prefix)
{
	struct lang_graph_mark *mark = common_alloc(&lower->unit->arena, sizeof(*mark));

	mark->checkpoint = checkpoint;
	mark->next = lowering->marks;
	lowering->marks = mark;
	row_add(lower, PTOWSP_SECTION_TENS, common_format(&lower->unit->arena, "%s.@", prefix), &mark->made, mark_build);
}

static void save_add(struct lang_lower *lower, struct lang_graph_lowering *lowering, const struct lang_graph_inst *inst, struct lang_graph_memory *memory,
		     const char *prefix)
{
	struct lang_graph_save *save = common_alloc(&lower->unit->arena, sizeof(*save));
	const struct lang_graph_tensor *tensor = memory->tensor;
	const char *checkpoint = inst->args[1].object->name;

	save->memory = memory;
	save->checkpoint = inst->args[1].object;
	save->elements = (tensor->room ? tensor->room : tensor->open ? 0 : tensor->size) / common_dtype_bytes(memory->dtype);
	save->next = lowering->saves;
	lowering->saves = save;
	if (save->elements) {
		row_add(lower, PTOWSP_SECTION_TENS, common_format(&lower->unit->arena, "%s.%s", prefix, memory->name), &save->made, save_build);
		return;
	}
	lang_error(lower->unit, inst->at, "nothing says how large tensor %s is, so the checkpoint %s cannot save it", tensor->object.name, checkpoint);
	lang_help(lower->unit, "give the bindings that write it a size, or declare or allocate it");
}

static void saves_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	const struct lang_graph_program *program = lowering->program;

	for (uint32_t i = 0; i < lowering->launch_count; i++) {
		const struct lang_graph_inst *inst = lowering->launches[i].inst;
		const char *prefix;
		uint8_t *touched;

		if (inst->op != PTOWSP_TG_CHECKPOINT)
			continue;
		prefix = prefix_find(lower, program->head.name, inst->args[1].object->name);
		mark_add(lower, lowering, inst->args[1].object, prefix);
		touched = common_alloc(&lower->unit->arena, program->tensor_count + 1);
		touches_find(lowering, lang_graph_of(inst->args[0].object), touched);
		for (uint32_t t = 0; t < program->tensor_count; t++)
			/* A use that only reads loses nothing. */
			if (touched[t] && program->tensors[t]->access != PTOWSP_READ)
				save_add(lower, lowering, inst, &lowering->memories[t], prefix);
	}
}

uint32_t lang_graph_tensor_row(const struct lang_graph_memory *memory)
{
	if (memory->declared)
		return memory->declared->head.row;
	return (memory->shared ? memory->shared : memory)->made.row;
}

/* Externals of one name are one tensor in all programs, as long as they are of one type; and what the module declares is that tensor. */
static bool shared_find(struct lang_graph_lowering *lowering, struct lang_graph_memory *memory)
{
	const char *name = memory->tensor->object.name;

	if (memory->tensor->object.defined)
		return false;
	memory->name = name;
	if (memory->declared && memory->declared->dtype != memory->dtype) {
		lang_error(lowering->unit, memory->tensor->object.at,
			   "%%%s is %s, and the kernels that it is bound to see other types, or bytes between its elements", name,
			   common_dtype_text(memory->declared->dtype));
		lang_help(lowering->unit, "copy it in a kernel into an allocation, whose bytes may be seen as elements of several types");
	}
	for (const struct lang_decl *decl = lowering->module->decls; decl && !memory->declared && !memory->shared; decl = decl->next) {
		const struct lang_graph_lowering *other = decl->kind == LANG_DECL_GRAPH ? ((const struct lang_graph_program *)decl)->lowering : NULL;
		const struct lang_graph_object *object = other ? lang_graph_find(other->program, PTOWSP_GRAPH_TENSOR, name) : NULL;
		struct lang_graph_memory *m = object ? &other->memories[object->index] : NULL;

		if (!m || m->tensor->object.defined || m->shared || m->dtype != memory->dtype)
			continue;
		memory->shared = m;
		m->tensor->access |= memory->tensor->access;
	}
	return memory->declared || memory->shared;
}

/* Tensors, those of checkpoints too. */
static void memories_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->program->tensor_count; i++) {
		struct lang_graph_memory *memory = &lowering->memories[i];

		if (shared_find(lowering, memory))
			continue;
		memory->name = row_name(lower, PTOWSP_SECTION_TENS, lowering->program->head.name, NULL, memory->tensor->object.name);
		row_add(lower, PTOWSP_SECTION_TENS, memory->name, &memory->made, memory_build);
	}
	saves_declare(lower, lowering);
}

/* ---- where the code of a graph program takes and frees its tensors. ---- */

static void alloc_emit(struct lang_graph_walk *walk, const struct lang_graph_memory *memory)
{
	lang_word_add(walk->lower, PTOWSP_OP_ALLOC, 0, lang_graph_tensor_row(memory), walk->at);
}

/* A tensor of the block, at its first use: taken. */
static void memory_want(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_object *tensor)
{
	struct lang_graph_memory *memory = &walk->lowering->memories[tensor->index];

	if (memory->home != home || memory->there)
		return;
	memory->there = 1;
	walk->at = tensor->inst->at;
	alloc_emit(walk, memory);
}

static void scalar_wants(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_scalar *scalar)
{
	if (!scalar)
		return;
	if (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT)
		memory_want(walk, home, scalar->object);
	scalar_wants(walk, home, scalar->a);
	scalar_wants(walk, home, scalar->b);
	scalar_wants(walk, home, scalar->c);
}

static void kernel_wants(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->bind_count; i++) {
		memory_want(walk, home, &kernel->binds[i]->tensor->object);
		scalar_wants(walk, home, kernel->binds[i]->offset);
		scalar_wants(walk, home, kernel->binds[i]->size);
	}
}

void lang_graph_wants_emit(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_inst *inst)
{
	const struct lang_graph_block *blocks[] = {&inst->body, &inst->other};

	for (unsigned i = 0; i < inst->arg_count; i++)
		scalar_wants(walk, home, inst->args[i].scalar);
	if (inst->op == PTOWSP_TG_KERNEL)
		kernel_wants(walk, home, lang_graph_kernel(inst->args[0].object));
	else if (inst->op == PTOWSP_MC_ALLOC)
		memory_want(walk, home, inst->args[0].object);
	else if (inst->op == PTOWSP_MC_COPY)
		for (unsigned i = 0; i < 2; i++)
			memory_want(walk, home, inst->args[i].object);
	else if (inst->op == PTOWSP_TG_LAUNCH || inst->op == PTOWSP_TG_INVOKE)
		blocks[0] = lang_graph_of(inst->args[0].object)->body;
	for (unsigned i = 0; i < 2 && inst->op != PTOWSP_TG_BEGIN; i++)
		for (const struct lang_graph_inst *inner = blocks[i]->first; inner; inner = inner->next)
			lang_graph_wants_emit(walk, home, inner);
}

uint32_t lang_graph_homes_find(struct lang_graph_walk *walk, const struct lang_graph_block *block)
{
	uint32_t count = 0;

	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_MC_ALLOC && walk->lowering->memories[inst->args[0].object->index].freed_inside) {
			walk->lowering->memories[inst->args[0].object->index].home = block;
			count++;
		}
	return count;
}

void lang_graph_free_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	struct lang_graph_memory *memory = lang_graph_memory_of(walk, lang_graph_tensor(inst->args[0].object));

	memory->there = 0;
	lang_word_add_at(walk->lower, PTOWSP_OP_FREE, 0, lang_graph_tensor_row(memory), walk->at);
}

void lang_graph_allocs_emit(struct lang_graph_walk *walk)
{
	const struct lang_graph_program *program = walk->lowering->program;

	for (uint32_t i = 0; i < program->tensor_count; i++)
		if (program->tensors[i]->object.defined && !walk->lowering->memories[i].freed_inside)
			alloc_emit(walk, &walk->lowering->memories[i]);
}

/* --- kernels --- */

static unsigned unit_of(unsigned core_type)
{
	switch (core_type) {
#define X(NAME, code, text, unit)                                                                                                                              \
	case code:                                                                                                                                             \
		return PTOWSP_UNIT_##unit;
#include "ptowsp/core.def"
#undef X
	default: return PTOWSP_UNIT_ANY;
	}
}

static void params_build(struct lang_lower *lower, const struct lang_graph_node_row *row, uint32_t kernel)
{
	for (uint32_t i = 0; i < row->kernel->arg_count; i++) {
		const struct lang_graph_bind *bind = lang_graph_bind_of(row->kernel, i);
		struct build_param param = {.kernel = kernel, .record = {.kind = PTOWSP_PARAM_TENSOR}};

		param.record.dtype = bind ? row->lowering->memories[bind->tensor->object.index].dtype : PTOWSP_U8;
		param.record.access = bind ? (uint16_t)lang_graph_access(row->lowering, row->kernel, bind) : 0;
		build_param_add(lower->build, common_format(&lower->unit->arena, "arg%u", i), param);
	}
}

static void kernel_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	const struct lang_graph_node_row *row = (const struct lang_graph_node_row *)made;
	const struct lang_graph_kernel *kernel = row->kernel;
	struct ptowsp_build *b = lower->build;
	const struct ptowsp_kernel_record record = {.unit = (uint16_t)unit_of(kernel->core_type), .blockdim = kernel->blockdim, .workspace = kernel->workspace};
	uint32_t at;

	lang_at(lower, kernel->object.inst ? kernel->object.inst->at : kernel->object.at);
	at = kernel->decl ? lang_kernel_row_build(lower, kernel->decl, name, record) : build_kernel_add(b, name, record);
	if (kernel->function) {
		lang_params_build(lower, at, kernel->function, NULL);
		lang_function_payload(lower, at, kernel->function);
		return;
	}
	if (!kernel->decl)
		params_build(lower, row, at);
	if (!b->kernels[at].record.symbol && strcmp(row->name, kernel->entry))
		b->kernels[at].record.symbol = build_string(b, kernel->entry);
}

static bool rows_are_shared(const struct lang_module *module)
{
	uint64_t count = 0;

	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_GRAPH)
			count += ((const struct lang_graph_program *)decl)->kernel_count;
	return count > LANG_GRAPH_ROWS_LIMIT;
}

/* All that its row will say. */
static const char *row_text(struct lang_lower *lower, const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel)
{
	struct common_arena *arena = &lower->unit->arena;
	const char *text = common_format(arena, "%s %u %u %llu", kernel->entry, kernel->blockdim, kernel->core_type, (unsigned long long)kernel->workspace);

	for (uint32_t i = 0; !kernel->function && !kernel->decl && i < kernel->arg_count; i++) {
		const struct lang_graph_bind *bind = lang_graph_bind_of(kernel, i);

		text = common_format(arena, "%s %u.%u", text, bind ? lowering->memories[bind->tensor->object.index].dtype : 0u,
				     bind ? lang_graph_access(lowering, kernel, bind) : 0u);
	}
	return text;
}

/* The entry's name, or the next one like it that is free. */
static const char *entry_name(struct lang_lower *lower, const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel)
{
	const char *name = kernel->entry;

	for (uint32_t i = lowering->shared_rows.count; is_row_taken(lower, PTOWSP_SECTION_KREG, name); i++)
		name = common_format(&lower->unit->arena, "%s.%u", kernel->entry, i);
	return name;
}

static void kernel_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering, struct lang_graph_node_row *row, int shared)
{
	const struct lang_graph_kernel *kernel = row->kernel;
	const char *text = shared ? row_text(lower, lowering, kernel) : NULL;
	struct lang_graph_node_row *same = shared ? lang_map_find(&lowering->shared_rows, text) : NULL;

	if (same) {
		row->same = same;
		return;
	}
	row->name = shared ? entry_name(lower, lowering, kernel)
			   : row_name(lower, PTOWSP_SECTION_KREG, lowering->program->head.name, kernel->object.graph ? kernel->object.graph->object.name : NULL,
				      kernel->object.name);
	row_add(lower, PTOWSP_SECTION_KREG, row->name, &row->made, kernel_build);
	if (shared)
		lang_map_add(&lowering->shared_rows, &lower->unit->arena, text, row);
}

static void kernels_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	struct lang_graph_program *program = lowering->program;

	for (uint32_t i = 0; i < program->kernel_count; i++) {
		struct lang_graph_node_row *row = &lowering->kernels[i];

		*row = (struct lang_graph_node_row){.kernel = program->kernels[i], .lowering = lowering, .same = row};
		kernel_declare(lower, lowering, row, lower->graph_rows_shared);
	}
}

/* --- slots and events --- */

static void number_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	(void)made;
	build_slot_add(lower->build, name,
		       (struct ptowsp_slot_record){.kind = PTOWSP_SLOT_SLOT,
						   .dtype = PTOWSP_I64,
						   .flags = PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL,
						   .value = UINT64_MAX}); /* no task yet */
}

static void slot_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	const struct lang_graph_scalar *element = ((const struct lang_graph_slot *)made)->element;

	build_slot_add(lower->build, name,
		       (struct ptowsp_slot_record){.kind = element ? PTOWSP_SLOT_SLOT : PTOWSP_SLOT_SYMBOL,
						   .dtype = element ? element->dtype : PTOWSP_U64,
						   .flags = element ? PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL : 0});
}

static void event_build(struct lang_lower *lower, struct lang_made *made, const char *name)
{
	(void)made;
	build_event_add(lower->build, name);
}

static bool symbol_of_function(const struct lang_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->symbol_count; i++)
		if (!strcmp(module->symbols[i]->name, name))
			return true;
	return lang_decl_find(module, '%', name) != NULL;
}

static void scalar_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering, struct lang_graph_scalar *scalar)
{
	struct common_arena *arena = &lower->unit->arena;
	struct lang_graph_slot *slot;

	if (!scalar)
		return;
	scalar_declare(lower, lowering, scalar->a);
	scalar_declare(lower, lowering, scalar->b);
	scalar_declare(lower, lowering, scalar->c);
	if (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT && !scalar->slot) {
		slot = scalar->slot = common_alloc(arena, sizeof(*slot));
		slot->element = scalar;
		row_add(lower, PTOWSP_SECTION_SLOT, common_format(arena, "@%s.element%u", lowering->program->head.name, lowering->elements++), &slot->made,
			slot_build);
	} else if (scalar->op == PTOWSP_EXPR_VALUE && !lang_map_find(&lowering->scalars, scalar->object->name) &&
		   !symbol_of_function(lower->module, scalar->object->name)) {
		slot = common_alloc(arena, sizeof(*slot));
		lang_map_add(&lowering->scalars, arena, scalar->object->name, slot);
		if (!is_row_taken(lower, PTOWSP_SECTION_SLOT, scalar->object->name))
			row_add(lower, PTOWSP_SECTION_SLOT, scalar->object->name, &slot->made, slot_build);
	}
}

static void block_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		for (unsigned i = 0; i < inst->arg_count; i++)
			scalar_declare(lower, lowering, inst->args[i].scalar);
		block_declare(lower, lowering, &inst->body);
		block_declare(lower, lowering, &inst->other);
	}
}

static void numbers_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	for (uint32_t i = 0; lowering->dynamic && i < lowering->launch_count; i++)
		for (uint32_t n = 0; n < lowering->launches[i].node_count; n++)
			if (lowering->launches[i].nodes[n].named)
				row_add(lower, PTOWSP_SECTION_SLOT, common_format(&lower->unit->arena, "@%s.launch%u.%u", lowering->program->head.name, i, n),
					&lowering->launches[i].nodes[n].slot, number_build);
}

static void events_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	struct lang_graph_program *program = lowering->program;

	lowering->events = common_alloc(&lower->unit->arena, (program->object_count + 1) * sizeof(*lowering->events));
	for (uint32_t i = 0; i < program->object_count; i++) {
		struct lang_graph_event *event = &lowering->events[i];

		if (program->objects[i]->kind != PTOWSP_GRAPH_EVENT)
			continue;
		event->object = program->objects[i];
		row_add(lower, PTOWSP_SECTION_EVNT, row_name(lower, PTOWSP_SECTION_EVNT, program->head.name, NULL, program->objects[i]->name), &event->made,
			event_build);
	}
}

static struct lang_graph_lowering *declare(struct lang_lower *lower, struct lang_graph_program *program)
{
	struct common_arena *arena = &lower->unit->arena;
	struct lang_graph_lowering *lowering = common_alloc(arena, sizeof(*lowering));

	lowering->unit = lower->unit;
	lowering->module = lower->module;
	lowering->program = program;
	lowering->memories = common_alloc(arena, (program->tensor_count + 1) * sizeof(*lowering->memories));
	lowering->kernels = common_alloc(arena, (program->kernel_count + 1) * sizeof(*lowering->kernels));
	lang_graph_links_make(lowering);
	lang_graph_types_find(lowering);
	lang_graph_launches_find(lowering);
	lang_graph_nodes_name(lowering);
	memories_declare(lower, lowering);
	kernels_declare(lower, lowering);
	block_declare(lower, lowering, &program->body);
	for (uint32_t i = 0; i < program->bind_count; i++) {
		scalar_declare(lower, lowering, program->binds[i]->offset);
		scalar_declare(lower, lowering, program->binds[i]->size);
	}
	numbers_declare(lower, lowering);
	events_declare(lower, lowering);
	return lowering;
}

void lang_graphs_declare(struct lang_lower *lower)
{
	lower->graph_rows_shared = rows_are_shared(lower->module);
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_GRAPH) {
			struct lang_graph_program *program = (struct lang_graph_program *)decl;

			program->lowering = declare(lower, program);
		}
}
