/* SPDX-License-Identifier: MIT */
/* core_kernel.h - a prepared kernel: instructions as moves on pipes. Built by create in this order: core_side.c, core_limit.c,
 * core_inst.c; core_pipe.c executes. */
#ifndef ASCEND_CORE_KERNEL_H
#define ASCEND_CORE_KERNEL_H

#include "ascend/core/core.h"
#include "rt/program/rt_error.h"

/* The two cores of a kernel. */
enum ascend_side { ASCEND_ON_VECTOR = 1, ASCEND_ON_CUBE = 2 };

/* Times of an execution, in a row: the pipes, then ASCEND_TIMES per tile, then ASCEND_TIMES_PARAM per parameter. Each only grows. */
enum { /* of a tile: there on the vector core, read there for the last time, the same on the cube core, in global memory */
       ASCEND_THERE_VECTOR,
       ASCEND_READ_VECTOR,
       ASCEND_THERE_CUBE,
       ASCEND_READ_CUBE,
       ASCEND_BETWEEN,
       ASCEND_TIMES
};
enum { ASCEND_LOADED, ASCEND_STORED, ASCEND_TIMES_PARAM }; /* of a parameter */
#define ASCEND_NO_TILE UINT32_MAX

/* One thing that one pipe does. It begins when the pipe is free, the scalar pipe has come there and all times that it waits for have
 * passed; its end is the pipe's new time and that of what it sets. */
struct ascend_move {
	uint64_t cycles;
	uint32_t wait, room, set; /* the first of each in kernel->times; room: until the place of what it writes is free */
	uint16_t waits, rooms, sets;
	uint8_t pipe;  /* ASCEND_PIPE_COUNT: a barrier */
	uint8_t lacks; /* done only while `tile` is not there: ASCEND_ON_VECTOR, ASCEND_ON_CUBE, 0 always */
	uint8_t makes; /* where `tile` is there from now on; ASCEND_ONLY: and nowhere else */
	uint32_t tile;
};
enum { ASCEND_ONLY = 4 };

struct ascend_kernel {
	const struct isa_program *program;
	const struct ascend_arch *arch;
	const struct ptowsp_tile_inst *insts;
	const struct ptowsp_tile_tile *tiles;
	uint32_t inst_count, tile_count, param_count;
	unsigned unit;
	uint32_t vectors; /* vector cores that share its vector work */
	bool has_product, has_vector;

	uint8_t *sides; /* per tile where it is needed: enum ascend_side */
	uint8_t *made;  /* per tile where it is written */
	uint8_t *at;    /* per instruction the side that does it; 0: scalar */
	uint8_t *homes; /* per tile the memories it lies in: bits 1 << enum ascend_memory */
	uint64_t need[ASCEND_MEMORY_COUNT];
	uint32_t *places[ASCEND_MEMORY_COUNT]; /* per tile where it lies; NULL: there is a place for each alone */

	struct ascend_move *moves;
	uint32_t *first;    /* per instruction its first move; first[inst_count] is behind the last */
	uint32_t *times;    /* lists of the moves */
	uint32_t *rooms[2]; /* per tile its list in times, and behind it: on the vector core, on the cube core; while moves are made */
	uint32_t move_count, move_room, time_count, time_room;
	bool failed; /* no memory for one of them */
};

static inline uint64_t ascend_tile_bytes(const struct ascend_kernel *k, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &k->tiles[tile];

	return (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}
static inline uint32_t ascend_tile_time(uint32_t tile, unsigned which)
{
	return ASCEND_PIPE_COUNT + tile * ASCEND_TIMES + which;
}
static inline uint32_t ascend_param_time(const struct ascend_kernel *k, uint32_t param, unsigned which)
{
	return ASCEND_PIPE_COUNT + k->tile_count * ASCEND_TIMES + param * ASCEND_TIMES_PARAM + which;
}
static inline uint32_t ascend_time_count(const struct ascend_kernel *k)
{
	return ascend_param_time(k, k->param_count, 0);
}

/* The class of an instruction on a machine. */
enum ascend_role {
	ASCEND_ROLE_SCALAR,    /* control and scalars; tassign */
	ASCEND_ROLE_SCALAR_GM, /* LOAD, STORE */
	ASCEND_ROLE_ELEMENT,   /* getval, setval: the scalar pipe in a tile */
	ASCEND_ROLE_BARRIER,
	ASCEND_ROLE_LOAD,
	ASCEND_ROLE_STORE,
	ASCEND_ROLE_GATHER,  /* mgather */
	ASCEND_ROLE_SCATTER, /* mscatter */
	ASCEND_ROLE_PRODUCT,
	ASCEND_ROLE_SHAPE, /* goes with its result: ttrans, treshape, tmov, textract, texpands */
	ASCEND_ROLE_VECTOR
};
enum ascend_role ascend_role(const struct ptowsp_tile_inst *inst);
/* Position among the tiles that a product reads: its factors, scales and bias, or what it adds to. */
bool ascend_is_sum(const struct ptowsp_tile_inst *inst, unsigned read);

/* core_side.c: fills has_product, has_vector, unit, vectors, sides, at. */
ptowsp_status ascend_kernel_sides(struct ascend_kernel *kernel, unsigned unit);
/* core_limit.c: fills homes, need, places. */
ptowsp_status ascend_kernel_limits(struct ascend_kernel *kernel, const char *name, struct ptowsp_error *error);
/* core_inst.c: fills moves, first, times. */
ptowsp_status ascend_kernel_moves(struct ascend_kernel *kernel);

#endif
