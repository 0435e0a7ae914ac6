/* SPDX-License-Identifier: MIT */
#include "isa/isa_tables.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* With a row behind them, so that none of them is NULL. */
static void *rows_copy(const void *rows, uint32_t count, size_t row)
{
	void *copy = calloc(count + 1u, row);

	if (copy && count)
		memcpy(copy, rows, count * row);
	return copy;
}

bool isa_tables_copy(struct isa_tables *tables, const struct isa_program *p)
{
	const struct ptowsp_tile_header *h = &p->header;

	*tables = (struct isa_tables){.param_count = h->param_count,
				      .tile_count = h->tile_count,
				      .scalar_count = h->scalar_count,
				      .inst_count = h->inst_count,
				      .param_room = h->param_count + 1,
				      .tile_room = h->tile_count + 1,
				      .scalar_room = h->scalar_count + 1,
				      .inst_room = h->inst_count + 1};
	tables->params = rows_copy(p->params, h->param_count, sizeof(*p->params));
	tables->tiles = rows_copy(p->tiles, h->tile_count, sizeof(*p->tiles));
	tables->scalars = rows_copy(p->scalars, h->scalar_count, sizeof(*p->scalars));
	tables->insts = rows_copy(p->insts, h->inst_count, sizeof(*p->insts));
	if (!tables->params || !tables->tiles || !tables->scalars || !tables->insts)
		return false;
	for (uint32_t i = 0; i < h->param_count; i++)
		tables->params[i].name = (uint32_t)(p->param_names[i] - p->pool);
	for (uint32_t i = 0; i < h->tile_count; i++)
		tables->tiles[i].name = (uint32_t)(p->tile_names[i] - p->pool);
	for (uint32_t i = 0; i < h->scalar_count; i++)
		tables->scalars[i].name = (uint32_t)(p->scalar_names[i] - p->pool);
	return true;
}

void isa_tables_finish(struct isa_tables *tables)
{
	free(tables->params);
	free(tables->tiles);
	free(tables->scalars);
	free(tables->insts);
	*tables = (struct isa_tables){.params = NULL};
}

bool isa_tables_param(struct isa_tables *tables, struct ptowsp_tile_param param, uint16_t *row_out)
{
	if (tables->param_count == UINT16_MAX || !COMMON_GROW(tables->params, tables->param_room, tables->param_count))
		return false;
	*row_out = (uint16_t)tables->param_count;
	tables->params[tables->param_count++] = param;
	return true;
}

bool isa_tables_tile(struct isa_tables *tables, struct ptowsp_tile_tile tile, uint16_t *row_out)
{
	if (tables->tile_count == UINT16_MAX || !COMMON_GROW(tables->tiles, tables->tile_room, tables->tile_count))
		return false;
	*row_out = (uint16_t)tables->tile_count;
	tables->tiles[tables->tile_count++] = tile;
	return true;
}

bool isa_tables_scalar(struct isa_tables *tables, struct ptowsp_tile_scalar scalar, uint16_t *row_out)
{
	if (tables->scalar_count == UINT16_MAX || !COMMON_GROW(tables->scalars, tables->scalar_room, tables->scalar_count))
		return false;
	*row_out = (uint16_t)tables->scalar_count;
	tables->scalars[tables->scalar_count++] = scalar;
	return true;
}

bool isa_tables_inst(struct isa_tables *tables, struct ptowsp_tile_inst inst)
{
	if (!COMMON_GROW(tables->insts, tables->inst_room, tables->inst_count))
		return false;
	tables->insts[tables->inst_count++] = inst;
	return true;
}

/* Header, tables and instructions as create takes them, one behind the other. */
static void payload_fill(const struct isa_tables *t, const struct isa_program *from, unsigned char *payload)
{
	struct ptowsp_tile_header *h = (void *)payload;
	struct ptowsp_tile_param *params = (void *)(h + 1);
	struct ptowsp_tile_tile *tiles = (void *)(params + t->param_count);
	struct ptowsp_tile_scalar *scalars = (void *)(tiles + t->tile_count);

	*h = from->header;
	h->param_count = t->param_count;
	h->tile_count = t->tile_count;
	h->scalar_count = t->scalar_count;
	h->inst_count = t->inst_count;
	h->name = (uint32_t)(from->name - from->pool);
	memcpy(params, t->params, t->param_count * sizeof(*params));
	memcpy(tiles, t->tiles, t->tile_count * sizeof(*tiles));
	memcpy(scalars, t->scalars, t->scalar_count * sizeof(*scalars));
	memcpy(scalars + t->scalar_count, t->insts, t->inst_count * sizeof(*t->insts));
}

/* Bytes of the pool: the last name that was put there is that of the last table that is not empty. */
static size_t pool_size(const struct isa_program *p)
{
	const char *last = p->header.scalar_count  ? p->scalar_names[p->header.scalar_count - 1]
			   : p->header.tile_count  ? p->tile_names[p->header.tile_count - 1]
			   : p->header.param_count ? p->param_names[p->header.param_count - 1]
						   : p->name;

	return (size_t)(last - p->pool) + strlen(last) + 1;
}

ptowsp_status isa_tables_program(struct isa_program **program_out, const struct isa_tables *t, const struct isa_program *from,
				 const struct isa_options *options, struct ptowsp_error *error)
{
	const size_t size = sizeof(from->header) + t->param_count * sizeof(*t->params) + t->tile_count * sizeof(*t->tiles) +
			    t->scalar_count * sizeof(*t->scalars) + t->inst_count * sizeof(*t->insts);
	unsigned char *payload = malloc(size);
	ptowsp_status status;

	*program_out = NULL;
	if (!payload)
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	payload_fill(t, from, payload);
	status = isa_program_create_with(program_out, payload, size, from->pool, pool_size(from), options, error);
	free(payload);
	return status;
}
