/* SPDX-License-Identifier: MIT */
/* print_tile.c - instructions of portable kernels: tile operations, scalar operations, control. */
#include "print/print_tile.h"

#include "isa/isa.h"

#include <stdbool.h>
#include <string.h>

static const struct mode {
	uint8_t op, mode;
	const char *attribute, *word;
} modes[] = {
#define X(op, attribute, word, mode) {PTOWSP_PTO_##op, mode, attribute, word},
#include "lang/modes.def"
#undef X
};

static const struct mode *mode_of(const struct ptowsp_tile_inst *inst)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i].op == inst->op && modes[i].mode == inst->mode)
			return &modes[i];
	return NULL;
}

/* --- operands --- */

static bool is_literal(const struct print_kernel *k, uint16_t row)
{
	return k->scalars[row].kind == PTOWSP_SCALAR_CONST;
}

static void literal_add(const struct print_kernel *k, uint16_t row, const char *sign)
{
	const struct ptowsp_tile_scalar *s = &k->scalars[row];
	char number[40];

	if (print_number(number, s->value, s->dtype)) {
		print_add(k->text, "%s%s", print_is_spelled(number) ? "%" : sign, number);
		return;
	}
	print_add(k->text, "%s0 ", sign);
	print_inexpressible(k->text, 0, "the %s with the bits 0x%llx", print_dtype(s->dtype), (unsigned long long)s->value);
}

static void scalar_add(const struct print_kernel *k, uint16_t row, const char *sign)
{
	if (is_literal(k, row))
		literal_add(k, row, sign);
	else
		print_add(k->text, "%%%s", print_string(k->job, k->scalars[row].name));
}

static void memref_add(const struct print_kernel *k, uint16_t row)
{
	print_add(k->text, "%%%s", print_string(k->job, k->params[row].name));
}

static void tile_add(const struct print_kernel *k, uint16_t row)
{
	print_add(k->text, "%%%s", print_string(k->job, k->tiles[row].name));
}

/* Scalars behind a memref, and those of textract, are indices in brackets. */
static unsigned indices_behind(const struct ptowsp_tile_inst *inst, const char *letters, unsigned k)
{
	if (letters[k] == 'm' || letters[k] == 'M' || (inst->op == PTOWSP_PTO_TEXTRACT && letters[k] == 't'))
		return (unsigned)strspn(letters + k + 1, "s");
	return 0;
}

static void indices_add(const struct print_kernel *k, const uint16_t *rows, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		print_add(k->text, "%s", i ? ", " : "[");
		scalar_add(k, rows[i], "");
	}
	print_add(k->text, "%s", count ? "]" : "");
}

static void operand_add(const struct print_kernel *k, char letter, uint16_t row)
{
	switch (letter) {
	case 'T':
	case 't': tile_add(k, row); break;
	case 'S':
	case 's': scalar_add(k, row, "%"); break;
	default: memref_add(k, row);
	}
}

/* --- tile operations --- */

void print_tile_type(struct print_text *text, const struct ptowsp_tile_tile *t)
{
	print_add(text, "!pto.tile<%lux%lux%s", (unsigned long)t->rows, (unsigned long)t->columns, print_dtype(t->dtype));
	if (t->space != PTOWSP_SPACE_UB)
		print_add(text, ",%s", print_space(t->space));
	print_add(text, ">");
}

static bool types_equal(const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->dtype == b->dtype && a->space == b->space;
}

/* ": T" where all tiles have one type, ": (T, T) -> T" where all sources are tiles; else nothing, for the types are declared. */
static void types_add(const struct print_kernel *k, const char *letters, const uint16_t *rows)
{
	const struct ptowsp_tile_tile *dst = NULL, *src[4];
	unsigned tiles = 0, others = 0, results = 0;
	int one = 1;

	for (unsigned i = 0; letters[i]; i++)
		if (letters[i] == 't' && tiles < 4)
			src[tiles++] = &k->tiles[rows[i]];
		else if (letters[i] == 'T' && !results++)
			dst = &k->tiles[rows[i]];
		else
			others++;
	for (unsigned i = 0; dst && i < tiles; i++)
		one &= types_equal(dst, src[i]);
	if (!dst || results > 1 || (!one && (others || !tiles)))
		return;
	print_add(k->text, " : ");
	for (unsigned i = 0; i < tiles && !one; i++) {
		print_add(k->text, "%s", !i && tiles > 1 ? "(" : i ? ", " : "");
		print_tile_type(k->text, src[i]);
	}
	print_add(k->text, "%s", one ? "" : tiles > 1 ? ") -> " : " -> ");
	print_tile_type(k->text, dst);
}

static void load_types_add(const struct print_kernel *k, const uint16_t *rows)
{
	uint32_t tensor = print_tensor_of(k->job, k->entry, rows[1]);

	print_add(k->text, " : (!pto.memref<%s,...,%s>, index, index) -> ",
		  print_space(tensor == PTOWSP_NONE ? PTOWSP_SPACE_GM : k->job->t->tensor[tensor].location), print_dtype(k->params[rows[1]].dtype));
	print_tile_type(k->text, &k->tiles[rows[0]]);
}

static void mnemonic_add(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct mode *mode = inst->mode ? mode_of(inst) : NULL;

	print_add(k->text, "%s", isa_op(inst->op)->mnemonic);
	if (mode && !*mode->attribute)
		print_add(k->text, ".%s", mode->word);
}

static void attribute_add(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct mode *mode = mode_of(inst);
	int compares = inst->op == PTOWSP_PTO_TCMP || inst->op == PTOWSP_PTO_TCMPS;

	if (mode && *mode->attribute && (inst->mode || compares))
		print_add(k->text, " {%s = %s}", mode->attribute, mode->word);
	if (!mode && inst->mode) {
		print_end(k->text);
		print_inexpressible(k->text, k->depth, "mode %u of %s", inst->mode, isa_op(inst->op)->mnemonic);
	}
}

/* Results before the sign; setval and tassign take the tile that they change as an operand. */
static void tile_op_print(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands, *separator = " ";
	int changes = inst->op == PTOWSP_PTO_SETVAL || inst->op == PTOWSP_PTO_TASSIGN;
	unsigned results = changes ? 0 : (unsigned)strspn(letters, "TS");
	uint16_t rows[ISA_OPERANDS_MAX];
	unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);

	for (unsigned i = 0; i < results; i++) {
		print_add(k->text, "%s", i ? ", " : "");
		operand_add(k, letters[i], rows[i]);
	}
	print_add(k->text, "%s", results ? " = " : "");
	mnemonic_add(k, inst);
	for (unsigned i = results; i < count; i++) {
		unsigned indices = indices_behind(inst, letters, i);

		print_add(k->text, "%s", separator);
		operand_add(k, letters[i], rows[i]);
		indices_add(k, rows + i + 1, indices);
		i += indices;
		separator = ", ";
	}
	attribute_add(k, inst);
	if (inst->op == PTOWSP_PTO_TLOAD)
		load_types_add(k, rows);
	else if (!changes)
		types_add(k, letters, rows);
}

/* --- scalars and control --- */

/* bare: the number takes its type from what it stands with. */
static void typed_add(const struct print_kernel *k, uint16_t row, int bare)
{
	scalar_add(k, row, "");
	if (!bare || !is_literal(k, row))
		print_add(k->text, ":%s", print_annotation(k->scalars[row].dtype));
}

/* ADD %d:i32, %a:i32, 1; LOAD %x:f32, %m[%i] */
static void scalar_op_print(const struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands;
	const struct mode *mode = mode_of(inst);
	uint16_t rows[ISA_OPERANDS_MAX];
	unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);
	int bit = inst->op == PTOWSP_PTO_IF && inst->mode;

	print_add(k->text, "%s", bit ? "IF_BIT" : isa_op(inst->op)->mnemonic);
	for (unsigned i = 0; i < count; i++) {
		unsigned indices = indices_behind(inst, letters, i);

		print_add(k->text, "%s", i ? ", " : " ");
		if (letters[i] == 'S' || letters[i] == 's')
			typed_add(k, rows[i], inst->op == PTOWSP_PTO_LI && k->scalars[rows[0]].dtype == k->scalars[rows[i]].dtype);
		else
			memref_add(k, rows[i]);
		indices_add(k, rows + i + 1, indices);
		i += indices;
	}
	if (inst->op == PTOWSP_PTO_CMP && mode)
		print_add(k->text, ", %s", mode->word);
	else if (bit)
		print_add(k->text, ", %u", inst->mode - 1u);
}

void print_tile_inst(struct print_kernel *k, const struct ptowsp_tile_inst *inst)
{
	int closes = inst->op == PTOWSP_PTO_ENDFOR || inst->op == PTOWSP_PTO_ENDWHILE || inst->op == PTOWSP_PTO_ENDIF;
	int turns = inst->op == PTOWSP_PTO_ELSE || inst->op == PTOWSP_PTO_DO;

	k->depth -= (uint32_t)closes;
	print_indent(k->text, k->depth - (uint32_t)turns);
	if (inst->op >= PTOWSP_PTO_ADD && inst->op <= PTOWSP_PTO_RETURN)
		scalar_op_print(k, inst);
	else
		tile_op_print(k, inst);
	print_end_at(k->text, (struct print_place){.line = closes || inst->op == PTOWSP_PTO_ELSE ? 0 : inst->line}, NULL, 0, NULL);
	k->depth += inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE || inst->op == PTOWSP_PTO_IF;
}
