/* SPDX-License-Identifier: MIT */
/* data_element.c - sample data of examples that go through elements one by one. */
#include "data.h"

void data_vector_add(void)
{
	enum { N = 2048 };
	static float a[N], b[N], c[N];

	data_fill(a, N, 1);
	data_fill(b, N, 2);
	for (int i = 0; i < N; i++)
		c[i] = a[i] + b[i];
	data_save_f32("vector_add_a", a, 8, N / 8);
	data_save_f32("vector_add_b", b, 8, N / 8);
	data_save_f32("vector_add_c", c, 8, N / 8);
}

void data_tiles(void)
{
	enum { ROWS = 32, COLUMNS = 64 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	data_fill(x[0], ROWS * COLUMNS, 6);
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = x[r][c] * x[r][c] + x[r][c];
	data_save_f32("tiles_x", x[0], ROWS, COLUMNS);
	data_save_f32("tiles_y", y[0], ROWS, COLUMNS);
}

void data_vector_example(void)
{
	enum { N = 16384 };
	static float a[N], b[N], f[N];

	for (int i = 0; i < N; i++) {
		a[i] = 2;
		b[i] = 3;
		f[i] = (a[i] + b[i] + 1) * (a[i] + b[i] + 2) + (a[i] + b[i]);
	}
	data_save_f32("vector_example_a", a, 128, 128);
	data_save_f32("vector_example_b", b, 128, 128);
	data_save_f32("vector_example_f", f, 128, 128);
}

/* Integers so small that a comparison with a tolerance of 1e-5 is exact. */
void data_passthrough(void)
{
	int32_t x[64];

	for (int i = 0; i < 64; i++)
		x[i] = (int32_t)data_below(UINT64_C(21) << 32 | (uint64_t)i, 2000) - 1000;
	data_save("passthrough_x", "<i4", x, 4, 16);
}

void data_two_stage(void)
{
	int32_t x[64], y[64];

	for (int i = 0; i < 64; i++) {
		x[i] = (int32_t)data_below(UINT64_C(22) << 32 | (uint64_t)i, 2000) - 1000;
		y[i] = 2 * (x[i] + 1);
	}
	data_save("two_stage_x", "<i4", x, 4, 16);
	data_save("two_stage_y", "<i4", y, 4, 16);
}

/* Doubled on each of the two devices. */
void data_two_devices(void)
{
	float in[64], out[64];

	data_fill(in, 64, 23);
	for (int i = 0; i < 64; i++)
		out[i] = 4 * in[i];
	data_save_f32("two_devices_in", in, 8, 8);
	data_save_f32("two_devices_out", out, 8, 8);
}
