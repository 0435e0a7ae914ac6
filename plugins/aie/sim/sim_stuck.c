/* SPDX-License-Identifier: MIT */
/* sim_stuck.c - a deadlock is described: each wait, then a ring found by going from one who waits to whom he waits for. */
#include "aie/sim/sim_net.h"

#include "base/error.h"
#include "registry/common/common_grow.h"
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 172 }; /* of an error's text, behind how many and when */

struct list {
	struct aie_sim_wait *rows;
	uint32_t count, room;
	bool failed;
};

static void wait_add(struct list *list, struct aie_sim_wait wait)
{
	if (list->failed || !COMMON_GROW(list->rows, list->room, list->count))
		list->failed = true;
	else
		list->rows[list->count++] = wait;
}

static void give_look(const struct aie_net *net, uint32_t agent, const struct aie_net_hold *take, struct list *list, bool *any, const struct aie_net_hold *give,
		      uint32_t other)
{
	const struct aie_semaphore *semaphore = &net->semaphores[take->semaphore];
	const int64_t sum = aie_semaphore_sum(semaphore);

	if (give->semaphore != take->semaphore || other == agent)
		return;
	*any = true;
	wait_add(list, (struct aie_sim_wait){agent, other, semaphore->name, sum < 0 ? 0 : (uint64_t)sum, (uint64_t)take->value, false, false});
}

/* An agent that waits for a lock of the array waits for all that ever give to it: DMAs by their descriptors, cores by their programs. */
static void semaphore_look(const struct aie_net *net, uint32_t agent, const struct aie_net_hold *take, struct list *list)
{
	const int64_t sum = aie_semaphore_sum(&net->semaphores[take->semaphore]);
	bool any = false;

	for (uint32_t e = 0; e < net->end_count; e++) {
		uint32_t at = net->ends[e].chain;

		for (uint32_t steps = 0; at != AIE_NONE && steps < net->piece_count; steps++) {
			if (net->pieces[at].give.semaphore == take->semaphore) {
				give_look(net, agent, take, list, &any, &net->pieces[at].give, net->ends[e].agent);
				break;
			}
			at = net->pieces[at].next;
		}
	}
	for (uint32_t g = 0; g < net->giver_count; g++)
		if (net->cores[net->givers[g].core].state != AIE_CORE_ENDED)
			give_look(net, agent, take, list, &any, &(struct aie_net_hold){.semaphore = net->givers[g].semaphore},
				  net->cores[net->givers[g].core].agent);
	if (!any)
		wait_add(list, (struct aie_sim_wait){agent, AIE_NONE, net->semaphores[take->semaphore].name, sum < 0 ? 0 : (uint64_t)sum, (uint64_t)take->value,
						     false, false});
}

static void core_look(const struct aie_net *net, const struct aie_machine_core *core, struct list *list)
{
	const enum aie_side side = core->ask.side;
	const struct aie_lock *lock;

	if (core->state != AIE_CORE_WAITS)
		return;
	if (core->ask.kind == AIE_ASK_TAKE) {
		semaphore_look(net, core->agent, &core->ask.hold, list);
		return;
	}
	lock = &net->locks[core->ask.lock];
	wait_add(list, (struct aie_sim_wait){core->agent, lock->agent[!side], lock->name, lock->begun[side] - lock->done[side], core->ask.count, false, false});
}

static void locks_look(const struct aie_net *net, const struct aie_end *end, struct list *list)
{
	const struct aie_piece *piece = &net->pieces[end->at == AIE_NONE ? end->piece + end->turn : end->at];
	const enum aie_side side = end->sends ? AIE_GETTER : AIE_PUTTER;

	if (end->at != AIE_NONE) {
		semaphore_look(net, end->agent, &piece->take, list);
		return;
	}
	for (uint32_t i = piece->lock; i < piece->lock + piece->lock_count; i++)
		if (aie_lock_ready(&net->locks[i], side, 1) == AIE_NEVER)
			wait_add(list, (struct aie_sim_wait){end->agent, net->locks[i].agent[!side], end->fifo, 0, 1, false, false});
}

static void words_look(const struct aie_net *net, const struct aie_end *end, struct list *list)
{
	const struct aie_net_stream *stream = &net->streams[end->stream];
	const struct aie_end *has = &net->ends[stream->end + stream->active];
	const uint64_t all = end->path->bytes / 4;
	bool any = false;

	if (end->sends && has != end && has->state == AIE_END_WORDS) { /* whose packet is under way */
		any = true;
		wait_add(list, (struct aie_sim_wait){end->agent, has->agent, end->fifo, all - end->left, all, true, true});
	}
	for (uint32_t i = stream->end; !end->sends && i < stream->end + stream->sender_count; i++) {
		any = true;
		wait_add(list, (struct aie_sim_wait){end->agent, net->ends[i].agent, end->fifo, all - end->left, all, true, false});
	}
	for (uint32_t i = stream->end + stream->sender_count; end->sends && i < stream->end + stream->end_count; i++)
		if (net->ends[i].listens && net->ends[i].state != AIE_END_WORDS && net->ends[i].held >= net->buffering) {
			any = true;
			wait_add(list, (struct aie_sim_wait){end->agent, net->ends[i].agent, end->fifo, all - end->left, all, true, true});
		}
	if (!any)
		wait_add(list, (struct aie_sim_wait){end->agent, AIE_NONE, end->fifo, all - end->left, all, true, end->sends});
}

static void end_look(const struct aie_net *net, const struct aie_end *end, struct list *list)
{
	if (end->state == AIE_END_LOCK)
		locks_look(net, end, list);
	else if (end->state == AIE_END_WORDS)
		words_look(net, end, list);
	else if (end->state == AIE_END_IDLE && end->shim && end->chain == AIE_NONE) /* it would go on if the host gave it more */
		wait_add(list, (struct aie_sim_wait){end->agent, net->host.state == AIE_HOST_ENDED ? AIE_NONE : net->host_agent, "", 0, 1, false, false});
}

static struct list waits_find(const struct aie_net *net)
{
	struct list list = {0};

	if (net->host.state == AIE_HOST_ROOM || net->host.state == AIE_HOST_TOKEN)
		wait_add(&list, (struct aie_sim_wait){net->host_agent, net->ends[net->host.wanted].agent, "", 0, 1, false, false});
	for (uint32_t i = 0; i < net->core_count; i++)
		core_look(net, &net->cores[i], &list);
	for (uint32_t i = 0; i < net->end_count; i++)
		end_look(net, &net->ends[i], &list);
	return list;
}

/* Deep first from `agent`, whose path to here stands in ring; marks: 1 on the path, 2 done with. Number of agents on the path; *from_out: where the ring begins in it. */
static uint32_t ring_search(const struct list *list, uint32_t agent, uint8_t *marks, uint32_t *ring, uint32_t depth, uint32_t *from_out)
{
	ring[depth] = agent;
	marks[agent] = 1;
	for (uint32_t i = 0; i < list->count; i++) {
		const uint32_t other = list->rows[i].other;
		uint32_t found;

		if (list->rows[i].agent != agent || other == AIE_NONE || marks[other] == 2)
			continue;
		if (marks[other] == 1) {
			for (*from_out = depth; ring[*from_out] != other; --*from_out)
				;
			return depth + 1;
		}
		found = ring_search(list, other, marks, ring, depth + 1, from_out);
		if (found)
			return found;
	}
	marks[agent] = 2;
	return 0;
}

/* Agents of a ring of those who are needed, in ring; 0: there is none. ring and marks: [agents], marks 2 for who is not needed, else 0. */
static uint32_t ring_find(const struct list *list, uint8_t *marks, uint32_t *ring)
{
	uint32_t count = 0, from = 0;

	for (uint32_t i = 0; !count && i < list->count; i++)
		if (!marks[list->rows[i].agent])
			count = ring_search(list, list->rows[i].agent, marks, ring, 0, &from);
	memmove(ring, ring + from, (count - from) * sizeof(*ring));
	return count - from;
}

/* Agents that somebody needs who was asked for something: the host, DMAs of its tasks, without a host the cores, and all whom these wait for. needed: [agents], zeroed. */
static void needed_mark(const struct aie_net *net, const struct list *list, uint8_t *needed)
{
	bool more = true;

	needed[net->host_agent] = 1;
	for (uint32_t i = 0; i < net->end_count; i++)
		if (net->ends[i].shim && net->ends[i].working)
			needed[net->ends[i].agent] = 1;
	for (uint32_t i = 0; !net->host.count && i < net->core_count; i++)
		needed[net->cores[i].agent] = 1;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < list->count; i++) {
			const struct aie_sim_wait *wait = &list->rows[i];

			if (!needed[wait->agent] || wait->other == AIE_NONE || needed[wait->other])
				continue;
			needed[wait->other] = 1;
			more = true;
		}
	}
}

/* 0: somebody needs it and nobody will ever give it, so that the others stand behind it; 2: idle, nobody needs it. */
static int wait_rank(const uint8_t *needed, const struct aie_sim_wait *wait)
{
	return !needed[wait->agent] ? 2 : wait->other != AIE_NONE || !*wait->fifo;
}

/* Causes come first, who is idle last, otherwise as they were. */
static void waits_sort(const struct aie_net *net, struct list *list, uint8_t *needed)
{
	needed_mark(net, list, needed);
	for (uint32_t i = 1; i < list->count; i++) {
		const struct aie_sim_wait wait = list->rows[i];
		uint32_t at = i;

		for (; at && wait_rank(needed, &list->rows[at - 1]) > wait_rank(needed, &wait); at--)
			list->rows[at] = list->rows[at - 1];
		list->rows[at] = wait;
	}
}

bool aie_stuck_list(const struct aie_net *net, struct aie_sim_stats *stats)
{
	struct list list = waits_find(net);
	uint32_t *ring = calloc(net->agent_count + 1, sizeof(*ring));
	uint8_t *marks = calloc(net->agent_count + 1, 1);
	bool hopeless; /* somebody who is needed waits for what nobody will ever give: rings are behind that */

	if (!list.failed && ring && marks) {
		waits_sort(net, &list, marks);
		hopeless = list.count && !wait_rank(marks, &list.rows[0]);
		for (uint32_t i = 0; i < net->agent_count; i++)
			marks[i] = marks[i] ? 0 : 2;
		stats->ring_count = hopeless ? 0 : ring_find(&list, marks, ring);
		stats->ring = ring;
		stats->waits = list.rows;
		stats->wait_count = list.count;
	} else {
		free(list.rows);
		free(ring);
	}
	free(marks);
	return stats->ring != NULL;
}

static const struct aie_sim_wait *wait_of(const struct aie_sim_stats *stats, uint32_t agent, uint32_t other)
{
	for (uint32_t i = 0; i < stats->wait_count; i++)
		if (stats->waits[i].agent == agent && (other == AIE_NONE || stats->waits[i].other == other))
			return &stats->waits[i];
	return NULL;
}

static size_t wait_say(const struct aie_net *net, const struct aie_sim_wait *wait, char *text, size_t size)
{
	const char *name = net->agents[wait->agent].name;
	int n;

	if (wait->agent == net->host_agent)
		n = snprintf(text, size, "%s wants %s of %s", name, net->host.state == AIE_HOST_ROOM ? "room in the queue" : "a token",
			     net->agents[wait->other].name);
	else if (!*wait->fifo)
		n = snprintf(text, size, "%s wants a task", name);
	else
		n = snprintf(text, size, wait->sends ? "%s has %llu%s for @%s, of which %llu went%s" : "%s wants %llu%s of @%s, has %llu%s", name,
			     (unsigned long long)wait->wanted, wait->words ? " words" : "", wait->fifo, (unsigned long long)wait->held,
			     wait->other != AIE_NONE ? ""
			     : wait->sends           ? ", which lead nowhere"
			     : wait->words           ? ", which nobody sends"
						     : ", which nobody releases");
	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

/* The ring if there is one, else all who wait, as many as there is room for. */
static void stuck_say(const struct aie_net *net, const struct aie_sim_stats *stats, char *text, size_t size)
{
	const uint32_t count = stats->ring_count ? stats->ring_count : stats->wait_count;
	size_t at = 0;

	*text = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct aie_sim_wait *wait = stats->ring_count ? wait_of(stats, stats->ring[i], stats->ring[(i + 1) % count]) : &stats->waits[i];
		char clause[160];
		const size_t length = wait_say(net, wait, clause, sizeof(clause));

		if (at + length + sizeof("; ...") + 2 > size) {
			base_text(text + at, size - at, "%s...", i ? "; " : "");
			return;
		}
		base_text(text + at, size - at, "%s%s", i ? "; " : "", clause);
		at = strlen(text);
	}
}

static bool stuck(const struct aie_net *net)
{
	if (net->host.state != AIE_HOST_ENDED || net->host.under_way)
		return true;
	for (uint32_t i = 0; !net->host.count && i < net->core_count; i++)
		if (net->cores[i].state != AIE_CORE_ENDED)
			return true;
	return false;
}

ptowsp_status aie_stuck_look(const struct aie_net *net, struct ptowsp_error *error)
{
	struct aie_sim_stats stats = {0};
	char text[SENTENCE];

	if (!stuck(net))
		return PTOWSP_OK;
	if (!aie_stuck_list(net, &stats))
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to describe a deadlock of %u agents", net->agent_count);
	stuck_say(net, &stats, text, sizeof(text));
	base_fail(error, PTOWSP_DEADLOCK, "deadlock in cycle %llu, %s of %u: %s", (unsigned long long)net->now, stats.ring_count ? "ring" : "waits",
		  stats.ring_count ? stats.ring_count : stats.wait_count, text);
	free(stats.waits);
	free(stats.ring);
	return PTOWSP_DEADLOCK;
}
