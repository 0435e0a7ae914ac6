/* SPDX-License-Identifier: MIT */
/* plugin.c - the opencl backend: kernels on any device that has an OpenCL driver. */
#include "base/ops.h"
#include "opencl/opencl_backend.h"

BASE_PLUGIN(opencl_ops, OPENCL_NAME, "ptowsp", "0.1.0", OPENCL_NAME);
