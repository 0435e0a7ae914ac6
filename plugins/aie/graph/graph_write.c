/* SPDX-License-Identifier: MIT */
/* graph_write.c - where an act puts what it writes, and what leaves its cell behind it. */
#include "aie/graph/graph_act.h"
#include "ptowsp/ids.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <string.h>

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

uint32_t aie_acting_store_stream(struct aie_acting *acting, struct aie_shape shape)
{
	static const uint32_t host = AIE_HOST;
	const struct aie_label label = {.kind = AIE_STREAM_STORE,
					.from = acting->act->cell,
					.to = AIE_HOST,
					.channel = AIE_NOTHING,
					.kernel = AIE_NOTHING,
					.use = AIE_NOTHING,
					.shape = shape};

	return aie_acting_stream_of(acting, label, &host, 1, acting->maker->pack[acting->act->cell] & AIE_PACK_STORES);
}

static uint32_t leaves(const struct aie_maker *maker, uint32_t version)
{
	return maker->args->versions->rows[version].stored + (maker->ends_first[version + 1] > maker->ends_first[version]);
}

/* The version that a call makes next of what only it reads, changing it in place. AIE_NOTHING: there is none. */
static uint32_t changed(const struct aie_maker *maker, uint32_t version)
{
	const struct aie_version *row = &maker->args->versions->rows[version];
	const struct aie_use *use = row->local == 1 ? &maker->args->acts->uses[maker->reader[version]] : NULL;

	return use && use->writes ? use->to : AIE_NOTHING;
}

/* The last version that comes of it in place, if nothing but that one leaves the cell, and by one way. */
static uint32_t chain_end(const struct aie_maker *maker, uint32_t version)
{
	while (!leaves(maker, version) && changed(maker, version) != AIE_NOTHING)
		version = changed(maker, version);
	return leaves(maker, version) == 1 && !maker->args->versions->rows[version].local ? version : AIE_NOTHING;
}

static uint32_t leaving_stream(struct aie_acting *acting, uint32_t version)
{
	const struct aie_version *row = &acting->maker->args->versions->rows[version];
	struct aie_shape shape = aie_acting_shape_of(acting->maker, row->area);

	return row->stored ? aie_acting_store_stream(acting, shape) : aie_acting_pass_stream(acting, version, shape);
}

/* By whichever of its ways: what is stored may be passed on, too. */
static bool leaves_by(struct aie_acting *acting, uint32_t version, uint32_t stream)
{
	const struct aie_maker *maker = acting->maker;
	const struct aie_version *row = &maker->args->versions->rows[version];
	struct aie_shape shape = aie_acting_shape_of(maker, row->area);

	if (row->stored && aie_acting_store_stream(acting, shape) == stream)
		return true;
	return maker->ends_first[version + 1] > maker->ends_first[version] && aie_acting_pass_stream(acting, version, shape) == stream;
}

/* From the act that makes the one to the act that makes the other nothing else of the cell goes the same way. */
static bool alone(struct aie_acting *acting, uint32_t from, uint32_t to, uint32_t stream)
{
	const struct aie_versions *versions = acting->maker->args->versions;
	uint32_t first = from, last = to;

	while (first && versions->rows[first - 1].act == versions->rows[from].act)
		first--;
	while (last + 1 < versions->count && versions->rows[last + 1].act == versions->rows[to].act)
		last++;
	for (uint32_t v = first; v <= last; v++)
		if (v != to && versions->rows[v].cell == acting->act->cell && leaves_by(acting, v, stream))
			return false;
	return true;
}

/* The spot of a version that begins from nothing: in the object in which it leaves, if that can be. */
struct aie_spot aie_acting_begin(struct aie_acting *acting, uint32_t version, struct aie_shape shape)
{
	struct aie_maker *maker = acting->maker;
	uint32_t end = chain_end(maker, version), stream = end == AIE_NOTHING ? 0 : leaving_stream(acting, end);
	struct aie_spot spot;

	if (end != AIE_NOTHING && !maker->graph->streams[stream].packed && !aie_acting_open_find(acting, stream) && alone(acting, version, end, stream)) {
		aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = true, .stream = stream});
		maker->homes[version] = (struct aie_home){true, true, stream, 0};
		return (struct aie_spot){AIE_SPOT_OBJECT, stream, 0, shape};
	}
	spot = aie_acting_buffer_take(acting, shape);
	maker->homes[version] = (struct aie_home){true, false, spot.number, 0};
	return spot;
}

/* The spot that a use writes. */
struct aie_spot aie_acting_target(struct aie_acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	struct aie_shape shape = aie_acting_shape_of(maker, use->area);
	struct aie_home *home = use->reads ? aie_acting_home_of(acting, u) : NULL;
	struct aie_spot from, to;

	if (!use->reads)
		return aie_acting_begin(acting, use->to, shape);
	from = aie_acting_source(acting, u);
	if (home && home->left == 1) { /* nobody else wants it as it was */
		maker->homes[use->to] = (struct aie_home){true, home->object, home->number, 0};
		home->there = false;
		return from;
	}
	to = aie_acting_begin(acting, use->to, shape);
	aie_acting_copy_add(acting, &from, &to);
	return to;
}

static void store(struct aie_acting *acting, uint32_t u, const struct aie_spot *from)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	uint32_t stream = aie_acting_store_stream(acting, from->shape);
	struct aie_spot to = *from;

	if (from->kind == AIE_SPOT_BUFFER) {
		to = aie_acting_part_add(acting, stream, true, from->shape);
		aie_acting_copy_add(acting, from, &to);
	}
	aie_acting_job_add(acting, &(struct aie_job){.stream = stream,
						     .object = maker->graph->streams[stream].objects,
						     .area = use->area,
						     .at = to.at,
						     .bytes = aie_shape_bytes(&from->shape),
						     .use = u,
						     .stores = true});
}

static void pass(struct aie_acting *acting, uint32_t version, const struct aie_spot *from)
{
	uint32_t stream = aie_acting_pass_stream(acting, version, from->shape);
	struct aie_spot to;

	acting->maker->ordinal[version] = acting->maker->graph->streams[stream].objects;
	if (from->kind == AIE_SPOT_OBJECT)
		return;
	to = aie_acting_part_add(acting, stream, true, from->shape);
	aie_acting_copy_add(acting, from, &to);
}

/* A version that was made leaves for wherever it is wanted, and stays as long as the cell reads it. */
void aie_acting_made(struct aie_acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	uint32_t version = maker->args->acts->uses[u].to;
	struct aie_home *home = &maker->homes[version];
	const struct aie_spot spot = aie_acting_home_spot(home, aie_acting_shape_of(maker, maker->args->acts->uses[u].area));

	if (maker->args->versions->rows[version].stored)
		store(acting, u, &spot);
	if (maker->ends_first[version + 1] > maker->ends_first[version])
		pass(acting, version, &spot);
	home->left = maker->args->versions->rows[version].local;
	if (home->left)
		return;
	home->there = false;
	if (!home->object) {
		aie_acting_buffer_give(acting, home->number);
		return;
	}
	aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_RELEASE, .produces = true, .stream = home->number});
	maker->graph->streams[home->number].objects++;
}
