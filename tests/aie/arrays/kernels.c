/* SPDX-License-Identifier: MIT */
/* kernels.c - what kernel.mlir and result.mlir call. */
#include <stdint.h>

void scale(const float *x, float *y, float factor, int32_t count)
{
	for (int32_t i = 0; i < count; i++)
		y[i] = factor * x[i];
}

int32_t largest(const int32_t *x, int32_t count)
{
	int32_t most = x[0];

	for (int32_t i = 1; i < count; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

void sum(const float *x, float *y)
{
	for (int i = 0; i < 8; i++)
		y[i] += x[i];
}
