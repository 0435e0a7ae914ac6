/* SPDX-License-Identifier: MIT */
/* parse_axis.c - axis %a = dense(16) | dense_dyn(%n / 64) | ragged(4, [33, 64, 128, 15]) | sparse(%indptr, %indices) */
#include "lang/lang_axis.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

/* "[33, 64, 128]" */
static int values_parse(struct lang_parser *parser, struct lang_list_source *list)
{
	struct lang_scope scope = {.module = parser->module, .constant = 1};

	lang_take(parser);
	for (bool more = !lang_at_mark(parser, ']'); more; more = lang_comma_take(parser, ']')) {
		struct lang_scalar *scalar = lang_scalar_parse(parser, "a number");
		int64_t value;

		if (!scalar || !lang_scalar_check(&scope, scalar, "a list"))
			return 0;
		if (!lang_scalar_known(scalar, &value) || value < 0 || value > UINT32_MAX) {
			lang_error(parser->unit, scalar->all, "a list holds numbers from 0 to %u", UINT32_MAX);
			return 0;
		}
		*COMMON_PUSH(&parser->unit->arena, list->values, list->count, list->capacity) = value;
	}
	return lang_expect(parser, ']', "behind the numbers");
}

static int list_parse(struct lang_parser *parser, struct lang_list_source *list)
{
	const struct lang_token *token = lang_peek(parser);

	list->at = token->at;
	if (token->mark == '[')
		return values_parse(parser, list);
	if (token->kind != LANG_NAME)
		return lang_expected(parser, "a list such as [33, 64] or a tensor of integers");
	list->tensor = lang_take(parser)->text;
	return 1;
}

/* "(n)", "(low, high)", "(low, high, step)" */
static bool dense_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	struct lang_scalar *values[3] = {NULL, NULL, NULL};
	uint32_t count = 0;

	do {
		if (count)
			lang_take(parser);
		values[count] = lang_scalar_parse(parser, "a bound such as 16 or %n");
		if (!values[count++])
			return false;
	} while (count < 3 && lang_at_more(parser));
	axis->high = values[count > 1];
	axis->low = count > 1 ? values[0] : NULL;
	axis->step = values[2];
	return true;
}

/* "(beginnings, indices)", or "(rows, %beginnings, %indices)" where not all rows of the tensors count. */
static bool sparse_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->mark != '[' && (token->kind != LANG_NAME || (token[1].mark == ',' && token[2].kind == LANG_NAME && token[3].mark == ','))) {
		axis->high = lang_scalar_parse(parser, "a list such as [0, 2], a tensor of integers, or how many rows there are");
		if (!axis->high || !lang_expect(parser, ',', "and the beginnings behind the number of rows"))
			return false;
	}
	return list_parse(parser, &axis->lengths) && lang_expect(parser, ',', "and the indices behind the beginnings of rows") &&
	       list_parse(parser, &axis->indices);
}

/* "(rows, lengths)" */
static bool rows_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	if (axis->kind == PTOWSP_AXIS_SPARSE)
		return sparse_parse(parser, axis);
	axis->high = lang_scalar_parse(parser, "how many rows there are");
	return axis->high && lang_expect(parser, ',', "and the lengths behind the number of rows") && list_parse(parser, &axis->lengths);
}

bool lang_axis_read(struct lang_parser *parser, struct lang_axis *axis)
{
	uint32_t kind;
	int ok;

	axis->kind_at = lang_peek(parser)->at;
	if (!lang_words_take(parser, PKG_WORDS_axis_kind, &kind)) {
		lang_expected(parser, "dense, dense_dyn, ragged or sparse");
		lang_help(parser->unit, "numbers from 0 on are dense(%%n), in a loop also: parallel_for %%i in 0 to %%n { }");
		return false;
	}
	axis->kind = (uint8_t)kind;
	if (!lang_expect(parser, '(', "behind the kind of axis"))
		return false;
	ok = axis->kind == PTOWSP_AXIS_DENSE || axis->kind == PTOWSP_AXIS_DENSE_DYN ? dense_parse(parser, axis) : rows_parse(parser, axis);
	return ok && lang_expect(parser, ')', "at the end of the axis");
}

void lang_axis_parse(struct lang_parser *parser)
{
	struct lang_axis *axis = lang_decl_begin(parser, LANG_DECL_AXIS, sizeof(*axis), LANG_NAME, "the axis' name such as %tiles");

	if (axis)
		lang_decl_end(parser, &axis->head,
			      lang_expect(parser, '=', "and the axis behind the name") && lang_axis_read(parser, axis) &&
				      lang_levels_parse(parser, &axis->levels));
}
