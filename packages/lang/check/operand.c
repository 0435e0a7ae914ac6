/* SPDX-License-Identifier: MIT */
/* operand.c - operands of instructions, the types behind an instruction, and what helps where a name is declared by nothing. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"
#include "lang/decl.h"
#include "lang/diag.h"
#include "lang/number.h"
#include "lang/parse/parse.h"
#include "lang/tensor.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- help: a declaration for a name that nothing declares, and what is written here instead of words of other languages. ---- */

enum { TILES = 8, MODELS = 16 }; /* of an instruction; of a function, whose shapes are tried */

/* A site is one operand of an instruction and all that is known around the operand. */
struct site {
	const struct lang_check *check;
	const struct isa_op *op;
	const struct lang_operand *operand;
	uint32_t index; /* the operand's */
};

/* The type of an operand that is a tile or memref, or was helped to be one. */
static const struct lang_type *known(const struct site *site, uint32_t i, enum lang_type_kind kind)
{
	const struct lang_operand *operand = &site->check->stmt->operands[i];
	const struct lang_var *var = operand->kind == LANG_OPERAND_NAME ? lang_var_find(site->check->function, operand->text) : NULL;

	return var && var->type.kind == kind ? &var->type : NULL;
}

/* The type of the elements of an operand with that letter of pto_ops.def; -1: nothing declared says it. */
static int dtype_of(const struct site *site, char letter)
{
	for (uint32_t i = 0; i < site->check->stmt->count; i++) {
		const struct lang_type *tile = known(site, i, LANG_TYPE_TILE), *memref = known(site, i, LANG_TYPE_MEMREF);

		if (site->op->types[i] == letter && (tile || memref))
			return (tile ? tile : memref)->dtype;
	}
	return -1;
}

static unsigned tile_dtype(const struct site *site)
{
	char letter = site->op->types[site->index];
	int dtype = letter == 'i' ? PTOWSP_I32 : dtype_of(site, letter == 'm' ? 'k' : letter);

	if (dtype < 0)
		dtype = dtype_of(site, letter == 'r' ? 'k' : 'r');
	return dtype >= 0 ? (unsigned)dtype : strchr(site->op->keys, 'f') ? PTOWSP_F32 : PTOWSP_I32;
}

/* Is the instruction right if each of its tiles that nothing declares has that shape? */
static bool shape_fits(const struct site *site, uint32_t rows, uint32_t columns)
{
	struct ptowsp_tile_tile tiles[TILES];
	const struct ptowsp_tile_tile *dst[TILES], *src[TILES];
	unsigned dst_count = 0, src_count = 0, count = 0;
	char text[256];

	for (uint32_t i = 0; i < site->check->stmt->count && count < TILES; i++) {
		const struct lang_type *tile = known(site, i, LANG_TYPE_TILE);

		if (site->op->operands[i] != 'T' && site->op->operands[i] != 't')
			continue;
		tiles[count] = (struct ptowsp_tile_tile){.rows = tile ? tile->rows : rows, .columns = tile ? tile->columns : columns};
		if (site->op->operands[i] == 'T')
			dst[dst_count++] = &tiles[count++];
		else
			src[src_count++] = &tiles[count++];
	}
	return !isa_shape_check(site->check->stmt->op, dst, dst_count, src, src_count, text, sizeof(text));
}

/* Shapes that instructions make of two others: equal ones, reduced ones, turned ones, products. */
static bool shape_find(const struct site *site, const struct lang_type *a, const struct lang_type *b, uint32_t *rows_out, uint32_t *columns_out)
{
	const uint32_t tried[][2] = {{a->rows, a->columns}, {a->rows, 1},          {1, a->columns},          {a->columns, a->rows},
				     {a->rows, b->columns}, {a->columns, b->rows}, {a->columns, b->columns}, {a->rows, b->rows}};

	for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
		if (shape_fits(site, tried[i][0], tried[i][1])) {
			*rows_out = tried[i][0];
			*columns_out = tried[i][1];
			return true;
		}
	return false;
}

/* Tiles of the instruction first, then those of the function; a square if there are none. */
static uint32_t models_list(const struct site *site, struct lang_type models[MODELS])
{
	const struct lang_function *function = site->check->function;
	uint32_t count = 0;

	for (uint32_t i = 0; i < site->check->stmt->count && count < TILES; i++)
		if (known(site, i, LANG_TYPE_TILE))
			models[count++] = *known(site, i, LANG_TYPE_TILE);
	for (uint32_t i = 0; i < function->var_count && count < MODELS - 1; i++)
		if (function->vars[i]->type.kind == LANG_TYPE_TILE)
			models[count++] = function->vars[i]->type;
	models[count] = (struct lang_type){.rows = 8, .columns = 8};
	return count + 1;
}

static struct lang_type tile_help(const struct site *site)
{
	struct lang_unit *unit = site->check->unit;
	const char *name = site->operand->text;
	struct lang_type models[MODELS], type = {.kind = LANG_TYPE_TILE, .dtype = (uint16_t)tile_dtype(site)};
	uint32_t count = models_list(site, models);

	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++)
			if (shape_find(site, &models[a], &models[b], &type.rows, &type.columns)) {
				lang_help(unit, "declare it: %%%s = alloc_tile : !pto.tile<%ux%ux%s>", name, type.rows, type.columns,
					  common_dtype_text(type.dtype));
				return type;
			}
	lang_help(unit, "declare it with the shape that %s needs: %%%s = alloc_tile : !pto.tile<ROWSxCOLUMNSx%s>", site->check->stmt->word, name,
		  common_dtype_text(type.dtype));
	return (struct lang_type){.kind = LANG_TYPE_NONE};
}

/* Scalars of a float instruction have its type; of integers any will do. */
static struct lang_type scalar_help(const struct site *site)
{
	struct lang_type type = site->operand->type;
	unsigned dtype = site->op ? lang_number_dtype(site->check->stmt, site->op->types[site->index]) : PTOWSP_I64;

	if (type.kind != LANG_TYPE_SCALAR)
		type = (struct lang_type){.kind = LANG_TYPE_SCALAR, .dtype = common_dtype_class(dtype) == 'f' ? (uint16_t)dtype : PTOWSP_I32};
	lang_help(site->check->unit, "declare it: %%%s = alloc_scalar : %s", site->operand->text, common_dtype_text(type.dtype));
	return type;
}

/* The help of the latest message: a declaration of that operand of check->stmt, which nothing declares, with which the instruction is right. Returns
 * the type that it proposes, NONE if it knows none. */
static struct lang_type declare_help(const struct lang_check *check, const struct lang_operand *operand, enum lang_want want)
{
	const struct lang_stmt *stmt = check->stmt;
	struct site site = {.check = check, .op = isa_op(stmt->op), .operand = operand, .index = (uint32_t)(operand - stmt->operands)};

	if (!site.op || operand < stmt->operands || site.index >= stmt->count || strlen(site.op->types) < stmt->count ||
	    strlen(site.op->operands) < stmt->count)
		site.op = NULL; /* of a loop, of a call */
	if (want != LANG_WANT_TILE)
		return scalar_help(&site);
	return site.op ? tile_help(&site) : (struct lang_type){.kind = LANG_TYPE_NONE};
}

#define FILES     "files are not included but packed together: ptowsp-pack a.pto b.pto -o ab.pkg.zst"
#define FUNC      "a function begins with: func @name(%x: !pto.memref<gm,...,f32>) {"
#define ENDS      "FOR ends with ENDFOR, IF with ENDIF, WHILE with ENDWHILE"
#define ELSE_IF   "write ELSE and, in the next line, another IF; each of them has its ENDIF"
#define WORK_LOOP "loops are: parallel_for %i in 0 to %n { }, or for_each, whose rounds follow each other"
#define SLOT      "a value that changes is a slot: slot %k : i64 = 0 at the top of the file, slot_set %k, %k + 1 here"

static const struct habit {
	enum lang_habit_place place;
	const char *word, *help;
} habits[] = {
	{LANG_HABIT_FILE, "import", FILES},
	{LANG_HABIT_FILE, "include", FILES},
	{LANG_HABIT_FILE, "def", FUNC},
	{LANG_HABIT_FILE, "fn", FUNC},
	{LANG_HABIT_FILE, "function", FUNC},
	{LANG_HABIT_FUNCTION, "for", "loops are: FOR %i:idx, 0:idx, %n:idx, 1:idx, statements in lines of their own, ENDFOR"},
	{LANG_HABIT_FUNCTION, "end", ENDS},
	{LANG_HABIT_FUNCTION, "END", ENDS},
	{LANG_HABIT_FUNCTION, "elif", ELSE_IF},
	{LANG_HABIT_FUNCTION, "ELIF", ELSE_IF},
	{LANG_HABIT_FUNCTION, "ELSEIF", ELSE_IF},
	{LANG_HABIT_WORKLOAD, "for", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "foreach", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "loop", WORK_LOOP},
	{LANG_HABIT_WORKLOAD, "elif", "write else if"},
	{LANG_HABIT_WORKLOAD, "elsif", "write else if"},
	{LANG_HABIT_WORKLOAD, "elseif", "write else if"},
	{LANG_HABIT_WORKLOAD, "continue", "there is none: what a round leaves out stands in an if"},
	{LANG_HABIT_WORKLOAD, "let", SLOT},
	{LANG_HABIT_WORKLOAD, "var", SLOT},
	{LANG_HABIT_WORKLOAD, "set", SLOT},
};

bool lang_habit_help(struct lang_unit *unit, enum lang_habit_place place, const char *word)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		if (habits[i].place == place && !strcmp(habits[i].word, word)) {
			lang_help(unit, "%s", habits[i].help);
			return true;
		}
	return false;
}

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
	struct lang_type type = declare_help(check, operand, want);

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
