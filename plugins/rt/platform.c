/* SPDX-License-Identifier: MIT */
#include "rt/platform.h"

#include <stddef.h>
#include "ptowsp/graph.h"

enum { PLATFORMS = 4 };
struct cell {
	uint8_t state, without; /* bits: scopes that are not enforced */
};

#define YES {PTOWSP_STATE_ENFORCED, 0}
#define PARTIAL(scope) {PTOWSP_STATE_ENFORCED, 1u << PTOWSP_fence_scope_##scope}
#define HINT {PTOWSP_STATE_RECORDED, 0}
#define NA {PTOWSP_STATE_DIAGNOSED, 0}
#define NO {PTOWSP_STATE_UNSUPPORTED, 0}
static const struct {
	uint8_t op;
	struct cell cells[PLATFORMS];
} listed[] = {
#define X(instruction, a2, a3, a5, cpu) {PTOWSP_##instruction, {a2, a3, a5, cpu}},
#include "ptowsp/platform.def"
#undef X
};

static const uint8_t ops[] = {
#define GRAPH_OP(NAME, code, place, effect) code,
#define GRAPH_ARG(type, name, kind, argument, value)
#define GRAPH_END(NAME)
#include "ptowsp/graph_ops.def"
#undef GRAPH_OP
#undef GRAPH_ARG
#undef GRAPH_END
};

/* Who cannot do the one cannot do the other. */
static unsigned like(unsigned op)
{
	switch (op) {
	case PTOWSP_SY_WAIT_NOTIFY: return PTOWSP_SY_NOTIFY;
	case PTOWSP_CA_PARTITION: return PTOWSP_CA_REQUEST;
	default: return op;
	}
}

static struct cell cell_of(unsigned op, enum rt_platform platform)
{
	const struct cell done = YES, hint = HINT;

	for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++)
		if (listed[i].op == like(op))
			return listed[i].cells[platform];
	return op == PTOWSP_TG_PERSISTENT || op == PTOWSP_TG_SET_PRIORITY ? hint : done;
}

uint32_t rt_platform_capabilities(enum rt_platform platform, struct ptowsp_cap *rows_out, uint32_t room)
{
	const uint32_t count = sizeof(ops) / sizeof(*ops);

	for (uint32_t i = 0; i < count && i < room; i++) {
		struct cell cell = cell_of(ops[i], platform);

		rows_out[i] = (struct ptowsp_cap){.feature = PTOWSP_FEATURE_GRAPH(ops[i]), .state = cell.state, .bits = cell.without,
						  .evidence = PTOWSP_EVIDENCE_SELF_TESTED};
	}
	return count;
}
