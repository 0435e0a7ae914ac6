/* SPDX-License-Identifier: MIT */
/* lang_map.h - names to things, in an arena. */
#ifndef LANG_MAP_H
#define LANG_MAP_H

#include "registry/common/common_arena.h"

/* Open addressing; at most half full. Names are borrowed and must live as long as the map. */
struct lang_map {
	struct lang_map_slot {
		const char *name; /* NULL: free */
		void *value;
	} * slots;
	uint32_t mask, count; /* mask + 1 slots, none while slots is NULL */
};

void *lang_map_find(const struct lang_map *map, const char *name); /* NULL if absent */
/* The name stands for that from here on, whatever it stood for before; NULL: for nothing. */
void lang_map_set(struct lang_map *map, struct common_arena *arena, const char *name, void *value);
/* The name must not be there yet; value must not be NULL. */
void lang_map_add(struct lang_map *map, struct common_arena *arena, const char *name, void *value);

#endif
