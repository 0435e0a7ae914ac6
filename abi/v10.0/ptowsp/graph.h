/* SPDX-License-Identifier: MIT */
/* graph.h - the GRPH section: static task graphs (PTOG) as the tables of graph_ops.def. packages/FORMAT.md shows every byte.
 *
 * One or more task graph binaries, one per `graph` block of the source. Each: header, then packed rows of TG_KERNEL, TG_DEPEND, MC_ALLOC and
 * MC_BIND. A binary may end there (version 1). In version 10 a row of MC_BIND whose kernel is PTOWSP_GRAPH_MORE ends the bindings, and the
 * tables of all other instructions and the order of all instructions follow. */
#ifndef PTOWSP_GRAPH_H
#define PTOWSP_GRAPH_H

#include "base.h"

enum ptowsp_graph_op {
#define GRAPH_OP(NAME, code, place, effect) PTOWSP_##NAME = code,
#define GRAPH_ARG(type, name, kind, argument, value)
#define GRAPH_END(NAME)
#include "graph_ops.def"
#undef GRAPH_OP
#undef GRAPH_ARG
#undef GRAPH_END
};
enum ptowsp_graph_object {
#define X(NAME, code, text, scope) PTOWSP_GRAPH_##NAME = code,
#include "graph_objects.def"
#undef X
	PTOWSP_GRAPH_OBJECTS
};
enum ptowsp_graph_word {
#define X(words, NAME, code) PTOWSP_##words##_##NAME = code,
#include "graph_words.def"
#undef X
#define X(NAME, code, text, unit) PTOWSP_core_type_##NAME = code,
#include "core.def"
#undef X
};

/* Nodes of scalars (table NODE): the codes of expr_ops.def, and these. */
enum {
	PTOWSP_GRAPH_NODE_ELEMENT = 0x80,  /* element of a tensor, read when it is reached: object, index node a, dtype */
	PTOWSP_GRAPH_NODE_ITERATION = 0x81 /* second operand of TG_INVOKE, 0 in a launch */
};

/* Tables behind the bindings: those of instructions have the code of their op, and these. */
enum {
	PTOWSP_GRAPH_TABLE_SETS = 0x100,  /* u32: how many, then so many numbers */
	PTOWSP_GRAPH_TABLE_NODE = 0x101,  /* nodes of scalars: u16 op, u16 dtype, u32 a, b, c, i64 value */
	PTOWSP_GRAPH_TABLE_NAME = 0x102,  /* u32 object, u32 number, u32 STRS offset */
	PTOWSP_GRAPH_TABLE_ORDER = 0x103  /* instructions in program text: u32 op, u32 row of its table, 0 without one */
};

#define PTOWSP_GRAPH_MAGIC 0x474F5450u /* the bytes read "PTOG" */
#define PTOWSP_GRAPH_VERSION_SEED 1u
#define PTOWSP_GRAPH_VERSION 10u
#define PTOWSP_GRAPH_MORE UINT32_MAX        /* kernel of the row that ends the bindings */
#define PTOWSP_GRAPH_DYNAMIC (UINT64_C(1) << 63) /* set in a SCALAR operand: the rest is a row of NODE */
#define PTOWSP_GRAPH_ARGS 8u                /* operands of an instruction, at most */
#define PTOWSP_GRAPH_ID_LIMIT 65535u        /* MAX_GRAPH_ID */

struct ptowsp_graph_header {
	uint32_t magic, version;
	uint32_t kernel_count, depend_count, alloc_count;
};
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_graph_header) == 20, "layout");

#endif
