/* SPDX-License-Identifier: MIT */
/* check_stack.c - does what a core allocates lie in its stack? */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <inttypes.h>

/* Bytes that live at once. An alloca's bytes are there until the operation around it ends that MLIR has as a scope of such memory: a loop, a function, or the core. */
struct need {
	uint64_t kept, most; /* still there at the end of a region; at any time */
};
struct finder {
	const struct aie_design *design;
	uint64_t *functions; /* most of each, 0: not asked yet */
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX / 2 - b ? UINT64_MAX / 2 : a + b;
}

static uint64_t bytes_of(const struct aie_op *op)
{
	const struct aie_attr *align = aie_attr_of(op, "alignment");
	const uint64_t bytes = aie_type_bytes(op->results[0]->type),
		       to = align && align->kind == AIE_ATTR_INT && align->number > 0 ? (uint64_t)align->number : 4;

	return bytes > UINT64_MAX / 4 || to > UINT32_MAX ? UINT64_MAX / 4 : (bytes + to - 1) / to * to;
}

static bool is_scope(const struct aie_op *op)
{
	return aie_op_is(op, "scf.for");
}

static struct need region_need(struct finder *finder, const struct aie_region *region);

static uint64_t function_need(struct finder *finder, const struct aie_op *call)
{
	const uint32_t number = aie_design_function(finder->design, aie_attr_of(call, "callee")->text);

	if (finder->design->functions[number].outside)
		return 0;
	if (!finder->functions[number])
		finder->functions[number] = 1 + region_need(finder, &finder->design->functions[number].op->regions[0]).most;
	return finder->functions[number] - 1;
}

/* Regions of one operation count as the largest: one of them runs. */
static struct need op_need(struct finder *finder, const struct aie_op *op)
{
	struct need need = {0, 0};

	if (aie_op_is(op, "memref.alloca") || aie_op_is(op, "memref.alloc"))
		need.kept = need.most = bytes_of(op);
	if (aie_op_is(op, "func.call"))
		need.most = function_need(finder, op);
	for (uint32_t r = 0; r < op->region_count; r++) {
		const struct need inner = region_need(finder, &op->regions[r]);

		need.kept = inner.kept > need.kept && !is_scope(op) ? inner.kept : need.kept;
		need.most = inner.most > need.most ? inner.most : need.most;
	}
	return need;
}

static struct need region_need(struct finder *finder, const struct aie_region *region)
{
	struct need need = {0, 0};

	for (const struct aie_op *op = region->first; op; op = op->next) {
		const struct need inner = op_need(finder, op);
		const uint64_t most = add(need.kept, inner.most);

		need.most = most > need.most ? most : need.most;
		need.kept = add(need.kept, inner.kept);
	}
	return need;
}

void aie_check_stacks(const struct aie_design *design, struct aie_check_job *check)
{
	struct finder finder = {design, common_take(&check->arena, (size_t)design->function_count + 1, sizeof(*finder.functions))};

	for (uint32_t c = 0; c < design->core_count; c++) {
		const struct aie_core *core = &design->cores[c];
		const uint64_t most = region_need(&finder, &core->op->regions[0]).most;

		if (most > core->stack)
			aie_check_fail(check, core->op, AIE_RULE_STACK, "%s allocates %" PRIu64 " bytes at once, of a stack of %" PRIu64,
				       aie_design_tile_text(design, core->tile), most, core->stack);
	}
}
