/* SPDX-License-Identifier: MIT */
/* graph_rows.c - the other rows that a graph program has in the tables with ids: a kernel per TG_KERNEL, slots for task numbers, loaded elements and
 * scalars, events that may stay away. */
#include "lang/graph/graph_lower.h"

#include "lang/lang_kernel.h"

#include <stdbool.h>
#include <string.h>

/* --- names --- */

static bool is_row_taken(struct lang_lower *lower, uint32_t section, const char *name)
{
	if (lang_row_find(lang_rows_of(lower, section), name) != PTOWSP_NONE)
		return true;
	return section == PTOWSP_SECTION_KREG && lang_map_find(&lower->module->functions, name);
}

const char *lang_graph_row_name(struct lang_lower *lower, uint32_t section, const char *program, const char *graph, const char *name)
{
	struct common_arena *arena = &lower->unit->arena;

	if (is_row_taken(lower, section, name) && graph)
		name = common_format(arena, "%s.%s", graph, name);
	return is_row_taken(lower, section, name) ? common_format(arena, "%s.%s", program, name) : name;
}

void lang_graph_row_add(struct lang_lower *lower, uint32_t section, const char *name, struct lang_made *made,
			void (*build)(struct lang_lower *lower, struct lang_made *made, const char *name))
{
	made->build = build;
	lang_row_add(lower, lang_rows_of(lower, section), name)->made = made;
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
		lang_function_params(lower, at, kernel->function);
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
			   : lang_graph_row_name(lower, PTOWSP_SECTION_KREG, lowering->program->head.name,
						 kernel->object.graph ? kernel->object.graph->object.name : NULL, kernel->object.name);
	lang_graph_row_add(lower, PTOWSP_SECTION_KREG, row->name, &row->made, kernel_build);
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
		lang_graph_row_add(lower, PTOWSP_SECTION_SLOT, common_format(arena, "@%s.element%u", lowering->program->head.name, lowering->elements++),
				   &slot->made, slot_build);
	} else if (scalar->op == PTOWSP_EXPR_VALUE && !lang_map_find(&lowering->scalars, scalar->object->name) &&
		   !symbol_of_function(lower->module, scalar->object->name)) {
		slot = common_alloc(arena, sizeof(*slot));
		lang_map_add(&lowering->scalars, arena, scalar->object->name, slot);
		if (!is_row_taken(lower, PTOWSP_SECTION_SLOT, scalar->object->name))
			lang_graph_row_add(lower, PTOWSP_SECTION_SLOT, scalar->object->name, &slot->made, slot_build);
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
				lang_graph_row_add(lower, PTOWSP_SECTION_SLOT,
						   common_format(&lower->unit->arena, "@%s.launch%u.%u", lowering->program->head.name, i, n),
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
		lang_graph_row_add(lower, PTOWSP_SECTION_EVNT,
				   lang_graph_row_name(lower, PTOWSP_SECTION_EVNT, program->head.name, NULL, program->objects[i]->name), &event->made,
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
	lang_graph_memories_declare(lower, lowering);
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
