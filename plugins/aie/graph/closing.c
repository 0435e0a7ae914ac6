/* SPDX-License-Identifier: MIT */
#include "aie/graph/act.h"

#include "registry/common/common_arena.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A consumer waits for a producer. */
struct pair {
	uint32_t close, leave; /* acts */
};
struct maker {
	struct aie_acts *acts;
	uint32_t channels;
	uint32_t *taker;  /* per act: of SEND: who takes its token, NONE: nobody */
	uint8_t *goes_on; /* per act: of LEAVE: its process does something behind that others may see */
	uint32_t *latest; /* per instance: the latest of its acts that takes time, NONE */
	uint32_t *before; /* per act: of CLOSE: that one */
	uint32_t *closes; /* CLOSEs so far */
	uint32_t close_count, close_room;
	struct pair *pairs;
	uint32_t pair_count, pair_room;
	jmp_buf out;               /* no memory */
	struct common_arena arena; /* of all of these */
};

/* ---- what is known of tokens and of what follows ------------------------------------------------------------------------ */

/* Tokens leave a channel in the order in which they went in. */
static void takers_find(struct maker *maker)
{
	const struct aie_acts *acts = maker->acts;
	uint32_t *next = common_take(&maker->arena, (size_t)maker->channels + 1, sizeof(*next));

	memset(maker->taker, 0xff, ((size_t)acts->count + 1) * sizeof(*maker->taker));
	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];

		if (act->kind != AIE_ACT_TAKE)
			continue;
		while (next[act->channel] < a &&
		       !(acts->rows[next[act->channel]].kind == AIE_ACT_SEND && acts->rows[next[act->channel]].channel == act->channel))
			next[act->channel]++;
		maker->taker[next[act->channel]++] = a;
	}
}

static bool takes_time(const struct maker *maker, uint32_t act)
{
	unsigned kind = maker->acts->rows[act].kind;

	return kind == AIE_ACT_CALL || kind == AIE_ACT_TAKE || (kind == AIE_ACT_SEND && maker->taker[act] != NONE);
}

/* From the end: closing a channel is seen by those who leave it and go on. */
static void followers_find(struct maker *maker)
{
	const struct aie_acts *acts = maker->acts;
	uint8_t *busy = common_take(&maker->arena, (size_t)acts->processes + 1, 1), *seen = common_take(&maker->arena, (size_t)maker->channels + 1, 1);

	for (uint32_t a = acts->count; a--;) {
		const struct aie_act *act = &acts->rows[a];

		if (act->process >= acts->processes)
			continue;
		if (act->kind == AIE_ACT_LEAVE) {
			maker->goes_on[a] = busy[act->process];
			seen[act->channel] |= busy[act->process];
		} else {
			busy[act->process] |= act->kind == AIE_ACT_CLOSE ? seen[act->channel] : takes_time(maker, a);
		}
	}
}

/* ---- pairs -------------------------------------------------------------------------------------------------------------- */

/* The producer's last act before it closed its end was to send something that the consumer has taken. */
static bool is_known(const struct maker *maker, uint32_t close, uint32_t leave)
{
	const struct aie_act *rows = maker->acts->rows;
	uint32_t before = maker->before[close];

	if (before == NONE)
		return true;
	return rows[before].kind == AIE_ACT_SEND && maker->taker[before] < leave && rows[maker->taker[before]].process == rows[leave].process;
}

static bool left_before(const struct maker *maker, uint32_t close, uint32_t leave)
{
	const struct aie_act *rows = maker->acts->rows;

	for (uint32_t p = 0; p < maker->pair_count; p++)
		if (maker->pairs[p].close == close && rows[maker->pairs[p].leave].process == rows[leave].process)
			return true;
	return false;
}

static void leave_take(struct maker *maker, uint32_t leave)
{
	const struct aie_act *rows = maker->acts->rows;
	bool waits = false;

	for (uint32_t c = 0; maker->goes_on[leave] && c < maker->close_count; c++) {
		uint32_t close = maker->closes[c];

		if (rows[close].channel != rows[leave].channel || rows[close].process == rows[leave].process || is_known(maker, close, leave) ||
		    left_before(maker, close, leave))
			continue;
		*COMMON_PUSH(&maker->arena, maker->pairs, maker->pair_count, maker->pair_room) = (struct pair){close, leave};
		waits = true;
	}
	if (waits)
		maker->latest[rows[leave].process] = leave;
}

static void close_take(struct maker *maker, uint32_t close)
{
	maker->before[close] = maker->latest[maker->acts->rows[close].process];
	*COMMON_PUSH(&maker->arena, maker->closes, maker->close_count, maker->close_room) = close;
}

static void pairs_find(struct maker *maker)
{
	const struct aie_acts *acts = maker->acts;

	memset(maker->latest, 0xff, ((size_t)acts->processes + 1) * sizeof(*maker->latest));
	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];

		if (act->process >= acts->processes)
			continue;
		if (act->kind == AIE_ACT_LEAVE)
			leave_take(maker, a);
		else if (act->kind == AIE_ACT_CLOSE)
			close_take(maker, a);
		else if (takes_time(maker, a))
			maker->latest[act->process] = a;
	}
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static bool is_end(const struct aie_act *act)
{
	return act->kind == AIE_ACT_CLOSE || act->kind == AIE_ACT_LEAVE;
}

/* In the place of each CLOSE and LEAVE those of its pairs. */
static void acts_replace(struct maker *maker)
{
	struct aie_acts *acts = maker->acts;
	uint32_t room = acts->count + 2 * maker->pair_count + 1, count = 0;
	struct aie_act *rows = calloc(room, sizeof(*rows));

	if (!rows)
		longjmp(maker->out, 1);
	for (uint32_t a = 0; a < acts->count; a++) {
		if (!is_end(&acts->rows[a])) {
			rows[count++] = acts->rows[a];
			continue;
		}
		for (uint32_t p = 0; p < maker->pair_count; p++)
			if (maker->pairs[p].close == a || maker->pairs[p].leave == a) {
				rows[count] = acts->rows[a];
				rows[count++].token = p;
			}
	}
	free(acts->rows);
	acts->rows = rows;
	acts->count = count;
	acts->room = room;
	acts->closings = maker->pair_count;
}

static void all_settle(void *context)
{
	struct maker *maker = context;
	const size_t count = (size_t)maker->acts->count + 1;

	maker->taker = common_take(&maker->arena, count, sizeof(uint32_t));
	maker->goes_on = common_take(&maker->arena, count, 1);
	maker->latest = common_take(&maker->arena, (size_t)maker->acts->processes + 1, sizeof(uint32_t));
	maker->before = common_take(&maker->arena, count, sizeof(uint32_t));
	takers_find(maker);
	followers_find(maker);
	pairs_find(maker);
	acts_replace(maker);
}

ptowsp_status aie_closings_settle(struct aie_acts *acts, uint32_t channels, struct ptowsp_error *error)
{
	struct maker maker = {.acts = acts, .channels = channels};
	bool ok;

	common_arena_init(&maker.arena, SIZE_MAX, &maker.out);
	ok = common_job(&maker.out, all_settle, &maker);
	common_arena_finish(&maker.arena);
	return ok ? PTOWSP_OK : rt_no_memory(error, "the acts of a plan");
}
