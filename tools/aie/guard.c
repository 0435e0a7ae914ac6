/* SPDX-License-Identifier: MIT */
/* guard.c - arguments of kernels as copies that stand apart, so that a kernel that goes beyond one is met: guard words on both sides, behind them pages that nobody may touch. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "registry/common/common_hash.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, GAP = 64 * PAGE, LEAST = 64 };

/* ---- which bytes ---------------------------------------------------------------------------------------------------- */

/* Bytes from the first to behind the last element of a view; none where it has no element. */
static void extent_find(const struct aie_type *type, uint8_t *first, struct aie_guard_extent *extent_out)
{
	const int64_t each = (int64_t)aie_type_bytes(type->element);
	int64_t below = 0, above = each;

	for (uint32_t d = 0; d < type->rank; d++) {
		const int64_t far = (type->dims[d] - 1) * type->strides[d] * each;

		if (!type->dims[d])
			above = below = 0;
		else if (far < 0)
			below += far;
		else
			above += far;
	}
	*extent_out = aie_type_count(type) ? (struct aie_guard_extent){first + below, first + above} : (struct aie_guard_extent){first, first};
}

/* Arguments that share bytes stay together in one area. */
static uint32_t areas_find(const struct aie_guard *guard, struct aie_guard_extent *areas)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < guard->arguments; i++) {
		struct aie_guard_extent area = guard->extents[i];

		for (uint32_t j = 0; guard->is_memref[i] && j < count; j++) {
			if (area.end <= areas[j].begin || areas[j].end <= area.begin)
				continue;
			area.begin = area.begin < areas[j].begin ? area.begin : areas[j].begin;
			area.end = area.end > areas[j].end ? area.end : areas[j].end;
			areas[j] = areas[--count];
			j = (uint32_t)-1;
		}
		if (guard->is_memref[i])
			areas[count++] = area;
	}
	return count;
}

/* ---- slots ---------------------------------------------------------------------------------------------------------- */

enum { WORDS = 2 * PAGE + LEAST };
/* What stands before and behind the copy in each slot. No two slots have the same byte at the same place, and no part repeats: what a kernel copies from beside one argument to beside another
 * shows. */
static uint8_t words[AIE_GUARD_ARGUMENTS][WORDS];

static void words_make(void)
{
	static bool made;

	for (size_t i = 0; !made && i < WORDS; i++) {
		const uint8_t byte = (uint8_t)(common_mix(i) >> 56);

		for (size_t slot = 0; slot < AIE_GUARD_ARGUMENTS; slot++)
			words[slot][i] = (uint8_t)(byte + 61 * slot);
	}
	made = true;
}

static void slot_drop(struct aie_guard_slot *slot)
{
	if (slot->map)
		munmap(slot->map, slot->mapped);
	*slot = (struct aie_guard_slot){0};
}

/* A gap, a page of guard words, the copy, guard words up to the end of a page, a gap. */
static bool slot_make(struct aie_guard_slot *slot, size_t number, size_t size)
{
	const size_t inner = PAGE + (size + LEAST + PAGE - 1) / PAGE * PAGE;

	if (slot->map && slot->size == size)
		return true;
	slot_drop(slot);
	slot->mapped = inner + 2 * (size_t)GAP;
	slot->map = mmap(NULL, slot->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slot->map == MAP_FAILED || mprotect(slot->map + GAP, inner, PROT_READ | PROT_WRITE)) {
		slot->map = slot->map == MAP_FAILED ? NULL : slot->map;
		return false;
	}
	slot->bytes = slot->map + GAP + PAGE;
	slot->size = size;
	slot->behind = inner - PAGE - size;
	words_make();
	slot->words = words[number];
	memcpy(slot->bytes - PAGE, slot->words, PAGE);
	memcpy(slot->bytes + size, slot->words + PAGE, slot->behind);
	return true;
}

void aie_guard_finish(struct aie_guard *guard)
{
	for (uint32_t i = 0; i < AIE_GUARD_ARGUMENTS; i++)
		slot_drop(&guard->slots[i]);
}

/* The byte nearest to the copy that is not as it was; NULL: there is none. */
static const uint8_t *slot_check(const struct aie_guard_slot *slot)
{
	const uint8_t *before = slot->bytes - PAGE, *behind = slot->bytes + slot->size;

	if (memcmp(behind, slot->words + PAGE, slot->behind) != 0)
		for (size_t i = 0; i < slot->behind; i++)
			if (behind[i] != slot->words[PAGE + i])
				return behind + i;
	if (memcmp(before, slot->words, PAGE) != 0)
		for (size_t i = PAGE; i--;)
			if (before[i] != slot->words[i])
				return before + i;
	return NULL;
}

/* ---- a call --------------------------------------------------------------------------------------------------------- */

static bool extents_find(struct aie_guard *guard, const struct aie_sim_call *call)
{
	const struct aie_type *type = call->function->type;
	struct aie_guard_extent areas[AIE_GUARD_ARGUMENTS];

	guard->type = type;
	guard->arguments = type->inputs;
	for (uint32_t i = 0; i < type->inputs; i++) {
		guard->is_memref[i] = type->parts[i]->kind == AIE_TYPE_MEMREF;
		if (guard->is_memref[i])
			extent_find(type->parts[i], call->memrefs[i], &guard->extents[i]);
	}
	guard->count = areas_find(guard, areas);
	for (uint32_t i = 0; i < guard->count; i++) {
		if (!slot_make(&guard->slots[i], i, (size_t)(areas[i].end - areas[i].begin)))
			return false;
		guard->slots[i].of = areas[i].begin;
	}
	return true;
}

/* Where the copy has what lies at an address of an argument. */
static uint8_t *copy_of(const struct aie_guard *guard, uint32_t argument, uint8_t *at)
{
	const struct aie_guard_extent *extent = &guard->extents[argument];

	for (uint32_t i = 0; i < guard->count; i++)
		if (extent->begin >= guard->slots[i].of && extent->end <= guard->slots[i].of + guard->slots[i].size)
			return guard->slots[i].bytes + (at - guard->slots[i].of);
	return at;
}

ptowsp_status aie_guard_lend(struct aie_guard *guard, const struct aie_sim_call *call, void **pointers, struct ptowsp_error *error)
{
	if (!extents_find(guard, call))
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for arguments of kernel @%s", call->function->name);
	for (uint32_t i = 0; i < guard->count; i++)
		memcpy(guard->slots[i].bytes, guard->slots[i].of, guard->slots[i].size);
	for (uint32_t i = 0; i < guard->arguments; i++)
		if (guard->is_memref[i])
			pointers[i] = copy_of(guard, i, call->memrefs[i]);
	return PTOWSP_OK;
}

/* Of the argument that ends, or begins, nearest to it. */
static void touch_find(const struct aie_guard *guard, const struct aie_guard_slot *slot, const uint8_t *at, struct aie_touch *touch_out)
{
	const bool behind = at >= slot->bytes;
	const uint8_t *edge = behind ? slot->of + slot->size : slot->of;

	for (uint32_t i = 0; i < guard->arguments; i++) {
		const struct aie_guard_extent *extent = &guard->extents[i];
		int64_t each, far;

		if (!guard->is_memref[i] || (behind ? extent->end : extent->begin) != edge)
			continue;
		each = (int64_t)aie_type_bytes(guard->type->parts[i]->element);
		far = at - (slot->bytes + (extent->begin - slot->of));
		*touch_out = (struct aie_touch){i, far < 0 ? (far - each + 1) / each : far / each, aie_type_count(guard->type->parts[i])};
	}
}

bool aie_guard_find(const struct aie_guard *guard, const void *address, struct aie_touch *touch_out)
{
	const uint8_t *at = address;

	for (uint32_t i = 0; i < guard->count; i++) {
		const struct aie_guard_slot *slot = &guard->slots[i];

		if (at >= slot->map && at < slot->map + slot->mapped)
			return touch_find(guard, slot, at, touch_out), true;
	}
	return false;
}

ptowsp_status aie_guard_take(struct aie_guard *guard, const char *kernel, struct ptowsp_error *error)
{
	struct aie_touch touch = {0};

	for (uint32_t i = 0; i < guard->count; i++) {
		const uint8_t *at = slot_check(&guard->slots[i]);

		memcpy(guard->slots[i].of, guard->slots[i].bytes, guard->slots[i].size);
		if (!at)
			continue;
		touch_find(guard, &guard->slots[i], at, &touch);
		return base_fail(error, PTOWSP_KERNEL_FAILED, AIE_TOUCHES, kernel, (long long)touch.element, touch.argument,
				 (unsigned long long)touch.elements);
	}
	return PTOWSP_OK;
}
