/* Kernel silu_rows as Ascend C for A5, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */
#define TILE_A5
#include "isa/kernel_ascend.h"

enum { input, output }; /* windows */

__aicore__ inline ptowsp_status silu_rows_body(struct tile_call *call)
{
	AscendC::LocalTensor<float> x_tile = call->tiles.GetWithOffset<float>(512, 0); /* 8x64xf32 */
	AscendC::LocalTensor<float> y_tile = call->tiles.GetWithOffset<float>(512, 2048); /* 8x64xf32 */
	int64_t count = (int32_t)call->task->args[0];
	float scale = isa_float_of(call->task->args[1]);
	int64_t i = 0;

	/* FOR %i:idx, 0:idx, %count:i32, 1:idx (line 5) */
	for (i = 0; i < count; i += 1) {
		/* %x = tload %input[%i, 0] : !pto.tile<8x64xf32> (line 6) */
		if (tile_load(call, x_tile, input, i, 0, 8, 64))
			return PTOWSP_KERNEL_FAILED;
		/* %y = tsilu %x : !pto.tile<8x64xf32> (line 7) */
		tile_silu(y_tile, x_tile, tile_work<float>(call), 512);
		AscendC::PipeBarrier<PIPE_V>();
		/* %y = tmuls %y, %scale : !pto.tile<8x64xf32> (line 8) */
		{
			__ubuf__ float *const y_u = (__ubuf__ float *)y_tile.GetPhyAddr();
			uint32_t left = 512;
			__VEC_SCOPE__ {
				AscendC::MicroAPI::MaskReg mask;
				AscendC::MicroAPI::RegTensor<float> y_v;
				for (uint16_t step = 0; step < tile_steps<float>(512); step++) {
					mask = AscendC::MicroAPI::UpdateMask<float>(left);
					AscendC::MicroAPI::LoadAlign(y_v, y_u + step * tile_lanes<float>());
					AscendC::MicroAPI::Muls(y_v, y_v, tile_value<float>(scale), mask);
					AscendC::MicroAPI::StoreAlign(y_u + step * tile_lanes<float>(), y_v, mask);
				}
			}
		}
		AscendC::PipeBarrier<PIPE_V>();
		/* %y = tadd %y, %x : !pto.tile<8x64xf32> (line 9) */
		{
			__ubuf__ float *const x_u = (__ubuf__ float *)x_tile.GetPhyAddr();
			__ubuf__ float *const y_u = (__ubuf__ float *)y_tile.GetPhyAddr();
			uint32_t left = 512;
			__VEC_SCOPE__ {
				AscendC::MicroAPI::MaskReg mask;
				AscendC::MicroAPI::RegTensor<float> x_v;
				AscendC::MicroAPI::RegTensor<float> y_v;
				for (uint16_t step = 0; step < tile_steps<float>(512); step++) {
					mask = AscendC::MicroAPI::UpdateMask<float>(left);
					AscendC::MicroAPI::LoadAlign(x_v, x_u + step * tile_lanes<float>());
					AscendC::MicroAPI::LoadAlign(y_v, y_u + step * tile_lanes<float>());
					AscendC::MicroAPI::Add(y_v, y_v, x_v, mask);
					AscendC::MicroAPI::StoreAlign(y_u + step * tile_lanes<float>(), y_v, mask);
				}
			}
		}
		AscendC::PipeBarrier<PIPE_V>();
		/* tstore %y, %output[%i, 0] : !pto.tile<8x64xf32> (line 10) */
		if (tile_store(call, y_tile, output, i, 0, 8, 64))
			return PTOWSP_KERNEL_FAILED;
	}
	return PTOWSP_OK;
}

#ifdef TILE_PTO_RUNTIME /* for a pto-runtime: tensor records, then scalars */
extern "C" __aicore__ void TILE_ENTRY(silu_rows)(__gm__ int64_t *args)
{
	struct tile_window windows[2];
	struct tile_call call;
	ptowsp_status status;

	tile_window_take(&windows[0], args, 0, 4);
	tile_window_take(&windows[1], args, 1, 4);
	tile_begin(&call, windows, (__gm__ uint64_t *)args + 2, NULL, tile_context(args, 0), tile_context(args, 1), 4096, 4608);
	status = silu_rows_body(&call);
	tile_end(&call);
	TILE_ENDED(args, status);
}
#else
/* One block of a task, for who calls kernels on a core; and the kernel as it is launched by itself. */
__aicore__ inline ptowsp_status silu_rows_incore(GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count)
{
	struct tile_call call;
	ptowsp_status status;

	tile_begin(&call, (__gm__ struct tile_window *)tensors, (__gm__ uint64_t *)args, workspace, block, block_count, 4096, 4608);
	status = silu_rows_body(&call);
	tile_end(&call);
	return status;
}

extern "C" __global__ __aicore__ void silu_rows(GM_ADDR tensors, GM_ADDR args, GM_ADDR result, GM_ADDR workspace)
{
	*(__gm__ int32_t *)result = silu_rows_incore(tensors, args, workspace, (uint32_t)AscendC::GetBlockIdx(), (uint32_t)AscendC::GetBlockNum());
}
#endif
