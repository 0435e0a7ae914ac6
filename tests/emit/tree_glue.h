/* SPDX-License-Identifier: MIT */
/* tree_glue.h - an emitted orchestration as a C function: what its tasks are, and who runs them. */
#ifndef TESTS_EMIT_TREE_GLUE_H
#define TESTS_EMIT_TREE_GLUE_H

#include <stdint.h>

struct tree_window {
	uint64_t data, rows, columns, row_stride, column_stride, start;
	uint32_t tensor, access, dtype;
};
struct tree_task {
	uint64_t number, order;
	uint32_t kernel, stream, owner, blocks, process; /* stream 0 without one */
	uint32_t arg_count, window_count;
	const uint64_t *args;
	const struct tree_window *windows;
};
struct tree_tensor {
	uint64_t data, elements, columns;
	uint32_t dtype, size;
};
struct tree_setup {
	void *context;
	void (*submitted)(void *context, const struct tree_task *task); /* of the instance, in order */
	int32_t (*run)(void *context, const struct tree_task *task);
	void (*depends)(void *context, uint64_t producer, uint64_t consumer); /* what the builder found, of predecessors that had not ended */
	const struct tree_tensor *tensors;
	int64_t *slots;
	uint32_t workload, instances;
	uint32_t lazy;       /* tasks end only when nothing else can be done: then all predecessors are found */
	char message[160];
};
#ifdef __cplusplus
extern "C"
#endif
int32_t tree_run(struct tree_setup *setup);

#endif
