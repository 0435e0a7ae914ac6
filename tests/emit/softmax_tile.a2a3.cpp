/* Kernel softmax_tile as Ascend C for A2 and A3, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */
#include "isa/kernel_ascend.h"

enum { input, output }; /* windows */

__aicore__ inline ptowsp_status softmax_tile_body(struct tile_call *call)
{
	AscendC::LocalTensor<float> x_tile = call->tiles.GetWithOffset<float>(1280, 0); /* 20x64xf32 */
	AscendC::LocalTensor<float> most_tile = call->tiles.GetWithOffset<float>(20, 5120); /* 20x1xf32 */
	AscendC::LocalTensor<float> sum_tile = call->tiles.GetWithOffset<float>(20, 5120); /* 20x1xf32 */

	/* %x = tload %input[0, 0] : !pto.tile<20x64xf32> (line 17) */
	if (tile_load(call, x_tile, input, 0, 0, 20, 64))
		return PTOWSP_KERNEL_FAILED;
	/* %most = trowmax %x : !pto.tile<20x64xf32> -> !pto.tile<20x1xf32> (line 18) */
	tile_row_max(most_tile, x_tile, tile_work<float>(call), 20, 64);
	AscendC::PipeBarrier<PIPE_V>();
	/* %x = trowexpandsub %x, %most : !pto.tile<20x64xf32>, !pto.tile<20x1xf32> -> !pto.tile<20x64xf32> (line 19) */
	tile_row_sub(x_tile, x_tile, most_tile, tile_work<float>(call), 20, 64);
	AscendC::PipeBarrier<PIPE_V>();
	/* %x = texp %x : !pto.tile<20x64xf32> (line 20) */
	AscendC::Exp(x_tile, x_tile, 1280);
	AscendC::PipeBarrier<PIPE_V>();
	/* %sum = trowsum %x : !pto.tile<20x64xf32> -> !pto.tile<20x1xf32> (line 21) */
	tile_row_sum(sum_tile, x_tile, tile_work<float>(call), 20, 64);
	AscendC::PipeBarrier<PIPE_V>();
	/* %x = trowexpanddiv %x, %sum : !pto.tile<20x64xf32>, !pto.tile<20x1xf32> -> !pto.tile<20x64xf32> (line 22) */
	tile_row_div(x_tile, x_tile, sum_tile, tile_work<float>(call), 20, 64);
	AscendC::PipeBarrier<PIPE_V>();
	/* tstore %x, %output[0, 0] : !pto.tile<20x64xf32> (line 23) */
	if (tile_store(call, x_tile, output, 0, 0, 20, 64))
		return PTOWSP_KERNEL_FAILED;
	return PTOWSP_OK;
}

#ifdef TILE_PTO_RUNTIME /* for a pto-runtime: tensor records, then scalars */
extern "C" __aicore__ void TILE_ENTRY(softmax_tile)(__gm__ int64_t *args)
{
	struct tile_window windows[2];
	struct tile_call call;
	ptowsp_status status;

	tile_window_take(&windows[0], args, 0, 4);
	tile_window_take(&windows[1], args, 1, 4);
	tile_begin(&call, windows, (__gm__ uint64_t *)args + 2, NULL, tile_context(args, 0), tile_context(args, 1), 5248, 10752);
	status = softmax_tile_body(&call);
	tile_end(&call);
	TILE_ENDED(args, status);
}
#else
/* One block of a task, for who calls kernels on a core; and the kernel as it is launched by itself. */
__aicore__ inline ptowsp_status softmax_tile_incore(GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count)
{
	struct tile_call call;
	ptowsp_status status;

	tile_begin(&call, (__gm__ struct tile_window *)tensors, (__gm__ uint64_t *)args, workspace, block, block_count, 5248, 10752);
	status = softmax_tile_body(&call);
	tile_end(&call);
	return status;
}

extern "C" __global__ __aicore__ void softmax_tile(GM_ADDR tensors, GM_ADDR args, GM_ADDR result, GM_ADDR workspace)
{
	*(__gm__ int32_t *)result = softmax_tile_incore(tensors, args, workspace, (uint32_t)AscendC::GetBlockIdx(), (uint32_t)AscendC::GetBlockNum());
}
#endif
