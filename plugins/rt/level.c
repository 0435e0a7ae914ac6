/* SPDX-License-Identifier: MIT */
#include "rt/level.h"

#include <string.h>
#include "rt/arithmetic.h"
#include "rt/error.h"

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static unsigned log2_of(uint32_t power)
{
	unsigned k = 0;

	while (power >>= 1)
		k++;
	return k;
}

static ptowsp_status level_read(struct rt_level_set *set, const struct ptowsp_level_record *level, struct ptowsp_error *error)
{
	if (!level->rows || level->rows % RT_LEVEL_BASE)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tile level %u of block %u is not a multiple of 32", level->rows, level->block);
	if (!level->block)
		return level->rows == RT_LEVEL_BASE
			       ? PTOWSP_OK
			       : rt_fail(error, PTOWSP_BAD_PACKAGE, "the residual tile level is %u, it must be 32", level->rows);
	if ((uint64_t)level->block * RT_LEVEL_BASE % level->rows)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tile level %u does not divide a block of %u * 32 rows", level->rows,
			       level->block);
	if (!power_of_two(level->block))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "block size %u is not a power of two", level->block);
	set->rows[log2_of(level->block)] = level->rows;
	return PTOWSP_OK;
}

ptowsp_status rt_level_set_read(struct rt_level_set *set, const struct rt_tables *tables, uint32_t row, struct ptowsp_error *error)
{
	const struct ptowsp_levels_record *record;
	ptowsp_status st = PTOWSP_OK;

	memset(set, 0, sizeof(*set));
	for (unsigned k = 0; k < 32; k++)
		set->rows[k] = RT_LEVEL_BASE;
	if (row >= tables->levels.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no TLVL row %u", row);
	record = &tables->levels.rows[row];
	if (!power_of_two(record->max_range) || !power_of_two(record->min_range) || record->min_range > record->max_range)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "max_range %u and min_range %u must be powers of two, min not above max",
			       record->max_range, record->min_range);
	if (record->count > tables->level.count || record->first > tables->level.count - record->count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "TLVL row %u names LVLS rows that are not there", row);
	set->max_range = record->max_range;
	set->min_range = record->min_range;
	for (uint32_t i = 0; !st && i < record->count; i++)
		st = level_read(set, &tables->level.rows[record->first + i], error);
	return st;
}

void rt_level_start(struct rt_level_walk *walk, const struct rt_level_set *set, uint64_t count)
{
	*walk = (struct rt_level_walk){
		.set = set,
		.full = count / set->max_range,
		.rest = count % set->max_range,
		.next = set->max_range / 2,
	};
}

static void block_enter(struct rt_level_walk *walk, uint32_t size)
{
	unsigned k = log2_of(size);

	walk->step = walk->set->rows[k] / RT_LEVEL_BASE;
	walk->left = size / walk->step;
	walk->level = walk->set->level[k];
}

/* Enters the next block that has iterations; false at the end. */
static bool block_next(struct rt_level_walk *walk)
{
	if (walk->full) {
		walk->full--;
		block_enter(walk, walk->set->max_range);
		return true;
	}
	for (uint32_t size = walk->next; size >= walk->set->min_range; size /= 2)
		if (walk->rest & size) {
			walk->next = size / 2;
			block_enter(walk, size);
			return true;
		}
	walk->next = 0;
	if (walk->residual)
		return false;
	walk->residual = true;
	walk->step = 1;
	walk->level = 0;
	walk->left = walk->rest & (walk->set->min_range - 1);
	return walk->left > 0;
}

bool rt_level_next(struct rt_level_walk *walk, int64_t *value_out)
{
	if (!walk->left && !block_next(walk))
		return false;
	*value_out = (int64_t)walk->base;
	walk->base += walk->step;
	walk->left--;
	return true;
}
