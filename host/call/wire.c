/* SPDX-License-Identifier: MIT */
/* wire.c - from pointers to offsets and back. */
#include "host/call/wire.h"

#include <stdlib.h>
#include <string.h>

#include "host/call/struct_check.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_grow.h"

enum { ROWS_MOST = 1 << 22, BYTES_MOST = 256 << 20 };

void host_wire_finish(struct host_wire *w)
{
	free(w->bytes);
	*w = (struct host_wire){0};
}

static bool room_make(struct host_wire *w, size_t more)
{
	w->failed = w->failed || more > BYTES_MOST || w->size + more > BYTES_MOST || !COMMON_RESERVE(w->bytes, w->room, w->size + more);
	return !w->failed;
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

static const struct ptowsp_head *head_of(enum host_struct_id id, const void *at)
{
	return host_structs[id].fields[0].kind == HOST_FIELD_HEAD ? at : NULL;
}

static void pointer_put(void *at, uint16_t offset, uint64_t value)
{
	memcpy((char *)at + offset, &value, sizeof(value));
}

/* Rows or values as they are on this side: so many, this far apart. Of rows that are not there nothing is said: what a later minor appended stays zero. */
static void counts_put(const struct host_field *f, void *at, bool there)
{
	const uint64_t none = 0;
	const uint32_t own = f->kind == HOST_FIELD_ROWS ? host_structs[f->of].size : 0;

	if (!there && f->counter)
		memcpy((char *)at + f->count, &none, f->counter);
	if (own && there)
		memcpy((char *)at + f->stride, &own, sizeof(own));
}

static void fields_add(struct host_wire *w, enum host_struct_id id, uint64_t at, const char *from, uint32_t size);

static void inside_add(struct host_wire *w, const struct host_field *f, uint64_t at, const char *from)
{
	const uint32_t own = host_structs[f->of].size;

	for (uint32_t i = 0; i < f->many; i++)
		fields_add(w, f->of, at + i * own, from + i * own, own);
}

/* The place of memory that does not cross in the message; 0: it does not cross. */
static uint64_t away_add(struct host_wire *w, const struct host_away *away)
{
	uint64_t place = 0;

	if (away->memory && w->away && !w->away(w, away, &place))
		w->failed = true;
	return place;
}

static uint64_t elements_add(struct host_wire *w, enum host_struct_id id, const struct host_field *f, const char *from, uint64_t count)
{
	const struct common_dtype *dtype = common_dtype((uint16_t)host_field_number(from, f->stride, sizeof(uint16_t)));

	return away_add(w, &(struct host_away){id, f, from, (void *)(uintptr_t)host_field_pointer(from, f->offset), count * (dtype ? dtype->bytes : 1)});
}

/* The place to which a field's target was put. Counts are of its maker, as far as `size` goes. */
static uint64_t field_add(struct host_wire *w, enum host_struct_id id, const struct host_field *f, const char *from, uint32_t size)
{
	const void *to = host_field_pointer(from, f->offset);
	const uint64_t count = f->count < size ? host_field_count(f, from) : 0;

	switch (f->kind) {
	case HOST_FIELD_STRING: return host_wire_text(w, to);
	case HOST_FIELD_ONE: return host_wire_struct(w, f->of, to);
	case HOST_FIELD_VALUES: return host_wire_values(w, to, count, f->of);
	case HOST_FIELD_ROWS: return host_wire_rows(w, f->of, to, count, f->stride < size ? host_field_stride(f, from) : 0);
	case HOST_FIELD_HANDLE: w->handles[f->of] = to; return (uintptr_t)to;
	case HOST_FIELD_ELEMENTS: return elements_add(w, id, f, from, count);
	case HOST_FIELD_RECORDS: return away_add(w, &(struct host_away){id, f, from, (void *)(uintptr_t)to, count * host_field_stride(f, from)});
	}
	return 0;
}

/* Fields of the copy at `at`, which lies in memory that moves. `size`: as far as its maker knew it. */
static void fields_add(struct host_wire *w, enum host_struct_id id, uint64_t at, const char *from, uint32_t size)
{
	for (unsigned i = 0; i < host_structs[id].field_count && !w->failed; i++) {
		const struct host_field *f = &host_structs[id].fields[i];
		uint64_t place;

		if ((uint32_t)f->offset + f->size > size)
			return;
		if (f->kind < HOST_FIELD_TEXT) /* a number, as most are */
			continue;
		if (f->kind == HOST_FIELD_INSIDE)
			inside_add(w, f, at + f->offset, from + f->offset);
		if (!host_field_points(f))
			continue;
		place = field_add(w, id, f, from, size);
		if (w->failed)
			return;
		pointer_put(w->bytes + at, f->offset, place);
		if (f->kind == HOST_FIELD_ROWS || f->kind == HOST_FIELD_VALUES)
			counts_put(f, w->bytes + at, place);
	}
}

uint64_t host_wire_struct(struct host_wire *w, enum host_struct_id id, const void *from)
{
	const struct ptowsp_head *head = head_of(id, from);
	uint32_t size = host_struct_size(id, w->minor);
	uint64_t at;

	if (!from)
		return 0;
	if (head && head->size < size)
		size = head->size;
	at = zeros_add(w, host_structs[id].size);
	if (w->failed)
		return 0;
	memcpy(w->bytes + at, from, size);
	if (head)
		memcpy(w->bytes + at, &size, sizeof(size));
	fields_add(w, id, at, from, size);
	return at;
}

uint64_t host_wire_rows(struct host_wire *w, enum host_struct_id id, const void *rows, uint64_t count, uint32_t stride)
{
	const uint32_t own = host_structs[id].size, known = host_struct_size(id, w->minor), take = stride < known ? stride : known;
	uint64_t at;

	if (!rows || !count || !stride)
		return 0;
	if (count > ROWS_MOST) {
		w->failed = true;
		return 0;
	}
	at = zeros_add(w, (size_t)count * own);
	for (uint64_t i = 0; i < count && !w->failed; i++)
		memcpy(w->bytes + at + i * own, (const char *)rows + i * stride, take);
	for (uint64_t i = 0; i < count && !w->failed; i++)
		fields_add(w, id, at + i * own, (const char *)rows + i * stride, take);
	return w->failed ? 0 : at;
}

uint64_t host_wire_values(struct host_wire *w, const void *values, uint64_t count, size_t size)
{
	if (count > ROWS_MOST)
		w->failed = true;
	return values && count && !w->failed ? host_wire_bytes(w, values, (size_t)count * size) : 0;
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

static void fields_take(struct host_unwire *w, enum host_struct_id id, unsigned char *at);

static void inside_take(struct host_unwire *w, const struct host_field *f, unsigned char *at)
{
	for (uint32_t i = 0; i < f->many && !w->forged; i++)
		fields_take(w, f->of, at + i * host_structs[f->of].size);
}

static const void *away_take(struct host_unwire *w, const struct host_field *f, uint64_t place)
{
	const void *memory = place && w->away ? w->away(w, f, place) : NULL;

	return memory || !place || !w->away ? memory : forged(w);
}

/* The kind of thing that a place in a field stands for. */
static const void *field_take(struct host_unwire *w, const struct host_field *f, const unsigned char *at)
{
	const uint64_t place = host_field_number(at, f->offset, sizeof(place));
	const uint64_t count = f->count == HOST_NOWHERE ? 0 : host_field_count(f, at);

	switch (f->kind) {
	case HOST_FIELD_STRING: return host_unwire_text(w, place);
	case HOST_FIELD_ONE: return host_unwire_struct(w, f->of, place);
	case HOST_FIELD_VALUES: return host_unwire_values(w, place, count, f->of);
	case HOST_FIELD_ROWS: return host_unwire_rows(w, f->of, place, count);
	case HOST_FIELD_HANDLE: return (const void *)(uintptr_t)place;
	case HOST_FIELD_ELEMENTS:
	case HOST_FIELD_RECORDS: return away_take(w, f, place);
	}
	return NULL;
}

static void fields_take(struct host_unwire *w, enum host_struct_id id, unsigned char *at)
{
	for (unsigned i = 0; i < host_structs[id].field_count && !w->forged; i++) {
		const struct host_field *f = &host_structs[id].fields[i];
		const void *to;

		if (f->kind < HOST_FIELD_TEXT)
			continue;
		if (f->kind == HOST_FIELD_TEXT)
			at[f->offset + f->size - 1] = '\0';
		if (f->kind == HOST_FIELD_INSIDE)
			inside_take(w, f, at + f->offset);
		if (!host_field_points(f))
			continue;
		to = field_take(w, f, at);
		pointer_put(at, f->offset, (uintptr_t)to);
		if (f->kind == HOST_FIELD_ROWS || f->kind == HOST_FIELD_VALUES)
			counts_put(f, at, to);
	}
}

void *host_unwire_struct(struct host_unwire *w, enum host_struct_id id, uint64_t offset)
{
	const uint32_t own = host_structs[id].size;
	unsigned char *at = host_unwire_bytes(w, offset, own);
	struct ptowsp_head head;

	if (!at)
		return NULL;
	if (head_of(id, at)) {
		memcpy(&head, at, sizeof(head));
		if (head.size < sizeof(head) || head.size > own || head.type != host_structs[id].fields[0].of)
			return forged(w);
		memset(at + head.size, 0, own - head.size);
	}
	fields_take(w, id, at);
	return w->forged ? NULL : at;
}

void *host_unwire_rows(struct host_unwire *w, enum host_struct_id id, uint64_t offset, uint64_t count)
{
	const uint32_t own = host_structs[id].size;
	unsigned char *at;

	if (count > ROWS_MOST)
		return forged(w);
	at = host_unwire_bytes(w, offset, count * own);
	for (uint64_t i = 0; at && i < count && !w->forged; i++)
		fields_take(w, id, at + i * own);
	return w->forged ? NULL : at;
}

void *host_unwire_values(struct host_unwire *w, uint64_t offset, uint64_t count, size_t size)
{
	return count > ROWS_MOST ? forged(w) : host_unwire_bytes(w, offset, count * size);
}
