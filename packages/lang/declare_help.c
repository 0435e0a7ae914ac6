/* SPDX-License-Identifier: MIT */
/* declare_help.c - help: a declaration for a name that nothing declares, and what is written here instead of words of
 * other languages. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"
#include "lang/diag.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

struct lang_type lang_declare_help(const struct lang_check *check, const struct lang_operand *operand, enum lang_want want)
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
