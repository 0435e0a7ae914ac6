/* SPDX-License-Identifier: MIT
 * slow_machine.h - the rules of the machine (plugins/ascend/README.md, "The machine") a second time: slow, plain, straight from their text, sharing no code with
 * plugins/ascend. What there is to run is what a feed gave (slow_program.h). One thread. */
#ifndef TESTS_MODEL_SLOW_MACHINE_H
#define TESTS_MODEL_SLOW_MACHINE_H

#include "ascend/machine/machine.h"
#include "tests/model/slow_program.h"

/* In the order in which a task reserves them; SLOW_QUEUE: of its pool. */
enum slow_resource { SLOW_WINDOW, SLOW_MAP, SLOW_DEPS, SLOW_HEAP, SLOW_QUEUE, SLOW_RESOURCES };
enum { SLOW_POOLS = 16 };
struct slow_meter {
	uint64_t high_water, stalls, cycles;
};
struct slow_tokens {
	uint64_t full_count, full_cycles, empty_count, empty_cycles;
};
struct slow_task_times {
	uint64_t start, end;
	uint32_t core; /* as in a trace */
};
struct slow_machine {
	/* given */
	const struct slow_program *program;
	const struct ascend_machine_config *config;
	int instances; /* at most ASCEND_INSTANCES */
	bool filtered; /* dispatch filters say whose tasks are */
	/* results */
	struct slow_task_times *tasks; /* owned, one per task of the program */
	int ended;                     /* how many; all, or something stands still */
	int full_at;                   /* the task at which the window was full, and its mode is abort; or SLOW_NONE */
	uint64_t total, crossing, notifications;
	struct slow_meter meters[SLOW_QUEUE], ready[SLOW_POOLS];
	struct slow_tokens channels[SLOW_CHANNELS];
};
/* Runs it. False: no memory. */
bool slow_machine_run(struct slow_machine *m);
void slow_machine_finish(struct slow_machine *m);

#endif
