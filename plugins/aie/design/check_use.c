/* SPDX-License-Identifier: MIT */
/* check_use.c - a core touches an object only while it holds it, as behind the release its place is filled or read by others; and holds none at its end, as the next run begins
 * with the locks that this one leaves.
 *
 * Objects of an end are counted in the order in which they come, so a core has released an object when it has released more objects of that end than came before it. A
 * branch counts for what both of its ways release, a loop that nobody can count for one turn. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

#define OBJECTS_MOST (UINT64_C(1) << 62) /* that an end releases */

/* Objects by the ids of values. */
struct object {
	uint64_t number; /* from 1; 0: the value is none */
	uint32_t end;
};
struct user {
	const struct aie_design *design;
	uint32_t tile;
	struct object *objects;
	uint64_t *released; /* per end of a fifo: 2 * fifo + port */
	uint64_t *acquired; /* the same: how many have come */
	bool counted;       /* acquired and released are what they are in each run: no branch and no loop of unknown turns stood in the way */
	struct ptowsp_error *error;
};

static uint32_t end_of(const struct user *user, const struct aie_op *access)
{
	return 2 * aie_design_symbol(user->design, aie_attr_of(access, "objFifo_name")->text) + (uint32_t)aie_attr_of(access, "port")->number;
}

static bool is_view(const struct aie_op *op)
{
	return aie_op_is(op, "memref.subview") || aie_op_is(op, "memref.view");
}

/* The value that an object is, of what may be a part of it. */
static const struct aie_value *whole_of(const struct aie_value *value)
{
	while (!value->argument && is_view(value->op))
		value = value->op->operands[0];
	return value;
}

/* outer: NULL, or a loop: of objects that come from outside of it. */
static ptowsp_status operands_look(const struct user *user, const struct aie_op *op, const struct aie_op *outer)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const struct aie_value *value = whole_of(op->operands[i]);
		const struct object *object = &user->objects[value->id];

		if (object->number && object->number <= user->released[object->end] && !(outer && aie_op_inside(value->op, outer)))
			return aie_rule_fail(user->error, PTOWSP_INVALID, op, AIE_RULE_ACCESS_USED, "%s uses an object of fifo '%.48s' that it has released",
					     aie_design_tile_text(user->design, user->tile), user->design->fifos[object->end / 2].name);
	}
	return PTOWSP_OK;
}

/* A further turn of a loop finds that objects from outside were released in the one before. */
static ptowsp_status turn_look(const struct user *user, const struct aie_region *region, const struct aie_op *loop)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct aie_op *op = region->first; !status && op; op = op->next) {
		status = operands_look(user, op, loop);
		for (uint32_t i = 0; !status && i < op->region_count; i++)
			status = turn_look(user, &op->regions[i], loop);
	}
	return status;
}

static void acquire(struct user *user, const struct aie_op *op)
{
	const uint32_t end = end_of(user, op);

	for (uint32_t i = 0; i < op->result_count; i++)
		user->objects[op->results[i]->id] = (struct object){user->released[end] + i + 1, end};
	if (user->acquired[end] < user->released[end] + op->result_count)
		user->acquired[end] = user->released[end] + op->result_count;
}

static ptowsp_status region_walk(struct user *user, const struct aie_region *region);

/* A copy of a row of counts; NULL: no memory. */
static uint64_t *counts_copy(const struct user *user, const uint64_t *counts)
{
	const size_t ends = 2 * (size_t)user->design->fifo_count;
	uint64_t *copy = malloc((ends + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, counts, ends * sizeof(*copy));
	return copy;
}

static ptowsp_status no_memory(const struct user *user)
{
	return base_fail(user->error, PTOWSP_NO_MEMORY, "there is no memory to check %u cores", user->design->core_count);
}

/* The turns behind the first one: each releases as much again, and an end of which the first turn acquired acquires as much as it releases. */
static void turns_count(struct user *user, const uint64_t *released, const uint64_t *acquired, uint64_t more)
{
	for (uint32_t e = 0; e < 2 * user->design->fifo_count; e++) {
		const uint64_t once = user->released[e] - released[e], most = more ? (OBJECTS_MOST - released[e]) / more : OBJECTS_MOST,
			       all = (once < most ? once : most) * more;

		user->released[e] += all;
		user->acquired[e] += user->acquired[e] > acquired[e] ? all : 0;
	}
}

static ptowsp_status loop_walk(struct user *user, const struct aie_op *loop)
{
	uint64_t *released = counts_copy(user, user->released), *acquired = counts_copy(user, user->acquired), turns = 1;
	ptowsp_status status = released && acquired ? region_walk(user, &loop->regions[0]) : no_memory(user);
	const bool known = aie_loop_turns(loop, &turns);

	user->counted &= known && turns;
	if (!status && (!known || turns > 1))
		status = turn_look(user, &loop->regions[0], loop);
	if (!status && turns)
		turns_count(user, released, acquired, turns - 1);
	free(released);
	free(acquired);
	return status;
}

static ptowsp_status branch_walk(struct user *user, const struct aie_op *branch)
{
	uint64_t *before = counts_copy(user, user->released), *first = user->released;
	ptowsp_status status = before ? region_walk(user, &branch->regions[0]) : no_memory(user);

	user->counted = false;

	if (before && !status) {
		user->released = before;
		status = region_walk(user, &branch->regions[1]);
		user->released = first;
		for (uint32_t e = 0; e < 2 * user->design->fifo_count; e++)
			first[e] = before[e] < first[e] ? before[e] : first[e];
	}
	free(before);
	return status;
}

static ptowsp_status op_walk(struct user *user, const struct aie_op *op)
{
	ptowsp_status status = PTOWSP_OK;

	if (aie_op_is(op, "scf.for"))
		return loop_walk(user, op);
	if (aie_op_is(op, "scf.if"))
		return branch_walk(user, op);
	if (aie_op_is(op, "aie.objectfifo.acquire"))
		acquire(user, op);
	else if (aie_op_is(op, "aie.objectfifo.release"))
		user->released[end_of(user, op)] += (uint64_t)aie_attr_of(op, "size")->number;
	else
		status = operands_look(user, op, NULL);
	for (uint32_t i = 0; !status && i < op->region_count; i++)
		status = region_walk(user, &op->regions[i]);
	return status;
}

static ptowsp_status region_walk(struct user *user, const struct aie_region *region)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct aie_op *op = region->first; !status && op; op = op->next)
		status = op_walk(user, op);
	return status;
}

/* A core holds no objects at its end. */
static ptowsp_status held_look(const struct user *user, const struct aie_op *core)
{
	for (uint32_t e = 0; user->counted && e < 2 * user->design->fifo_count; e++)
		if (user->acquired[e] > user->released[e])
			return aie_rule_fail(user->error, PTOWSP_INVALID, core, AIE_RULE_ACCESS_LEFT,
					     "%s ends with %llu objects of fifo '%.48s' that it has not released",
					     aie_design_tile_text(user->design, user->tile), (unsigned long long)(user->acquired[e] - user->released[e]),
					     user->design->fifos[e / 2].name);
	return PTOWSP_OK;
}

ptowsp_status aie_check_uses(const struct aie_design *design, struct ptowsp_error *error)
{
	struct user user = {.design = design, .error = error};
	ptowsp_status status = PTOWSP_OK;
	const size_t ends = 2 * (size_t)design->fifo_count;

	user.objects = calloc((size_t)design->value_count + 1, sizeof(*user.objects));
	user.released = calloc(ends + 1, sizeof(*user.released));
	user.acquired = calloc(ends + 1, sizeof(*user.acquired));
	if (!user.objects || !user.released || !user.acquired)
		status = no_memory(&user);
	for (uint32_t i = 0; !status && i < design->core_count; i++) {
		user.tile = design->cores[i].tile;
		user.counted = true;
		memset(user.released, 0, ends * sizeof(*user.released));
		memset(user.acquired, 0, ends * sizeof(*user.acquired));
		status = region_walk(&user, &design->cores[i].op->regions[0]);
		if (!status)
			status = held_look(&user, design->cores[i].op);
	}
	free(user.objects);
	free(user.released);
	free(user.acquired);
	return status;
}
