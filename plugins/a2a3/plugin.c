/* SPDX-License-Identifier: MIT */
/* plugin.c - the a2a3 backend: Ascend 910B, 910C and 950, the hardware. */
#include "a2a3_backend.h"
#include "base/ops.h"

BASE_PLUGIN(a2a3_ops, A2A3_NAME, "ptowsp", "0.1.0", A2A3_TARGETS);
