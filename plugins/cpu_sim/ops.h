/* SPDX-License-Identifier: MIT */
/* ops.h - the backend's operations, apart from the entry that exports them: tests put an entry of their own in front. */
#ifndef CPU_SIM_OPS_H
#define CPU_SIM_OPS_H

#include "ptowsp/plugin.h"

extern const struct ptowsp_ops cpu_ops;

#endif
