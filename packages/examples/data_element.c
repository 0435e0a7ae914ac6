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
