/* SPDX-License-Identifier: MIT */
/* builder_work.c - statements of bodies: slots, events, order, memory; tasks are in builder_task.c, bodies in builder_block.c. */
#include "lang/builder/build.h"

#include "format/format_names.h"

#include <string.h>

static uint32_t slot_of(struct ptowsp_build *b, uint32_t handle)
{
	uint32_t row = build_row(b, BUILD_SLOT, handle);

	if (b->slots[row].kind != PTOWSP_SLOT_SLOT)
		build_refuse(b, "%.80s is a symbol, a run cannot change it", build_text(b, b->slots[row].name));
	return row;
}

uint32_t ptowsp_build_slot_set(struct ptowsp_build *b, uint32_t slot, uint32_t expr)
{
	BUILD_CALL(b);
	uint32_t row = slot_of(b, slot), value = build_expr(b, expr);

	build_code(b);
	build_evaluate(b, value);
	build_emit_at(b, PTOWSP_OP_SLOT_SET, row, value);
	return BUILD_DONE;
}

static uint32_t slot_load(struct ptowsp_build *b, uint32_t slot, uint32_t region, uint8_t flags)
{
	uint32_t row = slot_of(b, slot), from, at;

	build_code(b);
	from = build_region_row(b, region);
	at = build_emit_at(b, PTOWSP_OP_SLOT_LOAD, row, from); /* moves the table */
	b->tables.work[at].flags = flags;
	return BUILD_DONE;
}

uint32_t ptowsp_build_slot_load(struct ptowsp_build *b, uint32_t slot, uint32_t region)
{
	BUILD_CALL(b);
	return slot_load(b, slot, region, 0);
}

uint32_t ptowsp_build_slot_load_bits(struct ptowsp_build *b, uint32_t slot, uint32_t region)
{
	BUILD_CALL(b);
	return slot_load(b, slot, region, PTOWSP_SLOT_LOAD_BITS);
}

/* An instruction without more than its operands. */
static uint32_t plain(struct ptowsp_build *b, unsigned op, uint32_t operand1, uint32_t operand2)
{
	build_code(b);
	build_emit_at(b, op, operand1, operand2);
	return BUILD_DONE;
}

uint32_t ptowsp_build_signal(struct ptowsp_build *b, uint32_t event)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_SIGNAL, 0, build_row(b, BUILD_EVENT, event));
}

uint32_t ptowsp_build_wait(struct ptowsp_build *b, uint32_t event)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_WAIT, 0, build_row(b, BUILD_EVENT, event));
}

static uint32_t notify(struct ptowsp_build *b, unsigned op, uint32_t device, uint32_t notification)
{
	build_code(b);
	if (b->process != PTOWSP_NONE)
		build_refuse(b, "devices tell each other in the code of an entry, not in a process");
	if (device > UINT16_MAX)
		build_refuse(b, "there is no device %u; devices of a run are numbered from 0, at most to %u", device, UINT16_MAX);
	return plain(b, op, device, notification);
}

uint32_t ptowsp_build_notify(struct ptowsp_build *b, uint32_t device, uint32_t notification)
{
	BUILD_CALL(b);
	return notify(b, PTOWSP_OP_NOTIFY, device, notification);
}

uint32_t ptowsp_build_wait_notify(struct ptowsp_build *b, uint32_t device, uint32_t notification)
{
	BUILD_CALL(b);
	return notify(b, PTOWSP_OP_WAIT_NOTIFY, device, notification);
}

uint32_t ptowsp_build_barrier(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_BARRIER, 0, 0);
}

uint32_t ptowsp_build_fence(struct ptowsp_build *b, const char *scope)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_FENCE, build_word(b, PKG_WORDS_scope, scope), 0);
}

uint32_t ptowsp_build_copy(struct ptowsp_build *b, uint32_t from, uint32_t to)
{
	BUILD_CALL(b);
	const struct ptowsp_region_record *regions;
	uint32_t source, place, head;

	build_code(b);
	source = build_region_row(b, from);
	place = build_region_row(b, to);
	regions = b->tables.regions;
	if (!regions[source].unit && !regions[place].unit && (regions[source].rows != regions[place].rows || regions[source].columns != regions[place].columns))
		build_refuse(b, "a copy from %u x %u to %u x %u elements: both must be the same", regions[source].rows, regions[source].columns,
			     regions[place].rows, regions[place].columns);
	head = build_emit_at(b, PTOWSP_OP_COPY, 0, source);
	build_emit(b, PTOWSP_OP_IO_OUTPUT, 0, place);
	build_copy_open(b, head);
	return BUILD_DONE;
}

uint32_t ptowsp_build_alloc(struct ptowsp_build *b, uint32_t tensor)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_ALLOC, 0, build_row(b, BUILD_TENSOR, tensor));
}

uint32_t ptowsp_build_free(struct ptowsp_build *b, uint32_t tensor)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_FREE, 0, build_row(b, BUILD_TENSOR, tensor));
}

uint32_t ptowsp_build_extent(struct ptowsp_build *b, uint32_t axis, const char *kind, uint32_t extent)
{
	BUILD_CALL(b);
	static const uint8_t ops[] = {
		[PTOWSP_AXIS_DENSE] = PTOWSP_OP_AXIS_DENSE, [PTOWSP_AXIS_RAGGED] = PTOWSP_OP_AXIS_RAGGED, [PTOWSP_AXIS_SPARSE] = PTOWSP_OP_AXIS_SPARSE};
	uint32_t code = build_word(b, PKG_WORDS_axis_kind, kind);

	if (code == PTOWSP_AXIS_DENSE_DYN)
		build_refuse(b, "the extent of a dense_dyn axis is a slot: ptowsp_build_extent_slot");
	return plain(b, ops[code], build_axis_listed(b, build_row(b, BUILD_AXIS, axis)), extent);
}

uint32_t ptowsp_build_extent_slot(struct ptowsp_build *b, uint32_t axis, uint32_t slot)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_AXIS_DENSE_DYN, build_axis_listed(b, build_row(b, BUILD_AXIS, axis)), build_row(b, BUILD_SLOT, slot));
}

uint32_t ptowsp_build_filter(struct ptowsp_build *b, const char *policy, uint32_t expr)
{
	BUILD_CALL(b);
	const struct pkg_policy *row = policy && *policy ? pkg_policy_find(PTOWSP_DIRECTIVE_DISPATCH, policy) : NULL;
	uint32_t value = build_expr(b, expr);

	if (!row)
		build_refuse(b, "\"%.40s\" is no policy of dispatch", policy ? policy : "");
	build_code(b);
	build_evaluate(b, value);
	return plain(b, PTOWSP_OP_DISPATCH_FILTER, row->policy, value);
}

uint32_t ptowsp_build_halt(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	build_code(b);
	if (b->depth > 1)
		build_refuse(b, "the entry or process cannot end inside a body");
	build_emit_at(b, PTOWSP_OP_HALT, 0, 0);
	return BUILD_DONE;
}

uint32_t ptowsp_build_nop(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	return plain(b, PTOWSP_OP_NOP, 0, 0);
}
