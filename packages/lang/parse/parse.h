/* SPDX-License-Identifier: MIT */
/* parse.h - tokens to functions and statements. GRAMMAR.md has the grammar. */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include <stdbool.h>

#include "format/format_names.h"
#include "lang/ast.h"
#include "lang/decl.h"

/* Adds the functions of all sources to the module. Errors go to the unit's list; what stands in a statement
 * with an error is skipped up to the next line. */
void lang_parse(struct lang_module *module);

/* --- shared by the files of the parser --- */

struct lang_parser {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_function *function; /* the one being read */
	struct lang_tokens tokens;
	uint32_t at;                        /* token */
	uint32_t depth;                     /* of blocks */
	const char *ends[LANG_MAX_NESTING]; /* the word that each open block waits for */
};

const struct lang_token *lang_peek(const struct lang_parser *parser);
bool lang_at_mark(const struct lang_parser *parser, char mark);
bool lang_at_word(const struct lang_parser *parser, const char *word);
const struct lang_token *lang_take(struct lang_parser *parser);
/* "...", whose place is kept where that is wanted. */
bool lang_dots_take(struct lang_parser *parser, struct lang_span *at_out);
/* Behind an item of a list that `close` ends: takes the comma. False: the list ends here, also behind a comma. */
bool lang_comma_take(struct lang_parser *parser, char close);
/* Takes the mark, or says what is expected and returns 0. A comma in front of a mark that closes brackets is taken with it. */
bool lang_expect(struct lang_parser *parser, char mark, const char *where);
/* The next token is a comma with another item of a list in brackets behind it. */
bool lang_at_more(const struct lang_parser *parser);
/* "expected WHAT, found ..." at the next token; returns 0. */
bool lang_expected(struct lang_parser *parser, const char *what);
/* The same of the arrow in a call's arguments. */
bool lang_arrow_expected(struct lang_parser *parser, const char *example);

/* A type; 0 after an error. */
int lang_type_parse(struct lang_parser *parser, struct lang_type *type_out);
/* Statements up to the word or mark that ends the block (which is not taken). */
void lang_block_parse(struct lang_parser *parser, struct lang_block *block);

/* The mode of an opcode that an attribute's word means, in any case of letters. 0 after an error: the attribute is one of the opcode's,
 * the word is none of its words; other attributes are ignored. */
bool lang_mode_find(struct lang_parser *parser, unsigned op, const char *attribute, const struct lang_token *word, uint8_t *mode_out);
/* Operands of a statement; capacity belongs to stmt->operands. */
struct lang_operand *lang_operand_add(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity);
/* One name or number. bare: inside brackets and tuples, where names without % are loop values and scalars. */
bool lang_value_parse(struct lang_parser *parser, struct lang_operand *operand, int bare);
/* ":type" behind an operand, if it is there. */
int lang_annotation_parse(struct lang_parser *parser, struct lang_operand *operand);
/* Operands up to the end of the list; annotated: "%x:i32". A word behind a comma ends the list of CMP: its mode. */
bool lang_operands_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t *capacity, int annotated);
/* "tadd %a, %b : T" behind "%c =", or "tstore %c, %m[0, 0]"; capacity belongs to stmt->operands, which has the results. */
bool lang_tile_op_parse(struct lang_parser *parser, struct lang_stmt *stmt, uint32_t capacity);
/* The opcode of a scalar operation, -1: the word is none. */
int lang_scalar_op_find(const struct lang_token *word);
/* "ADD %d:i32, %a:i32, %b", "LI %x:f32, 0.5", "CMP %c:u1, %a:i32, %b:i32, GT", "LOAD %x:f32, %m[%i]" behind the opcode. */
bool lang_scalar_op_parse(struct lang_parser *parser, struct lang_stmt *stmt);
/* Adds a function of this file, by its name, and makes it the one being read. */
void lang_function_start(struct lang_parser *parser, const struct lang_token *name);
/* A name whose declaration is wrong is known all the same: what uses it is not wrong, too. */
void lang_broken_declare(struct lang_parser *parser, const char *name, struct lang_span at);
/* Up to the first token of a line. */
void lang_line_skip(struct lang_parser *parser);

/* Declarations of decls.def that have no header of their own. */
void lang_func_parse(struct lang_parser *parser);
void lang_module_parse(struct lang_parser *parser);
void lang_target_parse(struct lang_parser *parser);
/* Takes a token of that kind, or says what is expected and returns NULL. */
const struct lang_token *lang_name_take(struct lang_parser *parser, enum lang_token_kind kind, const char *what);
/* Takes the word if it is the next token; returns 1 if so. */
bool lang_word_take(struct lang_parser *parser, const char *word);
/* Clauses in any order that stand once each. Zeroed at the beginning of the list. */
struct lang_clauses {
	uint32_t seen; /* a bit per clause */
	int again;     /* one stood here already: that is said, and nothing was taken */
};
/* Takes the word as lang_word_take, for clause number `bit` (0 to 31) of the list; a second one is an error and stays where it is. */
bool lang_clause_take(struct lang_parser *parser, struct lang_clauses *clauses, uint32_t bit, const char *word);
/* Behind an error: up to the word of a declaration at the beginning of a line, the line of the error left. */
void lang_decl_skip(struct lang_parser *parser);
/* A declaration begins at its word, which a name of that kind follows: LANG_NAME, LANG_AT. It is added with `size` bytes, the head first. what:
 * "the axis' name such as %tiles". NULL after an error, the declaration is skipped. */
void *lang_decl_begin(struct lang_parser *parser, enum lang_decl_kind decl, size_t size, enum lang_token_kind kind, const char *what);
/* 0: the declaration has an error that was told, and is skipped. */
void lang_decl_end(struct lang_parser *parser, struct lang_decl *decl, int ok);
/* Takes a word of that vocabulary if it is the next token, and returns 1 with its code if so. */
bool lang_words_take(struct lang_parser *parser, enum pkg_words words, uint32_t *code_out);
/* The same for in, out, inout, and bind: the address alone, no access. */
bool lang_access_take(struct lang_parser *parser, uint8_t *access_out);
/* "bind", "in", "out", "inout" */
const char *lang_access_text(unsigned access);
/* An element type; 0 after an error. */
bool lang_element_parse(struct lang_parser *parser, uint16_t *dtype_out, const char *what);
/* The name of a target or architecture: what stands together without blanks. NULL after an error. */
const char *lang_target_read(struct lang_parser *parser, const char *what);

/* The word begins a statement of workloads and processes. */
bool lang_is_work_word(const char *word);

/* A whole number in decimal; 0 if the text is none or does not fit. */
bool lang_uint_read(const char *text, uint32_t *value_out);

/* expressions by precedence climbing over tokens: operators, signs, parentheses and "c ? a : b". The user makes
 * values and operations: scalars of workloads (parse_scalar.c) and of graphs (graph_scalar.c). */

/* One expression being read. parser, what, primary and operation are given, the rest begins as 0; all borrowed. */
struct lang_climb {
	struct lang_parser *parser;
	const char *what;       /* is expected, for messages */
	uint32_t max_operators; /* of one expression */
	int bare_names;         /* names carry no sign: "%m" is a remainder's sign and a name */
	/* A number, name or call at the next token; NULL after an error. */
	void *(*primary)(struct lang_climb *climb);
	/* op on operands (b and c NULL where there are fewer) at the sign's place; NULL after an error. */
	void *(*operation)(struct lang_climb *climb, unsigned op, struct lang_span at, void *a, void *b, void *c);
	/* May be NULL: the value stood in parentheses from one span to the other. */
	void (*grouped)(void *value, struct lang_span from, struct lang_span to);
	uint32_t operators, depth;
};

/* An expression, up to what does not belong to it. NULL after an error, which is said. */
void *lang_climb(struct lang_climb *climb);
/* The operands "(a, b, ...)" behind a function's name, 1 to 3 of them; *end_out is the ")". 0 after an error. */
int lang_climb_operands(struct lang_climb *climb, uint32_t count, void *operands[3], struct lang_span *end_out);
/* op on operands (NULL where there are fewer), counted; NULL after an error. */
void *lang_climb_operation(struct lang_climb *climb, unsigned op, struct lang_span at, void *const operands[3]);

/* --- words that other languages have where this one writes something else. --- */

struct lang_unit;

enum lang_habit_place { LANG_HABIT_FILE, LANG_HABIT_FUNCTION, LANG_HABIT_WORKLOAD };

/* Help of the error that was told last: what is written here instead of the word. 0: nothing is known about it. */
bool lang_habit_help(struct lang_unit *unit, enum lang_habit_place place, const char *word);

#endif
