/* SPDX-License-Identifier: MIT */
/* opencl_api.h - what is called of OpenCL 1.2, declared here, so that neither its headers nor a driver is needed to build the plugin; libOpenCL.so.1 is opened with a device and stays. */
#ifndef OPENCL_API_H
#define OPENCL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptowsp/base.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bits;
typedef struct cl_object *cl_handle; /* of any kind */
typedef void (*cl_notify)(void);     /* never given */
typedef void (*cl_told)(cl_handle event, cl_int state, void *context);

enum {
	CL_SUCCESS = 0,
	CL_DEVICE_NOT_FOUND = -1,
	CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
	CL_OUT_OF_RESOURCES = -5,
	CL_INVALID_BUFFER_SIZE = -61,
	CL_OUT_OF_HOST_MEMORY = -6,
	CL_BUILD_PROGRAM_FAILURE = -11,
	CL_COMPLETE = 0,
	CL_PLATFORM_NAME = 0x0902,
	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
	CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
	CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
	CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
	CL_DEVICE_NAME = 0x102B,
	CL_DRIVER_VERSION = 0x102D,
	CL_DEVICE_VERSION = 0x102F,
	CL_DEVICE_EXTENSIONS = 0x1030,
	CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
	CL_CONTEXT_PLATFORM = 0x1084,
	CL_MEM_OBJECT_BUFFER = 0x10F0,
	CL_MEM_TYPE = 0x1100,
	CL_MEM_FLAGS = 0x1101,
	CL_MEM_SIZE = 0x1102,
	CL_MEM_CONTEXT = 0x1106,
	CL_PROGRAM_BINARY_SIZES = 0x1165,
	CL_PROGRAM_BINARIES = 0x1166,
	CL_PROGRAM_BUILD_LOG = 0x1183,
	CL_EVENT_CONTEXT = 0x11D4,
	CL_PROFILING_COMMAND_START = 0x1282,
	CL_PROFILING_COMMAND_END = 0x1283
};
#define CL_DEVICE_TYPE_CPU         UINT64_C(2)
#define CL_DEVICE_TYPE_GPU         UINT64_C(4)
#define CL_DEVICE_TYPE_ACCELERATOR UINT64_C(8)
#define CL_DEVICE_TYPE_ALL         UINT64_C(0xFFFFFFFF)
#define CL_QUEUE_PROFILING_ENABLE  UINT64_C(2)
#define CL_MEM_READ_WRITE          UINT64_C(1)
#define CL_MEM_WRITE_ONLY          UINT64_C(2)
#define CL_MEM_READ_ONLY           UINT64_C(4)
#define CL_MEM_USE_HOST_PTR        UINT64_C(8)
#define CL_MEM_HOST_WRITE_ONLY     UINT64_C(0x80)
#define CL_MEM_HOST_READ_ONLY      UINT64_C(0x100)
#define CL_MEM_HOST_NO_ACCESS      UINT64_C(0x200)
#define CL_MAP_READ_WRITE          UINT64_C(3)
#define CL_FP_DENORM               UINT64_C(1)
#define CL_FP_ROUND_TO_NEAREST     UINT64_C(4)
#define CL_FP_CORRECTLY_ROUNDED    UINT64_C(128)

struct opencl_api {
#define X(name, result, parameters) result(*name) parameters;
#include "base/opencl/opencl_api.def"
#undef X
};
/* The loader's, opened by the first call; any thread. NULL: *error says what was looked for (NO_DEVICE). */
const struct opencl_api *opencl_api_find(struct ptowsp_error *error);
/* A sentence for an error of a call: NO_MEMORY where it is about memory, else DEVICE_LOST. what: "clCreateBuffer of 12 bytes". */
ptowsp_status opencl_fail(struct ptowsp_error *error, cl_int code, const char *what, ...) __attribute__((format(printf, 3, 4)));

#endif
