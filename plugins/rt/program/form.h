/* SPDX-License-Identifier: MIT */
/* form.h - expressions in one run: sums of loop values where they are that, else steps that fill registers and a sum over both. Signed 64-bit, wrapping. */
#ifndef RT_FORM_H
#define RT_FORM_H

#include "rt/program/expr.h"
#include <stdbool.h>
#include <stddef.h>

/* An expression in one run: base + sum of step[k] * value of loop[k]; or code: base is its row of rt_codes, or -1 where it is walked node by node. */
enum { RT_FORM_TERMS = 4, RT_FORM_CODE = 255 };
struct rt_form {
	int64_t base, step[RT_FORM_TERMS];
	uint16_t loop[RT_FORM_TERMS]; /* places in env.loops: in a sum of code also registers */
	uint8_t terms;                /* or RT_FORM_CODE */
};
/* Step k of all fills place RT_REGISTER + k of env.loops, its register, behind the values of loops. Its first operand is base + scale * place a, the others are the places b
 * and c, or, with RT_NUMBER in op, the second one is its own number. In a code equal steps stand once. */
enum { RT_REGISTER = PTOWSP_NESTING_LIMIT, RT_STEPS_MOST = UINT16_MAX - RT_REGISTER, RT_NUMBER = 0x80 };
struct rt_step {
	int64_t value; /* of RT_NUMBER and CONST; VALUE: a SLOT row */
	int64_t base, scale;
	uint16_t op, a, b, c; /* op: enum ptowsp_expr_op */
};
struct rt_code {
	uint32_t first, count; /* steps */
	bool quick;            /* none of them can fail */
	bool moves;            /* one of them asks for a slot or the number of the task */
	uint64_t loops;        /* bit d: one of them asks for the value of the loop at depth d */
	struct rt_form sum;    /* of an expression that has a code of its own */
};
struct rt_codes {
	struct rt_code *rows;
	struct rt_step *steps;
	uint32_t count, room, step_count, step_room;
};
/* A code that is being made, of one expression or of several. */
struct rt_coding {
	const struct rt_exprs *exprs;
	const uint64_t *values;
	struct rt_codes *codes;
	struct rt_form *forms; /* of the nodes of one expression */
	uint32_t first;        /* its own steps */
	bool too_long, lost;   /* no registers are left; out of memory */
};
/* values: one per SLOT row. forms_out: one per compiled expression. *codes: zero at first; rt_codes_finish, also after an error. Errors: NO_MEMORY. */
ptowsp_status rt_exprs_specialise(const struct rt_exprs *exprs, const uint64_t *values, struct rt_form *forms_out, struct rt_codes *codes,
				  struct ptowsp_error *error);
void rt_codes_finish(struct rt_codes *codes);
/* Several expressions as one code, so that steps which they share are run once. values, codes: as above. Between begin and end nothing else is added to codes.
 * False: out of memory. */
bool rt_coding_begin(struct rt_coding *coding, const struct rt_exprs *exprs, const uint64_t *values, struct rt_codes *codes);
/* The expression as a sum over loops and registers of the code; meaningless where the code becomes too long, which its end says. */
struct rt_form rt_coding_add(struct rt_coding *coding, uint32_t id);
/* row * pitch + column, of forms that it gave. */
struct rt_form rt_coding_line(struct rt_coding *coding, const struct rt_form *row, int64_t pitch, const struct rt_form *column);
/* min(extent - at, most), of a form that it gave. */
struct rt_form rt_coding_rest(struct rt_coding *coding, int64_t extent, const struct rt_form *at, int64_t most);
/* *code_out: row of codes + 1, or 0 where no step is needed. False: out of memory, or the code is too long; codes are as before. */
bool rt_coding_end(struct rt_coding *coding, uint32_t *code_out);
/* Steps that there are registers for, of instructions and of their plans. */
static inline uint32_t rt_exprs_registers(const struct rt_exprs *exprs)
{
	uint64_t steps = 256 + 4 * (uint64_t)exprs->node_count;

	return steps < RT_STEPS_MOST ? (uint32_t)steps : RT_STEPS_MOST;
}
/* Places of rt_env.loops; behind the registers those of an evaluation node by node. */
static inline size_t rt_exprs_places(const struct rt_exprs *exprs)
{
	return (size_t)RT_REGISTER + rt_exprs_registers(exprs) + exprs->longest;
}

struct rt_tensors;
/* Sources of values while a program runs. */
struct rt_env {
	const struct rt_exprs *exprs;
	const struct rt_form *forms;
	const struct rt_codes *codes;
	int64_t *loops;             /* rt_exprs_places: value per depth, then registers */
	const uint64_t *values;     /* per SLOT row */
	uint64_t task;              /* number of the task, or of the next one */
	uint64_t instance;          /* number of the replica of a process, 0 outside */
	struct rt_tensors *tensors; /* where axes find their lengths; NULL while nothing is bound */
	uint32_t failed;            /* EXPR row + 1 of the first division by zero, never cleared here; the value is then 0 */
};
/* Node by node, without forms. */
int64_t rt_expr_run(struct rt_env *env, uint32_t id);
/* An expression whose form is code. */
int64_t rt_code_run(struct rt_env *env, const struct rt_form *form, uint32_t id);
/* Fills the registers of a code. False: it divides by zero somewhere. */
bool rt_code_fill(const struct rt_env *env, const struct rt_code *code);
/* Source place of the division by zero at which env failed, else of the instruction, with the instruction's number; into text, which it returns. */
const char *rt_division_place(const struct rt_env *env, const struct rt_tables *tables, uint32_t instruction, char *text, size_t size);

/* A sum over loops and registers that are filled. Most have one term; without one its step is 0. */
static inline int64_t rt_form_sum(const int64_t *places, const struct rt_form *form)
{
	uint64_t sum = (uint64_t)form->base + (uint64_t)form->step[0] * (uint64_t)places[form->loop[0]];

	for (unsigned k = 1; k < form->terms; k++)
		sum += (uint64_t)form->step[k] * (uint64_t)places[form->loop[k]];
	return (int64_t)sum;
}

/* Term by term. */
static inline bool rt_form_same(const struct rt_form *a, const struct rt_form *b)
{
	bool same = a->base == b->base && a->terms == b->terms;

	for (unsigned k = 0; same && k < a->terms; k++)
		same = a->loop[k] == b->loop[k] && a->step[k] == b->step[k];
	return same;
}

/* Values of the form differ by multiples of it, also where they wrap: a power of two. 0: there is one value. */
static inline uint64_t rt_form_unit(const struct rt_form *form)
{
	uint64_t bits = 0;

	for (unsigned k = 0; k < form->terms; k++)
		bits |= (uint64_t)form->step[k];
	return bits & (0 - bits);
}

/* Distance by which the form moves per 1 of the loop at `depth`, while registers stay. */
static inline uint64_t rt_form_step(const struct rt_form *form, uint32_t depth)
{
	uint64_t step = 0;

	for (unsigned k = 0; k < form->terms; k++)
		step += form->loop[k] == depth ? (uint64_t)form->step[k] : 0;
	return step;
}

static inline int64_t rt_value(struct rt_env *env, uint32_t id)
{
	const struct rt_form *form = &env->forms[id];

	return form->terms == RT_FORM_CODE ? rt_code_run(env, form, id) : rt_form_sum(env->loops, form);
}

#endif
