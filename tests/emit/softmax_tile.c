/* Kernel softmax_tile as C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */
#include "isa/kernel_tile.h"

enum { input, output }; /* windows */
static const struct tile_param params[] = {
	{"input", PTOWSP_F32, PTOWSP_READ},
	{"output", PTOWSP_F32, PTOWSP_WRITE},
};
static const struct tile_kernel kernel = {"softmax_tile", params, 2, 0, 5248};

TILE_MACHINES
static ptowsp_status softmax_tile_body(struct tile_call *call)
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
		for (size_t top = 0; top < 20; top += 8) {
			const size_t rows = top + 8 <= 20 ? 8 : 4;

			for (size_t row = top; row < top + rows; row++) {
				TILE_LOOP
				for (size_t column = 0; column < 64; column++) {
					const float x = x_from[row * x_from_step + column]; /* %x = tload %input[0, 0] */
					x_tile[row * 64 + column] = x;
				}
			}
			tile_rowmax_f32(most_tile + top, x_tile + top * 64, rows, 64); /* %most = trowmax %x */
			for (size_t row = top; row < top + rows; row++) {
				const float most = most_tile[row];
				TILE_LOOP
				for (size_t column = 0; column < 64; column++) {
					float x = x_tile[row * 64 + column] - most; /* %x = trowexpandsub %x, %most */
					x = tile_exp_f32(x); /* %x = texp %x */
					x_tile[row * 64 + column] = x;
				}
			}
			tile_rowsum_f32(sum_tile + top, x_tile + top * 64, rows, 64); /* %sum = trowsum %x */
			for (size_t row = top; row < top + rows; row++) {
				const float sum = sum_tile[row];
				TILE_LOOP
				for (size_t column = 0; column < 64; column++) {
					const float x = x_tile[row * 64 + column] / sum; /* %x = trowexpanddiv %x, %sum */
					x_into_2[row * x_into_step_2 + column] = x;
				}
			}
		}
		tile_write_end(&x_place_2, x_to_2.at, 20, 64, 4);
	}
	call->cycles += 1280;
	return PTOWSP_OK;
}

__attribute__((visibility("default")))
ptowsp_status softmax_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return tile_run(&kernel, task, out, softmax_tile_body);
}
