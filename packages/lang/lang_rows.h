/* SPDX-License-Identifier: MIT */
/* lang_rows.h - what has an id, before and after the rows of its table are numbered. */
#ifndef LANG_ROWS_H
#define LANG_ROWS_H

#include "lang/lang_lower.h"

/* A row that bears nobody's name: the lowering of a declaration makes it. */
struct lang_made {
	uint32_t row; /* known when the rows of its section are sorted */
	void (*write)(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name); /* name: offset in STRS */
};
/* One row to be: of a function, a scalar of a function, a symbol, a declaration, or made. */
struct lang_row {
	uint64_t id;
	const char *name;
	struct lang_function *function;
	struct lang_var *var;
	struct lang_symbol *symbol;
	struct lang_decl *decl;
	struct lang_made *made;
	uint8_t samples; /* tensors: 1 << role of each sample that is there */
};
/* Rows of a section; made when first asked for. */
struct lang_rows *lang_rows_of(struct lang_lower *lower, uint32_t section);
struct lang_row *lang_row_add(struct lang_lower *lower, struct lang_rows *rows, const char *name);
/* Where the row of that name is, now or (when they are sorted) in the package; PTOWSP_NONE: there is none. */
uint32_t lang_row_find(const struct lang_rows *rows, const char *name);
/* Every declaration that has a section gets its row. */
void lang_rows_declare(struct lang_lower *lower);
/* By id; two names of one id are an error. Declarations learn their rows. */
void lang_rows_sort(struct lang_lower *lower, struct lang_rows *rows);
/* Writes a row that is made; 0: it is not. */
int lang_row_made(struct lang_lower *lower, const struct lang_row *row);
/* The write hooks of the declarations of a section; sorted rows only. */
void lang_rows_write(struct lang_lower *lower, struct lang_rows *rows);

#endif
