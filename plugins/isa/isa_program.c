/* SPDX-License-Identifier: MIT */
/* isa_program.c - a program's life: copied out of the payload, verified, decoded, destroyed. */
#include "isa/isa_place.h"
#include "isa/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct isa_place isa_program_place(const struct isa_program *p, uint32_t inst)
{
	struct isa_place place;

	if (p->insts[inst].line)
		snprintf(place.text, sizeof(place.text), "line %lu", (unsigned long)p->insts[inst].line);
	else
		snprintf(place.text, sizeof(place.text), "instruction %lu", (unsigned long)inst);
	return place;
}

void isa_program_mark(struct isa_program *p, char text[216], uint32_t inst, const char *format, ...)
{
	va_list list;
	int length;

	if (text[0])
		return;
	length = snprintf(text, 216, "kernel %.64s %s: ", p->name, isa_program_place(p, inst).text);
	va_start(list, format);
	vsnprintf(text + length, 216 - (size_t)length, format, list);
	va_end(list);
}

/* Sizes are checked before anything is copied: counts are 32 bits, so that no product below overflows 64. */
static ptowsp_status header_read(struct isa_program *p, const void *payload, size_t size, struct ptowsp_error *error)
{
	struct ptowsp_tile_header *h = &p->header;
	uint64_t want;

	if (!payload || size < sizeof(*h))
		return isa_error(error, PTOWSP_BAD_PACKAGE, "a tile program of %llu bytes is shorter than its header", (unsigned long long)size);
	memcpy(h, payload, sizeof(*h));
	if (h->magic != PTOWSP_TILE_MAGIC)
		return isa_error(error, PTOWSP_BAD_PACKAGE, "not a tile program: it starts with 0x%08lX, not PTOT", (unsigned long)h->magic);
	if (h->version != PTOWSP_TILE_VERSION)
		return isa_error(error, PTOWSP_BAD_PACKAGE, "tile program of version %lu, this side knows version %u", (unsigned long)h->version,
				 PTOWSP_TILE_VERSION);
	if (h->reserved)
		return isa_error(error, PTOWSP_BAD_PACKAGE, "the reserved field of the tile program's header is not 0");
	if (h->param_count > UINT16_MAX || h->tile_count > UINT16_MAX || h->scalar_count > UINT16_MAX || h->inst_count > ISA_INSTS_MAX)
		return isa_error(error, PTOWSP_BAD_PACKAGE,
				 "tile program with %lu parameters, %lu tiles, %lu scalars, %lu instructions; at most 65535 each "
				 "and %d instructions",
				 (unsigned long)h->param_count, (unsigned long)h->tile_count, (unsigned long)h->scalar_count, (unsigned long)h->inst_count,
				 ISA_INSTS_MAX);
	want = sizeof(*h) + h->param_count * (uint64_t)sizeof(*p->params) + h->tile_count * (uint64_t)sizeof(*p->tiles) +
	       h->scalar_count * (uint64_t)sizeof(*p->scalars) + h->inst_count * (uint64_t)sizeof(*p->insts);
	if (want != size)
		return isa_error(error, PTOWSP_BAD_PACKAGE, "the tile program's tables take %llu bytes, the payload has %llu", (unsigned long long)want,
				 (unsigned long long)size);
	return PTOWSP_OK;
}

static ptowsp_status no_memory(struct ptowsp_error *error)
{
	return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
}

/* One table out of the payload; at least one byte, so that NULL always means no memory. */
static void *table_copy(const unsigned char **at, size_t count, size_t row)
{
	void *copy = malloc(count * row + 1);

	if (copy)
		memcpy(copy, *at, count * row);
	*at += count * row;
	return copy;
}

static ptowsp_status tables_copy(struct isa_program *p, const void *payload, struct ptowsp_error *error)
{
	const struct ptowsp_tile_header *h = &p->header;
	const unsigned char *at = (const unsigned char *)payload + sizeof(*h);

	p->params = table_copy(&at, h->param_count, sizeof(*p->params));
	p->tiles = table_copy(&at, h->tile_count, sizeof(*p->tiles));
	p->scalars = table_copy(&at, h->scalar_count, sizeof(*p->scalars));
	p->insts = table_copy(&at, h->inst_count, sizeof(*p->insts));
	return p->params && p->tiles && p->scalars && p->insts ? PTOWSP_OK : no_memory(error);
}

/* The source of names, and the pool they go to; counting first, with pool NULL. */
struct naming {
	const char *strings;
	size_t strings_size;
	char *pool;
	size_t used;
	bool bad; /* an offset points nowhere or the name is too long */
};

/* "s17" for what has no name, which is every number of a program: without printf. Returns the length. */
static size_t name_make(char made[24], const char *prefix, uint32_t row)
{
	char digits[10];
	size_t length = strlen(prefix), count = 0;

	memcpy(made, prefix, length);
	do
		digits[count++] = (char)('0' + row % 10);
	while (row /= 10);
	while (count)
		made[length++] = digits[--count];
	return length;
}

/* A name is printed in messages and listings: what does not print becomes '?'. */
static const char *name_take(struct naming *n, uint32_t offset, const char *prefix, uint32_t row)
{
	char made[24];
	const char *text = made;
	size_t length, i;
	char *to = n->pool ? n->pool + n->used : NULL;

	if (n->strings && offset >= n->strings_size) {
		n->bad = true;
		return NULL;
	}
	length = 0;
	if (n->strings) {
		const size_t left = n->strings_size - offset, most = left < ISA_NAME_MAX + 1 ? left : ISA_NAME_MAX + 1;
		const char *end = memchr(n->strings + offset, 0, most);

		n->bad |= !end;
		text = n->strings + offset;
		length = end ? (size_t)(end - text) : 0;
	}
	if (length == 0) {
		length = name_make(made, prefix, row);
		text = made;
	}
	for (i = 0; to && i < length; i++)
		to[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '?' : text[i];
	if (to)
		to[length] = '\0';
	n->used += length + 1;
	return to;
}

static void names_take(struct isa_program *p, struct naming *n)
{
	const struct ptowsp_tile_header *h = &p->header;

	n->used = 0;
	p->name = name_take(n, h->name, "nameless", 0);
	for (uint32_t i = 0; i < h->param_count; i++)
		p->param_names[i] = name_take(n, p->params[i].name, "m", i);
	for (uint32_t i = 0; i < h->tile_count; i++)
		p->tile_names[i] = name_take(n, p->tiles[i].name, "t", i);
	for (uint32_t i = 0; i < h->scalar_count; i++)
		p->scalar_names[i] = name_take(n, p->scalars[i].name, "s", i);
}

static ptowsp_status names_copy(struct isa_program *p, const char *strings, size_t strings_size, struct ptowsp_error *error)
{
	const struct ptowsp_tile_header *h = &p->header;
	struct naming n = {.strings = strings, .strings_size = strings_size};

	p->param_names = calloc(h->param_count + 1u, sizeof(*p->param_names));
	p->tile_names = calloc(h->tile_count + 1u, sizeof(*p->tile_names));
	p->scalar_names = calloc(h->scalar_count + 1u, sizeof(*p->scalar_names));
	if (!p->param_names || !p->tile_names || !p->scalar_names)
		return no_memory(error);
	names_take(p, &n);
	if (n.bad)
		return isa_error(error, PTOWSP_BAD_PACKAGE, "a name in a tile program lies outside the package's strings or is longer than %d bytes",
				 ISA_NAME_MAX);
	n.pool = p->pool = malloc(n.used);
	if (!n.pool)
		return no_memory(error);
	names_take(p, &n);
	return PTOWSP_OK;
}

ptowsp_status isa_program_create_at(struct isa_program **program_out, unsigned level, bool fast, const void *payload, size_t size, const char *strings,
				    size_t strings_size, struct ptowsp_error *error)
{
	const bool plain = level == ISA_LEVEL_STEPS;
	const struct isa_options options = {
		.own_places = plain, .all_copied = plain, .any_processor = plain, .rows_bytes = level >= ISA_LEVEL_ROWS ? ISA_ROWS_BYTES : 0, .fast = fast};

	return isa_program_create_with(program_out, payload, size, strings, strings_size, &options, error);
}

ptowsp_status isa_program_create(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				 struct ptowsp_error *error)
{
	return isa_program_create_at(program_out, ISA_LEVEL_ROWS, false, payload, size, strings, strings_size, error);
}

ptowsp_status isa_program_create_fast(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				      struct ptowsp_error *error)
{
	return isa_program_create_at(program_out, ISA_LEVEL_ROWS, true, payload, size, strings, strings_size, error);
}

ptowsp_status isa_program_create_with(struct isa_program **program_out, const void *payload, size_t size, const char *strings, size_t strings_size,
				      const struct isa_options *options, struct ptowsp_error *error)
{
	struct isa_program *p = calloc(1, sizeof(*p));
	ptowsp_status status;

	*program_out = NULL;
	if (!p)
		return no_memory(error);
	status = header_read(p, payload, size, error);
	if (!status)
		status = tables_copy(p, payload, error);
	if (!status)
		status = names_copy(p, strings, strings_size, error);
	if (!status)
		status = isa_verify(p, error);
	if (!status && isa_plan_make(&p->plan, p, options->own_places))
		status = no_memory(error);
	if (!status)
		status = isa_lower(p, options, error);
	if (!status)
		status = isa_flow(p, error);
	if (!status && options->rows_bytes && isa_rows_make(p, options->rows_bytes))
		status = no_memory(error);
	if (!status && !options->all_copied && isa_place_make(p))
		status = no_memory(error);
	if (status)
		isa_program_destroy(p);
	else
		*program_out = p;
	return status;
}

void isa_program_destroy(struct isa_program *p)
{
	if (!p)
		return;
	free(p->params);
	free(p->tiles);
	free(p->scalars);
	free(p->insts);
	free(p->param_names);
	free(p->tile_names);
	free(p->scalar_names);
	free(p->pool);
	free(p->steps);
	isa_plan_finish(&p->plan);
	isa_rows_finish(p);
	isa_place_finish(p);
	free(p->initial);
	free(p->arg_rows);
	free(p->zero_tiles);
	free(p->taint);
	free(p);
}

const struct ptowsp_tile_header *isa_program_header(const struct isa_program *program)
{
	return &program->header;
}

const char *isa_program_name(const struct isa_program *program)
{
	return program->name;
}

uint64_t isa_program_cost(const struct isa_program *program, uint32_t inst)
{
	return program->steps[inst].cost;
}

const struct ptowsp_tile_inst *isa_program_insts(const struct isa_program *program)
{
	return program->insts;
}

const struct ptowsp_tile_tile *isa_program_tiles(const struct isa_program *program)
{
	return program->tiles;
}

const struct ptowsp_tile_scalar *isa_program_scalars(const struct isa_program *program)
{
	return program->scalars;
}

uint32_t isa_program_tile_at(const struct isa_program *program, uint32_t tile)
{
	return program->plan.at[tile];
}

const uint32_t *isa_program_zeros(const struct isa_program *program, uint32_t *count_out)
{
	*count_out = program->zero_count;
	return program->zero_tiles;
}

const struct ptowsp_tile_param *isa_program_params(const struct isa_program *program)
{
	return program->params;
}

const char *isa_program_unusable(const struct isa_program *program)
{
	return program->unusable[0] ? program->unusable : NULL;
}

size_t isa_program_scratch(const struct isa_program *program)
{
	return program->scratch;
}

void isa_program_memory(const struct isa_program *program, uint64_t *without_out, uint64_t *with_out)
{
	*without_out = program->plan.bytes_without;
	*with_out = program->plan.bytes;
}

int isa_program_by_block(const struct isa_program *program)
{
	return program->by_block;
}

int isa_program_varies(const struct isa_program *program)
{
	return program->varies;
}

int isa_program_data_dependent(const struct isa_program *program)
{
	return program->data_dependent;
}

void isa_program_tensors(struct isa_program *program, struct isa_tensor_names names)
{
	program->tensor_names = names;
}
