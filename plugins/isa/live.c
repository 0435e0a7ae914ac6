/* SPDX-License-Identifier: MIT */
/* live.c - liveness of tiles: the usual equations over the control flow, from behind, until nothing changes. */
#include "isa/live.h"

#include <stdlib.h>
#include <string.h>

/* The cost of one program at load is limited: 2 MiB per kind of set; sets of conflicts are quadratic in tiles (isa_plan.c). */
enum { TILES_MAX = 1024, WORDS_MAX = 1 << 18 };
enum { USED, WRITTEN, IN, OUT, KINDS };

struct isa_uses isa_uses(const struct ptowsp_tile_inst *inst)
{
	const struct isa_op *op = isa_op(inst->op);
	const bool partial = inst->op == PTOWSP_PTO_SETVAL || inst->op == PTOWSP_PTO_TSCATTER;
	struct isa_uses u = {.written_count = 0};
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, rows);

	if (inst->op == PTOWSP_PTO_TASSIGN)
		return u;
	for (unsigned k = 0; k < count; k++)
		if (op->operands[k] == 't' || (op->operands[k] == 'T' && partial))
			u.read[u.read_count++] = rows[k];
		else if (op->operands[k] == 'T')
			u.written[u.written_count++] = rows[k];
	return u;
}

/* Whether a node begins here: at a control instruction and behind one. */
static bool begins(const struct isa_program *p, uint32_t i)
{
	return i == 0 || isa_op_is_control(p->insts[i].op) || isa_op_is_control(p->insts[i - 1].op);
}

static uint32_t nodes_count(const struct isa_program *p)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->header.inst_count; i++)
		count += begins(p, i);
	return count;
}

static uint32_t words_of(const struct isa_program *p)
{
	return (p->header.tile_count + 63) / 64;
}

bool isa_live_fits(const struct isa_program *p)
{
	const uint32_t tiles = p->header.tile_count;

	return tiles <= TILES_MAX && (uint64_t)nodes_count(p) * words_of(p) <= WORDS_MAX;
}

static uint64_t *set_of(const struct isa_live *live, uint32_t node, unsigned kind)
{
	return live->sets + ((size_t)node * KINDS + kind) * live->words;
}

uint64_t *isa_live_in(const struct isa_live *live, uint32_t node)
{
	return set_of(live, node, IN);
}

uint64_t *isa_live_out(const struct isa_live *live, uint32_t node)
{
	return set_of(live, node, OUT);
}

void isa_live_back(const struct isa_uses *u, uint64_t *set)
{
	for (unsigned k = 0; k < u->written_count; k++)
		isa_set_drop(set, u->written[k]);
	for (unsigned k = 0; k < u->read_count; k++)
		isa_set_add(set, u->read[k]);
}

static void node_read(const struct isa_live *live, uint32_t node)
{
	uint64_t *used = set_of(live, node, USED), *written = set_of(live, node, WRITTEN);

	for (uint32_t i = live->start[node + 1]; i-- > live->start[node];) {
		const struct isa_uses *u = &live->uses[i];

		for (unsigned k = 0; k < u->written_count; k++)
			isa_set_add(written, u->written[k]);
		isa_live_back(u, used);
	}
}

/* The nodes to which control may go from the last instruction of a node; returns how many places. */
static unsigned ways(const struct isa_program *p, uint32_t last, uint32_t way[2])
{
	const struct ptowsp_tile_inst *inst = &p->insts[last];

	switch (inst->op) {
	case PTOWSP_PTO_RETURN: return 0;
	case PTOWSP_PTO_ENDFOR: /* into the next round without its FOR */
		way[0] = inst->target + 1;
		way[1] = last + 1;
		return 2;
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_DO:
	case PTOWSP_PTO_IF:
		way[0] = last + 1;
		way[1] = inst->target;
		return 2;
	case PTOWSP_PTO_ENDWHILE:
	case PTOWSP_PTO_ELSE:
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: way[0] = inst->target; return 1;
	default: way[0] = last + 1; return 1;
	}
}

/* Every target begins a node. */
static uint32_t node_at(const struct isa_live *live, uint32_t inst)
{
	uint32_t low = 0, high = live->nodes - 1;

	while (low < high) {
		const uint32_t middle = (low + high + 1) / 2;

		if (live->start[middle] <= inst)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* True if anything became live that was not. */
static bool node_spread(const struct isa_live *live, const struct isa_program *p, uint32_t node)
{
	const uint64_t *used = set_of(live, node, USED), *written = set_of(live, node, WRITTEN);
	uint64_t *in = set_of(live, node, IN), *out = set_of(live, node, OUT);
	uint32_t way[2];
	const unsigned count = ways(p, live->start[node + 1] - 1, way);
	bool changed = false;

	for (unsigned k = 0; k < count; k++) {
		const uint64_t *next = set_of(live, node_at(live, way[k]), IN);

		for (uint32_t w = 0; w < live->words; w++)
			out[w] |= next[w];
	}
	for (uint32_t w = 0; w < live->words; w++) {
		const uint64_t before = in[w];

		in[w] = used[w] | (out[w] & ~written[w]);
		changed |= in[w] != before;
	}
	return changed;
}

ptowsp_status isa_live_make(struct isa_live *live, const struct isa_program *p)
{
	bool changed = true;
	uint32_t node = 0;

	*live = (struct isa_live){.nodes = nodes_count(p), .words = words_of(p)};
	live->start = malloc((live->nodes + 1u) * sizeof(*live->start));
	live->sets = calloc((size_t)live->nodes * live->words * KINDS + 1, sizeof(*live->sets));
	live->uses = malloc(p->header.inst_count * sizeof(*live->uses));
	if (!live->start || !live->sets || !live->uses) {
		isa_live_finish(live);
		return PTOWSP_NO_MEMORY;
	}
	for (uint32_t i = 0; i < p->header.inst_count; i++)
		if (begins(p, i))
			live->start[node++] = i;
	live->start[node] = p->header.inst_count;
	for (uint32_t i = 0; i < p->header.inst_count; i++)
		live->uses[i] = isa_uses(&p->insts[i]);
	for (node = 0; node < live->nodes; node++)
		node_read(live, node);
	while (changed) {
		changed = false;
		for (node = live->nodes; node-- > 0;)
			changed |= node_spread(live, p, node);
	}
	return PTOWSP_OK;
}

void isa_live_finish(struct isa_live *live)
{
	free(live->start);
	free(live->sets);
	free(live->uses);
	*live = (struct isa_live){.nodes = 0};
}
