/* SPDX-License-Identifier: MIT */
/* body_code.h - the compiled form of a body: instructions over registers, and tables for what does not fit into one. */
#ifndef AIE_BODY_CODE_H
#define AIE_BODY_CODE_H

#include "aie/ir/body.h"

enum aie_code {
#define INTEGER(op, name, cost, value) AIE_CODE_##op,
#define FLOAT(op, name, cost, value)   AIE_CODE_##op,
#define COMPARE(op, number, value)     AIE_CODE_##op,
#define ELEMENT(kind)                  AIE_CODE_LOAD_##kind, AIE_CODE_STORE_##kind,
#define PLAIN(op)                      AIE_CODE_##op,
#include "aie/ir/body.def"
};
union aie_register {
	int64_t i;
	float f;
	uint8_t *p; /* first element of a memref */
};
struct aie_ins {
	uint16_t code, cost;
	uint32_t d, a, b, c; /* registers of the frame, or as body.def says */
};
/* Element of a memref: where, and between which bounds. */
struct aie_access {
	uint32_t rank, at[AIE_DIMS];
	int64_t dims[AIE_DIMS], strides[AIE_DIMS]; /* bytes */
};
/* A window: its offsets that are registers, each below `dims`. */
struct aie_window {
	struct aie_access moving;
	int64_t offset; /* bytes, of the others */
};
struct aie_copy {
	struct aie_path from, to;
	uint64_t elements;
};
struct aie_body_port {
	uint32_t lock, count;
	uint32_t fifo; /* in fifo_rows; AIE_NONE: lock */
	enum aie_side side;
};
/* Registers of arguments, then of results, stand in register_rows from `first` on. A callee's frame begins behind its caller's, with the arguments. */
struct aie_call {
	const struct aie_function *function;
	uint32_t number; /* of the function */
	uint32_t owner;  /* the function that calls; AIE_NONE: the core */
	uint32_t first, arguments, results;
	uint32_t frame, entry; /* registers of the caller; first instruction of the callee */
};
struct aie_frame {
	uint32_t pc, call, base;
};
struct aie_body {
	struct aie_ins *code_rows;
	uint32_t *line_rows; /* of each instruction */
	union aie_register *number_rows;
	struct aie_access *access_rows;
	struct aie_window *window_rows;
	struct aie_copy *copy_rows;
	struct aie_body_port *port_rows;
	struct aie_body_fifo *fifo_rows;
	struct aie_call *call_rows;
	uint32_t *register_rows;
	void **block_rows;
	uint32_t code_count, line_count, number_count, access_count, window_count, copy_count, port_count, fifo_count, call_count, register_count, block_count;
	uint32_t code_room, line_room, number_room, access_room, window_room, copy_room, port_room, fifo_room, call_room, register_room, block_room;
	const struct aie_body_outside *outside;
	/* State of the run. */
	union aie_register *file; /* [size]: all frames */
	uint32_t size, pc, base;
	struct aie_frame *stack;
	uint32_t depth;
	uint32_t wanted, wanted_count; /* registers that the objects of the last acquire go to */
	uint32_t wanted_fifo;          /* of those objects; AIE_NONE: the net says */
	void **memrefs;                /* of the kernel that is called, per argument */
	uint64_t *scalars, *results;
	uint64_t instructions;
};

/* ---- between compiling and memory ----------------------------------------------------------------------------------- */

struct aie_body_maker {
	struct aie_body *body;
	const struct aie_op *core;
	uint32_t *places; /* [value_count]: register of each value */
	uint32_t value_count;
	const struct aie_op *function; /* at hand: func.func or aie.core */
	uint32_t owner, frame;         /* its number and its registers so far */
	uint64_t kept, most;           /* bytes of memref.alloca that are there, and that were at once */
	uint64_t allocated;            /* by all operations of all functions */
	struct aie_body_function {
		uint32_t entry, frame, need, depth; /* need: with what it calls */
		uint64_t stack, below;              /* bytes that it allocates at once, with what it calls; the most of these */
		uint32_t call, last, caller;        /* its calls, of which those before `call` were looked at; by way of whom it is looked at */
		bool wanted, busy;
	} * functions;           /* [functions of the design + 1]: the last one is the core */
	uint32_t *queue, queued; /* [functions of the design]: those that are wanted, as they were met */
	struct aie_body_label {
		const struct aie_op *block;
		uint32_t at;
	} * labels, *jumps; /* [AIE_BODY_BLOCKS], of the function at hand: where a block begins, which instruction goes to one */
	uint32_t label_count, jump_count;
	struct ptowsp_error *error;
};
/* Index of a new zeroed row; AIE_NONE: no memory. */
uint32_t aie_body_row(void **rows, uint32_t *count, uint32_t *room, size_t size);
#define AIE_BODY_ROW(body, row) aie_body_row((void **)&(body)->row##_rows, &(body)->row##_count, &(body)->row##_room, sizeof(*(body)->row##_rows))
ptowsp_status aie_body_no_memory(struct aie_body_maker *maker);
ptowsp_status aie_body_emit(struct aie_body_maker *maker, const struct aie_op *op, struct aie_ins ins);
/* The first of so many new registers. */
uint32_t aie_body_registers(struct aie_body_maker *maker, uint32_t count);
uint32_t aie_body_place(struct aie_body_maker *maker, const struct aie_value *value);
/* load, store, alloc, dealloc, subview, view, copy. *known_out: it was one. */
ptowsp_status aie_body_memory(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out);
/* INVALID where the core allocates more at once than its stack has. */
ptowsp_status aie_body_stack(struct aie_body_maker *maker, uint64_t bytes);
/* Blocks, branches, scf.while, locks and fifos of arrays: body_block.c. */
ptowsp_status aie_body_blocks(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out);
/* Jumps of the function at hand go to where its blocks begin. */
ptowsp_status aie_body_jumps(struct aie_body_maker *maker);
/* body.c: an operation, all of a region; values moved at once; an attribute of this kind. */
ptowsp_status aie_body_region(struct aie_body_maker *maker, const struct aie_region *region);
ptowsp_status aie_body_moves(struct aie_body_maker *maker, const struct aie_op *op, struct aie_value *const *from, struct aie_value *const *to, uint32_t count);
/* Three instructions: the operand is compared with a number in the two registers from `scratch` on, and where it is not that the third one jumps. */
ptowsp_status aie_body_case(struct aie_body_maker *maker, const struct aie_op *op, int64_t number, uint32_t scratch);
/* arith. */
ptowsp_status aie_body_arith(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out);

#endif
