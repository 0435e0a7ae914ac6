/* SPDX-License-Identifier: MIT */
/* tail.c - the types behind an instruction repeat what is declared; a contradiction is an error at the type. */
#include "lang/lang_check.h"

#include <string.h>

static const struct lang_type index_type = {.kind = LANG_TYPE_SCALAR, .index = 1, .dtype = PTOWSP_I64};

/* Does the written type fit the operand? A number fits every element type of its class. */
static int type_fits(const struct lang_type *written, const struct lang_operand *operand)
{
	const struct lang_type *real = operand->var ? &operand->var->type : &index_type;

	if (operand->kind == LANG_OPERAND_NUMBER)
		return written->kind == LANG_TYPE_SCALAR;
	if (written->kind != real->kind)
		return 0;
	if (written->open)
		return 1;
	if (written->kind == LANG_TYPE_SCALAR && (written->index || real->index))
		return lang_dtype_class(written->dtype) != 'f' && lang_dtype_class(real->dtype) != 'f';
	return written->dtype == real->dtype && written->rows == real->rows && written->columns == real->columns &&
	       written->space == real->space;
}

static void type_refuse(struct lang_check *check, const struct lang_type *written, const struct lang_operand *operand)
{
	lang_error(check->unit, written->at, "%s%s is %s, the type says %s", operand->kind == LANG_OPERAND_NAME ? "%" : "",
		   operand->text, operand->var ? lang_type_text(check->unit, &operand->var->type) : "a number",
		   lang_type_text(check->unit, written));
}

static int type_check(struct lang_check *check, const struct lang_type *written, const struct lang_operand *operand)
{
	int ok = type_fits(written, operand);

	if (!ok)
		type_refuse(check, written, operand);
	return ok;
}

/* Behind the arrow: the results, in order. */
static int results_check(struct lang_check *check, const struct lang_stmt *stmt, uint32_t results)
{
	if (!stmt->tail_result_count)
		return 1;
	if (stmt->tail_result_count != results) {
		lang_error(check->unit, stmt->tail_results[0].at, "%s gives %u result%s, here %s %u type%s", stmt->word, results,
			   results == 1 ? "" : "s", stmt->tail_result_count == 1 ? "is" : "are", stmt->tail_result_count,
			   stmt->tail_result_count == 1 ? "" : "s");
		return 0;
	}
	for (uint32_t i = 0; i < results; i++)
		if (!type_check(check, &stmt->tail_results[i], &stmt->operands[i]))
			return 0;
	return 1;
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
		lang_error(check->unit, stmt->tail[0].at, "%s has %u source%s, here %s %u type%s", stmt->word, sources,
			   sources == 1 ? "" : "s", stmt->tail_count == 1 ? "is" : "are", stmt->tail_count, stmt->tail_count == 1 ? "" : "s");
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
