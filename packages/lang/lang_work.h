/* SPDX-License-Identifier: MIT */
/* lang_work.h - bodies of workloads and processes: statements, what checks them, what makes instructions of them. */
#ifndef LANG_WORK_H
#define LANG_WORK_H

#include <stdbool.h>

#include "lang/lang_axis.h"
#include "lang/lang_kernel.h"
#include "lang/scalar.h"
#include "lang/tensor.h"

/* %T[row, column], %T[row, column : rows, columns], or %T alone: a part of a tensor. With as many indices as the tensor has dimensions,
 * all but the last one together say the row. */
struct lang_part {
	const char *tensor;
	struct lang_span at;  /* of the tensor's name */
	struct lang_span all; /* of all of it, if it is on one line */
	struct lang_scalar *indices[LANG_MAX_RANK];
	uint32_t index_count;           /* 0: the whole tensor */
	struct lang_scalar *extents[2]; /* rows, columns; NULL: as the other side says. flat: how far it may reach in [1] */
	uint8_t flat;                   /* 1: consecutive elements, as far as the callee touches */
	uint8_t viewed;                 /* 1: bytes are seen as elements of `view` */
	uint16_t view;
	uint8_t open;       /* 1: its size may be an expression, or below that of the callee's tile: so much of that is there */
	uint8_t loose;      /* 1: the callee need not touch all of its tile: numbers below are no size of what is there */
	const char *callee; /* of whose call it is a part; NULL: of none */
	/* found by checking */
	uint8_t parts; /* 1 rows, 2 columns: the expression says how many are there */
	struct lang_tensor *decl;
	uint32_t rows, columns; /* elements; 0: not known yet */
};

/* %formal -> actual of a call */
struct lang_pass {
	const char *formal;
	struct lang_span at;
	uint8_t has_brackets;   /* 1: [...] stands behind the name: it is a part */
	uint8_t stated, access; /* 1: the call says what is done with it, PTOWSP_READ | PTOWSP_WRITE; else the callee */
	struct lang_part part;
	struct lang_scalar *value; /* NULL: a part */
};

/* "after %t", "after data %t" */
struct lang_after {
	uint32_t kind; /* PTOWSP_AFTER_x */
	struct lang_scalar *task;
	uint32_t back; /* found by checking: so many tasks before this one; 0: the expression says */
};

struct lang_work;
struct lang_body {
	struct lang_work *first, **last;
	struct lang_span at; /* its "{" */
};

/* One statement of a body; a row of works.def says what it is. A form uses the fields that it needs. */
struct lang_work {
	struct lang_work *next;
	const struct lang_work_form *form;
	struct lang_span at; /* its first word */
	const char *name;    /* the %name behind the word: slot, event, channel, tensor */
	struct lang_span name_at;
	struct lang_decl *decl;    /* meaning of the name, found by checking */
	struct lang_local *local;  /* its declaration: loop value, token, task */
	struct lang_scalar *value; /* condition, value, token; the row of a ragged or sparse axis */
	struct lang_axis *axis;    /* loops: written here; NULL: named */
	struct lang_part parts[2]; /* from, to */
	uint32_t mode;             /* scope of a fence; 1: slot_load takes the bits */
	struct lang_body *bodies;  /* branches, steps, bodies */
	uint32_t body_count, body_capacity;
	/* call */
	const char *callee;
	struct lang_span callee_at;
	struct lang_pass *passes;
	uint32_t pass_count, pass_capacity;
	struct lang_span rest; /* of "...": tensors that are not passed are those of their names; line 0: there is none */
	struct lang_after *afters;
	uint32_t after_count, after_capacity;
	struct lang_function *function; /* its callee, one of the two */
	struct lang_decl *target;
	struct lang_pass **binds;   /* per parameter of the callee, as lang_callee_param numbers them; NULL: by name, see needs */
	struct lang_scalar **needs; /* per parameter: the value that is taken by name */
	void *more;                 /* of forms with a struct of their own */
};

/* --- parsing --- */

/* "{ statements }" at the next token. 0 after an error that left the body open. */
bool lang_body_parse(struct lang_parser *parser, struct lang_body *body);
/* The same, as one more body of the statement. */
bool lang_work_body_parse(struct lang_parser *parser, struct lang_work *work);
/* The %name behind the word of a statement; what: "an event such as %ready". */
bool lang_work_name_parse(struct lang_parser *parser, struct lang_work *work, const char *what);
/* %T[...]; 0 after an error. */
bool lang_part_parse(struct lang_parser *parser, struct lang_part *part);

/* "after %t, data %u" behind a call or copy, if it is there. 0 after an error. */
bool lang_afters_parse(struct lang_parser *parser, struct lang_work *work);

/* --- checking --- */

/* The tensor that relayout makes of a name, to the end of the body. */
struct lang_relayout {
	struct lang_relayout *outer;
	const char *name;
	struct lang_tensor *tensor;
};
struct lang_work_check {
	struct lang_unit *unit;
	struct lang_scope scope;         /* of the place; scope.module, too */
	struct lang_decl *decl;          /* workload or process */
	struct lang_relayout *relayouts; /* innermost first */
	uint32_t loops, depth;           /* open loops; open bodies of all kinds */
	uint32_t segment, number;        /* piece of straight code, tasks in it so far */
	uint32_t segments;               /* pieces so far */
	uint32_t guards;                 /* open bodies that a run may skip: branches of conditions, loops whose bounds it decides */
	uint8_t begun;                   /* a statement is checked that is no extent */
	uint32_t turns;                  /* open bodies whose tasks others may come between: branches of combine, processes */
};
/* A scalar argument of a kernel: float types take literals, symbols and slots, integer types expressions. 0 after an error. */
bool lang_argument_check(const struct lang_scope *scope, struct lang_scalar *scalar, uint16_t dtype, const char *name);
void lang_afters_check(struct lang_work_check *check, struct lang_work *work);
void lang_body_check(struct lang_work_check *check, struct lang_body *body);
/* The body of a loop whose value is `local`. */
void lang_loop_body_check(struct lang_work_check *check, struct lang_body *body, struct lang_local *local);
/* How many tasks a statement makes is not known: what follows is another piece of straight code. */
void lang_segment_cut(struct lang_work_check *check);
/* The statement makes one task, which local names (NULL: nothing does). */
void lang_segment_task(struct lang_work_check *check, struct lang_local *local);
/* Finds the declaration of work->name; what: "an event". 0 after an error. */
bool lang_work_decl_find(struct lang_work_check *check, struct lang_work *work, enum lang_decl_kind kind, const char *what);
/* Finds the tensor, checks the indices. access: PTOWSP_READ | PTOWSP_WRITE, who: whose access it is, for messages. 0 after an error. */
bool lang_part_check(struct lang_work_check *check, struct lang_part *part, unsigned access, const char *who);
/* An extent that is no number: the size is the callee's, `whole`, and a run says how much of it is there. 0 after an error. */
bool lang_part_open(struct lang_work_check *check, struct lang_part *part, unsigned axis, uint32_t whole, uint32_t *size_out);
void lang_part_extents_note(const struct lang_work *work); /* once a call is checked: which extents have different values there */
/* The argument of a call for a scalar that says how much of a tile is there, where it says nothing itself; NULL: another scalar, or after an error. */
struct lang_scalar *lang_part_extent(struct lang_work_check *check, const struct lang_work *work, const struct lang_var *scalar);
/* The type of its elements, as it is seen. */
uint16_t lang_part_dtype(const struct lang_part *part);
/* How many rows and columns (of bytes where it is viewed); what is not written is taken from rows, columns (0: unknown). Inside its tensor as far as that is known. */
bool lang_part_size(struct lang_work_check *check, struct lang_part *part, uint32_t rows, uint32_t columns);
/* The parts that a copy or a reduction reads and writes: both are looked at, so that each has its error. False: one has. */
bool lang_pair_check(struct lang_work_check *check, struct lang_work *work);
/* Source and target of a copy, in work->parts: finds both; then their sizes and types. */
bool lang_copy_find(struct lang_work_check *check, struct lang_work *work);
void lang_copy_size(struct lang_work_check *check, struct lang_work *work);
/* The same for a part that is flat. */
bool lang_part_flat_check(struct lang_work_check *check, struct lang_part *part);

/* The layout of the part's tensor, of which that access is made, meets another one, that of `whose`: "%a of @k". 0 after an error, which
 * stands at the part. */
bool lang_part_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other, const char *whose);
/* The same of the order in memory; one that is not stated takes all. */
bool lang_part_memory_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_memory *other, const char *whose);
/* The error of that: both layouts, why they contradict, and the layout that would do. They do contradict. */
void lang_layouts_refuse(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other, const char *whose);

/* A parameter of what a call calls, as lang_param numbers them. */
static inline struct lang_param lang_callee_param(const struct lang_work *call, uint32_t index)
{
	return lang_param(call->function, (const struct lang_kernel *)call->target, index);
}
uint32_t lang_callee_count(const struct lang_work *call);

/* --- lowering --- */

/* An extent that a workload says which is expanded in another one: its loops over the axis run over `as`. */
struct lang_extent {
	struct lang_extent *outer;
	const struct lang_axis *axis;
	struct lang_axis *as;
};
struct lang_work_walk {
	struct lang_lower *lower;
	uint32_t depth, loops;        /* open bodies, open loops */
	uint32_t entry;               /* ENTR row, PTOWSP_NONE: a process */
	uint32_t expansions;          /* calls around that are being expanded in place */
	const struct lang_body *body; /* all of the entry's or process's own */
	struct lang_level_set levels; /* tile levels in force */
	uint8_t stated;               /* rows of the axes whose extents the body says are there */
	struct lang_extent *extents;  /* of workloads that are being expanded, innermost first */
};
void lang_body_lower(struct lang_work_walk *walk, const struct lang_body *body);
/* The body of another workload, in place: without its extents, which hold for its loops, and only up to its halt. */
void lang_body_expand(struct lang_work_walk *walk, const struct lang_body *body);
/* The AXES row of a loop: of its axis, or of what the workload makes of that which is being expanded. row: EXPR row of the row, PTOWSP_NONE without. */
uint32_t lang_loop_axis_lower(struct lang_work_walk *walk, const struct lang_work *work, uint32_t row);
/* A loop's body: its value is `local`; operand 2 of the instruction `head` becomes the end. */
void lang_loop_body_lower(struct lang_work_walk *walk, uint32_t head, struct lang_local *local, const struct lang_body *body);
/* The REGN row of a part. */
uint32_t lang_part_lower(struct lang_work_walk *walk, const struct lang_part *part);
/* EXPR rows of where it begins. */
void lang_part_place_lower(struct lang_lower *lower, const struct lang_part *part, uint32_t *row_out, uint32_t *column_out);

/* --- statements --- */

struct lang_work_form {
	const char *word;
	uint16_t opcode;
	/* The word is taken. false after an error: the rest of the line is skipped. */
	bool (*parse)(struct lang_parser *parser, struct lang_work *work);
	void (*check)(struct lang_work_check *check, struct lang_work *work);
	void (*lower)(struct lang_work_walk *walk, const struct lang_work *work);
};

#define X(word, opcode, parse, check, lower)                                                                                                                   \
	bool parse(struct lang_parser *parser, struct lang_work *work);                                                                                        \
	void check(struct lang_work_check *check, struct lang_work *work);                                                                                     \
	void lower(struct lang_work_walk *walk, const struct lang_work *work);
#include "lang/works.def"
#undef X

/* --- workloads --- */

/* LANG_DECL_WORKLOAD; the ENTR row is head.row. */
struct lang_workload {
	struct lang_decl head;
	struct lang_body body;
	uint8_t state;                 /* of the walk over calls: 0 new, 1 on the path, 2 done */
	struct lang_workload *caller;  /* state 1: who calls it; NULL: nobody */
	uint8_t called;                /* by some body */
	uint32_t path;                 /* callers */
	const struct lang_work *alone; /* the statement that keeps it from being expanded in others; NULL: none does */
};
void lang_workload_parse(struct lang_parser *parser);
void lang_workload_check(struct lang_module *module, struct lang_decl *decl);
void lang_workload_code(struct lang_lower *lower, struct lang_decl *decl);

/* source text that the compiler writes itself: what a statement stands for, read like any other text. All of it has one place,
 * that of the statement. */

/* "func @f(...) { ... }": the function is added to the module, which must not have the name yet. The text has no error. */
void lang_made_function(struct lang_module *module, const char *text, struct lang_span at);
/* Statements, one per line: the only body of the work. */
void lang_made_body(struct lang_module *module, struct lang_work *work, const char *text);

/* --- where an index lies while the loops around it run. Only sums of constant multiples of the values of loops with constant bounds are known, as their ends are reached whatever the run; everything else is left to the run, which checks each access. --- */

#define LANG_RANGE_TERMS 8u

/* constant + factor * value of a loop + ... */
struct lang_range {
	int64_t constant;
	uint32_t count;
	struct lang_range_term {
		const struct lang_local *local;
		int64_t factor;
	} terms[LANG_RANGE_TERMS];
};

/* Before bodies are checked: axes that entries give other extents. */
void lang_extents_note(struct lang_module *module);
/* Adds factor times a checked expression. 0: not known; so it is where a condition stands between the loop and here. */
bool lang_range_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor);
/* The least or greatest value of the scalar; 0: it does not fit 64 bits. */
bool lang_range_end(const struct lang_range *range, int greatest, int64_t *value_out);
/* " where %i is 8 and %j is 0": the iteration that has it; "" of a constant. */
const char *lang_range_text(struct lang_unit *unit, const struct lang_range *range, int greatest);

#endif
