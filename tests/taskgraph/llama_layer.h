/* SPDX-License-Identifier: MIT
 * llama_layer.h - the llama layer as a workload: 16 m + 3 m * m tasks on m tiles, tile_matmul on cube cores and the rest on vector cores. */
#ifndef TESTS_LLAMA_LAYER_H
#define TESTS_LLAMA_LAYER_H

#include "tests/rt/builder/rt_builder.h"

/* cycles of a kernel by its name; NULL: 1 each. The caller's. */
struct builder *llama_layer_make(uint32_t m, uint64_t (*cycles)(const char *kernel));

#endif
