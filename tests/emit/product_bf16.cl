/* Kernel product_bf16 as OpenCL C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DTILE_WIDTH=n -I. product_bf16.cl; it is launched as one work-group of n. */
#include "isa/kernel_opencl.h"

static ptowsp_status product_bf16_body(struct tile_call *call)
{
	enum { a, b, c }; /* windows */
	TILE_MEMORY uint16_t *const left_tile = (TILE_MEMORY uint16_t *)(TILE_MEMORY void *)(call->memory + 0); /* 16x32xbf16 */
	TILE_MEMORY uint16_t *const right_tile = (TILE_MEMORY uint16_t *)(TILE_MEMORY void *)(call->memory + 1024); /* 32x16xbf16 */
	TILE_MEMORY float *const sum_tile = (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 2048); /* 16x16xf32 */

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
	product_widen_bf16((TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 3072), left_tile, 512);
	product_widen_bf16((TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 5120), right_tile, 512);
	product_f32(sum_tile, NULL, (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 3072), (TILE_MEMORY float *)(TILE_MEMORY void *)(call->memory + 5120), 16, 32, 16);
	{
		/* tstore %result, %c[0, 0] : !pto.tile<16x16xbf16> (line 35) */
		call->cycles += 8704;
		const struct tile_place result_place = tile_find(call, "line 35", "tstore writes", c, 0, 0, 16, 16, 2);
		if (!result_place.at)
			return PTOWSP_KERNEL_FAILED;
		const struct tile_place result_to = tile_write_begin(&result_place, call->copies + 0, 16, 2);
		TILE_GLOBAL uint16_t *const result_into = (TILE_GLOBAL uint16_t *)(TILE_GLOBAL void *)result_to.at;
		const size_t result_into_step = result_to.step / 2;
		for (size_t row = TILE_THREAD / TILE_ROW; row < 16; row += TILE_WIDTH / TILE_ROW) {
			for (size_t column = TILE_THREAD % TILE_ROW; column < 16; column += TILE_ROW) {
				const float sum = sum_tile[row * 16 + column] > 0 ? sum_tile[row * 16 + column] : 0; /* %sum = trelu %sum */
				const uint16_t result = isa_put_bf16(sum); /* %result = tcvt %sum {rmode = RINT} */
				result_into[row * result_into_step + column] = result;
			}
		}
		TILE_SYNC;
		tile_write_end(&result_place, result_to.at, 16, 16, 2);
	}
	call->cycles += 256;
	return PTOWSP_OK;
}

struct product_bf16_given {
	struct tile_shape shapes[3];
	uint64_t args[1];
	uint32_t block, block_count, result, unused;
};

__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, 1, 1))) void product_bf16_on_device(TILE_GLOBAL uchar *buffer_0, TILE_GLOBAL uchar *buffer_1, TILE_GLOBAL uchar *buffer_2, struct product_bf16_given given, TILE_GLOBAL struct tile_result *results, TILE_GLOBAL uchar *workspace)
{
	TILE_GLOBAL struct tile_result *const result = &results[given.result];
	TILE_TILES(tiles, 7168, workspace);
	const struct tile_window windows[] = {
		tile_window_make(buffer_0, &given.shapes[0]),
		tile_window_make(buffer_1, &given.shapes[1]),
		tile_window_make(buffer_2, &given.shapes[2]),
	};
	const struct tile_task task = {windows, given.args, given.block, given.block_count};
	struct tile_call call = {&task, tiles, workspace, 0, TILE_JUMPS, result, (TILE_MEMORY int *)(tiles + 7168), 0};
	const ptowsp_status status = product_bf16_body(&call);

	tile_leave(result, status, call.cycles);
}
