/* SPDX-License-Identifier: MIT */
/* machine_cost.h - the machine of an architecture: its geometry, and what its protocol costs by the lines of cost.def. Constant; any thread. */
#ifndef ASCEND_MACHINE_COST_H
#define ASCEND_MACHINE_COST_H

#include "ascend/ascend_arch.h"
#include "ascend/machine/machine.h"

/* Two payloads per core, ready tasks in the order in which they became ready, events. */
/* fitted: what remains of an orchestrator's and a scheduler's part of a task where nobody logs it, by a published total. */
struct ascend_protocol ascend_protocol_of(const struct ascend_arch *arch, bool fitted);
struct ascend_machine_config ascend_machine_of(const struct ascend_arch *arch);

#endif
