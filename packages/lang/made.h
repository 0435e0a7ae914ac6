/* SPDX-License-Identifier: MIT */
/* made.h - source text that the compiler writes itself: what a statement stands for, read like any other text. All of it has one place,
 * that of the statement. */
#ifndef LANG_MADE_H
#define LANG_MADE_H

#include "lang/lang_work.h"

/* "func @f(...) { ... }": the function is added to the module, which must not have the name yet. The text has no error. */
void lang_made_function(struct lang_module *module, const char *text, struct lang_span at);
/* Statements, one per line: the only body of the work. */
void lang_made_body(struct lang_module *module, struct lang_work *work, const char *text);

#endif
