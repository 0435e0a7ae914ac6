/* SPDX-License-Identifier: MIT */
/* opcode.c - the opcode table, out of pto_ops.def. */
#include "isa/opcode.h"

#include <string.h>

static const struct isa_op ops[256] = {
#define X(NAME, code, text, letters, rule, key_list, type_letters, cycles, meaning)                                                                            \
	[code] = {.mnemonic = text,                                                                                                                            \
		  .operands = letters,                                                                                                                         \
		  .keys = key_list,                                                                                                                            \
		  .types = type_letters,                                                                                                                       \
		  .shape = ISA_SHAPE_##rule,                                                                                                                   \
		  .cost = ISA_COST_##cycles,                                                                                                                   \
		  .effect = meaning},
#include "ptowsp/pto_ops.def"
#undef X
};

/* Other words for the same instruction, as some compilers print them. */
static const struct spelling {
	const char *word;
	uint8_t opcode;
} spellings[] = {
	{"SADD", PTOWSP_PTO_ADD}, {"SSUB", PTOWSP_PTO_SUB}, {"SMUL", PTOWSP_PTO_MUL}, {"SDIV", PTOWSP_PTO_DIV},
	{"SMOV", PTOWSP_PTO_MOV}, {"SLI", PTOWSP_PTO_LI},   {"SCMP", PTOWSP_PTO_CMP},
};

const struct isa_op *isa_op(unsigned opcode)
{
	return opcode < 256 && ops[opcode].mnemonic ? &ops[opcode] : NULL;
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !memcmp(word, text, length);
}

int isa_op_find(const char *mnemonic, size_t length)
{
	for (int i = 0; i < 256; i++)
		if (ops[i].mnemonic && is_word(ops[i].mnemonic, mnemonic, length))
			return i;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (is_word(spellings[i].word, mnemonic, length))
			return spellings[i].opcode;
	return -1;
}

unsigned isa_op_operands(const struct isa_op *op, const struct ptowsp_tile_inst *inst, uint16_t values_out[ISA_OPERANDS_MAX])
{
	const uint16_t dst[2] = {inst->d, inst->e};
	const uint16_t src[4] = {inst->a, inst->b, inst->c, inst->f};
	unsigned count = 0, dst_count = 0, src_count = 0;

	for (const char *p = op->operands; *p; p++)
		values_out[count++] = *p < 'a' ? dst[dst_count++] : src[src_count++];
	return count;
}

void isa_shape_factors(unsigned shape, unsigned *left_out, unsigned *right_out)
{
	*left_out = shape == ISA_SHAPE_MATMUL_ACC;
	*right_out = shape == ISA_SHAPE_MATMUL_ACC || shape == ISA_SHAPE_MATMUL_MX ? 2 : 1;
}

static uint64_t tile_elements(const struct ptowsp_tile_tile *t)
{
	return (uint64_t)t->rows * t->columns;
}

uint64_t isa_op_cycles(const struct isa_op *op, const struct ptowsp_tile_tile *const *dst, const struct ptowsp_tile_tile *const *src)
{
	unsigned left, right;

	switch (op->cost) {
	case ISA_COST_DST: return tile_elements(dst[0]);
	case ISA_COST_SRC: return tile_elements(src[0]);
	case ISA_COST_SORT: return 5 * tile_elements(src[0]);
	case ISA_COST_MATMUL: isa_shape_factors(op->shape, &left, &right); return tile_elements(src[left]) * src[right]->columns;
	default: return 0;
	}
}
