/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_read.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_hash.h"

#include <stdlib.h>

void aie_scope_finish(struct aie_scope *scope)
{
	free(scope->rows);
	free(scope->buckets);
	*scope = (struct aie_scope){0};
}

static uint32_t *bucket_of(const struct aie_scope *scope, const char *name)
{
	const uint64_t hash = common_hash(0, (uintptr_t)name);

	return &scope->buckets[(uint32_t)(hash >> 32) & scope->mask];
}

const struct aie_scope_row *aie_scope_find(const struct aie_scope *scope, const char *name)
{
	if (!scope->buckets)
		return NULL;
	for (uint32_t at = *bucket_of(scope, name); at; at = scope->rows[at - 1].next)
		if (scope->rows[at - 1].name == name)
			return scope->rows[at - 1].closed == scope->closed ? &scope->rows[at - 1] : NULL;
	return NULL;
}

/* Rows of a bucket stay newest first. */
static bool room_double(struct aie_scope *scope)
{
	const uint32_t room = scope->room ? 2 * scope->room : 256;
	uint32_t *buckets = COMMON_RESIZE(scope->rows, room) ? calloc(room, sizeof(*buckets)) : NULL;

	if (!buckets)
		return false;
	free(scope->buckets);
	scope->buckets = buckets;
	scope->room = room;
	scope->mask = room - 1;
	for (uint32_t i = 0; i < scope->count; i++) {
		uint32_t *bucket = bucket_of(scope, scope->rows[i].name);

		scope->rows[i].next = *bucket;
		*bucket = i + 1;
	}
	return true;
}

bool aie_scope_add(struct aie_scope *scope, const char *name, struct aie_value *const *values, uint32_t count)
{
	uint32_t *bucket;

	if (scope->count == scope->room && !room_double(scope))
		return false;
	bucket = bucket_of(scope, name);
	scope->rows[scope->count] = (struct aie_scope_row){name, values, count, *bucket, scope->closed, NULL};
	*bucket = ++scope->count;
	return true;
}

void aie_scope_cut(struct aie_scope *scope, uint32_t count)
{
	while (scope->count > count) {
		const struct aie_scope_row *row = &scope->rows[--scope->count];

		*bucket_of(scope, row->name) = row->next;
	}
}
