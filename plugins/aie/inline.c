/* SPDX-License-Identifier: MIT */
/* inline.c - the body of a kernel: its scope, its tiles, its instructions one after the other. */
#include "inline_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/convert.h"
#include "ptowsp/ids.h"

enum { ALIGN = 64 };

const struct aie_inline_row aie_inline_rows[256] = {
#define X(NAME, form, access, floats, signeds, unsigneds, bools) [PTOWSP_PTO_##NAME] = {aie_inline_make_##form, access, floats, signeds, unsigneds, bools},
#include "inline.def"
#undef X
};

char aie_inline_class(unsigned dtype)
{
	return isa_class(dtype);
}

const char *aie_inline_text(const struct aie_inline_row *row, unsigned dtype)
{
	switch (isa_class(dtype)) {
	case 'f': return row->floats;
	case 'i': return row->signeds;
	case 'u': return row->unsigneds;
	default: return row->bools;
	}
}

void aie_inline_refuse(struct aie_inliner *in, uint32_t inst, const char *what)
{
	if (!*in->why)
		snprintf(in->why, 96, "%s%s", isa_op(in->insts[inst].op)->mnemonic, what);
}

void aie_inline_make_nothing(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	(void)in, (void)inst, (void)row;
}

/* ---- operands ----------------------------------------------------------------------------------------------------------- */

static unsigned dtype_of(const struct aie_inliner *in, char letter, uint16_t row)
{
	return letter == 'T' || letter == 't' ? in->tiles[row].dtype
	       : letter == 'S' || letter == 's' ? in->rows[row].dtype : isa_program_params(in->program)[row].dtype;
}

struct aie_inline_operands aie_inline_operands(const struct aie_inliner *in, uint32_t inst)
{
	struct aie_inline_operands o = {.op = isa_op(in->insts[inst].op)};
	const char *types = o.op->types, *key = strchr(types, 'k');
	unsigned dst = 0, src = 0;

	o.count = isa_op_operands(o.op, &in->insts[inst], o.rows);
	for (unsigned i = 0; i < o.count; i++) {
		const char letter = o.op->operands[i];

		if (letter < 'a') {
			o.dst[dst++] = o.rows[i];
		} else {
			o.src[src] = o.rows[i];
			o.src_letters[src++] = letter;
		}
	}
	if (!key)
		key = strpbrk(types, "c");
	o.key = key ? dtype_of(in, o.op->operands[key - types], o.rows[key - types]) : 0;
	return o;
}

/* ---- tiles -------------------------------------------------------------------------------------------------------------- */

uint64_t aie_inline_count_of(const struct aie_inliner *in, uint32_t tile)
{
	return (uint64_t)in->tiles[tile].rows * in->tiles[tile].columns;
}

/* Its size is known when all has been written. */
static void memory_begin(struct aie_inliner *in)
{
	static const int64_t segments[] = {0, 0};
	const int64_t bytes = (int64_t)in->bytes;
	struct aie_op *op;

	in->memory = aie_inline_head(in, "memref.alloca", aie_type_memref(in->module, aie_inline_bits(in, 8), 1, &bytes), 0, NULL, &op);
	aie_op_attr(in->module, op, "alignment", aie_attr_int(in->module, aie_inline_bits(in, 64), ALIGN));
	aie_op_attr(in->module, op, "operandSegmentSizes", aie_attr_ints(in->module, AIE_ATTR_INTS, aie_inline_bits(in, 32), 2, segments));
}

static struct aie_value *view_of(struct aie_inliner *in, uint32_t tile, uint64_t at, bool flat)
{
	const int64_t dims[2] = {in->tiles[tile].rows, in->tiles[tile].columns}, count = (int64_t)aie_inline_count_of(in, tile);
	const struct aie_type *element = aie_inline_stored(in, in->tiles[tile].dtype);
	const struct aie_type *type = flat ? aie_type_memref(in->module, element, 1, &count) : aie_type_memref(in->module, element, 2, dims);
	struct aie_value *operands[2];
	struct aie_op *op;

	if (!in->memory)
		memory_begin(in);
	operands[0] = in->memory;
	operands[1] = aie_inline_int(in, aie_inline_index_type(in), (int64_t)at);
	return aie_inline_head(in, "memref.view", type, 2, operands, &op);
}

struct aie_value *aie_inline_flat(struct aie_inliner *in, uint32_t tile)
{
	if (!in->flat[tile])
		in->flat[tile] = view_of(in, tile, isa_program_tile_at(in->program, tile), true);
	return in->flat[tile];
}

struct aie_value *aie_inline_grid(struct aie_inliner *in, uint32_t tile)
{
	if (!in->grid[tile])
		in->grid[tile] = view_of(in, tile, isa_program_tile_at(in->program, tile), false);
	return in->grid[tile];
}

struct aie_value *aie_inline_temp(struct aie_inliner *in, uint32_t tile, bool flat)
{
	uint64_t without, shared, end;

	isa_program_memory(in->program, &without, &shared);
	end = shared + aie_inline_count_of(in, tile) * isa_dtype_bytes(in->tiles[tile].dtype);
	in->bytes = end > in->bytes ? end : in->bytes;
	return view_of(in, tile, shared, flat);
}

static void memory_end(struct aie_inliner *in)
{
	const int64_t bytes = (int64_t)in->bytes;

	if (in->memory)
		in->memory->type = aie_type_memref(in->module, aie_inline_bits(in, 8), 1, &bytes);
	if (in->bytes > in->args->memory && !*in->why)
		snprintf(in->why, 96, "its tiles, which take %llu bytes", (unsigned long long)in->bytes);
}

static void zero(struct aie_inliner *in, uint32_t tile)
{
	const struct aie_type *type = aie_inline_stored(in, in->tiles[tile].dtype);
	struct aie_value *none = aie_inline_is_float(type) ? aie_inline_float(in, type, 0) : aie_inline_int(in, type, 0);
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, tile));

	aie_inline_store(in, none, aie_inline_flat(in, tile), 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static void scalars_begin(struct aie_inliner *in, struct aie_value *block)
{
	const struct aie_inline_args *args = in->args;

	for (uint32_t i = 0; i < isa_program_header(in->program)->scalar_count; i++) {
		const struct ptowsp_tile_scalar *row = &in->rows[i];
		uint64_t bits = row->value;

		if (row->kind == PTOWSP_SCALAR_ARG)
			bits = isa_scalar_narrow(row->value < args->scalar_count ? args->scalars[row->value] : 0, row->dtype);
		else if (row->kind == PTOWSP_SCALAR_BLOCKS)
			bits = isa_scalar_narrow(args->blocks ? args->blocks : 1, row->dtype);
		in->scalars[i] = (struct aie_inline_scalar){.known = true, .bits = bits};
		if (row->kind == PTOWSP_SCALAR_BLOCK && block)
			aie_inline_scalar_set(in, i, aie_inline_scalar_narrow(in, aie_inline_unary(in, "arith.index_cast", aie_inline_bits(in, 64), block), row->dtype));
	}
}

static void block_write(struct aie_inliner *in, struct aie_value *block)
{
	uint32_t zeros;
	const uint32_t *rows = isa_program_zeros(in->program, &zeros);

	scalars_begin(in, block);
	for (uint32_t i = 0; i < zeros; i++)
		zero(in, rows[i]);
	aie_inline_range(in, 0, isa_program_header(in->program)->inst_count);
}

static void write(struct aie_inliner *in)
{
	struct aie_inline_loop loop;

	if (in->args->blocks <= 1) {
		block_write(in, NULL);
		return;
	}
	loop = aie_inline_count(in, 0, in->args->blocks);
	block_write(in, loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

static bool rooms_make(struct aie_inliner *in)
{
	const struct ptowsp_tile_header *header = isa_program_header(in->program);

	in->scalars = calloc((size_t)header->scalar_count + 1, sizeof(*in->scalars));
	in->flat = calloc((size_t)header->tile_count + 1, sizeof(struct aie_value *));
	in->grid = calloc((size_t)header->tile_count + 1, sizeof(struct aie_value *));
	return in->scalars && in->flat && in->grid;
}

static void scope_write(struct aie_inliner *in)
{
	uint64_t without;

	in->scope = aie_op_add(in->module, in->args->parent, in->args->region, "memref.alloca_scope");
	in->parent = in->scope;
	in->region = aie_op_region(in->module, in->scope);
	if (!in->region) {
		in->failed = true;
		return;
	}
	aie_op_attr(in->module, in->scope, "ptowsp.kernel", aie_attr_text(in->module, AIE_ATTR_STRING, in->args->name));
	isa_program_memory(in->program, &without, &in->bytes);
	write(in);
	memory_end(in);
	aie_inline_make(in, "memref.alloca_scope.return", NULL, 0, NULL, NULL);
}

/* The scope was the last operation of the region. */
static void scope_drop(const struct aie_inline_args *args, struct aie_op *before)
{
	if (before)
		before->next = NULL;
	else
		args->region->first = NULL;
	args->region->last = before;
}

bool aie_inline(const struct aie_inline_args *args, char why[96], bool *failed_out)
{
	struct aie_inliner in = {.args = args, .module = args->module, .program = args->program, .insts = isa_program_insts(args->program), .tiles = isa_program_tiles(args->program),
				 .rows = isa_program_scalars(args->program), .why = why};
	struct aie_op *before = args->region->last;

	*why = 0;
	if (isa_program_unusable(args->program))
		snprintf(why, 96, "what cannot run");
	else if (rooms_make(&in))
		scope_write(&in);
	else
		in.failed = true;
	if (*why && before != args->region->last)
		scope_drop(args, before);
	free(in.scalars);
	free(in.flat);
	free(in.grid);
	free(in.constants);
	*failed_out = in.failed && !*why; /* what was refused gave no value, either */
	return !*why;
}
