/* SPDX-License-Identifier: MIT
 * aie.hpp - stands for aie_api of AMD's arrays: what kernels use of it, with the shapes and types that it has on the core of __AIE_ARCH__. Terms are added one by one, in ascending order. */
#ifndef PTOWSP_FAKE_AIE_API_HPP
#define PTOWSP_FAKE_AIE_API_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using uint16 = std::uint16_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;
struct bfloat16 {
	std::uint16_t bits;
	operator float() const
	{
		const std::uint32_t wide = (std::uint32_t)bits << 16;
		float value;

		std::memcpy(&value, &wide, sizeof(value));
		return value;
	}
};

namespace aie
{
static constexpr unsigned vector_decl_align = __AIE_ARCH__ > 20 ? 64 : 32;

template <typename T, unsigned N> struct vector {
	T at[N];
};

template <unsigned N, typename T> vector<T, N> load_v(const T *from)
{
	vector<T, N> v;

	if ((std::uintptr_t)from % vector_decl_align)
		__builtin_trap();
	std::memcpy(v.at, from, sizeof(v.at));
	return v;
}

template <unsigned N, typename T> void store_v(T *to, const vector<T, N> &v)
{
	if ((std::uintptr_t)to % vector_decl_align)
		__builtin_trap();
	std::memcpy(to, v.at, sizeof(v.at));
}

template <typename A> constexpr bool known(unsigned m, unsigned k, unsigned n)
{
	const bool first = __AIE_ARCH__ == 20;

	if (std::is_same_v<A, bfloat16>)
		return k == 8 && (first ? m == 4 && n == 4 : (m == 4 || m == 8) && n == 8);
	return sizeof(A) == 1 ? k == 8 && n == 8 && m == (first ? 4 : 8) : m == 4 && k == 4 && n == (first ? 4 : 8);
}

template <unsigned M, unsigned K, unsigned N, typename A, typename B = A> struct mmul {
	static_assert(std::is_same_v<A, B> && known<A>(M, K, N), "the core has no such product");
	using sum = std::conditional_t<std::is_same_v<A, bfloat16>, float, std::uint64_t>;

	sum at[M * N];

	template <typename T> mmul(const vector<T, M * N> &v)
	{
		for (unsigned i = 0; i < M * N; i++)
			at[i] = (sum)v.at[i];
	}
	void mac(const vector<A, M * K> &a, const vector<B, K * N> &b)
	{
		for (unsigned k = 0; k < K; k++)
			for (unsigned i = 0; i < M; i++)
				for (unsigned j = 0; j < N; j++)
					at[i * N + j] += (sum)a.at[i * K + k] * (sum)b.at[k * N + j];
	}
	template <typename T> vector<T, M * N> to_vector() const
	{
		vector<T, M * N> v;

		for (unsigned i = 0; i < M * N; i++)
			v.at[i] = (T)at[i];
		return v;
	}
};
}

#endif
