/* SPDX-License-Identifier: MIT */
/* data_flow.c - sample data of the examples that are about who waits for whom: predicated dispatch, fan-in, processes. */
#include "data.h"

void data_predicated(void)
{
	enum { ROWS = 16, COLUMNS = 32 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];
	int32_t gates[ROWS];

	data_fill(x[0], ROWS * COLUMNS, 50);
	for (int r = 0; r < ROWS; r++) {
		double sum = 0;

		for (int c = 0; c < COLUMNS; c++)
			sum += x[r][c];
		gates[r] = sum > 0;
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = sum > 0 ? (float)(2.0 * x[r][c] + 42) : 999;
	}
	data_save_f32("predicated_x", x[0], ROWS, COLUMNS);
	data_save_f32("predicated_y", y[0], ROWS, COLUMNS);
	data_save("predicated_gates", "<i4", gates, ROWS, 1);
}

void data_fan_in(void)
{
	enum { MANY = 64, COLUMNS = 16 };
	static float x[MANY][COLUMNS], w[MANY][MANY];
	static double slots[MANY][COLUMNS], y[MANY][COLUMNS];

	data_fill(x[0], MANY * COLUMNS, 51);
	data_fill(w[0], MANY * MANY, 52);
	for (int i = 0; i < MANY; i++)
		for (int c = 0; c < COLUMNS; c++)
			slots[i][c] = 2.0 * x[i][c];
	for (int j = 0; j < MANY; j++)
		for (int c = 0; c < COLUMNS; c++)
			for (int i = 0; i < MANY; i++)
				y[j][c] += w[j][i] * slots[i][c];
	data_save_f32("fan_in_x", x[0], MANY, COLUMNS);
	data_save_f32("fan_in_w", w[0], MANY, MANY);
	data_save_rounded("fan_in_slots", slots[0], MANY, COLUMNS);
	data_save_rounded("fan_in_y", y[0], MANY, COLUMNS);
}

void data_csp(void)
{
	enum { ROWS = 128, SIDE = 32 };
	static float x[ROWS][SIDE], w[SIDE][SIDE];
	static double y[ROWS][SIDE];

	data_fill(x[0], ROWS * SIDE, 53);
	data_fill(w[0], SIDE * SIDE, 54);
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < SIDE; c++) {
			for (int k = 0; k < SIDE; k++)
				y[r][c] += (double)x[r][k] * w[k][c];
			y[r][c] = y[r][c] > 0 ? y[r][c] : 0;
		}
	data_save_f32("csp_x", x[0], ROWS, SIDE);
	data_save_f32("csp_w", w[0], SIDE, SIDE);
	data_save_rounded("csp_y", y[0], ROWS, SIDE);
}
