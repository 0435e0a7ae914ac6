/* SPDX-License-Identifier: MIT */
/* quiet.h - is anybody else using the machine? A repetition is disturbed if our threads had to wait for a processor for
 * more than 3 % of it, or, with several threads, if others used more than 5 % of the machine. */
#ifndef TOOLS_BENCH_QUIET_H
#define TOOLS_BENCH_QUIET_H

#include <stdbool.h>
#include <stdint.h>

/* State at the start of a repetition. */
struct bench_quiet {
	double delay_ns, foreign_ns;
	uint64_t began_ns;
};

/* Waits until others rest; at most PB_QUIET_S seconds (default 30) over the life of the process. */
void bench_quiet_wait(void);
void bench_quiet_begin(struct bench_quiet *quiet);
bool bench_quiet_disturbed(const struct bench_quiet *quiet, unsigned threads);

#endif
