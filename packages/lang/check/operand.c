/* SPDX-License-Identifier: MIT */
/* operand.c - operands of instructions, and the types behind an instruction, which repeat what is declared. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"
#include "lang/decl.h"
#include "lang/number.h"
#include "lang/tensor.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

static const char *const wanted[] = {"tile", "memref", "scalar", "scalar"};

static int fits(const struct lang_var *var, enum lang_want want)
{
	switch (want) {
	case LANG_WANT_TILE: return var->kind == LANG_TILE;
	case LANG_WANT_MEMREF: return var->kind == LANG_MEMREF;
	case LANG_WANT_SCALAR: return var->kind == LANG_SCALAR || var->kind == LANG_LOOP;
	default: return var->kind == LANG_SCALAR;
	}
}

/* A name is missed once; what else is told of the function takes it for what was proposed. */
static void declare_propose(struct lang_check *check, const struct lang_operand *operand, enum lang_want want)
{
	struct lang_type type = lang_declare_help(check, operand, want);

	if (type.kind != LANG_TYPE_NONE)
		lang_var_add(check->unit, check->function, LANG_BROKEN, operand->text, type, operand->at);
}

static void unknown_refuse(struct lang_check *check, const struct lang_operand *operand, enum lang_want want)
{
	struct lang_guess guess;

	if (check->function->broken_signature)
		return;
	lang_error(check->unit, operand->at, "there is no %s %%%s in @%s", wanted[want], operand->text, check->function->name);
	lang_guess_start(&guess, operand->text);
	for (uint32_t i = 0; i < check->function->var_count; i++)
		if (fits(check->function->vars[i], want))
			lang_guess_try(&guess, check->function->vars[i]->name);
	if (lang_guess_help(check->unit, &guess, "%"))
		return;
	if (want == LANG_WANT_MEMREF)
		lang_help(check->unit, "memrefs are parameters: %%%s: !pto.memref<gm,...,f32>%s", operand->text,
			  check->function->kind == LANG_ORCHESTRATION ? "; or a tensor that is declared around functions" : "");
	else if (check->function->bare && want == LANG_WANT_TILE)
		lang_help(check->unit, "the type behind the instruction that sets it first declares it");
	else
		declare_propose(check, operand, want);
}

static void kind_refuse(struct lang_check *check, const struct lang_operand *operand, const struct lang_var *var, enum lang_want want)
{
	static const char *const kinds[] = {"memref", "tile", "scalar", "loop's value"};

	if (want == LANG_WANT_TARGET && var->kind == LANG_LOOP)
		lang_error(check->unit, operand->at, "%%%s is a loop's value and cannot be set", var->name);
	else
		lang_error(check->unit, operand->at, "%s needs a %s here, %%%s is a %s", check->stmt->word, wanted[want], var->name, kinds[var->kind]);
}

/* A tensor that is declared around functions serves Orchestration functions by its name. */
static struct lang_var *tensor_take(struct lang_check *check, const struct lang_operand *operand)
{
	struct lang_decl *decl = lang_decl_find(check->module, '%', operand->text);
	const struct lang_tensor *tensor = (const struct lang_tensor *)decl;
	struct lang_var *var;

	if (!decl || decl->kind != LANG_DECL_TENSOR || check->function->kind != LANG_ORCHESTRATION)
		return NULL;
	var = lang_var_add(check->unit, check->function, LANG_MEMREF, operand->text,
			   (struct lang_type){.kind = LANG_TYPE_MEMREF, .dtype = tensor->dtype, .space = tensor->space, .at = decl->at}, operand->at);
	var->decl = decl;
	return var;
}

/* The first mention is the declaration in a file of bare statements. 0: its type cannot be told. */
static bool bare_type(struct lang_check *check, const struct lang_operand *operand, enum lang_want want, struct lang_type *type)
{
	const struct lang_stmt *stmt = check->stmt;

	memset(type, 0, sizeof(*type));
	if (operand->type.kind == LANG_TYPE_SCALAR) {
		*type = operand->type;
	} else if (want == LANG_WANT_TILE) {
		if (operand != &stmt->operands[0] || !stmt->results || stmt->tail_count + stmt->tail_result_count == 0)
			return false;
		*type = stmt->tail_result_count ? stmt->tail_results[0] : stmt->tail[0];
		return type->kind == LANG_TYPE_TILE;
	} else if (want == LANG_WANT_MEMREF) {
		type->kind = LANG_TYPE_MEMREF;
		type->space = PTOWSP_SPACE_GM;
		for (uint32_t i = 0; i < stmt->count; i++)
			if (stmt->operands[i].var && stmt->operands[i].var->kind == LANG_TILE)
				type->dtype = stmt->operands[i].var->type.dtype;
	} else {
		type->kind = LANG_TYPE_SCALAR;
		type->dtype = PTOWSP_I64;
		type->index = 1;
	}
	return true;
}

static struct lang_var *bare_declare(struct lang_check *check, const struct lang_operand *operand, enum lang_want want)
{
	static const uint8_t kinds[] = {LANG_TILE, LANG_MEMREF, LANG_SCALAR, LANG_SCALAR};
	struct lang_type type;
	struct lang_var *var;

	if (!check->function->bare || !bare_type(check, operand, want, &type))
		return NULL;
	var = lang_var_add(check->unit, check->function, kinds[want], operand->text, type, operand->at);
	var->param = want == LANG_WANT_MEMREF;
	return var;
}

/* "tadd %x, 1.0": the same with a scalar is called tadds. */
static void scalar_form_help(struct lang_check *check, enum lang_want want)
{
	const char *name = common_format(&check->unit->arena, "%ss", check->stmt->word);

	if (want == LANG_WANT_TILE && isa_op_find(name, strlen(name)) >= 0)
		lang_help(check->unit, "%s takes a tile and a scalar", name);
}

struct lang_var *lang_operand_find(struct lang_check *check, struct lang_operand *operand, enum lang_want want)
{
	struct lang_var *var;

	if (operand->kind != LANG_OPERAND_NAME) {
		lang_error(check->unit, operand->at, "%s needs a %s here, found the number %s", check->stmt->word, wanted[want], operand->text);
		scalar_form_help(check, want);
		return NULL;
	}
	var = lang_var_find(check->function, operand->text);
	if (!var && want == LANG_WANT_MEMREF)
		var = tensor_take(check, operand);
	if (!var)
		var = bare_declare(check, operand, want);
	if (!var) {
		unknown_refuse(check, operand, want);
		return NULL;
	}
	if (var->kind == LANG_BROKEN)
		return NULL;
	if (!fits(var, want)) {
		kind_refuse(check, operand, var, want);
		return NULL;
	}
	if (var->block && want == LANG_WANT_TARGET) {
		lang_error(check->unit, operand->at, "%%%s is %s and cannot be set", var->name,
			   var->block == PTOWSP_SCALAR_BLOCK ? "the block's number" : "how many blocks there are");
		return NULL;
	}
	if (var->kind == LANG_LOOP && !var->active) {
		lang_error(check->unit, operand->at, "%%%s has a value only inside its loop", var->name);
		return NULL;
	}
	operand->var = var;
	return var;
}

bool lang_annotation_check(struct lang_check *check, const struct lang_operand *operand)
{
	const struct lang_type *written = &operand->type, *real = operand->var ? &operand->var->type : NULL;

	if (written->kind == LANG_TYPE_NONE || !real)
		return true;
	if (written->kind == real->kind && written->dtype == real->dtype)
		return true;
	/* An index is any integer: %n:idx for an i32. */
	if (written->kind == LANG_TYPE_SCALAR && real->kind == LANG_TYPE_SCALAR && (written->index || real->index) &&
	    common_dtype_class(written->dtype) != 'f' && common_dtype_class(real->dtype) != 'f')
		return true;
	lang_error(check->unit, written->at, "%%%s is %s, not %s", operand->text, lang_type_text(check->unit, real), lang_type_text(check->unit, written));
	return false;
}

static bool number_read(struct lang_check *check, struct lang_operand *operand, unsigned dtype)
{
	const char *type = dtype == PTOWSP_BOOL ? "u1" : common_dtype_text(dtype);

	operand->dtype = (uint16_t)dtype;
	switch (lang_number_read(operand->text, dtype, &operand->value)) {
	case LANG_NUMBER_OK: return true;
	case LANG_NUMBER_FRACTION: lang_error(check->unit, operand->at, "%s is no whole number, and %s is needed here", operand->text, type); return false;
	case LANG_NUMBER_RANGE: lang_error(check->unit, operand->at, "%s does not fit %s", operand->text, type); return false;
	default:
		if (lang_number_is_word(operand->text))
			lang_error(check->unit, operand->at, "%s is no value of type %s", operand->text, type);
		else
			lang_error(check->unit, operand->at, "\"%s\" is no number", operand->text);
		return false;
	}
}

void lang_number_word_read(const struct lang_check *check, struct lang_operand *operand)
{
	if (operand->kind == LANG_OPERAND_NAME && lang_number_is_word(operand->text) && !lang_var_find(check->function, operand->text))
		operand->kind = LANG_OPERAND_NUMBER;
}

bool lang_scalar_read(struct lang_check *check, struct lang_operand *operand, unsigned dtype)
{
	struct lang_var *var;

	lang_number_word_read(check, operand);
	if (operand->kind == LANG_OPERAND_NUMBER)
		return number_read(check, operand, operand->type.kind == LANG_TYPE_SCALAR ? operand->type.dtype : dtype);
	var = lang_operand_find(check, operand, LANG_WANT_SCALAR);
	if (!var)
		return false;
	lang_fact_read(check, var);
	return lang_annotation_check(check, operand);
}

/* ---- the types behind an instruction repeat what is declared; a contradiction is an error at the type. ---- */

static const struct lang_type index_type = {.kind = LANG_TYPE_SCALAR, .index = 1, .dtype = PTOWSP_I64};

/* Does the written type fit the operand? A number fits every element type of its class. */
static bool type_fits(const struct lang_type *written, const struct lang_operand *operand)
{
	const struct lang_type *real = operand->var ? &operand->var->type : &index_type;

	if (operand->kind == LANG_OPERAND_NUMBER)
		return written->kind == LANG_TYPE_SCALAR;
	if (written->kind != real->kind)
		return false;
	if (written->open)
		return true;
	if (written->kind == LANG_TYPE_SCALAR && (written->index || real->index))
		return common_dtype_class(written->dtype) != 'f' && common_dtype_class(real->dtype) != 'f';
	return written->dtype == real->dtype && written->rows == real->rows && written->columns == real->columns && written->space == real->space;
}

static void type_refuse(struct lang_check *check, const struct lang_type *written, const struct lang_operand *operand)
{
	lang_error(check->unit, written->at, "%s%s is %s, the type says %s", operand->kind == LANG_OPERAND_NAME ? "%" : "", operand->text,
		   operand->var ? lang_type_text(check->unit, &operand->var->type) : "a number", lang_type_text(check->unit, written));
}

static int type_check(struct lang_check *check, const struct lang_type *written, const struct lang_operand *operand)
{
	int ok = type_fits(written, operand);

	if (!ok)
		type_refuse(check, written, operand);
	return ok;
}

/* Behind the arrow: the results, in order. */
static bool results_check(struct lang_check *check, const struct lang_stmt *stmt, uint32_t results)
{
	if (!stmt->tail_result_count)
		return true;
	if (stmt->tail_result_count != results) {
		lang_error(check->unit, stmt->tail_results[0].at, "%s gives %u result%s, here %s %u type%s", stmt->word, results, results == 1 ? "" : "s",
			   stmt->tail_result_count == 1 ? "is" : "are", stmt->tail_result_count, stmt->tail_result_count == 1 ? "" : "s");
		return false;
	}
	for (uint32_t i = 0; i < results; i++)
		if (!type_check(check, &stmt->tail_results[i], &stmt->operands[i]))
			return false;
	return true;
}

/* Before the arrow, or without one: the sources; sources and results; or the one type that all of them have. */
static void sources_check(struct lang_check *check, const struct lang_stmt *stmt, uint32_t results)
{
	uint32_t sources = stmt->count - results;

	if (stmt->tail_count == 1 && !stmt->tail_result_count) {
		const struct lang_operand *one = &stmt->operands[0];

		/* "trowsum %x : T" may name the source as well as the result. */
		if (!type_fits(&stmt->tail[0], one) && !(sources && type_fits(&stmt->tail[0], &stmt->operands[results])))
			type_refuse(check, &stmt->tail[0], one);
		return;
	}
	if (stmt->tail_count == 1 && stmt->tail[0].kind == LANG_TYPE_MEMREF) { /* "(!pto.memref) -> T": its indices go without saying */
		if (sources)
			type_check(check, &stmt->tail[0], &stmt->operands[results]);
		return;
	}
	if (stmt->tail_count != sources && stmt->tail_count != stmt->count) {
		lang_error(check->unit, stmt->tail[0].at, "%s has %u source%s, here %s %u type%s", stmt->word, sources, sources == 1 ? "" : "s",
			   stmt->tail_count == 1 ? "is" : "are", stmt->tail_count, stmt->tail_count == 1 ? "" : "s");
		return;
	}
	for (uint32_t i = 0; i < stmt->tail_count; i++)
		if (!type_check(check, &stmt->tail[i], &stmt->operands[i < sources ? results + i : i - sources]))
			return;
}

void lang_tail_check(struct lang_check *check, const struct lang_stmt *stmt, const char *operands)
{
	uint32_t results = (uint32_t)strspn(operands, "TS");

	if (stmt->tail_count && results_check(check, stmt, results))
		sources_check(check, stmt, results);
}
