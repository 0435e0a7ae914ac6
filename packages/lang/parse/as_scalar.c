/* SPDX-License-Identifier: MIT */
/* as_scalar.c - arith: constants, arithmetic, comparison, conversion of scalars. */
#include "lang/parse/as.h"

#include "registry/common/common_dtype.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { CONSTANT, BINARY, REMAINDER, COMPARE, CAST };
static const struct operation {
	const char *word;
	enum form form;
	uint8_t op;
} operations[] = {
	{"constant", CONSTANT, 0},
	{"addi", BINARY, PTOWSP_PTO_ADD},
	{"subi", BINARY, PTOWSP_PTO_SUB},
	{"muli", BINARY, PTOWSP_PTO_MUL},
	{"divsi", BINARY, PTOWSP_PTO_DIV},
	{"remsi", REMAINDER, 0},
	{"addf", BINARY, PTOWSP_PTO_ADD},
	{"subf", BINARY, PTOWSP_PTO_SUB},
	{"mulf", BINARY, PTOWSP_PTO_MUL},
	{"divf", BINARY, PTOWSP_PTO_DIV},
	{"cmpi", COMPARE, 0},
	{"cmpf", COMPARE, 0},
	{"index_cast", CAST, 0},
	{"extsi", CAST, 0},
	{"trunci", CAST, 0},
	{"sitofp", CAST, 0},
	{"fptosi", CAST, 0},
	{"extf", CAST, 0},
	{"truncf", CAST, 0},
};
#define OPERATIONS (sizeof(operations) / sizeof(*operations))

static const struct predicate {
	const char *word;
	uint8_t mode;
} predicates[] = {
	{"eq", PTOWSP_COMPARE_EQ},  {"ne", PTOWSP_COMPARE_NE},  {"slt", PTOWSP_COMPARE_LT}, {"sle", PTOWSP_COMPARE_LE},
	{"sgt", PTOWSP_COMPARE_GT}, {"sge", PTOWSP_COMPARE_GE}, {"oeq", PTOWSP_COMPARE_EQ}, {"une", PTOWSP_COMPARE_NE},
	{"olt", PTOWSP_COMPARE_LT}, {"ole", PTOWSP_COMPARE_LE}, {"ogt", PTOWSP_COMPARE_GT}, {"oge", PTOWSP_COMPARE_GE},
};

/* The one value that an operation gives. */
static struct lang_as_value *result(struct lang_as *as, const struct lang_as_results *results, enum lang_as_kind kind, const struct lang_type *type)
{
	struct lang_as_value *value = lang_as_define(as, results->names[0], kind);

	value->type = *type;
	return value;
}

static struct lang_as_value *scalar_result(struct lang_as *as, const struct lang_as_results *results, const struct lang_type *type)
{
	struct lang_as_value *value = result(as, results, LANG_AS_SCALAR, type);

	value->term.var = lang_as_var(as, LANG_SCALAR, results->names[0]->text, *type, results->names[0]->at);
	return value;
}

/* ": T", and the type of the result behind "to" where there is one. */
static int scalar_type(struct lang_as *as, struct lang_type *type_out)
{
	struct lang_as_type type;

	if (!lang_expect(as->parser, ':', "and the type of the operation") || !lang_as_type_parse(as->parser, &type))
		return 0;
	if (lang_at_word(as->parser, "to")) {
		lang_take(as->parser);
		if (!lang_as_type_parse(as->parser, &type))
			return 0;
	}
	*type_out = type.type;
	if (type.kind == LANG_AS_TYPE_SCALAR)
		return 1;
	lang_error(as->parser->unit, type.at, "a scalar's type is needed here");
	return 0;
}

/* "0xFF800000 : f32" is a bit pattern. */
static const char *bits_text(struct lang_as *as, const char *text, unsigned dtype)
{
	const uint64_t bits = strtoull(text, NULL, 16);
	const uint32_t low = (uint32_t)bits;
	float single;
	double value;

	memcpy(&single, &low, sizeof(single));
	memcpy(&value, &bits, sizeof(value));
	if (dtype == PTOWSP_F32)
		value = (double)single;
	else if (dtype != PTOWSP_F64)
		return NULL;
	return common_format(&as->parser->unit->arena, isnan(value) ? "nan" : "%.17g", value);
}

static bool float_constant(struct lang_as *as, const struct lang_as_results *results, const struct lang_token *number, const struct lang_type *type)
{
	const int hexadecimal = !strncmp(number->text, "0x", 2) || !strncmp(number->text, "0X", 2);
	const char *text = hexadecimal ? bits_text(as, number->text, type->dtype) : number->text;

	if (!text) {
		lang_error(as->parser->unit, number->at, "a bit pattern is read for f32 and f64, not for %s", common_dtype_text(type->dtype));
		lang_help(as->parser->unit, "write the number in decimal");
		return false;
	}
	result(as, results, LANG_AS_FLOAT, type)->text = text;
	return true;
}

/* "%c = arith.constant 16 : index", "... true" */
static bool constant_read(struct lang_as *as, const struct lang_as_results *results)
{
	static const struct lang_type truth = {.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_BOOL};
	const struct lang_token *number = lang_peek(as->parser);
	const int is_truth = lang_at_word(as->parser, "true") || lang_at_word(as->parser, "false");
	struct lang_as_value *value;
	struct lang_type type = truth;
	struct lang_as_term term = {NULL, lang_at_word(as->parser, "true")};

	if (!is_truth && number->kind != LANG_NUMBER)
		return lang_expected(as->parser, "a number, true or false");
	lang_take(as->parser);
	if (!(is_truth && !lang_at_mark(as->parser, ':')) && !scalar_type(as, &type))
		return false;
	if (common_dtype_class(type.dtype) == 'f')
		return float_constant(as, results, number, &type);
	if (!is_truth) {
		as->parser->at = (uint32_t)(number - as->parser->tokens.rows);
		if (!lang_as_term(as, &term) || !scalar_type(as, &type))
			return false;
	}
	value = result(as, results, LANG_AS_NUMBER, &type);
	value->term = term;
	return true;
}

/* "%a, %b : T" */
static bool pair_read(struct lang_as *as, struct lang_as_value *pair[2], struct lang_type *type_out)
{
	pair[0] = lang_as_operand(as);
	if (!pair[0] || !lang_expect(as->parser, ',', "between the operands"))
		return false;
	pair[1] = lang_as_operand(as);
	if (!pair[1] || !scalar_type(as, type_out))
		return false;
	for (int i = 0; i < 2; i++)
		if (pair[i]->kind > LANG_AS_SCALAR) {
			lang_error(as->parser->unit, as->at, "arith computes with scalars, and %%%s is none", pair[i]->name);
			return false;
		}
	return true;
}

static void emit3(struct lang_as *as, unsigned op, const char *d, struct lang_operand a, struct lang_operand b)
{
	const struct lang_operand operands[3] = {lang_as_of_name(as, d), a, b};

	lang_as_emit(as, op, operands, 3);
}

/* A folded number as its type holds it. */
static int64_t wrap(int64_t value, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_I8: return (int8_t)(uint8_t)(uint64_t)value;
	case PTOWSP_I16: return (int16_t)(uint16_t)(uint64_t)value;
	case PTOWSP_I32: return (int32_t)(uint32_t)(uint64_t)value;
	case PTOWSP_BOOL: return value & 1;
	default: return value;
	}
}

static bool binary_read(struct lang_as *as, const struct lang_as_results *results, unsigned op)
{
	struct lang_as_value *pair[2], *value;
	struct lang_type type;

	if (!pair_read(as, pair, &type))
		return false;
	if (pair[0]->kind == LANG_AS_NUMBER && pair[1]->kind == LANG_AS_NUMBER) {
		const struct lang_as_term folded = lang_as_calc(as, op, pair[0]->term, pair[1]->term);

		value = result(as, results, folded.var ? LANG_AS_SCALAR : LANG_AS_NUMBER, &type);
		value->term = folded;
		value->term.number = wrap(folded.number, type.dtype);
		return true;
	}
	emit3(as, op, scalar_result(as, results, &type)->term.var, lang_as_of_value(as, pair[0]), lang_as_of_value(as, pair[1]));
	return true;
}

/* a - a / b * b: there is no instruction for it. */
static bool remainder_read(struct lang_as *as, const struct lang_as_results *results)
{
	struct lang_as_value *pair[2], *value;
	struct lang_type type;
	const char *part;

	if (!pair_read(as, pair, &type))
		return false;
	if (pair[0]->kind == LANG_AS_NUMBER && pair[1]->kind == LANG_AS_NUMBER && pair[1]->term.number != 0 && pair[1]->term.number != -1) {
		value = result(as, results, LANG_AS_NUMBER, &type);
		value->term.number = pair[0]->term.number % pair[1]->term.number;
		return true;
	}
	part = lang_as_var(as, LANG_SCALAR, "part", type, as->at);
	emit3(as, PTOWSP_PTO_DIV, part, lang_as_of_value(as, pair[0]), lang_as_of_value(as, pair[1]));
	emit3(as, PTOWSP_PTO_MUL, part, lang_as_of_name(as, part), lang_as_of_value(as, pair[1]));
	emit3(as, PTOWSP_PTO_SUB, scalar_result(as, results, &type)->term.var, lang_as_of_value(as, pair[0]), lang_as_of_name(as, part));
	return true;
}

/* "slt, %a, %b : index" */
static bool compare_read(struct lang_as *as, const struct lang_as_results *results)
{
	static const struct lang_type truth = {.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_BOOL};
	const struct lang_token *word = lang_peek(as->parser);
	struct lang_operand operands[3];
	struct lang_as_value *pair[2];
	struct lang_type type;
	size_t i = 0;

	while (i < sizeof(predicates) / sizeof(*predicates) && !lang_at_word(as->parser, predicates[i].word))
		i++;
	if (i == sizeof(predicates) / sizeof(*predicates)) {
		lang_error(as->parser->unit, word->at, "\"%s\" is no comparison that is read here", word->text);
		lang_help(as->parser->unit, "it knows eq ne slt sle sgt sge oeq une olt ole ogt oge");
		return false;
	}
	lang_take(as->parser);
	if (!lang_expect(as->parser, ',', "behind the comparison") || !pair_read(as, pair, &type))
		return false;
	operands[0] = lang_as_of_name(as, scalar_result(as, results, &truth)->term.var);
	operands[1] = lang_as_of_value(as, pair[0]);
	operands[2] = lang_as_of_value(as, pair[1]);
	lang_as_emit(as, PTOWSP_PTO_CMP, operands, 3)->mode = predicates[i].mode;
	return true;
}

/* "%a : index to i32" */
static bool cast_read(struct lang_as *as, const struct lang_as_results *results)
{
	struct lang_as_value *from = lang_as_operand(as), *value;
	struct lang_operand operands[2];
	struct lang_type type;

	if (!from || !scalar_type(as, &type))
		return false;
	if (from->kind > LANG_AS_SCALAR) {
		lang_error(as->parser->unit, as->at, "arith computes with scalars, and %%%s is none", from->name);
		return false;
	}
	if (from->kind == LANG_AS_NUMBER && type.dtype == PTOWSP_I64) {
		value = result(as, results, LANG_AS_NUMBER, &type);
		value->term = from->term;
		return true;
	}
	operands[0] = lang_as_of_name(as, scalar_result(as, results, &type)->term.var);
	operands[1] = lang_as_of_value(as, from);
	lang_as_emit(as, from->kind == LANG_AS_SCALAR ? PTOWSP_PTO_MOV : PTOWSP_PTO_LI, operands, 2);
	return true;
}

bool lang_as_arith(struct lang_as *as, const char *word, const struct lang_as_results *results)
{
	struct lang_guess guess;
	size_t i = 0;

	while (i < OPERATIONS && strcmp(operations[i].word, word) != 0)
		i++;
	if (i == OPERATIONS) {
		lang_error(as->parser->unit, as->at, "there is no operation arith.%s", word);
		lang_guess_start(&guess, word);
		for (i = 0; i < OPERATIONS; i++)
			lang_guess_try(&guess, operations[i].word);
		lang_guess_help(as->parser->unit, &guess, "arith.");
		return false;
	}
	if (results->count != 1) {
		lang_error(as->parser->unit, as->at, "arith.%s gives 1 result, here are %u", word, results->count);
		return false;
	}
	switch (operations[i].form) {
	case CONSTANT: return constant_read(as, results);
	case BINARY: return binary_read(as, results, operations[i].op);
	case REMAINDER: return remainder_read(as, results);
	case COMPARE: return compare_read(as, results);
	default: return cast_read(as, results);
	}
}
