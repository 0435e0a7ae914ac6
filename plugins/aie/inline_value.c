/* SPDX-License-Identifier: MIT */
/* inline_value.c - expressions of inline.def as operations on one element. */
#include "inline_own.h"

#include <stdlib.h>
#include <string.h>
#include "ptowsp/ids.h"

enum { DEEP = 8, WORD = 24 };

static const struct word {
	const char *word, *of[3];
	uint32_t predicate[3];
} words[] = {
#define X(word, floats, signeds, unsigneds) {word, {floats, signeds, unsigneds}, {0}},
#define Y(word, floats, signeds, unsigneds) {word, {NULL}, {floats, signeds, unsigneds}},
#include "inline_word.def"
#undef X
#undef Y
};

/* ---- from memory and back ----------------------------------------------------------------------------------------------- */

struct aie_value *aie_inline_true(struct aie_inliner *in, struct aie_value *value)
{
	const bool floats = value && aie_inline_is_float(value->type);

	if (!value || (value->type->kind == AIE_TYPE_INT && value->type->bits == 1))
		return value;
	return floats ? aie_inline_compare(in, 13, value, aie_inline_float(in, value->type, 0)) : aie_inline_compare(in, 1, value, aie_inline_int(in, value->type, 0));
}

struct aie_value *aie_inline_widen(struct aie_inliner *in, struct aie_value *stored, unsigned dtype)
{
	const struct aie_type *type = aie_inline_computed(in, dtype);

	if (dtype == PTOWSP_BOOL)
		return aie_inline_unary(in, "arith.extui", type, aie_inline_true(in, stored));
	return stored && stored->type != type ? aie_inline_unary(in, "arith.extf", type, stored) : stored;
}

struct aie_value *aie_inline_narrow(struct aie_inliner *in, struct aie_value *computed, unsigned dtype)
{
	const struct aie_type *type = aie_inline_stored(in, dtype);

	if (!computed || computed->type == type)
		return computed;
	return aie_inline_unary(in, aie_inline_is_float(type) ? "arith.truncf" : "arith.trunci", type, computed);
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

struct stack {
	struct aie_value *values[DEEP];
	uint32_t depth;
};

static struct aie_value *pop(struct stack *stack)
{
	return stack->values[--stack->depth];
}

static void push(struct stack *stack, struct aie_value *value)
{
	stack->values[stack->depth++] = value;
}

/* 0 floats, 1 signed, 2 unsigned: what an operation on the value is. */
static unsigned sort_of(const struct aie_value *value, unsigned key)
{
	return value && aie_inline_is_float(value->type) ? 0 : aie_inline_class(key) == 'i' ? 1 : 2;
}

static const struct word *word_find(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, text))
			return &words[i];
	return NULL;
}

static void word_do(struct aie_inliner *in, const struct aie_inline_element *element, struct stack *stack, const struct word *word)
{
	struct aie_value *b = pop(stack), *a;
	const unsigned sort = sort_of(b, element->key);
	const char *name = word->of[sort];

	if (name && (!strncmp(name, "math.", 5) || !strcmp(name, "arith.negf"))) {
		push(stack, aie_inline_unary(in, name, b ? b->type : NULL, b));
		return;
	}
	a = pop(stack);
	push(stack, name ? aie_inline_binary(in, name, a, b) : aie_inline_compare(in, word->predicate[sort], a, b));
}

static struct aie_value *operand(struct aie_inliner *in, struct aie_inline_element *element, unsigned i)
{
	if (!element->computed[i])
		element->computed[i] = aie_inline_widen(in, element->stored[i], element->dtypes[i]);
	return element->computed[i];
}

static struct aie_value *number(struct aie_inliner *in, const struct aie_inline_element *element, const char *text)
{
	const struct aie_type *type = aie_inline_computed(in, element->key);

	return aie_inline_is_float(type) ? aie_inline_float(in, type, strtod(text, NULL)) : aie_inline_int(in, type, strtoll(text, NULL, 10));
}

/* The number of the element as what is computed with. */
static struct aie_value *place(struct aie_inliner *in, const struct aie_inline_element *element)
{
	const struct aie_type *type = aie_inline_computed(in, element->key);

	if (!aie_inline_is_float(type))
		return aie_inline_unary(in, "arith.index_cast", type, element->number);
	return aie_inline_unary(in, "arith.sitofp", type, aie_inline_unary(in, "arith.index_cast", aie_inline_bits(in, 64), element->number));
}

static void select_do(struct aie_inliner *in, struct stack *stack)
{
	struct aie_value *no = pop(stack), *yes = pop(stack), *condition = pop(stack);

	push(stack, aie_inline_select(in, condition, yes, no));
}

/* 1 or 0 of the type of the result. */
static void mask_do(struct aie_inliner *in, const struct aie_inline_element *element, struct stack *stack)
{
	const struct aie_type *type = aie_inline_stored(in, element->result);
	const bool floats = aie_inline_is_float(type);
	struct aie_value *one = floats ? aie_inline_float(in, type, 1) : aie_inline_int(in, type, 1), *none = floats ? aie_inline_float(in, type, 0) : aie_inline_int(in, type, 0);

	push(stack, aie_inline_select(in, pop(stack), one, none));
}

static void token_do(struct aie_inliner *in, struct aie_inline_element *element, struct stack *stack, const char *text)
{
	static const char *const modes[] = {"==", "!=", "<", "<=", ">", ">="}; /* PTOWSP_COMPARE_x */
	const struct word *word = word_find(!strcmp(text, "mode") ? modes[element->mode % 6] : text);
	const bool letter = text[1] == 0;

	if (word)
		word_do(in, element, stack, word);
	else if (letter && *text >= 'a' && *text <= 'c')
		push(stack, operand(in, element, (unsigned)(*text - 'a')));
	else if (letter && *text >= 'A' && *text <= 'C')
		push(stack, element->stored[*text - 'A']);
	else if (letter && *text == 'x')
		push(stack, element->carried);
	else if (letter && *text == 'i')
		push(stack, place(in, element));
	else if (letter && *text == 'n')
		push(stack, aie_inline_int(in, aie_inline_stored(in, element->key), 8 * (int64_t)isa_dtype_bytes(element->key) - 1));
	else if (letter && *text == '?')
		select_do(in, stack);
	else if (!strcmp(text, "true"))
		push(stack, aie_inline_true(in, pop(stack)));
	else if (!strcmp(text, "mask"))
		mask_do(in, element, stack);
	else
		push(stack, number(in, element, text));
}

struct aie_value *aie_inline_expression(struct aie_inliner *in, struct aie_inline_element *element, const char *text)
{
	struct stack stack = {.depth = 0};
	char word[WORD];

	text += *text == '=';
	while (*text) {
		const size_t length = strcspn(text, " ");

		memcpy(word, text, length);
		word[length] = 0;
		token_do(in, element, &stack, word);
		text += length;
		text += *text == ' ';
	}
	return pop(&stack);
}
