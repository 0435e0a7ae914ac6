/* SPDX-License-Identifier: MIT */
/* check.c - structs against their description. */
#include "host/call/struct_check.h"

#include <stdio.h>
#include <string.h>

uint64_t host_field_number(const void *at, uint16_t offset, uint16_t size)
{
	uint64_t number = 0;

	memcpy(&number, (const char *)at + offset, size <= sizeof(number) ? size : sizeof(number)); /* little-endian, as the ABI is */
	return number;
}

const void *host_field_pointer(const void *at, uint16_t offset)
{
	const void *pointer;

	memcpy(&pointer, (const char *)at + offset, sizeof(pointer));
	return pointer;
}

uint64_t host_field_count(const struct host_field *field, const void *at)
{
	return host_field_number(at, field->count, field->counter);
}

uint32_t host_field_stride(const struct host_field *field, const void *at)
{
	return field->stride == HOST_NOWHERE ? 1 : (uint32_t)host_field_number(at, field->stride, 4);
}

static bool wrong(struct host_check *c, enum host_struct_id id, const char *field, const char *how)
{
	snprintf(c->text, sizeof(c->text), "%s%s%s %s", host_structs[id].name, *field ? "." : "", field, how);
	c->what = c->text;
	return false;
}

static bool is_zero(const char *bytes, size_t from, size_t to)
{
	while (from < to)
		if (bytes[from++])
			return false;
	return true;
}

static bool rows_check(struct host_check *c, enum host_struct_id id, const struct host_field *f, const void *at)
{
	const char *rows = host_field_pointer(at, f->offset);
	const uint64_t count = host_field_count(f, at);
	const uint32_t stride = host_field_stride(f, at), floor = host_struct_size(f->of, 0);

	if (!count)
		return true;
	if (!rows)
		return wrong(c, id, f->name, "is NULL, and its count is not 0");
	if (stride < floor || stride > PTOWSP_SIZE_LIMIT)
		return wrong(c, id, f->name, "has a stride that is below the size of its rows");
	for (uint64_t i = 0; i < count; i++)
		if (!host_check_struct(c, f->of, rows + i * stride, stride))
			return false;
	return true;
}

static bool field_check(struct host_check *c, enum host_struct_id id, const struct host_field *f, const void *at)
{
	const void *to;

	switch (f->kind) {
	case HOST_FIELD_ZERO: return !host_field_number(at, f->offset, f->size) || wrong(c, id, f->name, "is not 0");
	case HOST_FIELD_TEXT: return memchr((const char *)at + f->offset, '\0', f->size) || wrong(c, id, f->name, "has no NUL at its end");
	case HOST_FIELD_STRING: return f->of || host_field_pointer(at, f->offset) || wrong(c, id, f->name, "is NULL");
	case HOST_FIELD_HANDLE:
		to = host_field_pointer(at, f->offset);
		return !c->handles || (!to && host_structs[id].class == HOST_CLASS_ROW) || host_handles_find(c->handles, f->of, (uintptr_t)to, NULL) ||
		       wrong(c, id, f->name, "is no object that is alive");
	case HOST_FIELD_ONE: to = host_field_pointer(at, f->offset); return !to || host_check_struct(c, f->of, to, 0);
	case HOST_FIELD_ROWS: return rows_check(c, id, f, at);
	case HOST_FIELD_VALUES:
	case HOST_FIELD_RECORDS:
		return host_field_pointer(at, f->offset) || !host_field_count(f, at) || wrong(c, id, f->name, "is NULL, and its count is not 0");
	}
	return true;
}

bool host_check_struct(struct host_check *c, enum host_struct_id id, const void *at, uint32_t stride)
{
	const struct host_struct *s = &host_structs[id];
	const uint32_t floor = host_struct_size(id, 0), known = host_struct_size(id, c->minor);
	uint32_t size = stride;

	c->what = "";
	if (!at)
		return wrong(c, id, "", "is NULL");
	if (s->fields[0].kind == HOST_FIELD_HEAD) {
		const struct ptowsp_head *head = at;

		if (head->size < floor || head->size > PTOWSP_SIZE_LIMIT)
			return wrong(c, id, "head", "says a size below its floor or above the limit; use PTOWSP_HEAD");
		if (head->type != s->fields[0].of)
			return wrong(c, id, "head", "says another type; use PTOWSP_HEAD");
		if (head->flags)
			return wrong(c, id, "head", "has flags; there are none");
		size = head->size;
		if (c->exact && !is_zero(at, known < size ? known : size, size))
			return wrong(c, id, "", "has bytes that are not zero behind the effective minor");
	}
	for (unsigned i = 0; i < s->field_count; i++)
		if ((uint32_t)s->fields[i].offset + s->fields[i].size <= (size < known ? size : known) && !field_check(c, id, &s->fields[i], at))
			return false;
	return true;
}
