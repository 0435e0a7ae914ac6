/* SPDX-License-Identifier: MIT */
/* a2a3sim_backend.h - the backend's operations, apart from the entry that exports them: tests put an entry of their own in front. */
#ifndef A2A3SIM_BACKEND_H
#define A2A3SIM_BACKEND_H

#include "base/backend.h"

#define A2A3SIM_NAME    "a2a3sim"
#define A2A3SIM_TARGETS "a2a3sim,pto_runtime_a2a3sim"

extern const struct base_backend a2a3sim_backend;
extern const struct ptowsp_ops a2a3sim_ops;

#endif
