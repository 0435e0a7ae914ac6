/* SPDX-License-Identifier: MIT */
#include "registry/common/common_names.h"

#include "registry/common/common_grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void common_names_finish(struct common_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->rows[i].text);
	free(names->rows);
	free(names->slots);
	*names = (struct common_names){0};
}

/* FNV-1a of lower case, which serves either kind of set. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint32_t)tolower((unsigned char)*name)) * 16777619u;
	return hash ^ hash >> 15;
}

/* The slot that has the name, or the free one where it belongs. */
static uint32_t *slot_of(const struct common_names *names, const char *name)
{
	int (*const differ)(const char *, const char *) = names->any_case ? strcasecmp : strcmp;
	uint32_t at = hash_of(name) & names->mask;

	while (names->slots[at] && differ(names->rows[names->slots[at] - 1].text, name))
		at = (at + 1) & names->mask;
	return &names->slots[at];
}

uint32_t common_names_find(const struct common_names *names, const char *name)
{
	return names->count ? *slot_of(names, name) : 0;
}

/* Room for one more name. */
static bool room_make(struct common_names *names)
{
	const uint32_t room = names->room ? names->room * 2 : 32;
	uint32_t *slots;

	if (names->count < names->room)
		return true;
	if (room > UINT32_C(1) << 30)
		return false;
	slots = COMMON_RESIZE(names->rows, room) ? calloc((size_t)room * 2, sizeof(*slots)) : NULL;
	if (!slots)
		return false;
	free(names->slots);
	names->slots = slots;
	names->mask = room * 2 - 1;
	names->room = room;
	for (uint32_t i = 0; i < names->count; i++)
		*slot_of(names, names->rows[i].text) = i + 1;
	return true;
}

bool common_names_add(struct common_names *names, const char *name)
{
	uint32_t *slot;
	char *text;

	if (!room_make(names))
		return false;
	slot = slot_of(names, name);
	if (*slot)
		return true;
	text = strdup(name);
	if (!text)
		return false;
	names->rows[names->count] = (struct common_name){.text = text};
	*slot = ++names->count;
	return true;
}

/* Numbers go on where the name's last one ended: n names that are one take n steps, not n * n. */
bool common_names_choose(struct common_names *names, char *name, size_t size, const char *between)
{
	const size_t length = strlen(name);
	const uint32_t row = common_names_find(names, name);
	uint32_t number = row && names->rows[row - 1].number ? names->rows[row - 1].number : 1;

	while (row && common_names_find(names, name))
		snprintf(name + length, size - length, "%s%lu", between, (unsigned long)++number);
	if (row)
		names->rows[row - 1].number = number;
	return common_names_add(names, name);
}
