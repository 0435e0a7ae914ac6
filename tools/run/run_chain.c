/* SPDX-License-Identifier: MIT */
/* run_chain.c - --chain: tensors lie in buffers of the device from the first run to the last, so each goes on with what the one before has left. */
#include <stdlib.h>

#include "registry/common/common_dtype.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

static uint64_t bytes_of(const struct ptowsp_tensor_view *view)
{
	return view->elements * common_dtype(view->dtype)->bytes;
}

/* A tensor that is bound keeps the shape that it has, also where the package says none. */
static ptowsp_status tensor_move(struct run *run, uint32_t index, const struct ptowsp_tensor_view *view, struct ptowsp_error *error)
{
	struct run_tensor *tensor = &run->tensors[index];
	ptowsp_status status = ptowsp_device_buffer_create(&tensor->buffer, run->backend, bytes_of(view), error);

	tensor->origin = view->origin;
	if (!status)
		status = ptowsp_device_buffer_write(tensor->buffer, 0, view->data, bytes_of(view), error);
	if (!status)
		status = ptowsp_tensor_shape(run->program, index, view->rank, view->extents, "the first run of the chain", error);
	return status ? status : ptowsp_tensor_bind_buffer(run->program, tensor->info.name, tensor->buffer, 0, view->elements, error);
}

ptowsp_status run_chain_begin(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	struct ptowsp_tensor_view view;

	for (uint32_t i = 0; i < run->tensor_count && !status; i++) {
		run_tensor_view(run, i, &view);
		if (view.data && view.elements)
			status = tensor_move(run, i, &view, error);
	}
	return status ? status : ptowsp_prepare(run->program, &run->execute, error);
}

ptowsp_status run_chain_end(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	struct ptowsp_tensor_view view;

	for (uint32_t i = 0; i < run->tensor_count && !status; i++) {
		struct run_tensor *tensor = &run->tensors[i];

		if (!tensor->buffer)
			continue;
		run_tensor_view(run, i, &view);
		tensor->left = malloc((size_t)bytes_of(&view));
		status = tensor->left ? ptowsp_device_buffer_read(tensor->buffer, 0, tensor->left, bytes_of(&view), error)
				      : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for tensor \"%.60s\"", tensor->info.name);
	}
	return status;
}

void run_chain_finish(struct run *run)
{
	for (uint32_t i = 0; run->tensors && i < run->tensor_count; i++) {
		ptowsp_device_buffer_destroy(run->tensors[i].buffer);
		free(run->tensors[i].left);
	}
}

struct run_chained run_chained(const struct run *run)
{
	struct run_chained sum = {0};
	struct ptowsp_tensor_view view;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		if (!run->tensors[i].buffer)
			continue;
		run_tensor_view(run, i, &view);
		sum.tensors++;
		sum.bytes += bytes_of(&view);
		sum.is_apart = sum.is_apart || ptowsp_device_buffer_is_apart(run->tensors[i].buffer);
	}
	return sum;
}
