/* SPDX-License-Identifier: MIT */
#include "base/hints.h"

#include "base/error.h"
#include "base/sections.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "registry/common/common_grow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = PTOWSP_GRAPH_TABLE_ORDER + 1, INSTRUCTIONS = 512, NAMES = 4096, BIND = 28, NAME = 400 };

struct table {
	const uint8_t *at;
	uint32_t stride, count;
};
/* The source's name of an object, else its number. */
struct label {
	const char *text; /* NULL: number */
	char number[12];
};
struct graph {
	struct label label;
	uint32_t id, priority;
	uint32_t from[2];     /* of TG_FUSE: numbers of the graphs that it is made of */
	uint32_t *priorities; /* of its launches in the order of the text; owned */
	uint32_t launches;
	bool fused;
};
struct kernel {
	struct label label;
	uint32_t id, graph;
	struct base_hint hint;
};
struct reading {
	struct base_sections sections;
	const char *entry; /* its name */
	uint32_t first;    /* its first instruction */
	struct table tables[TABLES];
	struct graph *graphs;
	struct kernel *kernels;
	uint32_t graph_count, kernel_count;
	uint32_t homes; /* of CA_AFFINITY, so far */
	uint32_t *met;  /* per KREG row: task instructions so far */
};

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool table_take(struct table *table, const uint8_t **at, size_t *left, uint32_t stride, uint32_t count)
{
	if (!stride || count > *left / stride)
		return false;
	*table = (struct table){*at, stride, count};
	*at += (size_t)stride * count;
	*left -= (size_t)stride * count;
	return true;
}

/* An operand of a row; 0 where the row ends before it. */
static uint64_t operand(const struct reading *r, uint32_t type, uint32_t row, uint32_t offset, uint32_t bytes)
{
	const struct table *table = &r->tables[type];
	uint64_t value = 0;

	if (row < table->count && offset + bytes <= table->stride)
		memcpy(&value, table->at + (size_t)row * table->stride + offset, bytes);
	return value;
}

/* Rows of MC_BIND, and the one behind them. Returns whether more follows. */
static bool bindings_pass(const uint8_t **at, size_t *left)
{
	while (*left >= BIND) {
		bool last = word(*at) == PTOWSP_GRAPH_MORE;

		*at += BIND;
		*left -= BIND;
		if (last)
			return true;
	}
	return false;
}

/* The binary at *at, whose name goes to *name_out; *at moves behind it. False: it is the last one, or not one. */
static bool binary_read(struct reading *r, const uint8_t **at, size_t *left, const char **name_out)
{
	struct table unknown;
	uint32_t counts[3], tables;
	const uint8_t *list;

	memset(r->tables, 0, sizeof(r->tables));
	*name_out = "";
	if (*left < 20 || word(*at) != PTOWSP_GRAPH_MAGIC || word(*at + 4) != PTOWSP_GRAPH_VERSION)
		return false;
	for (int i = 0; i < 3; i++)
		counts[i] = word(*at + 8 + 4 * i);
	*at += 20;
	*left -= 20;
	if (!table_take(&r->tables[PTOWSP_TG_KERNEL], at, left, 24, counts[0]) || !table_take(&unknown, at, left, 16, counts[1]) ||
	    !table_take(&unknown, at, left, 20, counts[2]) || !bindings_pass(at, left) || *left < 16)
		return false;
	*name_out = base_sections_string(&r->sections, word(*at));
	tables = word(*at + 8);
	list = *at + 16;
	*at += 16;
	*left -= 16;
	if (tables > 256 || tables > *left / 12)
		return false;
	*at += (size_t)12 * tables;
	*left -= (size_t)12 * tables;
	for (uint32_t i = 0; i < tables; i++, list += 12)
		if (!table_take(word(list) < TABLES && !r->tables[word(list)].at ? &r->tables[word(list)] : &unknown, at, left, word(list + 4), word(list + 8)))
			return false;
	return true;
}

/* The binary of the entry. */
static bool entry_find(struct reading *r)
{
	const uint8_t *at = r->sections.grph.data;
	size_t left = r->sections.grph.count;
	const char *name;

	while (at && binary_read(r, &at, &left, &name))
		if (!strcmp(name, r->entry))
			return true;
	return false;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

static struct label label_of(const struct reading *r, uint32_t object, uint32_t id)
{
	struct label label = {.text = NULL};

	for (uint32_t i = 0; i < r->tables[PTOWSP_GRAPH_TABLE_NAME].count && !label.text; i++)
		if (operand(r, PTOWSP_GRAPH_TABLE_NAME, i, 0, 4) == object && operand(r, PTOWSP_GRAPH_TABLE_NAME, i, 4, 4) == id)
			label.text = base_sections_string(&r->sections, (uint32_t)operand(r, PTOWSP_GRAPH_TABLE_NAME, i, 8, 4));
	snprintf(label.number, sizeof(label.number), "%u", id);
	return label;
}

static const char *label_text(const struct label *label)
{
	return label->text ? label->text : label->number;
}

static struct graph *graph_add(struct reading *r, uint32_t id)
{
	struct graph *graph = &r->graphs[r->graph_count++];

	*graph = (struct graph){.id = id, .label = label_of(r, PTOWSP_GRAPH_GRAPH, id)};
	return graph;
}

static struct graph *graph_find(struct reading *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->graph_count; i++)
		if (r->graphs[i].id == id)
			return &r->graphs[i];
	return NULL;
}

static struct kernel *kernel_find(struct reading *r, uint32_t id)
{
	for (uint32_t i = 0; i < r->kernel_count; i++)
		if (r->kernels[i].id == id)
			return &r->kernels[i];
	return NULL;
}

static void fused_add(struct reading *r, uint32_t row)
{
	struct graph *graph = graph_add(r, (uint32_t)operand(r, PTOWSP_TG_FUSE, row, 8, 4));

	graph->fused = true;
	for (int i = 0; i < 2; i++) {
		const struct graph *from = graph_find(r, (uint32_t)operand(r, PTOWSP_TG_FUSE, row, 4 * (uint32_t)i, 4));

		graph->from[i] = from ? (uint32_t)(from - r->graphs) : 0;
	}
}

static void kernel_add(struct reading *r, uint32_t row)
{
	const uint32_t id = (uint32_t)operand(r, PTOWSP_TG_KERNEL, row, 0, 4);

	r->kernels[r->kernel_count++] = (struct kernel){.id = id,
							.graph = r->graph_count ? r->graph_count - 1 : 0,
							.label = label_of(r, PTOWSP_GRAPH_KERNEL, id),
							.hint = {.blocks = (uint32_t)operand(r, PTOWSP_TG_KERNEL, row, 8, 4)}};
}

static bool launch_add(struct reading *r, uint32_t op, uint32_t row)
{
	struct graph *graph = graph_find(r, (uint32_t)operand(r, op, row, 0, 4));

	if (!graph)
		return true;
	if (!COMMON_RESIZE(graph->priorities, graph->launches + 1u))
		return false;
	graph->priorities[graph->launches++] = graph->priority;
	return true;
}

static void wish_take(struct reading *r, uint32_t op, uint32_t row)
{
	struct kernel *kernel = kernel_find(r, (uint32_t)operand(r, op, row, 0, 4));

	if (kernel && op == PTOWSP_TG_PERSISTENT) {
		kernel->hint.resident = true;
		kernel->hint.invocations = operand(r, op, row, 4, 8);
	} else if (kernel) {
		kernel->hint.cubes = (uint32_t)operand(r, op, row, 4, 4);
		kernel->hint.vectors = (uint32_t)operand(r, op, row, 8, 4);
	}
}

/* COLOCATE, and L2_SHARE, whose cores have that in common: one home for all kernels of the set; SEPARATE: one for each. */
static void affinity_take(struct reading *r, uint32_t row)
{
	const uint32_t set = (uint32_t)operand(r, PTOWSP_CA_AFFINITY, row, 0, 4), count = (uint32_t)operand(r, PTOWSP_GRAPH_TABLE_SETS, set, 0, 4);
	const bool apart = operand(r, PTOWSP_CA_AFFINITY, row, 4, 4) == PTOWSP_affinity_type_SEPARATE;

	r->homes += !apart;
	for (uint32_t i = 0; i < count && i < r->tables[PTOWSP_GRAPH_TABLE_SETS].count; i++) {
		struct kernel *kernel = kernel_find(r, (uint32_t)operand(r, PTOWSP_GRAPH_TABLE_SETS, set + 1 + i, 0, 4));

		r->homes += apart;
		if (kernel)
			kernel->hint.wish.home = r->homes;
	}
}

/* False: no memory. */
static bool instruction_take(struct reading *r, uint32_t op, uint32_t row)
{
	struct graph *graph;

	switch (op) {
	case PTOWSP_TG_BEGIN: graph_add(r, (uint32_t)operand(r, op, row, 0, 4)); return true;
	case PTOWSP_TG_FUSE: fused_add(r, row); return true;
	case PTOWSP_TG_KERNEL: kernel_add(r, row); return true;
	case PTOWSP_TG_LAUNCH:
	case PTOWSP_TG_INVOKE: return launch_add(r, op, row);
	case PTOWSP_TG_SET_PRIORITY:
		graph = graph_find(r, (uint32_t)operand(r, op, row, 0, 4));
		if (graph)
			graph->priority = (uint32_t)operand(r, op, row, 4, 4);
		return true;
	case PTOWSP_TG_PERSISTENT:
	case PTOWSP_CA_REQUEST: wish_take(r, op, row); return true;
	case PTOWSP_CA_AFFINITY: affinity_take(r, row); return true;
	default: return true;
	}
}

static bool program_read(struct reading *r)
{
	const struct table *order = &r->tables[PTOWSP_GRAPH_TABLE_ORDER];

	for (uint32_t i = 0; i < order->count; i++)
		if (!instruction_take(r, (uint32_t)operand(r, PTOWSP_GRAPH_TABLE_ORDER, i, 0, 4), (uint32_t)operand(r, PTOWSP_GRAPH_TABLE_ORDER, i, 4, 4)))
			return false;
	return true;
}

/* ---- task instructions ----------------------------------------------------------------------------------------- */

static bool is_of(const struct graph *graph, uint32_t index, uint32_t kernels_graph)
{
	return kernels_graph == index || (graph->fused && (kernels_graph == graph->from[0] || kernels_graph == graph->from[1]));
}

/* Rows have the names of packages/lang: the kernel's, with its graph's in front where that name is taken, and then the program's. form: how many names stand in front. */
static bool is_called(const struct reading *r, const char *name, const struct graph *graph, const struct kernel *kernel, int form)
{
	const char *own = label_text(&kernel->label), *around = label_text(&graph->label);
	size_t length = strlen(own), whole = strlen(name);
	char text[NAME];

	if (whole < length || strcmp(name + whole - length, own))
		return false;
	snprintf(text, sizeof(text), "%s%s%s%s%s", form > 1 ? r->entry : "", form > 1 ? "." : "", form ? around : "", form ? "." : "", own);
	return !strcmp(text, name);
}

static bool kernel_named(const struct reading *r, const char *name, const struct graph **graph_out, const struct kernel **kernel_out)
{
	for (int form = 2; form >= 0; form--)
		for (uint32_t g = 0; g < r->graph_count; g++)
			for (uint32_t k = 0; k < r->kernel_count; k++)
				if (is_of(&r->graphs[g], g, r->kernels[k].graph) && is_called(r, name, &r->graphs[g], &r->kernels[k], form)) {
					*graph_out = &r->graphs[g];
					*kernel_out = &r->kernels[k];
					return true;
				}
	return false;
}

/* The n-th task instruction of a kernel is that of the n-th launch in the text. */
static void task_take(struct reading *r, struct base_hints *hints, uint32_t instruction, uint32_t row)
{
	struct base_hint *hint = &hints->rows[instruction];
	struct ptowsp_kernel_record record;
	const struct graph *graph;
	const struct kernel *kernel;
	uint32_t launch;

	if (row >= r->sections.kreg.count || base_sections_row(&r->sections.kreg, row, &record, sizeof(record), NULL) ||
	    !kernel_named(r, base_sections_string(&r->sections, record.name), &graph, &kernel))
		return;
	*hint = kernel->hint;
	hint->kernel = row;
	hint->blocks = hint->blocks ? hint->blocks : 1;
	launch = r->met[row]++;
	if (graph->launches)
		hint->wish.priority = graph->priorities[launch < graph->launches ? launch : graph->launches - 1];
	hints->priorities |= hint->wish.priority != 0;
	hints->homes |= hint->wish.home != 0;
}

static void work_walk(struct reading *r, struct base_hints *hints, const struct ptowsp_workload_header *header)
{
	const uint8_t *work = r->sections.work.data, *kernels = work + sizeof(*header) + (size_t)8 * header->num_instructions + (size_t)4 * header->num_axes;

	for (uint32_t i = r->first; i < header->num_instructions; i++) {
		struct ptowsp_instruction at;

		memcpy(&at, work + sizeof(*header) + (size_t)8 * i, sizeof(at));
		if (at.opcode == PTOWSP_OP_HALT)
			return;
		if (at.opcode == PTOWSP_OP_TASK && at.operand1 < header->num_kernels)
			task_take(r, hints, i, word(kernels + (size_t)4 * at.operand1));
	}
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static bool sections_read(struct reading *r, const struct ptowsp_load_args *args, struct ptowsp_workload_header *header_out)
{
	struct ptowsp_entry_record entry;
	uint64_t bytes;

	base_sections_find(&r->sections, args);
	if (!r->sections.grph.count || !r->sections.work.data || r->sections.work.count < sizeof(*header_out) ||
	    base_sections_row(&r->sections.entr, args->entry, &entry, sizeof(entry), NULL))
		return false;
	memcpy(header_out, r->sections.work.data, sizeof(*header_out));
	bytes = sizeof(*header_out) + UINT64_C(8) * header_out->num_instructions + UINT64_C(4) * header_out->num_axes + UINT64_C(4) * header_out->num_kernels;
	r->entry = base_sections_string(&r->sections, entry.name);
	r->first = entry.instruction;
	return bytes <= r->sections.work.count;
}

static bool has_wishes(const struct reading *r)
{
	return (r->tables[PTOWSP_TG_SET_PRIORITY].count || r->tables[PTOWSP_TG_PERSISTENT].count || r->tables[PTOWSP_CA_REQUEST].count ||
		r->tables[PTOWSP_CA_AFFINITY].count) &&
	       r->tables[PTOWSP_GRAPH_TABLE_ORDER].count <= INSTRUCTIONS && r->tables[PTOWSP_GRAPH_TABLE_NAME].count <= NAMES;
}

static void reading_finish(struct reading *r)
{
	for (uint32_t g = 0; r->graphs && g < r->graph_count; g++)
		free(r->graphs[g].priorities);
	free(r->graphs);
	free(r->kernels);
	free(r->met);
}

ptowsp_status base_hints_make(struct base_hints **hints_out, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct reading r = {.first = 0};
	struct ptowsp_workload_header header;
	struct base_hints *hints = NULL;
	bool enough;
	size_t room;

	*hints_out = NULL;
	if (!sections_read(&r, args, &header) || !entry_find(&r) || !has_wishes(&r))
		return PTOWSP_OK;
	room = (size_t)r.tables[PTOWSP_GRAPH_TABLE_ORDER].count + 1;
	r.graphs = calloc(room, sizeof(*r.graphs));
	r.kernels = calloc(room, sizeof(*r.kernels));
	r.met = calloc((size_t)r.sections.kreg.count + 1, sizeof(*r.met));
	hints = calloc(1, sizeof(*hints));
	if (hints)
		hints->rows = calloc((size_t)header.num_instructions + 1, sizeof(*hints->rows));
	enough = r.graphs && r.kernels && r.met && hints && hints->rows && program_read(&r);
	if (enough) {
		hints->count = header.num_instructions;
		work_walk(&r, hints, &header);
		*hints_out = hints;
	} else {
		base_hints_destroy(hints);
	}
	reading_finish(&r);
	return enough ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for what kernels wish for");
}

void base_hints_destroy(struct base_hints *hints)
{
	if (hints)
		free(hints->rows);
	free(hints);
}
