/* SPDX-License-Identifier: MIT */
/* ascend_emit_state.h - what the files of --emit share. */
#ifndef ASCEND_EMIT_STATE_H
#define ASCEND_EMIT_STATE_H

#include "ascend/emit/ascend_emit.h"
#include "ascend/emit/name.h"
#include "ascend/emit/template.h"
#include "rt/access/footprint.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"

#define ASCEND_EMIT_MOST (UINT64_C(64) << 20) /* bytes of orchestration */
enum { ASCEND_EXPRESSION_MOST = 600 };        /* bytes of an expression in one piece */

/* A construct that is open around the statement being written. */
enum ascend_open { ASCEND_OPEN_LOOP, ASCEND_OPEN_SCOPE, ASCEND_OPEN_ORDER, ASCEND_OPEN_FILTER };

struct isa_emit_target;
struct ascend_emitter {
	const struct ascend_emit_args *args;
	const struct ascend_emit_sink *sink;
	struct ptowsp_error *error;
	ptowsp_status status; /* the first error */

	/* the package: the same for all entries */
	struct common_names kernels, tensors, slots, axes, events, channels, workloads; /* by row; workloads: by ENTR row, processes behind them */
	struct rt_footprint *footprints;                                                /* per KREG row */
	struct common_text told;                                                        /* sentences, a line each */
	struct common_text told_json;
	struct common_text slots_json; /* of all workloads */
	uint32_t told_count;
	uint32_t most_args, most_tensors;
	uint64_t workspace; /* bytes of scratch in global memory that one task needs */

	/* the entry being written */
	const struct rt_program *p;
	uint32_t *turns;      /* PROC rows in the order of their turns */
	uint32_t reach_count; /* tables of how far kernels reach, so far */
	bool loads;           /* slots are loaded or payload moved */

	/* the function being written */
	struct common_text body, fields, tables; /* statements; state of a process; constants in front of the functions */
	struct common_names locals;
	uint8_t *slot_used; /* per SLOT row */
	unsigned depth;     /* of indentation */
	bool process;
	uint32_t resume;                                   /* the latest place at which a process goes on */
	char loops[PTOWSP_NESTING_LIMIT][ASCEND_NAME + 4]; /* name of the loop's value at each depth */
	uint8_t open[4 * PTOWSP_NESTING_LIMIT];
	uint32_t open_count;
};

/* ascend_emit.c: one sentence about what is not expressed; kept once each. */
void ascend_tell(struct ascend_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ascend_line(struct ascend_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *ascend_kernel(const struct ascend_emitter *e, uint32_t kernel); /* identifiers by row */
const char *ascend_tensor(const struct ascend_emitter *e, uint32_t tensor);

/* emit_kernels.c: the target's row, NULL if there is none of that name; a row per kernel, its scalars in scalars[kernel] and its tensors in params[kernel], its sources as files; what kernels touch. */
const struct isa_emit_target *ascend_emit_target(const struct ascend_emitter *e);
void ascend_emit_kernels(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows, struct ascend_rows *scalars,
			 struct ascend_rows *params);
void ascend_emit_footprints(struct ascend_emitter *e, const struct rt_program *p);

/* emit_tables.c: a row per record of a table, which is begun here; named: of names whose strings lie at `offsets`. */
void ascend_emit_tensors(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows);
void ascend_emit_slots(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows);
void ascend_emit_axes(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows);
void ascend_emit_dtypes(struct ascend_rows *rows);
void ascend_emit_named(struct ascend_rows *rows, const struct common_names *names, const struct rt_tables *t, const uint32_t *offsets);

/* emit_expr.c: an expression of the program, in parentheses where it has operators. */
void ascend_expr(struct ascend_emitter *e, struct common_text *text, uint32_t id);
/* Can it have another value when it is asked for again, while the loops around stand still? */
bool ascend_expr_changes(const struct ascend_emitter *e, uint32_t id);
bool ascend_expr_constant(const struct ascend_emitter *e, uint32_t id, int64_t *value_out);

/* emit_task.c */
void ascend_task(struct ascend_emitter *e, uint32_t site);
/* A region as a call of block() or flat(); kernels: whose argument it is, by tile level; count 0: nobody's. */
void ascend_region(struct ascend_emitter *e, struct common_text *text, const struct rt_io *io, const uint32_t *kernels, uint32_t count, uint32_t argument);
/* The owner that a filter picks. */
void ascend_filter_owner(struct ascend_emitter *e, struct common_text *text, unsigned policy, uint32_t value);

/* emit_loop.c: the loop at `at`; the first instruction behind it. */
uint32_t ascend_loop(struct ascend_emitter *e, uint32_t at);
void ascend_body(struct ascend_emitter *e, uint32_t from, uint32_t to);
/* A new local, or a field of a process's state: what it is called in statements goes to name_out. */
void ascend_local(struct ascend_emitter *e, char name_out[ASCEND_NAME + 4], const char *like, const char *type);

/* emit_code.c: instructions [from, to) as statements. */
void ascend_block(struct ascend_emitter *e, uint32_t from, uint32_t to);
/* A process goes on here in its next turn, or once the condition holds. */
void ascend_turn_ends(struct ascend_emitter *e);
void ascend_turn_until(struct ascend_emitter *e, const char *condition);

/* emit_entry.c: one entry of the package as functions, added to out: its constants, its processes, its workload. */
void ascend_entry(struct ascend_emitter *e, const struct rt_program *program, struct common_text *out);

/* emit_plan.c: the slots of plan.json, which all workloads share, and its tables of one entry. */
void ascend_plan_slots(struct ascend_emitter *e, const struct rt_program *program);
void ascend_plan(struct ascend_emitter *e, const struct rt_program *program, struct common_text *json);

#endif
