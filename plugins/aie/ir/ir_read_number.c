/* SPDX-License-Identifier: MIT */
/* ir_read_number.c - numbers out of text, as attributes of their types. */
#include "aie/ir/ir.h"
#include "aie/ir/ir_read.h"
#include "registry/common/common_decimal.h"

#include <stdlib.h>
#include <string.h>

const struct aie_attr *aie_read_made(struct aie_reader *reader, const struct aie_attr *attr)
{
	if (!attr)
		aie_read_memory(reader);
	return attr;
}

bool aie_read_at_number(const struct aie_reader *reader)
{
	return reader->token.kind == AIE_TOKEN_INTEGER || reader->token.kind == AIE_TOKEN_REAL || aie_read_at_word(reader, "true") ||
	       aie_read_at_word(reader, "false");
}

struct number {
	bool negative, hex, fits;
	uint64_t magnitude;
};

static struct number number_of(const struct aie_token *token)
{
	struct number number = {.negative = *token->begin == '-', .fits = true};
	const char *at = token->begin + number.negative, *end = token->begin + token->length;

	number.hex = end - at > 2 && at[1] == 'x';
	for (at += number.hex ? 2 : 0; at < end; at++) {
		const unsigned base = number.hex ? 16 : 10;
		const unsigned digit = *at <= '9' ? (unsigned)(*at - '0') : (unsigned)((*at | 32) - 'a' + 10);

		number.fits &= number.magnitude <= (UINT64_MAX - digit) / base;
		number.magnitude = number.magnitude * base + digit;
	}
	return number;
}

/* As MLIR has it, a number of n bits may also be written as one without a sign. */
static bool fits(const struct number *number, uint32_t bits)
{
	const uint64_t half = UINT64_C(1) << (bits - 1);

	if (!number->fits)
		return false;
	return number->negative ? number->magnitude <= half : number->magnitude <= half - 1 + half;
}

static int64_t signed_of(const struct number *number)
{
	return (int64_t)(number->negative ? 0 - number->magnitude : number->magnitude);
}

bool aie_read_integer(struct aie_reader *reader, int64_t *value_out)
{
	struct number number;

	if (reader->token.kind != AIE_TOKEN_INTEGER)
		return aie_read_expected(reader, "a whole number");
	number = number_of(&reader->token);
	if (!number.fits || number.magnitude > (uint64_t)INT64_MAX + number.negative)
		return aie_read_expected(reader, "a number of 64 bits with a sign");
	*value_out = signed_of(&number);
	aie_read_next(reader);
	return true;
}

/* The value of a REAL token. */
static double real_of(struct aie_reader *reader, const struct aie_token *token)
{
	char copy[128];
	size_t length = token->length < sizeof(copy) - 1 ? token->length : sizeof(copy) - 1;

	if (length != token->length)
		aie_read_fail(reader, token, "a number of more than %zu characters stands here", sizeof(copy) - 1);
	memcpy(copy, token->begin, length);
	copy[length] = '\0';
	return common_decimal_double(copy, NULL);
}

static const struct aie_attr *real_number(struct aie_reader *reader, const struct aie_token *at, const struct aie_type *type)
{
	struct number number;
	double real;

	if (at->kind == AIE_TOKEN_REAL) {
		real = real_of(reader, at);
		return reader->status ? NULL : aie_read_made(reader, aie_attr_float(reader->module, type, real));
	}
	number = number_of(at);
	if (!number.hex || number.negative || !number.fits || (type->bits < 64 && number.magnitude >> type->bits)) {
		aie_read_fail(reader, at, "a whole number stands here, expected one with a point, or its bits as 0x..., as its type is a float's");
		return NULL;
	}
	return aie_read_made(reader, aie_attr_float(reader->module, type, aie_float_of(type, number.magnitude)));
}

static const struct aie_attr *whole_number(struct aie_reader *reader, const struct aie_token *at, const struct aie_type *type)
{
	const struct number number = number_of(at);

	if (at->kind == AIE_TOKEN_REAL) {
		aie_read_fail(reader, at, "a number with a point stands here, expected a whole one, as its type is an integer's");
		return NULL;
	}
	if (!fits(&number, type->kind == AIE_TYPE_INDEX ? 64 : type->bits)) {
		aie_read_fail(reader, at, "this number does not fit into its type, expected one of at most %u bits",
			      type->kind == AIE_TYPE_INDEX ? 64 : type->bits);
		return NULL;
	}
	return aie_read_made(reader, aie_attr_int(reader->module, type, signed_of(&number)));
}

const struct aie_attr *aie_read_number_as(struct aie_reader *reader, const struct aie_token *at, const struct aie_type *type)
{
	if (at->kind == AIE_TOKEN_WORD && type->kind == AIE_TYPE_INT && type->bits == 1 && (at->length == 4 || at->length == 5))
		return aie_read_made(reader, aie_attr_bool(reader->module, at->length == 4));
	if (at->kind == AIE_TOKEN_WORD) {
		aie_read_fail(reader, at, "'true' or 'false' stands here, expected a number, as the type is not i1");
		return NULL;
	}
	if (aie_type_is_float(type))
		return real_number(reader, at, type);
	if (type->kind == AIE_TYPE_INT || type->kind == AIE_TYPE_INDEX)
		return whole_number(reader, at, type);
	aie_read_fail(reader, at, "a number stands here, and its type is none of numbers");
	return NULL;
}

const struct aie_attr *aie_read_number(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	aie_read_next(reader);
	if (aie_read_take(reader, ':'))
		type = aie_read_type(reader);
	else
		type = aie_type_plain(reader->module, at.kind == AIE_TOKEN_REAL ? AIE_TYPE_F64 : AIE_TYPE_INT, 64);
	if (!type) {
		aie_read_memory(reader);
		return NULL;
	}
	return aie_read_number_as(reader, &at, type);
}
