/* SPDX-License-Identifier: MIT */
/* data_matmul.c - sample data of the examples that multiply matrices: sums in double. */
#include "data.h"

#include <math.h>

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
	static double product[SIDE * SIDE];

	data_fill(a[0], SIDE * SIDE, 4);
	data_fill(b[0], SIDE * SIDE, 5);
	data_product(product, a[0], b[0], SIDE, SIDE, SIDE);
	for (int i = 0; i < SIDE * SIDE; i++)
		c[i / SIDE][i % SIDE] = (float)product[i];
	save_tiled("matmul_a", a);
	save_tiled("matmul_b", b);
	save_tiled("matmul_c", c);
}

/* C begins at 0.25. */
void data_bgemm(void)
{
	enum { N = 256 };
	static float a[N * N], b[N * N], c[N * N];
	static double product[N * N];

	data_fill_coarse(a, N * N, 10, 4);
	data_fill_coarse(b, N * N, 11, 4);
	data_product(product, a, b, N, N, N);
	for (int i = 0; i < N * N; i++) {
		c[i] = 0.25f;
		product[i] += 0.25;
	}
	data_save_f32("bgemm_a", a, N, N);
	data_save_f32("bgemm_b", b, N, N);
	data_save_f32("bgemm_c", c, N, N);
	data_save_rounded("bgemm_sum", product, N, N);
}

/* A around e^4, weights around 1/256, so that F is around e^2. S is rounded where the program stores it. */
void data_matmul_diamond(void)
{
	enum { N = 128 };
	static float a[N * N], w[2][N * N], s[N * N];
	static double p[2][N * N];

	data_fill_coarse(a, N * N, 12, 8);
	data_fill_coarse(w[0], N * N, 13, 8);
	data_fill_coarse(w[1], N * N, 14, 8);
	for (int i = 0; i < N * N; i++) {
		a[i] = (float)exp(4 + 2 * a[i]);
		w[0][i] = (1 + w[0][i]) / 256;
		w[1][i] = (1 + w[1][i]) / 256;
	}
	data_save_f16("matmul_diamond_a", a, N, N);
	data_save_f16("matmul_diamond_w1", w[0], N, N);
	data_save_f16("matmul_diamond_w2", w[1], N, N);
	for (int i = 0; i < N * N; i++)
		s[i] = data_from_f16(data_to_f16((float)sqrt((float)log(a[i]))));
	data_product(p[0], s, w[0], N, N, N);
	data_product(p[1], s, w[1], N, N, N);
	for (int i = 0; i < N * N; i++)
		p[0][i] = exp(p[0][i] + p[1][i]);
	data_save_rounded("matmul_diamond_f", p[0], N, N);
}

/* Eight products and eight sums, one below the other. */
void data_alternating_matmul_add(void)
{
	enum { TASKS = 8, N = 32, ALL = TASKS * N * N };
	static float a[ALL], b[ALL], x[ALL], y[ALL], z[ALL];
	static double c[ALL];

	data_fill_coarse(a, ALL, 15, 8);
	data_fill_coarse(b, ALL, 16, 8);
	data_fill_coarse(x, ALL, 17, 16);
	data_fill_coarse(y, ALL, 18, 16);
	for (int i = 0; i < TASKS; i++)
		data_product(c + i * N * N, a + i * N * N, b + i * N * N, N, N, N);
	for (int i = 0; i < ALL; i++)
		z[i] = x[i] + y[i];
	data_save_f32("alternating_matmul_add_a", a, TASKS * N, N);
	data_save_f32("alternating_matmul_add_b", b, TASKS * N, N);
	data_save_rounded("alternating_matmul_add_c", c, TASKS * N, N);
	data_save_f32("alternating_matmul_add_x", x, TASKS * N, N);
	data_save_f32("alternating_matmul_add_y", y, TASKS * N, N);
	data_save_f32("alternating_matmul_add_z", z, TASKS * N, N);
}
