/* SPDX-License-Identifier: MIT */
/* check_use.c - a core touches an object only while it holds it, as behind the release its place is filled or read by others; and holds none at its end, as the next run begins
 * with the locks that this one leaves.
 *
 * Objects of an end are counted in the order in which they come, so a core has released an object when it has released more objects of that end than came before it. A
 * branch counts for what both of its ways release, a loop that nobody can count for one turn. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <string.h>

#define OBJECTS_MOST (UINT64_C(1) << 62) /* that an end releases */

/* Objects by the ids of values. */
struct object {
	uint64_t number; /* from 1; 0: the value is none */
	uint32_t end;
};
/* The use of each end. */
struct counts {
	struct counts *next; /* of those that are free */
	uint64_t rows[];
};
struct user {
	const struct aie_design *design;
	uint32_t tile;
	struct object *objects;
	uint64_t *released; /* per end of a fifo: 2 * fifo + port */
	uint64_t *acquired; /* the same: how many have come */
	bool counted;       /* acquired and released are what they are in each run: no branch and no loop of unknown turns stood in the way */
	struct aie_check_job *check;
	struct counts *spare;
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
static void operands_look(const struct user *user, const struct aie_op *op, const struct aie_op *outer)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const struct aie_value *value = whole_of(op->operands[i]);
		const struct object *object = &user->objects[value->id];

		if (object->number && object->number <= user->released[object->end] && !(outer && aie_op_inside(value->op, outer)))
			aie_check_fail(user->check, op, AIE_RULE_ACCESS_USED, "%s uses an object of fifo '%.48s' that it has released",
				       aie_design_tile_text(user->design, user->tile), user->design->fifos[object->end / 2].name);
	}
}

/* A further turn of a loop finds that objects from outside were released in the one before. */
static void turn_look(const struct user *user, const struct aie_region *region, const struct aie_op *loop)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		operands_look(user, op, loop);
		for (uint32_t i = 0; i < op->region_count; i++)
			turn_look(user, &op->regions[i], loop);
	}
}

static void acquire(struct user *user, const struct aie_op *op)
{
	const uint32_t end = end_of(user, op);

	for (uint32_t i = 0; i < op->result_count; i++)
		user->objects[op->results[i]->id] = (struct object){user->released[end] + i + 1, end};
	if (user->acquired[end] < user->released[end] + op->result_count)
		user->acquired[end] = user->released[end] + op->result_count;
}

static void region_walk(struct user *user, const struct aie_region *region);

/* A copy of a row of counts, until it is given back. */
static struct counts *counts_copy(struct user *user, const uint64_t *counts)
{
	const size_t bytes = 2 * (size_t)user->design->fifo_count * sizeof(*counts);
	struct counts *copy = user->spare ? user->spare : common_alloc(&user->check->arena, sizeof(*copy) + bytes);

	user->spare = copy->next;
	memcpy(copy->rows, counts, bytes);
	return copy;
}

static void counts_give(struct user *user, struct counts *copy)
{
	copy->next = user->spare;
	user->spare = copy;
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

static void loop_walk(struct user *user, const struct aie_op *loop)
{
	struct counts *released = counts_copy(user, user->released), *acquired = counts_copy(user, user->acquired);
	uint64_t turns = 1;
	const bool known = aie_loop_turns(loop, &turns);

	region_walk(user, &loop->regions[0]);
	user->counted &= known && turns;
	if (!known || turns > 1)
		turn_look(user, &loop->regions[0], loop);
	if (turns)
		turns_count(user, released->rows, acquired->rows, turns - 1);
	counts_give(user, released);
	counts_give(user, acquired);
}

static void branch_walk(struct user *user, const struct aie_op *branch)
{
	struct counts *before = counts_copy(user, user->released);
	uint64_t *first = user->released;

	region_walk(user, &branch->regions[0]);
	user->counted = false;
	user->released = before->rows;
	region_walk(user, &branch->regions[1]);
	user->released = first;
	for (uint32_t e = 0; e < 2 * user->design->fifo_count; e++)
		first[e] = before->rows[e] < first[e] ? before->rows[e] : first[e];
	counts_give(user, before);
}

static void op_walk(struct user *user, const struct aie_op *op)
{
	if (aie_op_is(op, "scf.for")) {
		loop_walk(user, op);
		return;
	}
	if (aie_op_is(op, "scf.if")) {
		branch_walk(user, op);
		return;
	}
	if (aie_op_is(op, "aie.objectfifo.acquire"))
		acquire(user, op);
	else if (aie_op_is(op, "aie.objectfifo.release"))
		user->released[end_of(user, op)] += (uint64_t)aie_attr_of(op, "size")->number;
	else
		operands_look(user, op, NULL);
	for (uint32_t i = 0; i < op->region_count; i++)
		region_walk(user, &op->regions[i]);
}

static void region_walk(struct user *user, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next)
		op_walk(user, op);
}

/* A core holds no objects at its end. */
static void held_look(const struct user *user, const struct aie_op *core)
{
	for (uint32_t e = 0; user->counted && e < 2 * user->design->fifo_count; e++)
		if (user->acquired[e] > user->released[e])
			aie_check_fail(user->check, core, AIE_RULE_ACCESS_LEFT, "%s ends with %llu objects of fifo '%.48s' that it has not released",
				       aie_design_tile_text(user->design, user->tile), (unsigned long long)(user->acquired[e] - user->released[e]),
				       user->design->fifos[e / 2].name);
}

void aie_check_uses(const struct aie_design *design, struct aie_check_job *check)
{
	struct user user = {.design = design, .check = check};
	const size_t ends = 2 * (size_t)design->fifo_count;

	user.objects = common_take(&check->arena, (size_t)design->value_count + 1, sizeof(*user.objects));
	user.released = common_take(&check->arena, ends + 1, sizeof(*user.released));
	user.acquired = common_take(&check->arena, ends + 1, sizeof(*user.acquired));
	for (uint32_t i = 0; i < design->core_count; i++) {
		user.tile = design->cores[i].tile;
		user.counted = true;
		memset(user.released, 0, ends * sizeof(*user.released));
		memset(user.acquired, 0, ends * sizeof(*user.acquired));
		region_walk(&user, &design->cores[i].op->regions[0]);
		held_look(&user, design->cores[i].op);
	}
}
