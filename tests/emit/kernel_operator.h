/* SPDX-License-Identifier: MIT */
/* kernel_operator.h - in place of the CANN toolkit's header of that name: what emitted Ascend C uses of it, with the names, parameters and fields that the AscendC API
 * reference gives (basic and MicroAPI interfaces; asc-devkit, docs/api/context), so that emitted kernels compile on the host and what is on the vector and scalar
 * units runs there. Copies and vector instructions do their work at once; the cube does nothing: products are not run. */
#ifndef PTOWSP_TESTS_KERNEL_OPERATOR_H
#define PTOWSP_TESTS_KERNEL_OPERATOR_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __VEC_SCOPE__
#define GM_ADDR uint8_t *
#ifdef STAND_IN_CUBE
#define ASCEND_IS_AIV (false)
#define ASCEND_IS_AIC (true)
#else
#define ASCEND_IS_AIV (true)
#define ASCEND_IS_AIC (false)
#endif

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t { EVENT_ID0, EVENT_ID1 };

/* What the loop of a core uses below AscendC: cache lines, the register that the AICPU reads, its own number. */
enum class cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
template <class T> static inline void dcci(T *, cache_line_t)
{
}
template <class T> static inline void dcci(T *, cache_line_t, dcci_dst_t)
{
}
extern void set_cond(uint32_t value);
extern int64_t get_coreid();
#define AICORE_READ_DATA_MAIN_BASE(value) ((value) = stand_in_token())
extern uint64_t stand_in_token();

static inline float cce_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Half by way of float; rounding as the conversion functions of the kernels have it. */
struct half {
	uint16_t bits;
	half() = default;
	explicit half(float value);
	explicit operator float() const;
};
struct bfloat16_t {
	uint16_t bits;
	bfloat16_t() = default;
	explicit bfloat16_t(float value);
	explicit operator float() const;
};

namespace AscendC {

enum class TPosition { GM, A1, A2, B1, B2, CO1, VECIN, VECOUT, VECCALC };
enum class HardEvent { MTE2_MTE1, MTE1_M, M_FIX, V_S, S_V, MTE2_V, V_MTE3 };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };

template <class T> struct LocalTensor {
	T *at;
	uint32_t count;

	T GetValue(uint32_t index) const
	{
		return at[index];
	}
	void SetValue(uint32_t index, T value) const
	{
		at[index] = value;
	}
	LocalTensor operator[](uint32_t offset) const
	{
		return LocalTensor{at + offset, count - offset};
	}
	template <class U> LocalTensor<U> ReinterpretCast() const
	{
		return LocalTensor<U>{(U *)(void *)at, (uint32_t)(count * sizeof(T) / sizeof(U))};
	}
	uint64_t GetPhyAddr() const
	{
		return (uint64_t)(uintptr_t)at;
	}
};

template <class T> struct GlobalTensor {
	T *at = nullptr;

	void SetGlobalBuffer(T *buffer)
	{
		at = buffer;
	}
	T GetValue(uint64_t index) const
	{
		return at[index];
	}
	void SetValue(uint64_t index, T value) const
	{
		at[index] = value;
	}
};

template <TPosition position> struct TBuf {
	uint8_t *at = nullptr;
	uint32_t size = 0;

	template <class T> LocalTensor<T> Get() const
	{
		return LocalTensor<T>{(T *)(void *)at, (uint32_t)(size / sizeof(T))};
	}
	template <class T> LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset) const
	{
		return LocalTensor<T>{(T *)(void *)(at + offset), count};
	}
};

struct TPipe {
	uint8_t *memory[8] = {};
	unsigned used = 0;

	/* Zeros, as what a kernel reads first has to be set by it. */
	template <TPosition position> bool InitBuffer(TBuf<position> &buffer, uint32_t size)
	{
		buffer.size = size;
		buffer.at = memory[used++ & 7] = (uint8_t *)aligned_alloc(64, size / 64 * 64 + 64);
		memset(buffer.at, 0xA5, size);
		return true;
	}
	~TPipe()
	{
		for (unsigned i = 0; i < 8; i++)
			free(memory[i]);
	}
};

static inline int64_t GetBlockIdx()
{
	return 0;
}
static inline int64_t GetBlockNum()
{
	return 1;
}
template <pipe_t pipe> void PipeBarrier()
{
}
template <HardEvent event> void SetFlag(event_t)
{
}
template <HardEvent event> void WaitFlag(event_t)
{
}
template <uint8_t mode, pipe_t pipe> void CrossCoreSetFlag(uint16_t)
{
}
static inline void CrossCoreWaitFlag(uint16_t)
{
}

/* ---- copies ---- */

struct DataCopyExtParams {
	uint16_t blockCount;
	uint32_t blockLen, srcStride, dstStride, rsv; /* bytes; those of the unified buffer in data blocks of 32 */
};
template <class T> struct DataCopyPadExtParams {
	bool isPad;
	uint8_t leftPadding, rightPadding;
	T paddingValue;
};
struct Nd2NzParams {
	uint16_t ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride;
};

template <class T> void DataCopyPad(const LocalTensor<T> &d, const GlobalTensor<T> &a, const DataCopyExtParams &p, const DataCopyPadExtParams<T> &)
{
	for (uint32_t i = 0; i < p.blockCount; i++)
		memcpy((uint8_t *)d.at + (size_t)i * ((p.blockLen + 31) / 32 * 32 + p.dstStride * 32), (const uint8_t *)a.at + (size_t)i * (p.blockLen + p.srcStride),
		       p.blockLen);
}
template <class T> void DataCopyPad(const GlobalTensor<T> &d, const LocalTensor<T> &a, const DataCopyExtParams &p)
{
	for (uint32_t i = 0; i < p.blockCount; i++)
		memcpy((uint8_t *)d.at + (size_t)i * (p.blockLen + p.dstStride), (const uint8_t *)a.at + (size_t)i * ((p.blockLen + 31) / 32 * 32 + p.srcStride * 32),
		       p.blockLen);
}
template <class T> void DataCopy(const LocalTensor<T> &d, const LocalTensor<T> &a, uint32_t count)
{
	if (count * sizeof(T) % 32)
		abort();
	memmove(d.at, a.at, count * sizeof(T));
}
template <class T> void DataCopy(const LocalTensor<T> &, const GlobalTensor<T> &, const Nd2NzParams &)
{
}

/* ---- the vector unit ---- */

template <class T> struct Wide {
	typedef uint64_t W; /* integers wrap */
	static W of(T x)
	{
		return (W)x;
	}
};
template <> struct Wide<float> {
	typedef float W;
	static float of(float x)
	{
		return x;
	}
};
template <> struct Wide<half> {
	typedef float W;
	static float of(half x)
	{
		return (float)x;
	}
};

#define UNARY(name, expression)                                                                                                \
	template <class T> void name(const LocalTensor<T> &d, const LocalTensor<T> &a, const int32_t &count)                   \
	{                                                                                                                      \
		for (int32_t i = 0; i < count; i++) {                                                                          \
			const auto x = Wide<T>::of(a.at[i]);                                                                   \
			d.at[i] = (T)(expression);                                                                             \
		}                                                                                                              \
	}
UNARY(Abs, std::fabs(x))
UNARY(Exp, std::exp(x))
UNARY(Ln, std::log(x))
UNARY(Sqrt, std::sqrt(x))
template <class T> void Relu(const LocalTensor<T> &d, const LocalTensor<T> &a, const int32_t &count)
{
	for (int32_t i = 0; i < count; i++)
		d.at[i] = (float)a.at[i] > 0 ? a.at[i] : (T)0;
}
template <class T> void Not(const LocalTensor<T> &d, const LocalTensor<T> &a, const int32_t &count)
{
	for (int32_t i = 0; i < count; i++)
		d.at[i] = (T)~a.at[i];
}
template <class T> void Tanh(const LocalTensor<T> &d, const LocalTensor<T> &a, const uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		d.at[i] = (T)std::tanh((float)a.at[i]);
}
template <class T> void Erfc(const LocalTensor<T> &d, const LocalTensor<T> &a, const uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		d.at[i] = (T)std::erfc((float)a.at[i]);
}

#define BINARY(name, expression)                                                                                               \
	template <class T> void name(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b, const int32_t &count) \
	{                                                                                                                      \
		for (int32_t i = 0; i < count; i++) {                                                                          \
			const auto x = Wide<T>::of(a.at[i]), y = Wide<T>::of(b.at[i]);                                         \
			(void)x, (void)y;                                                                                      \
			d.at[i] = (T)(expression);                                                                             \
		}                                                                                                              \
	}
BINARY(Add, x + y)
BINARY(Sub, x - y)
BINARY(Mul, x *y)
BINARY(Div, x / y)
template <class T> bool Less(T a, T b)
{
	return a < b;
}
template <> inline bool Less(half a, half b)
{
	return (float)a < (float)b;
}
#define CHOICE(name, scalar, expression)                                                                                       \
	template <class T> void name(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b, const int32_t &count) \
	{                                                                                                                      \
		for (int32_t i = 0; i < count; i++) {                                                                          \
			const T x = a.at[i], y = b.at[i];                                                                      \
			d.at[i] = expression;                                                                                  \
		}                                                                                                              \
	}                                                                                                                      \
	template <class T> void scalar(const LocalTensor<T> &d, const LocalTensor<T> &a, const T &y, const int32_t &count)     \
	{                                                                                                                      \
		for (int32_t i = 0; i < count; i++) {                                                                          \
			const T x = a.at[i];                                                                                   \
			d.at[i] = expression;                                                                                  \
		}                                                                                                              \
	}
CHOICE(Max, Maxs, Less(y, x) ? x : y)
CHOICE(Min, Mins, Less(x, y) ? x : y)
template <class T> void And(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b, const int32_t &count)
{
	for (int32_t i = 0; i < count; i++)
		d.at[i] = (T)(a.at[i] & b.at[i]);
}
template <class T> void Or(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b, const int32_t &count)
{
	for (int32_t i = 0; i < count; i++)
		d.at[i] = (T)(a.at[i] | b.at[i]);
}
#define WITH_SCALAR(name, expression)                                                                                          \
	template <class T> void name(const LocalTensor<T> &d, const LocalTensor<T> &a, const T &s, const int32_t &count)       \
	{                                                                                                                      \
		for (int32_t i = 0; i < count; i++) {                                                                          \
			const auto x = Wide<T>::of(a.at[i]), y = Wide<T>::of(s);                                               \
			d.at[i] = (T)(expression);                                                                             \
		}                                                                                                              \
	}
WITH_SCALAR(Adds, x + y)
WITH_SCALAR(Muls, x *y)
WITH_SCALAR(LeakyRelu, x > 0 ? x : x * y)
template <class T> void Duplicate(const LocalTensor<T> &d, const T &s, const int32_t &count)
{
	for (int32_t i = 0; i < count; i++)
		d.at[i] = s;
}
template <class T> void CreateVecIndex(const LocalTensor<T> &d, const T &first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		d.at[i] = (T)(Wide<T>::of(first) + (typename Wide<T>::W)i);
}
/* Begins at a data block, as the instruction asks for. */
template <class T> void aligned(const LocalTensor<T> &a)
{
	if ((uintptr_t)a.at % 32)
		abort();
}
template <class T> void ReduceSum(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &work, const int32_t count)
{
	float sum = 0;

	aligned(a), aligned(d), aligned(work);
	for (int32_t i = 0; i < count; i++)
		sum += (float)a.at[i];
	d.at[0] = (T)sum;
}
template <class T> void ReduceMax(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &work, const int32_t count, bool)
{
	T best = a.at[0];

	aligned(a), aligned(d), aligned(work);
	for (int32_t i = 1; i < count; i++)
		best = Less(best, a.at[i]) ? a.at[i] : best;
	d.at[0] = best;
}
template <class T> void ReduceMin(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &work, const int32_t count, bool)
{
	T best = a.at[0];

	aligned(a), aligned(d), aligned(work);
	for (int32_t i = 1; i < count; i++)
		best = Less(a.at[i], best) ? a.at[i] : best;
	d.at[0] = best;
}

static inline float Rounded(float x, RoundMode mode)
{
	switch (mode) {
	case RoundMode::CAST_FLOOR:
		return std::floor(x);
	case RoundMode::CAST_CEIL:
		return std::ceil(x);
	case RoundMode::CAST_ROUND:
		return std::round(x);
	case RoundMode::CAST_TRUNC:
		return std::trunc(x);
	default:
		return std::rint(x);
	}
}
template <class D> D Converted(float x, RoundMode mode)
{
	const double most = sizeof(D) == 2 ? 32767 : 2147483647.0, y = Rounded(x, mode);

	return x != x ? 0 : y > most ? (D)most : y < -most - 1 ? (D)(-most - 1) : (D)y;
}
template <> inline half Converted<half>(float x, RoundMode)
{
	return half(x);
}
template <> inline bfloat16_t Converted<bfloat16_t>(float x, RoundMode)
{
	return bfloat16_t(x);
}
template <> inline float Converted<float>(float x, RoundMode)
{
	return x;
}
template <class D, class A> void Cast(const LocalTensor<D> &d, const LocalTensor<A> &a, const RoundMode &mode, const uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		d.at[i] = Converted<D>((float)a.at[i], mode);
}

/* ---- the cube ---- */

struct LoadData2DParams {
	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0;
	uint8_t sid = 0;
	uint16_t dstGap = 0;
	bool ifTranspose = false;
	uint8_t addrMode = 0;
};
struct LoadData2dTransposeParams {
	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
	uint8_t addrMode = 0;
};
struct MmadParams {
	uint16_t m = 0, n = 0, k = 0;
	bool isBias = false;
	int32_t fmOffset = 0;
	uint8_t unitFlag = 0;
	bool cmatrixSource = false, cmatrixInitVal = true;
};
struct FixpipeParamsV220 {
	uint16_t nSize = 0, mSize = 0, srcStride = 0;
	uint32_t dstStride = 0;
	bool reluEn = false;
	uint8_t unitFlag = 0;
	uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
};
struct FixpipeConfig {
	int format;
};
constexpr FixpipeConfig CFG_ROW_MAJOR = {1};
template <class T> void LoadData(const LocalTensor<T> &, const LocalTensor<T> &, const LoadData2DParams &)
{
}
template <class T> void LoadDataWithTranspose(const LocalTensor<T> &, const LocalTensor<T> &, const LoadData2dTransposeParams &)
{
}
template <class D, class A, class B> void Mmad(const LocalTensor<D> &, const LocalTensor<A> &, const LocalTensor<B> &, const MmadParams &)
{
}
template <class D, class A, const FixpipeConfig &config> void Fixpipe(const GlobalTensor<D> &, const LocalTensor<A> &, const FixpipeParamsV220 &)
{
}

/* ---- A5: registers of 256 bytes ---- */

constexpr uint32_t GetVecLen()
{
	return 256;
}

namespace MicroAPI {
struct MaskReg {
	uint32_t count;
};
template <class T> struct RegTensor {
	T lane[256 / sizeof(T)];
	LocalTensor<T> tensor() const
	{
		return LocalTensor<T>{(T *)lane, 256 / sizeof(T)};
	}
};
template <class T> MaskReg UpdateMask(uint32_t &left)
{
	const uint32_t lanes = 256 / sizeof(T), count = left < lanes ? left : lanes;

	left -= count;
	return MaskReg{count};
}
/* Whole registers are loaded, whatever the mask. */
template <class T> void LoadAlign(RegTensor<T> &d, T *a)
{
	if ((uintptr_t)a % 32)
		abort();
	memcpy(d.lane, a, sizeof(d.lane));
}
template <class T> void StoreAlign(T *d, RegTensor<T> &a, MaskReg &mask)
{
	if ((uintptr_t)d % 32)
		abort();
	memcpy(d, a.lane, mask.count * sizeof(T));
}
#define REGISTER_1(name)                                                                                                       \
	template <class T> void name(RegTensor<T> &d, RegTensor<T> &a, MaskReg &mask)                                          \
	{                                                                                                                      \
		AscendC::name(d.tensor(), a.tensor(), (int32_t)mask.count);                                                    \
	}
#define REGISTER_2(name)                                                                                                       \
	template <class T> void name(RegTensor<T> &d, RegTensor<T> &a, RegTensor<T> &b, MaskReg &mask)                         \
	{                                                                                                                      \
		AscendC::name(d.tensor(), a.tensor(), b.tensor(), (int32_t)mask.count);                                        \
	}
#define REGISTER_S(name)                                                                                                       \
	template <class T> void name(RegTensor<T> &d, RegTensor<T> &a, T s, MaskReg &mask)                                     \
	{                                                                                                                      \
		AscendC::name(d.tensor(), a.tensor(), s, (int32_t)mask.count);                                                 \
	}
REGISTER_1(Abs)
REGISTER_1(Exp)
REGISTER_1(Ln)
REGISTER_1(Sqrt)
REGISTER_1(Relu)
REGISTER_1(Not)
REGISTER_2(Add)
REGISTER_2(Sub)
REGISTER_2(Mul)
REGISTER_2(Div)
REGISTER_2(Max)
REGISTER_2(Min)
REGISTER_2(And)
REGISTER_2(Or)
REGISTER_S(Adds)
REGISTER_S(Muls)
REGISTER_S(Maxs)
REGISTER_S(Mins)
REGISTER_S(LeakyRelu)
template <class T> void Duplicate(RegTensor<T> &d, T s, MaskReg &mask)
{
	AscendC::Duplicate(d.tensor(), s, (int32_t)mask.count);
}
template <class T> void Arange(RegTensor<T> &d, T first)
{
	AscendC::CreateVecIndex(d.tensor(), first, (uint32_t)(256 / sizeof(T)));
}
} // namespace MicroAPI
} // namespace AscendC

/* The kernels' own functions for 16 bits, as they are in isa/element.h. */
#include "isa/element.h"
inline half::half(float value) : bits(isa_put_f16(value))
{
}
inline half::operator float() const
{
	return isa_get_f16(bits);
}
inline bfloat16_t::bfloat16_t(float value) : bits(isa_put_bf16(value))
{
}
inline bfloat16_t::operator float() const
{
	return isa_get_bf16(bits);
}

#endif
