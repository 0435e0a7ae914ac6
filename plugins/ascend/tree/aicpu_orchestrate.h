/* SPDX-License-Identifier: MIT */
/* aicpu_orchestrate.h - the workloads of the package, as the platforms call them. */
#ifndef AICPU_ORCHESTRATE_H
#define AICPU_ORCHESTRATE_H

#include "builder.h"
#include "kernel_ids.h"

struct OrchestrateWorkload {
	const char *name;
	const BuilderPlan *plan;
	int32_t (*run)(Builder &b);
};
extern const OrchestrateWorkload orchestrate_workloads[];
extern const uint32_t orchestrate_workload_count;

/* The orchestration of one scheduler instance: the caller sets platform, tensors, slots, instances and instance of b before. Returns b.status. */
int32_t orchestrate(Builder &b, uint32_t workload);

#endif
