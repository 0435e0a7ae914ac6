/* SPDX-License-Identifier: MIT */
/* write.c - --out files: all are complete before the first takes its place. */
#include "registry/common/common_dtype.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

static ptowsp_status write_one(struct run *run, uint32_t index, struct ptowsp_error *error)
{
	struct run_tensor *tensor = &run->tensors[index];
	struct ptowsp_tensor_view view;
	char header[NPY_HEADER];
	size_t length;

	run_tensor_view(run, index, &view);
	if (!view.data)
		return reg_fail(error, PTOWSP_INVALID, "--out %.60s: the entry does not use that tensor; --explain says what it uses", tensor->info.name);
	length = npy_header(header, view.dtype, view.rank, view.extents);
	fwrite(header, 1, length, tensor->output.file);
	fwrite(view.data, common_dtype(view.dtype)->bytes, (size_t)view.elements, tensor->output.file);
	return output_finish(&tensor->output, error);
}

ptowsp_status run_outputs_write(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < run->tensor_count && !status; i++)
		if (run->tensors[i].out)
			status = write_one(run, i, error);
	return status;
}

ptowsp_status run_outputs_publish(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < run->tensor_count && !status; i++)
		if (run->tensors[i].out)
			status = output_publish(&run->tensors[i].output, error);
	return status;
}
