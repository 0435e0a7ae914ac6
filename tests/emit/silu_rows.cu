/* Kernel silu_rows as CUDA, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * nvcc -fmad=false -I. silu_rows.cu; it is launched in one block, of a multiple of 32 threads. */
#include "isa/kernel_cuda.h"

enum { input, output }; /* windows */
static __device__ const struct tile_param params[] = {
	{"input", PTOWSP_F32, PTOWSP_READ},
	{"output", PTOWSP_F32, PTOWSP_WRITE},
};
static __device__ const struct tile_kernel kernel = {"silu_rows", params, 2, 2, 4096};

static __device__ ptowsp_status silu_rows_body(struct tile_call *call)
{
	float *const x_tile = (float *)(void *)(call->memory + 0); /* 8x64xf32 */
	float *const y_tile = (float *)(void *)(call->memory + 2048); /* 8x64xf32 */
	int64_t count = (int32_t)call->task->args[0];
	float scale = isa_float_of(call->task->args[1]);
	int64_t i = 0;

	/* FOR %i:idx, 0:idx, %count:i32, 1:idx (line 5) */
	for (i = 0; i < count; i += 1) {
		{
			/* %x = tload %input[%i, 0] : !pto.tile<8x64xf32> (line 6) */
			struct tile_place x_at = tile_find(call, "line 6", "tload reads", input, i, 0, 8, 64, 4);
			if (!x_at.at)
				return PTOWSP_KERNEL_FAILED;
			tile_read_begin(&x_at, x_tile, 8, 64, 4);
			/* tstore %y, %output[%i, 0] : !pto.tile<8x64xf32> (line 10) */
			call->cycles += 2048;
			const struct tile_place y_place = tile_find(call, "line 10", "tstore writes", output, i, 0, 8, 64, 4);
			if (!y_place.at)
				return PTOWSP_KERNEL_FAILED;
			const struct tile_place y_to = tile_write_begin(&y_place, y_tile, 64, 4);
			tile_part(&x_at, &y_to, x_tile, 8, 64, 4, 8, 64, 4);
			const float *const x_from = (const float *)(void *)x_at.at;
			const size_t x_from_step = x_at.step / 4;
			float *const y_into = (float *)(void *)y_to.at;
			const size_t y_into_step = y_to.step / 4;
			for (size_t row = threadIdx.x / 32; row < 8; row += blockDim.x / 32) {
				for (size_t column = threadIdx.x % 32; column < 64; column += 32) {
					const float x = x_from[row * x_from_step + column]; /* %x = tload %input[%i, 0] */
					float y = tile_silu_f32(x); /* %y = tsilu %x */
					y = y * scale; /* %y = tmuls %y, %scale */
					y = y + x; /* %y = tadd %y, %x */
					y_into[row * y_into_step + column] = y;
				}
			}
			__syncthreads();
			tile_write_end(&y_place, y_to.at, 8, 64, 4);
		}
		call->cycles += 512;
	}
	return PTOWSP_OK;
}

extern "C" __global__ void silu_rows_on_device(struct tile_task task, struct tile_result *result)
{
	TILE_SHARED(shared);

	tile_run(&kernel, &task, result, 4096u > TILE_SHARED_MOST ? task.workspace : shared, silu_rows_body);
}

#ifndef TILE_WITHOUT_LAUNCH
extern "C" ptowsp_status silu_rows(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return tile_launch(silu_rows_on_device, "silu_rows", 4096u, task, out);
}
#endif
