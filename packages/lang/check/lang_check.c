/* SPDX-License-Identifier: MIT */
/* lang_check.c - functions checked, statement by statement: names, kinds, types, and what a function does with its scalars. */
#include "lang/check/lang_check.h"
#include "isa/isa.h"
#include "lang/lang_axis.h"
#include "lang/number.h"
#include "lang/tensor.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- what a function does with its scalars: which come from outside, and which stand for one expression. ---- */

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

static void fact_write(struct lang_check *check, struct lang_var *var)
{
	if (var->writes++)
		return;
	var->write_order = check->order;
	var->conditional = check->depth > 0;
	COMMON_PUSH(&check->unit->arena, check->writes, check->write_count, check->write_capacity)->var = var;
}

static void facts_block_end(struct lang_check *check, uint32_t first_write)
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

/* After the walk: which scalars are needed, and which fold. */
static void facts_finish(struct lang_check *check)
{
	struct lang_function *function = check->function;

	block_fold(&function->body);
	for (uint32_t i = 0; i < function->var_count; i++) {
		struct lang_var *var = function->vars[i];

		if (var->kind != LANG_SCALAR || var->block)
			continue;
		/* A symbol that is neither read nor set may be given a value too: nobody should have to know that it is unused. */
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

static void block_check(struct lang_check *check, struct lang_block *block);

unsigned lang_number_dtype(const struct lang_stmt *stmt, char letter)
{
	const char *types = isa_op(stmt->op)->types;
	unsigned dtype = PTOWSP_I64;

	if (letter == 'n' || letter == '-')
		return PTOWSP_I64;
	for (uint32_t i = 0; i < stmt->count; i++) {
		const struct lang_var *var = stmt->operands[i].var;

		if (!var)
			continue;
		if (letter == 'v' ? types[i] == 'k' : types[i] == letter)
			return var->type.dtype;
		dtype = types[i] == 'k' ? var->type.dtype : dtype;
	}
	/* Everything else is a number, too: take the type that one of them has. */
	for (uint32_t i = 0; letter == 'c' && i < stmt->count; i++)
		if (stmt->operands[i].kind == LANG_OPERAND_NUMBER && (strpbrk(stmt->operands[i].text, ".eE") || lang_number_is_word(stmt->operands[i].text)))
			dtype = PTOWSP_F32;
	return dtype;
}

/* Tiles and memrefs first: numbers take their type from them. Sources before destinations, as the machine does. */
static int operands_check(struct lang_check *check, struct lang_stmt *stmt, const char *operands)
{
	int ok = 1;

	for (uint32_t i = 0; i < stmt->count; i++)
		if (operands[i] == 'T' || operands[i] == 't')
			ok &= lang_operand_find(check, &stmt->operands[i], LANG_WANT_TILE) != NULL;
	for (uint32_t i = 0; i < stmt->count; i++)
		if (operands[i] == 'M' || operands[i] == 'm')
			ok &= lang_operand_find(check, &stmt->operands[i], LANG_WANT_MEMREF) != NULL;
	for (uint32_t i = 0; i < stmt->count; i++)
		if (operands[i] == 's')
			lang_number_word_read(check, &stmt->operands[i]);
	/* Names before numbers, for the same reason. */
	for (int numbers = 0; numbers < 2; numbers++) {
		for (uint32_t i = 0; i < stmt->count; i++)
			if (operands[i] == 's' && (stmt->operands[i].kind == LANG_OPERAND_NUMBER) == numbers)
				ok &= lang_scalar_read(check, &stmt->operands[i], numbers ? lang_number_dtype(stmt, isa_op(stmt->op)->types[i]) : PTOWSP_I64);
		for (uint32_t i = 0; !numbers && i < stmt->count; i++)
			if (operands[i] == 'S' && lang_operand_find(check, &stmt->operands[i], LANG_WANT_TARGET))
				ok &= lang_annotation_check(check, &stmt->operands[i]);
			else if (operands[i] == 'S')
				ok = 0;
	}
	return ok;
}

static void access_note(const struct lang_check *check, struct lang_stmt *stmt, const char *operands)
{
	const struct lang_var *tile = NULL;

	for (uint32_t i = 0; i < stmt->count && !tile; i++)
		if (operands[i] == 'T' || operands[i] == 't')
			tile = stmt->operands[i].var;
	for (uint32_t i = 0; i < stmt->count; i++) {
		if (operands[i] != 'M' && operands[i] != 'm')
			continue;
		stmt->operands[i].var->loose |= check->branches || stmt->op == PTOWSP_PTO_MGATHER || stmt->op == PTOWSP_PTO_MSCATTER;
		lang_memref_touch(stmt->operands[i].var, operands[i] == 'M' ? PTOWSP_WRITE : PTOWSP_READ, tile ? tile->type.rows : 0,
				  tile ? tile->type.columns : 0);
	}
}

static struct ptowsp_tile_tile tile_of(const struct lang_var *var)
{
	return (struct ptowsp_tile_tile){.rows = var->type.rows, .columns = var->type.columns, .dtype = var->type.dtype, .space = var->type.space};
}

/* A wrong shape makes the kernel unusable, not the file: a warning, once per function. */
static void shape_check(struct lang_check *check, const struct lang_stmt *stmt, const char *operands)
{
	struct ptowsp_tile_tile tiles[8];
	const struct ptowsp_tile_tile *dst[8], *src[8];
	unsigned dst_count = 0, src_count = 0, count = 0;
	char text[256];

	for (uint32_t i = 0; i < stmt->count; i++) {
		if (operands[i] != 'T' && operands[i] != 't')
			continue;
		tiles[count] = tile_of(stmt->operands[i].var);
		if (operands[i] == 'T')
			dst[dst_count++] = &tiles[count++];
		else
			src[src_count++] = &tiles[count++];
	}
	if (!count || check->function->unusable || !isa_shape_check(stmt->op, dst, dst_count, src, src_count, text, sizeof(text)))
		return;
	check->function->unusable = common_copy(&check->unit->arena, text, strlen(text));
	lang_warn(check->unit, stmt->at, "%s", text);
	lang_help(check->unit, "@%s is packed but will not run; the other functions do", check->function->name);
}

/* Operations that an orchestration may have: scalars, loops, branches, calls. */
static bool orchestration_allows(struct lang_check *check, const struct lang_stmt *stmt)
{
	const char *help = "call an InCore function that does it";

	switch (stmt->op) {
	case PTOWSP_PTO_WHILE:
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: help = "use FOR and IF, or do it inside an InCore function"; break;
	case PTOWSP_PTO_STORE: break;
	default:
		if (stmt->op >= PTOWSP_PTO_ADD)
			return true;
		lang_error(check->unit, stmt->at, "%s is a tile operation, and @%s is an Orchestration function", stmt->word, check->function->name);
		lang_help(check->unit, "%s", help);
		return false;
	}
	lang_error(check->unit, stmt->at, "%s cannot stand in the Orchestration function @%s", stmt->word, check->function->name);
	lang_help(check->unit, "%s", help);
	return false;
}

static int is_float(const struct lang_operand *operand)
{
	return common_dtype_class(operand->var ? operand->var->type.dtype : operand->dtype) == 'f';
}

/* Expressions between tasks are 64-bit integers; a float is only passed on. */
static void orchestration_floats(struct lang_check *check, const struct lang_stmt *stmt)
{
	int floats = 0;

	if (stmt->op < PTOWSP_PTO_ADD || stmt->op > PTOWSP_PTO_LOAD)
		return;
	for (uint32_t i = 0; i < stmt->count; i++)
		if (!stmt->operands[i].var || stmt->operands[i].var->kind != LANG_MEMREF)
			floats += is_float(&stmt->operands[i]);
	if (!floats || ((stmt->op == PTOWSP_PTO_LI || stmt->op == PTOWSP_PTO_MOV) &&
			(stmt->operands[0].var->type.dtype == stmt->operands[1].dtype ||
			 (stmt->operands[1].var && stmt->operands[0].var->type.dtype == stmt->operands[1].var->type.dtype))))
		return;
	lang_error(check->unit, stmt->at, "%s of a float cannot be done in an Orchestration function: its arithmetic is on integers", stmt->word);
	lang_help(check->unit, "compute it inside the InCore function that uses it, or set it with --set");
}

static void op_check(struct lang_check *check, struct lang_stmt *stmt)
{
	const char *operands = isa_op(stmt->op)->operands;

	if (!operands_check(check, stmt, operands))
		return;
	lang_tail_check(check, stmt, operands);
	access_note(check, stmt, operands);
	if (check->function->kind == LANG_INCORE)
		shape_check(check, stmt, operands);
	else
		orchestration_floats(check, stmt);
	for (uint32_t i = 0; i < stmt->count; i++)
		if (operands[i] == 'S')
			fact_write(check, stmt->operands[i].var);
}

static void inner_check(struct lang_check *check, struct lang_block *block)
{
	uint32_t writes = check->write_count;

	check->depth++;
	block_check(check, block);
	check->depth--;
	facts_block_end(check, writes);
}

static void step_check(struct lang_check *check, const struct lang_operand *step)
{
	if (step->kind == LANG_OPERAND_NUMBER && (int64_t)step->value < 1) {
		lang_error(check->unit, step->at, "the step of a loop is at least 1, not %s", step->text);
		lang_help(check->unit, "count upwards and compute the falling value from it");
	}
}

static void for_check(struct lang_check *check, struct lang_stmt *stmt)
{
	struct lang_var *value = lang_var_find(check->function, stmt->operands[0].text);

	lang_annotation_check(check, &stmt->operands[0]);
	for (uint32_t i = 1; i < 4; i++)
		if (lang_scalar_read(check, &stmt->operands[i], PTOWSP_I64) && is_float(&stmt->operands[i]))
			lang_error(check->unit, stmt->operands[i].at, "the bounds of a loop are integers, %s is not", stmt->operands[i].text);
	step_check(check, &stmt->operands[3]);
	lang_levels_loop_check(check, stmt);
	if (!value || value->kind != LANG_LOOP)
		return;
	if (value->active) {
		lang_error(check->unit, stmt->operands[0].at, "%%%s is already the value of a loop around this one", value->name);
		return;
	}
	stmt->operands[0].var = value;
	value->active = 1;
	check->loops++;
	inner_check(check, &stmt->body);
	check->loops--;
	value->active = 0;
}

static void branch_check(struct lang_check *check, struct lang_stmt *stmt)
{
	if (stmt->op == PTOWSP_PTO_WHILE) {
		check->loops++;
		inner_check(check, &stmt->body);
		check->stmt = stmt;
		lang_scalar_read(check, &stmt->operands[0], PTOWSP_I64);
		inner_check(check, &stmt->other);
		check->loops--;
		return;
	}
	lang_scalar_read(check, &stmt->operands[0], PTOWSP_I64);
	if (check->function->kind == LANG_ORCHESTRATION && is_float(&stmt->operands[0]))
		lang_error(check->unit, stmt->operands[0].at, "the condition of an Orchestration function is an integer");
	check->branches++;
	inner_check(check, &stmt->body);
	inner_check(check, &stmt->other);
	check->branches--;
}

static void leave_check(struct lang_check *check, const struct lang_stmt *stmt)
{
	if (!check->loops && !check->broken)
		lang_error(check->unit, stmt->at, "%s stands in no loop", stmt->word);
}

static void return_check(struct lang_check *check, const struct lang_stmt *stmt)
{
	if (check->function->kind == LANG_ORCHESTRATION && !check->broken && (check->depth || stmt->next)) {
		lang_error(check->unit, stmt->at, "return ends an Orchestration function: it stands only at its end");
		lang_help(check->unit, "put what is conditional into IF ... ENDIF");
	}
}

/* A broken statement's error is told; the statements in its blocks are checked all the same. */
static void broken_check(struct lang_check *check, struct lang_stmt *stmt)
{
	struct lang_var *value = stmt->op == PTOWSP_PTO_FOR && stmt->count ? lang_var_find(check->function, stmt->operands[0].text) : NULL;
	int opened = value && value->kind == LANG_LOOP && !value->active;

	if (opened)
		value->active = 1;
	check->broken++;
	inner_check(check, &stmt->body);
	inner_check(check, &stmt->other);
	check->broken--;
	if (opened)
		value->active = 0;
}

static void stmt_check(struct lang_check *check, struct lang_stmt *stmt)
{
	check->stmt = stmt;
	check->order++;
	if (stmt->broken) {
		broken_check(check, stmt);
		return;
	}
	if (check->function->kind == LANG_ORCHESTRATION && !orchestration_allows(check, stmt))
		return;
	switch (stmt->op) {
	case PTOWSP_PTO_FOR: for_check(check, stmt); break;
	case PTOWSP_PTO_IF:
	case PTOWSP_PTO_WHILE: branch_check(check, stmt); break;
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: leave_check(check, stmt); break;
	case PTOWSP_PTO_CALL: lang_call_check(check, stmt); break;
	case PTOWSP_PTO_RETURN: return_check(check, stmt); break;
	case PTOWSP_PTO_YIELD: break;
	default: op_check(check, stmt); break;
	}
}

static void block_check(struct lang_check *check, struct lang_block *block)
{
	for (struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next)
		stmt_check(check, stmt);
}

/* Uses that an Orchestration function makes of a declared tensor. */
static void tensor_note(struct lang_check *check, const struct lang_var *var)
{
	struct lang_tensor *tensor = (struct lang_tensor *)var->decl;

	tensor->head.used = 1;
	tensor->read |= (var->access & PTOWSP_READ) != 0;
	tensor->written |= (var->access & PTOWSP_WRITE) != 0;
	tensor->filled |= (var->access & PTOWSP_WRITE) != 0;
	if (!(var->access & PTOWSP_WRITE) || (tensor->role != PTOWSP_ROLE_IN && tensor->role != PTOWSP_ROLE_CONST))
		return;
	lang_error(check->unit, var->at, "@%s writes %%%s, which is declared as %s", check->function->name, var->name,
		   tensor->role == PTOWSP_ROLE_IN ? "in" : "const");
	lang_help(check->unit, "declare it as inout or out at %s", lang_place(check->unit, tensor->head.at));
}

static void memrefs_list(struct lang_check *check)
{
	struct lang_function *function = check->function;

	function->memrefs = common_alloc(&check->unit->arena, (function->var_count + 1) * sizeof(*function->memrefs));
	function->tensors = common_alloc(&check->unit->arena, (function->var_count + 1) * sizeof(*function->tensors));
	for (uint32_t i = 0; i < function->var_count; i++)
		if (function->vars[i]->kind == LANG_MEMREF && function->vars[i]->decl) {
			tensor_note(check, function->vars[i]);
		} else if (function->vars[i]->kind == LANG_MEMREF) {
			function->vars[i]->number = function->memref_count;
			function->memrefs[function->memref_count++] = function->vars[i];
		}
}

/* Functions with tile parameters are no kernels and no entries: from here on they are known by those that call them alone. */
static void inlined_take(struct lang_module *module)
{
	struct lang_function **link = &module->first;

	while (*link)
		if ((*link)->inlined) {
			if (!(*link)->unusable)
				lang_unwritten_tell(module->unit, *link);
			*link = (*link)->next;
		} else {
			link = &(*link)->next;
		}
	module->last = link;
}

void lang_check(struct lang_module *module)
{
	for (uint32_t i = 0; i < module->function_count; i++) {
		struct lang_check check = {.unit = module->unit, .module = module, .function = module->order[i]};

		block_check(&check, &check.function->body);
		facts_block_end(&check, 0);
		memrefs_list(&check);
		facts_finish(&check);
	}
	inlined_take(module);
}
