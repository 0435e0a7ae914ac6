/* SPDX-License-Identifier: MIT */
/* aicore_registers.h - how an AICPU and an AICore talk: one line of global memory per core, and two registers of the core that the AICPU sees: DATA_MAIN_BASE, in
 * which it writes tokens, and COND, in which the core answers. Tokens are task numbers of that core, from 1 on, 31 bits. */
#ifndef AICORE_REGISTERS_H
#define AICORE_REGISTERS_H

#include <stdint.h>

enum : uint32_t { AICORE_FINISHED = 0x80000000u, AICORE_EXIT = 0x7FFFFFF0u, AICORE_IDLE = 0x7FFFFFFDu, AICORE_TOKEN_MOST = 0x7FFFFF00u };
enum : uint32_t { AICORE_REGISTER_TOKEN = 0xA0, AICORE_REGISTER_COND = 0x4C8, AICORE_REGISTER_FAST = 0x18, AICORE_FAST_OPEN = 0xE, AICORE_FAST_CLOSE = 0xF };
enum : uint32_t { AICORE_KIND_CUBE = 0, AICORE_KIND_VECTOR = 1 };

struct alignas(64) AicoreHandshake {
	volatile uint32_t done;     /* number of the core + 1, once it runs */
	volatile uint32_t kind;     /* AICORE_KIND_x */
	volatile uint32_t physical; /* where its registers are */
	uint32_t reserved;
	volatile uint64_t payload[2]; /* tasks by the lowest bit of their token: the next one is there while one runs */
};

#ifdef TASK_ON_AICORE
#include "task_abi.h"

/* Number of the core among all: cube cores first, then vector cores. */
TILE_CORE uint32_t aicore_number()
{
	const uint32_t block = (uint32_t)AscendC::GetBlockIdx();

	if ASCEND_IS_AIC
		return block;
	return (uint32_t)AscendC::GetBlockNum() + block;
}

/* The low half of the register is the token. */
TILE_CORE uint32_t aicore_token()
{
	uint64_t value;

#ifdef AICORE_READ_DATA_MAIN_BASE
	AICORE_READ_DATA_MAIN_BASE(value); /* who compiles for something else than a core says how */
#else
	__asm__ volatile("MOV %0, DATA_MAIN_BASE\n" : "=l"(value));
#endif
	return (uint32_t)value;
}

TILE_CORE void aicore_condition(uint32_t value)
{
	set_cond(value);
}

/* What the AICPU reads goes out; what it wrote is fetched anew. */
template <typename T> TILE_CORE void aicore_flush(__gm__ T *at, uint64_t bytes)
{
	for (uint64_t line = 0; line < bytes; line += 64)
		dcci((__gm__ uint8_t *)at + line, cache_line_t::SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);
}

template <typename T> TILE_CORE void aicore_refresh(__gm__ T *at, uint64_t bytes)
{
	for (uint64_t line = 0; line < bytes; line += 64)
		dcci((__gm__ uint8_t *)at + line, cache_line_t::SINGLE_CACHE_LINE);
}

/* Rows of the first argument to the second. */
TILE_CORE int32_t aicore_copy(__gm__ TaskNodePod *task)
{
	__gm__ TaskWindow *from = &task->windows[0], *to = &task->windows[1];
	const uint64_t size = task->io[0].dtype == DTYPE_F64 || task->io[0].dtype == DTYPE_I64 || task->io[0].dtype == DTYPE_U64   ? 8
			      : task->io[0].dtype == DTYPE_F32 || task->io[0].dtype == DTYPE_I32 || task->io[0].dtype == DTYPE_U32 ? 4
			      : task->io[0].dtype == DTYPE_I8 || task->io[0].dtype == DTYPE_U8 || task->io[0].dtype == DTYPE_BOOL  ? 1
																   : 2;

	for (uint64_t k = 0; k < from->rows; k++) {
		const uint64_t r = to->data > from->data ? from->rows - 1 - k : k;
		__gm__ uint8_t *a = (__gm__ uint8_t *)(from->data + r * from->row_stride * size), *b = (__gm__ uint8_t *)(to->data + r * to->row_stride * size);

		for (uint64_t i = 0; i < from->columns * size; i++)
			b[i] = a[i];
		aicore_flush(b, from->columns * size);
	}
	return 0;
}

TILE_CORE void aicore_report(__gm__ AicoreHandshake *mine)
{
	uint32_t kind = AICORE_KIND_VECTOR;

	if ASCEND_IS_AIC
		kind = AICORE_KIND_CUBE;
	mine->physical = (uint32_t)get_coreid() & 0xFFF;
	mine->kind = kind;
	mine->done = aicore_number() + 1;
	aicore_flush(mine, sizeof(*mine));
	while (!aicore_token())
		;
	aicore_condition(AICORE_IDLE | AICORE_FINISHED);
}

#endif
#endif
