/* SPDX-License-Identifier: MIT */
/* fuzz_ring.c - any bytes as what a worker left in its ring: u32 where it says that it has written to, then the ring. What the reader takes for messages is read as the call or
 * the answer that it says it is, and all that the description says is there can be touched. */
#include "host/call/marshal.h"
#include "host/call/struct_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ROOM = 4 }; /* rows and values that the caller has room for */

static volatile uint64_t sum;

static void touch(const void *bytes, uint64_t size)
{
	for (uint64_t i = 0; bytes && i < size; i++)
		sum += ((const unsigned char *)bytes)[i];
}

static void struct_touch(uint16_t id, const void *at);

static void rows_touch(uint16_t id, const char *rows, uint64_t count, uint64_t stride)
{
	for (uint64_t i = 0; rows && i < count; i++)
		struct_touch(id, rows + i * stride);
}

static void field_touch(const struct host_field *f, const char *at)
{
	const void *to = host_field_points(f) ? host_field_pointer(at, f->offset) : NULL;

	switch (f->kind) {
	case HOST_FIELD_TEXT: touch(at + f->offset, strlen(at + f->offset)); break;
	case HOST_FIELD_STRING: touch(to, to ? strlen(to) : 0); break;
	case HOST_FIELD_ONE: struct_touch(f->of, to); break;
	case HOST_FIELD_INSIDE: rows_touch(f->of, at + f->offset, f->many, host_structs[f->of].size); break;
	case HOST_FIELD_ROWS: rows_touch(f->of, to, host_field_count(f, at), host_field_stride(f, at)); break;
	case HOST_FIELD_VALUES: touch(to, host_field_count(f, at) * f->of); break;
	case HOST_FIELD_HANDLE: break;
	default:
		if (to)
			abort(); /* an address of the other process */
	}
}

static void struct_touch(uint16_t id, const void *at)
{
	if (!at)
		return;
	touch(at, host_structs[id].size);
	for (unsigned i = 0; i < host_structs[id].field_count; i++)
		field_touch(&host_structs[id].fields[i], at);
}

/* A call of the plugin. */
static void call_touch(struct host_unwire *wire, const struct host_operation *o)
{
	struct host_call call = {.operation = o};
	struct host_rooms none = {0};

	if (!host_marshal_goes_up(o) || !host_unmarshal_in(wire, &call, &none))
		return;
	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];
		const void *at = call.values[i].data;
		const uint64_t count = p->count == HOST_NOWHERE ? 0 : call.values[p->count].number;

		switch (p->kind) {
		case HOST_PARAMETER_STRING: touch(at, at ? strlen(at) : 0); break;
		case HOST_PARAMETER_TEXT:
		case HOST_PARAMETER_BYTES: touch(at, count); break;
		case HOST_PARAMETER_VALUES: touch(at, count * p->of); break;
		case HOST_PARAMETER_ONE: struct_touch(p->of, at); break;
		case HOST_PARAMETER_ROWS: rows_touch(p->of, at, count, call.values[p->stride].number); break;
		}
	}
}

/* The caller's places: a struct, rows or numbers, of their exact size. */
static void *place_make(const struct host_parameter *p)
{
	const size_t own = p->kind == HOST_PARAMETER_ONE || p->kind == HOST_PARAMETER_ROWS ? host_structs[p->of].size : 8;
	struct ptowsp_head *head = calloc(p->kind == HOST_PARAMETER_ONE ? 1 : ROOM, own);

	if (head && p->kind == HOST_PARAMETER_ONE)
		*head = (struct ptowsp_head){(uint32_t)own, host_structs[p->of].fields[0].of, 0};
	if (head && p->direction == HOST_DIRECTION_INOUT)
		*(uint32_t *)(void *)head = ROOM;
	return head;
}

static void tables_touch(const struct host_call *call, const struct host_parameter *p, const void *const *rows)
{
	const uint64_t count = host_field_number(call->values[p->count].data, 0, sizeof(uint32_t));

	for (uint64_t i = 0; i < count && i < ROOM; i++)
		struct_touch(p->of, rows[i]);
}

static void out_touch(const struct host_call *call, const struct host_parameter *p, void *at)
{
	if (p->kind == HOST_PARAMETER_ONE)
		struct_touch(p->of, at);
	else if (p->kind == HOST_PARAMETER_TABLES)
		tables_touch(call, p, at);
	else if (p->kind == HOST_PARAMETER_LENT)
		rows_touch(p->of, *(void **)at, host_field_number(call->values[p->count].data, 0, sizeof(uint32_t)), host_structs[p->of].size);
}

/* An answer to the host. */
static void answer_touch(struct host_unwire *wire, const struct host_operation *o, ptowsp_status status)
{
	struct host_call call = {.operation = o, .status = status};
	void *places[HOST_PARAMETERS] = {0};
	bool taken;

	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].direction == HOST_DIRECTION_OUT || o->parameters[i].direction == HOST_DIRECTION_INOUT)
			call.values[i].pointer = places[i] = place_make(&o->parameters[i]);
		else
			call.values[i].number = o->parameters[i].kind == HOST_PARAMETER_VALUE ? ROOM : 0;
	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].kind == HOST_PARAMETER_ROWS)
			call.values[o->parameters[i].stride].number = host_structs[o->parameters[i].of].size;
	taken = host_marshal_goes_down(o) && host_unmarshal_out(wire, &call);
	for (unsigned i = 0; taken && !status && i < o->parameter_count; i++)
		if (places[i])
			out_touch(&call, &o->parameters[i], places[i]);
	for (unsigned i = 0; i < o->parameter_count; i++)
		free(places[i]);
}

static void message_touch(unsigned char *bytes, size_t size, uint16_t kind)
{
	struct host_unwire wire = {.bytes = bytes, .size = size, .at = sizeof(struct host_frame)};
	struct host_frame frame;

	if (size < sizeof(frame))
		return;
	memcpy(&frame, bytes, sizeof(frame));
	if (kind & 1)
		call_touch(&wire, &host_operations[frame.operation % HOST_OPERATION_COUNT]);
	else
		answer_touch(&wire, &host_operations[frame.operation % HOST_OPERATION_COUNT], frame.status & 1);
}

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct host_ring_shared shared;
	struct host_ring ring;
	uint32_t head;

	if (size < sizeof(head) || size - sizeof(head) > sizeof(shared.bytes))
		return false;
	memcpy(&head, bytes, sizeof(head));
	memset(shared.bytes, 0, sizeof(shared.bytes) < 65536 ? sizeof(shared.bytes) : 65536);
	memcpy(shared.bytes, bytes + sizeof(head), size - sizeof(head));
	atomic_store(&shared.head, head);
	atomic_store(&shared.tail, 0);
	host_ring_init(&ring, &shared);
	for (int n = 0; n < 64 && host_ring_read(&ring) == HOST_RING_READY; n++) {
		unsigned char *copy = malloc(ring.size + 1); /* of its exact size */

		if (copy) {
			memcpy(copy, ring.message, ring.size);
			copy = realloc(copy, ring.size ? ring.size : 1);
		}
		if (copy)
			message_touch(copy, ring.size, ring.kind);
		free(copy);
	}
	host_ring_finish(&ring);
	return false;
}
