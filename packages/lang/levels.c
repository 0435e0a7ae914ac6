/* SPDX-License-Identifier: MIT */
#include "lang/levels.h"

#include <string.h>

static int is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void range_check(struct lang_unit *unit, const struct lang_levels *levels)
{
	if (!levels->max_range || !levels->min_range) {
		lang_error(unit, levels->at, "a loop with tile levels needs max_range and min_range");
		lang_help(unit, "for example max_range=4096 min_range=256");
		return;
	}
	if (!is_power(levels->max_range))
		lang_error(unit, levels->max_at, "max_range is a power of two, not %u", levels->max_range);
	if (!is_power(levels->min_range))
		lang_error(unit, levels->min_at, "min_range is a power of two, not %u", levels->min_range);
	if (levels->min_range > levels->max_range)
		lang_error(unit, levels->min_at, "min_range %u is above max_range %u", levels->min_range, levels->max_range);
}

static void residual_check(struct lang_unit *unit, const struct lang_level *level)
{
	if (level->rows == LANG_LEVEL_ROWS)
		return;
	lang_error(unit, level->at, "level 0, the residual iterations, has %u rows, not %u", LANG_LEVEL_ROWS, level->rows);
	lang_help(unit, "write 0:%u, or leave it out", LANG_LEVEL_ROWS);
}

static void level_check(struct lang_unit *unit, const struct lang_levels *levels, uint32_t number)
{
	const struct lang_level *level = &levels->rows[number];

	for (uint32_t i = 0; i < number; i++)
		if (levels->rows[i].block == level->block) {
			lang_error(unit, level->at, "block size %u has two levels", level->block);
			return;
		}
	if (!level->block) {
		residual_check(unit, level);
		return;
	}
	if (!is_power(level->block) || level->block > levels->max_range || level->block < levels->min_range)
		lang_error(unit, level->at, "no block has the size %u: blocks are powers of two from %u to %u", level->block,
			   levels->min_range, levels->max_range);
	else if (!level->rows || level->rows % LANG_LEVEL_ROWS || (uint64_t)LANG_LEVEL_ROWS * level->block % level->rows)
		lang_error(unit, level->at, "level %u:%u: the rows are a multiple of %u that divides %u times the block",
			   level->block, level->rows, LANG_LEVEL_ROWS, LANG_LEVEL_ROWS);
}

void lang_levels_check(struct lang_unit *unit, const struct lang_levels *levels)
{
	range_check(unit, levels);
	for (uint32_t i = 0; i < levels->count && levels->max_range && levels->min_range; i++)
		level_check(unit, levels, i);
}

void lang_levels_loop_check(struct lang_check *check, const struct lang_stmt *loop)
{
	const struct lang_levels *levels = loop->levels;
	const struct lang_operand *low = &loop->operands[1], *step = &loop->operands[3];

	if (!levels)
		return;
	if (check->function->kind == LANG_INCORE) {
		lang_error(check->unit, levels->at, "max_range, min_range and tile_levels stand only in Orchestration functions");
		return;
	}
	if (low->kind != LANG_OPERAND_NUMBER || low->value != 0)
		lang_error(check->unit, low->at, "a loop with tile levels starts at 0");
	if (step->kind != LANG_OPERAND_NUMBER || step->value != 1)
		lang_error(check->unit, step->at, "a loop with tile levels has the step 1");
	lang_levels_check(check->unit, levels);
}

static uint32_t rows_of(const struct lang_levels *levels, uint32_t block)
{
	for (uint32_t i = 0; i < levels->count; i++)
		if (levels->rows[i].block == block)
			return levels->rows[i].rows;
	return LANG_LEVEL_ROWS;
}

/* The tile levels that a loop can run at, 32 included where it can, each once, as the blocks fall. Returns how many. */
static uint32_t levels_possible(const struct lang_levels *levels, uint32_t rows_out[LANG_MAX_LEVELS])
{
	uint32_t count = 0;

	for (uint32_t block = levels->max_range; block >= levels->min_range && block; block /= 2)
		rows_out[count++] = rows_of(levels, block);
	if (levels->min_range > 1)
		rows_out[count++] = LANG_LEVEL_ROWS;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1; j < count;)
			if (rows_out[i] == rows_out[j])
				rows_out[j] = rows_out[--count];
			else
				j++;
	return count;
}

void lang_levels_enter(struct lang_level_set *set, const struct lang_levels *levels)
{
	uint32_t inner[LANG_MAX_LEVELS], count = levels_possible(levels, inner);
	uint32_t merged[LANG_MAX_LEVELS], merged_count = 0;
	int base = !set->count;

	for (uint32_t i = 0; i < set->count; i++)
		if (set->rows[i] == LANG_LEVEL_ROWS)
			base = 1;
		else
			merged[merged_count++] = set->rows[i];
	for (uint32_t i = 0; i < count && base; i++) {
		uint32_t j = 0;

		while (j < merged_count && merged[j] != inner[i])
			j++;
		if (j == merged_count && merged_count < LANG_MAX_LEVELS)
			merged[merged_count++] = inner[i];
	}
	memcpy(set->rows, merged, merged_count * sizeof(*merged));
	set->count = merged_count;
	set->stated |= levels->stated;
}
