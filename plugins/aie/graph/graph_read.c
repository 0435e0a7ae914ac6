/* SPDX-License-Identifier: MIT */
/* graph_read.c - where an act finds what it reads: in an object that comes, in its cell, or kept there. */
#include "aie/graph/graph_act.h"
#include "ptowsp/ids.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static uint32_t load_stream(struct aie_acting *acting, uint32_t u, struct aie_shape shape)
{
	const struct aie_act *act = acting->act;
	const uint8_t pack = acting->maker->pack[act->cell];
	bool call = act->kind == AIE_ACT_CALL;
	const struct aie_label label = {.kind = AIE_STREAM_LOAD,
					.from = AIE_HOST,
					.to = act->cell,
					.channel = call ? AIE_NOTHING : act->channel,
					.kernel = call ? act->kernel : AIE_NOTHING,
					.use = call && !(pack & AIE_PACK_LOADS) ? u - act->uses : AIE_NOTHING,
					.shape = shape};

	return aie_acting_stream_of(acting, label, &act->cell, 1, pack & (AIE_PACK_LOADS | AIE_PACK_USES));
}

static uint64_t ends_hash(const uint32_t *ends, uint32_t count)
{
	uint64_t h = 1469598103934665603u;

	for (uint32_t e = 0; e < count; e++)
		h = (h ^ ends[e]) * 1099511628211u;
	return h;
}

uint32_t aie_acting_pass_stream(struct aie_acting *acting, uint32_t version, struct aie_shape shape)
{
	const struct aie_maker *maker = acting->maker;
	const uint32_t *ends = maker->ends + maker->ends_first[version];
	uint32_t count = maker->ends_first[version + 1] - maker->ends_first[version];
	const struct aie_label label = {.kind = AIE_STREAM_PASS,
					.from = maker->args->versions->rows[version].cell,
					.to = ends[0],
					.channel = AIE_NOTHING,
					.kernel = AIE_NOTHING,
					.use = AIE_NOTHING,
					.ends = ends_hash(ends, count),
					.shape = shape};

	return aie_acting_stream_of(acting, label, ends, count, false);
}

/* The cell's end of the stream has taken one more: which one that is. */
uint32_t aie_acting_take_next(struct aie_acting *acting, uint32_t stream)
{
	struct aie_maker *maker = acting->maker;
	uint32_t end = maker->graph->streams[stream].to;

	while (maker->graph->ends[end] != acting->act->cell)
		end++;
	return maker->taken[end]++;
}

/* Does the act want another object of the stream, which comes before this one is done with? */
static bool wants_more(struct aie_acting *acting, uint32_t u, uint32_t stream)
{
	const struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;

	for (uint32_t o = act->uses; o < act->uses + act->use_count; o++) {
		const struct aie_use *use = &maker->args->acts->uses[o];

		if (o != u && use->reads && use->from != AIE_FROM_MEMORY && use->from != maker->args->acts->uses[u].from &&
		    maker->args->versions->rows[use->from].cell != act->cell &&
		    aie_acting_pass_stream(acting, use->from, aie_acting_shape_of(maker, use->area)) == stream)
			return true;
	}
	return false;
}

/* Out of the object, which goes at once, into a buffer of this act. */
static struct aie_spot set_aside(struct aie_acting *acting, const struct aie_spot *from)
{
	struct aie_spot to = aie_acting_buffer_take(acting, from->shape);

	aie_acting_copy_add(acting, from, &to);
	aie_acting_object_close(acting, aie_acting_open_find(acting, from->number));
	if (acting->temp_count == AIE_ACT_OPEN)
		acting->crowded = true;
	else
		acting->temps[acting->temp_count++] = to.number;
	return to;
}

/* From memory or from another cell, into this act's objects. */
static struct aie_spot arrive(struct aie_acting *acting, uint32_t u)
{
	const struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	struct aie_shape shape = aie_acting_shape_of(maker, use->area);
	struct aie_spot spot;
	uint32_t stream;

	if (use->from != AIE_FROM_MEMORY) {
		stream = aie_acting_pass_stream(acting, use->from, shape);
		acting->crossed |= aie_acting_take_next(acting, stream) != maker->ordinal[use->from];
		spot = aie_acting_part_add(acting, stream, false, shape);
		return wants_more(acting, u, stream) ? set_aside(acting, &spot) : spot;
	}
	stream = load_stream(acting, u, shape);
	spot = aie_acting_part_add(acting, stream, false, shape);
	aie_acting_job_add(acting, &(struct aie_job){.stream = stream,
						     .object = maker->graph->streams[stream].objects,
						     .area = use->area,
						     .at = spot.at,
						     .bytes = aie_shape_bytes(&shape),
						     .use = u});
	return spot;
}

struct aie_spot aie_acting_home_spot(const struct aie_home *home, struct aie_shape shape)
{
	return (struct aie_spot){home->object ? AIE_SPOT_OBJECT : AIE_SPOT_BUFFER, home->number, 0, shape};
}

/* The home whose elements a use begins with: a version of the cell, or what is kept. NULL: they arrive for it alone. */
struct aie_home *aie_acting_home_of(struct aie_acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];

	if (use->from != AIE_FROM_MEMORY && maker->args->versions->rows[use->from].cell == acting->act->cell)
		return &maker->homes[use->from];
	return maker->again_count[maker->again[u]] > 1 ? &maker->kept[maker->again[u]] : NULL;
}

/* The spot that a use reads. */
struct aie_spot aie_acting_source(struct aie_acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	struct aie_shape shape = aie_acting_shape_of(maker, maker->args->acts->uses[u].area);
	struct aie_home *home = aie_acting_home_of(acting, u);
	struct aie_spot from, to;

	if (!home)
		return arrive(acting, u);
	if (home->there)
		return aie_acting_home_spot(home, shape);
	from = arrive(acting, u);
	to = aie_acting_buffer_take(acting, shape);
	aie_acting_copy_add(acting, &from, &to);
	*home = (struct aie_home){true, false, to.number, maker->again_count[maker->again[u]]};
	return to;
}

/* One reading less is to come. */
void aie_acting_read_done(struct aie_acting *acting, uint32_t u)
{
	struct aie_home *home = acting->maker->args->acts->uses[u].reads ? aie_acting_home_of(acting, u) : NULL;

	if (!home || !home->there || --home->left)
		return;
	home->there = false;
	if (!home->object)
		aie_acting_buffer_give(acting, home->number);
}
