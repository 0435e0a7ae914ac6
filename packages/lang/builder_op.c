/* SPDX-License-Identifier: MIT */
/* builder_op.c - instructions of portable kernels. */
#include "lang/build.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

struct ptowsp_tile_inst *build_tile_inst(struct ptowsp_build *b, unsigned op)
{
	struct ptowsp_tile_inst *inst = lang_tile_inst_add(b->body.code, op, b->place.line);

	if (!inst)
		build_refuse(b, "a body has at most %u instructions", LANG_MAX_INSTRUCTIONS);
	return inst;
}

static uint16_t scalar_row(struct ptowsp_build *b, uint32_t handle)
{
	uint32_t row;

	if (handle >> BUILD_ROW_BITS == BUILD_PARAM) {
		row = build_tile_param(b, handle);
		if (b->params[row].record.kind == PTOWSP_PARAM_SCALAR)
			return (uint16_t)build_tile_argument(b, row);
		build_refuse(b, "parameter %.80s is a tensor, a scalar is needed", build_text(b, b->params[row].record.name));
	}
	row = build_row(b, BUILD_SCALAR, handle);
	if (row < b->body.scalar_first)
		build_refuse(b, "the scalar belongs to another body");
	return (uint16_t)(row - b->body.scalar_first);
}

static uint16_t operand_row(struct ptowsp_build *b, uint32_t handle, char letter)
{
	uint32_t row;

	switch (letter) {
	case 'T':
	case 't':
		row = build_row(b, BUILD_TILE, handle);
		if (row < b->body.tile_first)
			build_refuse(b, "the tile belongs to another body: each body declares its own");
		return (uint16_t)(row - b->body.tile_first);
	case 'M':
	case 'm':
		row = build_tile_param(b, handle);
		if (b->params[row].record.kind != PTOWSP_PARAM_TENSOR)
			build_refuse(b, "parameter %.80s is a scalar, a tensor is needed", build_text(b, b->params[row].record.name));
		return (uint16_t)b->params[row].number;
	default:
		row = scalar_row(b, handle);
		if (letter == 'S' && b->body.code->scalars[row].kind == PTOWSP_SCALAR_CONST)
			build_refuse(b, "a literal cannot be set");
		return (uint16_t)row;
	}
}

static void count_refuse(struct ptowsp_build *b, const char *mnemonic, const char *letters, uint32_t count)
{
	char text[64] = ""; /* of six operands at most */

	for (size_t i = 0, used = 0; letters[i]; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 strchr("Tt", letters[i]) ? "tile" : strchr("Mm", letters[i]) ? "memref" : "scalar");
	build_refuse(b, "%s has %zu operands%s%s, here are %u", mnemonic, strlen(letters), *text ? ": " : "", text, count);
}

uint32_t ptowsp_build_op(struct ptowsp_build *b, const char *mnemonic, uint32_t mode, const uint32_t *operands, uint32_t count)
{
	BUILD_CALL(b);
	int op = mnemonic ? isa_op_find(mnemonic, strlen(mnemonic)) : -1;
	uint16_t rows[6] = {0};
	const char *letters, *why;
	struct ptowsp_tile_inst *inst;

	build_tile_code(b);
	if (op < 0)
		build_refuse(b, "\"%.40s\" is no opcode of the tile ISA (pto_ops.def)", mnemonic ? mnemonic : "");
	if (op == PTOWSP_PTO_CALL)
		build_refuse(b, "CALL is never in a package: state what is called in its place");
	letters = isa_op((unsigned)op)->operands;
	if (strlen(letters) != count || (count && !operands))
		count_refuse(b, mnemonic, letters, operands ? count : 0);
	if (mode > UINT8_MAX)
		build_refuse(b, "%s has no mode %u", mnemonic, mode);
	for (uint32_t i = 0; i < count; i++)
		rows[i] = operand_row(b, operands[i], letters[i]);
	inst = build_tile_inst(b, (unsigned)op);
	inst->mode = (uint8_t)mode;
	lang_tile_operands_set(inst, letters, rows, count);
	why = lang_tile_control(b->body.code);
	if (why)
		build_refuse(b, "%s", why);
	return BUILD_DONE;
}
