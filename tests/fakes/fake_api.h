/* SPDX-License-Identifier: MIT */
/* fake_api.h - the records between the fake runtime and an orchestration that was compiled against tests/fakes/simpler: the C side of that header. */
#ifndef FAKE_API_H
#define FAKE_API_H

#include "ascend/engine/pod.h"
#include <stdbool.h>

enum { FAKE_INPUT, FAKE_OUTPUT, FAKE_INOUT, FAKE_OUTPUT_EXISTING, FAKE_NO_DEP }; /* TensorArgType; an OUTPUT is placed by the runtime */
#define FAKE_ARGS(most_tensors, most_scalars)                                                                                                                  \
	int32_t tags[most_tensors];                                                                                                                            \
	const struct ascend_tensor *tensors[most_tensors];                                                                                                     \
	uint64_t scalars[most_scalars];                                                                                                                        \
	int32_t tensor_count, scalar_count;                                                                                                                    \
	bool has_error;                                                                                                                                        \
	const char *error;                                                                                                                                     \
	struct {                                                                                                                                               \
		int16_t blocks;                                                                                                                                \
		bool sync_start;                                                                                                                               \
	} launch;                                                                                                                                              \
	const uint64_t *deps;                                                                                                                                  \
	uint32_t dep_count;
struct fake_args { /* CoreTaskArgs */
	FAKE_ARGS(ASCEND_TASK_TENSORS, ASCEND_TASK_SCALARS)
};
struct fake_entry { /* ChipTaskArgs */
	FAKE_ARGS(ASCEND_ENTRY_TENSORS, ASCEND_ENTRY_SCALARS)
};
struct fake_outputs { /* TaskOutputTensors */
	uint64_t task;
	uint32_t count;
	const struct ascend_tensor *tensors[ASCEND_TASK_TENSORS];
};
struct fake_kernels { /* MixedKernels */
	int32_t ids[3];
};
struct fake_config { /* PTO2OrchestrationConfig */
	int expected_arg_count;
};

struct fake_runtime;
struct fake_ops {
	struct fake_outputs (*submit_task)(struct fake_runtime *rt, const struct fake_kernels *kernels, const struct fake_args *args);
	void (*scope_begin)(struct fake_runtime *rt);
	void (*scope_end)(struct fake_runtime *rt);
	bool (*is_fatal)(struct fake_runtime *rt);
	void (*report_fatal)(struct fake_runtime *rt, int32_t code, const char *function, const char *format, ...);
	struct fake_outputs (*submit_dummy_task)(struct fake_runtime *rt, const struct fake_args *args);
	uint64_t (*get_tensor_data)(struct fake_runtime *rt, const struct ascend_tensor *tensor, uint32_t dims, const uint32_t *indices);
};
/* PTO2Runtime: the fake's own fields stand behind it. */
struct fake_runtime {
	const struct fake_ops *ops;
	uint8_t scope_mode;
};

#endif
