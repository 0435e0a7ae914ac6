/* SPDX-License-Identifier: MIT */
/* rows.h - what has an id, before and after the rows of its table are numbered. */
#ifndef LANG_ROWS_H
#define LANG_ROWS_H

#include "lang/lower.h"

/* One row to be: of a function, a scalar of a function, a symbol, or a declaration. */
struct lang_row {
	uint64_t id;
	const char *name;
	struct lang_function *function;
	struct lang_var *var;
	struct lang_symbol *symbol;
	struct lang_decl *decl;
};
/* Rows of a section; made when first asked for. */
struct lang_rows *lang_rows_of(struct lang_lower *lower, uint32_t section);
struct lang_row *lang_row_add(struct lang_lower *lower, struct lang_rows *rows, const char *name);
/* Every declaration that has a section gets its row. */
void lang_rows_declare(struct lang_lower *lower);
/* By id; two names of one id are an error. Declarations learn their rows. */
void lang_rows_sort(struct lang_lower *lower, struct lang_rows *rows);
/* The write hooks of the declarations of a section; sorted rows only. */
void lang_rows_write(struct lang_lower *lower, struct lang_rows *rows);

#endif
