/* SPDX-License-Identifier: MIT */
/* sim_build_core.c - memories of a design: pools of fifos with their locks, buffers; and the bodies of its cores. */
#include "aie/ir/ir.h"
#include "aie/sim/sim_build.h"

#include "base/error.h"
#include <inttypes.h>
#include <string.h>

/* ---- pools -------------------------------------------------------------------------------------------------------- */

static void tables_make(struct aie_build *build)
{
	const struct aie_design *design = build->args->design;

	build->put = aie_net_memory(build->net, design->fifo_count * sizeof(*build->put));
	build->ends = aie_net_memory(build->net, design->fifo_count * sizeof(*build->ends));
	build->got = aie_net_memory(build->net, design->fifo_count * sizeof(*build->got));
	build->buffers = aie_net_memory(build->net, design->buffer_count * sizeof(*build->buffers));
	build->cores = aie_net_memory(build->net, design->core_count * sizeof(*build->cores));
	for (uint32_t i = 0; i < design->fifo_count; i++) {
		const uint32_t count = design->fifos[i].consumer_count;

		build->put[i] = build->ends[i] = AIE_NONE;
		build->got[i] = aie_net_memory(build->net, count * sizeof(**build->got));
		memset(build->got[i], 0xFF, count * sizeof(**build->got));
	}
}

/* Accesses of calls are looked at in designs that state them. */
static bool says_access(const struct aie_design *design)
{
	for (uint32_t i = 0; i < design->function_count; i++)
		if (aie_attr_of(design->functions[i].op, "ptowsp.access"))
			return true;
	return false;
}

/* Bytes of all objects and buffers, or more: each end of a fifo by itself. */
static uint64_t objects_bytes(const struct aie_design *design)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < design->fifo_count; i++)
		for (uint32_t e = 0; e <= design->fifos[i].consumer_count; e++)
			bytes += (aie_type_bytes(design->fifos[i].type) * (design->fifos[i].depths[e] ? design->fifos[i].depths[e] : 1) + 15) / 16 * 16;
	for (uint32_t i = 0; i < design->buffer_count; i++)
		bytes += (aie_type_bytes(design->buffers[i].type) + 15) / 16 * 16;
	return bytes;
}

static uint32_t plain_pool(struct aie_build *build, const struct aie_fifo *fifo, uint32_t depth)
{
	const uint64_t bytes = aie_type_bytes(fifo->type), parts[2] = {0, bytes};

	return aie_net_locks(build->net, fifo->name, depth ? depth : 1, bytes, 1, parts);
}

static bool is_linked(const struct aie_design *design, const struct aie_fifo *fifo, uint32_t tile)
{
	return fifo->link_in != AIE_NONE && design->links[fifo->link_in].tile == tile;
}

static void fifo_pools(struct aie_build *build, uint32_t number)
{
	const struct aie_design *design = build->args->design;
	const struct aie_fifo *fifo = &design->fifos[number];

	if (aie_fifo_lent(fifo))
		return; /* link_pool */
	if (!fifo->moves) {
		build->put[number] = build->got[number][0] = plain_pool(build, fifo, fifo->depths[0]);
		return;
	}
	if (design->tiles[fifo->producer].kind != AIE_SHIM && fifo->link_out == AIE_NONE)
		build->put[number] = plain_pool(build, fifo, fifo->depths[0]);
	for (uint32_t c = 0; c < fifo->consumer_count; c++)
		if (design->tiles[fifo->consumers[c]].kind != AIE_SHIM && !is_linked(design, fifo, fifo->consumers[c]))
			build->got[number][c] = plain_pool(build, fifo, fifo->depths[1 + c]);
}

static uint32_t consumer_on(const struct aie_fifo *fifo, uint32_t tile)
{
	for (uint32_t c = 0; c < fifo->consumer_count; c++)
		if (fifo->consumers[c] == tile)
			return c;
	return 0;
}

/* Offsets of parts in the whole; they follow each other and fill it. */
static void parts_find(struct aie_build *build, const struct aie_link *link, const struct aie_fifo *whole, const uint32_t *fifos, uint32_t count,
		       uint64_t *parts)
{
	const struct aie_design *design = build->args->design;
	const uint64_t element = aie_type_bytes(whole->type->element);

	parts[0] = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct aie_fifo *part = &design->fifos[fifos[i]];

		if (link->offsets && (uint64_t)link->offsets[i] * element != parts[i])
			AIE_BUILD_FAIL(build, PTOWSP_UNSUPPORTED,
				       "part @%s of @%s begins at element %" PRId64 ", the one before ends at %" PRIu64 "; let parts follow each other",
				       part->name, whole->name, link->offsets[i], parts[i] / element);
		parts[i + 1] = parts[i] + aie_type_bytes(part->type);
	}
	if (parts[count] != aie_type_bytes(whole->type))
		AIE_BUILD_FAIL(build, PTOWSP_UNSUPPORTED, "parts of @%s have %" PRIu64 " bytes together, it has %" PRIu64 "; make them the same", whole->name,
			       parts[count], aie_type_bytes(whole->type));
}

static void link_pool(struct aie_build *build, const struct aie_link *link)
{
	const struct aie_design *design = build->args->design;
	const bool join = link->in_count > 1;
	const uint32_t count = join ? link->in_count : link->out_count, number = join ? link->outs[0] : link->ins[0];
	const uint32_t *fifos = join ? link->ins : link->outs;
	const struct aie_fifo *whole = &design->fifos[number];
	const uint32_t depth = join ? whole->depths[0] : whole->depths[1 + consumer_on(whole, link->tile)];
	uint64_t *parts = aie_net_memory(build->net, (count + 1) * sizeof(*parts));
	uint32_t lock;

	parts_find(build, link, whole, fifos, count, parts);
	lock = aie_net_locks(build->net, whole->name, depth ? depth : 1, parts[count], count, parts);
	for (uint32_t i = 0; i < count; i++) {
		if (join)
			build->got[fifos[i]][consumer_on(&design->fifos[fifos[i]], link->tile)] = lock + i;
		else
			build->put[fifos[i]] = lock + i;
	}
	if (join)
		build->put[number] = lock;
	else
		build->got[number][consumer_on(whole, link->tile)] = lock;
	for (uint32_t i = 0; i < 2; i++) { /* cores beside the tile of one to one use its objects */
		const uint32_t near = i ? link->outs[0] : link->ins[0];

		if (!design->fifos[near].moves)
			build->put[near] = build->got[near][0] = lock;
	}
}

static void buffers_make(struct aie_build *build)
{
	const struct aie_design *design = build->args->design;

	for (uint32_t i = 0; i < design->buffer_count; i++) {
		const struct aie_buffer *buffer = &design->buffers[i];

		build->buffers[i] = aie_net_objects(build->net, aie_type_bytes(buffer->type));
		if (!buffer->initial || buffer->initial->kind != AIE_ATTR_DENSE || !buffer->initial->count)
			continue;
		aie_initial_put(build->buffers[i], buffer->type, buffer->initial);
		if (build->net->objects)
			memset(build->buffers[i] + build->net->marks, AIE_MARK_WRITTEN, aie_type_bytes(buffer->type));
	}
}

void aie_build_locks(struct aie_build *build)
{
	const struct aie_design *design = build->args->design;

	tables_make(build);
	if (!build->args->counted && says_access(design))
		aie_net_marked(build->net, objects_bytes(design));
	for (uint32_t i = 0; i < design->fifo_count; i++)
		fifo_pools(build, i);
	for (uint32_t i = 0; i < design->link_count; i++)
		link_pool(build, &design->links[i]);
	buffers_make(build);
}

/* ---- cores -------------------------------------------------------------------------------------------------------- */

static uint32_t lock_find(void *context, const char *name, int64_t port, const struct aie_type *type)
{
	struct aie_body_core *core = context;
	const struct aie_design *design = core->build->args->design;
	const uint32_t number = aie_design_fifo(design, name), tile = design->cores[core->core].tile;
	const struct aie_fifo *fifo = number == AIE_NONE ? NULL : &design->fifos[number];
	uint32_t lock = AIE_NONE;

	if (!fifo || (type && type != fifo->type))
		return AIE_NONE;
	if (port == 0 && fifo->producer == tile)
		lock = core->build->put[number];
	for (uint32_t c = 0; port == 1 && c < fifo->consumer_count; c++)
		if (fifo->consumers[c] == tile)
			lock = core->build->got[number][c];
	if (lock != AIE_NONE)
		aie_net_joins(core->build->net, core->core, lock, port ? AIE_GETTER : AIE_PUTTER);
	return lock;
}

static uint8_t *buffer_find(void *context, const struct aie_op *op)
{
	const struct aie_body_core *core = context;
	const struct aie_design *design = core->build->args->design;

	for (uint32_t i = 0; i < design->buffer_count; i++)
		if (design->buffers[i].op == op)
			return core->build->buffers[i];
	return NULL;
}

/* The lock or buffer that owns a byte. */
static const char *name_find(void *context, const uint8_t *at)
{
	const struct aie_body_core *core = context;
	const struct aie_net *net = core->build->net;
	const struct aie_design *design = core->build->args->design;

	for (uint32_t i = 0; i < net->lock_count; i++)
		if (at >= net->locks[i].base && at < net->locks[i].base + net->locks[i].depth * net->locks[i].stride)
			return net->locks[i].name;
	for (uint32_t i = 0; i < design->buffer_count; i++)
		if (at >= core->build->buffers[i] && at < core->build->buffers[i] + aie_type_bytes(design->buffers[i].type))
			return design->buffers[i].name;
	return "";
}

static void core_make(struct aie_build *build, uint32_t number)
{
	const struct aie_design *design = build->args->design;
	const struct aie_tile *tile = &design->tiles[design->cores[number].tile];
	struct aie_body_core *core = &build->cores[number];
	ptowsp_status status;

	*core = (struct aie_body_core){.build = build, .core = number};
	core->outside = (struct aie_body_outside){.context = core,
						  .lock = lock_find,
						  .buffer = buffer_find,
						  .design = design,
						  .kernels = build->args->kernels,
						  .core = number,
						  .now = &build->net->now,
						  .net = build->net,
						  .name = name_find};
	aie_net_core(build->net, aie_net_agent(build->net, "core (%" PRId32 ",%" PRId32 ")", tile->column, tile->row), (struct aie_program){0});
	status = aie_body_create(&core->body, design->cores[number].op, &core->outside, build->error);
	if (status)
		aie_build_leave(build, status);
	build->net->cores[number].program = (struct aie_program){core->body, aie_body_next};
}

void aie_build_cores(struct aie_build *build)
{
	for (uint32_t i = 0; i < build->args->design->core_count; i++)
		core_make(build, i);
}
