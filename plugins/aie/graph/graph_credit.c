/* SPDX-License-Identifier: MIT */
/* graph_credit.c - channels take no more tokens than their capacity says, from the release at their source to the acquire at their end. Where it is enough for all streams that
 * carry them, one place for each and two between cores, the numbers of their objects are that bound: those who take turns have equal shares. Elsewhere who takes a token gives a
 * word back, and who sends waits for the word of the token that has to be gone; a rendezvous gives it before it takes. */
#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"
#include <string.h>

/* Ends of a channel. */
struct ends {
	uint32_t sends, takes; /* how many */
	uint32_t streams;      /* from different cells or to different ones */
	bool cores;            /* one of them is between cores */
};
/* A stream of a channel. */
struct way {
	uint32_t channel, from, to;
};

static bool is_token(const struct aie_act *act)
{
	return act->kind == AIE_ACT_SEND || act->kind == AIE_ACT_TAKE;
}

static bool way_is(const struct way *way, uint32_t channel, uint32_t from, uint32_t to)
{
	return way->channel == channel && way->from == from && way->to == to;
}

/* Pairs of cells that a channel connects; ways: room for one per act. There are few of them. */
static void ways_find(const struct aie_maker *maker, struct ends *ends, struct way *ways)
{
	const struct aie_acts *acts = maker->args->acts;
	uint32_t count = 0;

	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];
		uint32_t taker = act->kind == AIE_ACT_SEND ? maker->takers[a] : AIE_NOTHING, to = taker == AIE_NOTHING ? 0 : acts->rows[taker].cell, w = 0;

		if (!is_token(act))
			continue;
		ends[act->channel].sends += act->kind == AIE_ACT_SEND;
		ends[act->channel].takes += act->kind == AIE_ACT_TAKE;
		if (taker == AIE_NOTHING)
			continue;
		while (w < count && !way_is(&ways[w], act->channel, act->cell, to))
			w++;
		if (w < count)
			continue;
		ways[count++] = (struct way){act->channel, act->cell, to};
		ends[act->channel].streams++;
		ends[act->channel].cores |= act->cell != AIE_HOST && to != AIE_HOST;
	}
}

/* Places of each stream of the channel: as many as there are tokens, if that is no more than its capacity, else its share; with words, all that there may be. */
static uint32_t room_of(const struct ends *ends, uint64_t capacity, bool *words_out)
{
	uint64_t each = ends->streams ? capacity / ends->streams : 1;

	*words_out = ends->sends > capacity && each < (ends->cores ? 2 : 1);
	if (ends->sends <= capacity)
		return ends->sends ? ends->sends : 1;
	return (uint32_t)(!*words_out ? each : capacity ? capacity : 1); /* less than there are tokens */
}

/* Sends and takes that have to do with each other; acts: those of a channel's takes, by their number, from `first` on. */
static void pairs_find(struct aie_maker *maker, const struct ends *ends, const uint32_t *first, const uint32_t *takes)
{
	const struct aie_acts *acts = maker->args->acts;

	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];
		uint64_t capacity = act->kind == AIE_ACT_SEND ? maker->args->capacities[act->channel] : 0;

		if (act->kind != AIE_ACT_SEND || !maker->words[act->channel] || act->token < capacity || act->token - capacity >= ends[act->channel].takes)
			continue;
		maker->credit[a] = takes[first[act->channel] + act->token - capacity];
		if (acts->rows[maker->credit[a]].cell == act->cell)
			maker->credit[a] = AIE_NOTHING; /* its own order is enough */
		else
			maker->credit[maker->credit[a]] = a;
	}
}

static void channels_look(struct aie_maker *maker, struct ends *ends, uint32_t *first, uint32_t *takes, uint32_t channels)
{
	const struct aie_acts *acts = maker->args->acts;

	for (uint32_t c = 0; c < channels; c++) {
		uint64_t capacity = maker->args->capacities[c];
		bool words;

		first[c + 1] = first[c] + ends[c].takes;
		maker->rooms[c] = room_of(&ends[c], capacity, &words);
		maker->words[c] = words;
	}
	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_TAKE)
			takes[first[acts->rows[a].channel] + acts->rows[a].token] = a;
	pairs_find(maker, ends, first, takes);
}

void aie_credit_know(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	const size_t count = (size_t)acts->count + 1;
	uint32_t channels = 0, *first, *takes;
	struct ends *ends;

	for (uint32_t a = 0; a < acts->count; a++)
		if (is_token(&acts->rows[a]) && acts->rows[a].channel >= channels)
			channels = acts->rows[a].channel + 1;
	ends = common_take(&maker->arena, (size_t)channels + 1, sizeof(*ends));
	first = common_take(&maker->arena, (size_t)channels + 2, sizeof(*first));
	takes = common_take(&maker->arena, count, sizeof(*takes));
	maker->rooms = common_take(&maker->arena, (size_t)channels + 1, sizeof(*maker->rooms));
	maker->words = common_take(&maker->arena, (size_t)channels + 1, sizeof(*maker->words));
	maker->credit = common_take(&maker->arena, count, sizeof(*maker->credit));
	maker->token_job = common_take(&maker->arena, count, sizeof(*maker->token_job));
	maker->credit_job = common_take(&maker->arena, count, sizeof(*maker->credit_job));
	memset(maker->credit, 0xff, count * sizeof(*maker->credit));
	ways_find(maker, ends, common_take(&maker->arena, count, sizeof(struct way)));
	if (maker->args->capacities)
		channels_look(maker, ends, first, takes, channels);
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* From who takes to who sends. */
static uint32_t credit_stream(struct aie_maker *maker, uint32_t take, uint32_t send)
{
	const struct aie_act *acts = maker->args->acts->rows;
	uint32_t to = acts[send].cell, stream;
	uint64_t capacity = maker->args->capacities[acts[send].channel];
	const struct aie_label label = {.kind = AIE_STREAM_TOKEN,
					.from = acts[take].cell,
					.to = to,
					.channel = acts[send].channel,
					.kernel = AIE_NOTHING,
					.use = AIE_NOTHING,
					.shape = {PTOWSP_I32, true, 1, 1}};

	if (acts[take].cell == AIE_HOST || to == AIE_HOST)
		return aie_word_stream(maker, to == AIE_HOST ? acts[take].cell : to, to == AIE_HOST);
	stream = aie_maker_stream(maker, &label, &to, 1);
	maker->graph->streams[stream].room = capacity > 1 ? (uint32_t)(capacity < UINT32_MAX ? capacity : UINT32_MAX) : 1;
	return stream;
}

static void lines_add(struct aie_maker *maker, uint32_t cell, bool produces, uint32_t stream)
{
	aie_maker_line(maker, cell, (struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = produces, .stream = stream});
	aie_maker_line(maker, cell, (struct aie_line){.kind = AIE_LINE_RELEASE, .produces = produces, .stream = stream});
}

static void job_add(struct aie_maker *maker, uint32_t act, uint32_t stream, bool stores, uint32_t after)
{
	struct aie_graph *graph = maker->graph;

	AIE_MAKER_GROW(maker, graph->jobs, graph->job_room, graph->job_count);
	maker->credit_job[act] = graph->job_count;
	graph->jobs[graph->job_count++] = (struct aie_job){.stream = stream,
							   .object = graph->streams[stream].objects,
							   .area = AIE_NOTHING,
							   .bytes = 4,
							   .act = act,
							   .use = AIE_NOTHING,
							   .stores = stores,
							   .after = after};
}

/* A word of the host is an object of its stream when the core comes to it, not when the token is taken: words of bounds and packed loads may go the same way. */
void aie_credit_wait(struct aie_maker *maker, uint32_t send)
{
	const struct aie_act *acts = maker->args->acts->rows;
	uint32_t take = maker->credit[send], stream;

	if (take == AIE_NOTHING || acts[send].cell == AIE_HOST)
		return;
	stream = credit_stream(maker, take, send);
	lines_add(maker, acts[send].cell, false, stream);
	if (acts[take].cell == AIE_HOST) {
		job_add(maker, take, stream, false, take < send ? maker->credit_job[take] : 0);
		maker->graph->streams[stream].objects++;
	}
}

void aie_credit_sent(struct aie_maker *maker, uint32_t send, uint32_t job)
{
	uint32_t take = maker->credit[send];

	maker->token_job[send] = job;
	if (take != AIE_NOTHING && take < send)
		maker->graph->jobs[job].after = maker->credit_job[take] + 1;
}

/* The host's word: it is there already, or comes with the lines of its SEND. */
static void host_gives(struct aie_maker *maker, uint32_t take, uint32_t after)
{
	if (maker->credit[take] < take)
		maker->graph->jobs[maker->credit_job[take]].after = after;
	else
		maker->credit_job[take] = after;
}

void aie_credit_give(struct aie_maker *maker, uint32_t take, bool before, uint32_t after)
{
	const struct aie_act *acts = maker->args->acts->rows;
	uint32_t send = maker->credit[take], stream;

	if (send == AIE_NOTHING || before == (maker->args->capacities[acts[take].channel] != 0))
		return;
	if (acts[take].cell == AIE_HOST) {
		host_gives(maker, take, after);
		return;
	}
	stream = credit_stream(maker, take, send);
	if (acts[send].cell == AIE_HOST)
		job_add(maker, take, stream, true, after);
	lines_add(maker, acts[take].cell, true, stream);
	maker->graph->streams[stream].objects++;
	if (acts[send].cell == AIE_HOST && send < take) /* a rendezvous: the job is there already */
		maker->graph->jobs[maker->token_job[send]].after = maker->credit_job[take] + 1;
}
