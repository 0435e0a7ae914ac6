/* SPDX-License-Identifier: MIT */
/* plugin.c - the cpu_sim backend: reference implementation of every semantic, on the processor that runs the host. */
#include "base/ops.h"
#include "cpu_sim_backend.h"

BASE_PLUGIN(cpu_ops, CPU_NAME, "ptowsp", "0.1.0", CPU_NAME);
