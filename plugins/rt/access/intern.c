/* SPDX-License-Identifier: MIT */
#include "rt/access/intern.h"
#include "registry/common/common_hash.h"

#include <stdlib.h>
#include <string.h>

void rt_intern_finish(struct rt_intern *intern)
{
	free(intern->rows);
	memset(intern, 0, sizeof(*intern));
}

static uint64_t hash(const struct rt_key *key)
{
	return common_hash(common_hash(common_hash(0, (uint64_t)key->row), (uint64_t)key->column), key->class) >> 32;
}

/* The key's row, or the free one where it would go. */
static struct rt_interned *look(const struct rt_intern *intern, const struct rt_key *key)
{
	uint64_t at = hash(key) & intern->mask;

	for (;; at = (at + 1) & intern->mask) {
		struct rt_interned *row = &intern->rows[at];

		if (!row->name || (row->key.row == key->row && row->key.column == key->column && row->key.class == key->class))
			return row;
	}
}

/* Keys that no task of the window uses stay behind; twice the room if many are left. */
static bool rebuild(struct rt_intern *intern, const struct rt_preds *preds)
{
	struct rt_intern more = {.names = intern->names};
	uint64_t live = 0;

	for (uint64_t i = 0; intern->rows && i <= intern->mask; i++)
		live += intern->rows[i].name && !rt_preds_gone(preds, intern->rows[i].used);
	for (more.mask = 1023; live * 4 > more.mask;)
		more.mask = more.mask * 2 + 1;
	more.rows = calloc(more.mask + 1, sizeof(*more.rows));
	if (!more.rows)
		return false;
	for (uint64_t i = 0; intern->rows && i <= intern->mask; i++)
		if (intern->rows[i].name && !rt_preds_gone(preds, intern->rows[i].used)) {
			*look(&more, &intern->rows[i].key) = intern->rows[i];
			more.count++;
		}
	free(intern->rows);
	*intern = more;
	return true;
}

uint64_t rt_intern_name(struct rt_intern *intern, const struct rt_preds *preds, const struct rt_key *key)
{
	struct rt_interned *row;

	if ((!intern->rows || intern->count > intern->mask / 2) && !rebuild(intern, preds))
		return RT_NO_NAME;
	row = look(intern, key);
	if (!row->name) {
		intern->names += intern->names == UINT32_MAX ? 2 : 1; /* names come again after 2^32 keys, which is far behind the window */
		intern->count++;
		*row = (struct rt_interned){.key = *key, .name = intern->names};
	}
	row->used = preds->stamp;
	return RT_INTERNED | row->name;
}

bool rt_intern_freshen(struct rt_intern *intern, const struct rt_preds *preds)
{
	return !intern->rows || rebuild(intern, preds);
}
