/* SPDX-License-Identifier: MIT */
#include "starpu/spu_part.h"

#include "base/error.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

static ptowsp_status no_memory(struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the parts of a run");
}

/* ---- making -------------------------------------------------------------------------------------------------------------- */

/* Runs follow each other, or a new range begins. */
static bool task_add(struct spu_part *part, uint64_t number)
{
	part->tasks++;
	if (part->range_count && part->ranges[part->range_count - 1].end == number) {
		part->ranges[part->range_count - 1].end++;
		return true;
	}
	if (!COMMON_GROW(part->ranges, part->range_room, part->range_count))
		return false;
	part->ranges[part->range_count++] = (struct rt_range){number, number + 1};
	return true;
}

static bool move_add(struct spu_part *part, const struct spu_move *move)
{
	if (!COMMON_GROW(part->moves, part->move_room, part->move_count))
		return false;
	part->moves[part->move_count++] = *move;
	return true;
}

/* Parts that are being made. */
struct making {
	struct spu_part *parts;
	uint64_t before;
};

static bool moved(void *context, const struct spu_blocks *blocks, const struct spu_block *block, uint32_t from, uint32_t to, int64_t tag)
{
	const struct making *making = context;
	struct spu_move move = {making->before, (uint64_t)(block - blocks->tensors[block->tensor].blocks), tag, block->tensor, to, true};

	if (!move_add(&making->parts[from], &move))
		return false;
	move.other = from;
	move.sends = false;
	return move_add(&making->parts[to], &move);
}

static ptowsp_status tasks_add(struct making *making, struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk,
			       struct ptowsp_error *error)
{
	struct spu_uses uses = {.rows = NULL};
	ptowsp_status status = PTOWSP_OK;

	for (uint64_t t = 0; !status && t < walk->task_count; t++) {
		making->before = t;
		if (!task_add(&making->parts[ranks->of[t]], t))
			status = no_memory(error);
		if (!status)
			status = spu_uses_find(&uses, blocks, walk, t, error);
		if (!status)
			status = spu_ranks_touch(ranks, blocks, &uses, ranks->of[t], error);
	}
	free(uses.rows);
	return status;
}

ptowsp_status spu_parts_make(struct spu_part **parts_out, struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk, const bool *kept,
			     struct ptowsp_error *error)
{
	struct spu_part *parts = calloc(ranks->world.count, sizeof(*parts));
	struct making making = {parts, 0};
	struct spu_ranks told = *ranks;
	ptowsp_status status;

	*parts_out = parts;
	if (!parts)
		return no_memory(error);
	told.moved = moved;
	told.moved_context = &making;
	status = tasks_add(&making, &told, blocks, walk, error);
	making.before = UINT64_MAX;
	if (!status)
		status = spu_ranks_gather(&told, blocks, kept, error);
	spu_ranks_forget(ranks, blocks);
	if (!status && !(parts->cuts = spu_blocks_put(blocks, &parts->cut_count)))
		status = no_memory(error);
	return status;
}

void spu_part_finish(struct spu_part *part)
{
	free(part->ranges);
	free(part->moves);
	free(part->cuts);
	free(part->numbers);
	*part = (struct spu_part){.ranges = NULL};
}

void spu_parts_free(struct spu_part *parts, uint32_t count)
{
	for (uint32_t r = 0; parts && r < count; r++)
		spu_part_finish(&parts[r]);
	free(parts);
}

/* ---- telling ------------------------------------------------------------------------------------------------------------- */

/* What comes first. */
struct head {
	struct spu_part part; /* its numbers alone mean something */
	struct ptowsp_error why;
	ptowsp_status status;
};

static void list_pass(void *list, size_t bytes, uint32_t other, bool sends)
{
	if (bytes)
		spu_ranks_bytes(list, bytes, other, sends);
}

static void lists_pass(struct spu_part *part, uint32_t other, bool sends)
{
	list_pass(part->ranges, part->range_count * sizeof(*part->ranges), other, sends);
	list_pass(part->moves, part->move_count * sizeof(*part->moves), other, sends);
	list_pass(part->cuts, part->cut_count * sizeof(*part->cuts), other, sends);
}

void spu_parts_send(const struct spu_part *parts, uint32_t count)
{
	for (uint32_t r = 1; r < count; r++) {
		struct head head = {.part = parts[r]};

		head.part.cuts = parts->cuts; /* all ranks have the same */
		head.part.cut_count = parts->cut_count;
		head.part.broken = parts->broken;
		spu_ranks_bytes(&head, sizeof(head), r, true);
		lists_pass(&head.part, r, true);
	}
}

void spu_parts_fail(uint32_t count, ptowsp_status status, const struct ptowsp_error *error)
{
	for (uint32_t r = 1; r < count; r++) {
		struct head head = {.why = *error, .status = status};

		spu_ranks_bytes(&head, sizeof(head), r, true);
	}
}

static bool lists_make(struct spu_part *part)
{
	part->ranges = calloc(part->range_count + (size_t)1, sizeof(*part->ranges));
	part->moves = calloc(part->move_count + (size_t)1, sizeof(*part->moves));
	part->cuts = calloc(part->cut_count + (size_t)1, sizeof(*part->cuts));
	part->numbers = calloc(part->tasks + 1, sizeof(*part->numbers));
	return part->ranges && part->moves && part->cuts && part->numbers;
}

static void numbers_fill(struct spu_part *part)
{
	uint64_t count = 0;

	for (uint32_t r = 0; r < part->range_count; r++)
		for (uint64_t number = part->ranges[r].begin; number < part->ranges[r].end; number++)
			part->numbers[count++] = number;
}

ptowsp_status spu_part_receive(struct spu_part *part, struct ptowsp_error *error)
{
	struct head head;

	spu_ranks_bytes(&head, sizeof(head), 0, false);
	if (head.status) {
		*error = head.why;
		return head.status;
	}
	*part = head.part;
	if (!lists_make(part)) /* rank 0 goes on, and sees that this one is gone */
		return no_memory(error);
	lists_pass(part, 0, false);
	numbers_fill(part);
	return PTOWSP_OK;
}

ptowsp_status spu_part_end(struct ptowsp_error *error)
{
	struct head head;

	spu_ranks_bytes(&head, sizeof(head), 0, false);
	*error = head.why;
	return head.status;
}
