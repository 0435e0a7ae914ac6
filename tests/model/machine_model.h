/* SPDX-License-Identifier: MIT
 * machine_model.h - the rules of the machine (plugins/ascend/README.md, "The machine") a second time: slow, plain, straight from their text, sharing no code with
 * plugins/ascend. What there is to run, tasks with edges, iterations, scopes and needs, is what rt_model_run() found. Workloads only, as random_schedule.h makes them. */
#ifndef TESTS_MODEL_MACHINE_MODEL_H
#define TESTS_MODEL_MACHINE_MODEL_H

#include "ascend/machine.h"
#include "tests/model/rt_model.h"

struct machine_model_task {
	uint64_t start, end;
	uint32_t core;       /* as in a trace */
};
struct machine_model {
	/* given */
	const struct model *program; /* that has run */
	const struct ascend_machine_config *config;
	int instances;
	/* results */
	struct machine_model_task tasks[MODEL_TASKS];
	int ended;           /* how many; program->count, or something stands still */
	uint64_t total, crossing, notifications;
	struct model_meter ring, map, deps, ready[MODEL_POOLS];
};
/* Runs it. False: no memory. */
bool machine_model_run(struct machine_model *m);

#endif
