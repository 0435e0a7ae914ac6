/* SPDX-License-Identifier: MIT */
/* caps.c - what this core does, as capability rows. A policy is `enforced` exactly if rt_schedule.c has a rule for it. */
#include "ptowsp/graph.h"
#include "ptowsp/workload.h"
#include "registry/common/common_part.h"
#include "rt/program/rt_schedule.h"
#include "rt/rt_platform.h"
#include <stddef.h>

/* ---- what this core does ----------------------------------------------------------------------------------------- */

static const uint8_t opcodes[] = {
#define X(NAME, code, mnemonic, operand1, operand2, effect) code,
#include "ptowsp/workload_ops.def"
#undef X
};

static const uint16_t features[] = {
	PTOWSP_FEATURE_TOTAL_CYCLES,    PTOWSP_FEATURE_KERNEL_CYCLES,  PTOWSP_FEATURE_STALL_STATS,   PTOWSP_FEATURE_HIGH_WATER,
	PTOWSP_FEATURE_DEADLOCK_REPORT, PTOWSP_FEATURE_SCOPE_LIVENESS, PTOWSP_FEATURE_DETERMINISTIC, PTOWSP_FEATURE_CANCEL,
	PTOWSP_FEATURE_DEADLINE,        PTOWSP_FEATURE_NO_KERNELS,     PTOWSP_FEATURE_SET_VALUES,    PTOWSP_FEATURE_PREDICATE_SYMBOL,
	PTOWSP_FEATURE_PREDICATE_SLOT,  PTOWSP_FEATURE_TENSOR_TO_SLOT, PTOWSP_FEATURE_TILE_LEVELS,   PTOWSP_FEATURE_TEMP_RENAMED,
	PTOWSP_FEATURE_CSP_TOKEN,       PTOWSP_FEATURE_CSP_PAYLOAD,
};

/* Orders among ready tasks, and issuing at once, have no effect on the semantic clock: kept, nothing to obey here. An engine with an order of its own has rows of its own. */
static uint8_t policy_state(unsigned directive, unsigned policy)
{
	if (directive == PTOWSP_DIRECTIVE_READY)
		return PTOWSP_STATE_RECORDED;
	if (rt_directive_obeyed(directive, policy))
		return PTOWSP_STATE_ENFORCED;
	if (directive == PTOWSP_DIRECTIVE_TIMING && policy == PTOWSP_TIMING_IMMEDIATE)
		return PTOWSP_STATE_RECORDED;
	return PTOWSP_STATE_DIAGNOSED;
}

static uint32_t row_add(struct ptowsp_cap *rows, uint32_t room, uint32_t count, uint32_t feature, uint8_t state)
{
	if (count < room)
		rows[count] = (struct ptowsp_cap){.feature = feature, .state = state, .evidence = PTOWSP_EVIDENCE_SELF_TESTED};
	return count + 1;
}

/* Hosts of 10.0 know no words for parts. */
static uint32_t opcode_add(struct ptowsp_cap *rows, uint32_t room, uint32_t count, uint8_t opcode)
{
	row_add(rows, room, count, PTOWSP_FEATURE_OPCODE(opcode), PTOWSP_STATE_ENFORCED);
	if (count < room)
		rows[count].since = common_is_part(opcode);
	return count + 1;
}

uint32_t rt_capabilities(struct ptowsp_cap *rows_out, uint32_t room)
{
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		count = opcode_add(rows_out, room, count, opcodes[i]);
	for (const struct rt_policy_row *row = rt_policy_rows; row->word; row++)
		if (row->directive != PTOWSP_DIRECTIVE_TRACE && row->directive != PTOWSP_DIRECTIVE_LAYOUT) /* the backend's: records, memory */
			count = row_add(rows_out, room, count, PTOWSP_FEATURE_POLICY(row->directive, row->policy), policy_state(row->directive, row->policy));
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		count = row_add(rows_out, room, count, features[i], PTOWSP_STATE_ENFORCED);
	return count;
}

/* ---- instructions of graphs, by platform ------------------------------------------------------------------------- */

/* A state; above it, bits: scopes that are not enforced. */
enum { PLATFORMS = 4, WITHOUT = 8 };
enum { YES = PTOWSP_STATE_ENFORCED, HINT = PTOWSP_STATE_RECORDED, NA = PTOWSP_STATE_DIAGNOSED, NO = PTOWSP_STATE_UNSUPPORTED };
#define PARTIAL(scope) (YES | 1u << (WITHOUT + PTOWSP_fence_scope_##scope))
static const struct {
	uint8_t op;
	uint16_t cells[PLATFORMS];
} listed[] = {
#define X(instruction, a2, a3, a5, cpu) {PTOWSP_##instruction, {a2, a3, a5, cpu}},
#include "ptowsp/platform.def"
#undef X
};

static const uint8_t ops[] = {
#define GRAPH_OP(NAME, code, place, effect) code,
#include "registry/common/common_graph_ops.def"
};

/* A backend that cannot do the one cannot do the other. */
static unsigned like(unsigned op)
{
	switch (op) {
	case PTOWSP_SY_WAIT_NOTIFY: return PTOWSP_SY_NOTIFY;
	case PTOWSP_CA_PARTITION: return PTOWSP_CA_REQUEST;
	default: return op;
	}
}

static unsigned cell_of(unsigned op, enum rt_platform platform)
{
	for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++)
		if (listed[i].op == like(op))
			return listed[i].cells[platform];
	return op == PTOWSP_TG_PERSISTENT || op == PTOWSP_TG_SET_PRIORITY ? HINT : YES;
}

uint32_t rt_platform_capabilities(enum rt_platform platform, struct ptowsp_cap *rows_out, uint32_t room)
{
	const uint32_t count = sizeof(ops) / sizeof(*ops);

	for (uint32_t i = 0; i < count && i < room; i++) {
		unsigned cell = cell_of(ops[i], platform);

		rows_out[i] = (struct ptowsp_cap){
			.feature = PTOWSP_FEATURE_GRAPH(ops[i]), .state = (uint8_t)cell, .bits = cell >> WITHOUT, .evidence = PTOWSP_EVIDENCE_SELF_TESTED};
	}
	return count;
}
