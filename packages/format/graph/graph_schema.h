/* SPDX-License-Identifier: MIT */
/* graph_schema.h - graph_ops.def as data: instructions of task graphs and their operands. */
#ifndef FORMAT_GRAPH_SCHEMA_H
#define FORMAT_GRAPH_SCHEMA_H

#include <stdbool.h>

#include "format/format_names.h"
#include "ptowsp/graph.h"

enum pkg_graph_kind { /* of an operand, see the head of graph_ops.def */
		      PKG_GRAPH_NEW,
		      PKG_GRAPH_ID,
		      PKG_GRAPH_USE,
		      PKG_GRAPH_SET,
		      PKG_GRAPH_SYMBOL,
		      PKG_GRAPH_RANGE,
		      PKG_GRAPH_NUMBER,
		      PKG_GRAPH_SCALAR,
		      PKG_GRAPH_ENUM
};
enum pkg_graph_place { PKG_GRAPH_TOP = 1, PKG_GRAPH_GRAPH = 2, PKG_GRAPH_BOTH = 3 }; /* where an instruction may stand */

struct pkg_graph_operand {
	const char *name, *type, *kind_text, *argument_text;
	const char *value; /* default, "" if it must be given */
	uint64_t argument; /* enum ptowsp_graph_object, limit, or enum pkg_words, as the kind says */
	uint8_t bytes;     /* 4 or 8 */
	uint8_t kind;      /* enum pkg_graph_kind */
};
struct pkg_graph_form {
	const char *name, *effect;
	const struct pkg_graph_operand *operands;
	uint8_t op;    /* enum ptowsp_graph_op */
	uint8_t place; /* enum pkg_graph_place */
	uint8_t count; /* of operands */
	uint8_t bytes; /* of a row */
};

/* Rows are in the order of graph_ops.def. */
const struct pkg_graph_form *pkg_graph_forms(uint32_t *count_out);
const struct pkg_graph_form *pkg_graph_form(uint32_t op);           /* NULL if unknown */
const struct pkg_graph_form *pkg_graph_form_find(const char *name); /* "TG_KERNEL" */
const char *pkg_graph_object_text(uint32_t object);                 /* "kernel" */
/* Operands of a node of a scalar that are earlier nodes, counted from a. */
uint32_t pkg_graph_node_operands(uint32_t op);
bool pkg_graph_node_is_known(uint32_t op);

#endif
