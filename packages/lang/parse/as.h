/* SPDX-License-Identifier: MIT */
/* as.h - PTO-AS, the other dialect of .pto: a text form of compiler output (func.func, scf.for, pto.tload ins(...) outs(...)). It is
 * read into the same functions and statements as the language of LANGUAGE.md (PTO-AS in GRAMMAR.md); everything behind the
 * parser is shared. Values here are named once and seen in their region; constants and index arithmetic on them fold. */
#ifndef LANG_AS_H
#define LANG_AS_H

#include <stdbool.h>

#include "lang/parse/parse.h"

enum { LANG_AS_RANK = 8, LANG_AS_OPERANDS = 8 };

/* A number, or a scalar of the function. */
struct lang_as_term {
	const char *var; /* NULL: it is `number` */
	int64_t number;
};

/* Memory with a shape: elements base + sum of index * stride of a memref. */
struct lang_as_view {
	const char *memref;
	uint16_t dtype;
	uint32_t rank;
	struct lang_as_term base, strides[LANG_AS_RANK], sizes[LANG_AS_RANK];
};

enum lang_as_kind {
	LANG_AS_BROKEN /* its operation has an error */,
	LANG_AS_NUMBER,
	LANG_AS_FLOAT,
	LANG_AS_SCALAR,
	LANG_AS_TILE,
	LANG_AS_POINTER,
	LANG_AS_VIEW
};
/* The meaning of a name. */
struct lang_as_value {
	uint8_t kind;             /* enum lang_as_kind */
	struct lang_type type;    /* scalars, constants, tiles; pointers: dtype */
	struct lang_as_term term; /* NUMBER, SCALAR */
	const char *text;         /* FLOAT: decimal; TILE, POINTER: name of the variable */
	struct lang_as_view *view;
	/* scopes */
	const char *name;
	struct lang_as_value *shadowed; /* the same name in a region around */
	struct lang_as_value *next;     /* of the same region */
	struct lang_span at;
};

/* One function being read. */
struct lang_as {
	struct lang_parser *parser;
	struct lang_map names;        /* to struct lang_as_name */
	struct lang_as_value *region; /* named in this region */
	struct lang_block *block;     /* where statements go */
	struct lang_block prologue;   /* index tiles, before everything */
	struct lang_map walks;        /* of their names */
	struct lang_span at;          /* of the operation that is read */
	uint32_t made;                /* names so far that the text does not have */
};
struct lang_as_name {
	struct lang_as_value *top;
};

/* A type as this dialect writes it. */
enum lang_as_type_kind { LANG_AS_TYPE_SCALAR, LANG_AS_TYPE_POINTER, LANG_AS_TYPE_VIEW, LANG_AS_TYPE_TILE };
struct lang_as_type {
	uint8_t kind;
	struct lang_type type;        /* scalar; tile (its valid part, 0 where it is not stated); element type of the others */
	uint32_t rank;                /* views */
	uint32_t sizes[LANG_AS_RANK]; /* 0: not stated */
	struct lang_span at;
};

/* as_type.c: 0 after an error. */
bool lang_as_type_parse(struct lang_parser *parser, struct lang_as_type *type_out);
/* ": T, T -> T" behind an operation, its types of no interest. */
bool lang_as_types_skip(struct lang_parser *parser);

/* as_value.c; errors are told. A new value of this region. */
struct lang_as_value *lang_as_define(struct lang_as *as, const struct lang_token *token, enum lang_as_kind kind);
struct lang_as_value *lang_as_region_enter(struct lang_as *as);
void lang_as_region_leave(struct lang_as *as, struct lang_as_value *outer);
/* A variable of the function whose name is `name` or begins like it. */
const char *lang_as_var(struct lang_as *as, enum lang_var_kind kind, const char *name, struct lang_type type, struct lang_span at);
/* %name or a number as an operand; NULL after an error. */
struct lang_as_value *lang_as_operand(struct lang_as *as);
/* The same as a whole number or a scalar. */
int lang_as_term(struct lang_as *as, struct lang_as_term *term_out);
/* Statements. Operands are of struct lang_operand, as an opcode's letters order them. */
struct lang_stmt *lang_as_emit(struct lang_as *as, unsigned op, const struct lang_operand *operands, uint32_t count);
struct lang_operand lang_as_of_term(const struct lang_as *as, struct lang_as_term term);
struct lang_operand lang_as_of_name(const struct lang_as *as, const char *name);
struct lang_operand lang_as_of_value(const struct lang_as *as, const struct lang_as_value *value);
/* x op y, PTOWSP_PTO_ADD, SUB, MUL or DIV, folded if both are numbers. */
struct lang_as_term lang_as_calc(struct lang_as *as, unsigned op, struct lang_as_term x, struct lang_as_term y);

/* Operations: everything behind the operation's word. 0 after an error. */
struct lang_as_results {
	const struct lang_token *names[LANG_AS_OPERANDS];
	uint32_t count;
};
/* as_scalar.c: arith.x; index: what stands behind the dot in its table. */
bool lang_as_arith(struct lang_as *as, const char *word, const struct lang_as_results *results);
/* as_view.c */
int lang_as_view_make(struct lang_as *as, const struct lang_as_results *results);
int lang_as_view_part(struct lang_as *as, const struct lang_as_results *results);
/* A tile from and to the memory of a view, whatever its strides are. */
bool lang_as_load(struct lang_as *as, const struct lang_as_value *view, const struct lang_as_value *tile);
bool lang_as_store(struct lang_as *as, const struct lang_as_value *tile, const struct lang_as_value *view);
/* as_tile.c */
int lang_as_tile_alloc(struct lang_as *as, const struct lang_as_results *results);
bool lang_as_tile_op(struct lang_as *as, unsigned op, const char *word);
/* "%v = pto.getval ins(%t, %i : T, index)" */
int lang_as_element_get(struct lang_as *as, const struct lang_as_results *results);

/* as_parse.c: whether the tokens begin such a file, and reading it. */
bool lang_as_at(const struct lang_parser *parser);
void lang_as_parse(struct lang_parser *parser);

#endif
