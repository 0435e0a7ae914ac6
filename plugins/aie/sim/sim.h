/* SPDX-License-Identifier: MIT */
/* sim.h - runs a design: what it computes and, by a model, when. Discrete events over agents with a clock each: cores, DMA channels, the host. One thread;
 * deterministic. Every constant of the model stands in aie_cost.def with its source. */
#ifndef AIE_SIM_H
#define AIE_SIM_H

#include "aie/design/design.h"
#include "aie/place/route.h"
#include "base/patience.h"

/* A core's call of a function by name. */
struct aie_sim_call {
	const struct aie_function *function;
	uint32_t core;           /* of the design */
	uint64_t at;             /* cycle in which it begins */
	void *const *memrefs;    /* per argument of the function: the address of its first element, of a memref */
	const uint64_t *scalars; /* per argument: its bits, of a scalar */
	uint64_t *results;       /* per result: its bits, zeros before the call; only cores of other people's arrays call for results */
};
struct aie_sim_kernels {
	void *context;
	/* Runs it: elements of an inner view lie strides apart, as the function's type says. cycles_out: of the whole call, by the model. Errors: UNSUPPORTED "no model for
	 * kernel X" where nobody knows it. */
	ptowsp_status (*call)(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error);
	void (*begin)(void *context, uint32_t buffering); /* NULL, or told before a run, of which aie_sim_both does two */
};
struct aie_sim_args {
	const struct aie_design *design;
	const struct aie_routes *routes; /* of aie_design_flows: one per fifo that moves, in their order; NULL: each stream goes the shortest way */
	bool counted;                    /* no bytes of the host move, there need not be any */
	void *const *arguments;          /* of the sequence: memory of the host, row major, written where the design writes it */
	struct aie_sim_kernels kernels;
	uint32_t buffering;              /* words that a stream holds per receiver: 0 or 8 */
	uint32_t queue;                  /* most tasks of the host under way, 0: as many as the channels' queues take */
	bool polls;                      /* the host looks for room in a channel's queue before it pushes a task; else what the device would drop is INVALID */
	uint64_t host_cycles;            /* that the host takes to hand over a task; 0: the model's */
	uint64_t max_events;             /* 0: as many as it takes */
	const volatile uint32_t *cancel; /* not 0: end; may be NULL */
	struct base_patience *patience;  /* NULL: any. When it is over the run ends with any error */
	/* NULL, or told of each stretch of work in the order of its end: agent as in stats, what is PTOWSP-free text. */
	void (*told)(void *context, uint32_t agent, const char *what, uint64_t begin, uint64_t end);
	void *told_context;
	/* NULL, or told of each step of the sequence when the host is done with it: a task is handed over, a token has come. Not PTOWSP_OK ends the run with that. */
	ptowsp_status (*stepped)(void *context, uint32_t step, uint64_t begin, uint64_t end);
	void *stepped_context;
	/* NULL, or told of a core that waited for objects of a fifo: core of the design, fifo by its name's address there, puts: for free places of it. */
	void (*acquired)(void *context, uint32_t core, const char *fifo, bool puts, uint64_t begin, uint64_t end);
	void *acquired_context;
};
struct aie_sim_agent {
	const char *name;            /* "core (0,2)", "dma (0,0) MM2S 1", "host" */
	uint64_t busy, blocked, end; /* cycles */
	uint64_t objects;            /* that it was done with */
};
/* Somebody who waits when nothing can happen any more. */
struct aie_sim_wait {
	uint32_t agent, other; /* agents; other: whom for, AIE_NONE: nobody will ever do it */
	const char *fifo;      /* "": a token, or room for a task */
	uint64_t held, wanted; /* objects, or words where `words` */
	bool words, sends;     /* sends: it has the words, and nobody takes them */
};
/* Waits of an agent for a lock of the array: how often, and how long in all. */
struct aie_sim_waited {
	uint32_t agent;
	const char *lock;
	uint64_t times, cycles;
};
struct aie_sim_stats {
	uint64_t cycles; /* when all was over, without the launch */
	uint64_t events;
	struct aie_sim_agent *agents;
	uint32_t agent_count;
	uint32_t bottleneck; /* agent that was busy longest */
	uint64_t ddr_bytes;
	struct aie_sim_wait *waits; /* of a deadlock: all who wait; ring: of some of them, each for the next, the last for the first */
	uint32_t wait_count;
	struct aie_sim_waited *waited; /* also of a run that ended; lock by lock */
	uint32_t waited_count;
	uint32_t *ring; /* agents */
	uint32_t ring_count;
};
/* stats: zeroed or finished; they own their names. Errors: UNSUPPORTED, kernels' own, CANCELLED, DEADLOCK with the agents that wait, their fifo, the tokens held and wanted, and the ring they
 * form, NO_MEMORY. stats are filled as far as it came. */
ptowsp_status aie_sim_run(const struct aie_sim_args *args, struct aie_sim_stats *stats, struct ptowsp_error *error);
void aie_sim_finish(struct aie_sim_stats *stats);
/* Copies of the arguments that a design writes: before it is run twice, and behind the first time. */
struct aie_sim_copies {
	void **before, **after; /* per argument */
	uint64_t *sizes;        /* bytes of each; 0: none is needed */
	uint32_t count;
};
/* Room for those of the arguments that are not NULL, owned. bounded: somebody else looks whether it is too much. Errors: TOO_BIG with the bytes that it takes, also where the machine has not so
 * many, NO_MEMORY; finish accepts what is there. */
ptowsp_status aie_sim_copies_make(struct aie_sim_copies *copies, const struct aie_design *design, void *const *arguments, bool bounded,
				  struct ptowsp_error *error);
void aie_sim_copies_finish(struct aie_sim_copies *copies);
/* With 0 words of buffering (stats[0]) and with 8 (stats[1]): *depends_out where one of them is a deadlock and the other is not, or the arguments end up different. What
 * the arguments hold then, `told`, `stepped`, and the status are of the run with 8. copies: of these arguments. stats: zeroed or finished. Errors: those of aie_sim_run. */
ptowsp_status aie_sim_both(const struct aie_sim_args *with, const struct aie_sim_copies *copies, struct aie_sim_stats stats[2], bool *depends_out,
			   struct ptowsp_error *error);

#endif
