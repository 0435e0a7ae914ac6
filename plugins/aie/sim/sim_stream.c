/* SPDX-License-Identifier: MIT */
/* sim_stream.c - words from the DMA at one end of a stream to those at the others, from change to change. */
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_net.h"
#include "base/error.h"

#include <string.h>

enum { BATCH = 512 }; /* words that are copied at once */

static enum aie_side side_of(const struct aie_end *end)
{
	return end->sends ? AIE_GETTER : AIE_PUTTER;
}

static struct aie_end *sender_of(const struct aie_net *net, const struct aie_net_stream *stream)
{
	return &net->ends[stream->end + stream->active];
}

static struct aie_piece *piece_of(const struct aie_net *net, const struct aie_end *end)
{
	return &net->pieces[end->at == AIE_NONE ? end->piece + end->turn : end->at];
}

/* ---- time that is over -------------------------------------------------------------------------------------------- */

static void account(struct aie_net *net, const struct aie_net_stream *stream, struct aie_end *end)
{
	struct aie_sim_agent *agent = &net->agents[end->agent];
	const uint64_t passed = net->now - end->since;
	const bool moves = end->takes;
	uint64_t stood = passed;

	if (end->state == AIE_END_READY)
		stood = 0;
	else if (end->state == AIE_END_WORDS && moves)
		stood = stream->from <= end->since ? 0 : stream->from < net->now ? stream->from - end->since : passed;
	if (end->state != AIE_END_IDLE) {
		agent->busy += passed - stood;
		agent->blocked += stood;
	}
	end->since = net->now;
}

static void store_add(struct aie_end *end, const uint8_t *words, const uint8_t *marks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, words += 4, marks += 4) {
		const uint32_t at = 4 * ((end->first + end->held++) % AIE_STREAM_WORDS);

		memcpy(end->store + at, words, 4);
		memcpy(end->marks + at, marks, 4);
	}
}

/* A word that nobody has written is stored as if it had a meaning. */
static void unwritten_tell(struct aie_net *net, const struct aie_end *end, uint64_t byte)
{
	const uint64_t words = net->tasks[end->task].path.bytes / 4;

	net->failed = base_fail(net->error, PTOWSP_INVALID,
				"line %u: the task stores word %llu of %llu of @%s, and no core has written that; let it write all of an object that it gives",
				net->tasks[end->task].line, (unsigned long long)(words - end->left + byte / 4), (unsigned long long)words, end->fifo);
}

/* So many words arrive, the first of them so many behind what was counted. */
static void words_put(struct aie_net *net, struct aie_end *end, const uint8_t *words, const uint8_t *marks, uint64_t bytes, uint64_t behind)
{
	const uint8_t *none = net->objects && end->shim && !net->tasks[end->task].filler ? memchr(marks, 0, bytes) : NULL;

	if (none && !net->failed)
		unwritten_tell(net, end, behind + (uint64_t)(none - marks));
	aie_cursor_put(&end->cursor, end->path, words, net->objects ? marks : NULL, bytes);
}

static void store_put(struct aie_net *net, struct aie_end *end, uint32_t count, uint64_t behind)
{
	for (uint32_t i = 0; i < count; i++) {
		words_put(net, end, end->store + 4 * end->first, end->marks + 4 * end->first, 4, behind + 4 * (uint64_t)i);
		end->first = (end->first + 1) % AIE_STREAM_WORDS;
		end->held--;
	}
}

/* count words that the sender sent reach a receiver, behind so many bytes of the stretch: it takes those that stand there first. */
static void words_reach(struct aie_net *net, struct aie_end *end, const uint8_t *words, const uint8_t *marks, uint32_t count, uint64_t behind)
{
	const uint32_t old = !end->takes ? 0 : end->held < count ? end->held : count, direct = end->takes ? count - old : 0;

	store_put(net, end, old, behind);
	if (direct)
		words_put(net, end, words, marks, 4 * (uint64_t)direct, behind + 4 * (uint64_t)old);
	store_add(end, words + 4 * (size_t)direct, marks + 4 * (size_t)direct, count - direct);
}

static void words_send(struct aie_net *net, const struct aie_net_stream *stream, uint64_t count)
{
	struct aie_end *sender = sender_of(net, stream), *ends = &net->ends[stream->end];
	uint8_t words[4 * BATCH], marks[4 * BATCH];
	uint64_t sent = 0;

	while (sent < count) {
		const uint32_t n = count - sent < BATCH ? (uint32_t)(count - sent) : BATCH;

		aie_cursor_get(&sender->cursor, sender->path, words, net->objects ? marks : NULL, 4 * (uint64_t)n);
		if (net->objects && sender->shim && net->tasks[sender->task].filler)
			memset(marks, 0, 4 * (size_t)n);
		for (uint32_t i = stream->sender_count; i < stream->end_count; i++)
			if (ends[i].listens)
				words_reach(net, &ends[i], words, marks, n, 4 * sent);
		sent += n;
	}
}

/* Counts the words that flowed since the last change. */
static void settle(struct aie_net *net, struct aie_net_stream *stream)
{
	struct aie_end *ends = &net->ends[stream->end];
	uint64_t words = 0;

	if (stream->until != AIE_NEVER && net->now > stream->from)
		words = stream->pace == 1 ? net->now - stream->from : (net->now - stream->from) / stream->pace;
	if (stream->sends)
		words_send(net, stream, words);
	for (uint32_t i = 0; i < stream->end_count; i++) {
		account(net, stream, &ends[i]);
		if (!ends[i].takes)
			continue;
		if (!ends[i].sends && (!stream->sends || !ends[i].listens))
			store_put(net, &ends[i], (uint32_t)words, 0);
		ends[i].left -= words;
		ends[i].grant -= words < ends[i].grant ? words : ends[i].grant;
	}
	stream->from += words * stream->pace;
}

/* ---- what an end does next ---------------------------------------------------------------------------------------- */

/* The lock is seen from `seen` on: where it was waited for it costs, and memory answers anew. */
static void ready_set(struct aie_end *end, uint64_t seen, bool anew)
{
	const uint64_t memory = end->sends ? AIE_COST_MEMORY : 0;

	end->ready = seen <= end->base ? end->base + (anew ? memory : 0) : seen + AIE_COST_LOCK_DMA + memory;
	end->state = AIE_END_READY;
}

static void piece_begin(struct aie_net *net, struct aie_end *end);

static void task_begin(struct aie_net *net, struct aie_end *end)
{
	const uint64_t first = end->sends ? AIE_COST_FIRST_MM2S : AIE_COST_FIRST_S2MM;
	struct aie_task *task;

	end->state = AIE_END_IDLE;
	if (end->task == AIE_NONE)
		return;
	task = &net->tasks[end->task];
	end->queued--;
	end->working = true;
	if (net->host.state == AIE_HOST_ROOM)
		aie_net_wake(net, aie_agent_host(net), net->now);
	end->base = net->now + (end->sends ? AIE_COST_TASK_MM2S : AIE_COST_TASK_S2MM) + AIE_COST_BD + (end->fresh ? first + AIE_COST_CHANNEL : 0);
	if (task->piece != AIE_NONE) {
		end->at = task->piece;
		end->repeat = task->repeat;
		end->repeated = 0;
		piece_begin(net, end);
		return;
	}
	end->path = &task->path;
	aie_cursor_begin(&end->cursor, task->base, 0);
	ready_set(end, 0, true);
	end->fresh = false;
}

/* The locks of the piece, if all are there. */
static bool locks_take(struct aie_net *net, struct aie_end *end, const struct aie_piece *piece)
{
	const enum aie_side side = side_of(end);
	uint64_t seen = 0;

	for (uint32_t i = 0; i < piece->lock_count; i++) {
		const uint64_t one = aie_lock_ready(&net->locks[piece->lock + i], side, 1);

		seen = one > seen ? one : seen;
	}
	for (uint32_t i = 0; i < piece->lock_count; i++)
		net->locks[piece->lock + i].waits[side] = seen == AIE_NEVER;
	if (seen == AIE_NEVER)
		return false;
	aie_cursor_begin(&end->cursor, aie_lock_object(&net->locks[piece->lock], net->locks[piece->lock].begun[side]), (int64_t)net->marks);
	for (uint32_t i = 0; i < piece->lock_count; i++)
		net->locks[piece->lock + i].begun[side]++;
	ready_set(end, seen, end->fresh);
	end->fresh = false;
	return true;
}

/* Copies elements with zeros around them, as they are when the descriptor begins: its locks are held. */
static void pad_fill(const struct aie_pad *pad, uint32_t dimension, const uint8_t *from, uint8_t **to)
{
	uint64_t inner = pad->element;

	for (uint32_t d = dimension + 1; d < pad->rank; d++)
		inner *= (uint64_t)(pad->before[d] + pad->sizes[d] + pad->after[d]);
	*to += inner * (uint64_t)pad->before[dimension];
	for (int64_t i = 0; i < pad->sizes[dimension]; i++) {
		const uint8_t *at = from + i * pad->strides[dimension] * (int64_t)pad->element;

		if (dimension + 1 < pad->rank) {
			pad_fill(pad, dimension + 1, at, to);
		} else {
			memcpy(*to, at, pad->element);
			*to += pad->element;
		}
	}
	*to += inner * (uint64_t)pad->after[dimension];
}

static void link_done(struct aie_net *net, struct aie_end *end);

/* The locks of a chain's descriptor; one without bytes is there for its locks alone. */
static void link_begin(struct aie_net *net, struct aie_end *end)
{
	struct aie_piece *piece = piece_of(net, end);
	const bool waited = end->state == AIE_END_LOCK;
	uint64_t when;

	if (piece->take.semaphore != AIE_NONE && !aie_semaphore_take(net, &piece->take, AIE_WAITER_END | (uint32_t)(end - net->ends), &when)) {
		end->state = AIE_END_LOCK;
		end->asked = waited ? end->asked : net->now;
		aie_net_wake(net, aie_agent_stream(net, end->stream), when);
		return;
	}
	if (waited)
		aie_semaphore_waited(net, piece->take.semaphore, end->agent, end->asked);
	if (piece->pad) {
		uint8_t *image = piece->pad->image;

		pad_fill(piece->pad, 0, piece->pad->from, &image);
	}
	if (!piece->path.bytes) {
		link_done(net, end);
		return;
	}
	end->path = &piece->path;
	aie_cursor_begin(&end->cursor, piece->base + piece->step * (int64_t)piece->at, 0);
	if (piece->round)
		piece->at = piece->at + 1 < piece->round ? piece->at + 1 : 0;
	ready_set(end, waited ? net->now : 0, end->fresh);
	end->fresh = false;
}

static void piece_begin(struct aie_net *net, struct aie_end *end)
{
	const struct aie_piece *piece = piece_of(net, end);

	end->path = &piece->path;
	if (piece->lock == AIE_NONE) {
		link_begin(net, end);
	} else if (end->repeated) {
		const struct aie_lock *lock = &net->locks[piece->lock];

		aie_cursor_begin(&end->cursor, aie_lock_object(lock, lock->begun[AIE_GETTER] - 1), (int64_t)net->marks);
		ready_set(end, 0, false);
	} else if (!locks_take(net, end, piece)) {
		end->state = AIE_END_LOCK;
	}
}

static void piece_done(struct aie_net *net, struct aie_end *end)
{
	const struct aie_piece *piece = piece_of(net, end);

	end->base = net->now + AIE_COST_BUBBLE;
	if (++end->repeated < end->repeat) {
		piece_begin(net, end);
		return;
	}
	end->repeated = 0;
	for (uint32_t i = 0; i < piece->lock_count; i++)
		aie_lock_done(net, piece->lock + i, side_of(end), net->now + end->delay + AIE_COST_LOCK_DMA);
	end->turn = end->turn + 1 < end->piece_count ? end->turn + 1 : 0;
	piece_begin(net, end);
}

static void task_done(struct aie_net *net, struct aie_end *end);

/* On to the next descriptor of a chain, or back to its first one, or it is over. */
static void link_done(struct aie_net *net, struct aie_end *end)
{
	const struct aie_piece *piece = piece_of(net, end);
	uint32_t next = piece->next;

	end->base = net->now + AIE_COST_BUBBLE;
	if (piece->give.semaphore != AIE_NONE && !aie_semaphore_give(net, &piece->give, net->now + end->delay + AIE_COST_LOCK_DMA))
		net->failed = PTOWSP_NO_MEMORY;
	if (next == AIE_NONE && ++end->repeated < end->repeat)
		next = end->working ? net->tasks[end->task].piece : end->chain;
	end->state = AIE_END_IDLE;
	if (next != AIE_NONE) {
		end->at = next;
		piece_begin(net, end);
	} else if (end->working) {
		task_done(net, end);
	}
}

void aie_stream_stands(struct aie_net *net, uint32_t number)
{
	const struct aie_net_stream *stream = &net->streams[number];

	for (uint32_t i = stream->end; i < stream->end + stream->end_count; i++) {
		struct aie_end *end = &net->ends[i];

		account(net, stream, end);
		if (end->state == AIE_END_LOCK && end->at != AIE_NONE)
			aie_semaphore_waited(net, piece_of(net, end)->take.semaphore, end->agent, end->asked);
		else if (end->state == AIE_END_WORDS)
			aie_net_tell(net, end->agent, "waits for words", end->begun, net->now);
	}
}

static void task_done(struct aie_net *net, struct aie_end *end)
{
	const uint32_t task = end->task;

	end->task = net->tasks[task].next;
	end->working = false;
	end->at = AIE_NONE;
	end->grant = 0;
	aie_host_told(net, task, net->now + end->delay);
	task_begin(net, end);
}

static void end_step(struct aie_net *net, struct aie_end *end)
{
	if (end->state == AIE_END_LOCK && end->at != AIE_NONE)
		link_begin(net, end);
	if (end->state == AIE_END_WORDS && !end->left) {
		net->agents[end->agent].objects++;
		net->last = net->now + end->delay > net->last ? net->now + end->delay : net->last;
		net->agents[end->agent].end = net->now;
		aie_net_tell(net, end->agent, end->fifo, end->begun, net->now);
		if (end->at != AIE_NONE)
			link_done(net, end);
		else if (end->shim)
			task_done(net, end);
		else
			piece_done(net, end);
	}
	if (end->state == AIE_END_READY && end->ready <= net->now) {
		end->state = AIE_END_WORDS;
		end->left = end->path->bytes / 4;
		end->begun = net->now;
	}
}

/* ---- the next stretch --------------------------------------------------------------------------------------------- */

/* DDR serves who asks in the order in which they ask; a burst's words cannot be through before it has them. */
static void ddr_ask(struct aie_net *net, struct aie_end *end)
{
	const uint64_t words = end->left < AIE_COST_DDR_BURST / 4 ? end->left : AIE_COST_DDR_BURST / 4;

	end->grant = words;
	end->granted = net->now;
	net->ddr_bytes += 4 * words;
	if (!net->ddr_rate)
		return;
	if (net->ddr_clock < net->now * net->ddr_rate)
		net->ddr_clock = net->now * net->ddr_rate;
	net->ddr_clock += 4 * words;
	end->granted = (net->ddr_clock + net->ddr_rate - 1) / net->ddr_rate;
}

/* Words that may flow before this end has to be looked at again; *from: not before. */
static uint64_t end_words(struct aie_net *net, struct aie_end *end, uint64_t pace, uint64_t *from)
{
	if (!end->shim)
		return end->left;
	if (!end->grant)
		ddr_ask(net, end);
	if (end->granted > *from + end->grant * pace)
		*from = end->granted - end->grant * pace;
	return end->grant;
}

/* Can whoever listens take a word? Nobody listening is nobody to send to. */
static bool heard(const struct aie_net *net, const struct aie_net_stream *stream)
{
	const struct aie_end *ends = &net->ends[stream->end];
	bool any = false;

	for (uint32_t i = stream->sender_count; i < stream->end_count; i++) {
		any = any || ends[i].listens;
		if (ends[i].listens && ends[i].state != AIE_END_WORDS && ends[i].held >= net->buffering)
			return false;
	}
	return any;
}

/* The receivers that the packet of this sender reaches listen. */
static void packet_address(const struct aie_net *net, const struct aie_net_stream *stream, uint32_t sender)
{
	const uint32_t from = stream->end + sender, number = net->ends[from].at == AIE_NONE ? AIE_NONE : piece_of(net, &net->ends[from])->packet;

	for (uint32_t i = stream->end + stream->sender_count; i < stream->end + stream->end_count; i++)
		net->ends[i].listens = false;
	for (uint32_t i = 0; i < net->packet_count; i++)
		if (net->packets[i].from == from && (number == AIE_NONE || net->packets[i].number == AIE_NONE || net->packets[i].number == number))
			net->ends[net->packets[i].to].listens = true;
}

/* Between packets the next sender that would be heard has the stream. */
static void sender_choose(const struct aie_net *net, struct aie_net_stream *stream)
{
	const struct aie_end *last = sender_of(net, stream);

	if (last->state == AIE_END_WORDS && last->left != last->path->bytes / 4)
		return;
	for (uint32_t i = 1; i <= stream->sender_count; i++) {
		const uint32_t sender = (stream->active + i) % stream->sender_count;

		if (net->ends[stream->end + sender].state != AIE_END_WORDS)
			continue;
		packet_address(net, stream, sender);
		if (heard(net, stream)) {
			stream->active = sender;
			return;
		}
	}
	packet_address(net, stream, stream->active);
}

static bool sender_can(const struct aie_net *net, const struct aie_net_stream *stream)
{
	return sender_of(net, stream)->state == AIE_END_WORDS && heard(net, stream);
}

static bool who_moves(const struct aie_net *net, struct aie_net_stream *stream, uint32_t *pace)
{
	struct aie_end *ends = &net->ends[stream->end];
	bool any;

	if (stream->packets)
		sender_choose(net, stream);
	any = stream->sends = sender_can(net, stream);
	*pace = any ? sender_of(net, stream)->path->pace : 1;
	for (uint32_t i = 0; i < stream->sender_count; i++)
		ends[i].takes = any && i == stream->active;
	for (uint32_t i = stream->sender_count; i < stream->end_count; i++) {
		ends[i].takes = ends[i].state == AIE_END_WORDS && (ends[i].held || (stream->sends && ends[i].listens));
		any = any || ends[i].takes;
		if (ends[i].takes && ends[i].path->pace > *pace)
			*pace = ends[i].path->pace;
	}
	return any;
}

/* Words until the next change, at least 1. */
static uint64_t stretch_words(struct aie_net *net, const struct aie_net_stream *stream, uint64_t pace, uint64_t *from)
{
	struct aie_end *ends = &net->ends[stream->end];
	uint64_t words = stream->sends ? end_words(net, sender_of(net, stream), pace, from) : UINT64_MAX;

	for (uint32_t i = stream->sender_count; i < stream->end_count; i++) {
		const bool fed = stream->sends && ends[i].listens;
		uint64_t most = UINT64_MAX;

		if (ends[i].takes)
			most = end_words(net, &ends[i], pace, from);
		else if (fed)
			most = net->buffering - ends[i].held;
		if (ends[i].takes && !fed && ends[i].held < most)
			most = ends[i].held;
		words = most < words ? most : words;
	}
	return words;
}

static void stretch_plan(struct aie_net *net, struct aie_net_stream *stream)
{
	const bool moved = stream->until != AIE_NEVER;
	uint32_t pace;
	uint64_t from = net->now;

	stream->until = AIE_NEVER;
	if (who_moves(net, stream, &pace)) {
		/* A word that is half through goes on. */
		if (moved && pace == stream->pace && stream->from < from)
			from = stream->from;
		stream->until = stretch_words(net, stream, pace, &from);
		stream->until = from + stream->until * pace;
		stream->pace = pace;
	}
	stream->from = from;
}

void aie_stream_run(struct aie_net *net, uint32_t number)
{
	struct aie_net_stream *stream = &net->streams[number];
	struct aie_end *ends = &net->ends[stream->end];
	uint64_t next;

	aie_queue_set(&net->queue, aie_agent_stream(net, number), AIE_NEVER);
	settle(net, stream);
	for (uint32_t i = 0; i < stream->end_count; i++)
		end_step(net, &ends[i]);
	stretch_plan(net, stream);
	next = stream->until;
	for (uint32_t i = 0; i < stream->end_count; i++)
		if (ends[i].state == AIE_END_READY && ends[i].ready < next)
			next = ends[i].ready;
	aie_net_wake(net, aie_agent_stream(net, number), next);
}

/* ---- from outside ------------------------------------------------------------------------------------------------- */

void aie_stream_begin(struct aie_net *net, uint32_t number)
{
	const struct aie_net_stream *stream = &net->streams[number];

	for (uint32_t i = stream->end; i < stream->end + stream->end_count; i++) {
		struct aie_end *end = &net->ends[i];

		end->base = AIE_COST_BD + AIE_COST_CHANNEL;
		if (end->chain != AIE_NONE || (!end->shim && end->piece_count))
			piece_begin(net, end);
		if (end->state == AIE_END_READY)
			aie_net_wake(net, aie_agent_stream(net, number), end->ready);
	}
}

void aie_stream_wake(struct aie_net *net, uint32_t number)
{
	struct aie_end *end = &net->ends[number];

	account(net, &net->streams[end->stream], end);
	if (locks_take(net, end, &net->pieces[end->piece + end->turn]))
		aie_net_wake(net, aie_agent_stream(net, end->stream), end->ready);
}

void aie_stream_given(struct aie_net *net, uint32_t number)
{
	struct aie_end *end = &net->ends[number];

	if (end->working)
		return;
	account(net, &net->streams[end->stream], end);
	task_begin(net, end);
	aie_net_wake(net, aie_agent_stream(net, end->stream), end->ready);
}
