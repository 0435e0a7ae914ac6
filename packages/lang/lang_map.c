/* SPDX-License-Identifier: MIT */
#include "lang/lang_map.h"

#include "ptowsp/base.h"

#include <assert.h>
#include <string.h>

/* The slot that holds the name, or the free one where it belongs. */
static struct lang_map_slot *slot_of(const struct lang_map *map, const char *name)
{
	uint64_t hash = ptowsp_id(name, strlen(name));
	uint32_t at = (uint32_t)(hash ^ hash >> 32) & map->mask;

	while (map->slots[at].name && strcmp(map->slots[at].name, name) != 0)
		at = (at + 1) & map->mask;
	return &map->slots[at];
}

void *lang_map_find(const struct lang_map *map, const char *name)
{
	return map->slots ? slot_of(map, name)->value : NULL;
}

static void grow(struct lang_map *map, struct common_arena *arena)
{
	struct lang_map old = *map;

	map->mask = old.slots ? old.mask * 2 + 1 : 15;
	map->slots = common_alloc(arena, ((size_t)map->mask + 1) * sizeof(*map->slots));
	for (uint32_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].name)
			*slot_of(map, old.slots[i].name) = old.slots[i];
}

void lang_map_set(struct lang_map *map, struct common_arena *arena, const char *name, void *value)
{
	struct lang_map_slot *slot;

	if (!map->slots || map->count > map->mask / 2)
		grow(map, arena);
	slot = slot_of(map, name);
	map->count += !slot->name;
	slot->name = name;
	slot->value = value;
}

void lang_map_add(struct lang_map *map, struct common_arena *arena, const char *name, void *value)
{
	assert(!lang_map_find(map, name) && value);
	lang_map_set(map, arena, name, value);
}
