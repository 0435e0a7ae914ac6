/* Kernel product_bf16 as Ascend C for A5, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */
#define TILE_A5
#include "isa/kernel_ascend.h"

enum { a, b, c }; /* windows */

__aicore__ inline ptowsp_status product_bf16_body(struct tile_call *call)
{
	AscendC::LocalTensor<bfloat16_t> left_tile = call->tiles.GetWithOffset<bfloat16_t>(512, 0); /* 16x32xbf16 */
	AscendC::LocalTensor<bfloat16_t> right_tile = call->tiles.GetWithOffset<bfloat16_t>(512, 1024); /* 32x16xbf16 */
	AscendC::LocalTensor<float> sum_tile = call->tiles.GetWithOffset<float>(256, 2048); /* 16x16xf32 */
	AscendC::LocalTensor<bfloat16_t> result_tile = call->tiles.GetWithOffset<bfloat16_t>(256, 0); /* 16x16xbf16 */

	/* %left = tload %a[0, 0] : !pto.tile<16x32xbf16> (line 30) */
	if (tile_load(call, left_tile, a, 0, 0, 16, 32))
		return PTOWSP_KERNEL_FAILED;
	/* %right = tload %b[0, 0] : !pto.tile<32x16xbf16> (line 31) */
	if (tile_load(call, right_tile, b, 0, 0, 32, 16))
		return PTOWSP_KERNEL_FAILED;
	/* %sum = tmatmul %left, %right : !pto.tile<16x32xbf16>, !pto.tile<32x16xbf16> -> !pto.tile<16x16xf32> (line 32) */
	tile_product<isa_type_f32, isa_type_bf16>(call, sum_tile, left_tile, right_tile, 16, 32, 16);
	/* %sum = trelu %sum : !pto.tile<16x16xf32> (line 33) */
	{
		__ubuf__ float *const sum_u = (__ubuf__ float *)sum_tile.GetPhyAddr();
		uint32_t left = 256;
		__VEC_SCOPE__ {
			AscendC::MicroAPI::MaskReg mask;
			AscendC::MicroAPI::RegTensor<float> sum_v;
			for (uint16_t step = 0; step < tile_steps<float>(256); step++) {
				mask = AscendC::MicroAPI::UpdateMask<float>(left);
				AscendC::MicroAPI::LoadAlign(sum_v, sum_u + step * tile_lanes<float>());
				AscendC::MicroAPI::Relu(sum_v, sum_v, mask);
				AscendC::MicroAPI::StoreAlign(sum_u + step * tile_lanes<float>(), sum_v, mask);
			}
		}
	}
	AscendC::PipeBarrier<PIPE_V>();
	/* %result = tcvt %sum {rmode = RINT} : !pto.tile<16x16xf32> -> !pto.tile<16x16xbf16> (line 34) */
	AscendC::Cast(result_tile, sum_tile, AscendC::RoundMode::CAST_RINT, 256);
	AscendC::PipeBarrier<PIPE_V>();
	/* tstore %result, %c[0, 0] : !pto.tile<16x16xbf16> (line 35) */
	if (tile_store(call, result_tile, c, 0, 0, 16, 16))
		return PTOWSP_KERNEL_FAILED;
	return PTOWSP_OK;
}

#ifdef TILE_PTO_RUNTIME /* for a pto-runtime: tensor records, one with the workspace, then scalars */
extern "C" __aicore__ void TILE_ENTRY(product_bf16)(__gm__ int64_t *args)
{
	struct tile_window windows[3];
	struct tile_call call;
	ptowsp_status status;

	tile_window_take(&windows[0], args, 0, 2);
	tile_window_take(&windows[1], args, 1, 2);
	tile_window_take(&windows[2], args, 2, 2);
	tile_begin(&call, windows, (__gm__ uint64_t *)args + 4, tile_workspace(args, 3), tile_context(args, 0), tile_context(args, 1), 3072, 10496);
	tile_lane_take(&call, args);
	status = product_bf16_body(&call);
	tile_end(&call);
	TILE_ENDED(args, status);
}
#else
/* One block of a task, for who calls kernels on a core; and the kernel as it is launched by itself. */
__aicore__ inline ptowsp_status product_bf16_incore(GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count)
{
	struct tile_call call;
	ptowsp_status status;

	tile_begin(&call, (__gm__ struct tile_window *)tensors, (__gm__ uint64_t *)args, workspace, block, block_count, 3072, 10496);
	status = product_bf16_body(&call);
	tile_end(&call);
	return status;
}

extern "C" __global__ __aicore__ void product_bf16(GM_ADDR tensors, GM_ADDR args, GM_ADDR result, GM_ADDR workspace)
{
	*(__gm__ int32_t *)result = product_bf16_incore(tensors, args, workspace, (uint32_t)AscendC::GetBlockIdx(), (uint32_t)AscendC::GetBlockNum());
}
#endif
