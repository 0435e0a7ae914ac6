/* SPDX-License-Identifier: MIT */
/* flash.h - flash attention from end to end, the last rows of `ptowsp-bench kernels`. */
#ifndef TOOLS_BENCH_FLASH_H
#define TOOLS_BENCH_FLASH_H

#include "tools/bench/bench.h"

void bench_flash(const struct bench_options *options);

#endif
