/* SPDX-License-Identifier: MIT */
/* loan.c - copies of what is lent. */
#include "host/call/loan.h"

#include <stdlib.h>
#include <string.h>

#include "host/call/struct_check.h"

enum { GUARD = 64, GUARD_BYTE = 0xC3, OVER_BYTE = 0xA5 };

struct host_loan_block {
	struct host_loan_block *next;
	void *to;    /* of a result: the caller's bytes */
	size_t size; /* without the guard */
	_Alignas(64) unsigned char bytes[];
};

static struct host_loan_block *block_add(struct host_loan *l, size_t size)
{
	struct host_loan_block *b = aligned_alloc(64, (sizeof(*b) + size + GUARD + 63) / 64 * 64);

	if (!b) {
		l->broke = true;
		return NULL;
	}
	b->next = l->blocks;
	b->to = NULL;
	b->size = size;
	memset(b->bytes + size, GUARD_BYTE, GUARD);
	l->blocks = b;
	return b;
}

static const void *copy(struct host_loan *l, const void *from, size_t size)
{
	struct host_loan_block *b = from ? block_add(l, size) : NULL;

	return b ? memcpy(b->bytes, from, size) : from;
}

const char *host_loan_string(struct host_loan *l, const char *from)
{
	return from ? copy(l, from, strlen(from) + 1) : NULL;
}

/* Rows whose bytes are sections' stay valid until unload. */
static bool is_lent_longer(enum host_struct_id id)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++)
		if (host_structs[id].fields[i].kind == HOST_FIELD_RECORDS && host_structs[id].fields[i].stride != HOST_NOWHERE)
			return true;
	return false;
}

static void pointer_set(char *at, uint16_t offset, const void *to)
{
	memcpy(at + offset, &to, sizeof(to));
}

static void fields_copy(struct host_loan *l, enum host_struct_id id, char *at, uint32_t size);

static const void *rows_copy(struct host_loan *l, enum host_struct_id id, const void *from, uint64_t count, uint32_t stride)
{
	char *rows = (char *)(uintptr_t)copy(l, count ? from : NULL, (size_t)count * stride);

	for (uint64_t i = 0; rows && rows != from && i < count; i++)
		fields_copy(l, id, rows + i * stride, stride);
	return count ? rows : from;
}

static void fields_copy(struct host_loan *l, enum host_struct_id id, char *at, uint32_t size)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++) {
		const struct host_field *f = &host_structs[id].fields[i];
		const void *from;

		if (f->offset + f->size > size || f->size != sizeof(from))
			continue;
		from = host_field_pointer(at, f->offset);
		if (f->kind == HOST_FIELD_STRING)
			pointer_set(at, f->offset, host_loan_string(l, from));
		else if (f->kind == HOST_FIELD_VALUES && from)
			pointer_set(at, f->offset, copy(l, from, (size_t)host_field_count(f, at) * f->of));
		else if (f->kind == HOST_FIELD_RECORDS && from && f->stride == HOST_NOWHERE)
			pointer_set(at, f->offset, copy(l, from, (size_t)host_field_count(f, at)));
		else if (f->kind == HOST_FIELD_ROWS && from && !is_lent_longer(f->of))
			pointer_set(at, f->offset, rows_copy(l, f->of, from, host_field_count(f, at), host_field_stride(f, at)));
	}
}

const void *host_loan_struct(struct host_loan *l, enum host_struct_id id, const void *from, uint32_t stride)
{
	const uint32_t size = stride ? stride : ((const struct ptowsp_head *)from)->size;
	char *at = (char *)(uintptr_t)copy(l, from, size);

	if (at != from)
		fields_copy(l, id, at, size);
	return at;
}

void *host_loan_result(struct host_loan *l, void *to, size_t size)
{
	struct host_loan_block *b = to ? block_add(l, size) : NULL;

	if (!b)
		return to;
	b->to = to;
	return memcpy(b->bytes, to, size);
}

bool host_loan_settle(struct host_loan *l)
{
	bool whole = true;

	for (struct host_loan_block *b = l->blocks; b; b = b->next) {
		for (unsigned i = 0; i < GUARD; i++)
			whole = whole && b->bytes[b->size + i] == GUARD_BYTE;
		if (b->to)
			memcpy(b->to, b->bytes, b->size);
	}
	return whole;
}

void host_loan_finish(struct host_loan *l)
{
	for (struct host_loan_block *b = l->blocks, *next; b; b = next) {
		next = b->next;
		memset(b->bytes, OVER_BYTE, b->size);
		__asm__ volatile("" : : "r"(b->bytes) : "memory"); /* freed memory, but somebody may read it */
		free(b);
	}
	*l = (struct host_loan){0};
}
