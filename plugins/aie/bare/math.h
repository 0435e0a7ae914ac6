/* SPDX-License-Identifier: MIT */
/* math.h - what kernels of a core use of C's mathematics, for compilers that come without a library; a library's own header is found before this one. */
#ifndef AIE_BARE_MATH_H
#define AIE_BARE_MATH_H

#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define HUGE_VAL    __builtin_inf()
#define isnan(x)    __builtin_isnan(x)
#define isinf(x)    __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x)  __builtin_signbit(x)

#define AIE_BARE(name)                                                                                                                                         \
	double name(double);                                                                                                                                   \
	float name##f(float);
AIE_BARE(ceil)
AIE_BARE(erfc)
AIE_BARE(exp)
AIE_BARE(fabs)
AIE_BARE(floor)
AIE_BARE(log)
AIE_BARE(rint)
AIE_BARE(round)
AIE_BARE(sqrt)
AIE_BARE(tanh)
AIE_BARE(trunc)
#undef AIE_BARE
#define AIE_BARE(name)                                                                                                                                         \
	double name(double, double);                                                                                                                           \
	float name##f(float, float);
AIE_BARE(copysign)
AIE_BARE(fmod)
#undef AIE_BARE
double fma(double, double, double);
float fmaf(float, float, float);
double frexp(double, int *);
double ldexp(double, int);

#endif
