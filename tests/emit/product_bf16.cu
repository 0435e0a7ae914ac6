/* Kernel product_bf16 as CUDA, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * nvcc -fmad=false -I. product_bf16.cu; it is launched in one block, of a multiple of 32 threads. */
#include "isa/kernel_cuda.h"

enum { a, b, c }; /* windows */
static __device__ const struct tile_param params[] = {
	{"a", PTOWSP_BF16, PTOWSP_READ},
	{"b", PTOWSP_BF16, PTOWSP_READ},
	{"c", PTOWSP_BF16, PTOWSP_WRITE},
};
static __device__ const struct tile_kernel kernel = {"product_bf16", params, 3, 0, 7168};

static __device__ ptowsp_status product_bf16_body(struct tile_call *call)
{
	uint16_t *const left_tile = (uint16_t *)(void *)(call->memory + 0); /* 16x32xbf16 */
	uint16_t *const right_tile = (uint16_t *)(void *)(call->memory + 1024); /* 32x16xbf16 */
	float *const sum_tile = (float *)(void *)(call->memory + 2048); /* 16x16xf32 */
	uint16_t *const result_tile = (uint16_t *)(void *)(call->memory + 0); /* 16x16xbf16 */

	/* %left = tload %a[0, 0] : !pto.tile<16x32xbf16> (line 30) */
	{
		const struct tile_place left_at = tile_find(call, "line 30", "tload reads", a, 0, 0, 16, 32, 2);
		if (!left_at.at)
			return PTOWSP_KERNEL_FAILED;
		tile_copy_in(left_tile, &left_at, 16, 32, 2);
	}
	/* %right = tload %b[0, 0] : !pto.tile<32x16xbf16> (line 31) */
	call->cycles += 512;
	{
		const struct tile_place right_at = tile_find(call, "line 31", "tload reads", b, 0, 0, 32, 16, 2);
		if (!right_at.at)
			return PTOWSP_KERNEL_FAILED;
		tile_copy_in(right_tile, &right_at, 32, 16, 2);
	}
	/* %sum = tmatmul %left, %right : !pto.tile<16x32xbf16>, !pto.tile<32x16xbf16> -> !pto.tile<16x16xf32> (line 32) */
	call->cycles += 512;
	product_widen_bf16((float *)(void *)(call->memory + 3072), left_tile, 512);
	product_widen_bf16((float *)(void *)(call->memory + 5120), right_tile, 512);
	product_f32(sum_tile, NULL, (float *)(void *)(call->memory + 3072), (float *)(void *)(call->memory + 5120), 16, 32, 16);
	{
		/* tstore %result, %c[0, 0] : !pto.tile<16x16xbf16> (line 35) */
		call->cycles += 8704;
		const struct tile_place result_place = tile_find(call, "line 35", "tstore writes", c, 0, 0, 16, 16, 2);
		if (!result_place.at)
			return PTOWSP_KERNEL_FAILED;
		const struct tile_place result_to = tile_write_begin(&result_place, result_tile, 16, 2);
		uint16_t *const result_into = (uint16_t *)(void *)result_to.at;
		const size_t result_into_step = result_to.step / 2;
		for (size_t row = threadIdx.x / 32; row < 16; row += blockDim.x / 32) {
			for (size_t column = threadIdx.x % 32; column < 16; column += 32) {
				const float sum = sum_tile[row * 16 + column] > 0 ? sum_tile[row * 16 + column] : 0; /* %sum = trelu %sum */
				const uint16_t result = isa_put_bf16(sum); /* %result = tcvt %sum {rmode = RINT} */
				result_into[row * result_into_step + column] = result;
			}
		}
		__syncthreads();
		tile_write_end(&result_place, result_to.at, 16, 16, 2);
	}
	call->cycles += 256;
	return PTOWSP_OK;
}

extern "C" __global__ void product_bf16_on_device(struct tile_task task, struct tile_result *result)
{
	TILE_SHARED(shared);

	tile_run(&kernel, &task, result, 7168u > TILE_SHARED_MOST ? task.workspace : shared, product_bf16_body);
}

#ifndef TILE_WITHOUT_LAUNCH
extern "C" ptowsp_status product_bf16(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return tile_launch(product_bf16_on_device, "product_bf16", 7168u, task, out);
}
#endif
