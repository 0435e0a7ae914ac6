/* SPDX-License-Identifier: MIT */
#include "tests/isa/fake_tile.h"

#include <assert.h>
#include <string.h>

uint16_t fake_tile_param(struct fake_tile *tile, unsigned access, uint32_t rows, uint32_t columns)
{
	assert(tile->header.param_count < FAKE_TILE_ROWS);
	tile->params[tile->header.param_count] = (struct ptowsp_tile_param){.dtype = PTOWSP_F32, .access = (uint16_t)access, .rows = rows, .columns = columns};
	return (uint16_t)tile->header.param_count++;
}

uint16_t fake_tile_tile(struct fake_tile *tile, uint32_t rows, uint32_t columns)
{
	assert(tile->header.tile_count < FAKE_TILE_ROWS);
	tile->tiles[tile->header.tile_count] = (struct ptowsp_tile_tile){.rows = rows, .columns = columns, .dtype = PTOWSP_F32, .space = PTOWSP_SPACE_UB};
	return (uint16_t)tile->header.tile_count++;
}

static uint16_t scalar(struct fake_tile *tile, unsigned kind, int64_t value)
{
	assert(tile->header.scalar_count < FAKE_TILE_ROWS);
	tile->scalars[tile->header.scalar_count] = (struct ptowsp_tile_scalar){.dtype = PTOWSP_I64, .kind = (uint16_t)kind, .value = (uint64_t)value};
	return (uint16_t)tile->header.scalar_count++;
}

uint16_t fake_tile_const(struct fake_tile *tile, int64_t value)
{
	return scalar(tile, PTOWSP_SCALAR_CONST, value);
}

uint16_t fake_tile_scalar(struct fake_tile *tile)
{
	return scalar(tile, PTOWSP_SCALAR_LOCAL, 0);
}

uint32_t fake_tile_inst(struct fake_tile *tile, unsigned op, uint16_t d, uint16_t a, uint16_t b, uint16_t c)
{
	assert(tile->header.inst_count < 2 * FAKE_TILE_ROWS);
	tile->insts[tile->header.inst_count] =
		(struct ptowsp_tile_inst){.op = (uint8_t)op, .d = d, .a = a, .b = b, .c = c, .line = tile->header.inst_count + 1};
	return tile->header.inst_count++;
}

uint32_t fake_tile_loop(struct fake_tile *tile, int64_t count)
{
	return fake_tile_inst(tile, PTOWSP_PTO_FOR, fake_tile_scalar(tile), fake_tile_const(tile, 0), fake_tile_const(tile, count), fake_tile_const(tile, 1));
}

void fake_tile_end(struct fake_tile *tile, uint32_t loop)
{
	uint32_t end = fake_tile_inst(tile, PTOWSP_PTO_ENDFOR, 0, 0, 0, 0);

	tile->insts[end].target = loop;
	tile->insts[loop].target = end + 1;
}

static unsigned char *put(unsigned char *to, const void *rows, size_t size)
{
	memcpy(to, rows, size);
	return to + size;
}

const void *fake_tile_pack(struct fake_tile *tile, uint64_t *size_out)
{
	unsigned char *to = (unsigned char *)tile->bytes;

	fake_tile_inst(tile, PTOWSP_PTO_RETURN, 0, 0, 0, 0);
	tile->header.magic = PTOWSP_TILE_MAGIC;
	tile->header.version = PTOWSP_TILE_VERSION;
	to = put(to, &tile->header, sizeof(tile->header));
	to = put(to, tile->params, tile->header.param_count * sizeof(*tile->params));
	to = put(to, tile->tiles, tile->header.tile_count * sizeof(*tile->tiles));
	to = put(to, tile->scalars, tile->header.scalar_count * sizeof(*tile->scalars));
	to = put(to, tile->insts, tile->header.inst_count * sizeof(*tile->insts));
	*size_out = (uint64_t)(to - (unsigned char *)tile->bytes);
	return tile->bytes;
}
