/* SPDX-License-Identifier: MIT */
/* graph_verify.c - what a decoded task graph binary must be before anybody walks it: operands, scalars, names, blocks, ids. */
#include "format/graph/graph_read.h"
#include "format/verify/verify.h"

#include "ptowsp/workload.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 1024u /* of a scalar */

struct verify {
	const struct pkg_graph *g;
	const struct pkg_place *place;
	struct pkg_check strings;
	uint32_t index, at;           /* of the binary, of the instruction */
	uint32_t *first;              /* by node: where its tree begins */
	uint32_t next_set, next_node; /* sets and scalars stand in the order of the instructions */
};

#define MUST(condition, ...) PKG_MUST(v->place, condition, __VA_ARGS__)

static int is_string(const struct verify *v, uint64_t offset)
{
	return pkg_verify_is_string(&v->strings, offset);
}

/* --- scalars and names --- */

/* A scalar is a tree whose nodes stand in postfix order, without gaps: its last operand directly before a node. first: of its tree, by node. */
static ptowsp_status node_check(const struct verify *v, uint32_t i, uint32_t *first, uint16_t *depth)
{
	const struct pkg_graph_node *n = &v->g->nodes[i];
	const uint32_t operands[3] = {n->a, n->b, n->c};
	uint32_t count = pkg_graph_node_operands(n->op), next = i;

	MUST(pkg_graph_node_is_known(n->op), "GRPH[%u].node[%u]: %u is no operation", (unsigned)v->index, (unsigned)i, (unsigned)n->op);
	MUST(n->op != PTOWSP_GRAPH_NODE_ELEMENT || pkg_word(PKG_WORDS_dtype, n->dtype), "GRPH[%u].node[%u]: %u is no dtype", (unsigned)v->index, (unsigned)i,
	     (unsigned)n->dtype);
	for (uint32_t k = count; k-- > 0;) {
		MUST(next > 0 && operands[k] == next - 1, "GRPH[%u].node[%u]: operand %u is not the node before it", (unsigned)v->index, (unsigned)i,
		     (unsigned)k);
		next = first[operands[k]];
		if (depth[operands[k]] >= depth[i])
			depth[i] = (uint16_t)(depth[operands[k]] + 1);
	}
	first[i] = next;
	MUST(depth[i] < MAX_DEPTH, "GRPH[%u].node[%u]: the scalar nests deeper than %u", (unsigned)v->index, (unsigned)i, MAX_DEPTH);
	return PTOWSP_OK;
}

static ptowsp_status nodes_check(const struct verify *v, uint32_t *first, uint16_t *depth)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < v->g->node_count && !status; i++)
		status = node_check(v, i, first, depth);
	return status;
}

static ptowsp_status names_check(const struct verify *v)
{
	for (uint32_t i = 0; i < v->g->name_count; i++) {
		const struct pkg_graph_name *n = &v->g->names[i];

		MUST(n->object < PTOWSP_GRAPH_OBJECTS, "GRPH[%u].name[%u]: %u is no object", (unsigned)v->index, (unsigned)i, (unsigned)n->object);
		MUST(is_string(v, n->text), "GRPH[%u].name[%u]: %u is no string", (unsigned)v->index, (unsigned)i, (unsigned)n->text);
		MUST(!i || n->object > n[-1].object || (n->object == n[-1].object && n->number > n[-1].number), "GRPH[%u].name[%u] is not in order",
		     (unsigned)v->index, (unsigned)i);
	}
	return PTOWSP_OK;
}

/* --- operands --- */

#define WHERE      "GRPH[%u].%s[%u].%s"
#define WHERE_ARGS (unsigned)v->index, form->name, (unsigned)v->at, o->name

static ptowsp_status set_check(struct verify *v, const struct pkg_graph_form *form, const struct pkg_graph_operand *o, uint64_t row)
{
	MUST(row == v->next_set && row < v->g->set_count && v->g->sets[row] < v->g->set_count - row, WHERE ": %llu is not the next set", WHERE_ARGS,
	     (unsigned long long)row);
	MUST(v->g->sets[row], WHERE ": the set is empty", WHERE_ARGS);
	v->next_set += v->g->sets[row] + 1;
	return PTOWSP_OK;
}

static ptowsp_status scalar_check(struct verify *v, const struct pkg_graph_form *form, const struct pkg_graph_operand *o, uint64_t value)
{
	uint64_t row = value & ~PTOWSP_GRAPH_DYNAMIC;

	if (!(value & PTOWSP_GRAPH_DYNAMIC))
		return PTOWSP_OK;
	MUST(row < v->g->node_count && v->first[row] == v->next_node, WHERE ": node %llu is not the next scalar", WHERE_ARGS, (unsigned long long)row);
	MUST(v->g->nodes[row].op != PTOWSP_EXPR_CONST, WHERE ": node %llu is a constant, which belongs into the operand itself", WHERE_ARGS,
	     (unsigned long long)row);
	v->next_node = (uint32_t)row + 1;
	return PTOWSP_OK;
}

static ptowsp_status operand_check(struct verify *v, const struct pkg_graph_form *form, const struct pkg_graph_operand *o, uint64_t value)
{
	switch ((enum pkg_graph_kind)o->kind) {
	case PKG_GRAPH_SET: return set_check(v, form, o, value);
	case PKG_GRAPH_SYMBOL: MUST(is_string(v, value), WHERE ": %llu is no string", WHERE_ARGS, (unsigned long long)value); return PTOWSP_OK;
	case PKG_GRAPH_RANGE:
		MUST(value >= 1 && value <= o->argument, WHERE ": %llu is not 1 to %llu", WHERE_ARGS, (unsigned long long)value,
		     (unsigned long long)o->argument);
		return PTOWSP_OK;
	case PKG_GRAPH_ENUM:
		MUST(pkg_word((enum pkg_words)o->argument, value), WHERE ": %llu is no %s", WHERE_ARGS, (unsigned long long)value,
		     pkg_words_name((enum pkg_words)o->argument));
		return PTOWSP_OK;
	case PKG_GRAPH_SCALAR: return scalar_check(v, form, o, value);
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE:
		MUST(value != UINT32_MAX, WHERE ": 4294967295 is no id", WHERE_ARGS);
		MUST(o->argument != PTOWSP_GRAPH_GRAPH || value <= PTOWSP_GRAPH_ID_LIMIT, WHERE ": %llu is no id of a graph", WHERE_ARGS,
		     (unsigned long long)value);
		return PTOWSP_OK;
	case PKG_GRAPH_NUMBER: return PTOWSP_OK;
	}
	return PTOWSP_OK;
}

/* --- ids --- */

/* Definitions and uses of objects; sorted, so that equal numbers stand together. */
struct mention {
	uint32_t object, number;
	uint32_t graph; /* of kernels: TG_BEGIN that is open, counted from 1 */
	uint32_t at;    /* instruction */
	uint8_t defines;
};

static int by_number(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return y->defines - x->defines;
}

static ptowsp_status mentions_check(const struct verify *v, struct mention *mentions, size_t count)
{
	const struct mention *known = NULL;

	if (count)
		qsort(mentions, count, sizeof(*mentions), by_number);
	for (size_t i = 0; i < count; i++) {
		const struct mention *m = &mentions[i];
		int same = known && known->object == m->object && known->number == m->number;
		const char *text = pkg_graph_object_text(m->object);

		MUST(!m->defines || !same, "GRPH[%u]: %s %u is defined twice", (unsigned)v->index, text, (unsigned)m->number);
		if (m->defines)
			known = m;
		else
			MUST(same, "GRPH[%u].order[%u]: there is no %s %u", (unsigned)v->index, (unsigned)m->at, text, (unsigned)m->number);
		MUST(m->object != PTOWSP_GRAPH_KERNEL || m->graph == known->graph, "GRPH[%u].order[%u]: kernel %u belongs to another graph", (unsigned)v->index,
		     (unsigned)m->at, (unsigned)m->number);
	}
	return PTOWSP_OK;
}

/* How many ids an instruction mentions. */
static size_t mentions_count(const struct pkg_graph *g)
{
	size_t count = g->node_count;

	for (uint32_t i = 0; i < g->inst_count; i++)
		for (uint32_t k = 0; k < g->insts[i].form->count; k++)
			count += g->insts[i].form->operands[k].kind == PKG_GRAPH_SET ? g->sets[g->insts[i].values[k]] : 1;
	return count;
}

static size_t mentions_add(const struct pkg_graph *g, uint32_t at, uint32_t open, struct mention *out)
{
	const struct pkg_graph_inst *inst = &g->insts[at];
	size_t count = 0;

	for (uint32_t k = 0; k < inst->form->count; k++) {
		const struct pkg_graph_operand *o = &inst->form->operands[k];

		if (o->kind == PKG_GRAPH_SET)
			for (uint32_t i = 0; i < g->sets[inst->values[k]]; i++)
				out[count++] = (struct mention){(uint32_t)o->argument, g->sets[inst->values[k] + i + 1], open, at, 0};
		else if (o->kind == PKG_GRAPH_NEW || o->kind == PKG_GRAPH_ID)
			out[count++] = (struct mention){(uint32_t)o->argument, (uint32_t)inst->values[k], open, at, o->kind == PKG_GRAPH_NEW};
	}
	return count;
}

/* --- blocks --- */

/* The op that a word ends, 0 if it ends none. */
static unsigned opened_by(unsigned op)
{
	return op == PTOWSP_TG_END        ? PTOWSP_TG_BEGIN
	       : op == PTOWSP_CF_ENDIF    ? PTOWSP_CF_IF
	       : op == PTOWSP_CF_ENDLOOP  ? PTOWSP_CF_LOOP
	       : op == PTOWSP_CF_ENDWHILE ? PTOWSP_CF_WHILE
					  : 0;
}

static int opens(unsigned op)
{
	return op == PTOWSP_TG_BEGIN || op == PTOWSP_CF_IF || op == PTOWSP_CF_LOOP || op == PTOWSP_CF_WHILE;
}

struct frames {
	uint8_t op[PTOWSP_NESTING_LIMIT], has_else[PTOWSP_NESTING_LIMIT];
	uint32_t depth;
	uint32_t graph; /* number of the open one, counted from 1; 0: none */
	uint32_t graphs;
	uint64_t id; /* its id */
};

static int in_loop(const struct frames *f)
{
	for (uint32_t i = f->depth; i-- > 0 && f->op[i] != PTOWSP_TG_BEGIN;)
		if (f->op[i] == PTOWSP_CF_LOOP || f->op[i] == PTOWSP_CF_WHILE)
			return 1;
	return 0;
}

static ptowsp_status block_step(const struct verify *v, struct frames *f, const struct pkg_graph_inst *inst)
{
	const struct pkg_graph_form *form = inst->form;
	unsigned ended = opened_by(form->op);

	MUST(form->op != PTOWSP_TG_BEGIN || !f->graph, "GRPH[%u].order[%u]: a graph inside of a graph", (unsigned)v->index, (unsigned)v->at);
	MUST(form->place & (f->graph ? PKG_GRAPH_GRAPH : PKG_GRAPH_TOP), "GRPH[%u].order[%u]: %s cannot stand %s of a graph", (unsigned)v->index,
	     (unsigned)v->at, form->name, f->graph ? "inside" : "outside");
	MUST(form->op != PTOWSP_CF_BREAK || in_loop(f), "GRPH[%u].order[%u]: CF_BREAK is in no loop", (unsigned)v->index, (unsigned)v->at);
	if (form->op == PTOWSP_CF_ELSE) {
		MUST(f->depth && f->op[f->depth - 1] == PTOWSP_CF_IF && !f->has_else[f->depth - 1]++, "GRPH[%u].order[%u]: CF_ELSE belongs to no CF_IF",
		     (unsigned)v->index, (unsigned)v->at);
	} else if (ended) {
		MUST(f->depth && f->op[f->depth - 1] == ended, "GRPH[%u].order[%u]: %s ends nothing", (unsigned)v->index, (unsigned)v->at, form->name);
		MUST(form->op != PTOWSP_TG_END || inst->values[0] == f->id, "GRPH[%u].order[%u]: TG_END does not match TG_BEGIN", (unsigned)v->index,
		     (unsigned)v->at);
		f->depth--;
		f->graph = form->op == PTOWSP_TG_END ? 0 : f->graph;
	} else if (opens(form->op)) {
		MUST(f->depth < PTOWSP_NESTING_LIMIT, "GRPH[%u].order[%u]: blocks nest deeper than %u", (unsigned)v->index, (unsigned)v->at,
		     PTOWSP_NESTING_LIMIT);
		f->op[f->depth] = form->op;
		f->has_else[f->depth++] = 0;
		if (form->op == PTOWSP_TG_BEGIN) {
			f->graph = ++f->graphs;
			f->id = inst->values[0];
		}
	}
	return PTOWSP_OK;
}

static ptowsp_status insts_check(struct verify *v, struct mention *mentions)
{
	struct frames f = {0};
	size_t count = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < v->g->inst_count && !status; i++) {
		const struct pkg_graph_inst *inst = &v->g->insts[i];

		v->at = i;
		status = block_step(v, &f, inst);
		if (!status)
			count += mentions_add(v->g, i, f.graph, mentions + count);
	}
	for (uint32_t i = 0; i < v->g->node_count; i++)
		if (v->g->nodes[i].op == PTOWSP_EXPR_AXIS)
			mentions[count++] = (struct mention){PTOWSP_GRAPH_ITERATOR, v->g->nodes[i].a, 0, 0, 0};
	if (!status && f.depth)
		status = pkg_refuse(v->place, "GRPH[%u]: %s is not ended", (unsigned)v->index, pkg_graph_form(f.op[f.depth - 1])->name);
	return status ? status : mentions_check(v, mentions, count);
}

static ptowsp_status operands_check(struct verify *v)
{
	uint32_t rows[256] = {0};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < v->g->inst_count && !status; i++) {
		const struct pkg_graph_inst *inst = &v->g->insts[i];

		v->at = rows[inst->form->op]++;
		for (uint32_t k = 0; k < inst->form->count && !status; k++)
			status = operand_check(v, inst->form, &inst->form->operands[k], inst->values[k]);
	}
	if (!status && (v->next_set != v->g->set_count || v->next_node != v->g->node_count))
		status = pkg_refuse(v->place, "GRPH[%u] has sets or nodes that no instruction uses", (unsigned)v->index);
	return status;
}

ptowsp_status pkg_graph_verify(const struct pkg_graph *graph, uint32_t index, const struct pkg_tables *tables, const struct pkg_place *place)
{
	struct verify v = {.g = graph, .place = place, .strings = {*place, tables, "", 0}, .index = index};
	uint16_t *depth = calloc((size_t)graph->node_count + 1, sizeof(*depth));
	struct mention *mentions = NULL;
	ptowsp_status status = PTOWSP_OK;

	v.first = calloc((size_t)graph->node_count + 1, sizeof(*v.first));
	if (!depth || !v.first)
		status = pkg_fail(place->error, PTOWSP_NO_MEMORY, "%s: out of memory for GRPH", place->file);
	if (!status && !is_string(&v, graph->name))
		status = pkg_refuse(place, "GRPH[%u].name: %u is no string", (unsigned)index, (unsigned)graph->name);
	if (!status)
		status = nodes_check(&v, v.first, depth);
	if (!status)
		status = names_check(&v);
	if (!status)
		status = operands_check(&v);
	if (!status) {
		mentions = calloc(mentions_count(graph) + 1, sizeof(*mentions));
		status = mentions ? insts_check(&v, mentions) : pkg_fail(place->error, PTOWSP_NO_MEMORY, "%s: out of memory for GRPH", place->file);
	}
	free(depth);
	free(v.first);
	free(mentions);
	return status;
}
