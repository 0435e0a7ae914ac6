/* Kernel softmax_tile as OpenCL C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DTILE_WIDTH=n -I. softmax_tile.cl; it is launched as one work-group of n. */
#include "isa/kernel_opencl.h"

static ptowsp_status softmax_tile_body(struct tile_call *call)
{
	enum { input, output }; /* windows */
	TILE_MEMORY float *const x_tile = (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 0); /* 20x64xf32 */
	TILE_MEMORY float *const most_tile = (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 5120); /* 20x1xf32 */
	TILE_MEMORY float *const sum_tile = (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 5120); /* 20x1xf32 */

	{
		/* %x = tload %input[0, 0] : !pto.tile<20x64xf32> (line 17) */
		struct tile_place x_at = tile_find(call, "line 17", "tload reads", input, 0, 0, 20, 64, 4);
		if (!x_at.at)
			return PTOWSP_KERNEL_FAILED;
		tile_read_begin(&x_at, call->copies + 0, 20, 64, 4);
		/* tstore %x, %output[0, 0] : !pto.tile<20x64xf32> (line 23) */
		call->cycles += 5160;
		const struct tile_place x_place_2 = tile_find(call, "line 23", "tstore writes", output, 0, 0, 20, 64, 4);
		if (!x_place_2.at)
			return PTOWSP_KERNEL_FAILED;
		const struct tile_place x_to_2 = tile_write_begin(&x_place_2, call->copies + 0, 64, 4);
		tile_part(&x_at, &x_to_2, call->copies + 0, 20, 64, 4, 20, 64, 4);
		const TILE_GLOBAL float *const x_from = (const TILE_GLOBAL float *)(TILE_GLOBAL void *)x_at.at;
		const size_t x_from_step = x_at.step / 4;
		TILE_GLOBAL float *const x_into_2 = (TILE_GLOBAL float *)(TILE_GLOBAL void *)x_to_2.at;
		const size_t x_into_step_2 = x_to_2.step / 4;
		for (size_t row = TILE_THREAD / TILE_ROW; row < 20; row += TILE_WIDTH / TILE_ROW) {
			for (size_t column = TILE_THREAD % TILE_ROW; column < 64; column += TILE_ROW) {
				const float x = x_from[row * x_from_step + column]; /* %x = tload %input[0, 0] */
				x_tile[row * 64 + column] = x;
			}
		}
		TILE_SYNC;
		tile_rowmax_f32(most_tile, x_tile, 20, 64); /* %most = trowmax %x */
		for (size_t row = TILE_THREAD / TILE_ROW; row < 20; row += TILE_WIDTH / TILE_ROW) {
			const float most = most_tile[row];
			for (size_t column = TILE_THREAD % TILE_ROW; column < 64; column += TILE_ROW) {
				float x = x_tile[row * 64 + column] - most; /* %x = trowexpandsub %x, %most */
				x = tile_exp_f32(x); /* %x = texp %x */
				x_tile[row * 64 + column] = x;
			}
		}
		TILE_SYNC;
		tile_rowsum_f32(sum_tile, x_tile, 20, 64); /* %sum = trowsum %x */
		for (size_t row = TILE_THREAD / TILE_ROW; row < 20; row += TILE_WIDTH / TILE_ROW) {
			const float sum = sum_tile[row];
			for (size_t column = TILE_THREAD % TILE_ROW; column < 64; column += TILE_ROW) {
				const float x = x_tile[row * 64 + column] / sum; /* %x = trowexpanddiv %x, %sum */
				x_into_2[row * x_into_step_2 + column] = x;
			}
		}
		TILE_SYNC;
		tile_write_end(&x_place_2, x_to_2.at, 20, 64, 4);
	}
	call->cycles += 1280;
	return PTOWSP_OK;
}

struct softmax_tile_given {
	struct tile_shape shapes[2];
	uint64_t args[1];
	uint32_t block, block_count, result, unused;
};

__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, 1, 1))) void softmax_tile_on_device(TILE_GLOBAL uchar *buffer_0, TILE_GLOBAL uchar *buffer_1, struct softmax_tile_given given, TILE_GLOBAL struct tile_result *results, TILE_GLOBAL uchar *workspace)
{
	TILE_GLOBAL struct tile_result *const result = &results[given.result];
	TILE_TILES(tiles, 5248, workspace);
	const struct tile_window windows[] = {
		tile_window_make(buffer_0, &given.shapes[0]),
		tile_window_make(buffer_1, &given.shapes[1]),
	};
	const struct tile_task task = {windows, given.args, given.block, given.block_count};
	struct tile_call call = {&task, tiles, workspace, 0, TILE_JUMPS, result, (TILE_MEMORY int *)(tiles + 5248), 0};
	const ptowsp_status status = softmax_tile_body(&call);

	tile_leave(result, status, call.cycles);
}
