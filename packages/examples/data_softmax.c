/* SPDX-License-Identifier: MIT */
/* data_softmax.c - sample data of the softmax examples: each row's exponentials over their sum. */
#include "data.h"

#include <math.h>

static void save_softmax(const char *in, const char *out, size_t rows, size_t columns, uint64_t seed)
{
	static float x[64 * 32];
	static double y[64 * 32];

	data_fill(x, rows * columns, seed);
	for (size_t r = 0; r < rows; r++) {
		double largest = -INFINITY, sum = 0;

		for (size_t i = r * columns; i < (r + 1) * columns; i++)
			largest = x[i] > largest ? x[i] : largest;
		for (size_t i = r * columns; i < (r + 1) * columns; i++)
			sum += exp(x[i] - largest);
		for (size_t i = r * columns; i < (r + 1) * columns; i++)
			y[i] = exp(x[i] - largest) / sum;
	}
	data_save_f32(in, x, rows, columns);
	data_save_rounded(out, y, rows, columns);
}

void data_softmax(void)
{
	save_softmax("softmax_x", "softmax_y", 29, 16, 3);
}

void data_fused_softmax(void)
{
	save_softmax("fused_softmax_x", "fused_softmax_y", 64, 32, 19);
}

void data_dynamic_softmax(void)
{
	save_softmax("dynamic_softmax_x", "dynamic_softmax_y", 43, 8, 20);
}
