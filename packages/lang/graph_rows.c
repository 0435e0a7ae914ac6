/* SPDX-License-Identifier: MIT */
/* graph_rows.c - rows that a graph program has in the tables with ids: a kernel per TG_KERNEL, a tensor per tensor id and per saved one, slots for
 * task numbers, loaded elements and scalars, events that may stay away. */
#include "lang/graph_lower.h"
#include "lang/kernel.h"

#include <string.h>

/* --- names --- */

static int row_taken(struct lang_lower *lower, uint32_t section, const char *name)
{
	if (lang_row_find(lang_rows_of(lower, section), name) != PTOWSP_NONE)
		return 1;
	return section == PTOWSP_SECTION_KREG && lang_map_find(&lower->module->functions, name);
}

/* As short as it can be: K, graph.K, program.graph.K */
static const char *name_find(struct lang_lower *lower, uint32_t section, const char *program, const char *graph, const char *name)
{
	struct lang_arena *arena = &lower->unit->arena;

	if (row_taken(lower, section, name) && graph)
		name = lang_format(arena, "%s.%s", graph, name);
	return row_taken(lower, section, name) ? lang_format(arena, "%s.%s", program, name) : name;
}

static void made_add(struct lang_lower *lower, uint32_t section, const char *name, struct lang_made *made,
		     void (*write)(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name))
{
	made->write = write;
	lang_row_add(lower, lang_rows_of(lower, section), name)->made = made;
}

/* --- tensors --- */

static uint32_t dims_write(struct lang_lower *lower, uint64_t elements)
{
	struct ptowsp_dim_record dim = {.extent = lang_expr_const(&lower->tables.exprs, elements)};

	return pkg_writer_row(lower->writer, PTOWSP_SECTION_DIMS, &dim, sizeof(dim));
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

static void memory_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	const struct lang_graph_memory *memory = (const struct lang_graph_memory *)made;
	const struct lang_graph_tensor *tensor = memory->tensor;
	struct ptowsp_tensor_record record = {.id = id, .name = name, .dtype = memory->dtype, .entry = PTOWSP_NONE, .position = tensor->object.index};

	if (tensor->object.defined) {
		record.role = PTOWSP_ROLE_TEMP;
		record.location = (uint16_t)space_of(tensor->location);
		record.alignment = tensor->alignment;
		record.dims = dims_write(lower, memory->elements);
		record.dim_count = 1;
	} else {
		record.role = (uint16_t)role_of(memory);
		record.flags = PTOWSP_TENSOR_SHAPELESS;
	}
	pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
}

static void save_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	const struct lang_graph_save *save = (const struct lang_graph_save *)made;
	struct ptowsp_tensor_record record = {.id = id, .name = name, .dtype = save->memory->dtype, .entry = PTOWSP_NONE, .role = PTOWSP_ROLE_OUT,
					      .alignment = save->memory->tensor->alignment, .dim_count = 1};

	record.dims = dims_write(lower, save->elements);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
}

/* Its name ends in a character that no id has: who looks for checkpoints finds them by that. */
static void mark_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	struct ptowsp_tensor_record record = {.id = id, .name = name, .dtype = PTOWSP_U8, .entry = PTOWSP_NONE, .role = PTOWSP_ROLE_OUT, .dim_count = 1};

	(void)made;
	record.dims = dims_write(lower, 2);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
}

/* By tensor: the graph is bound to it, or copies into it. */
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

static int prefix_taken(struct lang_lower *lower, const char *prefix)
{
	const struct lang_rows *rows = lang_rows_of(lower, PTOWSP_SECTION_TENS);
	size_t length = strlen(prefix);

	for (uint32_t i = 0; i < rows->count; i++)
		if (!strncmp(rows->rows[i].name, prefix, length) && rows->rows[i].name[length] == '.')
			return 1;
	return 0;
}

/* "C", where all tensors of the checkpoint are called C.something, and nothing else is. */
static const char *prefix_find(struct lang_lower *lower, const char *program, const char *checkpoint)
{
	const char *prefix = checkpoint;

	for (unsigned n = 1; prefix_taken(lower, prefix); n++)
		prefix = n > 1 ? lang_format(&lower->unit->arena, "%s.%s.%u", program, checkpoint, n)
			       : lang_format(&lower->unit->arena, "%s.%s", program, checkpoint);
	return prefix;
}

static void mark_add(struct lang_lower *lower, struct lang_graph_lowering *lowering, const struct lang_graph_object *checkpoint, const char *prefix)
{
	struct lang_graph_mark *mark = lang_alloc(&lower->unit->arena, sizeof(*mark));

	mark->checkpoint = checkpoint;
	mark->next = lowering->marks;
	lowering->marks = mark;
	made_add(lower, PTOWSP_SECTION_TENS, lang_format(&lower->unit->arena, "%s.@", prefix), &mark->made, mark_write);
}

static void save_add(struct lang_lower *lower, struct lang_graph_lowering *lowering, const struct lang_graph_inst *inst,
		     struct lang_graph_memory *memory, const char *prefix)
{
	struct lang_graph_save *save = lang_alloc(&lower->unit->arena, sizeof(*save));
	const struct lang_graph_tensor *tensor = memory->tensor;
	const char *checkpoint = inst->args[1].object->name;

	save->memory = memory;
	save->checkpoint = inst->args[1].object;
	save->elements = (tensor->room ? tensor->room : tensor->open ? 0 : tensor->size) / lang_graph_dtype_bytes(memory->dtype);
	save->next = lowering->saves;
	lowering->saves = save;
	if (save->elements) {
		made_add(lower, PTOWSP_SECTION_TENS, lang_format(&lower->unit->arena, "%s.%s", prefix, memory->name), &save->made, save_write);
		return;
	}
	lang_error(lower->unit, inst->at, "nothing says how large tensor %s is, so the checkpoint %s cannot save it", tensor->object.name,
		   checkpoint);
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
		touched = lang_alloc(&lower->unit->arena, program->tensor_count + 1);
		touches_find(lowering, lang_graph_of(inst->args[0].object), touched);
		for (uint32_t t = 0; t < program->tensor_count; t++)
			/* What only reads cannot be lost. */
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
static int shared_find(struct lang_graph_lowering *lowering, struct lang_graph_memory *memory)
{
	const char *name = memory->tensor->object.name;

	if (memory->tensor->object.defined)
		return 0;
	memory->name = name;
	if (memory->declared && memory->declared->dtype != memory->dtype) {
		lang_error(lowering->unit, memory->tensor->object.at, "%%%s is %s, and the kernels that it is bound to see other types, or bytes between its elements",
			   name, lang_dtype_text(memory->declared->dtype));
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

static void memories_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->program->tensor_count; i++) {
		struct lang_graph_memory *memory = &lowering->memories[i];

		if (shared_find(lowering, memory))
			continue;
		memory->name = name_find(lower, PTOWSP_SECTION_TENS, lowering->program->head.name, NULL, memory->tensor->object.name);
		made_add(lower, PTOWSP_SECTION_TENS, memory->name, &memory->made, memory_write);
	}
	saves_declare(lower, lowering);
}

/* --- kernels --- */

static unsigned unit_of(unsigned core_type)
{
	switch (core_type) {
#define X(NAME, code, text, unit) \
	case code: return PTOWSP_UNIT_##unit;
#include "ptowsp/core.def"
#undef X
	default: return PTOWSP_UNIT_ANY;
	}
}

static uint32_t params_write(struct lang_lower *lower, const struct lang_graph_node_row *row)
{
	uint32_t first = pkg_writer_count(lower->writer, PTOWSP_SECTION_KPRM);

	for (uint32_t i = 0; i < row->kernel->arg_count; i++) {
		const struct lang_graph_bind *bind = lang_graph_bind_of(row->kernel, i);
		struct ptowsp_param_record record = {
			.name = pkg_writer_string(lower->writer, lang_format(&lower->unit->arena, "arg%u", i)), .kind = PTOWSP_PARAM_TENSOR};

		record.dtype = bind ? row->lowering->memories[bind->tensor->object.index].dtype : PTOWSP_U8;
		record.access = bind ? (uint16_t)lang_graph_access(row->lowering, row->kernel, bind) : 0;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
	}
	return first;
}

static void kernel_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	const struct lang_graph_node_row *row = (const struct lang_graph_node_row *)made;
	const struct lang_graph_kernel *kernel = row->kernel;
	struct ptowsp_kernel_record record = {.id = id,
					      .name = name,
					      .unit = (uint16_t)unit_of(kernel->core_type),
					      .blockdim = kernel->blockdim,
					      .workspace = kernel->workspace};

	if (kernel->function) {
		lang_kernel_rows(lower, kernel->function, &record);
	} else if (kernel->decl) {
		lang_kernel_fill(lower, kernel->decl, &record);
	} else {
		record.params = params_write(lower, row);
		record.param_count = kernel->arg_count;
	}
	if (!kernel->function && !record.symbol && strcmp(row->name, kernel->entry))
		record.symbol = pkg_writer_string(lower->writer, kernel->entry);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_KREG, &record, sizeof(record));
	lang_debug_add(lower, 1, made->row, kernel->object.inst ? kernel->object.inst->at : kernel->object.at);
}

static int rows_are_shared(const struct lang_module *module)
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
	struct lang_arena *arena = &lower->unit->arena;
	const char *text = lang_format(arena, "%s %u %u %llu", kernel->entry, kernel->blockdim, kernel->core_type, (unsigned long long)kernel->workspace);

	for (uint32_t i = 0; !kernel->function && !kernel->decl && i < kernel->arg_count; i++) {
		const struct lang_graph_bind *bind = lang_graph_bind_of(kernel, i);

		text = lang_format(arena, "%s %u.%u", text, bind ? lowering->memories[bind->tensor->object.index].dtype : 0u,
				   bind ? lang_graph_access(lowering, kernel, bind) : 0u);
	}
	return text;
}

/* The entry's name, or the next one like it that is free. */
static const char *entry_name(struct lang_lower *lower, const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel)
{
	const char *name = kernel->entry;

	for (uint32_t i = lowering->alike.count; row_taken(lower, PTOWSP_SECTION_KREG, name); i++)
		name = lang_format(&lower->unit->arena, "%s.%u", kernel->entry, i);
	return name;
}

static void kernel_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering, struct lang_graph_node_row *row, int shared)
{
	const struct lang_graph_kernel *kernel = row->kernel;
	const char *text = shared ? row_text(lower, lowering, kernel) : NULL;
	struct lang_graph_node_row *same = shared ? lang_map_find(&lowering->alike, text) : NULL;

	if (same) {
		row->same = same;
		return;
	}
	row->name = shared ? entry_name(lower, lowering, kernel)
			   : name_find(lower, PTOWSP_SECTION_KREG, lowering->program->head.name,
				       kernel->object.graph ? kernel->object.graph->object.name : NULL, kernel->object.name);
	made_add(lower, PTOWSP_SECTION_KREG, row->name, &row->made, kernel_write);
	if (shared)
		lang_map_add(&lowering->alike, &lower->unit->arena, text, row);
}

static void kernels_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	struct lang_graph_program *program = lowering->program;
	int shared = rows_are_shared(lower->module);

	for (uint32_t i = 0; i < program->kernel_count; i++) {
		struct lang_graph_node_row *row = &lowering->kernels[i];

		*row = (struct lang_graph_node_row){.kernel = program->kernels[i], .lowering = lowering, .same = row};
		kernel_declare(lower, lowering, row, shared);
	}
}

/* --- slots and events --- */

static void number_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	struct ptowsp_slot_record record = {.id = id,
					    .name = name,
					    .kind = PTOWSP_SLOT_SLOT,
					    .dtype = PTOWSP_I64,
					    .flags = PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL,
					    .value = UINT64_MAX}; /* no task yet */

	(void)made;
	pkg_writer_row(lower->writer, PTOWSP_SECTION_SLOT, &record, sizeof(record));
}

static void slot_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	const struct lang_graph_slot *slot = (const struct lang_graph_slot *)made;
	struct ptowsp_slot_record record = {.id = id, .name = name};

	record.kind = slot->element ? PTOWSP_SLOT_SLOT : PTOWSP_SLOT_SYMBOL;
	record.dtype = slot->element ? slot->element->dtype : PTOWSP_U64;
	record.flags = slot->element ? PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL : 0;
	pkg_writer_row(lower->writer, PTOWSP_SECTION_SLOT, &record, sizeof(record));
}

static void event_write(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name)
{
	struct ptowsp_event_record record = {.id = id, .name = name};

	(void)made;
	pkg_writer_row(lower->writer, PTOWSP_SECTION_EVNT, &record, sizeof(record));
}

static int symbol_of_function(const struct lang_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->symbol_count; i++)
		if (!strcmp(module->symbols[i]->name, name))
			return 1;
	return lang_decl_find(module, '%', name) != NULL;
}

static void scalar_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering, struct lang_graph_scalar *scalar)
{
	struct lang_arena *arena = &lower->unit->arena;
	struct lang_graph_slot *slot;

	if (!scalar)
		return;
	scalar_declare(lower, lowering, scalar->a);
	scalar_declare(lower, lowering, scalar->b);
	scalar_declare(lower, lowering, scalar->c);
	if (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT && !scalar->slot) {
		slot = scalar->slot = lang_alloc(arena, sizeof(*slot));
		slot->element = scalar;
		made_add(lower, PTOWSP_SECTION_SLOT, lang_format(arena, "@%s.element%u", lowering->program->head.name, lowering->elements++), &slot->made,
			 slot_write);
	} else if (scalar->op == PTOWSP_EXPR_VALUE && !lang_map_find(&lowering->scalars, scalar->object->name) &&
		   !symbol_of_function(lower->module, scalar->object->name)) {
		slot = lang_alloc(arena, sizeof(*slot));
		lang_map_add(&lowering->scalars, arena, scalar->object->name, slot);
		if (!row_taken(lower, PTOWSP_SECTION_SLOT, scalar->object->name))
			made_add(lower, PTOWSP_SECTION_SLOT, scalar->object->name, &slot->made, slot_write);
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
				made_add(lower, PTOWSP_SECTION_SLOT,
					 lang_format(&lower->unit->arena, "@%s.launch%u.%u", lowering->program->head.name, i, n),
					 &lowering->launches[i].nodes[n].slot, number_write);
}

static void events_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering)
{
	struct lang_graph_program *program = lowering->program;

	lowering->events = lang_alloc(&lower->unit->arena, (program->object_count + 1) * sizeof(*lowering->events));
	for (uint32_t i = 0; i < program->object_count; i++) {
		struct lang_graph_event *event = &lowering->events[i];

		if (program->objects[i]->kind != PTOWSP_GRAPH_EVENT)
			continue;
		event->object = program->objects[i];
		made_add(lower, PTOWSP_SECTION_EVNT, name_find(lower, PTOWSP_SECTION_EVNT, program->head.name, NULL, program->objects[i]->name), &event->made,
			 event_write);
	}
}

static struct lang_graph_lowering *declare(struct lang_lower *lower, struct lang_graph_program *program)
{
	struct lang_arena *arena = &lower->unit->arena;
	struct lang_graph_lowering *lowering = lang_alloc(arena, sizeof(*lowering));

	lowering->unit = lower->unit;
	lowering->module = lower->module;
	lowering->program = program;
	lowering->memories = lang_alloc(arena, (program->tensor_count + 1) * sizeof(*lowering->memories));
	lowering->kernels = lang_alloc(arena, (program->kernel_count + 1) * sizeof(*lowering->kernels));
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
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_GRAPH) {
			struct lang_graph_program *program = (struct lang_graph_program *)decl;

			program->lowering = declare(lower, program);
		}
}
