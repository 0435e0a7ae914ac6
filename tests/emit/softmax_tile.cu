/* Kernel softmax_tile as CUDA, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * nvcc -fmad=false -I. softmax_tile.cu; it is launched in one block, of a multiple of 32 threads. */
#include "isa/kernel_cuda.h"

enum { input, output }; /* windows */
static __device__ const struct tile_param params[] = {
	{"input", PTOWSP_F32, PTOWSP_READ},
	{"output", PTOWSP_F32, PTOWSP_WRITE},
};
static __device__ const struct tile_kernel kernel = {"softmax_tile", params, 2, 0, 5248};

static __device__ ptowsp_status softmax_tile_body(struct tile_call *call)
{
	float *const x_tile = (float *)(void *)(call->memory + 0); /* 20x64xf32 */
	float *const most_tile = (float *)(void *)(call->memory + 5120); /* 20x1xf32 */
	float *const sum_tile = (float *)(void *)(call->memory + 5120); /* 20x1xf32 */

	{
		/* %x = tload %input[0, 0] : !pto.tile<20x64xf32> (line 17) */
		struct tile_place x_at = tile_find(call, "line 17", "tload reads", input, 0, 0, 20, 64, 4);
		if (!x_at.at)
			return PTOWSP_KERNEL_FAILED;
		tile_read_begin(&x_at, x_tile, 20, 64, 4);
		/* tstore %x, %output[0, 0] : !pto.tile<20x64xf32> (line 23) */
		call->cycles += 5160;
		const struct tile_place x_place_2 = tile_find(call, "line 23", "tstore writes", output, 0, 0, 20, 64, 4);
		if (!x_place_2.at)
			return PTOWSP_KERNEL_FAILED;
		const struct tile_place x_to_2 = tile_write_begin(&x_place_2, x_tile, 64, 4);
		tile_part(&x_at, &x_to_2, x_tile, 20, 64, 4, 20, 64, 4);
		const float *const x_from = (const float *)(void *)x_at.at;
		const size_t x_from_step = x_at.step / 4;
		float *const x_into_2 = (float *)(void *)x_to_2.at;
		const size_t x_into_step_2 = x_to_2.step / 4;
		for (size_t row = threadIdx.x / 32; row < 20; row += blockDim.x / 32) {
			for (size_t column = threadIdx.x % 32; column < 64; column += 32) {
				const float x = x_from[row * x_from_step + column]; /* %x = tload %input[0, 0] */
				x_tile[row * 64 + column] = x;
			}
		}
		__syncthreads();
		tile_rowmax_f32(most_tile, x_tile, 20, 64); /* %most = trowmax %x */
		for (size_t row = threadIdx.x / 32; row < 20; row += blockDim.x / 32) {
			const float most = most_tile[row];
			for (size_t column = threadIdx.x % 32; column < 64; column += 32) {
				float x = x_tile[row * 64 + column] - most; /* %x = trowexpandsub %x, %most */
				x = tile_exp_f32(x); /* %x = texp %x */
				x_tile[row * 64 + column] = x;
			}
		}
		__syncthreads();
		tile_rowsum_f32(sum_tile, x_tile, 20, 64); /* %sum = trowsum %x */
		for (size_t row = threadIdx.x / 32; row < 20; row += blockDim.x / 32) {
			const float sum = sum_tile[row];
			for (size_t column = threadIdx.x % 32; column < 64; column += 32) {
				const float x = x_tile[row * 64 + column] / sum; /* %x = trowexpanddiv %x, %sum */
				x_into_2[row * x_into_step_2 + column] = x;
			}
		}
		__syncthreads();
		tile_write_end(&x_place_2, x_to_2.at, 20, 64, 4);
	}
	call->cycles += 1280;
	return PTOWSP_OK;
}

extern "C" __global__ void softmax_tile_on_device(struct tile_task task, struct tile_result *result)
{
	TILE_SHARED(shared);

	tile_run(&kernel, &task, result, 5248u > TILE_SHARED_MOST ? task.workspace : shared, softmax_tile_body);
}

#ifndef TILE_WITHOUT_LAUNCH
extern "C" ptowsp_status softmax_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return tile_launch(softmax_tile_on_device, "softmax_tile", 5248u, task, out);
}
#endif
