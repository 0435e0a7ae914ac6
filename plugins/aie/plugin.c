/* SPDX-License-Identifier: MIT */
/* plugin.c - the aie backend: tile arrays of AMD, mapped, written as MLIR and simulated. */
#include "aie/aie_backend.h"
#include "base/ops.h"

BASE_PLUGIN(aie_ops, AIE_BACKEND_NAME, "ptowsp", "0.1.0", AIE_TARGETS);
