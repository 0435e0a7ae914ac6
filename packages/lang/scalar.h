/* SPDX-License-Identifier: MIT */
/* scalar.h - scalar expressions of declarations and workloads: parsed, checked, lowered to EXPR rows. */
#ifndef LANG_SCALAR_H
#define LANG_SCALAR_H

#include <stdbool.h>

#include "lang/builder/tables.h"
#include "lang/decl.h"
#include "lang/lang_map.h"

#define LANG_MAX_OPERATORS 1000u /* of one expression */

enum lang_local_kind { LANG_LOCAL_LOOP, LANG_LOCAL_TASK };
struct lang_value;
/* Something with a name inside a body: value of a loop, token, number of a task. */
struct lang_local {
	struct lang_local *outer;  /* the next one outwards, while it is in scope */
	struct lang_local *hidden; /* the next one outwards of the same name, so long; NULL: none */
	const char *name;
	struct lang_span at;
	uint8_t kind; /* enum lang_local_kind */
	uint8_t used;
	uint32_t loop;     /* LOOP: depth, 0 the outermost; set when it is lowered */
	uint8_t has_range; /* LOOP: 1: it takes first, ... last, whatever the run; range.h */
	int64_t first, last;
	uint32_t guards; /* LOOP: conditions open around the loop */
	/* TASK */
	uint32_t segment, number; /* which piece of straight code makes the task, and which of its tasks */
	struct lang_value *slot;  /* holds the number where it is read from elsewhere; NULL: nobody does */
};

enum lang_scalar_kind { LANG_SCALAR_NUMBER, LANG_SCALAR_NAME, LANG_SCALAR_OP, LANG_SCALAR_FLOAT, LANG_SCALAR_ERROR };
/* 64-bit signed, as runtime.md says. A float stands only where a kernel's float parameter takes it. */
struct lang_scalar {
	uint8_t kind;         /* enum lang_scalar_kind */
	uint8_t op;           /* OP: enum ptowsp_expr_op; TASK, INSTANCE and AXIS (of the loop called text) have no operands */
	uint8_t negative;     /* FLOAT: a minus stands before it */
	struct lang_span at;  /* of the operator, name or number */
	uint8_t settled;      /* 1: checked where it was written: its names mean there what they do, wherever it stands */
	struct lang_span all; /* from its first to its last token, if they are on one line */
	const char *text;     /* of names and numbers, without signs */
	int64_t value;        /* NUMBER */
	struct lang_scalar *operands[3];
	/* found by checking */
	struct lang_decl *decl;   /* NAME: a symbol or slot */
	struct lang_local *local; /* NAME: a value of the body around */
};

/* An expression at the next token; NULL after an error. what: "the condition" and the like, for messages. */
struct lang_scalar *lang_scalar_parse(struct lang_parser *parser, const char *what);

/* The meaning of names where an expression stands. */
struct lang_scope {
	struct lang_module *module;
	struct lang_local *locals; /* innermost first; NULL at the top of a file */
	struct lang_map names;     /* the innermost one of each name */
	const char *around;        /* name of the workload or process; NULL at the top of a file */
	uint8_t constant;          /* 1: symbols and numbers only: shapes, bounds of declarations */
};
/* The local value is known from here on, until those in front of `outer`, which was the innermost one before, are left. */
void lang_scope_enter(struct lang_scope *scope, struct lang_local *local);
void lang_scope_leave(struct lang_scope *scope, struct lang_local *outer);
/* The innermost one of that name; NULL: there is none. */
struct lang_local *lang_local_find(const struct lang_scope *scope, const char *name);
/* Finds the names. what: as above. Returns 0 after an error. */
int lang_scalar_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what);
/* 1 and the value if it is a number whatever the run, once checked. */
bool lang_scalar_known(const struct lang_scalar *scalar, int64_t *value_out);
/* The EXPR row. Slots it reads become values of the entry at hand. */
uint32_t lang_scalar_lower(struct lang_lower *lower, const struct lang_scalar *scalar);

/* --- symbols, slots and events. --- */

/* LANG_DECL_SYMBOL and LANG_DECL_SLOT; the SLOT row is head.row. */
struct lang_value {
	struct lang_decl head;
	uint16_t dtype;
	uint8_t has_default, internal; /* internal: the packer made it, nothing outside sets it */
	uint64_t value;                /* as in struct ptowsp_slot_record */
};
/* LANG_DECL_EVENT: signalled and waited for; the EVNT row is head.row. */
struct lang_event {
	struct lang_decl head;
	uint8_t signalled, waited;
	const struct lang_decl *signaller, *shared; /* a process with replicas that signals it; one that waits for it, too: told once */
	struct lang_span wait_at;
};

void lang_symbol_parse(struct lang_parser *parser);
void lang_symbol_build(struct lang_lower *lower, struct lang_decl *decl);
void lang_event_parse(struct lang_parser *parser);
void lang_event_check(struct lang_module *module, struct lang_decl *decl);
void lang_event_build(struct lang_lower *lower, struct lang_decl *decl);

#endif
