/* SPDX-License-Identifier: MIT */
/* builder_value.c - symbols, slots and expressions. */
#include "lang/build.h"

#include "format/format_names.h"

#include <string.h>

/* ---- symbols and slots ----------------------------------------------------------------------------------------------------------- */

static uint32_t slot_add(struct ptowsp_build *b, const char *name, const char *dtype, uint16_t kind)
{
	struct ptowsp_slot_record row = {.kind = kind, .dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype)};

	row.name = build_name(b, BUILD_SLOT, name, b->slot_count);
	*BUILD_PUSH(b, slots, slot) = row;
	return build_handle(b, BUILD_SLOT, b->slot_count - 1);
}

uint32_t ptowsp_build_symbol(struct ptowsp_build *b, const char *name, const char *dtype)
{
	BUILD_CALL(b);
	return slot_add(b, name, dtype, PTOWSP_SLOT_SYMBOL);
}

uint32_t ptowsp_build_slot(struct ptowsp_build *b, const char *name, const char *dtype)
{
	BUILD_CALL(b);
	return slot_add(b, name, dtype, PTOWSP_SLOT_SLOT);
}

uint32_t ptowsp_build_internal(struct ptowsp_build *b, uint32_t slot)
{
	BUILD_CALL(b);
	b->slots[build_row(b, BUILD_SLOT, slot)].flags |= PTOWSP_SLOT_INTERNAL;
	return BUILD_DONE;
}

static uint32_t default_set(struct ptowsp_build *b, uint32_t slot, uint64_t bits)
{
	b->slots[slot].flags |= PTOWSP_SLOT_HAS_DEFAULT;
	b->slots[slot].value = bits;
	return BUILD_DONE;
}

uint32_t ptowsp_build_default(struct ptowsp_build *b, uint32_t slot, const char *text)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_SLOT, slot);

	return default_set(b, row, build_bits(b, b->slots[row].dtype, text));
}

uint32_t ptowsp_build_default_bits(struct ptowsp_build *b, uint32_t slot, uint64_t bits)
{
	BUILD_CALL(b);
	return default_set(b, build_row(b, BUILD_SLOT, slot), bits);
}

/* ---- expressions ------------------------------------------------------------------------------------------------------------------- */

static uint32_t node_add(struct ptowsp_build *b, struct ptowsp_expr_record row)
{
	/* Those of a schedule have rows of their own, as in a source, where the schedule comes last. */
	return b->stated || b->directive_count ? lang_expr_append(&b->tables.exprs, row) : lang_expr_node(&b->tables.exprs, row);
}

uint32_t build_expr(struct ptowsp_build *b, uint32_t handle)
{
	if (handle >> BUILD_ROW_BITS != BUILD_SLOT)
		return build_row(b, BUILD_EXPR, handle);
	return lang_expr_value(&b->tables.exprs, build_row(b, BUILD_SLOT, handle));
}

uint32_t build_constant(struct ptowsp_build *b, int64_t value)
{
	int64_t other;

	for (uint32_t i = 0; b->stated && i < b->tables.exprs.count; i++)
		if (lang_expr_is_const(&b->tables.exprs, i, &other) && other == value)
			return i;
	return lang_expr_const(&b->tables.exprs, (uint64_t)value);
}

static uint16_t node_needs(const struct ptowsp_build *b, const struct ptowsp_expr_record *row)
{
	const uint32_t operands[] = {row->a, row->b, row->c};
	uint16_t depth = 0, flags = 0;

	switch (row->op) {
	case PTOWSP_EXPR_LOOP:
		return (uint16_t)(BUILD_NEEDS_RUN | (row->a + 1));
	case PTOWSP_EXPR_VALUE:
		return b->slots[row->a].kind == PTOWSP_SLOT_SYMBOL ? BUILD_NEEDS_SYMBOL : BUILD_NEEDS_RUN;
	case PTOWSP_EXPR_AXIS:
	case PTOWSP_EXPR_TASK:
	case PTOWSP_EXPR_INSTANCE:
		return BUILD_NEEDS_RUN;
	}
	for (uint32_t i = 0; i < pkg_expr_operands(row->op); i++) {
		uint16_t needs = b->needs[operands[i]];

		flags |= needs & ~BUILD_NEEDS_DEPTH;
		if ((needs & BUILD_NEEDS_DEPTH) > depth)
			depth = needs & BUILD_NEEDS_DEPTH;
	}
	return flags | depth;
}

uint16_t build_needs(struct ptowsp_build *b, uint32_t expr)
{
	while (b->need_count <= expr) {
		uint16_t needs = node_needs(b, &b->tables.exprs.rows[b->need_count]);

		*LANG_PUSH(&b->arena, b->needs, b->need_count, b->need_capacity) = needs;
	}
	return b->needs[expr];
}

uint32_t ptowsp_build_number(struct ptowsp_build *b, int64_t value)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_CONST, .b = (uint32_t)value, .c = (uint32_t)((uint64_t)value >> 32)};

	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_value(struct ptowsp_build *b, uint32_t slot)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_VALUE, .a = build_row(b, BUILD_SLOT, slot)};

	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_loop(struct ptowsp_build *b, uint32_t depth)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_LOOP, .a = depth};

	if (depth >= PTOWSP_NESTING_LIMIT)
		build_refuse(b, "loops nest at most %u deep", PTOWSP_NESTING_LIMIT);
	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_named(struct ptowsp_build *b, const char *loop)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_AXIS, .a = build_code_name(b, build_string(b, loop))};

	if (!row.a)
		build_refuse(b, "the name of the loop is empty");
	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

/* A new division remembers where it was written: it may end a run far from where its value is used. */
static uint32_t place_note(struct ptowsp_build *b, unsigned op, uint32_t before, uint32_t row)
{
	if (row < before || !b->place.line || (op != PTOWSP_EXPR_DIV && op != PTOWSP_EXPR_MOD) || b->tables.exprs.rows[row].op != op)
		return row;
	build_debug(b, 4, row, b->place);
	return row;
}

uint32_t ptowsp_build_expr(struct ptowsp_build *b, const char *op, uint32_t x, uint32_t y, uint32_t z)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = (uint16_t)build_word(b, PKG_WORDS_expr_op, op)};
	uint32_t count = pkg_expr_operands(row.op), given = z ? 3 : y ? 2 : x ? 1 : 0, before;

	if (row.op < PTOWSP_EXPR_TASK)
		build_refuse(b, "%s has a call of its own: number, loop, value or named", op);
	if (given != count)
		build_refuse(b, "%s has %u operand%s, here are %u", op, count, count == 1 ? "" : "s", given);
	row.a = count > 0 ? build_expr(b, x) : 0;
	row.b = count > 1 ? build_expr(b, y) : 0;
	row.c = count > 2 ? build_expr(b, z) : 0;
	before = b->tables.exprs.count;
	return build_handle(b, BUILD_EXPR, place_note(b, row.op, before, node_add(b, row)));
}
