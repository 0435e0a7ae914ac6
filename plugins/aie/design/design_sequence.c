/* SPDX-License-Identifier: MIT */
/* design_sequence.c - what the host does, in its order. */
#include "aie/design/design_read.h"
#include "registry/common/common_arena.h"

#include <inttypes.h>
#include <string.h>

static void step_add(struct aie_design_reader *reader, const struct aie_step *step)
{
	struct aie_design *design = reader->design;

	if (design->step_count == AIE_DESIGN_STEPS)
		aie_design_fail(reader, step->op, AIE_RULE_COUNT, "the host has more than %d steps", AIE_DESIGN_STEPS);
	COMMON_ARENA_ADD(design->arena, design->steps, design->step_count, *step);
}

/* The fifo of a symbol's attribute, which has an end on a shim. */
static uint32_t fifo_of(struct aie_design_reader *reader, const struct aie_op *op, const char *name)
{
	const struct aie_design *design = reader->design;
	const struct aie_attr *attr = aie_design_attr(reader, op, name, AIE_ATTR_SYMBOL);
	const uint32_t number = aie_design_symbol(design, attr->text);
	const struct aie_fifo *fifo;
	uint32_t shims;

	if (number == AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_NAME, "fifo '%.64s' is not known", attr->text);
	fifo = &design->fifos[number];
	shims = design->tiles[fifo->producer].kind == AIE_SHIM;
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		shims += design->tiles[fifo->consumers[i]].kind == AIE_SHIM;
	if (shims != 1)
		aie_design_fail(reader, op, AIE_RULE_SEQUENCE, "fifo '%.64s' has %u ends on shims, the host needs 1", attr->text, shims);
	return number;
}

/* Four numbers, outermost first. */
static const int64_t *four(struct aie_design_reader *reader, const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_design_attr(reader, op, name, AIE_ATTR_INTS);

	if (attr->count != 4)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' has %u numbers, 4 are needed", name, attr->count);
	for (uint32_t i = 0; i < 4; i++)
		if (attr->ints[i] < 0 || attr->ints[i] > AIE_DESIGN_NUMBER)
			aie_design_fail(reader, op, AIE_RULE_STRIDES, "attribute '%s' has %" PRId64 ", expected 0 to %d", name, attr->ints[i],
					AIE_DESIGN_NUMBER);
	return attr->ints;
}

static void read_task(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"id", "metadata", "issue_token", "operandSegmentSizes", "static_offsets", "static_sizes", "static_strides", NULL};
	static const int64_t one[] = {1, 0, 0, 0};
	const struct aie_attr *segments;
	const int64_t *offsets, *sizes, *strides;
	struct aie_step step = {.op = op};
	int64_t id;

	aie_design_shape(reader, op, 1, false, 0, 0);
	aie_design_known(reader, op, names);
	step.fifo = fifo_of(reader, op, "metadata");
	aie_design_number(reader, op, "id", true, INT64_MIN, INT64_MAX, &id);
	step.token = aie_design_flag(reader, op, "issue_token");
	if (!op->operands[0]->argument || op->operands[0]->op != reader->sequence)
		aie_design_fail(reader, op, AIE_RULE_SEQUENCE, "what the host moves for fifo '%.64s' is no argument of its sequence",
				reader->design->fifos[step.fifo].name);
	step.argument = op->operands[0]->number;
	segments = aie_design_attr(reader, op, "operandSegmentSizes", AIE_ATTR_INTS);
	offsets = four(reader, op, "static_offsets");
	sizes = four(reader, op, "static_sizes");
	strides = four(reader, op, "static_strides");
	if (segments->count != 4 || memcmp(segments->ints, one, sizeof(one)))
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute 'operandSegmentSizes' is not 1, 0, 0, 0: offsets, sizes and strides are numbers");
	if (id < 0 || (uint64_t)id >= reader->design->arch->generation->tiles[AIE_SHIM].limits[AIE_BDS])
		aie_design_fail(reader, op, AIE_RULE_TASK_ID, "a task for fifo '%.48s' has buffer descriptor %" PRId64 ", a shim has 0 to %llu",
				reader->design->fifos[step.fifo].name, id,
				(unsigned long long)reader->design->arch->generation->tiles[AIE_SHIM].limits[AIE_BDS] - 1);
	step.descriptor = (uint32_t)id;
	for (uint32_t i = 0; i < 4; i++) {
		step.offset += offsets[i] * strides[i];
		step.sizes[i] = sizes[i];
		step.strides[i] = strides[i];
	}
	step_add(reader, &step);
}

static void read_wait(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"symbol", NULL};
	struct aie_step step = {.op = op, .waits = true};

	aie_design_shape(reader, op, 0, false, 0, 0);
	aie_design_known(reader, op, names);
	step.fifo = fifo_of(reader, op, "symbol");
	step_add(reader, &step);
}

static void read_arguments(struct aie_design_reader *reader, const struct aie_op *op)
{
	struct aie_design *design = reader->design;
	const struct aie_region *body = &op->regions[0];

	design->arguments = common_take(design->arena, body->argument_count, sizeof(*design->arguments));
	design->argument_count = body->argument_count;
	for (uint32_t i = 0; i < body->argument_count; i++) {
		design->arguments[i] = body->arguments[i]->type;
		if (design->arguments[i]->kind != AIE_TYPE_MEMREF || design->arguments[i]->strided)
			aie_design_fail(reader, op, AIE_RULE_SEQUENCE, "argument %u of the sequence is no memref without strides", i);
	}
}

void aie_design_read_sequence(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"sym_name", "ptowsp.filler", NULL};
	int64_t filler = AIE_NONE;

	aie_design_shape(reader, op, 0, false, 0, 1);
	aie_design_known(reader, op, names);
	aie_design_attr(reader, op, "sym_name", AIE_ATTR_STRING);
	read_arguments(reader, op);
	aie_design_number(reader, op, "ptowsp.filler", false, 0, (int64_t)op->regions[0].argument_count - 1, &filler);
	reader->design->filler = (uint32_t)filler;
	for (const struct aie_op *step = op->regions[0].first; step; step = step->next) {
		const bool task = aie_op_is(step, "aiex.npu.dma_memcpy_nd");

		if (!task && !aie_op_is(step, "aiex.npu.dma_wait"))
			aie_design_fail(reader, step, AIE_RULE_KNOWN, "this operation is not known in the host's sequence");
		if (task)
			read_task(reader, step);
		else
			read_wait(reader, step);
	}
}
