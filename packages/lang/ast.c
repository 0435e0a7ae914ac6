/* SPDX-License-Identifier: MIT */
#include "lang/ast.h"

#include "format/format_names.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <string.h>

struct lang_var *lang_var_add(struct lang_unit *unit, struct lang_function *function, enum lang_var_kind kind, const char *name, struct lang_type type,
			      struct lang_span at)
{
	struct lang_var *var = common_alloc(&unit->arena, sizeof(*var));

	var->name = name;
	var->type = type;
	var->at = at;
	var->kind = (uint8_t)kind;
	var->id = function->var_count;
	*COMMON_PUSH(&unit->arena, function->vars, function->var_count, function->var_capacity) = var;
	lang_map_add(&function->names, &unit->arena, name, var);
	return var;
}

struct lang_function *lang_function_add(struct lang_module *module, const char *name, struct lang_span at)
{
	struct lang_function *function = common_alloc(&module->unit->arena, sizeof(*function));

	function->name = name;
	function->at = at;
	function->body.last = &function->body.first;
	*module->last = function;
	module->last = &function->next;
	module->function_count++;
	return function;
}

const char *lang_type_text(struct lang_unit *unit, const struct lang_type *type)
{
	const char *element = type->index ? "index" : type->dtype == PTOWSP_BOOL ? "u1" : common_dtype_text(type->dtype);

	switch (type->kind) {
	case LANG_TYPE_TILE:
		if (type->space != PTOWSP_SPACE_UB)
			return common_format(&unit->arena, "!pto.tile<%ux%ux%s,%s>", type->rows, type->columns, element,
					     pkg_word(PKG_WORDS_space, type->space));
		return common_format(&unit->arena, "!pto.tile<%ux%ux%s>", type->rows, type->columns, element);
	case LANG_TYPE_MEMREF: return common_format(&unit->arena, "!pto.memref<%s,...,%s>", pkg_word(PKG_WORDS_space, type->space), element);
	default: return element;
	}
}

void lang_inlined_refuse(struct lang_unit *unit, struct lang_span at, const struct lang_function *function)
{
	lang_error(unit, at, "@%s takes tiles: it is expanded in InCore functions that call it, and is no task", function->name);
	lang_help(unit, "write an InCore function that loads the tiles, calls it by CALL @%s(...), and stores the result", function->name);
}
