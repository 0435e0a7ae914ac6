/* SPDX-License-Identifier: MIT */
/* pkg_graph_read.c - from the bytes of GRPH to instructions. Every count is compared with the bytes that are left before it is used. */
#include "format/graph/graph_read.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "registry/common/common_grow.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GRAPHS       4096u
#define MAX_INSTRUCTIONS (1u << 20)
#define MAX_TABLES       256u
#define WORD             ((size_t)4)

/* One table of a binary as it lies in the section. */
struct table {
	const uint8_t *at;
	uint32_t stride, count;
};
struct binary {
	const struct pkg_place *place;
	const uint8_t *bytes; /* from its magic to the end of the section */
	size_t size, at;
	uint32_t index;
	struct table ops[256], sets, nodes, names, order;
	struct pkg_graph *out;
};

#define MUST(condition, ...) PKG_MUST(b->place, condition, __VA_ARGS__)

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t value_at(const uint8_t *at, uint32_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return value;
}

static size_t left(const struct binary *b)
{
	return b->size - b->at;
}

/* The next rows, if they are there. */
static bool table_take(struct binary *b, struct table *table, uint32_t stride, uint32_t count)
{
	if (count > left(b) / stride)
		return false;
	*table = (struct table){b->bytes + b->at, stride, count};
	b->at += (size_t)stride * count;
	return true;
}

static ptowsp_status header_read(struct binary *b)
{
	struct ptowsp_graph_header h;
	static const struct {
		uint32_t op;
		const char *text;
	} tables[] = {{PTOWSP_TG_KERNEL, "kernels"}, {PTOWSP_TG_DEPEND, "dependencies"}, {PTOWSP_MC_ALLOC, "allocations"}};
	uint32_t counts[3];

	MUST(b->size >= sizeof(h), "GRPH[%u] ends inside its header", (unsigned)b->index);
	memcpy(&h, b->bytes, sizeof(h));
	b->at = sizeof(h);
	MUST(h.magic == PTOWSP_GRAPH_MAGIC, "GRPH[%u] does not begin with PTOG", (unsigned)b->index);
	MUST(h.version == PTOWSP_GRAPH_VERSION || h.version == PTOWSP_GRAPH_VERSION_SEED, "GRPH[%u] has version %u; this build knows 1 and %u",
	     (unsigned)b->index, (unsigned)h.version, PTOWSP_GRAPH_VERSION);
	b->out->version = h.version;
	counts[0] = h.kernel_count;
	counts[1] = h.depend_count;
	counts[2] = h.alloc_count;
	for (int i = 0; i < 3; i++)
		MUST(table_take(b, &b->ops[tables[i].op], pkg_graph_form(tables[i].op)->bytes, counts[i]), "GRPH[%u] has fewer bytes than its %u %s need",
		     (unsigned)b->index, (unsigned)counts[i], tables[i].text);
	return PTOWSP_OK;
}

/* Rows of MC_BIND to the end of the section, or to the row that says how many bytes follow: *more_out, SIZE_MAX without it. */
static ptowsp_status bindings_read(struct binary *b, size_t *more_out)
{
	const struct pkg_graph_form *form = pkg_graph_form(PTOWSP_MC_BIND);
	struct table *table = &b->ops[PTOWSP_MC_BIND];
	uint64_t more;

	*table = (struct table){b->bytes + b->at, form->bytes, 0};
	*more_out = SIZE_MAX;
	for (; left(b) >= form->bytes; table->count++) {
		const uint8_t *row = b->bytes + b->at;

		b->at += form->bytes;
		if (word_at(row) != PTOWSP_GRAPH_MORE)
			continue;
		more = value_at(row + 3 * WORD, 8);
		MUST(more <= left(b), "GRPH[%u] says that %llu bytes follow its bindings, %zu do", (unsigned)b->index, (unsigned long long)more, left(b));
		*more_out = (size_t)more;
		return PTOWSP_OK;
	}
	MUST(left(b) == 0, "GRPH[%u] ends inside a binding", (unsigned)b->index);
	return PTOWSP_OK;
}

/* The place of a table of that type; *least_out: bytes of its rows that this build reads. NULL: it is not known here. */
static struct table *table_place(struct binary *b, uint32_t type, uint32_t *least_out)
{
	switch (type) {
	case PTOWSP_GRAPH_TABLE_SETS: *least_out = 4; return &b->sets;
	case PTOWSP_GRAPH_TABLE_NODE: *least_out = sizeof(struct pkg_graph_node); return &b->nodes;
	case PTOWSP_GRAPH_TABLE_NAME: *least_out = sizeof(struct pkg_graph_name); return &b->names;
	case PTOWSP_GRAPH_TABLE_ORDER: *least_out = 2 * WORD; return &b->order;
	}
	if (type > 255 || !pkg_graph_form(type) || !pkg_graph_form(type)->count || b->ops[type].at)
		return NULL; /* original tables came first */
	*least_out = 1;
	return &b->ops[type];
}

/* A row may be longer than known, and shorter where it ends between two operands. */
static bool stride_is_good(uint32_t type, uint32_t stride, uint32_t least)
{
	const struct pkg_graph_form *form = type < 256 ? pkg_graph_form(type) : NULL;
	uint32_t at = 0;

	if (type == PTOWSP_GRAPH_TABLE_SETS)
		return stride == least;
	if (!form)
		return stride >= least;
	for (uint32_t i = 0; i < form->count; i++) {
		at += form->operands[i].bytes;
		if (stride == at)
			return true;
	}
	return stride > at;
}

static ptowsp_status more_read(struct binary *b)
{
	const uint8_t *row, *rows;
	uint32_t count, type, stride, rows_count, least;
	struct table *table, unknown;

	MUST(left(b) >= 4 * WORD, "GRPH[%u] ends inside of what follows the bindings", (unsigned)b->index);
	row = b->bytes + b->at;
	b->out->name = word_at(row);
	b->out->device = word_at(row + WORD);
	count = word_at(row + 2 * WORD);
	b->at += 4 * WORD;
	MUST(word_at(row + 3 * WORD) == 0, "GRPH[%u].reserved is not 0", (unsigned)b->index);
	MUST(count <= MAX_TABLES && count <= left(b) / (3 * WORD), "GRPH[%u] has no room for %u tables", (unsigned)b->index, (unsigned)count);
	rows = b->bytes + b->at;
	b->at += count * 3 * WORD;
	for (uint32_t i = 0; i < count; i++, rows += 3 * WORD) {
		type = word_at(rows);
		stride = word_at(rows + WORD);
		rows_count = word_at(rows + 2 * WORD);
		table = table_place(b, type, &least);
		MUST(!i || type > word_at(rows - 3 * WORD), "GRPH[%u]: table 0x%x is not in order", (unsigned)b->index, (unsigned)type);
		MUST(stride > 0 && (!table || stride_is_good(type, stride, least)), "GRPH[%u]: rows of table 0x%x cannot have %u bytes", (unsigned)b->index,
		     (unsigned)type, (unsigned)stride);
		MUST(table_take(b, table ? table : &unknown, stride, rows_count), "GRPH[%u] ends inside of table 0x%x", (unsigned)b->index, (unsigned)type);
	}
	return PTOWSP_OK;
}

/* --- rows --- */

static void *array_take(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

/* The row of an instruction; operands that a shorter one lacks have their defaults. */
static void inst_read(const struct binary *b, const struct pkg_graph_form *form, uint32_t row, struct pkg_graph_inst *inst)
{
	const struct table *table = &b->ops[form->op];
	const uint8_t *at;
	uint32_t used = 0, code;

	inst->form = form;
	if (!form->count)
		return;
	at = table->at + (size_t)row * table->stride;
	for (uint32_t i = 0; i < form->count; i++) {
		const struct pkg_graph_operand *o = &form->operands[i];

		if (used + o->bytes <= table->stride)
			inst->values[i] = value_at(at + used, o->bytes);
		else if (o->kind == PKG_GRAPH_ENUM && pkg_word_find((enum pkg_words)o->argument, o->value, &code))
			inst->values[i] = code;
		else
			inst->values[i] = strtoul(o->value, NULL, 10);
		used += o->bytes;
	}
}

/* Every row of every table has its place in the text, in the order of the rows. */
static ptowsp_status order_read(struct binary *b)
{
	uint32_t next[256] = {0};

	MUST(b->order.count <= MAX_INSTRUCTIONS, "GRPH[%u] has more than %u instructions", (unsigned)b->index, MAX_INSTRUCTIONS);
	for (uint32_t i = 0; i < b->order.count; i++) {
		const uint8_t *at = b->order.at + (size_t)i * b->order.stride;
		uint32_t op = word_at(at), row = word_at(at + WORD);
		const struct pkg_graph_form *form = op < 256 ? pkg_graph_form(op) : NULL;

		MUST(form != NULL, "GRPH[%u].order[%u]: instruction 0x%x is unknown to this build; use a newer ptowsp", (unsigned)b->index, (unsigned)i,
		     (unsigned)op);
		MUST(row == next[op] && (form->count ? row < b->ops[op].count : 1), "GRPH[%u].order[%u]: row %u of %s is not the next one", (unsigned)b->index,
		     (unsigned)i, (unsigned)row, form->name);
		next[op] += form->count > 0;
		inst_read(b, form, row, &b->out->insts[b->out->inst_count++]);
	}
	for (uint32_t op = 0; op < 256; op++)
		MUST(next[op] == b->ops[op].count, "GRPH[%u]: row %u of %s has no place in the order", (unsigned)b->index, (unsigned)next[op],
		     pkg_graph_form(op)->name);
	return PTOWSP_OK;
}

static void rows_add(struct binary *b, uint32_t op)
{
	for (uint32_t i = 0; i < b->ops[op].count; i++)
		inst_read(b, pkg_graph_form(op), i, &b->out->insts[b->out->inst_count++]);
}

/* The original format says no order: one graph 0 of all that there is. */
static ptowsp_status order_make(struct binary *b)
{
	MUST((uint64_t)b->ops[PTOWSP_TG_KERNEL].count + b->ops[PTOWSP_TG_DEPEND].count + b->ops[PTOWSP_MC_ALLOC].count + b->ops[PTOWSP_MC_BIND].count <=
		     MAX_INSTRUCTIONS - 2,
	     "GRPH[%u] has more than %u instructions", (unsigned)b->index, MAX_INSTRUCTIONS);
	b->out->insts[b->out->inst_count++].form = pkg_graph_form(PTOWSP_TG_BEGIN);
	rows_add(b, PTOWSP_TG_KERNEL);
	rows_add(b, PTOWSP_TG_DEPEND);
	rows_add(b, PTOWSP_MC_ALLOC);
	rows_add(b, PTOWSP_MC_BIND);
	b->out->insts[b->out->inst_count++].form = pkg_graph_form(PTOWSP_TG_END);
	return PTOWSP_OK;
}

int pkg_graph_name_compare(const void *a, const void *b)
{
	const struct pkg_graph_name *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void tables_copy(struct binary *b)
{
	struct pkg_graph *g = b->out;

	for (uint32_t i = 0; i < g->node_count; i++)
		memcpy(&g->nodes[i], b->nodes.at + (size_t)i * b->nodes.stride, sizeof(g->nodes[i]));
	for (uint32_t i = 0; i < g->name_count; i++)
		memcpy(&g->names[i], b->names.at + (size_t)i * b->names.stride, sizeof(g->names[i]));
	if (g->set_count)
		memcpy((void *)(uintptr_t)g->sets, b->sets.at, g->set_count * WORD);
}

static ptowsp_status binary_read(struct binary *b)
{
	struct pkg_graph *g = b->out;
	size_t more = SIZE_MAX, end = b->size;
	uint64_t insts;
	ptowsp_status status = header_read(b);

	if (!status)
		status = bindings_read(b, &more);
	if (status)
		return status;
	MUST((g->version == PTOWSP_GRAPH_VERSION_SEED) == (more == SIZE_MAX), "GRPH[%u] has version %u and %s behind its bindings", (unsigned)b->index,
	     (unsigned)g->version, more == SIZE_MAX ? "nothing" : "tables");
	if (more != SIZE_MAX) {
		b->size = b->at + more; /* the rest belongs to the next binary */
		status = more_read(b);
		if (!status && left(b))
			status = pkg_refuse(b->place, "GRPH[%u] has %zu bytes behind its tables", (unsigned)b->index, left(b));
		b->size = end;
	}
	if (status)
		return status;
	insts = (uint64_t)b->ops[PTOWSP_TG_KERNEL].count + b->ops[PTOWSP_TG_DEPEND].count + b->ops[PTOWSP_MC_ALLOC].count + b->ops[PTOWSP_MC_BIND].count +
		b->order.count + 2;
	g->node_count = b->nodes.count;
	g->name_count = b->names.count;
	g->set_count = b->sets.count;
	g->insts = array_take((size_t)insts, sizeof(*g->insts));
	g->nodes = array_take(g->node_count, sizeof(*g->nodes));
	g->names = array_take(g->name_count, sizeof(*g->names));
	g->sets = array_take(g->set_count, sizeof(*g->sets));
	if (!g->insts || !g->nodes || !g->names || !g->sets)
		return pkg_fail(b->place->error, PTOWSP_NO_MEMORY, "%s: out of memory for GRPH", b->place->file);
	tables_copy(b);
	return more == SIZE_MAX ? order_make(b) : order_read(b);
}

ptowsp_status pkg_graphs_read(struct pkg_graphs *graphs_out, const struct pkg_tables *tables, const struct pkg_place *place)
{
	struct binary *b = calloc(1, sizeof(*b));
	size_t at = 0;
	ptowsp_status status = PTOWSP_OK;

	memset(graphs_out, 0, sizeof(*graphs_out));
	if (!b)
		return pkg_fail(place->error, PTOWSP_NO_MEMORY, "%s: out of memory for GRPH", place->file);
	while (at < tables->graph_size && !status) {
		struct pkg_graph *graph;

		if (!COMMON_RESIZE(graphs_out->rows, graphs_out->count + 1)) {
			status = pkg_fail(place->error, PTOWSP_NO_MEMORY, "%s: out of memory for GRPH", place->file);
			break;
		}
		graph = memset(&graphs_out->rows[graphs_out->count], 0, sizeof(*graph));
		*b = (struct binary){.place = place, .bytes = tables->graph + at, .size = tables->graph_size - at, .index = graphs_out->count, .out = graph};
		graphs_out->count++;
		status = graphs_out->count > MAX_GRAPHS ? pkg_refuse(place, "GRPH has more than %u binaries", MAX_GRAPHS) : binary_read(b);
		if (!status)
			status = pkg_graph_verify(b->out, b->index, tables, place);
		at += b->at;
	}
	free(b);
	return status;
}

void pkg_graphs_finish(struct pkg_graphs *graphs)
{
	for (uint32_t i = 0; i < graphs->count; i++) {
		free(graphs->rows[i].insts);
		free(graphs->rows[i].nodes);
		free(graphs->rows[i].names);
		free((void *)(uintptr_t)graphs->rows[i].sets);
	}
	free(graphs->rows);
	memset(graphs, 0, sizeof(*graphs));
}

const char *pkg_graph_name_find(const struct pkg_graph *graph, const struct pkg_tables *tables, uint32_t object, uint32_t number)
{
	const struct pkg_graph_name key = {object, number, 0};
	const struct pkg_graph_name *found = graph->name_count ? bsearch(&key, graph->names, graph->name_count, sizeof(key), pkg_graph_name_compare) : NULL;

	return found ? pkg_string(tables, found->text) : NULL;
}

uint32_t pkg_graph_notification(const char *name)
{
	return (uint32_t)ptowsp_id(name, strlen(name)) | UINT32_C(1) << 31;
}

struct print {
	const struct pkg_graph *g;
	const struct pkg_tables *tables;
	FILE *to;
};

static void id_print(const struct print *p, uint32_t object, uint32_t number)
{
	const char *name = pkg_graph_name_find(p->g, p->tables, object, number);

	if (name)
		fputs(name, p->to);
	else
		fprintf(p->to, object == PTOWSP_GRAPH_SCALAR || object == PTOWSP_GRAPH_ITERATOR ? "x%u" : "%u", (unsigned)number);
}

static void node_print(const struct print *p, uint32_t row);

/* "-(a)", "min(a, b)", "(a + b)", "(a ? b : c)" */
static void operation_print(const struct print *p, const struct pkg_graph_node *n)
{
	const char *word = n->op == PTOWSP_EXPR_NEG ? "-" : pkg_word(PKG_WORDS_expr_op, n->op);
	unsigned operands = pkg_graph_node_operands(n->op);
	int call = operands == 1 || n->op == PTOWSP_EXPR_MIN || n->op == PTOWSP_EXPR_MAX;

	fprintf(p->to, "%s(", call ? word : "");
	node_print(p, n->a);
	if (operands > 1) {
		fprintf(p->to, "%s%s ", call ? "," : " ", call ? "" : operands == 3 ? "?" : word);
		node_print(p, n->b);
	}
	if (operands > 2) {
		fputs(" : ", p->to);
		node_print(p, n->c);
	}
	fputs(")", p->to);
}

static void node_print(const struct print *p, uint32_t row)
{
	const struct pkg_graph_node *n = &p->g->nodes[row];

	switch (n->op) {
	case PTOWSP_EXPR_CONST: fprintf(p->to, "%" PRId64, n->value); return;
	case PTOWSP_EXPR_VALUE: id_print(p, PTOWSP_GRAPH_SCALAR, n->a); return;
	case PTOWSP_EXPR_AXIS: id_print(p, PTOWSP_GRAPH_ITERATOR, n->a); return;
	case PTOWSP_GRAPH_NODE_ITERATION: fputs("ITERATION", p->to); return;
	case PTOWSP_GRAPH_NODE_ELEMENT:
		id_print(p, PTOWSP_GRAPH_TENSOR, n->b);
		fputs("[", p->to);
		node_print(p, n->a);
		fprintf(p->to, "]:%s", pkg_word(PKG_WORDS_dtype, n->dtype));
		return;
	default: operation_print(p, n);
	}
}

static void set_print(const struct print *p, const struct pkg_graph_operand *o, uint64_t row)
{
	for (uint32_t i = 0; i < p->g->sets[row]; i++) {
		fputs(i ? ", " : "{", p->to);
		id_print(p, (uint32_t)o->argument, p->g->sets[row + 1 + i]);
	}
	fputs("}", p->to);
}

static void operand_print(const struct print *p, const struct pkg_graph_operand *o, uint64_t value)
{
	switch ((enum pkg_graph_kind)o->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: id_print(p, (uint32_t)o->argument, (uint32_t)value); break;
	case PKG_GRAPH_SET: set_print(p, o, value); break;
	case PKG_GRAPH_SYMBOL: fputs(pkg_string(p->tables, (uint32_t)value), p->to); break;
	case PKG_GRAPH_ENUM: fputs(pkg_word((enum pkg_words)o->argument, value), p->to); break;
	case PKG_GRAPH_SCALAR:
		if (value & PTOWSP_GRAPH_DYNAMIC)
			node_print(p, (uint32_t)value);
		else
			fprintf(p->to, "%" PRIu64, value);
		break;
	default: fprintf(p->to, "%" PRIu64, value);
	}
}

static bool is_default(const struct pkg_graph_operand *o, uint64_t value)
{
	if (!*o->value)
		return false;
	if (o->kind == PKG_GRAPH_ENUM)
		return !strcmp(pkg_word((enum pkg_words)o->argument, value), o->value);
	return value == strtoull(o->value, NULL, 10);
}

static void inst_print(const struct print *p, const struct pkg_graph_inst *inst, uint32_t depth)
{
	uint32_t count = inst->form->count;

	while (count && is_default(&inst->form->operands[count - 1], inst->values[count - 1]))
		count--;
	fprintf(p->to, "%*s%s", (int)(depth * 2), "", inst->form->name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ", " : "(", p->to);
		operand_print(p, &inst->form->operands[i], inst->values[i]);
	}
	fputs(inst->form->count ? ")\n" : "\n", p->to);
}

void pkg_graph_print(const struct pkg_graph *graph, const struct pkg_tables *tables, FILE *to)
{
	struct print p = {graph, tables, to};
	const char *name = pkg_string(tables, graph->name);
	uint32_t depth = 1;

	fprintf(to, "graph @%s", *name ? name : "graph");
	if (graph->device)
		fprintf(to, " on device %u", (unsigned)graph->device);
	fputs(" {\n", to);
	for (uint32_t i = 0; i < graph->inst_count; i++) {
		unsigned op = graph->insts[i].form->op;
		int ends = op == PTOWSP_TG_END || op == PTOWSP_CF_ENDIF || op == PTOWSP_CF_ENDLOOP || op == PTOWSP_CF_ENDWHILE;

		depth -= (uint32_t)(ends || op == PTOWSP_CF_ELSE);
		inst_print(&p, &graph->insts[i], depth);
		depth += op == PTOWSP_TG_BEGIN || op == PTOWSP_CF_IF || op == PTOWSP_CF_LOOP || op == PTOWSP_CF_WHILE || op == PTOWSP_CF_ELSE;
	}
	fputs("}\n", to);
}
