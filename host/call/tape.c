/* SPDX-License-Identifier: MIT */
/* tape.c - from calls to bytes. */
#include "host/call/tape.h"

#include <string.h>

#include "host/call/struct_check.h"
#include "registry/common/common_dtype.h"

uint64_t host_tape_digest(const void *bytes, size_t size)
{
	return ptowsp_id(bytes, size);
}

/* A digest of everything that a reader must number in the same way. */
uint64_t host_tape_description(void)
{
	uint64_t digest = 0;

	for (unsigned i = 0; i < HOST_OPERATION_COUNT; i++) {
		const struct host_operation *o = &host_operations[i];

		digest = digest * 31 + ptowsp_id(o->name, strlen(o->name));
		for (unsigned k = 0; k < o->parameter_count; k++)
			digest = digest * 31 + (uint64_t)o->parameters[k].kind * 4 + o->parameters[k].direction;
	}
	for (unsigned i = 0; i < HOST_STRUCT_COUNT; i++)
		for (unsigned k = 0; k < host_structs[i].field_count; k++)
			digest = digest * 31 + ptowsp_id(host_structs[i].fields[k].name, strlen(host_structs[i].fields[k].name)) +
				 host_structs[i].fields[k].offset;
	return digest;
}

/* Items begin at multiples of 8. */
static void put(struct host_tape *t, const void *bytes, size_t size)
{
	static const char zeros[8];

	if (size)
		common_text_bytes(&t->out, bytes, size);
	common_text_bytes(&t->out, zeros, (8 - size % 8) % 8);
}

void host_tape_number(struct host_tape *t, uint64_t number)
{
	put(t, &number, sizeof(number));
}

static void bytes_put(struct host_tape *t, const void *bytes, uint64_t size)
{
	host_tape_number(t, bytes ? size : UINT64_MAX);
	if (bytes)
		put(t, bytes, size);
}

static void elements_put(struct host_tape *t, const void *data, uint64_t bytes)
{
	const bool content = bytes < TAPE_CONTENT || !data;

	host_tape_number(t, content);
	if (content) {
		bytes_put(t, data, bytes);
		return;
	}
	host_tape_number(t, bytes);
	host_tape_number(t, host_tape_digest(data, bytes));
}

static void struct_put(struct host_tape *t, enum host_struct_id id, const void *at);

static void fields_put(struct host_tape *t, enum host_struct_id id, const void *at, uint32_t size)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++) {
		const struct host_field *f = &host_structs[id].fields[i];
		const char *to = f->size == sizeof(to) && f->offset + f->size <= size ? host_field_pointer(at, f->offset) : NULL;
		const uint64_t count = f->count == HOST_NOWHERE || !to ? 0 : host_field_count(f, at);
		const uint32_t stride = to ? host_field_stride(f, at) : 0;

		if (f->offset + f->size > size)
			return;
		if (f->kind == HOST_FIELD_STRING)
			bytes_put(t, to, to ? strlen(to) + 1 : 0);
		else if (f->kind == HOST_FIELD_ONE)
			struct_put(t, f->of, to);
		else if (f->kind == HOST_FIELD_VALUES)
			bytes_put(t, to, count * f->of);
		else if (f->kind == HOST_FIELD_RECORDS)
			bytes_put(t, to, count * stride);
		else if (f->kind == HOST_FIELD_ELEMENTS)
			elements_put(t, to, count * common_dtype_bytes(host_field_number(at, f->stride, 2)));
		else if (f->kind == HOST_FIELD_ROWS) {
			host_tape_number(t, to ? count : 0);
			host_tape_number(t, stride);
			put(t, to, to ? count * stride : 0);
			for (uint64_t k = 0; to && k < count; k++)
				fields_put(t, f->of, to + k * stride, stride);
		}
	}
}

/* Tables of functions are not told: they are addresses and nothing more. */
static bool is_told(enum host_struct_id id)
{
	return host_structs[id].fields[host_structs[id].field_count - 1].kind != HOST_FIELD_CALL;
}

static void struct_put(struct host_tape *t, enum host_struct_id id, const void *at)
{
	const uint32_t size =
		at && is_told(id) ? host_structs[id].fields[0].kind == HOST_FIELD_HEAD ? ((const struct ptowsp_head *)at)->size : host_structs[id].size : 0;

	host_tape_number(t, size);
	put(t, at, size);
	if (size)
		fields_put(t, id, at, size);
}

static void in_put(struct host_tape *t, const struct host_call *call, const struct host_parameter *p, const union host_value *value)
{
	uint64_t number = 0;

	switch (p->kind) {
	case HOST_PARAMETER_VALUE:
		if (p->direction == HOST_DIRECTION_INOUT)
			memcpy(&number, value->data, p->of);
		host_tape_number(t, p->direction == HOST_DIRECTION_INOUT ? number : value->number);
		return;
	case HOST_PARAMETER_HANDLE: host_tape_number(t, (uintptr_t)value->pointer); return;
	case HOST_PARAMETER_STRING: bytes_put(t, value->data, value->data ? strlen(value->data) + 1 : 0); return;
	case HOST_PARAMETER_TEXT:
	case HOST_PARAMETER_BYTES: bytes_put(t, value->data, call->values[p->count].number); return;
	case HOST_PARAMETER_VALUES: bytes_put(t, value->data, call->values[p->count].number * p->of); return;
	case HOST_PARAMETER_ONE: struct_put(t, p->of, value->data); return;
	case HOST_PARAMETER_ROWS:
		host_tape_number(t, value->data ? call->values[p->count].number : 0);
		host_tape_number(t, call->values[p->stride].number);
		put(t, value->data, value->data ? call->values[p->count].number * call->values[p->stride].number : 0);
		return;
	}
	host_tape_number(t, value->pointer != NULL);
}

static void out_put(struct host_tape *t, const struct host_call *call, const struct host_parameter *p, const union host_value *value)
{
	const uint64_t count = p->count == HOST_NOWHERE ? 0 : host_call_number(call, p->count),
		       stride = p->stride == HOST_NOWHERE ? 0 : host_call_number(call, p->stride);
	const void *rows = value->data;
	uint64_t number = 0;

	switch (p->kind) {
	case HOST_PARAMETER_VALUE:
		memcpy(&number, value->data, p->of);
		host_tape_number(t, number);
		return;
	case HOST_PARAMETER_HANDLE: host_tape_number(t, (uintptr_t) * (void *const *)value->data); return;
	case HOST_PARAMETER_ADDRESS: host_tape_number(t, *(void *const *)value->data != NULL); return;
	case HOST_PARAMETER_VALUES: bytes_put(t, value->data, count * p->of); return;
	case HOST_PARAMETER_ONE: struct_put(t, p->of, value->data); return;
	case HOST_PARAMETER_TABLES:
		host_tape_number(t, count);
		host_tape_number(t, 0);
		for (uint64_t i = 0; i < count; i++)
			struct_put(t, p->of, ((const void *const *)rows)[i]);
		return;
	}
	if (p->kind == HOST_PARAMETER_LENT)
		memcpy(&rows, value->data, sizeof(rows));
	host_tape_number(t, count);
	host_tape_number(t, stride);
	put(t, rows, (size_t)count * stride);
}

static void answer_put(struct host_tape *t, const struct host_call *call)
{
	const uint16_t result = call->operation->result;

	if (result == HOST_RESULT_IS_NUMBER)
		host_tape_number(t, call->answer.number);
	else if (result == HOST_RESULT_IS_TABLE || result == HOST_RESULT_IS_MEMORY)
		host_tape_number(t, call->answer.data != NULL);
	else if (call->status < 0 && call->error)
		put(t, call->error, sizeof(*call->error));
	else if (call->status < 0)
		put(t, &(struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}, sizeof(*call->error));
}

void host_tape_call(struct host_tape *t, const struct host_call *call, unsigned phase, uint64_t number, uint64_t outer, uint64_t thread, uint64_t ns)
{
	const struct host_operation *o = call->operation;
	const struct tape_record record = {.operation = (uint16_t)(o - host_operations),
					   .phase = (uint16_t)phase,
					   .status = phase == TAPE_RETURN ? call->status : 0,
					   .number = number,
					   .outer = outer,
					   .thread = thread,
					   .ns = ns};

	t->out.length = 0;
	t->out.failed = false;
	put(t, &record, sizeof(record));
	if (phase == TAPE_RETURN)
		answer_put(t, call);
	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];

		if (phase == TAPE_CALL && p->direction != HOST_DIRECTION_OUT)
			in_put(t, call, p, &call->values[i]);
		else if (phase == TAPE_RETURN && !call->status && (p->direction == HOST_DIRECTION_OUT || p->direction == HOST_DIRECTION_INOUT))
			out_put(t, call, p, &call->values[i]);
	}
}

void host_tape_close(struct host_tape *t)
{
	const uint64_t size = t->out.length;

	if (!t->out.failed)
		memcpy(t->out.bytes, &size, sizeof(size));
}

void host_tape_finish(struct host_tape *t)
{
	common_text_finish(&t->out);
}
