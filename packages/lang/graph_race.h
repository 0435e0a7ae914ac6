/* SPDX-License-Identifier: MIT */
/* graph_race.h - bytes that one kernel of a graph writes and another one touches: is that ordered, and is it seen? */
#ifndef LANG_GRAPH_RACE_H
#define LANG_GRAPH_RACE_H

#include "lang/graph_order.h"

#define LANG_GRAPH_RACE_LIMIT (1u << 21) /* comparisons of bindings per graph; beyond it a warning says what was not looked at */

/* In the two branches of one CF_IF: at most one of the two instructions is reached in a round. */
int lang_graph_are_alternatives(const struct lang_graph_inst *a, const struct lang_graph_inst *b);
/* Warns of pairs of kernels that nothing orders, and of reads that only AFTER orders. Kernels that are declared nowhere say nothing of what they
 * read and write and are left out. If a graph has a race, one is told, whatever its size; not every pair is where many race for the same bytes. */
void lang_graph_race_check(struct lang_unit *unit, const struct lang_graph_order *order);

#endif
