/* SPDX-License-Identifier: MIT */
/* array_value.c - what a sequence of the host counts with: its arguments that are numbers, constants, arith on integers, and loops and choices by them. All of it is known before
 * anything runs, so that a sequence is a list of steps in the end. */
#include "aie/array/array_own.h"

#include <inttypes.h>
#include <string.h>

static uint32_t bits_of(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_INT ? type->bits : 64;
}

static uint64_t bare(int64_t number, uint32_t bits)
{
	return bits >= 64 ? (uint64_t)number : (uint64_t)number & ((UINT64_C(1) << bits) - 1);
}

/* Cut to its bits and extended by sign, as cores have it. */
static int64_t cut(int64_t number, uint32_t bits)
{
	const uint64_t low = bare(number, bits);

	return bits < 64 && low >> (bits - 1) ? (int64_t)(low - (UINT64_C(1) << bits)) : (int64_t)low;
}

bool array_value(const struct aie_array *array, const struct aie_value *value, int64_t *number_out)
{
	const struct aie_attr *constant = !value->argument && aie_op_is(value->op, "arith.constant") ? aie_attr_of(value->op, "value") : NULL;

	*number_out = constant ? (constant->kind == AIE_ATTR_BOOL && constant->number ? -1 : constant->number) : array->values[value->id].number;
	return constant ? constant->kind == AIE_ATTR_INT || constant->kind == AIE_ATTR_BOOL : array->values[value->id].known;
}

static void value_set(struct aie_array *array, const struct aie_value *value, int64_t number)
{
	array->values[value->id] = (struct array_known){number, true};
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------- */

static bool divides(const char *name)
{
	return strstr(name, "div") || strstr(name, "rem");
}

/* By the table that cores compute by; false: it is none of these. */
static bool integer(const char *name, int64_t a, int64_t b, uint32_t bits, int64_t *number_out)
{
	const uint64_t ua = bare(a, bits), ub = bare(b, bits);

	(void)ua, (void)ub;
#define INTEGER(op, op_name, cost, value)                                                                                                                      \
	if (!strcmp(name, op_name)) {                                                                                                                          \
		*number_out = (value);                                                                                                                         \
		return true;                                                                                                                                   \
	}
#include "aie/ir/body.def"
	return false;
}

static bool compare(int64_t predicate, int64_t a, int64_t b)
{
#define COMPARE(op, number, value)                                                                                                                             \
	if (predicate == number)                                                                                                                               \
		return value;
#include "aie/ir/body.def"
	return false;
}

/* One operand each way: extui and index_castui without its sign, the others with it. */
static bool converted(const struct aie_op *op, int64_t from, int64_t *number_out)
{
	static const char *const names[] = {"arith.index_cast", "arith.extsi", "arith.trunci", "arith.index_castui", "arith.extui"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (aie_op_is(op, names[i])) {
			*number_out = i > 2 ? (int64_t)bare(from, bits_of(op->operands[0]->type)) : from;
			return true;
		}
	return false;
}

/* False: it is no arith that is known. */
static bool count(struct aie_array *array, const struct aie_op *op)
{
	int64_t operands[3] = {0}, number = 0;
	bool known = true;

	if (op->result_count != 1 || !op->operand_count || op->operand_count > 3 || strncmp(op->name, "arith.", 6) != 0)
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!array_value(array, op->operands[i], &operands[i]))
			array_fail(array, op, PTOWSP_UNSUPPORTED,
				   "it counts with what is not known before the run; give arguments that are numbers by --value");
	if (divides(op->name) && !operands[1])
		array_fail(array, op, PTOWSP_INVALID, "it divides by 0");
	if (aie_op_is(op, "arith.cmpi"))
		number = -(int64_t)compare(array_number(op, "predicate", -1), operands[0], operands[1]);
	else if (aie_op_is(op, "arith.select"))
		number = operands[0] ? operands[1] : operands[2];
	else if (op->operand_count == 1)
		known = converted(op, operands[0], &number);
	else
		known = integer(op->name, operands[0], operands[1], bits_of(op->results[0]->type), &number);
	value_set(array, op->results[0], cut(number, bits_of(op->results[0]->type)));
	return known;
}

/* ---- loops and choices ---------------------------------------------------------------------------------------------- */

/* Numbers, and tasks, which are numbers of their rows. */
static bool values_pass(struct aie_array *array, struct aie_value *const *from, struct aie_value *const *to, uint32_t count)
{
	struct array_known passed[16];

	if (count > 16)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		passed[i].known = array_value(array, from[i], &passed[i].number);
		if (!passed[i].known && !from[i]->argument && array->places[from[i]->id] != AIE_NONE)
			passed[i] = (struct array_known){array->places[from[i]->id], true};
	}
	for (uint32_t i = 0; i < count; i++) {
		array->values[to[i]->id] = passed[i];
		if (to[i]->type->kind == AIE_TYPE_INDEX && passed[i].known && passed[i].number >= 0 && passed[i].number < array->task_count)
			array->places[to[i]->id] = (uint32_t)passed[i].number;
	}
	return true;
}

static void loop(struct aie_array *array, const struct aie_op *op)
{
	const struct aie_region *body = &op->regions[0];
	const uint32_t carried = op->result_count;
	int64_t first, last, step;

	if (!array_value(array, op->operands[0], &first) || !array_value(array, op->operands[1], &last) || !array_value(array, op->operands[2], &step))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "how often it turns is not known before the run; give arguments that are numbers by --value");
	if (step <= 0 || !values_pass(array, op->operands + 3, body->arguments + 1, carried))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "a loop whose step is not above 0, or that carries more than 16 values");
	for (int64_t at = first; at < last; at += step) {
		if (array->turns++ == AIE_ARRAY_TURNS)
			array_fail(array, op, PTOWSP_UNSUPPORTED, "loops of the sequence turn more than %d times", AIE_ARRAY_TURNS);
		value_set(array, body->arguments[0], at);
		array_steps(array, body);
		values_pass(array, body->last->operands, body->arguments + 1, carried);
		if (at > INT64_MAX - step)
			break;
	}
	values_pass(array, body->arguments + 1, op->results, carried);
}

static void choice(struct aie_array *array, const struct aie_op *op)
{
	const struct aie_region *chosen;
	int64_t condition;

	if (!array_value(array, op->operands[0], &condition))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "what it chooses by is not known before the run; give arguments that are numbers by --value");
	chosen = &op->regions[condition ? 0 : 1];
	array_steps(array, chosen);
	if (op->result_count && !values_pass(array, chosen->last->operands, op->results, op->result_count))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "it gives more than 16 values");
}

bool array_control(struct aie_array *array, const struct aie_op *op)
{
	if (aie_op_is(op, "scf.for"))
		loop(array, op);
	else if (aie_op_is(op, "scf.if"))
		choice(array, op);
	else if (!aie_op_is(op, "scf.yield"))
		return count(array, op);
	return true;
}

/* A type says no sign: it holds numbers with one, and without. */
static bool number_fits(const struct aie_type *type, int64_t number)
{
	const uint32_t bits = bits_of(type);

	return bits >= 64 || (number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << bits);
}

void array_arguments(struct aie_array *array)
{
	const struct aie_region *body = &array->sequence->regions[0];

	for (uint32_t i = 0; i < body->argument_count; i++) {
		const struct aie_value *argument = body->arguments[i];

		for (uint32_t v = 0; v < array->args->value_count; v++) {
			if (array->args->values[v].number != i)
				continue;
			if (argument->type->kind != AIE_TYPE_INT && argument->type->kind != AIE_TYPE_INDEX)
				array_fail(array, array->sequence, PTOWSP_INVALID, "argument %u is no whole number", i);
			if (!number_fits(argument->type, array->args->values[v].value))
				array_fail(array, array->sequence, PTOWSP_INVALID, "argument %u is a number of %u bits, which %" PRId64 " does not fit into", i,
					   bits_of(argument->type), array->args->values[v].value);
			value_set(array, argument, cut(array->args->values[v].value, bits_of(argument->type)));
		}
	}
}
