/* SPDX-License-Identifier: MIT */
/* fault.h - what went wrong in the runtime, in our words and in its own. */
#ifndef ASCEND_FAULT_H
#define ASCEND_FAULT_H

#include "ptowsp/base.h"

/* The call that answered. */
enum ascend_phase { ASCEND_PHASE_INIT, ASCEND_PHASE_REGISTER, ASCEND_PHASE_PREPARE, ASCEND_PHASE_LAUNCH, ASCEND_PHASE_WAIT, ASCEND_PHASE_FINALIZE };

/* rc: what it answered, not 0; said: what the runtime wrote meanwhile, NUL-terminated. Some codes of the interface and of faults are the same numbers: what was
 * written decides. A timeout of the scheduler counts by its class: a task that runs on DEADLINE, dependencies that never resolve DEADLOCK, else DEVICE_LOST.
 * error->native is rc. Returns the status of fault.def; RUN_FAILED where nothing says more. */
ptowsp_status ascend_fault(enum ascend_phase phase, int rc, const char *said, struct ptowsp_error *error);

#endif
