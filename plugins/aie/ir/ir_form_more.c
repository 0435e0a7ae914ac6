/* SPDX-License-Identifier: MIT */
/* ir_form_more.c - operations of aie, aiex, cf, scf and memref whose text is no pattern. */
#include "aie/ir/ir_form.h"
#include "registry/common/common_arena.h"

#include <stdio.h>
#include <string.h>

enum { LISTS = 3, NUMBERS = 64 };

static bool closed(struct aie_reader *reader, struct aie_op *op)
{
	return aie_read_mark(reader, ')', "at the end of the operation's parts") && aie_form_attrs(reader, op);
}

/* ---- tiles, buffers, locks */

/* ?, 2) behind the opening mark; what is left open has no attribute. */
bool aie_form_logical(struct aie_reader *reader, struct aie_op *op)
{
	if (!aie_read_take(reader, '?') && !aie_form_number(reader, op, "col"))
		return false;
	if (!aie_read_mark(reader, ',', "and a row") || (!aie_read_take(reader, '?') && !aie_form_number(reader, op, "row")))
		return false;
	return closed(reader, op) && aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INDEX, 0));
}

bool aie_form_value(struct aie_reader *reader, struct aie_op *op)
{
	if (aie_read_take(reader, ',')) {
		if (reader->token.kind == AIE_TOKEN_VALUE ? !aie_read_operand(reader, op) : !aie_form_number(reader, op, "value"))
			return false;
	}
	return closed(reader, op);
}

static bool packet_set(struct aie_reader *reader, struct aie_op *op, const char *text)
{
	char whole[AIE_READ_OTHER + sizeof("#aie.packet_info")];

	snprintf(whole, sizeof(whole), "#aie.packet_info%s", text);
	return aie_read_set(reader, op, "packet", aie_attr_text(reader->module, AIE_ATTR_OTHER, whole));
}

/* , <pkt_type = 0, pkt_id = 2> if it stands here. */
static bool packet_take(struct aie_reader *reader, struct aie_op *op)
{
	char text[AIE_READ_OTHER + 1];

	if (!aie_read_take(reader, ','))
		return true;
	if (!aie_read_at_mark(reader, '<'))
		return aie_read_expected(reader, "the number of packets, <pkt_type = 0, pkt_id = 0>");
	return aie_read_raw(reader, text) && packet_set(reader, op, text);
}

/* %t, MM2S, 0) or MM2S, 0, 2) with the column. */
bool aie_form_allocation(struct aie_reader *reader, struct aie_op *op)
{
	const bool tile = reader->token.kind == AIE_TOKEN_VALUE;

	if (tile && (!aie_read_operand(reader, op) || !aie_form_comma(reader)))
		return false;
	if (!aie_form_listed(reader, op, "direction", "channel_dir") || !aie_form_comma(reader) || !aie_form_number(reader, op, "channel_index"))
		return false;
	if (!tile && (!aie_form_comma(reader) || !aie_form_number(reader, op, "col")))
		return false;
	return packet_take(reader, op) && closed(reader, op);
}

bool aie_form_masterset(struct aie_reader *reader, struct aie_op *op)
{
	while (aie_read_take(reader, ','))
		if (!aie_read_operand(reader, op))
			return false;
	return closed(reader, op) && aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INDEX, 0));
}

/* ---- descriptors */

static bool stands_ahead(const struct aie_reader *reader, const char *text)
{
	const char *at = reader->lexer.at;
	const size_t length = strlen(text);

	while (at < reader->lexer.end && (*at == ' ' || *at == '<'))
		at++;
	return (size_t)(reader->lexer.end - at) >= length && !memcmp(at, text, length);
}

/* [<const_pad_before = 1, const_pad_after = 2>, ...] as it stands. */
static bool pad_take(struct aie_reader *reader, struct aie_op *op)
{
	char text[AIE_READ_OTHER + 1];

	return aie_read_raw(reader, text) && aie_read_set(reader, op, "pad_dimensions", aie_attr_text(reader->module, AIE_ATTR_OTHER, text));
}

static bool numbers_take(struct aie_reader *reader, struct aie_op *op, const char *name, int64_t *dynamic_out);

/* = 4, = %n: a value that is a constant is its number. */
static bool number_take(struct aie_reader *reader, struct aie_op *op, const char *name)
{
	const struct aie_attr *number;
	struct aie_value *value;

	if (!aie_read_mark(reader, '=', "and a number"))
		return false;
	if (reader->token.kind != AIE_TOKEN_VALUE)
		return aie_form_number(reader, op, name);
	value = aie_read_value(reader);
	if (!value)
		return false;
	number = value->argument ? NULL : aie_attr_of(value->op, "value");
	if (number && number->kind == AIE_ATTR_INT)
		return aie_read_set(reader, op, name, aie_form_i32(reader, number->number));
	if (!aie_op_operand(reader->module, op, value))
		return aie_read_memory(reader);
	return aie_read_set(reader, op, name, aie_attr_int(reader->module, aie_type_plain(reader->module, AIE_TYPE_INT, 64), AIE_DYNAMIC));
}

/* sizes = [..] strides = [..] as dimensions; where one is no number before it runs they stay lists with a hole. */
static bool walk_words(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_attr *sizes, *strides;
	int64_t dynamic[2], pairs[2 * NUMBERS];

	if (!aie_read_mark(reader, '=', "and sizes") || !numbers_take(reader, op, "sizes", &dynamic[0]) || !aie_read_word(reader, "strides", "behind sizes") ||
	    !aie_read_mark(reader, '=', "and strides") || !numbers_take(reader, op, "strides", &dynamic[1]))
		return false;
	sizes = aie_attr_of(op, "sizes");
	strides = aie_attr_of(op, "strides");
	if (sizes->count != strides->count)
		return aie_read_expected(reader, "as many strides as sizes before this");
	if (dynamic[0] || dynamic[1])
		return true;
	for (uint32_t i = 0; i < sizes->count; i++) {
		pairs[2 * i] = sizes->ints[i];
		pairs[2 * i + 1] = strides->ints[i];
	}
	return aie_read_set(reader, op, "dimensions", aie_attr_ints(reader->module, AIE_ATTR_DIMS, NULL, 2 * sizes->count, pairs));
}

/* offset = 0 len = 256 sizes = [..] strides = [..] pad [..] pad_value = 0: the form since 2026. */
static bool descriptor_words(struct aie_reader *reader, struct aie_op *op)
{
	while (reader->token.kind == AIE_TOKEN_WORD) {
		bool good;

		if (aie_read_take_word(reader, "sizes"))
			good = walk_words(reader, op);
		else if (aie_read_take_word(reader, "pad"))
			good = aie_read_at_mark(reader, '[') ? pad_take(reader, op) : aie_read_expected(reader, "'[' and the padding");
		else if (aie_read_take_word(reader, "offset"))
			good = number_take(reader, op, "offset");
		else if (aie_read_take_word(reader, "len"))
			good = number_take(reader, op, "len");
		else
			good = aie_read_word(reader, "pad_value", "or ')'") && number_take(reader, op, "pad_value");
		if (!good)
			return false;
	}
	return closed(reader, op);
}

/* , 0, 256, [dimensions], [padding], pad_value = 0) */
bool aie_form_descriptor(struct aie_reader *reader, struct aie_op *op)
{
	static const char *const numbers[] = {"offset", "len"};
	uint32_t count = 0;

	if (reader->token.kind == AIE_TOKEN_WORD)
		return descriptor_words(reader, op);

	while (aie_read_take(reader, ',')) {
		if (aie_read_at_mark(reader, '[') && stands_ahead(reader, "const_pad")) {
			if (!pad_take(reader, op))
				return false;
		} else if (aie_read_at_mark(reader, '[')) {
			if (!aie_read_set(reader, op, "dimensions", aie_read_dims(reader)))
				return false;
		} else if (aie_read_take_word(reader, "pad_value")) {
			if (!aie_read_mark(reader, '=', "behind 'pad_value'") || !aie_form_number(reader, op, "pad_value"))
				return false;
		} else if (count == 2 || !aie_form_number(reader, op, numbers[count++])) {
			return count == 2 && !reader->status ? aie_read_expected(reader, "')': an offset and a length stand before") : false;
		}
	}
	return closed(reader, op);
}

/* {..}, {..}] behind the opening mark: a descriptor each. */
bool aie_form_dma(struct aie_reader *reader, struct aie_op *op)
{
	do {
		if (op->region_count == AIE_REGIONS)
			return aie_read_expected(reader, "']' behind so many descriptors");
		if (!aie_read_region(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, ']', "or ',' behind a descriptor") && aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INT, 1));
}

/* , <pkt_id = 0>) { descriptors } */
bool aie_form_task(struct aie_reader *reader, struct aie_op *op)
{
	return packet_take(reader, op) && aie_read_mark(reader, ')', "behind a channel") && aie_read_region(reader, op) && aie_form_attrs(reader, op) &&
	       aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INDEX, 0));
}

/* [a, %b, c] as numbers; a value that is a constant is its number, another an operand. */
static bool numbers_take(struct aie_reader *reader, struct aie_op *op, const char *name, int64_t *dynamic_out)
{
	int64_t numbers[NUMBERS];
	uint32_t count = 0;

	*dynamic_out = 0;
	if (!aie_read_mark(reader, '[', "and a list"))
		return false;
	while (!aie_read_at_mark(reader, ']')) {
		if (count == NUMBERS)
			return aie_read_expected(reader, "']' behind so many numbers");
		if (count && !aie_form_comma(reader))
			return false;
		if (reader->token.kind == AIE_TOKEN_VALUE) {
			const struct aie_value *value = aie_read_value(reader);
			const struct aie_attr *number = value && !value->argument ? aie_attr_of(value->op, "value") : NULL;

			if (!value)
				return false;
			numbers[count] = number && number->kind == AIE_ATTR_INT ? number->number : AIE_DYNAMIC;
			if (numbers[count] == AIE_DYNAMIC && ++*dynamic_out && !aie_op_operand(reader->module, op, (struct aie_value *)(uintptr_t)value))
				return aie_read_memory(reader);
		} else if (!aie_read_integer(reader, &numbers[count])) {
			return false;
		}
		count++;
	}
	aie_read_next(reader);
	return aie_form_ints(reader, op, name, 64, count, numbers);
}

/* %m[offsets][sizes][strides], packet = <...>) {...} : type; older: two numbers before. */
bool aie_form_memcpy(struct aie_reader *reader, struct aie_op *op)
{
	static const char *const lists[LISTS] = {"static_offsets", "static_sizes", "static_strides"};
	int64_t segments[1 + LISTS] = {1};
	char text[AIE_READ_OTHER + 1];
	const struct aie_type *type;

	while (reader->token.kind == AIE_TOKEN_INTEGER) {
		int64_t place;

		if (!aie_read_integer(reader, &place) || !aie_form_comma(reader))
			return false;
	}
	if (!aie_read_operand(reader, op))
		return false;
	for (int i = 0; i < LISTS; i++)
		if (!numbers_take(reader, op, lists[i], &segments[1 + i]))
			return false;
	if (aie_read_take(reader, ',') && (!aie_read_word(reader, "packet", "in a task") || !aie_read_mark(reader, '=', "behind 'packet'") ||
					   !aie_read_raw(reader, text) || !packet_set(reader, op, text)))
		return false;
	return aie_form_ints(reader, op, "operandSegmentSizes", 32, 1 + LISTS, segments) && closed(reader, op) && aie_form_colon(reader) &&
	       aie_form_typed(reader, op, 0, &type);
}

/* ---- fifos */

static bool walk_take(struct aie_reader *reader, const char *word, const char *older, const struct aie_attr **dims_out)
{
	*dims_out = NULL;
	if (aie_read_take_word(reader, word) || aie_read_take_word(reader, older))
		*dims_out = aie_read_dims(reader);
	else
		*dims_out = aie_read_made(reader, aie_attr_ints(reader->module, AIE_ATTR_DIMS, NULL, 0, NULL));
	return *dims_out != NULL;
}

/* {%t fromStream [...], ...}: operands, and a walk for each. */
static bool consumers_take(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_attr *walks[NUMBERS];
	uint32_t count = 0;

	if (!aie_read_mark(reader, '{', "and consumers"))
		return false;
	do {
		if (count == NUMBERS)
			return aie_read_expected(reader, "'}' behind so many consumers");
		if (!aie_read_operand(reader, op) || !walk_take(reader, "dimensionsFromStream", "fromStream", &walks[count++]))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, '}', "or ',' behind a consumer") &&
	       aie_read_set(reader, op, "dimensionsFromStreamPerConsumer", aie_attr_list(reader->module, AIE_ATTR_DIMS_LIST, count, walks));
}

/* = [dense<...>, ...]: the first values of each object. */
static bool values_take(struct aie_reader *reader, struct aie_op *op, const struct aie_type *object)
{
	const struct aie_attr *values[NUMBERS];
	uint32_t count = 0;

	if (!aie_read_take(reader, '='))
		return true;
	if (!aie_read_mark(reader, '[', "and first values"))
		return false;
	do {
		if (count == NUMBERS)
			return aie_read_expected(reader, "']' behind so many values");
		if (!aie_read_word(reader, "dense", "of an object"))
			return false;
		values[count] = aie_read_dense(reader, object);
		if (!values[count++])
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, ']', "or ',' behind a value") &&
	       aie_read_set(reader, op, "initValues", aie_attr_list(reader->module, AIE_ATTR_LIST, count, values));
}

bool aie_form_fifo(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_attr *walk;
	const struct aie_type *type;

	if (!aie_read_operand(reader, op) || !walk_take(reader, "dimensionsToStream", "toStream", &walk) ||
	    !aie_read_set(reader, op, "dimensionsToStream", walk) || !aie_form_comma(reader) || !consumers_take(reader, op) || !aie_form_comma(reader) ||
	    !aie_read_set(reader, op, "elemNumber", aie_read_attr(reader)) || !closed(reader, op) || !aie_form_colon(reader))
		return false;
	type = aie_read_type(reader);
	if (!type)
		return false;
	if (type->kind != AIE_TYPE_FIFO)
		return aie_read_expected(reader, "what follows !aie.objectfifo<...>, which a fifo's type is");
	return aie_read_set(reader, op, "elemType", aie_attr_type(reader->module, type)) && values_take(reader, op, type->element);
}

/* [@a, @b], or @a alone. */
static bool members_take(struct aie_reader *reader, struct aie_op *op, const char *name)
{
	const struct aie_attr *members[NUMBERS];
	const bool list = aie_read_take(reader, '[');
	uint32_t count = 0;

	do {
		if (count == NUMBERS)
			return aie_read_expected(reader, "']' behind so many fifos");
		members[count] = aie_read_symbol(reader);
		if (!members[count++])
			return false;
	} while (list && aie_read_take(reader, ','));
	return (!list || aie_read_mark(reader, ']', "or ',' behind a fifo")) &&
	       aie_read_set(reader, op, name, aie_attr_list(reader->module, AIE_ATTR_LIST, count, members));
}

/* [@a] -> [@b, @c]([] [0, 64]) */
bool aie_form_fifo_link(struct aie_reader *reader, struct aie_op *op)
{
	static const char *const names[] = {"src_offsets", "dst_offsets"};
	const struct aie_attr *none = aie_read_made(reader, aie_attr_list(reader->module, AIE_ATTR_LIST, 0, NULL));

	if (!none || !members_take(reader, op, "fifoIns") || !aie_read_arrow(reader) || !members_take(reader, op, "fifoOuts") ||
	    !aie_read_mark(reader, '(', "and offsets"))
		return false;
	for (int i = 0; i < 2; i++)
		if (!aie_read_set(reader, op, names[i], aie_read_at_mark(reader, '[') ? aie_read_attr(reader) : none))
			return false;
	return closed(reader, op);
}

bool aie_form_more_results(struct aie_reader *reader, struct aie_op *op)
{
	while (aie_read_take(reader, ',')) {
		if (op->result_count == AIE_READ_CARRIED)
			return aie_read_expected(reader, "no more types: these are many");
		if (!aie_read_result(reader, op, aie_read_type(reader)))
			return false;
	}
	return true;
}

/* ---- the host, and what is skipped */

bool aie_form_sequence(struct aie_reader *reader, struct aie_op *op)
{
	return aie_read_arguments_and_body(reader, op) && aie_form_attrs(reader, op);
}

/* Words, then { ... }: traces of a device move nothing that a design reads. */
bool aie_form_skipped(struct aie_reader *reader, struct aie_op *op)
{
	uint32_t open = 0;

	(void)op;
	while (reader->token.kind != AIE_TOKEN_END && !aie_read_at_mark(reader, '{'))
		aie_read_next(reader);
	do {
		open += aie_read_at_mark(reader, '{');
		open -= open && aie_read_at_mark(reader, '}');
		aie_read_next(reader);
	} while (open && reader->token.kind != AIE_TOKEN_END);
	return !open || aie_read_expected(reader, "'}' at the end of what is skipped");
}

/* "public" constant @name : type = dense<...> */
bool aie_form_global(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_type *type;

	if (reader->token.kind == AIE_TOKEN_STRING && !aie_read_set(reader, op, "sym_visibility", aie_read_attr(reader)))
		return false;
	aie_read_take_word(reader, "constant");
	if (!aie_form_symbol(reader, op, "sym_name") || !aie_form_colon(reader))
		return false;
	type = aie_read_type(reader);
	if (!type || !aie_read_set(reader, op, "type", aie_attr_type(reader->module, type)))
		return false;
	if (aie_read_take(reader, '=') && !aie_read_take_word(reader, "uninitialized") &&
	    (!aie_read_word(reader, "dense", "of a global") || type->kind != AIE_TYPE_MEMREF ||
	     !aie_read_set(reader, op, "initial_value", aie_read_dense(reader, type))))
		return reader->status ? false : aie_read_expected(reader, "no value of what is no memref");
	return aie_form_attrs(reader, op);
}

/* ---- branches and loops */

/* (%a, %b : T, U), if it stands here: operands of a block. */
static bool passed_take(struct aie_reader *reader, struct aie_op *op, int64_t *count_out)
{
	const uint32_t first = op->operand_count;

	*count_out = 0;
	if (!aie_read_take(reader, '('))
		return true;
	if (!aie_read_operands(reader, op, ':'))
		return false;
	if (!aie_form_types(reader, op, first))
		return false;
	*count_out = op->operand_count - first;
	return aie_read_mark(reader, ')', "behind the types");
}

/* ^a(...), or ^a(...), ^b(...) behind a condition. */
bool aie_form_branch(struct aie_reader *reader, struct aie_op *op)
{
	const bool two = op->operand_count != 0;
	int64_t segments[3] = {1};

	for (int i = 0; i <= two; i++)
		if ((i && !aie_form_comma(reader)) || !aie_read_successor(reader, op) || !passed_take(reader, op, &segments[1 + i]))
			return false;
	return (!two || aie_form_ints(reader, op, "operandSegmentSizes", 32, 3, segments)) && aie_form_attrs(reader, op);
}

/* (%a = %b) : (T) -> (U) { ... scf.condition(%c) %d : U } do { ^bb0(%e: U): ... } */
bool aie_form_while(struct aie_reader *reader, struct aie_op *op)
{
	struct aie_group names[AIE_READ_CARRIED];
	struct aie_region *before;
	const struct aie_type *type;
	const uint32_t scope = reader->scope.count;
	const struct aie_token at = reader->token;
	uint32_t count = 0;

	if ((aie_read_take(reader, '(') && !aie_form_carried(reader, &at, op, names, &count)) || reader->status || !aie_form_colon(reader))
		return false;
	type = aie_read_signature(reader);
	if (!type)
		return false;
	if (type->inputs != count)
		return aie_read_expected(reader, "'{': as many types as values stand before it");
	before = aie_op_region(reader->module, op);
	for (uint32_t i = 0; i < count; i++)
		if (op->operands[i]->type != type->parts[i])
			return aie_read_expected(reader, "'{' behind types that are those of the values");
		else if (!aie_region_argument(reader->module, op, before, type->parts[i]))
			return aie_read_memory(reader);
	for (uint32_t i = 0; i < count; i++)
		if (!aie_read_define(reader, &names[i].token, names[i].name, &before->arguments[i], 1))
			return false;
	for (uint32_t i = type->inputs; i < type->part_count; i++)
		if (!aie_read_result(reader, op, type->parts[i]))
			return false;
	if (!before || !aie_read_body(reader, op, before, scope))
		return before ? false : aie_read_memory(reader);
	return aie_read_word(reader, "do", "and the loop's body") && aie_read_region(reader, op) && aie_form_attrs(reader, op);
}

bool aie_form_condition(struct aie_reader *reader, struct aie_op *op)
{
	return reader->token.kind != AIE_TOKEN_VALUE || (aie_read_operands(reader, op, ':') && aie_form_types(reader, op, 1));
}

/* -> T case 0 { ... } default { ... }: regions, that of `default` first, and the numbers of the others as attribute cases. */
bool aie_form_switch(struct aie_reader *reader, struct aie_op *op)
{
	struct aie_region *first = aie_op_region(reader->module, op);
	int64_t cases[AIE_REGIONS];
	uint32_t count = 0;

	if (!first)
		return aie_read_memory(reader);
	if (!aie_form_results(reader, op))
		return false;
	while (aie_read_take_word(reader, "case")) {
		if (op->region_count == AIE_REGIONS)
			return aie_read_expected(reader, "'default' behind so many cases");
		if (!aie_read_integer(reader, &cases[count++]) || !aie_read_region(reader, op))
			return false;
	}
	return aie_form_ints(reader, op, "cases", 64, count, cases) && aie_read_word(reader, "default", "behind the cases") &&
	       aie_read_body(reader, op, &op->regions[0], reader->scope.count) && aie_form_attrs(reader, op);
}
