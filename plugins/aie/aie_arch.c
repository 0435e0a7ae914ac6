/* SPDX-License-Identifier: MIT */
/* aie_arch.c - aie_arch.def as tables, and which ports, memories and cascades meet. */
#include <string.h>

#include "aie/aie_arch.h"
#include "ptowsp/ids.h"

static const struct aie_tile_arch tiles[AIE_KINDS] = {
#define LIMIT(kind, limit, value, source)    [AIE_##kind].limits[AIE_##limit] = value,
#define PORTS(kind, bundle, out, in, source) [AIE_##kind].masters[AIE_BUNDLE_##bundle] = out, [AIE_##kind].slaves[AIE_BUNDLE_##bundle] = in,
#include "aie/aie_arch.def"
};

enum {
#define GENERATION(id, name, burst, source) id,
#include "aie/aie_arch.def"
	GENERATIONS
};
enum { DTYPES = PTOWSP_BOOL + 1 };
static const uint32_t macs[GENERATIONS][DTYPES] = {
#define MACS(generation, dtype, value, source) [generation][PTOWSP_##dtype] = value,
#include "aie/aie_arch.def"
};
static const struct aie_generation generations[GENERATIONS] = {
#define GENERATION(id, text, burst, source) [id] = {.name = text, .macs = macs[id], .tiles = tiles, .burst_bytes = burst},
#include "aie/aie_arch.def"
};
static const struct aie_arch archs[] = {
#define DEVICE(id, words, number, width, clock, ddr, of, source)                                                                                               \
	{.name = id, .text = words, .device = number, .columns = width, .rows = AIE_ROWS, .clock_hz = clock, .ddr_bytes = ddr, .generation = &generations[of]},
#include "aie/aie_arch.def"
};

const struct aie_arch *aie_arch_list(uint32_t *count_out)
{
	*count_out = sizeof(archs) / sizeof(*archs);
	return archs;
}

const struct aie_arch *aie_arch_named(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (!strcmp(archs[i].name, name))
			return &archs[i];
	return NULL;
}

const struct aie_arch *aie_arch_device(int32_t device)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (archs[i].device == device)
			return &archs[i];
	return NULL;
}

bool aie_arch_inside(const struct aie_arch *arch, int32_t column, int32_t row)
{
	return column >= 0 && row >= 0 && column < (int32_t)arch->columns && row < (int32_t)arch->rows;
}

enum aie_kind aie_arch_kind(const struct aie_arch *arch, int32_t row)
{
	(void)arch;
	return row <= 0 ? AIE_SHIM : row < AIE_FIRST_CORE ? AIE_MEMTILE : AIE_CORE;
}

const struct aie_tile_arch *aie_arch_tile(const struct aie_arch *arch, int32_t row)
{
	return &arch->generation->tiles[aie_arch_kind(arch, row)];
}

uint64_t aie_arch_core_bytes(const struct aie_arch *arch)
{
	return arch->generation->tiles[AIE_CORE].limits[AIE_MEMORY];
}

uint32_t aie_arch_macs(const struct aie_arch *arch, uint32_t dtype)
{
	return dtype < DTYPES ? arch->generation->macs[dtype] : 0;
}

static bool core_at(const struct aie_arch *arch, int32_t column, int32_t row)
{
	return aie_arch_inside(arch, column, row) && row >= AIE_FIRST_CORE;
}

/* A core sees its own memory and those to the west, the north and the south: model:780-823. */
bool aie_arch_shares(const struct aie_arch *arch, int32_t column, int32_t row, int32_t of_column, int32_t of_row)
{
	if (!core_at(arch, column, row) || !core_at(arch, of_column, of_row))
		return false;
	if (column == of_column)
		return of_row >= row - 1 && of_row <= row + 1;
	return row == of_row && of_column == column - 1;
}

/* Out to the south and the east, in from the north and the west: dialect:1113-1190. */
bool aie_arch_cascades(const struct aie_arch *arch, int32_t column, int32_t row, int32_t to_column, int32_t to_row)
{
	if (!core_at(arch, column, row) || !core_at(arch, to_column, to_row))
		return false;
	return (column == to_column && to_row == row - 1) || (row == to_row && to_column == column + 1);
}

/* Rules of model:1064-1155, per kind of tile; counts are looked at before. */
#define IN(bundle) (1u << AIE_BUNDLE_##bundle)
enum {
	SIDES = IN(SOUTH) | IN(WEST) | IN(NORTH) | IN(EAST),
	VERTICAL = IN(SOUTH) | IN(NORTH),
	SHIM_OUT = SIDES | IN(CONTROL) | IN(FIFO),
	CORE_IN = SIDES | IN(DMA) | IN(FIFO),
};
static bool memtile_connects(enum aie_bundle slave, uint32_t in, enum aie_bundle master, uint32_t out)
{
	const unsigned to = 1u << master;

	switch (slave) {
	case AIE_BUNDLE_DMA: return master == AIE_BUNDLE_DMA ? in == out : (to & (VERTICAL | IN(CONTROL))) != 0;
	case AIE_BUNDLE_SOUTH:
	case AIE_BUNDLE_NORTH: return to & VERTICAL ? in == out : (to & (IN(DMA) | IN(CONTROL))) != 0;
	case AIE_BUNDLE_CONTROL: return master == AIE_BUNDLE_DMA ? out == 5 : (to & VERTICAL) != 0;
	case AIE_BUNDLE_TRACE: return master == AIE_BUNDLE_DMA ? out == 5 : master == AIE_BUNDLE_SOUTH;
	default: return false;
	}
}

static bool shim_connects(enum aie_bundle slave, uint32_t in, enum aie_bundle master, uint32_t out)
{
	const unsigned to = 1u << master;

	switch (slave) {
	case AIE_BUNDLE_FIFO:
	case AIE_BUNDLE_SOUTH: return (to & SHIM_OUT) != 0;
	case AIE_BUNDLE_WEST:
	case AIE_BUNDLE_NORTH:
	case AIE_BUNDLE_EAST: return slave == master ? in == out : (to & SHIM_OUT) != 0;
	case AIE_BUNDLE_CONTROL: return master != AIE_BUNDLE_CONTROL;
	case AIE_BUNDLE_TRACE: return to & (IN(WEST) | IN(EAST)) ? out == 0 : (to & (IN(FIFO) | IN(SOUTH))) != 0;
	default: return false;
	}
}

static bool core_connects(enum aie_bundle slave, uint32_t in, enum aie_bundle master, uint32_t out)
{
	if (1u << slave & CORE_IN)
		return slave != master || in == out;
	switch (slave) {
	case AIE_BUNDLE_CORE: return master != AIE_BUNDLE_CORE;
	case AIE_BUNDLE_CONTROL: return master != AIE_BUNDLE_CONTROL && master != AIE_BUNDLE_DMA;
	case AIE_BUNDLE_TRACE: return master == AIE_BUNDLE_DMA ? out == 0 : master == AIE_BUNDLE_FIFO || master == AIE_BUNDLE_SOUTH;
	default: return false;
	}
}

bool aie_arch_connects(const struct aie_arch *arch, enum aie_kind kind, enum aie_bundle slave, uint32_t slave_channel, enum aie_bundle master,
		       uint32_t master_channel)
{
	const struct aie_tile_arch *tile = &arch->generation->tiles[kind];

	if (slave_channel >= tile->slaves[slave] || master_channel >= tile->masters[master])
		return false;
	switch (kind) {
	case AIE_MEMTILE: return memtile_connects(slave, slave_channel, master, master_channel);
	case AIE_SHIM: return shim_connects(slave, slave_channel, master, master_channel);
	default: return core_connects(slave, slave_channel, master, master_channel);
	}
}

bool aie_arch_mux(enum aie_bundle bundle, uint32_t channel, bool into, uint32_t *south_out)
{
	static const struct {
		enum aie_bundle bundle;
		uint32_t channel, slave, master;
	} rows[] = {
#define MUX(of, number, in, out, source) {AIE_BUNDLE_##of, number, in, out},
#include "aie/aie_arch.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].bundle == bundle && rows[i].channel == channel) {
			*south_out = into ? rows[i].slave : rows[i].master;
			return true;
		}
	return false;
}

enum aie_bundle aie_arch_step(enum aie_bundle side, int32_t *column, int32_t *row)
{
	switch (side) {
	case AIE_BUNDLE_SOUTH: --*row; return AIE_BUNDLE_NORTH;
	case AIE_BUNDLE_NORTH: ++*row; return AIE_BUNDLE_SOUTH;
	case AIE_BUNDLE_WEST: --*column; return AIE_BUNDLE_EAST;
	default: ++*column; return AIE_BUNDLE_WEST;
	}
}

uint32_t aie_arch_wires(const struct aie_arch *arch, int32_t column, int32_t row, enum aie_bundle side)
{
	const uint32_t out = aie_arch_tile(arch, row)->masters[side];
	const enum aie_bundle in_side = aie_arch_step(side, &column, &row);
	uint32_t in;

	if (!aie_arch_inside(arch, column, row))
		return 0;
	in = aie_arch_tile(arch, row)->slaves[in_side];
	return out < in ? out : in;
}

const char *aie_arch_bundle_text(enum aie_bundle bundle)
{
	static const char *const texts[AIE_BUNDLES] = {"core", "DMA", "fifo", "south", "west", "north", "east", "PLIO", "NOC", "trace", "control"};

	return texts[bundle];
}

const char *aie_arch_kind_text(enum aie_kind kind)
{
	static const char *const texts[AIE_KINDS] = {"shim", "memory tile", "core tile"};

	return texts[kind];
}

const char *aie_arch_limit_text(enum aie_limit limit)
{
	static const char *const texts[AIE_LIMITS] = {
		[AIE_MEMORY] = "bytes of memory",
		[AIE_BANKS] = "banks of memory",
		[AIE_PROGRAM] = "bytes of program memory",
		[AIE_STACK] = "bytes of stack",
		[AIE_LOCKS] = "locks",
		[AIE_LOCK_VALUE] = "largest value of a lock",
		[AIE_BDS] = "buffer descriptors",
		[AIE_DMA_IN] = "DMA channels in",
		[AIE_DMA_OUT] = "DMA channels out",
		[AIE_DMA_REACH] = "DMA channels that reach neighbours",
		[AIE_DMA_DIMS] = "dimensions of a buffer descriptor",
		[AIE_DMA_QUEUE] = "tasks in the queue of a DMA channel",
		[AIE_BD_WORDS] = "words of a buffer descriptor",
		[AIE_STRIDE_MAX] = "largest stride of a buffer descriptor",
		[AIE_WRAP_MAX] = "largest size of a dimension",
		[AIE_ITERATIONS] = "iterations of a buffer descriptor",
	};

	return texts[limit];
}
