/* SPDX-License-Identifier: MIT */
/* graph_schedule.c - directives that a package with graphs has unless its source says otherwise. */
#include "lang/graph_lower.h"

#include <string.h>

#define HEAP_STANDARD (UINT64_C(64) << 20)
#define EXECUTORS_LIMIT 1024u

static int has_directive(struct lang_lower *lower, unsigned directive)
{
	uint32_t count = pkg_writer_count(lower->writer, PTOWSP_SECTION_SCHD);

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_directive_record *row = pkg_writer_at(lower->writer, PTOWSP_SECTION_SCHD, i);

		if (row && row->directive == directive)
			return 1;
	}
	return 0;
}

static void directive_add(struct lang_lower *lower, unsigned directive, unsigned policy, uint64_t kind, int64_t argument)
{
	struct ptowsp_directive_record row = {
		.directive = (uint16_t)directive, .policy = (uint16_t)policy, .count = 1, .kinds = kind, .a0 = argument};

	if (!has_directive(lower, directive))
		pkg_writer_row(lower->writer, PTOWSP_SECTION_SCHD, &row, sizeof(row));
}

/* Code besides that of graphs: its times are not for a graph to change. */
static int has_other_code(const struct lang_module *module)
{
	for (const struct lang_function *f = module->first; f; f = f->next)
		if (f->kind == LANG_ORCHESTRATION)
			return 1;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind != LANG_DECL_GRAPH && lang_decl_forms[decl->kind].code)
			return 1;
	return 0;
}

static uint64_t heap_of(const struct lang_graph_lowering *lowering)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < lowering->program->tensor_count; i++)
		if (lowering->program->tensors[i]->object.defined)
			bytes += (lowering->program->tensors[i]->size + 63) / 64 * 64;
	return bytes;
}

static uint32_t nodes_of(const struct lang_graph_lowering *lowering)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < lowering->launch_count; i++)
		count += lowering->launches[i].node_count;
	return count;
}

/* An executor for each kernel that may run beside the others, so that edges alone order them. */
void lang_graph_schedule(struct lang_lower *lower)
{
	uint64_t heap = 0, most;
	uint32_t nodes = 0, graphs = 0;

	for (const struct lang_decl *decl = lower->module->decls; decl; decl = decl->next) {
		const struct lang_graph_lowering *lowering;

		if (decl->kind != LANG_DECL_GRAPH)
			continue;
		lowering = ((const struct lang_graph_program *)decl)->lowering;
		most = heap_of(lowering);
		heap = most > heap ? most : heap;
		nodes = nodes_of(lowering) > nodes ? nodes_of(lowering) : nodes;
		graphs++;
	}
	if (!graphs)
		return;
	directive_add(lower, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_HYBRID, PTOWSP_ARGUMENT_WORD, pkg_writer_string(lower->writer, "bytes_overlap"));
	if (heap > HEAP_STANDARD && heap <= INT64_MAX)
		directive_add(lower, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, PTOWSP_ARGUMENT_NUMBER, (int64_t)heap);
	if (nodes > 1 && !has_other_code(lower->module) && !has_directive(lower, PTOWSP_DIRECTIVE_SPATIAL_MAP))
		directive_add(lower, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, PTOWSP_ARGUMENT_NUMBER,
			      nodes < EXECUTORS_LIMIT ? nodes : EXECUTORS_LIMIT);
}
