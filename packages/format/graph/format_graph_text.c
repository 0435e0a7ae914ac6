/* SPDX-License-Identifier: MIT */
#include "format/graph/graph_read.h"

#include "ptowsp/workload.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
