/* SPDX-License-Identifier: MIT */
/* graph_module.h - a text of instructions up to the checked tree, for tests that look at the tree. */
#ifndef TESTS_GRAPH_MODULE_H
#define TESTS_GRAPH_MODULE_H

#include "lang/graph/lang_graph.h"

/* Parses and checks; the tree stays until the next call. NULL where there is an error or no program. */
struct lang_graph_program *graph_module(const char *text);
/* What was said, one sentence a line, but for the warning that nothing is launched. Until the next call. */
const char *graph_module_messages(void);
void graph_module_finish(void);
/* Names of the kernels of a block in the order in which they are issued, "A B C", those inside of other blocks in parentheses. */
const char *graph_order_text(const struct lang_graph_block *block);
struct lang_graph *graph_named(const struct lang_graph_program *program, const char *name);

#endif
