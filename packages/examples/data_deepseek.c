/* SPDX-License-Identifier: MIT */
/* data_deepseek.c - sample data of the indexer attention: each row twice, and the row at the place of its largest element
 * among the first 32. */
#include "data.h"

void data_deepseek(void)
{
	enum { ROWS = 1024, COLUMNS = 64, KEYS = 32 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	data_fill(x[0], ROWS * COLUMNS, 7);
	for (int r = 0; r < ROWS; r++) {
		int best = 0;

		for (int k = 1; k < KEYS; k++)
			best = x[r][k] > x[r][best] ? k : best;
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = x[r][c] * 2 + x[best][c];
	}
	data_save_f32("deepseek_x", x[0], ROWS, COLUMNS);
	data_save_f32("deepseek_y", y[0], ROWS, COLUMNS);
}
