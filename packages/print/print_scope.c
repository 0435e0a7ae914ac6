/* SPDX-License-Identifier: MIT */
#include "print/print_scope.h"
#include "print/print_text.h"

#include "format/format_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 64 /* operands inside operands */

void print_scope_init(struct print_scope *s)
{
	size_t slots = (size_t)s->job->t->slot_count + 1;

	s->function = print_string(s->job, s->job->t->entry[s->entry].name);
	s->symbols = calloc(slots, 1);
	s->slots = calloc(slots, sizeof(*s->slots));
	s->body.out.failed = !s->symbols || !s->slots;
}

void print_scope_finish(struct print_scope *s)
{
	free(s->symbols);
	free(s->slots);
	print_text_finish(&s->body);
	print_text_finish(&s->helpers);
}

const char *print_opcode(unsigned opcode)
{
	const char *word = pkg_word(PKG_WORDS_opcode, opcode);

	return word ? word : "an instruction that is not known";
}

/* --- names --- */

/* "@f.x" is x in f. */
static const char *slot_name(const struct print_scope *s, uint32_t slot)
{
	const struct ptowsp_slot_record *record = &s->job->t->slot[slot];
	const char *name = print_string(s->job, record->name);
	size_t length = strlen(s->function);

	if (record->kind != PTOWSP_SLOT_SLOT || !(record->flags & PTOWSP_SLOT_INTERNAL) || record->value || *name != '@' ||
	    strncmp(name + 1, s->function, length) != 0 || name[1 + length] != '.' || !lang_name_is_plain(name + 2 + length))
		return NULL;
	return name + 2 + length;
}

const char *print_slot_of(struct print_scope *s, uint32_t slot)
{
	const char *name = slot_name(s, slot);

	if (name && !s->slots[slot])
		s->slots[slot] = 1;
	return name;
}

bool print_is_own_start(struct print_scope *s, uint32_t slot, uint32_t row, uint32_t at)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	const char *name = slot_name(s, slot);

	if (e->op != PTOWSP_EXPR_VALUE || s->job->t->slot[e->a].kind != PTOWSP_SLOT_SYMBOL || !name ||
	    strcmp(print_symbol_name(s->job, s->function, e->a), name) != 0)
		return false;
	s->symbols[e->a] |= 1;
	s->slots[slot] = 2 + at;
	return true;
}

bool print_is_taken_over(struct print_scope *s, uint32_t row, const char *callee, const char *name)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];

	if (e->op != PTOWSP_EXPR_VALUE || s->job->t->slot[e->a].kind != PTOWSP_SLOT_SYMBOL || strcmp(print_symbol_name(s->job, callee, e->a), name) != 0)
		return false;
	s->symbols[e->a] |= 1;
	return true;
}

/* --- values --- */

static struct print_value value_make(int name, const char *text)
{
	struct print_value value = {.name = name};

	snprintf(value.text, sizeof(value.text), "%s%s", name ? "%" : "", text);
	return value;
}

const char *print_bare(const struct print_value *value)
{
	return value->text + (value->name != 0);
}

static int64_t constant_of(const struct ptowsp_expr_record *e)
{
	return (int64_t)((uint64_t)e->c << 32 | e->b);
}

struct print_value print_loop_of(struct print_scope *s, uint32_t depth)
{
	if (depth < s->loop_count)
		return value_make(1, s->loops[depth]);
	print_inexpressible(&s->body, s->depth, "the value of a loop %lu deep", (unsigned long)depth);
	return value_make(0, "0");
}

/* A new scalar; its statement begins, the caller ends it. */
static struct print_value helper_begin(struct print_scope *s, const char *statement, unsigned dtype)
{
	struct print_value value;
	char name[40];

	snprintf(name, sizeof(name), "%s%lu", s->job->helper, (unsigned long)++s->helper_count);
	value = value_make(1, name);
	print_add(&s->helpers, "  %%%s = alloc_scalar : %s", name, print_dtype(dtype));
	print_end(&s->helpers);
	print_indent(&s->body, s->depth);
	print_add(&s->body, "%s %%%s:%s, ", statement, name, print_annotation(dtype));
	return value;
}

static struct print_value slot_value(struct print_scope *s, uint32_t slot)
{
	const char *name = s->job->t->slot[slot].kind == PTOWSP_SLOT_SYMBOL ? print_symbol_name(s->job, s->function, slot) : print_slot_of(s, slot);

	if (!name || !lang_name_is_plain(name)) {
		print_inexpressible(&s->body, s->depth, "the slot \"%.80s\"", print_string(s->job, s->job->t->slot[slot].name));
		return value_make(0, "0");
	}
	if (s->job->t->slot[slot].kind == PTOWSP_SLOT_SYMBOL)
		s->symbols[slot] = 3;
	return value_make(1, name);
}

/* The statement that computes a node of two operands, NULL: none does. */
static const char *statement_of(unsigned op, const char **mode_out)
{
	static const struct {
		uint16_t op;
		const char *statement, *mode;
	} statements[] = {{PTOWSP_EXPR_ADD, "ADD", ""},    {PTOWSP_EXPR_SUB, "SUB", ""},    {PTOWSP_EXPR_MUL, "MUL", ""},    {PTOWSP_EXPR_DIV, "DIV", ""},
			  {PTOWSP_EXPR_EQ, "CMP", ", EQ"}, {PTOWSP_EXPR_NE, "CMP", ", NE"}, {PTOWSP_EXPR_LT, "CMP", ", LT"}, {PTOWSP_EXPR_LE, "CMP", ", LE"},
			  {PTOWSP_EXPR_GT, "CMP", ", GT"}, {PTOWSP_EXPR_GE, "CMP", ", GE"}};

	*mode_out = "";
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (statements[i].op == op) {
			*mode_out = statements[i].mode;
			return statements[i].statement;
		}
	return NULL;
}

/* Slots inside of an expression would make its helper a slot, too. */
static int reads_slot(const struct print_scope *s, uint32_t row)
{
	return s->job->index.exprs[row] & PRINT_READS_SLOT;
}

static struct print_value node_value(struct print_scope *s, uint32_t row, uint32_t depth);

/* Integers in statements say their type: an expression has 64 bits. */
static void operand_add(struct print_scope *s, const struct print_value *value)
{
	print_add(&s->body, "%s%s", value->text, value->name ? "" : ":idx");
}

/* A helper that an earlier statement of an open block computes. */
static struct print_value helper_known(const struct print_scope *s, uint32_t row)
{
	struct print_value value = {.name = 0};
	char name[40];

	for (uint32_t i = 0; i < s->known_count; i++)
		if (s->known[i] == row) {
			snprintf(name, sizeof(name), "%s%lu", s->job->helper, (unsigned long)s->known_number[i]);
			value = value_make(1, name);
		}
	return value;
}

static void helper_remember(struct print_scope *s, uint32_t row, uint32_t number)
{
	if (s->known_count == sizeof(s->known) / sizeof(s->known[0]))
		return;
	s->known[s->known_count] = row;
	s->known_number[s->known_count++] = number;
}

static struct print_value binary_value(struct print_scope *s, uint32_t row, uint32_t depth)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	const char *mode, *statement = statement_of(e->op, &mode);
	struct print_value a, b, value = helper_known(s, row);

	if (value.name)
		return value;

	if (!statement || depth > DEEPEST) {
		print_inexpressible(&s->body, s->depth, "the operator %s", pkg_word(PKG_WORDS_expr_op, e->op));
		return value_make(0, "0");
	}
	a = node_value(s, e->a, depth + 1);
	b = node_value(s, e->b, depth + 1);
	value = helper_begin(s, statement, *mode ? PTOWSP_BOOL : PTOWSP_I64);
	operand_add(s, &a);
	print_add(&s->body, ", ");
	operand_add(s, &b);
	print_add(&s->body, "%s", mode);
	print_end_of(s->job, &s->body, 4, row);
	helper_remember(s, row, s->helper_count);
	return value;
}

static struct print_value node_value(struct print_scope *s, uint32_t row, uint32_t depth)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	char number[40];

	switch (e->op) {
	case PTOWSP_EXPR_CONST: snprintf(number, sizeof(number), "%" PRId64, constant_of(e)); return value_make(0, number);
	case PTOWSP_EXPR_LOOP: return print_loop_of(s, e->a);
	case PTOWSP_EXPR_VALUE: return slot_value(s, e->a);
	default: return binary_value(s, row, depth);
	}
}

struct print_value print_value_of(struct print_scope *s, uint32_t row)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];

	if (e->op != PTOWSP_EXPR_VALUE && reads_slot(s, row))
		print_inexpressible(&s->body, s->depth, "an expression of slots where it stands");
	return node_value(s, row, 0);
}

struct print_value print_constant_of(struct print_scope *s, uint64_t bits, unsigned dtype)
{
	char number[40];
	struct print_value value;

	if (print_number(number, bits, dtype))
		return value_make(0, number);
	if (dtype <= PTOWSP_F64) {
		print_inexpressible(&s->body, s->depth, "the %s with the bits 0x%" PRIx64, print_dtype(dtype), bits);
		return value_make(0, "0");
	}
	value = helper_begin(s, "LI", PTOWSP_I64); /* wider than its type: arguments of tasks are not cut */
	print_add(&s->body, "%" PRId64 ":idx", (int64_t)bits);
	print_end(&s->body);
	return value;
}

struct print_value print_scalar_of(struct print_scope *s, uint32_t row, unsigned dtype)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	const uint32_t integer = print_float_of(s->job->t, row, dtype);

	return e->op == PTOWSP_EXPR_CONST ? print_constant_of(s, (uint64_t)constant_of(e), dtype) : print_value_of(s, integer == PTOWSP_NONE ? row : integer);
}

struct print_value print_condition_of(struct print_scope *s, uint32_t row, uint32_t *bit_out)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row], *mask = e->op == PTOWSP_EXPR_AND ? &s->job->t->expr[e->b] : NULL;
	uint64_t bits = mask && mask->op == PTOWSP_EXPR_CONST ? (uint64_t)constant_of(mask) : 0;
	struct print_value value;

	*bit_out = 64;
	if (bits && !(bits & (bits - 1)))
		for (*bit_out = 0; bits >> *bit_out != 1;)
			++*bit_out;
	value = print_value_of(s, *bit_out < 64 ? e->a : row);
	if (!value.name)
		strcat(value.text, ":idx");
	return value;
}

/* --- statements --- */

static void plain_assign(struct print_scope *s, const char *name, unsigned dtype, uint32_t row)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	char number[40];

	if (e->op == PTOWSP_EXPR_CONST && print_number(number, (uint64_t)constant_of(e), dtype)) {
		print_indent(&s->body, s->depth);
		print_add(&s->body, "LI %%%s:%s, %s%s", name, print_annotation(dtype), print_is_spelled(number) ? "%" : "", number);
	} else {
		struct print_value value = node_value(s, row, 0);

		print_indent(&s->body, s->depth);
		print_add(&s->body, "%s %%%s:%s, ", value.name ? "MOV" : "LI", name, print_annotation(dtype));
		operand_add(s, &value);
	}
}

void print_assignment(struct print_scope *s, const char *name, unsigned dtype, uint32_t row, uint32_t at)
{
	const struct ptowsp_expr_record *e = &s->job->t->expr[row];
	const char *mode, *statement = statement_of(e->op, &mode);
	struct print_divisions divisions = {.count = 0};

	if (!statement) {
		plain_assign(s, name, dtype, row);
	} else {
		struct print_value a = print_value_of(s, e->a), b = print_value_of(s, e->b);

		print_indent(&s->body, s->depth);
		print_add(&s->body, "%s %%%s:%s, ", statement, name, print_annotation(dtype));
		operand_add(s, &a);
		print_add(&s->body, ", ");
		operand_add(s, &b);
		print_add(&s->body, "%s", mode);
	}
	/* The statement DIV is a division without an operator. */
	if (e->op == PTOWSP_EXPR_DIV)
		print_division_add(s->job, &divisions, row);
	print_end_with(s->job, &s->body, 0, at, &divisions);
}

void print_unread(struct print_scope *s, uint32_t slot)
{
	struct print_value symbol = slot_value(s, slot);

	helper_begin(s, "MOV", s->job->t->slot[slot].dtype);
	print_add(&s->body, "%s", symbol.text);
	print_end(&s->body);
}

/* --- the head --- */

/* A symbol that only callees take over needs no parameter here. */
static void symbols_add(struct print_scope *s, struct print_text *text, uint32_t before)
{
	for (uint32_t i = 0; i < s->job->t->slot_count; i++)
		if (s->symbols[i] & 2)
			print_add(text, "%s%%%s: %s", before++ ? ", " : "", print_symbol_name(s->job, s->function, i), print_dtype(s->job->t->slot[i].dtype));
}

void print_scope_head(struct print_scope *s, struct print_text *text, uint32_t memrefs)
{
	symbols_add(s, text, memrefs);
	print_add(text, ") {");
	print_end_of(s->job, text, 2, s->entry);
	for (uint32_t i = 0; i < s->job->t->slot_count; i++)
		if (s->slots[i]) {
			print_add(text, "  %%%s = alloc_scalar : %s", slot_name(s, i), print_dtype(s->job->t->slot[i].dtype));
			if (s->slots[i] > 1)
				print_end_of(s->job, text, 0, s->slots[i] - 2);
			else
				print_end(text);
		}
	print_unused(s->job, text, s->entry);
	print_append(text, &s->helpers);
}
