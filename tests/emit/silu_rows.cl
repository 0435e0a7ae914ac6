/* Kernel silu_rows as OpenCL C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.
 * -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DTILE_WIDTH=n -I. silu_rows.cl; it is launched as one work-group of n. */
#include "isa/kernel_opencl.h"

static ptowsp_status silu_rows_body(struct tile_call *call)
{
	enum { input, output }; /* windows */
	int64_t count = (int32_t)call->task->args[0];
	float scale = isa_float_of(call->task->args[1]);
	int64_t i = 0;

	/* FOR %i:idx, 0:idx, %count:i32, 1:idx (line 5) */
	for (i = 0; i < count; i += 1) {
		TILE_TURN;
		{
			/* %x = tload %input[%i, 0] : !pto.tile<8x64xf32> (line 6) */
			struct tile_place x_at = tile_find(call, "line 6", "tload reads", input, i, 0, 8, 64, 4);
			if (!x_at.at)
				return PTOWSP_KERNEL_FAILED;
			tile_read_begin(&x_at, call->copies + 0, 8, 64, 4);
			/* tstore %y, %output[%i, 0] : !pto.tile<8x64xf32> (line 10) */
			call->cycles += 2048;
			const struct tile_place y_place = tile_find(call, "line 10", "tstore writes", output, i, 0, 8, 64, 4);
			if (!y_place.at)
				return PTOWSP_KERNEL_FAILED;
			const struct tile_place y_to = tile_write_begin(&y_place, call->copies + 2048, 64, 4);
			tile_part(&x_at, &y_to, call->copies + 0, 8, 64, 4, 8, 64, 4);
			const TILE_GLOBAL float *const x_from = (const TILE_GLOBAL float *)(TILE_GLOBAL void *)x_at.at;
			const size_t x_from_step = x_at.step / 4;
			TILE_GLOBAL float *const y_into = (TILE_GLOBAL float *)(TILE_GLOBAL void *)y_to.at;
			const size_t y_into_step = y_to.step / 4;
			for (size_t row = TILE_THREAD / TILE_ROW; row < 8; row += TILE_WIDTH / TILE_ROW) {
				for (size_t column = TILE_THREAD % TILE_ROW; column < 64; column += TILE_ROW) {
					const float x = x_from[row * x_from_step + column]; /* %x = tload %input[%i, 0] */
					float y = tile_silu_f32(x); /* %y = tsilu %x */
					y = y * scale; /* %y = tmuls %y, %scale */
					y = y + x; /* %y = tadd %y, %x */
					y_into[row * y_into_step + column] = y;
				}
			}
			TILE_SYNC;
			tile_write_end(&y_place, y_to.at, 8, 64, 4);
		}
		call->cycles += 512;
	}
	return PTOWSP_OK;
}

struct silu_rows_given {
	struct tile_shape shapes[2];
	uint64_t args[2];
	uint32_t block, block_count, result, unused;
};

__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, 1, 1))) void silu_rows_on_device(TILE_GLOBAL uchar *buffer_0, TILE_GLOBAL uchar *buffer_1, struct silu_rows_given given, TILE_GLOBAL struct tile_result *results, TILE_GLOBAL uchar *workspace)
{
	TILE_GLOBAL struct tile_result *const result = &results[given.result];
	TILE_TILES(tiles, 4096, workspace);
	const struct tile_window windows[] = {
		tile_window_make(buffer_0, &given.shapes[0]),
		tile_window_make(buffer_1, &given.shapes[1]),
	};
	const struct tile_task task = {windows, given.args, given.block, given.block_count};
	struct tile_call call = {&task, tiles, workspace, 0, TILE_JUMPS, result, (TILE_MEMORY int *)(tiles + 4096), 0};
	const ptowsp_status status = silu_rows_body(&call);

	tile_leave(result, status, call.cycles);
}
