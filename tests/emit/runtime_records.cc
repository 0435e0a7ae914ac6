/* SPDX-License-Identifier: MIT */
/* runtime_records.cc - what emitted kernels know of a pto-runtime beside its own headers. Compiled, never run. */
#include "isa/kernel_ascend.h"
#include "intrinsic.h"
#include "tensor.h"
static_assert(TILE_CONTEXT == SPMD_LOCAL_CONTEXT_INDEX && TILE_CONTEXT_CORE == SPMD_GLOBAL_CONTEXT_INDEX, "contexts");
static_assert(!offsetof(GlobalContext, sub_block_id) && sizeof(GlobalContext::sub_block_id) == 4, "the core's word");
#ifndef BLOCK /* of one generation: s_block_idx, s_block_num */
#define BLOCK(what) block_##what
#endif
static_assert(!offsetof(LocalContext, BLOCK(idx)) && offsetof(LocalContext, BLOCK(num)) == 4, "words of the task");
#define SAME(ours, theirs) static_assert(offsetof(tile_record, ours) == offsetof(ChipTensor, theirs) && sizeof(tile_record::ours) == sizeof(ChipTensor::theirs), #theirs)
SAME(start, start_offset);
SAME(dimensions, ndims);
SAME(dtype, dtype);
SAME(contiguous, is_contiguous);
SAME(shapes, shapes);
SAME(extent, extent_elem_cache);
SAME(strides, strides);
static_assert(sizeof(tile_record) == sizeof(ChipTensor) && !offsetof(ChipTensor, buffer), "record");
