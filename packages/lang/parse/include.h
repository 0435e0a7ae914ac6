/* SPDX-License-Identifier: MIT */
/* include.h - include "file.pto": a source names another one, whose functions and declarations are those of the same module set. */
#ifndef LANG_INCLUDE_H
#define LANG_INCLUDE_H

#include "lang/ast.h"
#include "lang/parse/lex.h"

/* Tokens of all sources, and of those that they include, each once, behind them: unit->source_count grows. The lines that include are taken out. Errors go to the unit's list. */
struct lang_tokens *lang_sources_lex(struct lang_module *module);

#endif
