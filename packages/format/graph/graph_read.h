/* SPDX-License-Identifier: MIT */
/* graph_read.h - section GRPH decoded: task graph binaries as lists of instructions. */
#ifndef FORMAT_GRAPH_READ_H
#define FORMAT_GRAPH_READ_H

#include "format/fail.h"
#include "format/format_package.h"
#include "format/graph/graph_builder.h"
#include "format/graph/graph_read.h"
#include <stdio.h>

/* One instruction in program text; values as its row holds them, one per operand of its form. */
struct pkg_graph_inst {
	const struct pkg_graph_form *form;
	uint64_t values[PTOWSP_GRAPH_ARGS];
};
struct pkg_graph_name {
	uint32_t object, number, text; /* enum ptowsp_graph_object; text: STRS offset */
};
/* By object, then by number: for qsort and bsearch. */
int pkg_graph_name_compare(const void *a, const void *b);

/* One binary. Borrowed from its pkg_graphs. */
struct pkg_graph {
	uint32_t version, device;
	uint32_t name; /* STRS offset; "" in version 1 */
	struct pkg_graph_inst *insts;
	uint32_t inst_count;
	const uint32_t *sets; /* a set at row r: sets[r] numbers from sets[r + 1] on */
	uint32_t set_count;
	struct pkg_graph_node *nodes;
	uint32_t node_count;
	struct pkg_graph_name *names; /* sorted by object and number */
	uint32_t name_count;
};
struct pkg_graphs {
	struct pkg_graph *rows;
	uint32_t count;
};

/* Decodes and verifies; place is for messages, strings are those of tables. *graphs_out is to be finished in any case.
 * Errors: BAD_PACKAGE with the binary and the instruction, NO_MEMORY. */
ptowsp_status pkg_graphs_read(struct pkg_graphs *graphs_out, const struct pkg_tables *tables, const struct pkg_place *place);
void pkg_graphs_finish(struct pkg_graphs *graphs);

/* The source's name of an object; NULL: it is its number. */
const char *pkg_graph_name_find(const struct pkg_graph *graph, const struct pkg_tables *tables, uint32_t object, uint32_t number);

/* The number by which a notification of that name goes in WORK: the same in the programs of all devices. */
uint32_t pkg_graph_notification(const char *name);

/* graph_verify.c: what one decoded binary says. */
ptowsp_status pkg_graph_verify(const struct pkg_graph *graph, uint32_t index, const struct pkg_tables *tables, const struct pkg_place *place);

/* --- a task graph binary as the source that it came from. --- */

/* `graph @name { ... }`, an instruction a line; operands at the end that have their defaults are left out. Packing the text gives the same
 * binary, comments, line breaks and constant expressions apart, if the names are words of the language. */
void pkg_graph_print(const struct pkg_graph *graph, const struct pkg_tables *tables, FILE *to);

#endif
