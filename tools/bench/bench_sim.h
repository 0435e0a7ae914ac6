/* SPDX-License-Identifier: MIT */
/* bench_sim.h - programs for the machine of a2a3sim as source text: tasks that do nothing, and paged attention. */
#ifndef TOOLS_BENCH_SIM_H
#define TOOLS_BENCH_SIM_H

#include <stddef.h>
#include <stdint.h>

enum bench_stream { BENCH_INDEPENDENT, BENCH_SCOPES, BENCH_CHAINS, BENCH_SERIAL };
/* Tasks of a kernel that does nothing: each on a row of its own, so in scopes of 256, on 64 rows in turn, or all on one. tasks: 1 or more; rounded down to whole
 * scopes, or rounds. To be freed; NULL without memory. */
char *bench_sim_stream(enum bench_stream stream, uint32_t tasks, size_t *size_out);
/* Paged attention, one token each: sequences of `blocks` full pages of 128 positions, 16 heads of 128 numbers. 4 tasks per block and 2 per sequence.
 * Page %pages[sequence, block] of BENCH_PAGES. To be freed; NULL without memory. */
enum { BENCH_PAGES = 64, BENCH_PAGE = 128 };
char *bench_sim_paged(uint32_t sequences, uint32_t blocks, size_t *size_out);

#endif
