/* SPDX-License-Identifier: MIT */
/* test_marshal.c - every operation, service and callback of the description over a process boundary and back, with random content: nothing here knows one of them by name, so what
 * a minor appends is tested without a line. */
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "host/call/marshal.h"
#include "host/call/struct_check.h"
#include "host/find/host_plugin.h"

enum { MOST = 3, ROUNDS = 40 }; /* rows and values of an array */

static uint64_t state;
static _Alignas(64) unsigned char arena[1 << 20];
static size_t used;

static uint64_t draw(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static void *room(size_t size)
{
	void *at = arena + used;

	used += (size + 15) / 8 * 8;
	REQUIRE(used <= sizeof(arena));
	return memset(at, 0, size);
}

static void bytes_draw(void *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)at)[i] = (unsigned char)(1 + draw(255));
}

static char *text_draw(void)
{
	const size_t length = (size_t)draw(20);
	char *text = room(length + 1);

	bytes_draw(text, length);
	return text;
}

static void pointer_set(void *at, uint16_t offset, const void *to)
{
	memcpy((char *)at + offset, &to, sizeof(to));
}

/* ---- structs with anything in them ------------------------------------------------------------------------------ */

static void struct_draw(uint16_t id, void *at);

static void number_set(uint16_t id, void *at, uint16_t offset, uint64_t number)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++)
		if (host_structs[id].fields[i].offset == offset)
			memcpy((char *)at + offset, &number, host_structs[id].fields[i].size);
}

/* Rows a little longer than this host knows them. */
static void *rows_draw(uint16_t id, uint64_t count, uint32_t stride)
{
	char *rows = room((size_t)count * stride);

	for (uint64_t i = 0; i < count; i++) {
		bytes_draw(rows + i * stride, stride);
		struct_draw(id, rows + i * stride);
	}
	return rows;
}

static void *one_draw(uint16_t id)
{
	void *at = room(host_structs[id].size);

	bytes_draw(at, host_structs[id].size);
	struct_draw(id, at);
	return at;
}

static void array_draw(uint16_t id, const struct host_field *f, void *at)
{
	const uint64_t count = draw(MOST + 1);
	const uint32_t stride = f->kind == HOST_FIELD_ROWS ? host_structs[f->of].size + 8 * (uint32_t)draw(3) : 0;
	void *values = f->kind == HOST_FIELD_ROWS ? rows_draw(f->of, count, stride) : room((size_t)count * f->of);

	if (f->kind == HOST_FIELD_VALUES)
		bytes_draw(values, (size_t)count * f->of);
	pointer_set(at, f->offset, count ? values : NULL);
	number_set(id, at, f->count, count);
	if (f->kind == HOST_FIELD_ROWS)
		number_set(id, at, f->stride, stride);
}

/* Numbers are there already, addresses that mean nothing over there are some bytes. */
static void struct_draw(uint16_t id, void *at)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++) {
		const struct host_field *f = &host_structs[id].fields[i];

		switch (f->kind) {
		case HOST_FIELD_HEAD: *(struct ptowsp_head *)at = (struct ptowsp_head){host_structs[id].size, f->of, 0}; break;
		case HOST_FIELD_TEXT: ((char *)at)[f->offset + f->size - 1] = '\0'; break;
		case HOST_FIELD_STRING: pointer_set(at, f->offset, draw(4) ? text_draw() : NULL); break;
		case HOST_FIELD_ONE: pointer_set(at, f->offset, draw(4) ? one_draw(f->of) : NULL); break;
		case HOST_FIELD_INSIDE:
			for (unsigned k = 0; k < f->many; k++)
				struct_draw(f->of, (char *)at + f->offset + k * host_structs[f->of].size);
			break;
		case HOST_FIELD_ROWS:
		case HOST_FIELD_VALUES: array_draw(id, f, at); break;
		}
	}
}

static bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool struct_same(uint16_t id, const void *a, const void *b);

static bool array_same(const struct host_field *f, const char *a, const char *b)
{
	const uint64_t count = host_field_count(f, a);
	const char *x = host_field_pointer(a, f->offset), *y = host_field_pointer(b, f->offset);
	bool same = count == host_field_count(f, b) && !x == !y;

	if (f->kind == HOST_FIELD_VALUES)
		return same && (!count || !memcmp(x, y, (size_t)count * f->of));
	for (uint64_t i = 0; same && i < count; i++)
		same = struct_same(f->of, x + i * host_field_stride(f, a), y + i * host_field_stride(f, b));
	return same;
}

static bool counts(uint16_t id, uint16_t offset)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++)
		if (host_structs[id].fields[i].kind == HOST_FIELD_ROWS && host_structs[id].fields[i].stride == offset)
			return true;
	return false;
}

/* b is what arrived. Strides may differ; addresses of the other side are gone. */
static bool field_same(uint16_t id, const struct host_field *f, const char *a, const char *b)
{
	const void *x = f->size == sizeof(x) ? host_field_pointer(a, f->offset) : NULL, *y = f->size == sizeof(y) ? host_field_pointer(b, f->offset) : NULL;
	bool same = true;

	switch (f->kind) {
	case HOST_FIELD_STRING: return text_same(x, y);
	case HOST_FIELD_ONE: return x && y ? struct_same(f->of, x, y) : x == y;
	case HOST_FIELD_INSIDE:
		for (unsigned k = 0; k < f->many; k++)
			same = same && struct_same(f->of, a + f->offset + k * host_structs[f->of].size, b + f->offset + k * host_structs[f->of].size);
		return same;
	case HOST_FIELD_ROWS:
	case HOST_FIELD_VALUES: return array_same(f, a, b);
	case HOST_FIELD_CONTEXT:
	case HOST_FIELD_WINDOW:
	case HOST_FIELD_BYTES:
	case HOST_FIELD_CALL:
	case HOST_FIELD_FUNCTION: return !y;
	}
	return counts(id, f->offset) || !memcmp(a + f->offset, b + f->offset, f->size);
}

static bool struct_same(uint16_t id, const void *a, const void *b)
{
	bool same = true;

	for (unsigned i = 0; i < host_structs[id].field_count && same; i++) {
		same = field_same(id, &host_structs[id].fields[i], a, b);
		if (!same)
			printf("# %s.%s is another one over there\n", host_structs[id].name, host_structs[id].fields[i].name);
	}
	return same;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Elements and records: their own address stands for their place, here. */
static bool away_put(struct host_wire *wire, const struct host_away *away, uint64_t *place_out)
{
	(void)wire;
	*place_out = (uintptr_t)away->memory;
	return true;
}

static void *away_take(struct host_unwire *wire, const struct host_field *field, uint64_t place)
{
	(void)wire, (void)field;
	return (void *)(uintptr_t)place;
}

static bool is_out(const struct host_parameter *p)
{
	return p->direction == HOST_DIRECTION_OUT || p->direction == HOST_DIRECTION_INOUT;
}

/* Counts stand behind what they count: how many there are, or there is room for; the stride of rows. */
static void number_put(struct host_call *call, uint16_t i, uint64_t number)
{
	if (i == HOST_NOWHERE)
		return;
	if (is_out(&call->operation->parameters[i]))
		memcpy(call->values[i].pointer, &number, call->operation->parameters[i].of);
	else
		call->values[i].number = number;
}

static uint64_t number_get(const struct host_call *call, uint16_t i)
{
	return is_out(&call->operation->parameters[i]) ? host_field_number(call->values[i].data, 0, call->operation->parameters[i].of) : call->values[i].number;
}

static void in_draw(struct host_call *call, unsigned i)
{
	const struct host_parameter *p = &call->operation->parameters[i];
	union host_value *v = &call->values[i];
	const uint64_t count = draw(MOST + 1);
	const uint32_t stride = p->kind == HOST_PARAMETER_ROWS ? host_structs[p->of].size + 8 * (uint32_t)draw(3) : 0;

	switch (p->kind) {
	case HOST_PARAMETER_VALUE: v->number = draw(UINT64_C(1) << 30) >> (p->of < 4 ? 30 - 8 * p->of : 0); return;
	case HOST_PARAMETER_HANDLE: v->pointer = (void *)(uintptr_t)(1 + draw(1000)); return;
	case HOST_PARAMETER_STRING: v->data = p->of && !draw(4) ? NULL : text_draw(); return;
	case HOST_PARAMETER_ONE: v->data = one_draw(p->of); return;
	case HOST_PARAMETER_CONTEXT: v->pointer = arena; return;
	case HOST_PARAMETER_FUNCTION: return;
	case HOST_PARAMETER_ROWS: v->data = rows_draw(p->of, count, stride); break;
	default: v->data = room((size_t)count * p->of); bytes_draw((void *)(uintptr_t)v->data, (size_t)count * p->of);
	}
	number_put(call, p->count, count);
	number_put(call, p->stride, stride);
}

/* The caller's places, with bytes in them. */
static void out_room(struct host_call *call, unsigned i)
{
	const struct host_parameter *p = &call->operation->parameters[i];
	const size_t size = p->kind == HOST_PARAMETER_ONE || p->kind == HOST_PARAMETER_ROWS ? host_structs[p->of].size : 8;

	call->values[i].pointer = room(size * MOST);
	if (p->kind == HOST_PARAMETER_ONE)
		*(struct ptowsp_head *)call->values[i].pointer = (struct ptowsp_head){host_structs[p->of].size, host_structs[p->of].fields[0].of, 0};
}

static void call_draw(struct host_call *call, const struct host_operation *o)
{
	*call = (struct host_call){.operation = o};
	for (unsigned i = 0; i < o->parameter_count; i++)
		if (is_out(&o->parameters[i]))
			out_room(call, i);
	for (unsigned i = o->parameter_count; i--;) /* counts first: who is counted sets them again */
		if (!is_out(&o->parameters[i]))
			in_draw(call, i);
	for (unsigned i = 0; i < o->parameter_count; i++) {
		const struct host_parameter *p = &o->parameters[i];

		if (is_out(p) && p->kind != HOST_PARAMETER_LENT)
			number_put(call, p->count, MOST);
		if (is_out(p) && p->kind == HOST_PARAMETER_ROWS)
			number_put(call, p->stride, host_structs[p->of].size);
	}
}

/* The callee's results. */
static void out_draw(struct host_call *call, unsigned i)
{
	const struct host_parameter *p = &call->operation->parameters[i];
	const bool all = p->kind == HOST_PARAMETER_VALUES || (p->count != HOST_NOWHERE && !is_out(&call->operation->parameters[p->count]));
	const uint64_t count = all ? MOST : draw(MOST + 1);
	void *at = call->values[i].pointer, *rows;

	switch (p->kind) {
	case HOST_PARAMETER_HANDLE: pointer_set(at, 0, (void *)(uintptr_t)(1 + draw(1000))); return;
	case HOST_PARAMETER_ONE: struct_draw(p->of, at); return;
	case HOST_PARAMETER_VALUES: bytes_draw(at, MOST * (size_t)p->of); return;
	case HOST_PARAMETER_ROWS:
		rows = rows_draw(p->of, count, host_structs[p->of].size);
		memcpy(at, rows, (size_t)count * host_structs[p->of].size);
		break;
	case HOST_PARAMETER_TABLES:
		for (uint64_t k = 0; k < count; k++)
			((void **)at)[k] = one_draw(p->of);
		break;
	case HOST_PARAMETER_LENT: pointer_set(at, 0, rows_draw(p->of, count, host_structs[p->of].size + 8)); break;
	default: return;
	}
	number_put(call, p->count, count);
	if (p->kind == HOST_PARAMETER_LENT)
		number_put(call, p->stride, host_structs[p->of].size + 8);
}

static bool rows_same(const struct host_parameter *p, const char *a, uint64_t stride_a, const char *b, uint64_t stride_b, uint64_t count)
{
	bool same = !count || (a && b);

	for (uint64_t i = 0; i < count && same; i++)
		same = p->kind == HOST_PARAMETER_TABLES ? struct_same(p->of, ((void *const *)(const void *)a)[i], ((void *const *)(const void *)b)[i])
							: struct_same(p->of, a + i * stride_a, b + i * stride_b);
	return same;
}

static bool is_stride(const struct host_operation *o, unsigned i)
{
	for (unsigned k = 0; k < o->parameter_count; k++)
		if (o->parameters[k].kind != HOST_PARAMETER_FUNCTION && o->parameters[k].stride == i)
			return true;
	return false;
}

static bool one_same(uint16_t id, const void *a, const void *b)
{
	return host_structs[id].fields[host_structs[id].field_count - 1].kind == HOST_FIELD_CALL ? !b : b && struct_same(id, a, b);
}

/* Parameter i of a, where it came from, and of b, where it arrived. */
static bool parameter_same(const struct host_call *a, const struct host_call *b, unsigned i)
{
	const struct host_parameter *p = &a->operation->parameters[i];
	const void *x = a->values[i].data, *y = b->values[i].data;
	const uint64_t count = p->count == HOST_NOWHERE ? 0 : number_get(a, p->count);

	switch (p->kind) {
	case HOST_PARAMETER_VALUE: return is_stride(a->operation, i) || number_get(a, (uint16_t)i) == number_get(b, (uint16_t)i);
	case HOST_PARAMETER_HANDLE: return is_out(p) ? host_field_pointer(x, 0) == host_field_pointer(y, 0) : x == y;
	case HOST_PARAMETER_STRING: return text_same(x, y);
	case HOST_PARAMETER_ONE: return one_same(p->of, x, y);
	case HOST_PARAMETER_TEXT:
	case HOST_PARAMETER_BYTES:
	case HOST_PARAMETER_VALUES: return !count || (y && !memcmp(x, y, (size_t)count * p->of));
	case HOST_PARAMETER_LENT:
		x = host_field_pointer(x, 0);
		y = host_field_pointer(y, 0);
		break;
	case HOST_PARAMETER_ROWS:
	case HOST_PARAMETER_TABLES: break;
	default: return true;
	}
	return rows_same(p, x, p->stride == HOST_NOWHERE ? 0 : number_get(a, p->stride), y, p->stride == HOST_NOWHERE ? 0 : number_get(b, p->stride), count);
}

static bool parameters_check(const struct host_call *from, const struct host_call *to, bool out)
{
	bool same = true;

	for (unsigned i = 0; i < from->operation->parameter_count; i++)
		if (is_out(&from->operation->parameters[i]) == out && !parameter_same(from, to, i)) {
			CHECK_FAIL("%s: %s does not arrive %s", from->operation->name, from->operation->parameters[i].name, out ? "back here" : "over there");
			same = false;
		}
	return same;
}

static struct host_wire wire_begin(const struct host_operation *o)
{
	struct host_wire wire = {.minor = PTOWSP_HOST_MINOR, .away = away_put};

	host_marshal_begin(&wire, (uint32_t)(o - host_operations));
	return wire;
}

static struct host_unwire wire_read(const struct host_wire *wire)
{
	return (struct host_unwire){.bytes = wire->bytes, .size = wire->size, .at = sizeof(struct host_frame), .away = away_take};
}

static bool call_cross(const struct host_operation *o)
{
	struct host_wire request = wire_begin(o), reply = wire_begin(o);
	struct host_call here, there = {.operation = o};
	struct host_rooms rooms = {0};
	struct host_unwire in;
	bool good;

	used = 0;
	call_draw(&here, o);
	host_marshal_in(&request, &here);
	in = wire_read(&request);
	CHECK(!request.failed);
	if (!host_unmarshal_in(&in, &there, &rooms)) {
		CHECK_FAIL("%s is refused over there", o->name);
		return false;
	}
	good = parameters_check(&here, &there, false);
	for (unsigned i = 0; i < o->parameter_count; i++)
		if (is_out(&o->parameters[i]))
			out_draw(&there, i);
	host_marshal_out(&reply, &there, &rooms);
	in = wire_read(&reply);
	CHECK(!reply.failed);
	if (!host_unmarshal_out(&in, &here))
		CHECK_FAIL("what %s answers is refused here", o->name);
	good = parameters_check(&there, &here, true) && good;
	host_rooms_finish(&rooms);
	host_wire_finish(&request);
	host_wire_finish(&reply);
	return good;
}

TEST(every_call_crosses_with_all_that_the_description_says)
{
	unsigned crossed = 0;

	state = 20261123;
	printf("# %s: seed %llu\n", check_name(), (unsigned long long)state);
	for (unsigned i = 0; i < HOST_OPERATION_COUNT; i++) {
		bool good = host_marshal_goes_down(&host_operations[i]) || host_marshal_goes_up(&host_operations[i]);

		crossed += good;
		for (int round = 0; good && round < ROUNDS; round++)
			good = call_cross(&host_operations[i]);
	}
	CHECK(crossed >= 29); /* of 10.0 */
}

TEST(what_is_no_data_does_not_cross)
{
	CHECK(!host_marshal_goes_up(&host_operations[HOST_OPERATION_release]));
	CHECK(!host_marshal_goes_up(&host_operations[HOST_OPERATION_alloc]));
	CHECK(!host_marshal_goes_up(&host_operations[HOST_OPERATION_kernel]));
	CHECK(!host_marshal_goes_up(&host_operations[HOST_OPERATION_code_load]));
	CHECK(!host_marshal_goes_up(&host_operations[HOST_OPERATION_submit])); /* the host's own */
	CHECK(!host_marshal_goes_down(&host_operations[HOST_OPERATION_done]));
}
