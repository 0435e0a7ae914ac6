/* SPDX-License-Identifier: MIT */
/* lang_constant.h - const N = 64: a word that stands for a number or another word wherever it is written, worked out on tokens before templates are. */
#ifndef LANG_CONSTANT_H
#define LANG_CONSTANT_H

#include "lang/ast.h"
#include "lang/parse/lex.h"

/* Takes the constants out of the sources' tokens and puts their values in the places of their names, in all sources of the module set; a template's parameter of that name hides
 * one in the template. Errors go to the unit's list. */
void lang_constants_fill(struct lang_module *module, struct lang_tokens *sources, uint32_t count);

#endif
