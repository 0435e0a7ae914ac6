/* SPDX-License-Identifier: MIT */
/* aie_arch.h - AMD's tile arrays as data: npu1 (AIE2) and npu2 (AIE2P) with each number of columns that their tools know. Every number stands in aie_arch.def with its
 * source. Constant, any thread. */
#ifndef AIE_ARCH_H
#define AIE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum aie_kind { AIE_SHIM, AIE_MEMTILE, AIE_CORE, AIE_KINDS };
/* As the dialect counts them (WireBundle); the last two are not in tiles that a design names. */
enum aie_bundle {
	AIE_BUNDLE_CORE,
	AIE_BUNDLE_DMA,
	AIE_BUNDLE_FIFO,
	AIE_BUNDLE_SOUTH,
	AIE_BUNDLE_WEST,
	AIE_BUNDLE_NORTH,
	AIE_BUNDLE_EAST,
	AIE_BUNDLE_PLIO,
	AIE_BUNDLE_NOC,
	AIE_BUNDLE_TRACE,
	AIE_BUNDLE_CONTROL,
	AIE_BUNDLES
};
enum aie_limit {
	AIE_MEMORY, /* bytes */
	AIE_BANKS,
	AIE_PROGRAM, /* bytes of program memory */
	AIE_STACK,   /* bytes of memory that a core keeps for its stack unless it says another number */
	AIE_LOCKS,
	AIE_LOCK_VALUE, /* how many, and the largest that each holds */
	AIE_BDS,
	AIE_DMA_IN,
	AIE_DMA_OUT,   /* channels, S2MM and MM2S */
	AIE_DMA_REACH, /* channels each way that reach the memories to the west and the east, the first ones */
	AIE_DMA_DIMS,
	AIE_DMA_QUEUE,
	AIE_BD_WORDS, /* most 32-bit words of a buffer descriptor */
	AIE_STRIDE_MAX,
	AIE_WRAP_MAX,   /* largest of a descriptor: stride in words, size of a dimension */
	AIE_ITERATIONS, /* most of the outermost repetition */
	AIE_LIMITS
};
struct aie_tile_arch {
	uint64_t limits[AIE_LIMITS];
	uint32_t masters[AIE_BUNDLES]; /* ports out of the switch, per side; those that leave the array are not counted off here */
	uint32_t slaves[AIE_BUNDLES];  /* ports into it */
};
/* A generation. */
struct aie_generation {
	const char *name;                  /* "AIE2" */
	const uint32_t *macs;              /* by type, 0: not known */
	const struct aie_tile_arch *tiles; /* AIE_KINDS */
	uint32_t burst_bytes;              /* most of a shim DMA's burst */
};
struct aie_arch {
	const char *name;       /* "npu1_2col" */
	const char *text;       /* for people */
	int32_t device;         /* value of the dialect's enum */
	uint32_t columns, rows; /* row 0 shims, row 1 memory tiles, from row 2 cores */
	uint64_t clock_hz;      /* of the cores */
	uint32_t ddr_bytes;     /* per cycle, over all shims, reads and writes together */
	const struct aie_generation *generation;
};
enum { AIE_ROWS = 6, AIE_FIRST_CORE = 2, AIE_COLUMNS_MAX = 8 };
const struct aie_arch *aie_arch_list(uint32_t *count_out);
const struct aie_arch *aie_arch_named(const char *name); /* NULL: unknown */
const struct aie_arch *aie_arch_device(int32_t device);  /* NULL: unknown */
bool aie_arch_inside(const struct aie_arch *arch, int32_t column, int32_t row);
enum aie_kind aie_arch_kind(const struct aie_arch *arch, int32_t row);
const struct aie_tile_arch *aie_arch_tile(const struct aie_arch *arch, int32_t row);
/* Bytes of a core tile's memory. */
uint64_t aie_arch_core_bytes(const struct aie_arch *arch);
/* MACs of a core per cycle with factors of this type (PTOWSP_I8, ...); 0: no number is known. */
uint32_t aie_arch_macs(const struct aie_arch *arch, uint32_t dtype);
/* May the core at (column, row) load from and store to the memory of the core tile at (of_column, of_row)? Both may lie outside. */
bool aie_arch_shares(const struct aie_arch *arch, int32_t column, int32_t row, int32_t of_column, int32_t of_row);
/* May the cascade of one core go into the other? */
bool aie_arch_cascades(const struct aie_arch *arch, int32_t column, int32_t row, int32_t to_column, int32_t to_row);
/* May a switch of this kind connect the slave port to the master port? False for channels beyond the counts of the tile. */
bool aie_arch_connects(const struct aie_arch *arch, enum aie_kind kind, enum aie_bundle slave, uint32_t slave_channel, enum aie_bundle master,
		       uint32_t master_channel);
/* The South port of a shim's switch that its mux wires to a DMA or NOC port: a slave for what comes in from there (into), else a master. False: no such port. */
bool aie_arch_mux(enum aie_bundle bundle, uint32_t channel, bool into, uint32_t *south_out);
/* Wires from the switch at (column, row) to its neighbour on a side (SOUTH, WEST, NORTH, EAST): 0 at the edges of the array and sideways of memory tiles. */
uint32_t aie_arch_wires(const struct aie_arch *arch, int32_t column, int32_t row, enum aie_bundle side);
/* The tile behind a side, by column and row added; the side of it that the wires come in at. */
enum aie_bundle aie_arch_step(enum aie_bundle side, int32_t *column, int32_t *row);
/* "DMA", "south"; "core tile", "memory tile", "shim"; "locks", "bytes of memory": for texts. */
const char *aie_arch_bundle_text(enum aie_bundle bundle);
const char *aie_arch_kind_text(enum aie_kind kind);
const char *aie_arch_limit_text(enum aie_limit limit);

#endif
