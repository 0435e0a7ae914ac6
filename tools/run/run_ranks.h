/* SPDX-License-Identifier: MIT */
/* run_ranks.h - processes that a launcher started for one run: mpirun, or one that sets the same variables. Each is the same command and opens the same package; the plugin is told by its option `rank`
 * which one it is. Rank 0 prints, compares and writes files; what ends a run rank 0 says, and
 * a launcher ends the others as soon as it has; one that is still there then says it, too. */
#ifndef TOOLS_RUN_RANKS_H
#define TOOLS_RUN_RANKS_H

#include "tools/run/run_options.h"

#include <stdbool.h>

/* Behind parsing, however that ended: sets rank, rank_count and rank_text. True: all there is to do is to tell something, which rank 0 does. */
bool run_ranks_are_told(struct run_options *options);
/* Behind that. Errors: INVALID: no plugin was named, or --ranks has another word. */
ptowsp_status run_ranks_apply(struct run_options *options, struct ptowsp_error *error);
/* Before a rank other than 0 says what ended it: the time in which rank 0 says it for all. */
void run_ranks_yield(void);
/* The sentence of a plugin that has no such option says what that means here. */
void run_ranks_explain(const struct run_options *options, struct ptowsp_error *error);

#endif
