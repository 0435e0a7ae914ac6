/* SPDX-License-Identifier: MIT */
/* plugin.c - the starpu backend: tasks of a package by the task engine StarPU, on the workers that it has here. */
#include "base/ops.h"
#include "starpu/spu_backend.h"

/* Drivers of OpenCL workers do what plugins/opencl says of them; without such workers none is started. */
BASE_PLUGIN_OF_DRIVER(spu_ops, SPU_NAME, "ptowsp", "0.1.0", SPU_NAME, "driver:nopencl=threads,environment,handlers");
