/* SPDX-License-Identifier: MIT */
#include "registry/common/common_tile.h"

#include <stdio.h>
#include <string.h>

#include "ptowsp/tile.h"
#include "registry/common/common_dtype.h"

/* The columns of pto_ops.def that say what an operand is. */
struct op {
	const char *mnemonic, *operands, *types;
};
static const struct op ops[COMMON_TILE_OPS] = {
	[0] = {"operations", "", ""},
#define X(NAME, code, mnemonic, operands, shape, keys, types, cost, effect) [code] = {mnemonic, operands, types},
#include "ptowsp/pto_ops.def"
#undef X
};

const char *common_tile_op_text(unsigned op)
{
	return op < COMMON_TILE_OPS ? ops[op].mnemonic : NULL;
}

void common_tile_rows_find(struct common_tile_rows *rows_out, const void *rows, uint32_t count, uint32_t stride)
{
	memset(rows_out, 0, sizeof(*rows_out));
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_cap *row = (const void *)((const char *)rows + (size_t)i * stride);
		const struct ptowsp_cap **best = common_tile_is_feature(row->feature) ? &rows_out->of[row->feature & 0xFF] : NULL;

		if (best && (!*best || (*best)->state < row->state))
			*best = row;
	}
	for (unsigned op = 1; op < COMMON_TILE_OPS; op++)
		rows_out->of[op] = rows_out->of[op] ? rows_out->of[op] : rows_out->of[0];
}

/* The tables of a payload, which may lie at any address. */
struct program {
	struct ptowsp_tile_header header;
	const unsigned char *params, *tiles, *scalars, *insts;
};

static bool program_read(struct program *p, const void *payload, size_t size)
{
	const unsigned char *at = (const unsigned char *)payload + sizeof(p->header);
	uint64_t end;

	if (!payload || size < sizeof(p->header))
		return false;
	memcpy(&p->header, payload, sizeof(p->header));
	p->params = at;
	end = sizeof(p->header) + p->header.param_count * (uint64_t)sizeof(struct ptowsp_tile_param);
	end += p->header.tile_count * (uint64_t)sizeof(struct ptowsp_tile_tile) + p->header.scalar_count * (uint64_t)sizeof(struct ptowsp_tile_scalar);
	end += p->header.inst_count * (uint64_t)sizeof(struct ptowsp_tile_inst);
	if (p->header.magic != PTOWSP_TILE_MAGIC || p->header.version != PTOWSP_TILE_VERSION || end > size)
		return false;
	p->tiles = p->params + p->header.param_count * sizeof(struct ptowsp_tile_param);
	p->scalars = p->tiles + p->header.tile_count * sizeof(struct ptowsp_tile_tile);
	p->insts = p->scalars + p->header.scalar_count * sizeof(struct ptowsp_tile_scalar);
	return true;
}

/* The type that an operand asks for, PTOWSP_NONE where it asks for none: integers as scalars and literals are everywhere. elements: of a tile. */
static uint32_t operand_type(const struct program *p, char letter, uint16_t row, uint64_t *elements)
{
	struct ptowsp_tile_tile tile;
	struct ptowsp_tile_scalar scalar;
	struct ptowsp_tile_param param;

	switch (letter) {
	case 'T':
	case 't':
		if (row >= p->header.tile_count)
			return PTOWSP_NONE;
		memcpy(&tile, p->tiles + row * sizeof(tile), sizeof(tile));
		if (*elements < (uint64_t)tile.rows * tile.columns)
			*elements = (uint64_t)tile.rows * tile.columns;
		return tile.dtype;
	case 'S':
	case 's':
		if (row >= p->header.scalar_count)
			return PTOWSP_NONE;
		memcpy(&scalar, p->scalars + row * sizeof(scalar), sizeof(scalar));
		return scalar.kind != PTOWSP_SCALAR_CONST && common_dtype_class(scalar.dtype) == 'f' ? scalar.dtype : PTOWSP_NONE;
	default:
		if (row >= p->header.param_count)
			return PTOWSP_NONE;
		memcpy(&param, p->params + row * sizeof(param), sizeof(param));
		return param.dtype;
	}
}

/* Types that are no bit of a row are not what it has. */
static bool has_type(const struct ptowsp_cap *row, uint32_t dtype)
{
	return dtype == PTOWSP_NONE || !row->bits || (dtype < 64 && row->bits >> dtype & 1);
}

static void types_say(const struct ptowsp_cap *row, struct common_tile_lack *lack)
{
	size_t length = strlen(lack->text);

	for (unsigned dtype = 0; dtype < 64 && common_dtype(dtype) && length < sizeof(lack->text); dtype++)
		if (row->bits >> dtype & 1)
			length += (size_t)snprintf(lack->text + length, sizeof(lack->text) - length, " %s", common_dtype_text(dtype));
}

static void lack_say(struct common_tile_lack *lack, const struct ptowsp_cap *row, uint64_t elements)
{
	const char *name = common_tile_op_text(lack->op);
	char line[24] = "";

	if (lack->line)
		snprintf(line, sizeof(line), ", line %u", lack->line);
	if (row->state < PTOWSP_STATE_ENFORCED) {
		snprintf(lack->text, sizeof(lack->text), "%s%s; the device does not have it", name, line);
	} else if (lack->dtype != PTOWSP_NONE) {
		snprintf(lack->text, sizeof(lack->text), "%s of %s%s; the device has it for", name, common_dtype_text(lack->dtype), line);
		types_say(row, lack);
	} else {
		snprintf(lack->text, sizeof(lack->text), "%s of a tile of %llu elements%s; the device has it up to %lld", name, (unsigned long long)elements,
			 line, (long long)row->high);
	}
}

/* A lack of one instruction that is worse than what is known. */
static bool inst_look(const struct program *p, const struct ptowsp_cap *row, const struct ptowsp_tile_inst *inst, struct common_tile_lack *lack)
{
	const uint16_t destinations[] = {inst->d, inst->e}, sources[] = {inst->a, inst->b, inst->c, inst->f};
	const struct op *op = &ops[inst->op];
	unsigned d = 0, s = 0;
	uint32_t missing = PTOWSP_NONE;
	uint64_t elements = 0;
	uint8_t state = row->state;

	for (const char *letter = op->operands; *letter; letter++) {
		const uint16_t operand = *letter < 'a' ? destinations[d++] : sources[s++];
		const uint32_t dtype = op->types[letter - op->operands] == '-' ? PTOWSP_NONE : operand_type(p, *letter, operand, &elements);

		missing = has_type(row, dtype) ? missing : dtype;
	}
	if (state >= PTOWSP_STATE_ENFORCED && (missing != PTOWSP_NONE || (row->high > 0 && elements > (uint64_t)row->high)))
		state = PTOWSP_STATE_UNSUPPORTED;
	if (state >= lack->state)
		return false;
	*lack = (struct common_tile_lack){inst->op, row->state < PTOWSP_STATE_ENFORCED ? PTOWSP_NONE : missing, inst->line, state, ""};
	lack_say(lack, row, elements);
	return true;
}

bool common_tile_lacks(const struct common_tile_rows *rows, const void *payload, size_t size, struct common_tile_lack *lack_out)
{
	struct program p;
	bool lacks = false;

	*lack_out = (struct common_tile_lack){.state = PTOWSP_STATE_ENFORCED};
	if (!program_read(&p, payload, size))
		return false;
	for (uint32_t i = 0; i < p.header.inst_count && lack_out->state; i++) {
		struct ptowsp_tile_inst inst;

		memcpy(&inst, p.insts + (size_t)i * sizeof(inst), sizeof(inst));
		if (inst.op && ops[inst.op].mnemonic && rows->of[inst.op])
			lacks |= inst_look(&p, rows->of[inst.op], &inst, lack_out);
	}
	return lacks;
}
