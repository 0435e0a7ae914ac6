/* SPDX-License-Identifier: MIT */
/* sim_net.h - what is simulated, without tiles and texts: buffers with locks, streams with two or more ends, cores that ask for objects, a host that hands over tasks.
 *
 * A lock counts the objects of one pool of buffers in their order: put (filled) and got (emptied), each with the time since when the other side sees it. It has one putter
 * and one getter; each is a core or an end of a stream, and whoever waits is woken by the other one. A stream is an agent of the queue with one time, whose ends each
 * have a state; cores and the host are agents, too. Times are cycles of one clock.
 *
 * Beside these pools there are semaphores, as the array's locks are: any number of cores and DMAs takes from one and gives to it. A DMA may walk a chain of descriptors instead
 * of pools, each of which takes, moves, gives and says who comes next. Several senders may share a stream whose words travel in packets: one of them at a time has it, from
 * the first to the last word of a descriptor, and those receivers hear it that its packet's number leads to.
 *
 * Flow of words: in a cycle the sender sends a word if each receiver can take it, which is so if the receiver is at work or has room among the `buffering` words of its
 * end of the stream; a receiver takes one if it is at work and there is one. Between changes of state that is linear, so an event is a change. An object is there for
 * the receiver's side as many cycles later as its switches take; a receiver that has all of its words goes on at once.
 *
 * Where somebody asks for it, each byte of objects and buffers has a mark, so many bytes behind it: whether it was written, since a core has acquired its object to fill it, and used, since
 * one has acquired that to read it. Marks travel with the bytes, through streams and copies. A kernel that reads what was not written, a task that stores that where it has a meaning, and a core
 * that releases an object of which it has read nothing end the run.
 *
 * Indices are of the arrays; AIE_NONE is none. One thread. */
#ifndef AIE_SIM_NET_H
#define AIE_SIM_NET_H

#include "aie/design/design.h"
#include "aie/sim/sim.h"
#include "ptowsp/base.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* When each agent of a simulation goes on: a tournament over all of them, the earliest wins, of equals the one with the lower number. */
#define AIE_NEVER UINT64_MAX

struct aie_match {
	uint64_t time;
	uint32_t agent;
};
struct aie_queue {
	struct aie_match *tree; /* owned: [1] the winner, [leaves + i] agent i */
	uint32_t leaves;        /* a power of two */
};
/* All never. false: no memory. */
bool aie_queue_init(struct aie_queue *queue, uint32_t agents);
void aie_queue_finish(struct aie_queue *queue);

static inline void aie_queue_set(struct aie_queue *queue, uint32_t agent, uint64_t time)
{
	struct aie_match *tree = queue->tree;
	uint32_t at = queue->leaves + agent;

	tree[at].time = time;
	while (at /= 2)
		tree[at] = tree[2 * at + 1].time < tree[2 * at].time ? tree[2 * at + 1] : tree[2 * at];
}

static inline uint64_t aie_queue_time(const struct aie_queue *queue, uint32_t agent)
{
	return queue->tree[queue->leaves + agent].time;
}

/* The order in which a DMA reads or writes memory: runs of bytes, strides apart, as many dimensions of them as it has. */
enum { AIE_WALK_DIMS = 5 };
/* Outermost first; what is one after the other lies in the run. */
struct aie_path {
	uint32_t rank;
	uint64_t sizes[AIE_WALK_DIMS];
	int64_t strides[AIE_WALK_DIMS]; /* bytes */
	uint64_t run;                   /* bytes, above 0 */
	uint64_t bytes;                 /* of all runs */
	int64_t least, beyond;          /* bytes from the first element: what is touched lies within */
	uint32_t pace;                  /* cycles per word, at least 1: short or unaligned runs cost a cycle per element */
};
/* A position on a path. */
struct aie_cursor {
	uint8_t *at;   /* of the present run */
	int64_t marks; /* bytes from each byte to its mark (sim_net.h); 0: all count as written */
	uint64_t into; /* bytes of it that are done */
	uint64_t index[AIE_WALK_DIMS];
};
/* Can a path be made of these? Sizes of at least 1, all within 2^50 bytes. */
bool aie_path_fits(uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes);
/* All elements, of so many bytes each, of sizes and strides (elements), outermost first; rank 0: one element. */
void aie_path_make(struct aie_path *path, uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes);
/* So many bytes, one after the other. */
void aie_path_plain(struct aie_path *path, uint64_t bytes);
/* Do both touch the same bytes, from the first element on, in the same order? */
bool aie_paths_equal(const struct aie_path *a, const struct aie_path *b);

void aie_cursor_begin(struct aie_cursor *cursor, uint8_t *base, int64_t marks);
/* The next bytes of a path, and their marks (NULL: nobody wants those), into rows of them, and back. The caller asks for no more than are left. */
void aie_cursor_get(struct aie_cursor *cursor, const struct aie_path *path, uint8_t *to, uint8_t *marks, uint64_t bytes);
void aie_cursor_put(struct aie_cursor *cursor, const struct aie_path *path, const uint8_t *from, const uint8_t *marks, uint64_t bytes);

enum { AIE_STREAM_WORDS = 8 }; /* most of buffering */

enum aie_mark { AIE_MARK_WRITTEN = 1, AIE_MARK_USED = 3 }; /* 0: not written; USED: and a core has touched it */
enum aie_side { AIE_PUTTER, AIE_GETTER };
struct aie_lock {
	const char *name;           /* of its fifo, borrowed */
	uint8_t *base;              /* of the first object, or of this part of it */
	uint64_t stride;            /* bytes to the next one */
	uint64_t depth, mask;       /* mask: depth - 1 where that is a power of two, else 0 */
	uint64_t begun[2], done[2]; /* objects that each side began with, and was done with */
	uint64_t *times[2];         /* [depth] each: since when the other side sees what this one did to the slot */
	uint32_t agent[2];          /* agent of the stats on this side */
	uint32_t core[2], end[2];   /* the same as index of one of both arrays, else AIE_NONE */
	bool waits[2];
};
/* A lock of the array. A give is seen at its time, and counts from then on. */
struct aie_semaphore {
	const char *name; /* borrowed */
	int64_t value;
	int64_t most;      /* that it counts, and as many and one below 0 */
	bool binary, held; /* of the first generation: who waits for a value has the lock alone until he sets another */
	struct aie_given {
		uint64_t time;
		int64_t value;
	} * given; /* owned, by time: what nobody has seen yet */
	uint32_t given_count, given_room;
	struct aie_waits {
		uint32_t agent;
		uint64_t times, cycles;
	} * waits; /* owned: of those who have waited */
	uint32_t wait_count, wait_room;
	const char *waiting; /* "waits for NAME", of the net */
	uint32_t *waiters;   /* owned: cores, and ends with AIE_WAITER_END */
	uint32_t waiter_count, waiter_room;
};
#define AIE_WAITER_END (UINT32_C(1) << 31)
/* Taking: `value` of what is there, once it is at least that, or where `equal` just that. semaphore AIE_NONE: nothing. */
struct aie_net_hold {
	uint32_t semaphore;
	int64_t value;
	bool equal;
};
/* Zeros around what a descriptor sends: per dimension, outermost first, so many elements before and behind. */
struct aie_pad {
	uint32_t rank, element; /* bytes of one */
	int64_t sizes[AIE_WALK_DIMS], strides[AIE_WALK_DIMS], before[AIE_WALK_DIMS], after[AIE_WALK_DIMS];
	uint8_t *image; /* of the net: what is sent */
	const uint8_t *from;
};
/* A core whose program gives to a semaphore somewhere, for texts of deadlocks. */
struct aie_giver {
	uint32_t core, semaphore;
};
/* A buffer descriptor: moved by a DMA at one go. */
struct aie_piece {
	uint32_t lock, lock_count; /* neighbours: parts of one object; of a chain: AIE_NONE */
	struct aie_path path;
	/* Fields of a chain. */
	uint8_t *base;
	struct aie_net_hold take, give; /* give: equal: a binary one is set to that */
	uint32_t next;                  /* AIE_NONE: it ends here */
	uint32_t packet;                /* number of its packet; AIE_NONE: none */
	uint32_t descriptor;            /* of a task of the host: the one of its shim that it is written into; AIE_NONE: nobody looks */
	const struct aie_pad *pad;      /* NULL: none */
	int64_t step;                   /* bytes from one time that it is used to the next, `round` times, then from the beginning; round 0: base stays */
	uint32_t round, at;             /* at: the time that comes */
};
/* The end that a sender's packets reach. */
struct aie_packet {
	uint32_t from, number, to; /* ends */
};
/* A task that the host hands over to an end in DDR. */
struct aie_task {
	uint32_t end, next; /* the next one of its end */
	uint8_t *base;
	struct aie_path path;
	uint32_t descriptor;    /* that it is written into; of a chain its pieces have theirs */
	uint32_t piece, repeat; /* a chain, and how often it is walked; piece AIE_NONE: base and path are all */
	bool token, done;
	bool filler;   /* its elements have no meaning */
	uint32_t line; /* of the text that it comes from; 0: of none */
	uint64_t at;   /* handed over; done */
};
enum aie_end_state { AIE_END_IDLE, AIE_END_READY, AIE_END_LOCK, AIE_END_WORDS };
struct aie_end {
	const char *fifo; /* borrowed */
	uint32_t stream, agent;
	bool sends, shim;
	uint64_t delay; /* of a receiver: cycles through the switches */
	/* Work of the end: pieces round and round, or the tasks that it is given. */
	uint32_t piece, piece_count, turn;
	uint64_t repeat, repeated;        /* times that each object is sent, or its chain is walked */
	uint32_t chain, at;               /* first descriptor and present one; AIE_NONE: it has pieces or tasks */
	bool listens;                     /* of a receiver: to the sender that has the stream */
	uint32_t task, task_last, queued; /* that it works at or that is next; queued: given and not begun */
	uint32_t token;                   /* oldest task with a token that nobody waited for */
	bool working;                     /* at `task` */
	uint32_t unseen, unseen_count;    /* oldest task whose end the host has not seen, and how many there are */
	/* Progress of the end. */
	enum aie_end_state state; /* LOCK: ready is not known; READY: from `ready` on; WORDS: at work */
	bool fresh;               /* nothing was done yet */
	uint64_t ready, base;     /* base: cycle in which it could begin if the lock were there */
	uint64_t since, begun;    /* since: of the last account; begun: of this piece */
	uint64_t asked;           /* LOCK of a chain: since when */
	uint64_t left;            /* words */
	const struct aie_path *path;
	struct aie_cursor cursor;
	uint64_t grant, granted; /* words that DDR was asked for, and when it has them */
	uint32_t held;           /* words that stand before a receiver, in store */
	uint32_t first;
	uint8_t store[4 * AIE_STREAM_WORDS], marks[4 * AIE_STREAM_WORDS];
	bool takes; /* words, in the present stretch */
};
struct aie_net_stream {
	uint32_t end, end_count; /* the senders, then the receivers */
	uint32_t sender_count;   /* 1, or more where words travel in packets */
	uint32_t active;         /* sender that has the stream: number among them */
	bool packets;            /* receivers listen as packets say */
	bool sends;              /* in the present stretch */
	uint32_t pace;
	uint64_t from, until; /* words flow from here on, at most until there */
};
/* A core's next request, after so many cycles of work. */
enum aie_ask_kind { AIE_ASK_NOTHING, AIE_ASK_ACQUIRE, AIE_ASK_RELEASE, AIE_ASK_TAKE, AIE_ASK_GIVE, AIE_ASK_END };
struct aie_ask {
	enum aie_ask_kind kind;
	uint32_t lock;
	enum aie_side side;
	uint32_t count; /* of ACQUIRE: objects to have, those held already among them */
	uint64_t cycles;
	struct aie_net_hold hold; /* of TAKE and GIVE */
};
struct aie_program {
	void *context;
	/* Works until it needs something. objects: addresses of what the last ACQUIRE asked for, oldest first. */
	ptowsp_status (*next)(void *context, void *const *objects, struct aie_ask *ask, struct ptowsp_error *error);
};
enum aie_core_state { AIE_CORE_WORKS, AIE_CORE_WAITS, AIE_CORE_ENDED };
struct aie_machine_core {
	struct aie_program program;
	uint32_t agent;
	enum aie_core_state state;
	struct aie_ask ask;
	uint64_t since; /* of the present state */
	void **objects; /* [room] */
	uint32_t room;
};
/* A step of the host: a task, or (AIE_NONE) a wait for the token of an end, or (both AIE_NONE) a value written into memory, or a lock set. */
struct aie_host_step {
	uint32_t task, end;
	uint8_t *to; /* 4 bytes; NULL: the semaphore */
	uint32_t semaphore;
	int32_t value;
	uint32_t line; /* of a text; 0: none */
};
enum aie_host_state { AIE_HOST_WORKS, AIE_HOST_ROOM, AIE_HOST_TOKEN, AIE_HOST_ENDED };
struct aie_host {
	struct aie_host_step *steps;
	uint32_t count, room, step;
	enum aie_host_state state;
	uint64_t since, begun; /* of this state; of this step */
	uint64_t seen;         /* when it took its last token: it knows of all that had ended then */
	uint32_t under_way;    /* tasks that are not done */
	uint32_t wanted;       /* AIE_HOST_ROOM, AIE_HOST_TOKEN: of this end */
};
enum { AIE_NET_DESCRIPTORS = 256 };
struct aie_net {
	struct aie_lock *locks;
	struct aie_semaphore *semaphores;
	struct aie_packet *packets;
	struct aie_giver *givers;
	struct aie_piece *pieces;
	struct aie_task *tasks;
	struct aie_end *ends;
	struct aie_net_stream *streams;
	struct aie_machine_core *cores;
	struct aie_sim_agent *agents;
	void **blocks;    /* all that is freed in the end */
	uint8_t *objects; /* memory of objects and buffers whose bytes have marks: `marks` of it, of which `taken` are; NULL: none have */
	uint64_t marks, taken;
	uint32_t semaphore_count, packet_count, giver_count, semaphore_room, packet_room, giver_room;
	uint32_t lock_count, piece_count, task_count, end_count, stream_count, core_count, agent_count, block_count;
	uint32_t lock_room, piece_room, task_room, end_room, stream_room, core_room, agent_room, block_room;
	struct aie_host host;
	uint32_t host_agent;
	uint32_t written[AIE_NET_DESCRIPTORS]; /* per descriptor of a shim: the task that it holds */
	/* State of the run. */
	struct aie_queue queue;     /* agents: cores, then streams, then the host */
	uint64_t now, events, last; /* last: the latest end of anything */
	uint32_t buffering;
	uint32_t channel_queue, window; /* tasks per channel that wait; under way in all, 0: as many as there is room for */
	bool polls; /* the host looks for room in a queue before it pushes; else a task behind as many as it takes whose ends the host has not seen, or into the descriptor of one of these, is refused */
	bool lasts; /* nobody takes the end of the host's program for that of the run; else the host has to have seen the end of each task that writes memory */
	uint64_t host_cycles;                    /* that a task takes the host */
	ptowsp_status failed;                    /* of a stream; error has the sentence */
	uint64_t ddr_rate, ddr_clock, ddr_bytes; /* bytes per cycle, 0: no limit; clock in bytes, so that it stays whole */
	void (*told)(void *context, uint32_t agent, const char *what, uint64_t begin, uint64_t end);
	void *told_context;
	ptowsp_status (*stepped)(void *context, uint32_t step, uint64_t begin, uint64_t end); /* sim.h */
	void *stepped_context;
	void (*acquired)(void *context, uint32_t core, const char *fifo, bool puts, uint64_t begin, uint64_t end); /* sim.h */
	void *acquired_context;
	struct ptowsp_error *error;
	jmp_buf *out; /* of whoever makes it; may be NULL */
};

/* ---- making. All return an index. Without memory they leave by net->out; where that is NULL they return AIE_NONE. Names are kept by copy, but fifo's ---------- */

/* The settings that a run's arguments and its device say. */
void aie_net_set(struct aie_net *net, const struct aie_arch *arch, const struct aie_sim_args *args);

/* Zeroed bytes that live as long as the net. */
void *aie_net_memory(struct aie_net *net, uint64_t bytes);
/* From here on bytes of objects and buffers have marks; they take no more than so many in all, each a multiple of 16. false: no memory. */
bool aie_net_marked(struct aie_net *net, uint64_t bytes);
/* Memory of objects, or a buffer. */
uint8_t *aie_net_objects(struct aie_net *net, uint64_t bytes);
uint32_t aie_net_agent(struct aie_net *net, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* count locks, neighbours, over `depth` objects of so many bytes; parts: [count + 1] where each begins, and the end. */
uint32_t aie_net_locks(struct aie_net *net, const char *name, uint64_t depth, uint64_t bytes, uint32_t count, const uint64_t *parts);
/* The sender first, then its receivers; then the stream. lock AIE_NONE: an end in DDR. pieces are given to the last end made. */
uint32_t aie_net_end(struct aie_net *net, const char *fifo, uint32_t agent, bool sends, bool shim, uint64_t delay, uint64_t repeat);
uint32_t aie_net_piece(struct aie_net *net, uint32_t lock, uint32_t lock_count, const struct aie_path *path);
uint32_t aie_net_stream(struct aie_net *net, uint32_t end, uint32_t end_count);
/* The first ends of a stream, so many, are senders; whom their packets reach is said by aie_net_packet, and nobody else hears them. */
void aie_net_senders(struct aie_net *net, uint32_t stream, uint32_t sender_count);
uint32_t aie_net_packet(struct aie_net *net, uint32_t from, uint32_t number, uint32_t to);
uint32_t aie_net_semaphore(struct aie_net *net, const char *name, int64_t value, int64_t most, bool binary);
uint32_t aie_net_giver(struct aie_net *net, uint32_t core, uint32_t semaphore);
/* A descriptor of a chain; its `next` may be set while the net is made. */
uint32_t aie_net_link(struct aie_net *net, const struct aie_piece *piece);
/* The end walks this chain from the beginning on, `times` times where it has an end. */
void aie_net_chain(struct aie_net *net, uint32_t end, uint32_t piece, uint64_t times);
uint32_t aie_net_core(struct aie_net *net, uint32_t agent, struct aie_program program);
/* The core is on this side of the lock. */
void aie_net_joins(struct aie_net *net, uint32_t core, uint32_t lock, enum aie_side side);
/* descriptor: AIE_NONE: one that no other task is written into. */
uint32_t aie_net_task(struct aie_net *net, uint32_t end, uint8_t *base, const struct aie_path *path, uint32_t descriptor, bool token);
/* A task that walks a chain `repeat` times. */
uint32_t aie_net_chain_task(struct aie_net *net, uint32_t end, uint32_t piece, uint32_t repeat, bool token);
uint32_t aie_net_wait(struct aie_net *net, uint32_t end);
/* The host writes a value into 4 bytes (to), or into a semaphore (to NULL). */
uint32_t aie_net_write(struct aie_net *net, uint8_t *to, uint32_t semaphore, int32_t value);
void aie_net_finish(struct aie_net *net);

/* ---- running ------------------------------------------------------------------------------------------------------------------ */

/* Once, from the beginning to where nothing can happen any more. Errors: those of programs; LIMIT after max_events (0: none); CANCELLED; DEADLOCK (sim_stuck.h). */
ptowsp_status aie_net_run(struct aie_net *net, const struct aie_sim_args *args, struct ptowsp_error *error);
/* Stats of a run that ended so, taken before the net goes: sim.c. stats own them. Errors: NO_MEMORY. */
ptowsp_status aie_sim_stats_take(const struct aie_net *net, ptowsp_status ended, struct aie_sim_stats *stats, struct ptowsp_error *error);

/* ---- between the files of the simulator ---------------------------------------------------------------------------------------- */

/* Cycle in which this side sees `count` objects more than it began with; AIE_NEVER: nobody knows yet. */
uint64_t aie_lock_ready(const struct aie_lock *lock, enum aie_side side, uint64_t count);
/* This side is done with its oldest object, which the other one sees from `seen` on, and is woken for. */
void aie_lock_done(struct aie_net *net, uint32_t lock, enum aie_side side, uint64_t seen);
/* Takes, or (false) waits: *when_out the cycle in which to ask again, AIE_NEVER: when somebody gave. */
bool aie_semaphore_take(struct aie_net *net, const struct aie_net_hold *hold, uint32_t waiter, uint64_t *when_out);
/* The agent waited from `since` on, and has now what it waited for: is counted, and told. */
void aie_semaphore_waited(struct aie_net *net, uint32_t semaphore, uint32_t agent, uint64_t since);
/* false: no memory. */
bool aie_semaphore_give(struct aie_net *net, const struct aie_net_hold *hold, uint64_t seen);
/* All that was given counts. Errors: KERNEL_FAILED: more than a lock counts; aie_semaphore_take sets net->failed to that, too. */
ptowsp_status aie_semaphores_see(struct aie_net *net);
/* The semaphore's value if all that was given were seen. */
int64_t aie_semaphore_sum(const struct aie_semaphore *semaphore);
/* Place of an object. Most depths are powers of two, and a division is dear. */
static inline uint64_t aie_lock_slot(const struct aie_lock *lock, uint64_t number)
{
	return lock->mask ? number & lock->mask : lock->depth == 1 ? 0 : number % lock->depth;
}
static inline uint8_t *aie_lock_object(const struct aie_lock *lock, uint64_t number)
{
	return lock->base + aie_lock_slot(lock, number) * lock->stride;
}
/* The mark of a byte; NULL: it has none. */
static inline uint8_t *aie_net_mark(const struct aie_net *net, const uint8_t *at)
{
	const uint64_t into = (uint64_t)(at - net->objects);

	return net->objects && into < net->marks ? net->objects + net->marks + into : NULL;
}
static inline uint32_t aie_agent_stream(const struct aie_net *net, uint32_t stream)
{
	return net->core_count + stream;
}
static inline uint32_t aie_agent_host(const struct aie_net *net)
{
	return net->core_count + net->stream_count;
}
/* At `time` or before. */
static inline void aie_net_wake(struct aie_net *net, uint32_t queued, uint64_t time)
{
	if (time < aie_queue_time(&net->queue, queued))
		aie_queue_set(&net->queue, queued, time);
}
static inline void aie_net_tell(struct aie_net *net, uint32_t agent, const char *what, uint64_t begin, uint64_t end)
{
	if (net->told && end > begin)
		net->told(net->told_context, agent, what, begin, end);
}
void aie_stream_begin(struct aie_net *net, uint32_t stream);
void aie_stream_run(struct aie_net *net, uint32_t stream);
/* The lock that the end waits for was given. */
void aie_stream_wake(struct aie_net *net, uint32_t end);
/* The end was given a task. */
void aie_stream_given(struct aie_net *net, uint32_t end);
ptowsp_status aie_core_run(struct aie_net *net, uint32_t core);
void aie_core_wake(struct aie_net *net, uint32_t core);
void aie_host_begin(struct aie_net *net);
ptowsp_status aie_host_run(struct aie_net *net);
/* Waits without an end have lasted until now, in figures and in what is told. */
void aie_core_stands(struct aie_net *net, uint32_t core);
void aie_stream_stands(struct aie_net *net, uint32_t stream);
void aie_host_stands(struct aie_net *net);
/* Behind a run that ended: INVALID for a store whose end the host's program did not see, unless the net lasts. */
ptowsp_status aie_host_saw(const struct aie_net *net);
/* A task is done from `time` on. */
void aie_host_told(struct aie_net *net, uint32_t task, uint64_t time);

/* Agents that wait for each other: looks at a net in which nothing happens any more. OK: all is done that anybody asked for. A host that waits, or tasks that are not done, or, where there is no host's
 * sequence, a core that waits: DEADLOCK with one sentence, the ring first. */
ptowsp_status aie_stuck_look(const struct aie_net *net, struct ptowsp_error *error);
/* Waiting agents, and a ring of them; into zeroed stats, owned by them. false: no memory. */
bool aie_stuck_list(const struct aie_net *net, struct aie_sim_stats *stats);

#endif
