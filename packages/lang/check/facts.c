/* SPDX-License-Identifier: MIT */
/* facts.c - what a function does with its scalars: which come from outside, and which stand for one expression. */
#include "lang/check/lang_check.h"

#include <stdbool.h>

/* An assignment whose block has not ended yet. */
struct lang_write {
	struct lang_var *var;
};

void lang_fact_read(struct lang_check *check, struct lang_var *var)
{
	if (var->kind != LANG_SCALAR || var->block)
		return;
	var->reads++;
	if (!var->writes)
		var->needed = 1;
	else if (var->write_end && check->order > var->write_end)
		var->early_read = 1;
}

void lang_fact_write(struct lang_check *check, struct lang_var *var)
{
	if (var->writes++)
		return;
	var->write_order = check->order;
	var->conditional = check->depth > 0;
	COMMON_PUSH(&check->unit->arena, check->writes, check->write_count, check->write_capacity)->var = var;
}

void lang_facts_block_end(struct lang_check *check, uint32_t first_write)
{
	for (; check->write_count > first_write; check->write_count--)
		check->writes[check->write_count - 1].var->write_end = check->order;
}

/* The value of an operand does not change while it is in scope. */
static bool operand_pure(const struct lang_operand *operand)
{
	const struct lang_var *var = operand->var;

	return operand->kind == LANG_OPERAND_NUMBER || (var && (var->kind == LANG_LOOP || var->pure || (var->needed && !var->writes)));
}

static bool folds(const struct lang_stmt *stmt)
{
	switch (stmt->op) {
	case PTOWSP_PTO_LI:
	case PTOWSP_PTO_MOV:
	case PTOWSP_PTO_ADD:
	case PTOWSP_PTO_SUB:
	case PTOWSP_PTO_MUL:
	case PTOWSP_PTO_DIV:
	case PTOWSP_PTO_CMP: return true;
	default: return false;
	}
}

/* Assignments are visited in program text, so that the operands of an assignment are known when it is reached. */
static void block_fold(const struct lang_block *block)
{
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next) {
		block_fold(&stmt->body);
		block_fold(&stmt->other);
		if (folds(stmt) && stmt->operands[0].var) {
			struct lang_var *var = stmt->operands[0].var;
			int pure = var->writes == 1 && !var->needed && !var->early_read;

			for (uint32_t i = 1; i < stmt->count; i++)
				pure = pure && operand_pure(&stmt->operands[i]);
			var->pure = (uint8_t)pure;
		}
	}
}

static void symbol_add(struct lang_check *check, struct lang_var *var)
{
	struct lang_module *module = check->module;
	struct lang_symbol *symbol = common_alloc(&check->unit->arena, sizeof(*symbol));

	symbol->name = var->name;
	symbol->dtype = var->type.dtype;
	symbol->function = check->function;
	symbol->var = var;
	*COMMON_PUSH(&check->unit->arena, module->symbols, module->symbol_count, module->symbol_capacity) = symbol;
	var->symbol = symbol;
}

void lang_facts_finish(struct lang_check *check)
{
	struct lang_function *function = check->function;

	block_fold(&function->body);
	for (uint32_t i = 0; i < function->var_count; i++) {
		struct lang_var *var = function->vars[i];

		if (var->kind != LANG_SCALAR || var->block)
			continue;
		/* One that is neither read nor set may be given a value too: nobody should have to know that it is unused. */
		if (!var->symbol && (var->needed || !var->writes) && !function->inlined)
			symbol_add(check, var);
		if (!var->needed)
			continue;
		var->need = function->need_count;
		*COMMON_PUSH(&check->unit->arena, function->needs, function->need_count, function->need_capacity) = var;
	}
	if (function->memref_count + function->need_count <= LANG_MAX_PARAMS)
		return;
	function->broken_signature = 1; /* its callers have it no better */
	lang_error(check->unit, function->at, "@%s has more than %u parameters, with the scalars that its calls take over", function->name, LANG_MAX_PARAMS);
	lang_help(check->unit, "pass what belongs together as one memref");
}
