/* SPDX-License-Identifier: MIT */
/* data_softmax.c - sample data of the softmax examples: each row's exponentials over their sum. */
#include "data.h"

#include <math.h>

void data_softmax(void)
{
	enum { ROWS = 29, COLUMNS = 16 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	data_fill(x[0], ROWS * COLUMNS, 3);
	for (int r = 0; r < ROWS; r++) {
		double largest = -INFINITY, sum = 0;

		for (int c = 0; c < COLUMNS; c++)
			largest = x[r][c] > largest ? x[r][c] : largest;
		for (int c = 0; c < COLUMNS; c++)
			sum += exp(x[r][c] - largest);
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = (float)(exp(x[r][c] - largest) / sum);
	}
	data_save_f32("softmax_x", x[0], ROWS, COLUMNS);
	data_save_f32("softmax_y", y[0], ROWS, COLUMNS);
}
