/* SPDX-License-Identifier: MIT */
/* check_held.c - what a core releases it holds, whatever way it goes.
 *
 * Of each end of a fifo a stretch of operations makes `max(held + add, floor)` of what was held, at least, and needs `need` to begin with: acquire n has add 0, floor n;
 * release n has add -n, need n. Such stretches put behind each other are such a stretch, so a loop that runs n times costs log n. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <inttypes.h>
#include <string.h>

#define FAR (INT64_C(1) << 40) /* more objects than there are; sums stay between its negative and it */

struct held {
	int64_t add, floor, need;
	const struct aie_op *who; /* needs it */
};
static const struct held nothing = {0, 0, 0, NULL}; /* as nobody holds less than 0, the floor is 0 at least */

struct end {
	const char *fifo;
	int64_t port;
};

static int64_t clamp(int64_t value)
{
	return value > FAR ? FAR : value < -FAR ? -FAR : value;
}

static struct held behind(const struct held *first, const struct held *second)
{
	struct held both = {clamp(first->add + second->add), clamp(first->floor + second->add), first->need, first->who};

	if (both.floor < second->floor)
		both.floor = second->floor;
	if (first->floor < second->need && second->need - first->add > both.need) {
		both.need = clamp(second->need - first->add);
		both.who = second->who;
	}
	return both;
}

/* One or the other. */
static struct held either(const struct held *a, const struct held *b)
{
	struct held least = a->need >= b->need ? *a : *b;

	least.add = a->add < b->add ? a->add : b->add;
	least.floor = a->floor < b->floor ? a->floor : b->floor;
	return least;
}

static struct held times(struct held once, uint64_t count)
{
	struct held all = nothing;

	for (; count; count /= 2) {
		if (count & 1)
			all = behind(&all, &once);
		once = behind(&once, &once);
	}
	return all;
}

/* Any number of times, also none. A body that takes some away each time leaves as many as it gives by itself, which must be enough for the next time. */
static struct held any_times(const struct held *once)
{
	struct held all = nothing;

	all.need = once->need;
	all.who = once->who;
	if (once->add >= 0)
		return all;
	if (once->floor < once->need)
		all.need = FAR;
	all.add = -FAR;
	all.floor = once->need;
	return all;
}

static bool constant_of(const struct aie_value *value, int64_t *number_out)
{
	const struct aie_attr *attr = !value->argument && aie_op_is(value->op, "arith.constant") ? aie_attr_of(value->op, "value") : NULL;

	if (!attr || attr->kind != AIE_ATTR_INT)
		return false;
	*number_out = attr->number;
	return true;
}

bool aie_loop_turns(const struct aie_op *loop, uint64_t *turns_out)
{
	int64_t first, last, step;

	if (!constant_of(loop->operands[0], &first) || !constant_of(loop->operands[1], &last) || !constant_of(loop->operands[2], &step) || step < 1)
		return false;
	*turns_out = last > first ? ((uint64_t)last - (uint64_t)first - 1) / (uint64_t)step + 1 : 0;
	return true;
}

static struct held region_of(const struct end *end, const struct aie_region *region);

static struct held op_of(const struct end *end, const struct aie_op *op)
{
	struct held held = nothing, other;
	uint64_t turns;

	if (aie_op_is(op, "aie.objectfifo.acquire") || aie_op_is(op, "aie.objectfifo.release")) {
		const int64_t size = aie_attr_of(op, "size")->number;

		if (aie_attr_of(op, "objFifo_name")->text != end->fifo || aie_attr_of(op, "port")->number != end->port)
			return nothing;
		if (aie_op_is(op, "aie.objectfifo.acquire"))
			held.floor = size;
		else
			held = (struct held){-size, 0, size, op};
	} else if (aie_op_is(op, "scf.for")) {
		held = region_of(end, &op->regions[0]);
		held = aie_loop_turns(op, &turns) ? times(held, turns) : any_times(&held);
	} else if (aie_op_is(op, "scf.if")) {
		held = region_of(end, &op->regions[0]);
		other = region_of(end, &op->regions[1]);
		held = either(&held, &other);
	}
	return held;
}

static struct held region_of(const struct end *end, const struct aie_region *region)
{
	struct held all = nothing;

	for (const struct aie_op *op = region->first; op; op = op->next) {
		const struct held next = op_of(end, op);

		all = behind(&all, &next);
	}
	return all;
}

static void check_end(const struct aie_design *design, const struct aie_core *core, const struct aie_fifo *fifo, int64_t port, struct aie_check_job *check)
{
	const struct end end = {fifo->name, port};
	const struct held all = region_of(&end, &core->op->regions[0]);

	if (all.need <= 0)
		return;
	aie_check_fail(check, all.who, AIE_RULE_ACCESS_HELD, "%s needs %" PRId64 " objects of fifo '%.48s' to release, and holds fewer on some way",
		       aie_design_tile_text(design, core->tile), aie_attr_of(all.who, "size")->number, fifo->name);
}

void aie_check_held(const struct aie_design *design, struct aie_check_job *check)
{
	for (uint32_t i = 0; i < design->core_count; i++)
		for (uint32_t j = 0; j < design->fifo_count; j++) {
			const struct aie_core *core = &design->cores[i];
			const struct aie_fifo *fifo = &design->fifos[j];

			if (fifo->producer == core->tile)
				check_end(design, core, fifo, 0, check);
			for (uint32_t k = 0; k < fifo->consumer_count; k++)
				if (fifo->consumers[k] == core->tile)
					check_end(design, core, fifo, 1, check);
		}
}
