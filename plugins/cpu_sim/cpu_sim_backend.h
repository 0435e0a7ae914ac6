/* SPDX-License-Identifier: MIT */
/* cpu_sim_backend.h - the backend's operations, apart from the entry that exports them: tests put an entry of their own in front. */
#ifndef CPU_SIM_BACKEND_H
#define CPU_SIM_BACKEND_H

#include "base/backend.h"

#define CPU_NAME "cpu_sim"

extern const struct base_backend cpu_backend;
extern const struct ptowsp_ops cpu_ops;

#endif
