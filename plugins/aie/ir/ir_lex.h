/* SPDX-License-Identifier: MIT */
/* ir_lex.h - words of MLIR's text. Constant text; tokens are views of it. */
#ifndef AIE_IR_LEX_H
#define AIE_IR_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
