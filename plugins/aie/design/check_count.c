/* SPDX-License-Identifier: MIT */
/* check_count.c - as many objects go into a fifo as come out of it.
 *
 * The host's tasks and the loops of cores say how many objects they move; links hand on as many as they get. Objects left over would stay in locks and in descriptors that have begun, where
 * the next run of the design finds them. Nothing is said where a number is not known before the run. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <inttypes.h>

#define MOST (UINT64_C(1) << 40) /* more turns are a loop without an end */

/* Somebody at an end of a fifo. */
struct count {
	uint64_t objects;
	uint32_t tile;
	bool known;
};

static bool region_count(const struct aie_region *region, const struct aie_fifo *fifo, int64_t port, uint64_t *objects_out);

static bool op_count(const struct aie_op *op, const struct aie_fifo *fifo, int64_t port, uint64_t *objects_out)
{
	uint64_t turns = 0, inside = 0, other = 0;

	*objects_out = 0;
	if (aie_op_is(op, "aie.objectfifo.release")) {
		if (aie_attr_of(op, "objFifo_name")->text == fifo->name && aie_attr_of(op, "port")->number == port)
			*objects_out = (uint64_t)aie_attr_of(op, "size")->number;
		return true;
	}
	for (uint32_t r = 0; r < op->region_count; r++) {
		if (!region_count(&op->regions[r], fifo, port, r ? &other : &inside))
			return false;
		if (r && other != inside)
			return false;
	}
	if (!inside)
		return true;
	if (aie_op_is(op, "scf.for") && (!aie_loop_turns(op, &turns) || turns > MOST || inside > MOST))
		return false;
	*objects_out = aie_op_is(op, "scf.for") ? turns * inside : inside;
	return aie_op_is(op, "scf.for") || aie_op_is(op, "scf.if");
}

/* Objects that a core releases. */
static bool region_count(const struct aie_region *region, const struct aie_fifo *fifo, int64_t port, uint64_t *objects_out)
{
	*objects_out = 0;
	for (const struct aie_op *op = region->first; op; op = op->next) {
		uint64_t objects;

		if (!op_count(op, fifo, port, &objects) || *objects_out > MOST)
			return false;
		*objects_out += objects;
	}
	return true;
}

static uint64_t step_bytes(const struct aie_design *design, const struct aie_step *step)
{
	uint64_t bytes = aie_type_bytes(design->arguments[step->argument]->element);

	for (int d = 0; d < 4; d++)
		bytes *= (uint64_t)step->sizes[d];
	return bytes;
}

/* Bytes that the host moves through a fifo. */
static uint64_t host_bytes(const struct aie_design *design, uint32_t fifo)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < design->step_count; s++)
		if (!design->steps[s].waits && design->steps[s].fifo == fifo)
			bytes += step_bytes(design, &design->steps[s]);
	return bytes;
}

static struct count end_count(const struct aie_design *design, uint32_t number, uint32_t tile, bool puts)
{
	const struct aie_fifo *fifo = &design->fifos[number];
	const uint32_t core = design->tiles[tile].kind == AIE_CORE ? aie_design_core(design, tile) : AIE_NONE;
	struct count count = {.tile = tile};

	if (design->tiles[tile].kind == AIE_SHIM) {
		count.objects = host_bytes(design, number) / aie_type_bytes(fifo->type);
		count.known = design->step_count != 0;
	} else if (core != AIE_NONE) {
		count.known = region_count(&design->cores[core].op->regions[0], fifo, puts ? 0 : 1, &count.objects);
	}
	return count;
}

static void count_add(const struct aie_design *design, const struct aie_fifo *fifo, struct count *all, const struct count *one, struct aie_check_job *check)
{
	if (!one->known)
		return;
	if (!all->known)
		*all = *one;
	if (all->objects == one->objects)
		return;
	aie_check_fail(check, fifo->op, AIE_RULE_COUNT_KEPT,
		       "%s moves %" PRIu64 " objects of fifo '%.40s', and %s at its other end, or that of its link, %" PRIu64,
		       aie_design_tile_text(design, one->tile), one->objects, fifo->name, aie_design_tile_text(design, all->tile), all->objects);
}

/* Both ends of a fifo, with what others of its link say. */
static void fifo_count(const struct aie_design *design, uint32_t number, struct count *all, struct aie_check_job *check)
{
	const struct aie_fifo *fifo = &design->fifos[number];
	struct count count;

	if (fifo->repeat != 1 || !aie_type_bytes(fifo->type) || aie_attr_of(fifo->op, "initValues") || aie_attr_of(fifo->op, "iter_count"))
		return;
	if (design->tiles[aie_design_shim(design, number)].kind == AIE_SHIM && host_bytes(design, number) % aie_type_bytes(fifo->type))
		aie_check_fail(check, fifo->op, AIE_RULE_COUNT_KEPT, "the host moves %" PRIu64 " bytes of fifo '%.48s', whose objects have %" PRIu64 " each",
			       host_bytes(design, number), fifo->name, aie_type_bytes(fifo->type));
	count = end_count(design, number, fifo->producer, true);
	count_add(design, fifo, all, &count, check);
	for (uint32_t c = 0; c < fifo->consumer_count; c++) {
		count = end_count(design, number, fifo->consumers[c], false);
		count_add(design, fifo, all, &count, check);
	}
}

void aie_check_counts(const struct aie_design *design, struct aie_check_job *check)
{
	for (uint32_t f = 0; f < design->fifo_count; f++) {
		struct count all = {.known = false};

		fifo_count(design, f, &all, check);
	}
	for (uint32_t l = 0; l < design->link_count; l++) {
		const struct aie_link *link = &design->links[l];
		struct count all = {.known = false};

		for (uint32_t i = 0; i < link->in_count + link->out_count; i++)
			fifo_count(design, i < link->in_count ? link->ins[i] : link->outs[i - link->in_count], &all, check);
	}
}
