/* SPDX-License-Identifier: MIT */
/* wire.c - from pointers to offsets and back. */
#include "host/wire.h"

#include <stdlib.h>
#include <string.h>

#include "ptowsp/base.h"

enum { ROWS_MOST = 1 << 22, BYTES_MOST = 256 << 20 };

void host_wire_finish(struct host_wire *w)
{
	free(w->bytes);
	*w = (struct host_wire){0};
}

static bool room_make(struct host_wire *w, size_t more)
{
	size_t room = w->room ? w->room : 1024;
	unsigned char *bytes;

	if (w->failed || more > BYTES_MOST || w->size + more > BYTES_MOST) {
		w->failed = true;
		return false;
	}
	if (w->size + more <= w->room)
		return true;
	while (room < w->size + more)
		room *= 2;
	bytes = realloc(w->bytes, room);
	if (!bytes) {
		w->failed = true;
		return false;
	}
	w->bytes = bytes;
	w->room = room;
	return true;
}

/* `size` zero bytes, and what aligns the next thing. */
static uint64_t zeros_add(struct host_wire *w, size_t size)
{
	const size_t whole = (size + 7) & ~(size_t)7;
	const size_t at = w->size;

	if (size > BYTES_MOST)
		w->failed = true;
	if (!room_make(w, whole))
		return 0;
	memset(w->bytes + at, 0, whole);
	w->size += whole;
	return at;
}

uint64_t host_wire_bytes(struct host_wire *w, const void *bytes, size_t size)
{
	const uint64_t at = zeros_add(w, size);

	if (!w->failed && size)
		memcpy(w->bytes + at, bytes, size);
	return at;
}

uint64_t host_wire_text(struct host_wire *w, const char *text)
{
	return text ? host_wire_bytes(w, text, strlen(text) + 1) : 0;
}

static uint32_t u32_at(const void *base, uint16_t offset)
{
	uint32_t value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

static void *pointer_at(const void *base, uint16_t offset)
{
	void *value;

	memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

/* Fields of the copy at `at`, which lies in memory that moves. `size`: as far as its maker knew it. */
static void fields_add(struct host_wire *w, const struct host_wire_type *type, uint64_t at, const void *from, uint32_t size)
{
	for (uint32_t i = 0; i < type->field_count && !w->failed; i++) {
		const struct host_wire_field *f = &type->fields[i];
		const uint32_t own = f->type ? f->type->size : (uint32_t)sizeof(uint64_t);
		uint32_t count = 0;
		const void *to;
		uint64_t place = 0;

		if (f->offset + sizeof(void *) > size)
			continue;
		to = pointer_at(from, f->offset);
		if (f->kind == HOST_WIRE_TEXT) {
			place = host_wire_text(w, to);
		} else if (f->kind == HOST_WIRE_STRUCT) {
			place = host_wire_struct(w, f->type, to);
		} else if (f->kind == HOST_WIRE_ROWS) {
			count = f->count + sizeof(uint32_t) <= size ? u32_at(from, f->count) : 0;
			place = host_wire_rows(w, f->type, to, count, f->stride ? u32_at(from, f->stride) : own);
			count = place ? count : 0;
			if (!w->failed)
				memcpy(w->bytes + at + f->count, &count, sizeof(count));
			if (!w->failed && f->stride)
				memcpy(w->bytes + at + f->stride, &own, sizeof(own));
		}
		if (!w->failed)
			memcpy(w->bytes + at + f->offset, &place, sizeof(place));
	}
}

uint64_t host_wire_struct(struct host_wire *w, const struct host_wire_type *type, const void *from)
{
	uint32_t size = type->size;
	uint64_t at;

	if (!from)
		return 0;
	if (type->head && ((const struct ptowsp_head *)from)->size < size)
		size = ((const struct ptowsp_head *)from)->size;
	at = zeros_add(w, type->size);
	if (w->failed)
		return 0;
	memcpy(w->bytes + at, from, size);
	if (type->head)
		memcpy(w->bytes + at, &size, sizeof(size));
	fields_add(w, type, at, from, size);
	return at;
}

uint64_t host_wire_rows(struct host_wire *w, const struct host_wire_type *type, const void *rows, uint32_t count, uint32_t stride)
{
	const uint32_t own = type ? type->size : (uint32_t)sizeof(uint64_t), take = stride < own ? stride : own;
	uint64_t at;

	if (!rows || !count || !stride)
		return 0;
	if (count > ROWS_MOST) {
		w->failed = true;
		return 0;
	}
	at = zeros_add(w, (size_t)count * own);
	for (uint32_t i = 0; i < count && !w->failed; i++)
		memcpy(w->bytes + at + (size_t)i * own, (const char *)rows + (size_t)i * stride, take);
	for (uint32_t i = 0; type && type->field_count && i < count && !w->failed; i++)
		fields_add(w, type, at + (size_t)i * own, (const char *)rows + (size_t)i * stride, take);
	return w->failed ? 0 : at;
}

static void *forged(struct host_unwire *w)
{
	w->forged = true;
	return NULL;
}

void *host_unwire_bytes(struct host_unwire *w, uint64_t offset, uint64_t size)
{
	if (!offset || w->forged)
		return NULL;
	if ((offset & 7) || offset < w->at || offset > w->size || size > w->size - offset)
		return forged(w);
	w->at = (size_t)(offset + size);
	return w->bytes + offset;
}

const char *host_unwire_text(struct host_unwire *w, uint64_t offset)
{
	const unsigned char *end;

	if (!offset || w->forged)
		return NULL;
	end = offset < w->size ? memchr(w->bytes + offset, '\0', w->size - offset) : NULL;
	return end ? host_unwire_bytes(w, offset, (uint64_t)(end - (w->bytes + offset)) + 1) : forged(w);
}

static void fields_take(struct host_unwire *w, const struct host_wire_type *type, unsigned char *at)
{
	for (uint32_t i = 0; i < type->field_count && !w->forged; i++) {
		const struct host_wire_field *f = &type->fields[i];
		const uint32_t own = f->type ? f->type->size : (uint32_t)sizeof(uint64_t);
		uint32_t count = 0;
		uint64_t place;
		const void *to = NULL;

		memcpy(&place, at + f->offset, sizeof(place));
		if (f->kind == HOST_WIRE_TEXT) {
			to = host_unwire_text(w, place);
		} else if (f->kind == HOST_WIRE_STRUCT) {
			to = host_unwire_struct(w, f->type, place);
		} else if (f->kind == HOST_WIRE_ROWS) {
			count = u32_at(at, f->count);
			to = host_unwire_rows(w, f->type, place, count);
			count = to ? count : 0;
			memcpy(at + f->count, &count, sizeof(count));
			if (f->stride)
				memcpy(at + f->stride, &own, sizeof(own));
		}
		memcpy(at + f->offset, &to, sizeof(to));
	}
}

void *host_unwire_struct(struct host_unwire *w, const struct host_wire_type *type, uint64_t offset)
{
	unsigned char *at = host_unwire_bytes(w, offset, type->size);
	struct ptowsp_head head;

	if (!at)
		return NULL;
	if (type->head) {
		memcpy(&head, at, sizeof(head));
		if (head.size < sizeof(head) || head.size > type->size || head.type != type->head)
			return forged(w);
		memset(at + head.size, 0, type->size - head.size);
	}
	fields_take(w, type, at);
	return w->forged ? NULL : at;
}

void *host_unwire_rows(struct host_unwire *w, const struct host_wire_type *type, uint64_t offset, uint32_t count)
{
	const uint32_t own = type ? type->size : (uint32_t)sizeof(uint64_t);
	unsigned char *at;

	if (count > ROWS_MOST)
		return forged(w);
	at = host_unwire_bytes(w, offset, (uint64_t)count * own);
	for (uint32_t i = 0; type && type->field_count && at && i < count && !w->forged; i++)
		fields_take(w, type, at + (size_t)i * own);
	return w->forged ? NULL : at;
}
