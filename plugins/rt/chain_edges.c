/* SPDX-License-Identifier: MIT
 * chain_edges.c - whom the uses of a chain follow, iteration by iteration, as numbers that move by constants. */
#include "rt/chain_lane.h"

#include "rt/run.h"

/* ---- spans of iterations ------------------------------------------------------------------------------------------- */

enum { SPANS = 8 };
struct spans { /* none is empty */
	uint32_t count;
	struct {
		uint32_t low, high;
	} rows[SPANS];
};

/* What lies in low .. high - 1 is taken out. False: too many pieces. */
static bool spans_cut(struct spans *spans, uint32_t low, uint32_t high)
{
	struct spans left = {0};

	for (uint32_t i = 0; i < spans->count; i++) {
		uint32_t from = spans->rows[i].low, to = spans->rows[i].high;

		if (left.count + 2 > SPANS)
			return false;
		if (from < low) {
			left.rows[left.count].low = from;
			left.rows[left.count++].high = to < low ? to : low;
		}
		if (to > high) {
			left.rows[left.count].low = from > high ? from : high;
			left.rows[left.count++].high = to;
		}
	}
	*spans = left;
	return true;
}

/* Iterations in which value + step * iteration lies in low .. high; step is not 0. Cut to those that there are. */
static void within(int64_t value, int64_t step, int64_t low, int64_t high, uint32_t iterations, uint32_t *from_out, uint32_t *to_out)
{
	/* Turned round where it falls. No difference of two names, or of two numbers of tasks, is too large. */
	int64_t start = step > 0 ? low - value : value - high, end = step > 0 ? high - value : value - low, width = step > 0 ? step : -step;
	int64_t from = start <= 0 ? 0 : start / width + (start % width != 0), to = end < 0 ? 0 : end / width < iterations ? end / width + 1 : iterations;

	*from_out = from > iterations ? iterations : (uint32_t)from;
	*to_out = to > iterations ? iterations : (uint32_t)to;
}

/* ---- edges ---------------------------------------------------------------------------------------------------------- */

static bool edge_add(struct rt_chain_lane *lane, uint32_t task, uint64_t producer, uint64_t slope, uint32_t low, uint32_t high)
{
	struct rt_chains *chains = lane->chains;

	if (low >= high)
		return true;
	if (chains->edge_count == RT_CHAIN_EDGES)
		return false;
	chains->edges[chains->edge_count] = (struct rt_chain_edge){producer, slope, low, high, chains->edge_first[task]};
	chains->edge_first[task] = (uint16_t)chains->edge_count++;
	return true;
}

/* An edge in those iterations of a span in which the producer is in the window. */
static bool edge_put(struct rt_chain_lane *lane, uint32_t task, uint64_t producer, uint64_t slope, uint32_t low, uint32_t high)
{
	int64_t age = (int64_t)(lane->chains->began + task - producer), grows = (int64_t)lane->tasks - (int64_t)slope;
	uint32_t from = 0, to = lane->iterations;

	if (grows)
		within(age, grows, 1, (int64_t)lane->most, lane->iterations, &from, &to);
	else if (age < 1 || (uint64_t)age > lane->most)
		return true;
	return edge_add(lane, task, producer, slope, from > low ? from : low, to < high ? to : high);
}

static bool edges_put(struct rt_chain_lane *lane, const struct spans *spans, uint32_t task, uint64_t producer, uint64_t slope, uint32_t low, uint32_t high)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < spans->count; i++) {
		uint32_t from = spans->rows[i].low > low ? spans->rows[i].low : low, to = spans->rows[i].high < high ? spans->rows[i].high : high;

		if (from < to)
			ok = edge_put(lane, task, producer, slope, from, to);
	}
	return ok;
}

/* A touch of the chain, while it is asked whom it follows. */
struct asking {
	struct rt_chain_lane *lane;
	const struct rt_strand *strand;
	const struct rt_touch *touch;
	uint32_t task;
	bool readers; /* it follows them too */
	struct spans spans; /* where nobody has written since */
};

static bool follow(struct asking *asking, const struct rt_touch *other, uint64_t producer, uint64_t slope, uint32_t low, uint32_t high)
{
	bool writes = other->access & PTOWSP_WRITE, ok = true;

	if (low >= high)
		return true;
	if (writes || asking->readers)
		ok = edges_put(asking->lane, &asking->spans, asking->task, producer, slope, low, high);
	return ok && (!writes || spans_cut(&asking->spans, low, high));
}

static bool own_follow(struct asking *asking)
{
	const struct rt_touch *touch = asking->touch;
	struct rt_chain_lane *lane = asking->lane;
	bool ok = true;

	for (const struct rt_touch *other = touch; ok && other-- > asking->strand->touches;)
		ok = follow(asking, other, lane->chains->began + asking->task - (touch->place - other->place), lane->tasks, touch->shift - other->shift,
			    lane->iterations);
	return ok;
}

static bool strand_follow(struct asking *asking, const struct rt_strand *old)
{
	const struct rt_strand *strand = asking->strand;
	int64_t away = (int64_t)(strand->name - old->name) / (int64_t)old->step - asking->touch->shift;
	bool ok = true;

	for (uint32_t u = old->touch_count; ok && u-- > 0;) {
		int64_t ahead = away + old->touches[u].shift, iterations = asking->lane->iterations;
		int64_t low = ahead < 0 ? -ahead : 0, high = (int64_t)old->iterations - ahead;

		low = low > iterations ? iterations : low;
		high = high < 0 ? 0 : high > iterations ? iterations : high;
		ok = follow(asking, &old->touches[u], old->began + (uint64_t)away * old->count + old->touches[u].place, old->count, (uint32_t)low, (uint32_t)high);
	}
	return ok;
}

/* Where neither the chain nor a strand says who wrote, the map does, if it may know. */
static bool map_follow(struct asking *asking)
{
	const struct rt_strand *strand = asking->strand;
	struct rt_chains *chains = asking->lane->chains;
	uint64_t name = strand->name - strand->step * asking->touch->shift, low, high;
	uint32_t from, to;

	if (!rt_replay_marked(asking->lane->run, name, &low, &high))
		return true;
	high = high < INT64_MAX ? high : INT64_MAX;
	within((int64_t)name, (int64_t)strand->step, (int64_t)low, (int64_t)high, asking->lane->iterations, &from, &to);
	for (uint32_t i = 0; i < asking->spans.count; i++) {
		uint32_t first = asking->spans.rows[i].low > from ? asking->spans.rows[i].low : from, end = asking->spans.rows[i].high < to ? asking->spans.rows[i].high : to;

		if (first >= end)
			continue;
		if (chains->find_count == RT_CHAIN_FINDS)
			return false;
		chains->finds[chains->find_count] = (struct rt_chain_find){name, strand->step, first, end, chains->find_first[asking->task], asking->touch->access};
		chains->find_first[asking->task] = (uint16_t)chains->find_count++;
	}
	return true;
}

static bool crosses(const struct rt_strand *a, const struct rt_strand *b)
{
	return a->low <= b->high && b->low <= a->high && !rt_names_disjoint(a->name, a->step, b->name, b->step);
}

/* Of all its touches. False: more than there is room for. */
static bool edges_find(struct rt_chain_lane *lane, const struct rt_strand *strand)
{
	const struct rt_replay *replay = &lane->run->replay;
	bool ok = true;

	for (uint32_t t = 0; ok && t < strand->touch_count; t++) {
		const struct rt_touch *touch = &strand->touches[t];
		struct asking asking = {lane, strand, touch, touch->place - touch->shift * lane->tasks, lane->full && touch->access & PTOWSP_WRITE,
					{1, {{0, lane->iterations}}}};

		if (!lane->full && !(touch->access & PTOWSP_READ))
			continue;
		ok = own_follow(&asking);
		for (uint32_t i = replay->count; ok && asking.spans.count && i-- > 0;)
			if (crosses(&replay->strands[i], strand))
				ok = strand_follow(&asking, &replay->strands[i]);
		ok = ok && map_follow(&asking);
	}
	return ok;
}

/* Strands of the same keys whose steps are others. */
static void strange_settle(struct rt_chain_lane *lane, const struct rt_strand *strand, bool all)
{
	const struct rt_replay *replay = &lane->run->replay;

	for (uint32_t i = replay->count; i-- > 0;)
		if (i < replay->count && crosses(&replay->strands[i], strand)) {
			if (all || replay->strands[i].step != strand->step)
				rt_replay_settle_one(lane->run, i);
			else
				rt_plan_praise(replay->strands[i].plan);
		}
}

static void edges_forget(struct rt_chains *chains, uint32_t edges, uint32_t finds, uint32_t tasks)
{
	chains->edge_count = edges;
	chains->find_count = finds;
	for (uint32_t k = 0; k < tasks; k++) {
		while (chains->edge_first[k] != RT_CHAIN_NONE && chains->edge_first[k] >= edges)
			chains->edge_first[k] = chains->edges[chains->edge_first[k]].next;
		while (chains->find_first[k] != RT_CHAIN_NONE && chains->find_first[k] >= finds)
			chains->find_first[k] = chains->finds[chains->find_first[k]].next;
	}
}

bool rt_chain_follow(struct rt_chain_lane *lane, const struct rt_strand *strand)
{
	struct rt_chains *chains = lane->chains;
	uint32_t edges = chains->edge_count, finds = chains->find_count;

	strange_settle(lane, strand, false);
	if (edges_find(lane, strand))
		return true;
	edges_forget(chains, edges, finds, lane->tasks);
	strange_settle(lane, strand, true);
	if (edges_find(lane, strand))
		return true;
	edges_forget(chains, edges, finds, lane->tasks);
	return false;
}
