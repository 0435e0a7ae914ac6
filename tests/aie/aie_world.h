/* SPDX-License-Identifier: MIT
 * aie_world.h - a random net of cores, streams and DDR tasks from a seed: as data, as the simulator's net, and (aie_slow.c) run a cycle at a time by itself. */
#ifndef PTOWSP_TESTS_AIE_WORLD_H
#define PTOWSP_TESTS_AIE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "aie/sim/sim_net.h"

enum { WORLD_LOCKS = 64, WORLD_ENDS = 64, WORLD_STREAMS = 32, WORLD_CORES = 6, WORLD_PORTS = 8, WORLD_PARTS = 3, WORLD_STEPS = 128, WORLD_WORDS = 1 << 15 };

/* Neighbours of one pool are parts of its objects; `part` 0 begins a pool. */
struct world_lock {
	uint32_t depth, words, part;
};
struct world_end {
	bool shim;
	uint32_t delay, repeat;
	uint32_t lock, lock_count; /* one after the other */
	uint32_t at;               /* of a shim: next word of DDR, while the world is made */
};
struct world_stream {
	uint32_t end, end_count;
};
struct world_port {
	uint32_t lock, take, give;
	enum aie_side side;
};
struct world_core {
	uint32_t turns, work, port_count;
	struct world_port ports[WORLD_PORTS];
};
/* words 0: a wait for a token. */
struct world_step {
	uint32_t end, at, words;
	bool token;
};
struct world {
	struct world_lock locks[WORLD_LOCKS];
	struct world_end ends[WORLD_ENDS];
	struct world_stream streams[WORLD_STREAMS];
	struct world_core cores[WORLD_CORES];
	struct world_step steps[WORLD_STEPS];
	uint32_t lock_count, end_count, stream_count, core_count, step_count;
	uint32_t ddr_words;
};
/* sound: objects that are given and taken are as many on both sides of each fifo, and none goes back. */
void world_make(struct world *world, uint64_t seed, bool sound);
/* What a core writes. */
uint32_t world_hash(uint32_t hash, uint32_t word);
uint32_t world_value(uint32_t core, uint32_t turn, uint32_t port, uint32_t word, uint32_t hash);
/* Words that DDR begins with. */
void world_ddr(const struct world *world, uint32_t *ddr);

struct world_result {
	ptowsp_status status;
	uint64_t cycles;
	uint64_t objects[WORLD_ENDS], busy[WORLD_CORES], blocked[WORLD_CORES];
};
/* By the simulator. A failure's text in error. */
void world_run(const struct world *world, uint32_t buffering, uint32_t *ddr, struct world_result *result, struct ptowsp_error *error);
/* A cycle at a time, over rows of objects that are never thrown away. */
void world_run_slow(const struct world *world, uint32_t buffering, uint32_t *ddr, struct world_result *result);

#endif
