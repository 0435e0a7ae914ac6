/* SPDX-License-Identifier: MIT */
/* data_matmul.c - sample data of the matmul example: sums in double, stored tile after tile. */
#include "data.h"

enum { SIDE = 64, TILE = 16, TILES = SIDE / TILE };

/* A matrix tile after tile: each tile is TILE x TILE consecutive elements. */
static void save_tiled(const char *name, float matrix[SIDE][SIDE])
{
	static float tiled[SIDE * SIDE];
	unsigned at = 0;

	for (int tile = 0; tile < TILES * TILES; tile++)
		for (int r = 0; r < TILE; r++)
			for (int c = 0; c < TILE; c++)
				tiled[at++] = matrix[tile / TILES * TILE + r][tile % TILES * TILE + c];
	data_save_f32(name, tiled, TILES * TILES * TILE, TILE);
}

void data_matmul(void)
{
	static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

	data_fill(a[0], SIDE * SIDE, 4);
	data_fill(b[0], SIDE * SIDE, 5);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += (double)a[i][k] * b[k][j];
			c[i][j] = (float)sum;
		}
	save_tiled("matmul_a", a);
	save_tiled("matmul_b", b);
	save_tiled("matmul_c", c);
}
