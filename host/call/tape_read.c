/* SPDX-License-Identifier: MIT */
/* tape_read.c - from bytes to structs. The bytes may be anything. */
#include <stdlib.h>
#include <string.h>

#include "host/call/struct_check.h"
#include "host/call/tape.h"
#include "registry/common/common_dtype.h"

enum { DEPTH_MOST = 8 };

/* In front of what was taken. */
struct host_tape_block {
	struct host_tape_block *next;
};

static const unsigned char *take(struct host_tape_reader *r, uint64_t size)
{
	const uint64_t left = (uint64_t)(r->end - r->at), whole = size > left ? size : (size + 7) / 8 * 8;
	const unsigned char *at = r->at;

	if (r->wrong || whole > left) {
		r->wrong = true;
		return NULL;
	}
	r->at += whole;
	return at;
}

uint64_t host_tape_take(struct host_tape_reader *r)
{
	const unsigned char *at = take(r, 8);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, sizeof(number));
	return number;
}

void *host_tape_room(struct host_tape_reader *r, size_t size)
{
	struct host_tape_block *b = size > TAPE_ROOM - r->taken ? NULL : calloc(1, sizeof(*b) + 64 + size); /* zeros that nobody touches cost nothing */

	if (!b) {
		r->wrong = true;
		return NULL;
	}
	r->taken += size;
	b->next = r->blocks;
	r->blocks = b;
	return (void *)(((uintptr_t)(b + 1) + 63) / 64 * 64);
}

static void *copy(struct host_tape_reader *r, uint64_t size)
{
	const unsigned char *from = take(r, size);
	void *to = from ? host_tape_room(r, size) : NULL;

	return to ? memcpy(to, from, size) : NULL;
}

const void *host_tape_take_bytes(struct host_tape_reader *r, uint64_t *size_out)
{
	const uint64_t size = host_tape_take(r);

	*size_out = size == UINT64_MAX ? 0 : size;
	return size == UINT64_MAX ? NULL : copy(r, size);
}

static void *struct_take(struct host_tape_reader *r, enum host_struct_id id, void *(*handle)(void *context, uint64_t then), void *context, unsigned depth);

/* Length of what a field counts must be what lies there. */
static const void *counted_take(struct host_tape_reader *r, uint64_t wanted)
{
	uint64_t size;
	const void *bytes = host_tape_take_bytes(r, &size);

	r->wrong = r->wrong || (bytes && size != wanted);
	return r->wrong ? NULL : bytes;
}

static const void *elements_take(struct host_tape_reader *r, uint64_t wanted)
{
	const uint64_t content = host_tape_take(r);

	if (content)
		return counted_take(r, wanted);
	host_tape_take(r);
	host_tape_take(r); /* only its digest is known: zeros */
	return host_tape_room(r, wanted);
}

/* A struct of that size has what the field is counted by, too. */
static bool counts_lie_within(const struct host_field *f, uint32_t size)
{
	return (f->count == HOST_NOWHERE || f->count + f->counter <= size) && (f->stride == HOST_NOWHERE || f->stride + sizeof(uint32_t) <= size);
}

static void fields_take(struct host_tape_reader *r, enum host_struct_id id, char *at, uint32_t size, void *(*handle)(void *context, uint64_t then),
			void *context, unsigned depth)
{
	for (unsigned i = 0; i < host_structs[id].field_count && !r->wrong; i++) {
		const struct host_field *f = &host_structs[id].fields[i];
		const void *to = NULL;
		uint64_t count, rows, bytes, apart;
		uint32_t stride;

		if (f->offset + f->size > size)
			return;
		if (!counts_lie_within(f, size)) {
			r->wrong = true;
			return;
		}
		count = f->count == HOST_NOWHERE ? 0 : host_field_count(f, at);
		stride = host_field_stride(f, at);
		switch (f->kind) {
		case HOST_FIELD_STRING:
			to = host_tape_take_bytes(r, &bytes);
			r->wrong = r->wrong || (to && (!bytes || ((const char *)to)[bytes - 1]));
			break;
		case HOST_FIELD_HANDLE:
			to = handle(context, (uintptr_t)host_field_pointer(at, f->offset));
			r->wrong = r->wrong || (!to && host_field_pointer(at, f->offset));
			break;
		case HOST_FIELD_ONE: to = struct_take(r, f->of, handle, context, depth + 1); break;
		case HOST_FIELD_VALUES: to = counted_take(r, count * f->of); break;
		case HOST_FIELD_RECORDS: to = count > UINT32_MAX ? counted_take(r, UINT64_MAX) : counted_take(r, count * stride); break;
		case HOST_FIELD_ELEMENTS:
			to = elements_take(r, count > (UINT64_C(1) << 48) ? UINT64_MAX : count * common_dtype_bytes(host_field_number(at, f->stride, 2)));
			break;
		case HOST_FIELD_ROWS:
			rows = host_tape_take(r);
			apart = host_tape_take(r); /* 0 behind a NULL, whatever the struct says of rows that are not there */
			if ((rows && (rows != count || apart != stride || stride < host_struct_size(f->of, 0))) || depth >= DEPTH_MOST)
				r->wrong = true;
			to = rows ? copy(r, rows * stride) : NULL;
			for (uint64_t k = 0; to && k < rows && !r->wrong; k++)
				fields_take(r, f->of, (char *)(uintptr_t)to + k * stride, stride, handle, context, depth + 1);
			break;
		case HOST_FIELD_CALL:
		case HOST_FIELD_FUNCTION:
		case HOST_FIELD_CONTEXT:
		case HOST_FIELD_WINDOW:
		case HOST_FIELD_BYTES: break;
		default: continue;
		}
		memcpy(at + f->offset, &to, sizeof(to));
	}
}

static void *struct_take(struct host_tape_reader *r, enum host_struct_id id, void *(*handle)(void *context, uint64_t then), void *context, unsigned depth)
{
	const uint64_t size = host_tape_take(r);
	char *at;

	if (!size)
		return NULL;
	if (size < host_struct_size(id, 0) || size > PTOWSP_SIZE_LIMIT || depth > DEPTH_MOST) {
		r->wrong = true;
		return NULL;
	}
	at = copy(r, size);
	if (at && host_structs[id].fields[0].kind == HOST_FIELD_HEAD && ((const struct ptowsp_head *)(void *)at)->size != size)
		r->wrong = true;
	if (at)
		fields_take(r, id, at, (uint32_t)size, handle, context, depth);
	return r->wrong ? NULL : at;
}

void *host_tape_take_struct(struct host_tape_reader *r, enum host_struct_id id, void *(*handle)(void *context, uint64_t then), void *context)
{
	return struct_take(r, id, handle, context, 0);
}

void host_tape_reader_finish(struct host_tape_reader *r)
{
	for (struct host_tape_block *b = r->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*r = (struct host_tape_reader){0};
}
