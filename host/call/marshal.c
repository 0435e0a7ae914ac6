/* SPDX-License-Identifier: MIT */
/* marshal.c - what goes in over there, what comes out back here. */
#include "host/call/marshal.h"

#include <stdlib.h>
#include <string.h>

#include "host/call/struct_check.h"

/* ---- what can cross ------------------------------------------------------------------------------------------- */

/* Tables of functions are not told: they are addresses and nothing more. */
static bool is_told(uint16_t id)
{
	return host_structs[id].fields[host_structs[id].field_count - 1].kind != HOST_FIELD_CALL;
}

static bool is_out(const struct host_parameter *p)
{
	return p->direction == HOST_DIRECTION_OUT || p->direction == HOST_DIRECTION_INOUT;
}

bool host_marshal_goes_up(const struct host_operation *o)
{
	bool goes = o->caller == HOST_SIDE_PLUGIN && (o->table == HOST_STRUCT_COUNT || o->table == HOST_STRUCT_host) &&
		    (o->result == HOST_RESULT_IS_NOTHING || o->result == HOST_RESULT_IS_ANSWER);

	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];

		goes = goes && !is_out(p) && p->kind != HOST_PARAMETER_ADDRESS && p->kind != HOST_PARAMETER_MEMORY && p->kind != HOST_PARAMETER_FUNCTION;
	}
	return goes;
}

bool host_marshal_goes_down(const struct host_operation *o)
{
	bool goes = o->caller == HOST_SIDE_HOST && o->result != HOST_RESULT_IS_MEMORY;

	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];

		goes = goes && p->kind != HOST_PARAMETER_ADDRESS && p->kind != HOST_PARAMETER_MEMORY &&
		       (p->kind != HOST_PARAMETER_FUNCTION || host_marshal_goes_up(&host_operations[p->of]));
	}
	return goes;
}

static bool points_anywhere(uint16_t id)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++)
		if (host_field_points(&host_structs[id].fields[i]))
			return true;
	return false;
}

bool host_marshal_lends(const struct host_operation *o)
{
	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];

		if (p->kind == HOST_PARAMETER_LENT || p->kind == HOST_PARAMETER_TABLES)
			return true;
		if (is_out(p) && (p->kind == HOST_PARAMETER_ONE || p->kind == HOST_PARAMETER_ROWS) && points_anywhere(p->of))
			return true;
	}
	return false;
}

/* ---- in --------------------------------------------------------------------------------------------------------- */

static const struct host_parameter *parameter_of(const struct host_call *call, unsigned i)
{
	return &call->operation->parameters[i];
}

struct host_frame *host_marshal_begin(struct host_wire *w, uint32_t operation)
{
	const struct host_frame frame = {.operation = operation, .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};

	host_wire_bytes(w, &frame, sizeof(frame));
	return w->failed ? NULL : (struct host_frame *)(void *)w->bytes;
}

static void value_put(struct host_wire *w, unsigned i, uint64_t value)
{
	if (!w->failed)
		((struct host_frame *)(void *)w->bytes)->values[i] = value;
}

static uint64_t room_say(const struct host_parameter *p, const void *room)
{
	if (!room || p->kind != HOST_PARAMETER_ONE || host_structs[p->of].fields[0].kind != HOST_FIELD_HEAD)
		return room != NULL;
	return ((const struct ptowsp_head *)room)->size;
}

static uint64_t in_add(struct host_wire *w, const struct host_call *call, unsigned i)
{
	const struct host_parameter *p = parameter_of(call, i);
	const union host_value *v = &call->values[i];

	if (p->direction == HOST_DIRECTION_OUT)
		return room_say(p, v->data);
	switch (p->kind) {
	case HOST_PARAMETER_VALUE: return host_call_number(call, i);
	case HOST_PARAMETER_HANDLE: return (uintptr_t)v->pointer;
	case HOST_PARAMETER_STRING: return host_wire_text(w, v->data);
	case HOST_PARAMETER_TEXT:
	case HOST_PARAMETER_BYTES: return v->data ? host_wire_bytes(w, v->data, host_call_number(call, p->count)) : 0;
	case HOST_PARAMETER_ONE: return is_told(p->of) ? host_wire_struct(w, p->of, v->data) : 0;
	case HOST_PARAMETER_ROWS: return host_wire_rows(w, p->of, v->data, host_call_number(call, p->count), (uint32_t)host_call_number(call, p->stride));
	case HOST_PARAMETER_VALUES: return host_wire_values(w, v->data, host_call_number(call, p->count), p->of);
	}
	return 0;
}

void host_marshal_in(struct host_wire *w, const struct host_call *call)
{
	for (unsigned i = 0; i < call->operation->parameter_count && !w->failed; i++)
		value_put(w, i, in_add(w, call, i));
}

/* Stands for a function on the other side, which is called by its number and never by this address. */
static void elsewhere(void)
{
	abort();
}

static const void *told(struct host_unwire *w, const void *there, bool needed)
{
	w->forged = w->forged || (needed && !there);
	return there;
}

/* A number of the frame that another parameter's memory depends on: of NULL there is nothing. */
static void depends(struct host_call *call, uint64_t *values, uint16_t i, uint64_t number)
{
	if (i == HOST_NOWHERE)
		return;
	values[i] = number;
	call->values[i].number = number;
}

static void in_take(struct host_unwire *w, struct host_call *call, uint64_t *values, unsigned i)
{
	const struct host_parameter *p = parameter_of(call, i);
	const uint64_t count = p->count == HOST_NOWHERE ? 0 : values[p->count];
	union host_value *v = &call->values[i];

	switch (p->kind) {
	case HOST_PARAMETER_VALUE: v->number = values[i]; return;
	case HOST_PARAMETER_HANDLE: v->pointer = (void *)(uintptr_t)values[i]; return;
	case HOST_PARAMETER_FUNCTION: v->function = values[i] ? elsewhere : NULL; return;
	case HOST_PARAMETER_CONTEXT: v->pointer = i && !p->of ? (void *)(uintptr_t)values[i - 1] : NULL; return;
	case HOST_PARAMETER_STRING: v->data = told(w, host_unwire_text(w, values[i]), !p->of); return;
	case HOST_PARAMETER_ONE: v->data = is_told(p->of) ? told(w, host_unwire_struct(w, p->of, values[i]), true) : NULL; return;
	case HOST_PARAMETER_TEXT:
	case HOST_PARAMETER_BYTES: v->data = host_unwire_bytes(w, values[i], count); break;
	case HOST_PARAMETER_VALUES: v->data = host_unwire_values(w, values[i], count, p->of); break;
	case HOST_PARAMETER_ROWS: v->data = host_unwire_rows(w, p->of, values[i], count); break;
	default: v->pointer = NULL; return;
	}
	if (!v->data)
		depends(call, values, p->count, 0);
	if (p->kind == HOST_PARAMETER_ROWS)
		depends(call, values, p->stride, host_structs[p->of].size);
}

void host_rooms_finish(struct host_rooms *rooms)
{
	for (unsigned i = 0; i < HOST_PARAMETERS; i++)
		free(rooms->memory[i]);
	*rooms = (struct host_rooms){0};
}

static void *rows_room(struct host_rooms *rooms, unsigned i, uint64_t size)
{
	return rooms->memory[i] = calloc(rooms->limits[i] + 1, size ? size : 1);
}

static void *struct_room(struct host_rooms *rooms, unsigned i, uint16_t id, uint64_t size)
{
	const uint32_t own = host_structs[id].size;
	struct ptowsp_head *head = rooms->memory[i] = calloc(1, own);

	if (head && host_structs[id].fields[0].kind == HOST_FIELD_HEAD)
		*head = (struct ptowsp_head){(uint32_t)(size < own ? size : own), host_structs[id].fields[0].of, 0};
	return head;
}

static void *room_make(struct host_rooms *rooms, const struct host_parameter *p, const uint64_t *values, unsigned i)
{
	if (p->count != HOST_NOWHERE)
		rooms->limits[i] = values[p->count];
	rooms->numbers[i] = p->direction == HOST_DIRECTION_INOUT ? values[i] : 0;
	if (p->direction == HOST_DIRECTION_OUT && !values[i])
		return NULL;
	switch (p->kind) {
	case HOST_PARAMETER_ONE: return struct_room(rooms, i, p->of, values[i]);
	case HOST_PARAMETER_ROWS: return rows_room(rooms, i, values[p->stride]);
	case HOST_PARAMETER_VALUES: return rows_room(rooms, i, p->of);
	case HOST_PARAMETER_TABLES: return rows_room(rooms, i, sizeof(void *));
	}
	return &rooms->numbers[i];
}

bool host_unmarshal_in(struct host_unwire *w, struct host_call *call, struct host_rooms *rooms)
{
	uint64_t values[HOST_PARAMETERS];

	memcpy(values, w->bytes + offsetof(struct host_frame, values), sizeof(values));
	for (unsigned i = 0; i < call->operation->parameter_count && !w->forged; i++)
		if (!is_out(parameter_of(call, i)))
			in_take(w, call, values, i);
	for (unsigned i = 0; i < call->operation->parameter_count && !w->forged; i++)
		if (is_out(parameter_of(call, i))) {
			call->values[i].pointer = room_make(rooms, parameter_of(call, i), values, i);
			w->forged = !call->values[i].pointer && values[i];
		}
	return !w->forged;
}

/* ---- out -------------------------------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Rows of addresses as places of structs. */
static uint64_t tables_add(struct host_wire *w, uint16_t id, const void *const *rows, uint64_t count)
{
	const uint64_t at = host_wire_values(w, rows, count, sizeof(*rows));

	for (uint64_t i = 0; i < count && !w->failed; i++) {
		const uint64_t place = host_wire_struct(w, id, rows[i]);

		if (!w->failed)
			memcpy(w->bytes + at + i * sizeof(place), &place, sizeof(place));
	}
	return at;
}

static uint64_t out_add(struct host_wire *w, const struct host_call *call, const struct host_rooms *rooms, unsigned i)
{
	const struct host_parameter *p = parameter_of(call, i);
	const void *at = call->values[i].data;
	uint64_t count, stride;

	if (p->kind == HOST_PARAMETER_VALUE)
		return host_call_number(call, i);
	if (!at || call->status)
		return 0;
	count = p->count == HOST_NOWHERE ? 0 : host_call_number(call, p->count);
	stride = p->stride == HOST_NOWHERE ? 0 : host_call_number(call, p->stride);
	switch (p->kind) {
	case HOST_PARAMETER_HANDLE: return rooms->numbers[i];
	case HOST_PARAMETER_ONE: return host_wire_struct(w, p->of, at);
	case HOST_PARAMETER_VALUES: return host_wire_values(w, at, smaller(count, rooms->limits[i]), p->of);
	case HOST_PARAMETER_ROWS: return host_wire_rows(w, p->of, at, smaller(count, rooms->limits[i]), (uint32_t)stride);
	case HOST_PARAMETER_TABLES: return tables_add(w, p->of, at, smaller(count, rooms->limits[i]));
	case HOST_PARAMETER_LENT: return host_wire_rows(w, p->of, host_field_pointer(at, 0), count, (uint32_t)stride);
	}
	return 0;
}

void host_marshal_out(struct host_wire *w, const struct host_call *call, const struct host_rooms *rooms)
{
	for (unsigned i = 0; i < call->operation->parameter_count && !w->failed; i++)
		if (is_out(parameter_of(call, i)))
			value_put(w, i, out_add(w, call, rooms, i));
	if (call->operation->result == HOST_RESULT_IS_NUMBER && !w->failed)
		((struct host_frame *)(void *)w->bytes)->answer = call->answer.number;
}

/* At most what the caller's struct has; what the callee does not know is 0. */
static void struct_give(char *to, uint16_t id, const void *from)
{
	const uint32_t own = host_structs[id].size;
	struct ptowsp_head head = {own, 0, 0};

	if (!from)
		return;
	if (host_structs[id].fields[0].kind == HOST_FIELD_HEAD)
		memcpy(&head, to, sizeof(head));
	memset(to, 0, head.size);
	memcpy(to, from, smaller(head.size, own));
	if (head.type)
		memcpy(to, &head, sizeof(head));
}

static void rows_give(char *to, const char *from, uint64_t count, uint64_t stride, uint64_t own)
{
	for (uint64_t i = 0; from && i < count; i++) {
		memset(to + i * stride, 0, stride);
		memcpy(to + i * stride, from + i * own, smaller(stride, own));
	}
}

static void tables_give(struct host_unwire *w, uint16_t id, const void **to, const uint64_t *places, uint64_t count)
{
	for (uint64_t i = 0; places && i < count && !w->forged; i++)
		to[i] = host_unwire_struct(w, id, places[i]);
}

/* How many of `limit` come back: as many as the callee says, or all where the count only goes in. */
static uint64_t out_count(const struct host_call *call, const struct host_parameter *p, const uint64_t *values, uint64_t limit)
{
	if (p->count == HOST_NOWHERE)
		return 0;
	return is_out(parameter_of(call, p->count)) ? smaller(limit, values[p->count]) : limit;
}

/* limit: rows or values that the caller has room for. */
static void out_take(struct host_unwire *w, struct host_call *call, uint64_t *values, unsigned i, uint64_t limit)
{
	const struct host_parameter *p = parameter_of(call, i);
	const uint64_t own = p->kind == HOST_PARAMETER_VALUES ? p->of : host_structs[p->of].size, n = out_count(call, p, values, limit);
	void *to = call->values[i].pointer;
	const void *from;

	switch (p->kind) {
	case HOST_PARAMETER_HANDLE: memcpy(to, &values[i], sizeof(values[i])); return;
	case HOST_PARAMETER_ONE: struct_give(to, p->of, told(w, host_unwire_struct(w, p->of, values[i]), true)); return;
	case HOST_PARAMETER_VALUES: rows_give(to, told(w, host_unwire_values(w, values[i], limit, own), limit), limit, own, own); return;
	case HOST_PARAMETER_ROWS: rows_give(to, told(w, host_unwire_rows(w, p->of, values[i], n), n), n, host_call_number(call, p->stride), own); return;
	case HOST_PARAMETER_TABLES: tables_give(w, p->of, to, told(w, host_unwire_values(w, values[i], n, sizeof(uint64_t)), n), n); return;
	case HOST_PARAMETER_LENT:
		from = host_unwire_rows(w, p->of, values[i], values[p->count]);
		memcpy(to, &from, sizeof(from));
		values[p->count] = from ? values[p->count] : 0;
		values[p->stride] = own;
	}
}

bool host_unmarshal_out(struct host_unwire *w, struct host_call *call)
{
	uint64_t values[HOST_PARAMETERS];

	memcpy(values, w->bytes + offsetof(struct host_frame, values), sizeof(values));
	for (unsigned i = 0; i < call->operation->parameter_count && !w->forged && !call->status; i++) {
		const struct host_parameter *p = parameter_of(call, i);

		if (is_out(p) && p->kind != HOST_PARAMETER_VALUE && call->values[i].pointer)
			out_take(w, call, values, i, p->count == HOST_NOWHERE ? 0 : host_call_number(call, p->count));
	}
	for (unsigned i = 0; i < call->operation->parameter_count && !w->forged; i++) /* last: they said how much room there is */
		if (is_out(parameter_of(call, i)) && parameter_of(call, i)->kind == HOST_PARAMETER_VALUE && call->values[i].pointer)
			memcpy(call->values[i].pointer, &values[i], parameter_of(call, i)->of);
	return !w->forged;
}
