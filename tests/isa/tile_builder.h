/* SPDX-License-Identifier: MIT
 * tile_builder.h - tile programs for tests, written like text:
 *
 *	struct tile_builder b;
 *	tile_begin(&b, "double");
 *	unsigned in = tile_param(&b, "in", PTOWSP_F32), out = tile_param(&b, "out", PTOWSP_F32);
 *	unsigned x = tile_tile(&b, "x", 8, 8, PTOWSP_F32), i = tile_local(&b, "i", PTOWSP_I64, 0);
 *	tile_for(&b, i, tile_int(&b, 0), tile_arg(&b, "n", PTOWSP_I32), tile_int(&b, 1));
 *	tile_op(&b, PTOWSP_PTO_TLOAD, x, in, i, tile_int(&b, 0));
 *	tile_op(&b, PTOWSP_PTO_TADD, x, x, x);
 *	tile_op(&b, PTOWSP_PTO_TSTORE, x, out, i, tile_int(&b, 0));
 *	tile_end(&b);
 *	REQUIRE(tile_create(&b, &program, &error) == 0);   // adds the return
 *	tile_finish(&b);
 *
 * Operands stand in the order of the opcode's letters (pto_ops.def). Each instruction gets its number + 1 as source line.
 * The tables are public: a test may spoil them before tile_create. */
#ifndef PTOWSP_TESTS_TILE_BUILDER_H
#define PTOWSP_TESTS_TILE_BUILDER_H

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

enum { TILE_PARAMS = 16, TILE_TILES = 64, TILE_SCALARS = 256, TILE_INSTS = 1024, TILE_STRINGS = 8192, TILE_OPEN = 80 };

struct tile_builder {
	struct ptowsp_tile_header header; /* counts are those of the tables below */
	struct ptowsp_tile_param params[TILE_PARAMS];
	struct ptowsp_tile_tile tiles[TILE_TILES];
	struct ptowsp_tile_scalar scalars[TILE_SCALARS];
	struct ptowsp_tile_inst insts[TILE_INSTS];
	char strings[TILE_STRINGS];
	uint32_t strings_size;
	uint32_t open[TILE_OPEN]; /* blocks: FOR, WHILE, IF */
	uint32_t turn[TILE_OPEN]; /* their DO, ELSE */
	uint32_t depth;
	uint64_t args;
	void *payload; /* of the last tile_payload */
};

static inline uint32_t tile_name(struct tile_builder *b, const char *name)
{
	const uint32_t at = b->strings_size, size = (uint32_t)strlen(name) + 1;

	if (size == 1)
		return 0;
	assert(at + size <= TILE_STRINGS);
	memcpy(b->strings + at, name, size);
	b->strings_size += size;
	return at;
}

static inline void tile_begin(struct tile_builder *b, const char *name)
{
	memset(b, 0, sizeof(*b));
	b->strings_size = 1;
	b->header.magic = PTOWSP_TILE_MAGIC;
	b->header.version = PTOWSP_TILE_VERSION;
	b->header.name = tile_name(b, name);
}

static inline void tile_finish(struct tile_builder *b)
{
	free(b->payload);
	b->payload = NULL;
}

/* Access follows from the instructions. */
static inline unsigned tile_param(struct tile_builder *b, const char *name, unsigned dtype)
{
	assert(b->header.param_count < TILE_PARAMS);
	b->params[b->header.param_count] = (struct ptowsp_tile_param){.name = tile_name(b, name), .dtype = (uint16_t)dtype};
	return b->header.param_count++;
}

static inline unsigned tile_tile(struct tile_builder *b, const char *name, uint32_t rows, uint32_t columns, unsigned dtype)
{
	assert(b->header.tile_count < TILE_TILES);
	b->tiles[b->header.tile_count] =
		(struct ptowsp_tile_tile){.rows = rows, .columns = columns, .dtype = (uint16_t)dtype, .space = PTOWSP_SPACE_UB, .name = tile_name(b, name)};
	return b->header.tile_count++;
}

static inline unsigned tile_scalar(struct tile_builder *b, const char *name, unsigned dtype, unsigned kind, uint64_t value)
{
	assert(b->header.scalar_count < TILE_SCALARS);
	b->scalars[b->header.scalar_count] =
		(struct ptowsp_tile_scalar){.name = tile_name(b, name), .dtype = (uint16_t)dtype, .kind = (uint16_t)kind, .value = value};
	return b->header.scalar_count++;
}

static inline unsigned tile_local(struct tile_builder *b, const char *name, unsigned dtype, uint64_t value)
{
	return tile_scalar(b, name, dtype, PTOWSP_SCALAR_LOCAL, value);
}

/* The next task argument. */
static inline unsigned tile_arg(struct tile_builder *b, const char *name, unsigned dtype)
{
	return tile_scalar(b, name, dtype, PTOWSP_SCALAR_ARG, b->args++);
}

static inline unsigned tile_int(struct tile_builder *b, int64_t value)
{
	return tile_scalar(b, "", PTOWSP_I64, PTOWSP_SCALAR_CONST, (uint64_t)value);
}

static inline uint64_t tile_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline unsigned tile_float(struct tile_builder *b, float value)
{
	return tile_scalar(b, "", PTOWSP_F32, PTOWSP_SCALAR_CONST, tile_bits(value));
}

/* A memref that is touched: what a packer notes in the parameter's row. */
static inline void tile_touch(struct tile_builder *b, unsigned param, unsigned access)
{
	if (param < b->header.param_count)
		b->params[param].access |= (uint16_t)access;
}

/* Operands as a list of `unsigned`. Returns the instruction's index. */
static inline uint32_t tile_op(struct tile_builder *b, unsigned opcode, ...)
{
	struct ptowsp_tile_inst *inst = &b->insts[b->header.inst_count];
	uint16_t *const dst[2] = {&inst->d, &inst->e};
	uint16_t *const src[4] = {&inst->a, &inst->b, &inst->c, &inst->f};
	const struct isa_op *op = isa_op(opcode);
	unsigned dst_count = 0, src_count = 0;
	va_list list;

	assert(op && b->header.inst_count < TILE_INSTS);
	*inst = (struct ptowsp_tile_inst){.op = (uint8_t)opcode, .line = b->header.inst_count + 1};
	va_start(list, opcode);
	for (const char *p = op->operands; *p; p++) {
		const unsigned row = va_arg(list, unsigned);

		*(*p < 'a' ? dst[dst_count++] : src[src_count++]) = (uint16_t)row;
		if (*p == 'M' || *p == 'm')
			tile_touch(b, row, *p == 'M' ? PTOWSP_WRITE : PTOWSP_READ);
	}
	va_end(list);
	return b->header.inst_count++;
}

/* Mode of the instruction before. */
static inline void tile_mode(struct tile_builder *b, unsigned mode)
{
	b->insts[b->header.inst_count - 1].mode = (uint8_t)mode;
}

static inline void tile_open_block(struct tile_builder *b, uint32_t inst)
{
	assert(b->depth < TILE_OPEN);
	b->open[b->depth] = inst;
	b->turn[b->depth++] = 0;
}

static inline void tile_for(struct tile_builder *b, unsigned i, unsigned from, unsigned to, unsigned step)
{
	tile_open_block(b, tile_op(b, PTOWSP_PTO_FOR, i, from, to, step));
}

static inline void tile_while(struct tile_builder *b)
{
	tile_open_block(b, tile_op(b, PTOWSP_PTO_WHILE));
}

static inline void tile_do(struct tile_builder *b, unsigned condition)
{
	b->turn[b->depth - 1] = tile_op(b, PTOWSP_PTO_DO, condition);
}

static inline void tile_if(struct tile_builder *b, unsigned condition)
{
	tile_open_block(b, tile_op(b, PTOWSP_PTO_IF, condition));
}

static inline void tile_else(struct tile_builder *b)
{
	const uint32_t at = tile_op(b, PTOWSP_PTO_ELSE);

	b->turn[b->depth - 1] = at;
	b->insts[b->open[b->depth - 1]].target = at + 1;
}

/* BREAK and CONTINUE of the loop from start to end. */
static inline void tile_leaves(struct tile_builder *b, uint32_t start, uint32_t end)
{
	for (uint32_t i = start; i < end; i++) {
		struct ptowsp_tile_inst *inst = &b->insts[i];

		if (inst->target)
			continue; /* of an inner loop */
		if (inst->op == PTOWSP_PTO_BREAK)
			inst->target = end + 1;
		else if (inst->op == PTOWSP_PTO_CONTINUE)
			inst->target = end;
	}
}

/* Ends the innermost FOR, WHILE or IF. */
static inline void tile_end(struct tile_builder *b)
{
	const uint32_t start = b->open[--b->depth], turn = b->turn[b->depth];
	const unsigned op = b->insts[start].op;
	const uint32_t end = tile_op(b, op == PTOWSP_PTO_FOR ? PTOWSP_PTO_ENDFOR : op == PTOWSP_PTO_WHILE ? PTOWSP_PTO_ENDWHILE : PTOWSP_PTO_ENDIF);

	if (op == PTOWSP_PTO_IF) {
		b->insts[turn ? turn : start].target = end;
		return;
	}
	b->insts[op == PTOWSP_PTO_WHILE ? turn : start].target = end + 1;
	b->insts[end].target = start;
	tile_leaves(b, start, end);
}

/* The payload; borrowed until the next call or tile_finish. Adds a return if the last instruction is none. */
static inline const void *tile_payload(struct tile_builder *b, size_t *size_out)
{
	struct ptowsp_tile_header *h = &b->header;
	size_t size[5], at = 0;
	const void *part[5] = {h, b->params, b->tiles, b->scalars, b->insts};

	if (h->inst_count == 0 || b->insts[h->inst_count - 1].op != PTOWSP_PTO_RETURN)
		tile_op(b, PTOWSP_PTO_RETURN);
	size[0] = sizeof(*h);
	size[1] = h->param_count * sizeof(*b->params);
	size[2] = h->tile_count * sizeof(*b->tiles);
	size[3] = h->scalar_count * sizeof(*b->scalars);
	size[4] = h->inst_count * sizeof(*b->insts);
	free(b->payload);
	b->payload = malloc(size[0] + size[1] + size[2] + size[3] + size[4]);
	assert(b->payload);
	for (int i = 0; i < 5; i++) {
		memcpy((char *)b->payload + at, part[i], size[i]);
		at += size[i];
	}
	*size_out = at;
	return b->payload;
}

static inline ptowsp_status tile_create(struct tile_builder *b, struct isa_program **program_out, struct ptowsp_error *error)
{
	size_t size;
	const void *payload = tile_payload(b, &size);

	return isa_program_create(program_out, payload, size, b->strings, b->strings_size, error);
}

/* A task on up to TILE_PARAMS flat windows. Fill tensors[i] with tile_window or tile_grid, then tile_run. */
struct tile_task {
	struct ptowsp_task task;
	struct ptowsp_kernel_out out;
	struct ptowsp_error error;
	struct ptowsp_tensor_arg tensors[TILE_PARAMS];
	uint64_t args[16];
};

static inline void tile_task_begin(struct tile_task *t)
{
	memset(t, 0, sizeof(*t));
	t->task.head = (struct ptowsp_head)PTOWSP_HEAD(t->task, TASK);
	t->out.head = (struct ptowsp_head)PTOWSP_HEAD(t->out, KERNEL_OUT);
	t->error.head = (struct ptowsp_head)PTOWSP_HEAD(t->error, ERROR);
	t->task.tensors = t->tensors;
	t->task.tensor_stride = sizeof(t->tensors[0]);
	t->task.args = t->args;
	t->task.block_count = 1;
	t->out.error = &t->error;
}

static inline void tile_grid(struct tile_task *t, unsigned param, void *data, unsigned dtype, uint64_t rows, uint64_t columns, uint64_t row_stride,
			     uint64_t column_stride)
{
	t->tensors[param] = (struct ptowsp_tensor_arg){.data = data,
						       .rows = rows,
						       .columns = columns,
						       .row_stride = row_stride,
						       .column_stride = column_stride,
						       .dtype = (uint16_t)dtype,
						       .access = PTOWSP_READ | PTOWSP_WRITE};
	if (t->task.tensor_count <= param)
		t->task.tensor_count = param + 1;
}

static inline void tile_window(struct tile_task *t, unsigned param, void *data, unsigned dtype, uint64_t count)
{
	tile_grid(t, param, data, dtype, 1, count, count, 1);
}

static inline void tile_task_arg(struct tile_task *t, uint64_t value)
{
	t->args[t->task.arg_count++] = value;
}

/* Runs with scratch of its own, filled with rubbish: nothing may depend on what was there. */
static inline ptowsp_status tile_run(struct tile_task *t, const struct isa_program *program)
{
	const size_t size = (isa_program_scratch(program) + 63) / 64 * 64 + 64;
	void *scratch = aligned_alloc(64, size);
	ptowsp_status status;

	assert(scratch);
	memset(scratch, 0xA5, size);
	status = isa_run(program, &t->task, &t->out, scratch);
	free(scratch);
	return status;
}

#endif
