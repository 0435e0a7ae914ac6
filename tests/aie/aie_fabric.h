/* SPDX-License-Identifier: MIT */
/* aie_fabric.h - the switches of AMD's arrays once more, for tests: what the manual says, written without plugins/aie/aie_arch.c; whether routes are legal; designs that
 * have routes because those were drawn first. */
#ifndef PTOWSP_TESTS_AIE_FABRIC_H
#define PTOWSP_TESTS_AIE_FABRIC_H

#include "aie/place/route.h"

struct fabric_random {
	uint64_t state;
};
uint64_t fabric_draw(struct fabric_random *random, uint64_t below);

/* Sides and bundles by their numbers in the dialect. Ports out of a switch (masters) and into it (slaves) at a tile of an array with so many columns; shims' South
 * ports are those of the mux. */
uint32_t fabric_masters(uint32_t columns, int32_t column, int32_t row, int bundle);
uint32_t fabric_slaves(uint32_t columns, int32_t column, int32_t row, int bundle);
bool fabric_connects(uint32_t columns, int32_t column, int32_t row, int in, uint32_t in_channel, int out, uint32_t out_channel);
/* NULL: the routes are legal trees from each flow's source to all of its ends, no port is driven twice, lengths are what they say. Else what is wrong. */
const char *fabric_wrong(const struct aie_arch *arch, const struct aie_flow *flows, uint32_t count, const struct aie_routes *routes);

enum { FABRIC_FLOWS = 256, FABRIC_ENDS = 512 };
struct fabric_design {
	struct aie_flow flows[FABRIC_FLOWS];
	struct aie_port ends[FABRIC_ENDS];
	uint32_t count, end_count;
	uint32_t length; /* wires that the drawn routes take */
	uint32_t wires;  /* that there are between tiles */
};
/* Draws routes until they take percent of the wires or no port is left. windy: 0 draws short ones, 100 any. */
void fabric_plant(struct fabric_design *design, const struct aie_arch *arch, uint32_t percent, uint32_t windy, struct fabric_random *random);
/* Draws as many flows between free ports, whether they have routes or not. */
void fabric_any(struct fabric_design *design, const struct aie_arch *arch, uint32_t flows, struct fabric_random *random);

#endif
