/* SPDX-License-Identifier: MIT */
/* limit.h - no runtime, but what the machine allows: the graph of a workload made and executed by code written for it.
 *
 * Stack, one thread: successor lists and fan-in counters are made, then a ready stack is popped, an indirect call made, the counters of the successors are
 * decremented, those at zero pushed. Order, one thread: the tasks by number, with the same calls and decrements. Order, two threads: each walks a fixed
 * list of its own and waits for done flags. */
#ifndef TOOLS_BENCH_LIMIT_H
#define TOOLS_BENCH_LIMIT_H

#include "tools/bench/load.h"

enum bench_limit {
	BENCH_LIMIT_STACK,
	BENCH_LIMIT_ORDER,
	BENCH_LIMIT_ORDER_TWO
};

/* One execution, as bench_load_run. *ns_out: making lists and executing, without freeing and without starting the second thread. NO_MEMORY. */
ptowsp_status bench_limit_run(struct bench_load *load, enum bench_limit limit, bool check, double *ns_out);

#endif
