/* SPDX-License-Identifier: MIT */
/* move_ascend.h - what is done by single elements in Ascend C: tile_op.h, on tensors. Part of kernel_ascend.h, which includes it. */
#ifndef ISA_MOVE_ASCEND_H
#define ISA_MOVE_ASCEND_H

#define TILE_TEMPLATE(type)      template <class type>
#define TILE_NAME(name, type)    tile_##name
#define TILE_CALL(name, type)    tile_##name<type>
#define TILE_S(type)             typename type::S
#define TILE_C(type)             typename type::C
#define TILE_W(type)             typename type::W
#define TILE_VALUE(type, stored) type::get(stored)
#define TILE_STORED(type, value) type::put(value)
#define TILE_SIZE                uint32_t

#define TILE_IN(type)            const AscendC::LocalTensor<typename type::T> &
#define TILE_OUT(type)           const AscendC::LocalTensor<typename type::T> &
#define TILE_GET(x, at)          tile_get(x, at)
#define TILE_SET(d, at, value)   tile_set(d, at, value)
#define TILE_INDEXED(type)       template <class type, class I>
#define TILE_INDICES             const AscendC::LocalTensor<I> &index
#define TILE_INDEX(at)           (int64_t) index.GetValue(at)
#define TILE_ORDER               const AscendC::LocalTensor<I> &
#define TILE_RANK                I
#define TILE_RUN(d, to, x, from, n)                                                                                                                            \
	for (uint32_t at = 0; at < (n); at++)                                                                                                                  \
	tile_set(d, (to) + at, tile_get(x, (from) + at))
#define TILE_FETCH(type, d, at, from) tile_set(d, at, *(const __gm__ typename type::S *)(from))
#define TILE_DROP(type, to, x, at)    *(__gm__ typename type::S *)(to) = tile_get(x, at)

#define TILE_BEGIN                    AscendC::PipeBarrier<PIPE_ALL>()
#define TILE_END                      AscendC::PipeBarrier<PIPE_ALL>()
#define TILE_ALONE
#define TILE_CHECK(count, limit, unit)
#define TILE_EACH(i, count)                for (uint32_t i = 0; i < (count); i++)
#define TILE_GRID(i, j, rows, columns)     TILE_EACH(i, rows) TILE_EACH(j, columns)
#define TILE_DOWN(i, count, columns)       TILE_EACH(i, count)
#define TILE_BLOCKS(i, first, count, size) for (uint32_t i = (first); i < (count); i += (size))
#define TILE_LANES                         1
#define TILE_PART                          1

#include "isa/tile_op.h"

TILE_REDUCE(Type, )
TILE_TRANSPOSE(Type, )
TILE_EXTRACT(Type, )
TILE_GATHER(Type, )
TILE_SCATTER(Type, )
TILE_WINDOW_INDEXED(Type, )
TILE_SORT(Type, TILE_BEFORE_FLOAT)

#endif
