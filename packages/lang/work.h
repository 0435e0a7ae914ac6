/* SPDX-License-Identifier: MIT */
/* work.h - bodies of workloads and processes: statements, what checks them, what makes instructions of them. */
#ifndef LANG_WORK_H
#define LANG_WORK_H

#include "lang/scalar.h"
#include "lang/tensor.h"

/* %T[row, column], %T[row, column, rows, columns] or %T alone: a part of a tensor. */
struct lang_part {
	const char *tensor;
	struct lang_span at;                  /* of the tensor's name */
	struct lang_scalar *row, *column;     /* NULL: the whole tensor */
	struct lang_scalar *rows, *columns;   /* NULL: as the callee says */
	struct lang_span extent_at;
	/* found by checking */
	struct lang_decl *decl;
	uint32_t row_count, column_count;     /* elements; 0: not known yet */
};

/* %formal -> actual of a call */
struct lang_pass {
	const char *formal;
	struct lang_span at;
	uint8_t is_part;            /* 1: part, 0: value */
	struct lang_part part;
	struct lang_scalar *value;
};

struct lang_body {
	struct lang_work *first, **last;
};

/* One statement of a body; a row of works.def says what it is. A form uses the fields that it needs. */
struct lang_work {
	struct lang_work *next;
	const struct lang_work_form *form;
	struct lang_span at;        /* its first word */
	const char *name;           /* the %name behind the word: axis, slot, event, channel, tensor */
	struct lang_span name_at;
	struct lang_decl *decl;     /* what the name means, found by checking */
	struct lang_local *local;   /* what it declares: loop value, token, task */
	struct lang_scalar *value;  /* condition, value, token; index of a ragged or sparse row */
	struct lang_scalar *low, *high, *step; /* of a range; NULL: an axis */
	struct lang_part parts[2];  /* from, to */
	uint32_t mode;              /* scope of a fence, bits of slot_load */
	struct lang_body *bodies;   /* branches, steps, bodies */
	struct lang_span *body_at;  /* place of each one's "{" */
	uint32_t body_count, body_capacity;
	/* call */
	const char *callee;
	struct lang_span callee_at;
	struct lang_pass *passes;
	uint32_t pass_count, pass_capacity;
	struct lang_after *afters;
	uint32_t after_count, after_capacity;
	struct lang_function *function; /* what it calls, one of the two */
	struct lang_decl *target;
	void *more;                 /* of forms with a struct of their own */
};
/* after(%t), after data %t */
struct lang_after {
	uint32_t kind; /* as the AFTER word's */
	struct lang_scalar *task;
};

struct lang_work_check;
struct lang_work_walk;
struct lang_work_form {
	const char *word;
	/* The word is taken. 0 after an error: the rest of the line is skipped. */
	int (*parse)(struct lang_parser *parser, struct lang_work *work);
	void (*check)(struct lang_work_check *check, struct lang_work *work);
	void (*lower)(struct lang_work_walk *walk, const struct lang_work *work);
};
extern const struct lang_work_form lang_work_forms[];
const struct lang_work_form *lang_work_form(const char *word); /* NULL: there is none */

#endif
