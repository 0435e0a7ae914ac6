/* SPDX-License-Identifier: MIT */
/* graph_own.h - what the files of the virtual graph share. */
#ifndef AIE_GRAPH_OWN_H
#define AIE_GRAPH_OWN_H

#include "aie/graph/aie_graph.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_grow.h"

enum { AIE_PACK_LOADS = 1, AIE_PACK_STORES = 2, AIE_PACK_USES = 4 /* loads of each place among arguments */ };
/* The label that tells streams apart while they are made. */
struct aie_label {
	uint8_t kind;
	uint32_t from, to;             /* cells; to: of several, place of their set, else the cell */
	uint32_t channel, kernel, use; /* of LOAD: who reads it; else AIE_NOTHING */
	uint64_t ends;                 /* of PASS: its set, hashed */
	struct aie_shape shape;
};
/* The place in its cell of a version, or of elements kept from memory. */
struct aie_home {
	bool there;
	bool object;     /* in the object that is open on a stream, which leaves when the chain ends */
	uint32_t number; /* buffer or stream */
	uint32_t left;   /* reads to come */
};
struct aie_maker {
	struct aie_graph *graph;
	const struct aie_graph_args *args;
	struct ptowsp_error *error;
	jmp_buf out;               /* whatever fails while the graph is made leaves by it */
	ptowsp_status status;      /* why it was left; OK: there was no memory */
	struct common_arena arena; /* of tables that have their length from the beginning; leaves by `out` */
	struct aie_label *labels;  /* per stream */
	uint32_t label_room;
	struct aie_home *homes; /* per version */
	struct aie_home *kept;  /* per use: its first reader's, of what is read again */
	uint32_t *again;        /* per use: the first use in its cell that reads the same of memory, itself if it is the first */
	uint32_t *again_count;  /* per use: of the first: how many */
	uint32_t *ends_first;   /* per version: cells that read it besides its own, sorted: */
	uint32_t *ends;         /*   from ends_first[v] to ends_first[v + 1] */
	uint32_t *takers;       /* per act: of SEND, the cell that takes the token, AIE_NOTHING: nobody does; of TAKE, who sent it */
	uint32_t *
		credit; /* per act: of TAKE: the SEND that goes on when it is done with; of SEND: the TAKE that it waits for; AIE_NOTHING: the stream sees to that */
	uint32_t *
		credit_job; /* per act: of TAKE: the job of its word, where one end is the host's; of one by the host that comes before its SEND until then: the job + 1 that the word comes behind */
	uint32_t *token_job; /* per act: of SEND by the host: its job */
	uint32_t *rooms;     /* per channel: tokens that each of its streams has to be able to hold, and no more of them unless words see to that */
	uint8_t *words;      /* per channel: they do */
	uint8_t *pack;       /* per cell: AIE_PACK_x */
	bool one_store;      /* cells store by one stream each, so that memory tiles can join them */
	uint64_t *lasts;     /* per cell: its latest task + 1 */
	uint64_t *known;     /* per cell and other cell: up to which task + 1 of the other one it knows that they have ended */
	uint64_t *steps;     /* frames x cells: per frame, latest tasks + 1 of each cell when its step began */
	uint64_t *frames;    /* per frame: the number of its first task */
	uint64_t *gate;      /* cells: latest tasks + 1 that all later ones follow */
	bool gated;          /* there are such */
	uint32_t frame_count, frame_room, step_room;
	uint64_t tasks;    /* so far */
	uint32_t *cell_of; /* per task */
	uint32_t *ordinal; /* per version that other cells read: its object's number in their stream */
	uint32_t *taken;   /* per end of a stream: objects that it has taken */
	uint32_t taken_room;
	uint32_t *reader;       /* per version: the last use of its own cell that reads it, AIE_NOTHING */
	uint32_t *free_buffers; /* numbers */
	uint32_t free_count, free_room;
};
/* aie_graph.c: leaves with this status, whose sentence the error has; unless there was memory. Nothing that is called with a maker returns where something failed. */
_Noreturn void aie_maker_leave(struct aie_maker *maker, ptowsp_status status);
void aie_maker_memory(struct aie_maker *maker, bool there);
/* Room for one more in an array of the graph or the maker. */
#define AIE_MAKER_GROW(maker, array, room, count) aie_maker_memory((maker), COMMON_GROW((array), (room), (count)))
/* A line at the end of a cell. */
void aie_maker_line(struct aie_maker *maker, uint32_t cell, struct aie_line line);
/* The end of a stream is the last one. */
void aie_maker_stream_end(struct aie_maker *maker, uint32_t end);
/* graph_know.c: what has to be known of later acts before the first line. */
void aie_maker_know(struct aie_maker *maker);
/* Do two uses that read find the same elements of the same writes? */
bool aie_maker_reads_same(const struct aie_maker *maker, uint32_t a, uint32_t b);
void aie_maker_finish(struct aie_maker *maker);
/* graph_act.c: the lines of an act. Errors: UNSUPPORTED. */
void aie_maker_act(struct aie_maker *maker, uint32_t number);
/* Behind all acts of a cell, `last` is the last of them: where nothing leaves it after its last call, a word does, so that the host knows that it is over. */
void aie_maker_end(struct aie_maker *maker, uint32_t cell, uint32_t last);
/* graph_gate.c: what orders tasks that touch nothing of each other's. Of an act that orders; before the lines of a call. */
void aie_gate_act(struct aie_maker *maker, const struct aie_act *act);
void aie_gate_call(struct aie_maker *maker, const struct aie_act *act);
/* Behind a call. */
void aie_gate_called(struct aie_maker *maker, const struct aie_act *act);
void aie_gate_restart(struct aie_maker *maker);
/* graph_bound.c: behind the lines of a call, whose first one is `line` of its cell and whose jobs begin with `job`: words by which the host lets it begin, or sees that it has
 * ended, where nothing else does. */
void aie_bound_words(struct aie_maker *maker, uint32_t number, uint32_t line, uint32_t job);
/* The stream of words of a cell to or from the host, packed with its other loads or stores where those are. Elements that leave have streams of their own: an object of them may
 * be open from one act to a later one. */
uint32_t aie_word_stream(struct aie_maker *maker, uint32_t cell, bool stores);
/* A word for an act of the cell, acquired and released before its line `at`. */
void aie_word_add(struct aie_maker *maker, uint32_t act, uint32_t at, bool stores);
/* graph_credit.c: capacities of channels. know: before the first line. */
void aie_credit_know(struct aie_maker *maker);
/* Before the lines of SEND: it waits for the word of an earlier TAKE. */
void aie_credit_wait(struct aie_maker *maker, uint32_t send);
/* The job of SEND, where the host sends. */
void aie_credit_sent(struct aie_maker *maker, uint32_t send, uint32_t job);
/* Before the lines of TAKE, and behind them: its word, at whichever place it belongs. after: of the host's: a job + 1 that its own comes behind, 0: none. */
void aie_credit_give(struct aie_maker *maker, uint32_t take, bool before, uint32_t after);
/* graph_stream.c: the stream with this label, made where there is none. */
uint32_t aie_maker_stream(struct aie_maker *maker, const struct aie_label *label, const uint32_t *ends, uint32_t end_count);
/* graph_share.c: loads of different cells that bring the same in the same order become one. */
void aie_graph_share(struct aie_maker *maker);
/* graph_job.c: what has to be over before each job. */
void aie_graph_jobs(struct aie_maker *maker);
/* graph_group.c: has the host more ends of streams than shims have channels? */
bool aie_graph_crowded(const struct aie_maker *maker);
/* If it has: streams become members of groups, and their jobs those of wholes. Errors: UNSUPPORTED where it still has. */
void aie_graph_group(struct aie_maker *maker);
/* graph_task.c: which jobs become one task of the host, in which order, and what fills the rest of their objects. */
void aie_graph_tasks(struct aie_maker *maker);

#endif
