/* SPDX-License-Identifier: MIT */
#include "host/layers/replay_log.h"

#include <string.h>

#include "host/host_error.h"

enum { ROOM_MOST = 1 << 24 }; /* bytes of one result */

ptowsp_status host_replay_log_check(const struct host_replay_log *log, const char *name, struct ptowsp_error *error)
{
	struct tape_file head = {0};

	if (log->size >= sizeof(head))
		memcpy(&head, log->bytes, sizeof(head));
	if (head.magic != TAPE_MAGIC || head.version != TAPE_VERSION)
		return host_fail(error, PTOWSP_INVALID, "%.120s is no log of layer trace, or of another version", name);
	if (head.description != host_tape_description())
		return host_fail(error, PTOWSP_INVALID, "%.120s was written by a host with another description of the ABI; take that host's tool", name);
	return PTOWSP_OK;
}

bool host_replay_log_next(const struct host_replay_log *log, size_t *at, struct tape_record *record_out, struct host_tape_reader *reader_out)
{
	if (log->size - *at < sizeof(*record_out))
		return false;
	memcpy(record_out, log->bytes + *at, sizeof(*record_out));
	if (record_out->size < sizeof(*record_out) || record_out->size > log->size - *at || record_out->size % 8 ||
	    record_out->operation >= HOST_OPERATION_COUNT)
		return false;
	*reader_out = (struct host_tape_reader){.at = log->bytes + *at + sizeof(*record_out), .end = log->bytes + *at + record_out->size};
	*at += record_out->size;
	return true;
}

/* *bytes_out: of BYTES, how many there are. */
static void in_take(struct host_tape_reader *reader, const struct host_parameter *p, union host_value *value, uint64_t *bytes_out,
		    const struct host_replay_now *now)
{
	uint64_t size, number;

	switch (p->kind) {
	case HOST_PARAMETER_VALUE:
		number = host_tape_take(reader);
		if (p->direction == HOST_DIRECTION_IN)
			value->number = number;
		else if ((value->pointer = host_tape_room(reader, 8)))
			memcpy(value->pointer, &number, p->of);
		return;
	case HOST_PARAMETER_HANDLE:
		number = host_tape_take(reader);
		value->pointer = now->object(now->context, number);
		reader->wrong = reader->wrong || (number && !value->pointer); /* no operation takes an object that is not there */
		if (p->direction == HOST_DIRECTION_LAST && now->gone)
			now->gone(now->context, p->of, number);
		return;
	case HOST_PARAMETER_STRING:
		value->data = host_tape_take_bytes(reader, &size);
		reader->wrong = reader->wrong || (value->data && (!size || ((const char *)value->data)[size - 1]));
		return;
	case HOST_PARAMETER_BYTES: value->data = host_tape_take_bytes(reader, bytes_out); return;
	case HOST_PARAMETER_ONE:
		value->pointer = host_tape_take_struct(reader, p->of, now->object, now->context);
		if (p->of == HOST_STRUCT_host)
			value->data = now->services;
		else
			reader->wrong = reader->wrong || !value->pointer; /* no operation takes NULL there */
		return;
	case HOST_PARAMETER_FUNCTION:
		value->function = host_tape_take(reader) ? now->callback(p->of) : NULL;
		reader->wrong = reader->wrong || (!value->function && p->stride != 1);
		return;
	case HOST_PARAMETER_CONTEXT: host_tape_take(reader); return;
	}
	reader->wrong = true; /* no operation has more */
}

/* Room for a result, as large as the other parameters say. */
static void out_room(struct host_tape_reader *reader, const struct host_call *call, const struct host_parameter *p, union host_value *value)
{
	uint64_t each = p->kind == HOST_PARAMETER_ONE ? host_structs[p->of].size : 8, many = 1;

	if (p->kind == HOST_PARAMETER_TABLES || p->kind == HOST_PARAMETER_ROWS) {
		many = host_call_number(call, p->count);
		each = p->kind == HOST_PARAMETER_TABLES ? sizeof(void *) : host_call_number(call, p->stride);
	} else if (p->kind == HOST_PARAMETER_VALUES) {
		many = host_call_number(call, p->count);
		each = p->of;
	}
	/* A plugin gets 32 bits of each. */
	reader->wrong = reader->wrong || many > UINT32_MAX || each > UINT32_MAX || many * each > ROOM_MOST;
	value->pointer = reader->wrong ? NULL : host_tape_room(reader, many * each);
	if (value->pointer && p->kind == HOST_PARAMETER_ONE)
		*(struct ptowsp_head *)value->pointer = (struct ptowsp_head){host_structs[p->of].size, host_structs[p->of].fields[0].of, 0};
}

bool host_replay_arguments(struct host_tape_reader *reader, struct host_call *call, const struct host_replay_now *now)
{
	const struct host_operation *o = call->operation;
	uint64_t bytes[HOST_PARAMETERS] = {0};

	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].direction != HOST_DIRECTION_OUT)
			in_take(reader, &o->parameters[i], &call->values[i], &bytes[i], now);
	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].kind == HOST_PARAMETER_BYTES)
			reader->wrong = reader->wrong || call->values[o->parameters[i].count].number != bytes[i];
	for (unsigned i = 0; i < o->parameter_count && !reader->wrong; i++)
		if (o->parameters[i].direction == HOST_DIRECTION_OUT)
			out_room(reader, call, &o->parameters[i], &call->values[i]);
	return !reader->wrong;
}
