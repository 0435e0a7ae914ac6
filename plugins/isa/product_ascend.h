/* SPDX-License-Identifier: MIT */
/* product_ascend.h - products in Ascend C: on the cube, by way of global memory, where it takes the types; by elements elsewhere. Part of kernel_ascend.h,
 * which includes it. */
#ifndef ISA_PRODUCT_ASCEND_H
#define ISA_PRODUCT_ASCEND_H

/* By elements, k ascending, for types that the cube does not take. d may be a source: by way of the work tile. */
template <class D, class A>
TILE_CORE void tile_product_plain(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> *start,
				  const AscendC::LocalTensor<typename A::T> &a, const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k_count,
				  uint32_t n)
{
	const AscendC::LocalTensor<typename D::T> w = tile_work<typename D::T>(call);

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++) {
		typename D::W sum = start ? (typename D::W)D::get(tile_get(*start, at)) : (typename D::W)0;

		for (uint32_t k = 0; k < k_count; k++)
			sum += (typename D::W)A::get(tile_get(a, at / n * k_count + k)) * (typename D::W)A::get(tile_get(b, k * n + at % n));
		tile_set(w, at, D::put(sum));
	}
	tile_copy(d, w, m * n);
}

/* Does the cube multiply these, into what it adds up in? */
template <class D, class A> struct tile_cube {
	enum { takes = 0 };
};
template <> struct tile_cube<isa_type_f32, isa_type_f32> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_f32, isa_type_f16> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_f32, isa_type_bf16> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_i32, isa_type_i8> {
	enum { takes = 1 };
};

/* Row-major m x k in global memory to fractals in L1. */
template <class T> TILE_CORE void tile_to_l1(const AscendC::LocalTensor<T> &d, const AscendC::GlobalTensor<T> &a, uint32_t rows, uint32_t columns)
{
	AscendC::Nd2NzParams params;

	params.ndNum = 1;
	params.nValue = (uint16_t)rows;
	params.dValue = (uint16_t)columns;
	params.srcNdMatrixStride = 0;
	params.srcDValue = (uint16_t)columns;
	params.dstNzC0Stride = (uint16_t)tile_up(rows, TILE_FRACTAL);
	params.dstNzNStride = 1;
	params.dstNzMatrixStride = 0;
	AscendC::DataCopy(d, a, params);
}

/* The cube's part: a and b lie in the workspace, row by row, and so does the result. */
template <class D, class A>
TILE_CORE void tile_cube_run(struct tile_call *call, const AscendC::GlobalTensor<D> &d, const AscendC::GlobalTensor<A> &a, const AscendC::GlobalTensor<A> &b,
			     uint32_t m, uint32_t k, uint32_t n)
{
	const uint32_t lanes = TILE_BLOCK / sizeof(A), m_up = tile_up(m, TILE_FRACTAL), k_up = tile_up(k, lanes), n_up = tile_up(n, TILE_FRACTAL);
	const uint32_t side = lanes > 16u ? lanes : 16u, k_rows = tile_up(k, side), n_lanes = tile_up(n, lanes);
	AscendC::TBuf<AscendC::TPosition::A1> a1;
	AscendC::TBuf<AscendC::TPosition::B1> b1;
	AscendC::TBuf<AscendC::TPosition::A2> a2;
	AscendC::TBuf<AscendC::TPosition::B2> b2;
	AscendC::TBuf<AscendC::TPosition::CO1> co1;
	AscendC::LoadData2DParams load;
	AscendC::MmadParams product;
	AscendC::FixpipeParamsV220 out;

	call->pipe.InitBuffer(a1, (uint32_t)(m_up * k_up * sizeof(A)));
	call->pipe.InitBuffer(b1, (uint32_t)(k_rows * n_lanes * sizeof(A)));
	call->pipe.InitBuffer(a2, (uint32_t)(m_up * k_up * sizeof(A)));
	call->pipe.InitBuffer(b2, (uint32_t)(k_rows * n_lanes * sizeof(A)));
	call->pipe.InitBuffer(co1, (uint32_t)(m_up * n_up * sizeof(D)));
	const AscendC::LocalTensor<A> a1_t = a1.template Get<A>(), b1_t = b1.template Get<A>(), a2_t = a2.template Get<A>(), b2_t = b2.template Get<A>();
	const AscendC::LocalTensor<D> co1_t = co1.template Get<D>();

	tile_to_l1(a1_t, a, m, k);
	tile_to_l1(b1_t, b, k, n);
	AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(EVENT_ID0);
	/* A: the fractals of each row of them; B: transposed within each fractal. */
	load.startIndex = 0;
	load.repeatTimes = (uint8_t)(k_up / lanes);
	load.srcStride = (uint16_t)(m_up / TILE_FRACTAL);
	load.dstGap = 0;
	load.ifTranspose = false;
	for (uint32_t row = 0; row < m_up / TILE_FRACTAL; row++)
		AscendC::LoadData(a2_t[row * k_up * TILE_FRACTAL], a1_t[row * TILE_FRACTAL * lanes], load);
	if (sizeof(A) == 2) {
		load.repeatTimes = (uint8_t)(n_up / TILE_FRACTAL);
		load.srcStride = (uint16_t)(k_rows / TILE_FRACTAL);
		load.ifTranspose = true;
		for (uint32_t row = 0; row < k_rows / TILE_FRACTAL; row++)
			AscendC::LoadData(b2_t[row * n_up * TILE_FRACTAL], b1_t[row * TILE_FRACTAL * lanes], load);
	} else {
		AscendC::LoadData2dTransposeParams turn;

		turn.startIndex = 0;
		turn.repeatTimes = (uint8_t)(n_lanes / lanes);
		turn.srcStride = (uint16_t)(k_rows / side);
		turn.dstGap = 0;
		turn.dstFracGap = 0;
		for (uint32_t row = 0; row < k_rows / side; row++)
			AscendC::LoadDataWithTranspose(b2_t[row * n_lanes * side], b1_t[row * side * lanes], turn);
	}
	AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);
	product.m = (uint16_t)m;
	product.n = (uint16_t)n;
	product.k = (uint16_t)k;
	product.cmatrixInitVal = true;
	AscendC::Mmad(co1_t, a2_t, b2_t, product);
	AscendC::SetFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
	out.nSize = (uint16_t)n;
	out.mSize = (uint16_t)m;
	out.srcStride = (uint16_t)m_up;
	out.dstStride = n;
	out.ndNum = 1;
	out.srcNdStride = 0;
	out.dstNdStride = 0;
	AscendC::Fixpipe<D, D, AscendC::CFG_ROW_MAJOR>(d, co1_t, out);
	AscendC::PipeBarrier<PIPE_ALL>();
}

template <class T> TILE_CORE void tile_pass(const AscendC::GlobalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t n)
{
	const AscendC::DataCopyExtParams copy{1, (uint32_t)(n * sizeof(T)), 0, 0, 0};

	AscendC::DataCopyPad(d, a, copy);
}

/* The vector unit passes the factors by way of the workspace, and takes the result from there. */
template <class D, class A>
TILE_CORE void tile_product_cube(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				 const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	typedef typename D::T R;
	typedef typename A::T F;
	__gm__ uint8_t *const right = call->workspace + tile_up((uint64_t)m * k * sizeof(F), 512);
	__gm__ uint8_t *const result = right + tile_up((uint64_t)k * n * sizeof(F), 512);
	AscendC::GlobalTensor<F> a_gm, b_gm;
	AscendC::GlobalTensor<R> d_gm;

	a_gm.SetGlobalBuffer((__gm__ F *)call->workspace);
	b_gm.SetGlobalBuffer((__gm__ F *)right);
	d_gm.SetGlobalBuffer((__gm__ R *)result);
	if ASCEND_IS_AIV {
		AscendC::PipeBarrier<PIPE_ALL>();
		if (!call->silent) {
			tile_pass(a_gm, a, m * k);
			tile_pass(b_gm, b, k * n);
		}
		AscendC::PipeBarrier<PIPE_ALL>();
		AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(TILE_FLAG_TO_CUBE);
		AscendC::CrossCoreWaitFlag(TILE_FLAG_TO_VECTOR);
		const AscendC::DataCopyExtParams copy{1, (uint32_t)(m * n * sizeof(R)), 0, 0, 0};
		const AscendC::DataCopyPadExtParams<R> pad{false, 0, 0, (R)0};

		AscendC::DataCopyPad(d, d_gm, copy, pad);
		AscendC::PipeBarrier<PIPE_ALL>();
	}
	if ASCEND_IS_AIC {
		AscendC::CrossCoreWaitFlag(TILE_FLAG_TO_CUBE);
		tile_cube_run(call, d_gm, a_gm, b_gm, m, k, n);
		AscendC::CrossCoreSetFlag<2, PIPE_FIX>(TILE_FLAG_TO_VECTOR);
	}
}

template <class D, class A, bool takes> struct tile_multiply {
	static TILE_CORE void run(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				  const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
	{
		tile_product_plain<D, A>(call, d, NULL, a, b, m, k, n);
	}
};
template <class D, class A> struct tile_multiply<D, A, true> {
	static TILE_CORE void run(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				  const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
	{
		tile_product_cube<D, A>(call, d, a, b, m, k, n);
	}
};

template <class D, class A>
TILE_CORE void tile_product(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
			    const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	tile_multiply<D, A, tile_cube<D, A>::takes>::run(call, d, a, b, m, k, n);
}

/* By elements: the sum starts from what is added to. */
template <class D, class A>
TILE_CORE void tile_product_add(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> &start,
				const AscendC::LocalTensor<typename A::T> &a, const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	tile_product_plain<D, A>(call, d, &start, a, b, m, k, n);
}

template <class D>
TILE_CORE void tile_bias(const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> &bias, uint32_t m, uint32_t n)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++)
		tile_set(d, at, D::put((typename D::W)D::get(tile_get(d, at)) + (typename D::W)D::get(tile_get(bias, at % n))));
	AscendC::PipeBarrier<PIPE_ALL>();
}

/* Elements times their scales, of which neighbours along k share one. The cube's own scaled form, on A5, takes fp8 and fp4 elements with e8m0 scales, which
 * tiles do not have. */
template <class D, class A>
TILE_CORE void tile_product_scaled(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				   const AscendC::LocalTensor<typename A::T> &a_scale, uint32_t a_share, const AscendC::LocalTensor<typename A::T> &b,
				   const AscendC::LocalTensor<typename A::T> &b_scale, uint32_t b_share, uint32_t m, uint32_t k_count, uint32_t n)
{
	typedef typename D::W W;
	const AscendC::LocalTensor<typename D::T> w = tile_work<typename D::T>(call);

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++) {
		const uint32_t row = at / n, column = at % n;
		W sum = 0;

		for (uint32_t k = 0; k < k_count; k++) {
			const W x = (W)A::get(tile_get(a, row * k_count + k)) * (W)A::get(tile_get(a_scale, row * (k_count / a_share) + k / a_share));
			const W y = (W)A::get(tile_get(b, k * n + column)) * (W)A::get(tile_get(b_scale, k / b_share * n + column));

			sum += x * y;
		}
		tile_set(w, at, D::put(sum));
	}
	tile_copy(d, w, m * n);
}

#endif
