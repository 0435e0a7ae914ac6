/* SPDX-License-Identifier: MIT */
/* cost.c - cost.def as tables, and the two models that need nothing else. */
#include "ascend/cost.h"

#include <stdbool.h>
#include <string.h>

#include "ptowsp/tile.h"

/* By opcode; `listed` tells a cost of 0 from none. */
static const struct op {
	uint32_t cycles;
	bool listed;
} ops[256] = {
#define ASCEND_OP(NAME, count, source) [PTOWSP_PTO_##NAME] = {.cycles = count, .listed = true},
#include "ascend/cost.def"
};

uint64_t ascend_op_cycles(unsigned opcode, uint64_t elements)
{
	const uint64_t tiles = elements / ASCEND_CORE_op_elements;

	return (uint64_t)(ops[opcode].listed ? ops[opcode].cycles : ASCEND_CORE_op_other) * (tiles ? tiles : 1);
}

static const struct word {
	const char *text;
	uint32_t cycles;
} words[] = {
#define ASCEND_WORD(word, cycles, source) {word, cycles},
#include "ascend/cost.def"
};

/* The last word is in every name. */
uint64_t ascend_name_cycles(const char *kernel)
{
	const struct word *w = words;

	while (!strstr(kernel, w->text))
		w++;
	return w->cycles;
}

static const struct ascend_wire_row wires[ASCEND_WIRE_COUNT] = {
#define ASCEND_WIRE(text, least, greatest, from) [ASCEND_WIRE_##text] = {.name = #text, .ns = least, .most = greatest, .source = from},
#include "ascend/cost.def"
};

const struct ascend_wire_row *ascend_wire(enum ascend_wire wire)
{
	return &wires[wire];
}

uint64_t ascend_wire_cycles(const struct ascend_arch *arch, enum ascend_wire wire)
{
	return ascend_arch_cycles(arch, (wires[wire].ns + wires[wire].most) / 2);
}
