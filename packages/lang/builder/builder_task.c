/* SPDX-License-Identifier: MIT */
/* builder_task.c - tasks: their arguments, regions and stated edges; notes of calls that were expanded. */
#include "format/format_names.h"
#include "lang/builder/build.h"
#include "ptowsp/task.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
#include <string.h>

uint32_t build_kernel_listed(struct ptowsp_build *b, uint32_t kernel)
{
	struct build_kernel *k = &b->kernels[kernel];

	if (!k->listed)
		k->listed = lang_work_kernel_add(&b->tables, kernel) + 1;
	return k->listed - 1;
}

/* The words of a task are complete, or the call that comes next says what they lack. */
void build_task_close(struct ptowsp_build *b)
{
	const struct build_kernel *kernel;

	if (b->carry)
		build_refuse(b, "the %s in front lacks the region of its payload: ptowsp_build_carry", b->carry == PTOWSP_OP_IO_INPUT ? "send" : "consume");
	if (!b->task.open)
		return;
	b->task.open = 0;
	if (b->task.copy)
		return;
	kernel = &b->kernels[b->task.kernel];
	if (b->task.args < kernel->scalars)
		build_refuse(b, "the task of %.80s in front has %u of %u arguments", build_text(b, kernel->record.name), b->task.args, kernel->scalars);
	if (b->task.uses < kernel->tensors)
		build_refuse(b, "the task of %.80s in front has %u of %u regions", build_text(b, kernel->record.name), b->task.uses, kernel->tensors);
}

/* a copy has been written: its edges may follow */
static void copy_open(struct ptowsp_build *b, uint32_t head)
{
	b->task = (struct build_task){.head = head, .open = 1, .copy = 1};
}

uint32_t ptowsp_build_task(struct ptowsp_build *b, uint32_t kernel)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_KERNEL, kernel), head;
	const struct build_kernel *k = &b->kernels[row];

	build_code(b);
	head = build_emit_at(b, PTOWSP_OP_TASK, build_kernel_listed(b, row), k->scalars << 16 | k->tensors);
	b->task = (struct build_task){.head = head, .kernel = row, .open = 1};
	return BUILD_DONE;
}

/* The parameter of the task at hand that comes next. */
static const struct build_param *param_next(struct ptowsp_build *b, uint16_t kind)
{
	uint32_t number = kind == PTOWSP_PARAM_TENSOR ? b->task.uses : b->task.args;
	const struct build_kernel *k;

	if (!b->task.open || b->task.afters || b->task.copy)
		build_refuse(b, "this stands behind a task, in front of its edges");
	k = &b->kernels[b->task.kernel];
	for (uint32_t i = 0; i < k->record.param_count; i++) {
		const struct build_param *p = &b->params[k->params[i]];

		if (p->record.kind == kind && p->number == number)
			return p;
	}
	build_refuse(b, "kernel %.80s has %u scalars and %u tensors, and they are there", build_text(b, k->record.name), k->scalars, k->tensors);
}

static void arg_next(struct ptowsp_build *b)
{
	param_next(b, PTOWSP_PARAM_SCALAR);
	if (b->task.uses)
		build_refuse(b, "the arguments of a task stand in front of its regions");
}

uint32_t ptowsp_build_arg(struct ptowsp_build *b, uint32_t expr)
{
	BUILD_CALL(b);
	uint32_t row = build_expr(b, expr);

	arg_next(b);
	build_evaluate(b, row);
	if (lang_argument_add(&b->tables, b->task.args, row) == PTOWSP_NONE)
		build_refuse(b, "a package has at most %u instructions", LANG_MAX_INSTRUCTIONS);
	b->task.args++;
	return BUILD_DONE;
}

uint32_t ptowsp_build_arg_number(struct ptowsp_build *b, int32_t value)
{
	BUILD_CALL(b);
	arg_next(b);
	build_emit(b, PTOWSP_OP_PARAM_CONST, b->task.args++, (uint32_t)value);
	return BUILD_DONE;
}

uint32_t ptowsp_build_arg_loop(struct ptowsp_build *b, uint32_t depth)
{
	BUILD_CALL(b);
	arg_next(b);
	if (depth >= b->loops)
		build_refuse(b, "there is no loop at depth %u here, %u are open", depth, b->loops);
	build_emit(b, PTOWSP_OP_PARAM_LOOPVAR, b->task.args++, depth);
	return BUILD_DONE;
}

static uint32_t use(struct ptowsp_build *b, uint32_t region, unsigned access)
{
	if (b->task.args < b->kernels[b->task.kernel].scalars)
		build_refuse(b, "the arguments of a task stand in front of its regions");
	build_emit(b, lang_io_word(access), b->task.uses, build_region_row(b, region));
	b->task.uses++;
	return BUILD_DONE;
}

uint32_t ptowsp_build_use(struct ptowsp_build *b, uint32_t region)
{
	BUILD_CALL(b);
	return use(b, region, param_next(b, PTOWSP_PARAM_TENSOR)->record.access);
}

uint32_t ptowsp_build_use_as(struct ptowsp_build *b, uint32_t region, const char *access)
{
	BUILD_CALL(b);
	param_next(b, PTOWSP_PARAM_TENSOR);
	return use(b, region, build_word(b, PKG_WORDS_access, access));
}

static bool is_short(const struct ptowsp_build *b)
{
	const struct build_kernel *kernel = &b->kernels[b->task.kernel];

	return b->task.args < kernel->scalars || b->task.uses < kernel->tensors;
}

static uint32_t use_part(struct ptowsp_build *b, unsigned word, uint32_t argument, uint32_t handle)
{
	uint32_t expr = build_expr(b, handle);

	if (!b->task.open || b->task.copy || b->task.afters || is_short(b))
		build_refuse(b, "how much of a tile is there stands behind a task with all its arguments and regions, in front of its edges");
	if (argument >= b->kernels[b->task.kernel].tensors)
		build_refuse(b, "the task has %u tensors, %u is none of them", b->kernels[b->task.kernel].tensors, argument);
	build_evaluate(b, expr);
	build_emit(b, word, argument, expr);
	return BUILD_DONE;
}

uint32_t ptowsp_build_use_rows(struct ptowsp_build *b, uint32_t argument, uint32_t expr)
{
	BUILD_CALL(b);
	return use_part(b, COMMON_PART_ROWS, argument, expr);
}

uint32_t ptowsp_build_use_columns(struct ptowsp_build *b, uint32_t argument, uint32_t expr)
{
	BUILD_CALL(b);
	return use_part(b, COMMON_PART_COLUMNS, argument, expr);
}

uint32_t ptowsp_build_after(struct ptowsp_build *b, const char *kind, uint32_t task)
{
	BUILD_CALL(b);
	uint32_t expr = build_expr(b, task);

	if (!b->task.open || (!b->task.copy && is_short(b)))
		build_refuse(b, "an edge stands behind a copy, or a task with all its arguments and regions");
	build_evaluate(b, expr);
	build_emit(b, PTOWSP_OP_AFTER, build_word(b, PKG_WORDS_edge, kind), expr);
	b->task.afters = 1;
	return BUILD_DONE;
}

/* ---- notes about calls that were expanded in place: nothing that a run needs, but what ptowsp-inspect --pto prints. ---- */

static struct build_call_note *call_of(struct ptowsp_build *b)
{
	if (!b->call_open)
		build_refuse(b, "this stands between ptowsp_build_call and ptowsp_build_call_end");
	return &b->calls[b->call_count - 1];
}

uint32_t ptowsp_build_call(struct ptowsp_build *b, const char *entry)
{
	BUILD_CALL(b);
	struct build_call_note call = {.callee = build_string(b, entry)};

	build_code(b);
	if (!call.callee)
		build_refuse(b, "the name of the entry is missing");
	if (b->call_open)
		build_refuse(b, "calls inside of a call are notes of the entry that makes them");
	call.record.first = b->tables.work_count;
	call.record.caller = b->entry;
	*BUILD_PUSH(b, calls, call) = call;
	b->call_open = b->depth;
	return BUILD_DONE;
}

static uint32_t argument_add(struct ptowsp_build *b, struct build_call_note *call, struct ptowsp_call_argument_record argument)
{
	if (call->record.first != b->tables.work_count)
		build_refuse(b, "the arguments of a call stand in front of its code");
	*COMMON_PUSH(b->arena, call->arguments, call->record.argument_count, call->argument_capacity) = argument;
	return BUILD_DONE;
}

uint32_t ptowsp_build_call_tensor(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column)
{
	BUILD_CALL(b);
	struct build_call_note *call = call_of(b);
	struct ptowsp_call_argument_record argument = {.tensor = build_row(b, BUILD_TENSOR, tensor), .slot = PTOWSP_NONE};

	argument.row = build_expr(b, row);
	argument.column = build_expr(b, column);
	return argument_add(b, call, argument);
}

uint32_t ptowsp_build_call_scalar(struct ptowsp_build *b, uint32_t symbol, uint32_t expr)
{
	BUILD_CALL(b);
	struct build_call_note *call = call_of(b);
	struct ptowsp_call_argument_record argument = {.tensor = PTOWSP_NONE, .slot = build_row(b, BUILD_SLOT, symbol), .column = PTOWSP_NONE};

	argument.row = build_expr(b, expr);
	return argument_add(b, call, argument);
}

uint32_t ptowsp_build_call_end(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_call_note *call = call_of(b);

	build_code(b);
	if (b->depth != b->call_open)
		build_refuse(b, "a call ends in the body in which it began");
	call->record.instructions = b->tables.work_count - call->record.first;
	b->call_open = 0;
	return BUILD_DONE;
}

/* ---- statements of bodies: slots, events, order, memory; tasks are in builder_task.c, bodies in builder_block.c. ---- */

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
	copy_open(b, head);
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
