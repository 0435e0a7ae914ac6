/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_window.h"

#include "ascend/engine/pod.h"
#include "rt/program/dtype.h"

uint8_t ascend_dtype_of(uint16_t dtype)
{
	static const uint8_t codes[] = {
		[PTOWSP_F32] = ASCEND_F32, [PTOWSP_F16] = ASCEND_F16, [PTOWSP_BF16] = ASCEND_BF16, [PTOWSP_F64] = ASCEND_U64, [PTOWSP_I8] = ASCEND_I8,
		[PTOWSP_I16] = ASCEND_I16, [PTOWSP_I32] = ASCEND_I32, [PTOWSP_I64] = ASCEND_I64,   [PTOWSP_U8] = ASCEND_U8,   [PTOWSP_U16] = ASCEND_U16,
		[PTOWSP_U32] = ASCEND_U32, [PTOWSP_U64] = ASCEND_U64, [PTOWSP_BOOL] = ASCEND_BOOL};

	return dtype < sizeof(codes) ? codes[dtype] : ASCEND_U8;
}

static bool is_wide(const struct ptowsp_tensor_arg *arg)
{
	return arg->rows > UINT32_MAX || arg->columns > UINT32_MAX || arg->row_stride > UINT32_MAX || arg->column_stride > UINT32_MAX;
}

/* The runtime wants a distance of one element at least, where nobody goes, too. */
static uint32_t stride_of(uint64_t stride)
{
	return stride ? (uint32_t)stride : 1;
}

bool ascend_plan_window_of(struct ascend_plan_window *window, const struct ptowsp_tensor_arg *arg, uint32_t entry, const void *base)
{
	bool flat = arg->rows == 1, touched = arg->rows && arg->columns && base;

	*window = (struct ascend_plan_window){.entry = entry,
					      .dtype = ascend_dtype_of(arg->dtype),
					      .access = (uint8_t)arg->access,
					      .ndims = 1,
					      .contiguous = 1,
					      .shapes = {1, 1},
					      .strides = {1, 1}};
	if (!touched || is_wide(arg))
		return !touched;
	window->start = (uint64_t)((const char *)arg->data - (const char *)base) / rt_dtype_bytes(arg->dtype);
	window->ndims = flat ? 1 : 2;
	window->contiguous = arg->column_stride == 1 && (flat || arg->row_stride == arg->columns);
	window->shapes[0] = (uint32_t)(flat ? arg->columns : arg->rows);
	window->shapes[1] = (uint32_t)arg->columns;
	window->strides[0] = stride_of(flat ? arg->column_stride : arg->row_stride);
	window->strides[1] = stride_of(arg->column_stride);
	return true;
}
