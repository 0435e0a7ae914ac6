/* SPDX-License-Identifier: MIT */
/* ir_read.h - reading MLIR's text: what the files of the reader know of each other, and its limits. The text is nobody's friend: everything that it can make large or
 * deep has a limit here, and the time is at most linear in its length. */
#ifndef AIE_IR_READ_H
#define AIE_IR_READ_H

#include "aie/ir/ir.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of values while a text is read: known from where they stand to the end of their region, also in regions inside of it, unless those are closed to
 * what is around them. */
struct aie_scope_row {
	const char *name;                /* of aie_name: equal ones are the same pointer */
	struct aie_value *const *values; /* of the group */
	uint32_t count;
	uint32_t next;        /* older one of its bucket, + 1 */
	uint32_t closed;      /* closed regions around it */
	struct aie_op *block; /* of a block's name, which begins with '^' */
};
struct aie_scope {
	struct aie_scope_row *rows; /* owned; the newest last */
	uint32_t *buckets;          /* owned; newest row, + 1 */
	uint32_t count, room, mask;
	uint32_t closed; /* closed regions around what is read */
};
void aie_scope_finish(struct aie_scope *scope);
/* NULL: the name is not known here. */
const struct aie_scope_row *aie_scope_find(const struct aie_scope *scope, const char *name);
/* False: no memory. */
bool aie_scope_add(struct aie_scope *scope, const char *name, struct aie_value *const *values, uint32_t count);
/* Forgets all but the oldest `count`. */
void aie_scope_cut(struct aie_scope *scope, uint32_t count);

/* Words of MLIR's text. Constant text; tokens are views of it. */
enum aie_token_kind {
	AIE_TOKEN_END,
	AIE_TOKEN_WORD,    /* memref.load, i32 */
	AIE_TOKEN_STRING,  /* with its quotes, escapes as they stand */
	AIE_TOKEN_VALUE,   /* %a, %a#1 */
	AIE_TOKEN_SYMBOL,  /* @a, @"a" */
	AIE_TOKEN_BLOCK,   /* ^bb0 */
	AIE_TOKEN_HASH,    /* #aie */
	AIE_TOKEN_BANG,    /* !aie.objectfifo */
	AIE_TOKEN_INTEGER, /* -3, 0x1F */
	AIE_TOKEN_REAL,    /* 1.5e+00 */
	AIE_TOKEN_MARK,    /* one character */
	AIE_TOKEN_ARROW,
	AIE_TOKEN_BAD, /* a byte that begins nothing, or a string without an end */
};
struct aie_token {
	enum aie_token_kind kind;
	const char *begin;
	size_t length;
	uint32_t line, column; /* from 1; columns are bytes */
};
struct aie_lexer {
	const char *at, *end, *line_start;
	uint32_t line;
};
/* The next token; END again and again at the end. Comments go to the line's end. */
struct aie_token aie_lex(struct aie_lexer *lexer);

enum {
	AIE_READ_DEPTH = 64, /* regions, lists and types inside each other */
	AIE_READ_OPS = 1 << 20,
	AIE_READ_ATTRS = 64,      /* of one operation */
	AIE_READ_VALUES = 4096,   /* operands, results, arguments of one; parts of a function's type */
	AIE_READ_CARRIED = 128,   /* values that a loop carries and parameters of a function, where they are written as people do */
	AIE_READ_ITEMS = 1 << 20, /* of a list, an array or a dense value */
	AIE_READ_NAME = 255,      /* bytes */
	AIE_READ_OTHER = 1024,    /* bytes of an attribute that is kept as text */
	AIE_READ_ALIASES = 256,   /* of types */
	AIE_READ_WIDTH = 64,      /* bits of an integer */
};
#define AIE_READ_ELEMENTS (INT64_C(1) << 40) /* of a memref, its offset and strides together */

/* A block that an operation names, which may stand farther down. */
struct aie_jump {
	struct aie_op *op;
	const char *label; /* "^bb1" */
	struct aie_token token;
};
/* Names to the left of an operation. */
struct aie_group {
	const char *name;
	uint32_t count;
	struct aie_token token;
};
/* !name = type */
struct aie_alias {
	struct aie_token name;
	const struct aie_type *type;
};
struct aie_reader {
	struct aie_lexer lexer;
	struct aie_token token; /* the one that is looked at */
	struct aie_module *module;
	struct aie_scope scope;
	struct aie_group *groups; /* owned: those of operations that are being read, outermost first */
	uint32_t group_count, group_room;
	struct aie_jump *jumps; /* owned: those of regions that are being read */
	uint32_t jump_count, jump_room;
	struct aie_alias *aliases; /* owned */
	uint32_t alias_count, alias_room;
	uint32_t depth, ops;
	ptowsp_status status;
	struct ptowsp_error *error;
};

/* ---- tokens; all that return bool: false, and the sentence is in the error */

void aie_read_next(struct aie_reader *reader);
/* The first failure counts: "3:14: ...". */
bool aie_read_fail(struct aie_reader *reader, const struct aie_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, UNSUPPORTED: what may well be right has no model. */
bool aie_read_unsupported(struct aie_reader *reader, const struct aie_token *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool aie_read_memory(struct aie_reader *reader);
/* "3:14: 'x' stands here, expected WHAT" */
bool aie_read_expected(struct aie_reader *reader, const char *what);
bool aie_read_at_mark(const struct aie_reader *reader, char mark);
bool aie_read_at_word(const struct aie_reader *reader, const char *word);
/* Takes it if it stands here. */
bool aie_read_take(struct aie_reader *reader, char mark);
bool aie_read_take_word(struct aie_reader *reader, const char *word);
/* The mark or word must stand here; why: behind what, for the sentence. */
bool aie_read_mark(struct aie_reader *reader, char mark, const char *why);
bool aie_read_word(struct aie_reader *reader, const char *word, const char *why);
bool aie_read_arrow(struct aie_reader *reader);
/* One level deeper, and back. */
bool aie_read_down(struct aie_reader *reader);
void aie_read_up(struct aie_reader *reader);

/* ---- parts; NULL or false: failed */

const struct aie_type *aie_read_type(struct aie_reader *reader);
/* (a, b) -> c */
const struct aie_type *aie_read_signature(struct aie_reader *reader);
/* a, or (a, b), behind an arrow that was taken; appended to parts. */
bool aie_read_types(struct aie_reader *reader, const struct aie_type ***parts, uint32_t *count);
bool aie_read_part(struct aie_reader *reader, const struct aie_type ***parts, uint32_t *count, const struct aie_type *type);
bool aie_read_integer(struct aie_reader *reader, int64_t *value_out);
/* -3 : i32; i64 and f64 where no type stands. */
const struct aie_attr *aie_read_number(struct aie_reader *reader);
/* A number, or true or false, of a type that is known, which stood at a token that was taken. */
const struct aie_attr *aie_read_number_as(struct aie_reader *reader, const struct aie_token *at, const struct aie_type *type);
bool aie_read_at_number(const struct aie_reader *reader);
/* attr; where it is NULL there was no memory, and the reader says so. */
const struct aie_attr *aie_read_made(struct aie_reader *reader, const struct aie_attr *attr);
const struct aie_attr *aie_read_attr(struct aie_reader *reader);
/* [<size = 4, stride = 8>, ...] */
const struct aie_attr *aie_read_dims(struct aie_reader *reader);
/* <v> : tensor<...>, behind "dense"; <v> alone where its type is known, of a memref. */
const struct aie_attr *aie_read_dense(struct aie_reader *reader, const struct aie_type *type);
/* A word, or a mark that opens, with what stands in brackets behind it, as it stands: within a line. */
bool aie_read_raw(struct aie_reader *reader, char text[AIE_READ_OTHER + 1]);
/* @name */
const struct aie_attr *aie_read_symbol(struct aie_reader *reader);
/* {a = 1 : i32, b}, its brace included. */
bool aie_read_attrs(struct aie_reader *reader, struct aie_op *op);
bool aie_read_set(struct aie_reader *reader, struct aie_op *op, const char *name, const struct aie_attr *attr);
/* Text of a STRING or SYMBOL token without quotes and escapes. */
const char *aie_read_text(struct aie_reader *reader);

/* %a: the value, which must be known here. */
struct aie_value *aie_read_value(struct aie_reader *reader);
bool aie_read_operand(struct aie_reader *reader, struct aie_op *op);
/* %a, %b up to the closing mark, which is taken. */
bool aie_read_operands(struct aie_reader *reader, struct aie_op *op, char closing);
bool aie_read_result(struct aie_reader *reader, struct aie_op *op, const struct aie_type *type);
/* A name that begins here, %a. */
const char *aie_read_name(struct aie_reader *reader);
/* A name for this value from here on. */
bool aie_read_define(struct aie_reader *reader, const struct aie_token *at, const char *name, struct aie_value *const *values, uint32_t count);
/* ^bb1: a block of the operation's region. */
bool aie_read_successor(struct aie_reader *reader, struct aie_op *op);
/* { ^bb0(arguments): operations }: a new region of the operation; the name of the first block and its arguments may be left out. */
bool aie_read_region(struct aie_reader *reader, struct aie_op *op);
/* (%a: i32, ...) behind the opening mark: arguments of a new region of the operation, whose names are known in it; then its body. */
bool aie_read_arguments_and_body(struct aie_reader *reader, struct aie_op *op);
/* { operations }, arguments' names are defined already; `argument_scope` is what the scope held before them. */
bool aie_read_body(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, uint32_t argument_scope);
/* The operation that stands here, behind the last one of the region. */
bool aie_read_op(struct aie_reader *reader, struct aie_op *parent, struct aie_region *region);

/* An operation that does not begin with a quote: its word was read and is `at`; op has no name yet. */
bool aie_read_custom(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at);

#endif
