/* SPDX-License-Identifier: MIT */
/* emit_value.c - expressions: literals, scalars, elements, and what emit.def and elementwise.def make of them. */
#include "isa/convert.h"
#include "isa/emit/emit_state.h"
#include "registry/common/common_decimal.h"

#include <stdio.h>

static const struct isa_emit_op ops[256] = {
#define X(NAME, how, of, f, i, u, b) [PTOWSP_PTO_##NAME] = {.form = ISA_FORM_##how, .access = of, .floats = f, .is_signed = i, .is_unsigned = u, .u1 = b},
#include "isa/emit/emit.def"
#undef X
#define ELEMENT(NAME, of, ...)                          [PTOWSP_PTO_##NAME] = {.form = ISA_FORM_LOOP, .access = #of, .is_c = true, __VA_ARGS__},
#define NUMBERS(NAME, of, float_how, f, how, i, u, ...) ELEMENT(NAME, of, .floats = #f, .is_signed = #i, .is_unsigned = #u, .u1 = "")
#define FLOATS(NAME, of, how, f, ...)                   ELEMENT(NAME, of, .floats = #f, .is_signed = "", .is_unsigned = "", .u1 = "")
#define INTEGERS(NAME, of, how, n, ...)                 ELEMENT(NAME, of, .floats = "", .is_signed = #n, .is_unsigned = #n, .u1 = "")
#define BITS(NAME, of, how, n, one, ...)                ELEMENT(NAME, of, .floats = "", .is_signed = #n, .is_unsigned = #n, .u1 = #one)
#include "isa/elementwise.def"
};

const struct isa_emit_op *isa_emit_op(unsigned opcode)
{
	return &ops[opcode & 255];
}

/* Words of a type. */
static const struct words {
	const char *suffix, *code, *stored, *computed, *wide;
} words[ISA_DTYPES] = {
#define X(type, NAME, class_letter, stored_as, computed_in, wide_in, bytes, sum, matrix, one)                                                                  \
	[PTOWSP_##NAME] = {#type, #NAME, #stored_as, #computed_in, #wide_in},
#include "isa/element.def"
#undef X
};

const char *isa_type_suffix(unsigned dtype)
{
	return words[dtype].suffix;
}

const char *isa_type_code(unsigned dtype)
{
	return words[dtype].code;
}

const char *isa_stored_type(unsigned dtype)
{
	return words[dtype].stored;
}

static bool is_narrow_float(unsigned dtype)
{
	return dtype == PTOWSP_F16 || dtype == PTOWSP_BF16;
}

const char *isa_scalar_type(unsigned dtype)
{
	if (isa_class(dtype) == 'f')
		return words[dtype].stored;
	return dtype == PTOWSP_U64 ? "uint64_t" : "int64_t";
}

const char *isa_compare_sign(unsigned mode)
{
	static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};

	return signs[mode];
}

/* Shortest decimal that reads back as the same value; what decimals cannot say is made of its bits. */
static struct isa_piece float_literal(uint64_t bits, unsigned dtype)
{
	const double value = isa_double_of(isa_convert_scalar(bits, dtype, PTOWSP_F64));
	const char *suffix = dtype == PTOWSP_F64 ? "" : "f";
	char text[40];

	if (value != value || value - value != 0 || isa_convert_scalar(isa_bits_of_double(value), PTOWSP_F64, dtype) != bits)
		return dtype == PTOWSP_F64 ? isa_piece("isa_double_of(UINT64_C(0x%llX))", (unsigned long long)bits)
					   : isa_piece("isa_float_of(0x%llXu)", (unsigned long long)bits);
	for (int digits = 1; digits <= 17; digits++) {
		common_decimal_print(text, sizeof(text), 'g', digits, value);
		if (isa_convert_scalar(isa_bits_of_double(common_decimal_double(text, NULL)), PTOWSP_F64, dtype) == bits)
			break;
	}
	return isa_piece("%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", suffix);
}

static struct isa_piece integer_literal(uint64_t value, unsigned dtype)
{
	if (dtype == PTOWSP_U64)
		return value > INT64_MAX ? isa_piece("%lluu", (unsigned long long)value) : isa_piece("%llu", (unsigned long long)value);
	if (value == UINT64_C(1) << 63)
		return isa_piece("INT64_MIN");
	return (int64_t)value < 0 ? isa_piece("(%lld)", (long long)(int64_t)value) : isa_piece("%lld", (long long)(int64_t)value);
}

struct isa_piece isa_literal(uint64_t bits, unsigned dtype)
{
	if (isa_class(dtype) != 'f')
		return integer_literal(bits, dtype);
	return is_narrow_float(dtype) ? isa_piece("0x%04llX", (unsigned long long)bits) : float_literal(bits, dtype);
}

static bool is_literal(const struct isa_emitter *e, uint32_t row)
{
	return e->p->scalars[row].kind == PTOWSP_SCALAR_CONST;
}

struct isa_piece isa_scalar_text(struct isa_emitter *e, uint32_t row)
{
	if (is_literal(e, row))
		return isa_literal(e->p->initial[row], e->p->scalars[row].dtype);
	e->scalar_used[row] = true;
	return isa_piece("%s", isa_scalar_name(e, row));
}

struct isa_piece isa_scalar_i64(struct isa_emitter *e, uint32_t row)
{
	const struct isa_piece text = isa_scalar_text(e, row);

	return e->p->scalars[row].dtype == PTOWSP_U64 ? isa_piece("(int64_t)%s", text.text) : text;
}

struct isa_piece isa_scalar_condition(struct isa_emitter *e, uint32_t row)
{
	const unsigned dtype = e->p->scalars[row].dtype;
	const struct isa_piece text = isa_scalar_text(e, row);

	return is_narrow_float(dtype) ? isa_piece("(%s & 0x7FFF) != 0", text.text) : isa_piece("%s != 0", text.text);
}

struct isa_piece isa_narrowed(const char *expression, unsigned dtype)
{
	if (dtype == PTOWSP_BOOL)
		return isa_piece("(%s) != 0", expression);
	return isa_piece("(%s)(%s)", words[dtype].stored, expression);
}

/* Floats as they are; of an integer the low bytes. */
struct isa_piece isa_scalar_stored(struct isa_emitter *e, uint32_t row, unsigned dtype)
{
	const struct isa_piece text = isa_scalar_text(e, row);

	if (isa_class(dtype) == 'f' || dtype == e->p->scalars[row].dtype)
		return isa_class(dtype) == 'f' || is_literal(e, row) ? text : isa_piece("(%s)%s", words[dtype].stored, text.text);
	if (is_literal(e, row))
		return isa_literal(isa_scalar_narrow(e->p->initial[row], dtype), dtype);
	return dtype == PTOWSP_BOOL ? isa_piece("(%s != 0)", text.text) : isa_piece("(%s)%s", words[dtype].stored, text.text);
}

struct isa_piece isa_computed(const char *stored, unsigned dtype)
{
	if (is_narrow_float(dtype))
		return isa_piece("isa_get_%s(%s)", words[dtype].suffix, stored);
	return dtype == PTOWSP_BOOL ? isa_piece("(%s != 0)", stored) : isa_piece("%s", stored);
}

static struct isa_piece wide(const char *stored, unsigned dtype)
{
	const struct isa_piece computed = isa_computed(stored, dtype);

	if (isa_class(dtype) == 'f' || dtype == PTOWSP_U32 || dtype == PTOWSP_U64 || dtype == PTOWSP_BOOL)
		return computed;
	return isa_piece("(%s)%s", words[dtype].wide, computed.text);
}

struct isa_piece isa_rounded(const char *expression, unsigned dtype)
{
	if (is_narrow_float(dtype))
		return isa_piece("isa_put_%s(%s)", words[dtype].suffix, expression);
	if (isa_class(dtype) == 'f')
		return isa_piece("%s", expression);
	return isa_narrowed(expression, dtype);
}

/* 1 as it is stored. */
static struct isa_piece one_of(unsigned dtype)
{
	return isa_literal(isa_class(dtype) == 'f' ? isa_convert_scalar(1, PTOWSP_I64, dtype) : 1, dtype);
}

/* Type of the first operand with the letter k; scalars by their class. */
unsigned isa_key_type(const struct isa_emitter *e, uint32_t i)
{
	const struct isa_op *op = isa_op(e->p->insts[i].op);
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, &e->p->insts[i], rows);

	for (unsigned k = 0; k < count; k++)
		if (op->types[k] == 'k')
			return op->operands[k] == 'T' || op->operands[k] == 't' ? e->p->tiles[rows[k]].dtype : e->p->params[rows[k]].dtype;
	return PTOWSP_I64;
}

/* tcvt for which C has a word of its own. */
static bool is_direct(unsigned from, unsigned to, unsigned mode)
{
	if (mode > PTOWSP_ROUND_RINT)
		return false;
	if (isa_class(from) == 'f' && isa_class(to) == 'f')
		return from != to && (from != PTOWSP_F64 || to == PTOWSP_F32);
	if (from == PTOWSP_I32)
		return to == PTOWSP_F32 || to == PTOWSP_F64;
	return from == PTOWSP_F32 && to == PTOWSP_I32;
}

/* The value of bits that a function gave. */
static struct isa_piece of_bits(const char *bits, unsigned dtype)
{
	if (dtype == PTOWSP_F32)
		return isa_piece("isa_float_of(%s)", bits);
	if (dtype == PTOWSP_F64)
		return isa_piece("isa_double_of(%s)", bits);
	return isa_piece("(%s)%s", words[dtype].stored, bits);
}

static struct isa_piece convert(struct isa_emitter *e, uint32_t i, const char *stored)
{
	const struct isa_step *s = &e->p->steps[i];
	const unsigned from = s->a.dtype, to = s->d.dtype;
	const struct isa_piece value = isa_computed(stored, from);
	const char class = isa_class(from);
	struct isa_piece text;

	if (from == to && from != PTOWSP_BOOL && (s->mode == PTOWSP_ROUND_NONE || class != 'f'))
		return isa_piece("%s", stored);
	if (is_direct(from, to, s->mode) && is_narrow_float(to))
		return isa_rounded(value.text, to);
	if (is_direct(from, to, s->mode) && isa_class(to) == 'f')
		return isa_piece("(%s)%s", words[to].computed, value.text);
	e->shuffles = true; /* functions that a compiler has to look through */
	if (is_direct(from, to, s->mode))
		return isa_piece("isa_saturate_i32(rintf(%s))", value.text);
	if (class == 'f')
		text = isa_piece("isa_convert_float(%s, PTOWSP_%s, PTOWSP_%s, %u)", value.text, words[from].code, words[to].code, s->mode);
	else
		text = isa_piece("isa_convert_%s(%s, PTOWSP_%s, %u)", class == 'i' ? "signed" : "unsigned", value.text, words[to].code, s->mode);
	return of_bits(text.text, to);
}

/* One expression under substitution. */
struct filling {
	struct isa_emitter *e;
	uint32_t inst;
	const struct isa_element_texts *texts;
	struct isa_piece out;
	size_t length;
};

static void fill(struct filling *f, const char *text)
{
	const size_t room = sizeof(f->out.text) - f->length;
	const int n = snprintf(f->out.text + f->length, room, "%s", text);

	f->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* Types of the sources, in their order. */
static unsigned source_type(const struct filling *f, unsigned k, unsigned key)
{
	const struct isa_step *s = &f->e->p->steps[f->inst];
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const struct isa_op *op = isa_op(s->op);
	const char *letter = op->operands;
	unsigned at = 0;

	for (; *letter; letter++)
		if (*letter >= 'a' && at++ == k)
			break;
	return *letter == 's' ? key : sources[k]->dtype;
}

/* "$Fsqrt(" up to the bracket. Returns what follows. */
static const char *function_fill(struct filling *f, const char *at, unsigned key)
{
	const bool is_double = key == PTOWSP_F64;
	const size_t length = strcspn(at, "(");
	const struct isa_piece name = isa_piece("%.*s%s", (int)length, at, is_double ? "" : "f");

	fill(f, name.text);
	return at + length;
}

static const char *word_fill(struct filling *f, char kind, const char *at, unsigned key)
{
	const struct isa_step *s = &f->e->p->steps[f->inst];
	const unsigned k = *at >= 'a' && *at <= 'c' ? (unsigned)(*at - 'a') : 0;
	const char *stored = f->texts->source[k].text;

	if (kind == '#')
		fill(f, wide(stored, source_type(f, k, key)).text);
	else if (kind == '@')
		fill(f, stored);
	else if (kind == '?')
		fill(f, isa_scalar_condition(f->e, k == 2 ? s->c.at : k ? s->b.at : s->a.at).text);
	else if (*at == 'F')
		return function_fill(f, at + 1, key);
	else if (*at == 'C')
		fill(f, key == PTOWSP_F64 ? "f64" : "f32");
	else if (*at == 'T')
		fill(f, words[key].suffix);
	else if (*at == 'W')
		fill(f, words[key].wide);
	else if (*at == 'm')
		fill(f, isa_compare_sign(s->mode));
	else if (*at == '1')
		fill(f, one_of(s->d.dtype).text);
	else if (*at == 'n')
		fill(f, isa_piece("%d", isa_width(key) - 1).text);
	else if (*at == 'i')
		fill(f, f->texts->number.text);
	else
		fill(f, isa_computed(stored, source_type(f, k, key)).text);
	return at + 1;
}

/* A word of an expression of elementwise.def; returns what follows. */
static const char *name_fill(struct filling *f, const char *at, unsigned key)
{
	const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (length == 1)
		return word_fill(f, '$', at, key);
	f->e->functions |= !strncmp(at, "tile_", 5);
	if (!strncmp(at, "tile_", 5) && f->e->core && key != PTOWSP_F64)
		fill(f, isa_piece("tile_core_%.*s_f32", (int)length - 5, at + 5).text);
	else if (!strncmp(at, "tile_", 5))
		fill(f, isa_piece("%.*s_%s", (int)length, at, key == PTOWSP_F64 ? "f64" : "f32").text);
	else if (!strncmp(at, "LAST", length))
		word_fill(f, '$', "n", key);
	else if (!strncmp(at, "DIV_", 4) || !strncmp(at, "REM_", 4))
		fill(f, isa_filled(f->e, f->inst, *at == 'D' ? "isa_div_$T($a, $b)" : "isa_rem_$T($a, $b)", key, f->texts).text);
	else
		return function_fill(f, at, key);
	return at + length;
}

/* C to C: operands, (W) and functions become those of the type. */
static struct isa_piece c_filled(struct isa_emitter *e, uint32_t i, const char *expression, unsigned key, const struct isa_element_texts *texts)
{
	struct filling f = {.e = e, .inst = i, .texts = texts};

	f.out.text[0] = '\0';
	for (const char *at = expression; *at;) {
		const char one[2] = {*at, '\0'};
		const bool wraps = !strncmp(at, "(W)", 3);

		if (wraps && at[3] >= 'a' && at[3] <= 'c') {
			at = word_fill(&f, '#', at + 3, key);
		} else if (wraps) {
			fill(&f, isa_piece("(%s)", words[key].wide).text);
			at += 3;
		} else if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')) {
			at = name_fill(&f, at, key);
		} else {
			fill(&f, one);
			at++;
		}
	}
	return f.out;
}

static const char *expression_of(const struct isa_emit_op *op, unsigned key)
{
	switch (isa_class(key)) {
	case 'f': return op->floats;
	case 'i': return op->is_signed;
	case 'u': return op->is_unsigned;
	default: return op->u1;
	}
}

struct isa_piece isa_filled(struct isa_emitter *e, uint32_t i, const char *expression, unsigned key, const struct isa_element_texts *texts)
{
	struct filling f = {.e = e, .inst = i, .texts = texts};

	f.out.text[0] = '\0';
	for (const char *at = expression; *at;)
		if (strchr("$#@", *at) || (*at == '?' && at[1] == 'c')) {
			at = word_fill(&f, *at, at + 1, key);
		} else {
			const char one[2] = {*at++, '\0'};

			fill(&f, one);
		}
	return f.out;
}

struct isa_piece isa_expression(struct isa_emitter *e, uint32_t i, const struct isa_element_texts *texts)
{
	const unsigned key = isa_key_type(e, i);
	const struct isa_emit_op *op = isa_emit_op(e->p->insts[i].op);
	const char *expression = expression_of(op, key);
	const bool stored = expression[0] == '=';
	struct isa_piece piece;

	e->functions |= e->p->insts[i].op == PTOWSP_PTO_TCVT;
	if (e->p->insts[i].op == PTOWSP_PTO_TCVT)
		return convert(e, i, texts->source[0].text);
	if (op->is_c)
		return isa_rounded(c_filled(e, i, expression, key, texts).text, key);
	piece = isa_filled(e, i, expression + stored, key, texts);
	return stored ? piece : isa_rounded(piece.text, key);
}
