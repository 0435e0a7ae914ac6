/* SPDX-License-Identifier: MIT */
/* plugin.c - the opencl backend: kernels on any device that has an OpenCL driver. */
#include "base/ops.h"
#include "opencl/opencl_backend.h"

/* PoCL's workers live as long as the process, and LLVM and it set variables and handle signals. The loader reads which drivers there are; those of GPUs open their devices. */
BASE_PLUGIN_OF_DRIVER(opencl_ops, OPENCL_NAME, "ptowsp", "0.1.0", OPENCL_NAME,
		      "read=/etc/OpenCL;device=/dev/dri/renderD*;device=/dev/nvidia*;device=/dev/kfd;driver=threads,environment,handlers");
