/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_hash.h"

#include <string.h>

enum sort { NAME, TYPE, ATTR };

struct slot {
	uint64_t hash;
	const void *what;
	uint8_t sort;
};
/* Open addressing; at most half full. Outgrown tables stay in the arena: all of them together are no larger than the last. */
struct aie_intern {
	struct slot *slots;
	size_t mask, count;
};

struct aie_intern *aie_intern_create(struct common_arena *arena)
{
	struct aie_intern *intern = common_take(arena, 1, sizeof(*intern));

	if (!intern)
		return NULL;
	intern->mask = 255;
	intern->slots = common_take(arena, intern->mask + 1, sizeof(*intern->slots));
	return intern->slots ? intern : NULL;
}

static uint64_t bits_of(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static uint64_t type_hash(const struct aie_type *type)
{
	uint64_t hash = common_hash(type->kind, type->bits);

	for (uint32_t i = 0; i < type->rank; i++)
		hash = common_hash(common_hash(hash, (uint64_t)type->dims[i]), (uint64_t)type->strides[i]);
	hash = common_hash(common_hash(common_hash(hash, (uint64_t)type->offset), type->strided), (uintptr_t)type->element);
	for (uint32_t i = 0; i < type->part_count; i++)
		hash = common_hash(hash, (uintptr_t)type->parts[i]);
	return common_hash(common_hash(hash, type->inputs), (uintptr_t)type->text);
}

static bool type_same(const struct aie_type *a, const struct aie_type *b)
{
	return a->kind == b->kind && a->bits == b->bits && a->rank == b->rank && a->offset == b->offset && a->strided == b->strided &&
	       a->element == b->element && a->text == b->text && a->inputs == b->inputs && a->part_count == b->part_count &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)) && !memcmp(a->strides, b->strides, a->rank * sizeof(*a->strides)) &&
	       (!a->part_count || !memcmp(a->parts, b->parts, a->part_count * sizeof(*a->parts)));
}

static uint64_t attr_hash(const struct aie_attr *attr)
{
	uint64_t hash = common_hash(common_hash(attr->kind, (uintptr_t)attr->type), (uint64_t)attr->number);

	hash = common_hash(common_hash(hash, bits_of(attr->real)), (uintptr_t)attr->text);
	for (uint32_t i = 0; i < attr->count; i++)
		hash = common_hash(hash, attr->items ? (uintptr_t)attr->items[i] : (uint64_t)attr->ints[i]);
	return common_hash(hash, attr->count);
}

static bool attr_same(const struct aie_attr *a, const struct aie_attr *b)
{
	return a->kind == b->kind && a->type == b->type && a->number == b->number && bits_of(a->real) == bits_of(b->real) && a->text == b->text &&
	       a->count == b->count && !a->items == !b->items &&
	       (!a->count || (a->items ? !memcmp(a->items, b->items, a->count * sizeof(*a->items)) : !memcmp(a->ints, b->ints, a->count * sizeof(*a->ints))));
}

struct name {
	const char *text;
	size_t length;
};

static bool slot_is(const struct slot *slot, enum sort sort, uint64_t hash, const void *like)
{
	const struct name *name = like;

	if (slot->hash != hash || slot->sort != sort)
		return false;
	if (sort == TYPE)
		return type_same(slot->what, like);
	if (sort == ATTR)
		return attr_same(slot->what, like);
	return !strncmp(slot->what, name->text, name->length) && !((const char *)slot->what)[name->length];
}

/* The slot of a value, or the free one where it would be. */
static struct slot *slot_find(const struct aie_intern *intern, enum sort sort, uint64_t hash, const void *like)
{
	size_t at = hash & intern->mask;

	while (intern->slots[at].what && !slot_is(&intern->slots[at], sort, hash, like))
		at = (at + 1) & intern->mask;
	return &intern->slots[at];
}

static bool table_double(struct aie_module *module)
{
	struct aie_intern *intern = module->intern, more = {.mask = 2 * intern->mask + 1};

	more.slots = common_take(module->arena, more.mask + 1, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (size_t i = 0; i <= intern->mask; i++) {
		size_t at = intern->slots[i].hash & more.mask;

		if (!intern->slots[i].what)
			continue;
		while (more.slots[at].what)
			at = (at + 1) & more.mask;
		more.slots[at] = intern->slots[i];
	}
	intern->slots = more.slots;
	intern->mask = more.mask;
	return true;
}

static const void *slot_fill(struct aie_module *module, struct slot *slot, enum sort sort, uint64_t hash, const void *what)
{
	if (!what)
		return NULL;
	*slot = (struct slot){hash, what, (uint8_t)sort};
	if (2 * ++module->intern->count > module->intern->mask && !table_double(module))
		return NULL;
	return what;
}

/* Copy of an array in the arena; NULL also where it is empty. */
static void *array_copy(struct aie_module *module, const void *rows, uint32_t count, size_t size, bool *failed)
{
	void *copy = count ? common_take(module->arena, count, size) : NULL;

	if (copy)
		memcpy(copy, rows, count * size);
	*failed |= count && !copy;
	return copy;
}

const struct aie_type *aie_intern_type(struct aie_module *module, const struct aie_type *like)
{
	const uint64_t hash = type_hash(like);
	struct slot *slot = slot_find(module->intern, TYPE, hash, like);
	struct aie_type *type;
	bool failed = false;

	if (slot->what)
		return slot->what;
	type = common_take(module->arena, 1, sizeof(*type));
	if (!type)
		return NULL;
	*type = *like;
	type->parts = array_copy(module, like->parts, like->part_count, sizeof(*like->parts), &failed);
	return slot_fill(module, slot, TYPE, hash, failed ? NULL : type);
}

const struct aie_attr *aie_intern_attr(struct aie_module *module, const struct aie_attr *like)
{
	const uint64_t hash = attr_hash(like);
	struct slot *slot = slot_find(module->intern, ATTR, hash, like);
	struct aie_attr *attr;
	bool failed = false;

	if (slot->what)
		return slot->what;
	attr = common_take(module->arena, 1, sizeof(*attr));
	if (!attr)
		return NULL;
	*attr = *like;
	if (like->items)
		attr->items = array_copy(module, like->items, like->count, sizeof(*like->items), &failed);
	else if (like->ints)
		attr->ints = array_copy(module, like->ints, like->count, sizeof(*like->ints), &failed);
	return slot_fill(module, slot, ATTR, hash, failed ? NULL : attr);
}

const char *aie_name(struct aie_module *module, const char *text, size_t length)
{
	const struct name name = {text, length};
	uint64_t hash = length;
	struct slot *slot;

	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i++)
		hash = common_hash(hash, (unsigned char)text[i]);
	slot = slot_find(module->intern, NAME, hash, &name);
	if (slot->what)
		return slot->what;
	return slot_fill(module, slot, NAME, hash, common_copy(module->arena, text, length));
}
