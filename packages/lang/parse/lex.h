/* SPDX-License-Identifier: MIT */
/* lex.h - a source text as tokens. Comments are dropped but for those that carry meaning. */
#ifndef LANG_LEX_H
#define LANG_LEX_H

#include "lang/diag.h"

enum lang_token_kind {
	LANG_END,
	LANG_WORD,    /* func, tload, tmatmul.acc, f32 */
	LANG_NAME,    /* %x: text without the sign */
	LANG_LITERAL, /* %1.0: text without the sign */
	LANG_NUMBER,  /* 12, -1.5, 1e-05, 32x128xf32, ... (three dots) */
	LANG_AT,      /* @f: text without the sign */
	LANG_TYPE,    /* !pto.tile: text without the sign */
	LANG_HASH,    /* #pto.cmp: text without the sign */
	LANG_ARROW,   /* -> */
	LANG_STRING,  /* "text": without the quotes; declarations only */
	LANG_MARK     /* one of ( ) [ ] { } < > , : = and, outside functions, of + - * / % & | ^ ~ ! ? */
};

struct lang_token {
	uint8_t kind;  /* enum lang_token_kind */
	char mark;     /* of LANG_MARK, else 0 */
	uint8_t first; /* 1: nothing but blanks before it on its line */
	uint8_t note;  /* LANG_NOTE_x: what the comments since the previous token say about the function that follows */
	const char *text;
	struct lang_span at;
	struct lang_span note_at;
};
enum { LANG_NOTE_NONE = 0, LANG_NOTE_INCORE = 1, LANG_NOTE_ORCHESTRATION = 2, LANG_NOTE_OTHER = 3 };

/* "// Entry: @f", "// PTO Module: m", "// PTO Program: p", "// Positions: file.pto". */
struct lang_remark {
	const char *text; /* NULL: the comment is not there */
	struct lang_span at;
};
struct lang_tokens {
	struct lang_token *rows; /* the last one is LANG_END */
	uint32_t count;
	struct lang_remark entry, second_entry, module, program, positions; /* the first of each, and the next entry */
};

/* Tokens of source number `file`; bytes that belong to no token are errors and left out. */
void lang_lex(struct lang_unit *unit, uint32_t file, struct lang_tokens *tokens_out);

struct lang_module;
/* --- include "file.pto": a source names another one, whose functions and declarations are those of the same module set. --- */

/* Tokens of all sources, and of those that they include, each once, behind them: unit->source_count grows. The lines that include are taken out. Errors go to the unit's list. */
struct lang_tokens *lang_sources_lex(struct lang_module *module);

/* --- const N = 64: a word that stands for a number or another word wherever it is written, worked out on tokens before templates are. --- */

/* Takes the constants out of the sources' tokens and puts their values in the places of their names, in all sources of the module set; a template's parameter of that name hides
 * one in the template. Errors go to the unit's list. */
void lang_constants_fill(struct lang_module *module, struct lang_tokens *sources, uint32_t count);

/* --- functions for several shapes and types: func @f<M, K, T>(...) is a template, @f<16, 64, f32> an instance of it, a function called f.16.64.f32. Templates are worked out on tokens, before anything is parsed: an instance is the template's tokens with what was stated in the places of the parameters' names. --- */

/* Takes the templates out of the sources' tokens, puts their instances behind those of the source that has the template, and names in the places of uses. Errors go to the
 * unit's list. */
void lang_templates_expand(struct lang_module *module, struct lang_tokens *sources, uint32_t count);

#endif
