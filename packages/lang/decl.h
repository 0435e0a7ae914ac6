/* SPDX-License-Identifier: MIT */
/* decl.h - declarations of a module beside functions: what has a name at the top of a file, and what is written below it.
 *
 * One row of decls.def per word. A kind of declaration is a struct that begins with struct lang_decl; the hooks of its row take it
 * through the stages. Everything lies in the unit's arena. */
#ifndef LANG_DECL_H
#define LANG_DECL_H

#include "lang/ast.h"

#define LANG_MAX_TARGETS 32u /* as the package format has it */

struct lang_parser;
struct lang_lower;

/* The treatment of the declarations of one word. Hooks may be NULL. */
struct lang_decl_form {
	const char *word; /* "workload", as messages say it, too */
	uint8_t kind;     /* enum lang_decl_kind */
	char sign;        /* of its names: '%' and '@' are two sets of names; 0: it has none */
	uint32_t section; /* whose rows its names are, 0: none; their ids sort them */
	/* The word is the next token. Adds what it declares; errors go to the unit's list. */
	void (*parse)(struct lang_parser *parser);
	/* Once per declaration, in source order, after all sources are parsed: names, types, bodies. */
	void (*check)(struct lang_module *module, struct lang_decl *decl);
	/* Once per declaration, in the order of its section's ids (source order without a section): writes its row, which is decl->row. Rows
	 * of every section are numbered by then. SLOT, EVNT and TENS are written before all code, the others behind it. */
	void (*build)(struct lang_lower *lower, struct lang_decl *decl);
	/* Once per declaration, in source order, after the functions' code: instructions of WORK. */
	void (*code)(struct lang_lower *lower, struct lang_decl *decl);
};
extern const struct lang_decl_form lang_decl_forms[LANG_DECL_KINDS];

struct lang_decl {
	struct lang_decl *next; /* in source order */
	const char *name;       /* without its sign; "" for a word without names */
	struct lang_span at;    /* of the name */
	uint8_t kind;           /* enum lang_decl_kind */
	uint8_t broken;         /* 1: an error inside was told; what uses it is not wrong, too */
	uint8_t used;
	uint32_t position; /* among its kind, 0 first */
	uint32_t row;      /* of its section */
};

/* Makes a declaration of `size` bytes (the kind's struct) and puts its name into the set of its sign; a name that is there already is an error
 * that says where. Never NULL. name may be "". */
void *lang_decl_add(struct lang_parser *parser, enum lang_decl_kind kind, size_t size, const char *name, struct lang_span at);
/* By name: '%' values (symbols, slots, axes, tensors, events, channels), '@' what is called or run, functions excepted. NULL if absent. */
struct lang_decl *lang_decl_find(const struct lang_module *module, char sign, const char *name);
/* Names of the same sign and kind as help of the latest message; kind LANG_DECL_NONE: of every kind of that sign. */
void lang_decl_help(struct lang_module *module, char sign, enum lang_decl_kind kind, const char *word);
/* The word of a declaration at the next token; NULL if it is none. */
const struct lang_decl_form *lang_decl_at(const struct lang_parser *parser);
const struct lang_decl_form *lang_decl_word(const char *word);
/* "a tensor", "an axis". */
const char *lang_decl_noun(struct lang_unit *unit, unsigned kind);
/* The checks of all declarations. */
void lang_decls_check(struct lang_module *module);

/* --- bytes that a source names: a file beside it, or base64 text. --- */

/* Bytes of a file that the source names at `at`, in the arena, or of base64 text. NULL after an error. */
void *lang_file_read(struct lang_module *module, const char *file, struct lang_span at, uint64_t most, size_t *size_out);
void *lang_base64_read(struct lang_module *module, const char *text, struct lang_span at, size_t *size_out);

#endif
