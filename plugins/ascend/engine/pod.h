/* SPDX-License-Identifier: MIT */
/* pod.h - the records that cross the C interface of libhost_runtime.so, byte for byte: generation 4 of the pto-runtime, as of August 2026.
 *
 * Its makers version two of them (abi_version); the others have none, so every size and offset is asserted here, and library.c asks the library
 * for the sizes that it tells. Little-endian, 64-bit pointers. Names in front of a field of another name are theirs.
 * C11 and C++17. Source: hw-native-sys/simpler, src/common/{worker/pto_runtime_c_api.h, task_interface/, log/include/common/host_log_state.h}. */
#ifndef ASCEND_POD_H
#define ASCEND_POD_H

#include "ascend/adapter.h"
#include "ptowsp/base.h"
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of that interface: arg_direction.h, data_type.h, callable.h, callable_protocol.h, call_config.h, pto_runtime_c_api.h. */
enum {
	ASCEND_TASK_TENSORS = 32,   /* CORE_MAX_TENSOR_ARGS: tensor arguments of a task */
	ASCEND_TASK_SCALARS = 16,   /* CORE_MAX_SCALAR_ARGS */
	ASCEND_ENTRY_TENSORS = 256, /* CHIP_MAX_TENSOR_ARGS: of an orchestration */
	ASCEND_ENTRY_SCALARS = 128, /* CHIP_MAX_SCALAR_ARGS */
	ASCEND_TENSOR_DIMS = 5,     /* MAX_TENSOR_DIMS */
	ASCEND_FUNCTIONS = 1024,    /* children of a callable, ids of functions */
	ASCEND_CALLABLES = 64,      /* MAX_REGISTERED_CALLABLE_IDS */
	ASCEND_RINGS = 4,           /* RUNTIME_ENV_RING_COUNT */
	ASCEND_NAME = 64,           /* CALLABLE_FUNC_NAME_MAX */
	ASCEND_BINARY_ALIGN = 64,   /* CALLABLE_ALIGN: of a child, and of its binary */
	ASCEND_PREFIX = 1024,       /* bytes of output_prefix */
	ASCEND_RESOURCES = 8,       /* PTO_PIPELINE_MAX_RESOURCES */
	ASCEND_DEPTH = 2            /* PTO_PIPELINE_MAX_DEPTH */
};
#define ASCEND_NO_TASK UINT64_MAX /* PTO2TaskId::invalid() */

enum ascend_direction { ASCEND_SCALAR = 0, ASCEND_IN = 1, ASCEND_OUT = 2, ASCEND_INOUT = 3 };
enum ascend_space { ASCEND_HOST = 0, ASCEND_DEVICE = 1 };
enum ascend_dtype {
	ASCEND_F32,
	ASCEND_F16,
	ASCEND_I32,
	ASCEND_I16,
	ASCEND_I8,
	ASCEND_U8,
	ASCEND_BF16,
	ASCEND_I64,
	ASCEND_U64,
	ASCEND_U16,
	ASCEND_U32,
	ASCEND_BOOL,
	ASCEND_DTYPES
};
/* Codes of the interface itself; others are -(code of a fault), fault.def. */
enum { ASCEND_RC_UNSUPPORTED = -2, ASCEND_RC_INCOMPATIBLE = -3 };
enum { ASCEND_POLL_NOT_READY = 0, ASCEND_POLL_COMPLETE = 1 };

/* ChipTensor: a window into memory, and what a kernel gets a pointer to per tensor argument. Element (i, j, ..) lies at addr + (start + i * strides[0] + j *
 * strides[1] ..) * size of an element. Strides are at least 1. Aligned to 64 bytes, as is what has one inside: the runtime reads it in whole vectors. */
struct ascend_tensor {
	alignas(64) uint64_t addr;
	uint64_t bytes; /* of the whole buffer */
	uint64_t owner; /* task that made it, or ASCEND_NO_TASK */
	uint64_t start; /* elements */
	int32_t version;
	uint32_t ndims; /* 1 .. ASCEND_TENSOR_DIMS */
	uint8_t dtype;
	uint8_t manual_dep; /* 1: nobody looks for writers by overlap */
	uint8_t is_contiguous;
	uint8_t address_space; /* enum ascend_space */
	uint32_t shapes[ASCEND_TENSOR_DIMS];
	uint64_t extent;                      /* elements from start to behind the last one */
	uint32_t strides[ASCEND_TENSOR_DIMS]; /* elements */
	uint8_t pad[36];
};
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_tensor) == 128 && alignof(struct ascend_tensor) == 64, "two cache lines");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, owner) == 16 && offsetof(struct ascend_tensor, start) == 24, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, version) == 32 && offsetof(struct ascend_tensor, ndims) == 36, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, dtype) == 40 && offsetof(struct ascend_tensor, address_space) == 43, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, shapes) == 44 && offsetof(struct ascend_tensor, extent) == 64, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, strides) == 72, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_tensor, addr) == 8 * ASCEND_WORD_ADDRESS && offsetof(struct ascend_tensor, start) == 8 * ASCEND_WORD_START,
		     "adapter.h");

/* ChipStorageTaskArgs: what a run's orchestration is called with. */
struct ascend_entry_args {
	struct ascend_tensor tensors[ASCEND_ENTRY_TENSORS];
	uint64_t scalars[ASCEND_ENTRY_SCALARS];
	int32_t tensor_count, scalar_count;
};
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_entry_args, scalars) == 32768, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_entry_args, tensor_count) == 33792, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_entry_args) == 33856, "with its padding");

/* CallConfig: packed there, and without a gap here. Zeros are defaults; a power of two from 4 on, at least 1,024 bytes, at least 4 entries. */
struct ascend_call_config {
	int32_t aicpu_threads; /* 0: 4 on a2a3 */
	int32_t swimlane, dump_args, pmu, dep_gen, scope_stats;
	uint64_t task_window[ASCEND_RINGS], heap[ASCEND_RINGS], dep_pool[ASCEND_RINGS];
	char output_prefix[ASCEND_PREFIX];
};
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_call_config) == 1144, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_call_config, task_window) == 24, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_call_config, output_prefix) == 120, "layout");

/* CoreCallable: a kernel. Its binary lies at ASCEND_CHILD_BINARY behind its begin. */
struct ascend_child {
	int32_t signature[ASCEND_TASK_TENSORS]; /* enum ascend_direction */
	int32_t signature_count;
	uint32_t binary_bytes;
	uint64_t resolved; /* the runtime's */
};
#define ASCEND_CHILD_BINARY 192u
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_child) == 144, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_child, resolved) == 136, "layout");
PTOWSP_STATIC_ASSERT(ASCEND_CHILD_BINARY % ASCEND_BINARY_ALIGN == 0 && ASCEND_CHILD_BINARY >= sizeof(struct ascend_child), "layout");

/* ChipCallable: the orchestration object at ASCEND_CALLABLE_STORAGE, then children at offsets from there, each a multiple of ASCEND_BINARY_ALIGN. */
struct ascend_callable {
	int32_t signature[ASCEND_ENTRY_TENSORS]; /* enum ascend_direction, per tensor of the entry */
	int32_t signature_count;
	uint32_t orchestration_bytes;
	char function[ASCEND_NAME];
	uint32_t function_length;
	int32_t child_ids[ASCEND_FUNCTIONS];
	uint32_t child_offsets[ASCEND_FUNCTIONS];
	int32_t child_count;
	char config[ASCEND_NAME];
	uint32_t config_length;
};
#define ASCEND_CALLABLE_STORAGE 9376u
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_callable, function) == 1032, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_callable, child_ids) == 1100, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_callable, child_offsets) == 5196, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_callable, child_count) == 9292, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_callable) == 9364, "the header without the padding in front of the storage");
PTOWSP_STATIC_ASSERT(ASCEND_CALLABLE_STORAGE % 16 == 0 && ASCEND_CALLABLE_STORAGE - sizeof(struct ascend_callable) < 16, "layout");

/* NativeRunDescriptor. accepted: NULL, or set to accepted_value when the kernels were really launched. */
struct ascend_run_descriptor {
	uint32_t slot, arena_bank;                /* below the depth of the pipeline contract */
	uint64_t run_id, generation, dispatch_id; /* generation: not 0 */
	uint64_t run_epoch;                       /* unlike any other of this process, not 0 */
	volatile int32_t *accepted;
	int32_t accepted_value;
};
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_run_descriptor) == 56, "layout");
PTOWSP_STATIC_ASSERT(offsetof(struct ascend_run_descriptor, accepted) == 40, "layout");

/* PipelineContract. */
struct ascend_contract {
	uint32_t abi_version; /* 1 */
	uint32_t resource_count, depth;
	struct {
		uint32_t kind, resource_class;
		uint64_t bytes;
	} resources[ASCEND_RESOURCES];
};
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_contract) == 144, "layout");
#define ASCEND_CONTRACT_VERSION 1u

/* SimplerHostLogState: one per process, shared by every library of the runtime. */
struct ascend_log_state {
	uint32_t abi_version; /* 1 */
	uint32_t size;
	int32_t threshold;
	int32_t clock_anchor_pid;
};
PTOWSP_STATIC_ASSERT(sizeof(struct ascend_log_state) == 16, "layout");
#define ASCEND_LOG_VERSION 1u

#endif
