/* SPDX-License-Identifier: MIT */
/* caps.h - capability rows: what a backend enforces, records, diagnoses or does not support. */
#ifndef PTOWSP_CAPS_H
#define PTOWSP_CAPS_H

#include "base.h"

PTOWSP_BEGIN

/* Feature ids. Opcodes of workload_ops.def: 0x1000 | opcode. Directive and policy: 0x2000 | directive << 4 | policy.
 * Payload kinds: 0x3000 | kind. Instructions of graph_ops.def: 0x5000 | code. Operations of portable kernels: 0x6000 | opcode. The rest: features.def. */
#define PTOWSP_FEATURE_OPCODE(opcode) (0x1000u | (opcode))
#define PTOWSP_FEATURE_POLICY(directive, policy) (0x2000u | (uint32_t)(directive) << 4 | (policy))
#define PTOWSP_FEATURE_PAYLOAD(kind) (0x3000u | (kind))
#define PTOWSP_FEATURE_GRAPH(op) (0x5000u | (op))
/* An operation of pto_ops.def in portable kernels, since 10.1. PTOWSP_FEATURE_TILE(0) is the row of all that have none; where that is missing, too, they are enforced for every type, as
 * `payload pto` says. `bits`: 1 << PTOWSP_DTYPE for each element type that its operands may have, literals aside; 0: all. `high`: elements of its largest tile, 0: any. An instruction outside
 * of these, or of a row that is unsupported, is refused before anything is opened; one of a row below enforced is run by the processor, with the same results. */
#define PTOWSP_FEATURE_TILE(op) (0x6000u | (op))
enum {
#define X(name, id, text) PTOWSP_FEATURE_##name = id,
#include "features.def"
#undef X
};

enum { /* what the backend does with the feature */
	PTOWSP_STATE_UNSUPPORTED = 0,/* an error before anything is loaded */
	PTOWSP_STATE_DIAGNOSED = 1,  /* ignored, and said so exactly once */
	PTOWSP_STATE_RECORDED = 2,   /* kept in the artifact's metadata, behaviour unchanged, said so once */
	PTOWSP_STATE_ENFORCED = 3    /* changes behaviour; a probe can see it */
};
enum { PTOWSP_EVIDENCE_CLAIMED = 0, PTOWSP_EVIDENCE_SELF_TESTED = 1, PTOWSP_EVIDENCE_CONFORMANCE = 2 }; /* evidence */

/* One row of a device's matrix; passed as array, count and stride (at least the floor). The callee writes at most stride bytes of each row, and nothing
 * that is newer than the effective minor; the caller zeroed them before. */
struct ptowsp_cap {
	uint32_t feature;
	uint8_t state;    /* one of the four above */
	uint8_t evidence;
	uint16_t since;   /* minor that introduced the feature */
	int64_t low, high; /* limits of the parameter, both 0 where there is none */
	uint64_t bits;    /* feature-specific */
};
#define PTOWSP_CAP_FLOOR_10_0 32u
PTOWSP_STATIC_ASSERT(offsetof(struct ptowsp_cap, bits) + sizeof(uint64_t) == PTOWSP_CAP_FLOOR_10_0, "a 10.0 capability row");

PTOWSP_END
#endif
