/* SPDX-License-Identifier: MIT */
/* lang_graph.h - the instruction form: what the parser makes of `graph @name { ... }` and of bare TG_, MC_, CF_, CA_, SY_ text. Lies in the unit's
 * arena; lang_graph_check fills in the facts. A program is the list of its instructions in program text, each with operands that
 * point at the objects they mean; the arrays beside it are the same things by kind. */
#ifndef LANG_GRAPH_H
#define LANG_GRAPH_H

#include <stdbool.h>

#include "format/graph/graph_schema.h"
#include "lang/decl.h"
#include "lang/lang_kernel.h"
#include "lang/parse/parse.h"

enum { LANG_GRAPH_TOLD = 2 }; /* lang_graph_object.defined: it is not, and that was told */

/* Anything that has an id: graph_objects.def. Kernels, tensors and graphs are larger structs that begin with one. */
struct lang_graph_object {
	uint8_t kind;                 /* enum ptowsp_graph_object */
	uint8_t defined;              /* 1: an instruction defines it; 0: known by being used (external tensor, stream, event, scalar) */
	uint8_t numeric;              /* 1: written as a number */
	const char *name;             /* as written: "Q_TENSOR", "3" */
	uint32_t number;              /* unique among the objects of its kind in the program; a number as written is kept where it is free */
	uint32_t index;               /* in the array of its kind: program->graphs, kernels, tensors, objects */
	struct lang_span at;          /* where it is defined, else its first use */
	struct lang_graph_inst *inst; /* the instruction that defines it, NULL without one */
	struct lang_graph *graph;     /* kernels, barriers: the graph they belong to */
	uint32_t set;                 /* the latest {set} that it was written in, counted from 1 */
};

/* A scalar: condition, count, offset, size, iteration. op: enum ptowsp_expr_op or PTOWSP_GRAPH_NODE_x. CONST: value; VALUE: object is a SCALAR (a
 * symbol or slot of the module of that name; one that is declared nowhere is an external u64 symbol); AXIS: object is an ITERATOR in scope;
 * ELEMENT: object is a TENSOR, a the index in elements of dtype; ITERATION; else the operation on a, b, c as in expr_ops.def. Constants are folded. */
struct lang_graph_scalar {
	uint8_t op;
	uint16_t dtype; /* ELEMENT: i32 unless ":type" is written behind it */
	int64_t value;
	struct lang_graph_object *object;
	struct lang_graph_scalar *a, *b, *c;
	struct lang_span at;
	uint32_t row;                 /* of NODE in the binary, set when it is written */
	struct lang_graph_slot *slot; /* ELEMENT: where it is loaded to (graph_lower.h) */
};

/* One operand; graph_ops.def says which kind stands where. */
struct lang_graph_arg {
	uint8_t given; /* 0: the default */
	struct lang_span at;
	const char *text;                 /* SYMBOL: the name */
	uint64_t value;                   /* NUMBER, RANGE, ENUM; ids: the object's number; SCALAR that is constant */
	struct lang_graph_object *object; /* NEW, ID, USE; NULL for a tensor_id 0 that means none */
	struct lang_graph_scalar *scalar; /* SCALAR; op CONST where it is constant, never NULL */
	struct lang_graph_object **set;   /* SET */
	uint32_t set_count;
};

struct lang_graph_block {
	struct lang_graph_inst *first, **last;
};

/* One instruction. The ends (TG_END, CF_ELSE, CF_ENDIF, CF_ENDLOOP, CF_ENDWHILE) are not in the list: the blocks say it. */
struct lang_graph_inst {
	struct lang_graph_inst *next;
	uint8_t op; /* enum ptowsp_graph_op */
	uint8_t has_else;
	uint8_t broken;              /* 1: it has an error; kept for what its blocks hold */
	struct lang_span at;         /* its word */
	struct lang_span end;        /* of its block: the word that ends it */
	struct lang_graph_arg *args; /* one per operand of its form, NULL without operands */
	uint8_t arg_count;
	struct lang_graph_block body;      /* TG_BEGIN, CF_IF, CF_LOOP, CF_WHILE */
	struct lang_graph_block other;     /* CF_IF: behind CF_ELSE */
	struct lang_graph_inst *parent;    /* the one whose block it stands in, NULL at the top */
	struct lang_graph *graph;          /* the graph it stands in, NULL outside */
	uint32_t order;                    /* place in program text, 0 first; the words that end blocks count, too */
	uint32_t else_order, end_order;    /* of its CF_ELSE and of what ends its block */
	struct lang_graph_inst *freed_too; /* MC_FREE: one of the same tensor in another branch of a CF_IF */
	uint32_t launch;                   /* a launch: place among the launches of the program plus 1 (graph_lower.h) */
};

struct lang_graph_bind {
	struct lang_graph_inst *inst; /* MC_BIND */
	struct lang_graph_kernel *kernel;
	uint32_t arg;
	struct lang_graph_tensor *tensor;
	struct lang_graph_scalar *offset, *size; /* bytes; size CONST 0: to the end of the tensor */
	uint8_t access;                          /* PTOWSP_READ | PTOWSP_WRITE as far as it is known, 0: unknown (the entry is declared nowhere) */
};

struct lang_graph_depend {
	struct lang_graph_inst *inst; /* TG_DEPEND, or the TG_FUSE that made it */
	struct lang_graph_kernel *src, *dst;
	uint32_t type;                    /* PTOWSP_dep_type_x */
	struct lang_graph_tensor *tensor; /* NULL: none; DATA without one: all that both are bound to */
};

struct lang_graph_kernel {
	struct lang_graph_object object; /* first */
	const char *entry;               /* kernel symbol */
	struct lang_span entry_at;
	struct lang_function *function;                /* the InCore function of that name in the module, NULL: a declared kernel or neither */
	struct lang_kernel *decl;                      /* the `kernel` of that name, NULL without one */
	uint32_t blockdim, core_type;                  /* 1 to 65535; PTOWSP_core_type_x */
	uint64_t workspace;                            /* bytes per invocation */
	struct lang_graph_bind **binds;                /* by argument, the last binding of each */
	uint32_t bind_count, bind_capacity, arg_count; /* arg_count: largest argument bound + 1 */
	uint32_t aic, aiv, aicpu;                      /* CA_REQUEST, 0 without one */
	uint8_t requested;
	const struct lang_graph_inst *together, *apart; /* the last CA_AFFINITY that wants it beside others, away from others */
	uint8_t persistent;                             /* 1: TG_PERSISTENT */
	uint64_t duration;
	uint32_t node;                /* in graph->kernels */
	struct lang_graph_inst *inst; /* TG_KERNEL; its place in its block is where the kernel is issued */
};

/* Finds function or decl; an entry that is neither is served by a C function of that name. */
void lang_graph_entry_find(struct lang_module *module, struct lang_graph_kernel *kernel);
/* How many tensors it takes; UINT32_MAX: it is declared nowhere. */
uint32_t lang_graph_tensor_params(const struct lang_graph_kernel *kernel);
static inline struct lang_param lang_graph_param(const struct lang_graph_kernel *kernel, bool tensors, uint32_t argument)
{
	return lang_param_of(kernel->function, kernel->decl, tensors, argument);
}
/* Some of its code is portable: it says itself what it touches, and sees memory as flat. */
bool lang_graph_is_portable(const struct lang_graph_kernel *kernel);

struct lang_graph_tensor {
	struct lang_graph_object object;    /* first; defined 0: external, bound from outside by its name */
	uint64_t size;                      /* bytes; external: the smallest that all bindings fit into, 0 if nothing says */
	uint64_t room;                      /* bytes that are there: it is allocated, or declared with numbers; 0: nobody says */
	const struct lang_tensor *declared; /* external: what the file declares by that name, NULL if nothing */
	uint32_t alignment, location;       /* location: PTOWSP_location_x */
	struct lang_graph_inst *freed;      /* the last MC_FREE, NULL without one; those in other branches are its freed_too */
	uint8_t access;                     /* of all that touches it: READ, WRITE as far as known */
	uint8_t open;                       /* something may be written to it, and nobody says where that ends */
};

/* One TG_BEGIN .. TG_END, or what TG_FUSE made. */
struct lang_graph {
	struct lang_graph_object object; /* first */
	struct lang_graph_block *body;   /* instructions in the order in which they are issued: inside one run of kernels without anything that
	                                   * orders, kernels are sorted so that every edge leads forward */
	struct lang_graph_block own;     /* made by TG_FUSE; body of others is that of their TG_BEGIN */
	struct lang_graph_kernel **kernels;
	uint32_t kernel_count, kernel_capacity;
	struct lang_graph_depend **depends;
	uint32_t depend_count, depend_capacity;
	struct lang_graph *fused[2];                       /* TG_FUSE: of what, else NULL */
	uint32_t *launches, launch_count, launch_capacity; /* while code is made (graph_launch.c): its launches, rows in text order, */
	uint32_t synced;                                   /*   how many of them what follows waits for */
	uint8_t closed;                                    /* 1: TG_END was there */
};

/* A compilation unit of instructions: one entry of the package. */
struct lang_graph_program {
	struct lang_decl head;                /* its name is that of `graph @name`, bare text: of the file */
	uint32_t device;                      /* `graph @name on device 1`: the device it belongs to, 0 without */
	uint8_t placed;                       /* 1: that is written */
	struct lang_graph_lowering *lowering; /* graph_lower.h */
	struct lang_graph_block body;         /* top level: TG_BEGIN with its body, TG_LAUNCH ... */
	struct lang_graph **graphs;
	struct lang_graph_kernel **kernels;
	struct lang_graph_tensor **tensors;
	struct lang_graph_bind **binds;
	struct lang_graph_object **objects; /* all others: streams, events, barriers, partitions, iterators, notifications, checkpoints, scalars */
	uint32_t graph_count, kernel_count, tensor_count, bind_count, object_count;
	uint32_t graph_capacity, kernel_capacity, tensor_capacity, bind_capacity, object_capacity;
	uint32_t inst_count;
	struct lang_map names[PTOWSP_GRAPH_OBJECTS]; /* by kind; kernels and barriers of the graph being read */
};

/* Constant of a scalar: 1 and the value. */
static inline bool lang_graph_constant(const struct lang_graph_scalar *scalar, int64_t *value_out)
{
	*value_out = scalar->value;
	return scalar->op == PTOWSP_EXPR_CONST;
}

/* Hooks of decls.def: `graph @name { ... }`. */
void lang_graph_parse(struct lang_parser *parser);
void lang_graph_check(struct lang_module *module, struct lang_decl *decl); /* constraints; sorts the bodies of graphs */
void lang_graph_build(struct lang_lower *lower, struct lang_decl *decl);   /* its binary into section GRPH */
void lang_graph_code(struct lang_lower *lower, struct lang_decl *decl);    /* its instructions in WORK (graph_lower.c) */
/* Bare instructions at the next token, called like the file's program or the file: up to the next declaration. */
bool lang_graph_at(const struct lang_parser *parser);
void lang_graph_bare_parse(struct lang_parser *parser, const char *name);

/* --- shared by parse_graph.c, graph_object.c, graph_scalar.c, graph_check.c ... --- */

/* The reading of one program. */
struct lang_graph_reader {
	struct lang_parser *parser;
	struct lang_unit *unit;
	struct lang_graph_program *program;
	struct lang_graph *graph;       /* the open one, NULL outside */
	struct lang_graph_inst *parent; /* the innermost open block */
	struct lang_graph_block *block; /* where the next instruction goes */
	uint32_t depth;
	uint8_t bare;                                              /* 1: without `graph @name {` around */
	struct lang_graph_object *iterators[PTOWSP_NESTING_LIMIT]; /* of the loops around, outermost first */
	uint32_t iterator_count;
	uint32_t sets;         /* read so far */
	uint32_t first_kernel; /* of the program: the first one that the open graph mentions */
};

/* The object of that spelling and kind; made when it is mentioned for the first time. */
struct lang_graph_object *lang_graph_mention(struct lang_graph_reader *reader, enum ptowsp_graph_object kind, const char *name, struct lang_span at);
/* The same, defined here; an error if it is defined already. */
struct lang_graph_object *lang_graph_define(struct lang_graph_reader *reader, enum ptowsp_graph_object kind, const char *name, struct lang_span at,
					    struct lang_graph_inst *inst);
/* NULL if nothing of that name was mentioned. */
struct lang_graph_object *lang_graph_find(const struct lang_graph_program *program, enum ptowsp_graph_object kind, const char *name);
/* The kernels and barriers of the open graph are known no more. */
void lang_graph_forget(struct lang_graph_reader *reader);
/* An error for every object of a kind that must be defined and is not. graph: whose kernels; NULL: all but kernels. */
void lang_graph_undefined_refuse(struct lang_graph_reader *reader, const struct lang_graph *graph);
/* One of them, which is named at object->at. */
void lang_graph_missing_refuse(struct lang_graph_reader *reader, struct lang_graph_object *object);
/* Numbers for all objects: numbers as written first, then names in the order of their first mention. */
void lang_graph_number(struct lang_graph_reader *reader);

/* A scalar at the next token; NULL after an error. */
struct lang_graph_scalar *lang_graph_scalar_parse(struct lang_graph_reader *reader, const char *what);
struct lang_graph_scalar *lang_graph_scalar_constant(struct lang_unit *unit, int64_t value, struct lang_span at);

/* Finds the kernels and their bindings (graph_bind.c): functions, arguments, access, bounds. */
void lang_graph_bind(struct lang_module *module, struct lang_graph_program *program);
#define LANG_GRAPH_FUSE_LIMIT (1u << 24) /* pairs of kernels that TG_FUSE compares, at most */
/* The graphs that TG_FUSE makes (graph_fuse.c); bindings are known. */
void lang_graph_fuse(struct lang_unit *unit, struct lang_graph_program *program);
/* Checks the instructions outside of graphs (lang_graph_run.c): launches, frees of what is in use, events that nobody signals. */
void lang_graph_run_check(struct lang_unit *unit, const struct lang_graph_program *program);
/* graph_scalar.c: bytes beyond it are no bytes; sums of two such numbers stay exact. */
#define LANG_GRAPH_FAR (INT64_C(1) << 61)
/* The least and the largest value that a scalar can have whatever the run. 0: that is not known, or it is too far. */
bool lang_graph_range(const struct lang_graph_scalar *scalar, int64_t *low_out, int64_t *high_out);
/* The bytes of its tensor that a binding may mean, all of them where that depends on the run: from <= byte < end. */
void lang_graph_bytes(const struct lang_graph_bind *bind, int64_t *from_out, int64_t *end_out);
/* 1 if the bytes of two bindings of one tensor may meet. */
bool lang_graph_overlaps(const struct lang_graph_bind *a, const struct lang_graph_bind *b);

static inline struct lang_graph_tensor *lang_graph_tensor(struct lang_graph_object *object)
{
	return (struct lang_graph_tensor *)(void *)object;
}
static inline struct lang_graph_kernel *lang_graph_kernel(struct lang_graph_object *object)
{
	return (struct lang_graph_kernel *)(void *)object;
}
static inline struct lang_graph *lang_graph_of(struct lang_graph_object *object)
{
	return (struct lang_graph *)(void *)object;
}

/* --- reading instructions, in parts: operands, blocks, what is said of objects. Private to them and parse_graph.c. --- */

/* graph_operand.c: "(a, b)" into inst->args, defaults for what is not written. 0 after an error; the parser then stands behind the instruction. */
bool lang_graph_operands_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_graph_inst *inst);
/* Words and instructions are written in capitals: a guess at what is meant by small ones. In the arena. */
const char *lang_graph_upper(struct lang_graph_reader *reader, const char *text);

/* --- what comes before what among the kernels of one graph. --- */

struct lang_graph_edge {
	uint32_t from, to;                  /* nodes */
	uint8_t type;                       /* PTOWSP_dep_type_x; AFTER for events and barriers */
	const struct lang_graph_inst *inst; /* that says so */
};
/* Nodes are the kernels of a graph in the order of its array; behind them events and barriers have nodes of their own. */
struct lang_graph_order {
	struct lang_graph *graph;
	uint32_t *segment;                     /* by kernel node: kernels of one segment may be sorted, others stay in program text */
	const struct lang_graph_inst **fences; /* MC_FENCE of the graph, in program text */
	uint32_t fence_count, fence_capacity;
	uint32_t *position; /* by kernel node: where it is issued, 0 first */
	struct lang_graph_edge *edges;
	uint32_t edge_count, edge_capacity;
	uint32_t kernel_count, node_count;
	uint32_t ready, barriers; /* with barriers: first node in front of the kernels, first barrier; else 0 */
	uint32_t *sorted, *rank;  /* all nodes so that every edge leads forward; and by node its place there */
	uint32_t *first, *next;   /* edges from a node, as lists: place in edges plus 1 */
	uint8_t broken;           /* 1: a cycle, or an edge that leads back */
};

/* Makes the edges of a graph, refuses cycles and edges against program text, and sorts the body. */
void lang_graph_order_make(struct lang_unit *unit, struct lang_graph *graph, struct lang_graph_order *order_out);
/* 1 if an MC_FENCE stands between the two instructions that is reached whenever the second one is, or the first. */
bool lang_graph_is_fenced(const struct lang_graph_order *order, const struct lang_graph_inst *a, const struct lang_graph_inst *b);

/* --- bytes that one kernel of a graph writes and another one touches: is that ordered, and is it seen? --- */

#define LANG_GRAPH_RACE_LIMIT (1u << 21) /* comparisons of bindings per graph; beyond it a warning says what was not looked at */

/* The instructions stand in the two branches of one CF_IF: at most one of the two instructions is reached in a round. */
bool lang_graph_are_alternatives(const struct lang_graph_inst *a, const struct lang_graph_inst *b);
/* Warns of pairs of kernels that nothing orders, and of reads that only AFTER orders. Kernels that are declared nowhere say nothing of what they
 * read and write and are left out. If a graph has a race, one is told, whatever its size; not every pair is where many race for the same bytes. */
void lang_graph_race_check(struct lang_unit *unit, const struct lang_graph_order *order);

#endif
