/* SPDX-License-Identifier: MIT */
/* isa_level.h - included last by files of operations that are compiled for several processors (isa_ops.h): what stands below it may use
 * their instructions. ISA_FUNCTIONS: vectors of 64 bytes, which pay for functions alone (README.md). No product is fused with a sum, so that all give the same bits. */
#include "isa/ops/isa_ops.h"

#if defined(ISA_LEVEL) && defined(__x86_64__) && defined(__clang__)
#define ISA_LEVEL_PUSHED
#ifdef ISA_FUNCTIONS
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#elif defined(ISA_FUNCTIONS) && defined(__x86_64__)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#elif defined(ISA_LEVEL) && defined(__x86_64__)
#pragma GCC target("avx2")
#endif
