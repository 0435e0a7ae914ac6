/* SPDX-License-Identifier: MIT */
/* body.h - a core's own loop, which acquires, calls and releases: operations of scf, memref and arith on scalars, of its region and of the functions it calls, compiled once
 * into a row of instructions, run until it needs an object. The caller computes kernels (aie_sim_kernels).
 *
 * Integers are exact; an index has 64 bits. bf16 and f16 are f32 in registers: arithmetic on them is f32's and is not rounded; a store and truncf round to nearest, ties to
 * even (the device's rounding mode is a register whose first value is not known here). f64 is moved and not computed. fptosi and fptoui of what is too large give the nearest
 * there is. Each access is looked at: one outside of its memref, a division by 0 or a step that is not above 0 ends the run. Every instruction costs what aie_cost.def says;
 * constants cost nothing. One thread. */
#ifndef AIE_BODY_H
#define AIE_BODY_H

#include "aie/sim/sim_net.h"

/* An end of a fifo as buffers and locks: who is at it takes from one lock and gives to the other, and goes round its objects. */
struct aie_body_fifo {
	const char *name;
	int64_t port;
	uint32_t take, give, depth; /* semaphores of the net; AIE_NONE: nobody waits */
	uint8_t *const *objects;    /* [depth] */
	uint64_t bytes;             /* of an object */
	uint32_t first, held;       /* of the run */
};
/* Numbers of locks as values of a core: this and the semaphore; smaller ones are what a core calls its neighbours' locks by. */
#define AIE_BODY_LOCK (INT64_C(1) << 32)
/* The surroundings that a core's body uses. */
struct aie_body_outside {
	void *context;
	/* Lock of the fifo's end that this core is, port 0 producer, 1 consumer, whose objects are of this type (NULL: any); AIE_NONE: it
	 * has no such end. */
	uint32_t (*lock)(void *context, const char *fifo, int64_t port, const struct aie_type *object);
	/* Memory of a buffer; NULL: there is none. */
	uint8_t *(*buffer)(void *context, const struct aie_op *op);
	const struct aie_design *design; /* its functions */
	struct aie_sim_kernels kernels;  /* call NULL: none */
	uint32_t core;                   /* of the design */
	const char *who;                 /* core in sentences; NULL: "the core" */
	const uint64_t *now;             /* when what runs was begun; NULL: at 0 */
	const uint64_t *stack;           /* bytes that it may allocate at once, with the functions that it calls; NULL: nobody looks */
	/* The net whose bytes have marks; name: the fifo or buffer that a byte is of. NULL: nobody looks. */
	const struct aie_net *net;
	const char *(*name)(void *context, const uint8_t *at);
	/* For arrays that others wrote; NULL where a design has fifos of its own (lock). fifo: fills name, port and all but the last row; false: the core has no such end.
	 * semaphore: of an aie.lock, AIE_NONE: it is none; local: of a number that a core knows a lock by. gives: told of each lock that the core gives to. */
	bool (*fifo)(void *context, const char *name, int64_t port, struct aie_body_fifo *fifo_out);
	uint32_t (*semaphore)(void *context, const struct aie_op *op);
	uint32_t (*local)(void *context, int64_t number);
	void (*gives)(void *context, uint32_t semaphore);
};
enum { AIE_BODY_BLOCKS = 4096 }; /* most of a core, and of each function */
struct aie_body;
/* Compiles the region of an aie.core. outside stays where it is. Errors: UNSUPPORTED naming operation and line where there is no model of one, a function calls itself; INVALID;
 * NO_MEMORY. */
ptowsp_status aie_body_create(struct aie_body **body_out, const struct aie_op *core, const struct aie_body_outside *outside, struct ptowsp_error *error);
void aie_body_destroy(struct aie_body *body);
/* program.next of the net (sim_net.h). KERNEL_FAILED naming line and reason for what a program must not do. */
ptowsp_status aie_body_next(void *body, void *const *objects, struct aie_ask *ask, struct ptowsp_error *error);
/* Instructions that were run. */
uint64_t aie_body_instructions(const struct aie_body *body);

#endif
