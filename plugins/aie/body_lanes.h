/* SPDX-License-Identifier: MIT */
/* body_lanes.h - loops whose rounds do not meet: 64 rounds are run at once, an instruction for all of them before the next one, so that each is a loop over rows of numbers. Results and cycles are
 * those of one round after the other: where that is not sure (places that overlap, an index that is outside) the loop is run as any other one. */
#ifndef AIE_BODY_LANES_H
#define AIE_BODY_LANES_H

#include "body_code.h"

enum { AIE_LANES = 64, AIE_LANES_DEPTH = 2 }; /* rounds at once; loops in each other within a round */
/* How a register is kept: integers of at most 32 bits, of more, floats. */
enum aie_lane_kind { AIE_LANE_NONE, AIE_LANE_I32, AIE_LANE_I64, AIE_LANE_F32, AIE_LANE_F64 };
enum aie_lane_kind aie_lane_kind(const struct aie_type *type);

/* A column: one register in all rounds. */
union aie_column {
	int32_t i32[AIE_LANES];
	int64_t i64[AIE_LANES];
	float f32[AIE_LANES];
	double f64[AIE_LANES];
};
struct aie_lane_state;
struct aie_lane_ins;
typedef void aie_lane_run(const struct aie_lane_ins *in, struct aie_lane_state *state);
/* Columns d, a, b, c; a load's or store's place is accesses[b]. Without run: a loop within a round begins (d is 0) or ends: its number is a, its other end b. */
struct aie_lane_ins {
	aie_lane_run *run;
	uint32_t d, a, b, c;
	uint32_t shift;    /* of an integer in its column */
};
/* A load or store. What is behind `store` is found when the loop begins. */
struct aie_lane_access {
	uint32_t access, memref;   /* row; register */
	uint32_t bytes;            /* of an element */
	uint32_t loops[AIE_DIMS];  /* whose counter an index is: 0 the rounds; AIE_NONE: a register that is the same in all */
	bool store;
	uint8_t *at;               /* of the first round */
	int64_t lane, inner[AIE_LANES_DEPTH]; /* from round to round, bytes */
	int64_t span;              /* bytes that all rounds reach */
};
/* A loop within a round: registers as FOR and NEXT have them. */
struct aie_lane_loop {
	uint32_t counter, from, to, step;
	uint32_t parent, depth;    /* the loop around it, 0: the rounds; loops between them */
	uint32_t column;           /* of its counter, AIE_NONE: nobody asks */
	enum aie_lane_kind kind;
	uint64_t cost, count;      /* of one turn: cycles and instructions, without loops in it */
	uint64_t trips, turn;      /* found when the loop begins; at hand */
};
/* A register that is the same in all rounds, as a column; or one that must not be 0. */
struct aie_lane_splat {
	uint32_t from, column;
	enum aie_lane_kind kind;
};
struct aie_lanes {
	uint32_t first, count;            /* of lane_ins rows */
	uint32_t access, access_count;    /* of lane_access rows */
	uint32_t loop, loop_count;        /* of lane_loop rows: [0] is the loop itself */
	uint32_t splat, splat_count;      /* of lane_splat rows */
	uint32_t divisor, divisor_count;  /* of register rows: not 0 */
};
/* What runs an instruction; NULL: one round after the other. kinds: of d, a and b. shift_out: as above. */
aie_lane_run *aie_lane_find(const struct aie_ins *in, enum aie_lane_kind d, enum aie_lane_kind a, uint32_t *shift_out);
aie_lane_run *aie_lane_move(uint16_t code); /* of LOAD and STORE */
bool aie_lane_stores(aie_lane_run *run);
/* What does a product, then this code with it as b and column c as a; NULL: nothing does. */
aie_lane_run *aie_lane_join(aie_lane_run *product, uint16_t code);
/* Whether a code is LOAD or STORE; what its column is and how many bytes it has in memory. */
bool aie_lane_element(uint16_t code, bool *store_out, enum aie_lane_kind *kind_out, uint32_t *bytes_out);

struct aie_lane_state {
	union aie_column *columns;
	const struct aie_lane_access *accesses;
	const struct aie_lane_loop *loops;
	uint32_t n, padded;               /* rounds at hand; a multiple of 8 */
	uint64_t begin;                   /* the first of them */
	uint64_t turn[AIE_LANES_DEPTH];   /* of loops by their depth */
};

/* Between FOR at code_rows[head] and NEXT at code_rows[next], of a loop that carries nothing: lanes, if it can be run so. Errors: NO_MEMORY. */
ptowsp_status aie_body_lanes(struct aie_body_maker *maker, uint32_t head, uint32_t next);
/* Runs all rounds; false: nothing was done. Adds what it costs and how many instructions it was. */
bool aie_lanes_run(struct aie_body *body, struct aie_lanes *lanes, const union aie_register *r, uint64_t *cycles, uint64_t *done, uint64_t *turns_out);

#endif
