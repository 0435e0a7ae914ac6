/* SPDX-License-Identifier: MIT */
/* plugin.c - the a2a3sim backend: Ascend 910B, 910C and 950, simulated. */
#include "a2a3sim_backend.h"
#include "base/ops.h"

BASE_PLUGIN(a2a3sim_ops, A2A3SIM_NAME, "ptowsp", "0.1.0", A2A3SIM_TARGETS);
