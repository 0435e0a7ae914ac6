/* SPDX-License-Identifier: MIT */
/* lang_template.h - functions for several shapes and types: func @f<M, K, T>(...) is a template, @f<16, 64, f32> an instance of it, a function called f.16.64.f32. Templates are
 * worked out on tokens, before anything is parsed: an instance is the template's tokens with what was stated in the places of the parameters' names. */
#ifndef LANG_TEMPLATE_H
#define LANG_TEMPLATE_H

#include "lang/ast.h"
#include "lang/parse/lex.h"

/* Takes the templates out of the sources' tokens, puts their instances behind those of the source that has the template, and names in the places of uses. Errors go to the
 * unit's list. */
void lang_templates_expand(struct lang_module *module, struct lang_tokens *sources, uint32_t count);

#endif
