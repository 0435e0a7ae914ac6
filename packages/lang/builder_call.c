/* SPDX-License-Identifier: MIT */
/* builder_call.c - notes about calls that were expanded in place: nothing that a run needs, but what ptowsp-inspect --pto prints. */
#include "lang/build.h"

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
	*LANG_PUSH(&b->arena, call->arguments, call->record.argument_count, call->argument_capacity) = argument;
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
