/* SPDX-License-Identifier: MIT */
#include "tools/bench/nest.h"

#include "tools/bench/bench.h"
#include <string.h>

#define AT(t, row)         bench_nest_at(nest, t, row, 0)
#define IN(t, row, column) bench_nest_at(nest, t, row, column)
#define STEP1(a)           bench_nest_task(nest, BENCH_STEP1, a, NULL, NULL, NULL)
#define STEP2(a, b)        bench_nest_task(nest, BENCH_STEP2, a, b, NULL, NULL)
#define STEP2B(a, b)       bench_nest_task(nest, BENCH_STEP2B, a, b, NULL, NULL)
#define STEP3(a, b, c)     bench_nest_task(nest, BENCH_STEP3, a, b, c, NULL)
#define STEP4(a, b, c, d)  bench_nest_task(nest, BENCH_STEP4, a, b, c, d)
#define FOR(v, low, high)  for (int64_t v = (low); v < (high); v++)
#define OWN(v)             (nest->owner = (v)&1) /* every second one */

/* ---- shapes: each as its file in shapes/ has it -------------------------------------------------------------------- */

static void chain(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	STEP1(AT(0, 0));
}

static void independent(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		nest->owner = i >= nest->n / 2;
		STEP1(AT(0, i));
	}
}

static void wavefront(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(j, 0, nest->n)
		STEP2B(AT(0, i), AT(1, j));
	}
}

static void uneven(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		nest->by = nest->work * (1 + 3 * (uint64_t)(i % 2));
		FOR(j, 0, nest->n)
		STEP2B(AT(0, i), AT(1, j));
	}
}

static void llama_tile(struct bench_nest *nest, int64_t i)
{
	STEP1(AT(0, i));
	FOR(t, 1, 4)
	STEP2(AT(0, i), AT(t, i));
	STEP1(AT(1, i));
	STEP1(AT(2, i));
}

static void llama(struct bench_nest *nest)
{
	enum { Q = 1, K, V, M, O, S };

	FOR(i, 0, nest->n)
	{
		OWN(i);
		llama_tile(nest, i);
	}
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(j, 0, nest->n)
		{
			STEP3(AT(Q, i), AT(K, j), IN(S, i, j));
			STEP2B(IN(S, i, j), AT(M, i));
			STEP3(IN(S, i, j), AT(V, j), AT(O, i));
		}
	}
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(j, 0, 7)
		STEP1(AT(O, i));
	}
}

static void inner(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	FOR(j, 0, 8)
	{
		OWN(j);
		STEP2(IN(0, i, j), AT(1, j));
	}
}

static void branch(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		if (i % 3)
			STEP1(AT(0, i % 64));
		else
			STEP2(AT(0, i % 64), AT(1, i % 128));
	}
}

static void modulo(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i * 7 % 4096);
		STEP2(AT(0, i % 4096), AT(1, i * 7 % 4096));
	}
}

static void square(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		STEP2(AT(0, i * i % 4093), AT(1, i % 1024));
	}
}

static void triangular(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(j, 0, i)
		STEP2(IN(0, j, j), IN(0, i, j));
		STEP1(IN(0, i, i));
	}
}

static void cholesky(struct bench_nest *nest)
{
	FOR(k, 0, nest->n)
	{
		OWN(k);
		STEP1(IN(0, k, k));
		FOR(i, k + 1, nest->n)
		{
			OWN(i);
			STEP2(IN(0, k, k), IN(0, i, k));
		}
		FOR(i, k + 1, nest->n)
		{
			OWN(i);
			FOR(j, k + 1, i)
			STEP3(IN(0, i, k), IN(0, j, k), IN(0, i, j));
			STEP2(IN(0, i, k), IN(0, i, i));
		}
	}
}

static void pairs(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		uint64_t x = (uint64_t)(i + 12345) * 625341585;

		x = (x ^ (uint64_t)((int64_t)x >> 17)) * 625341585;
		OWN(x >> 40);
		STEP2(AT(0, (int64_t)(x >> 20 & 8191)), AT(0, (int64_t)(x >> 40 & 8191)));
	}
}

static void ragged(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(j, 0, (int64_t)nest->tensors[0][i])
		STEP2(AT(1, (i * 31 + j * 7) % 1024), AT(2, i));
	}
}

static void scattered(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		FOR(e, nest->tensors[0][i], nest->tensors[0][i + 1])
		STEP2(AT(2, nest->tensors[1][e]), AT(3, i));
	}
}

static void stencil(struct bench_nest *nest)
{
	FOR(t, 0, nest->n)
	FOR(i, 0, 64)
	{
		const int64_t at = t % 2 * 66 + i;

		nest->owner = i >= 32;
		STEP4(AT(0, at), AT(0, at + 1), AT(0, at + 2), AT(0, (1 - t % 2) * 66 + i + 1));
	}
}

static void each(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	FOR(j, 0, 10)
	{
		OWN(j);
		STEP1(AT(0, j));
	}
}

static void slot(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	{
		OWN(i);
		STEP2(AT(0, i * 7 % 64), AT(1, i % 1024));
	}
}

static void scopes(struct bench_nest *nest)
{
	FOR(i, 0, nest->n)
	FOR(j, 0, 8)
	{
		OWN(j);
		STEP2(AT(0, i % 64), AT(1, i % 64 * 8 + j));
	}
}

const struct bench_shape bench_shapes[] = {
	/* empty, long, look */
	{"chain", "w4", 20000, 2000, 500, chain, false, NULL},  {"wavefront", "w2", 128, 64, 16, wavefront, true, NULL},
	{"llama", "w1", 64, 32, 8, llama, true, NULL},          {"inner", NULL, 2500, 250, 50, inner, true, NULL},
	{"branch", NULL, 20000, 2000, 500, branch, true, NULL}, {"modulo", NULL, 20000, 2000, 500, modulo, true, NULL},
	{"square", NULL, 20000, 2000, 500, square, true, NULL}, {"triangular", NULL, 200, 64, 20, triangular, true, NULL},
	{"cholesky", NULL, 48, 24, 10, cholesky, true, NULL},   {"pairs", NULL, 20000, 2000, 500, pairs, true, NULL},
	{"ragged", NULL, 2700, 270, 50, ragged, true, NULL},    {"independent", "w3", 20000, 2000, 500, independent, true, NULL},
	{"stencil", NULL, 320, 32, 8, stencil, true, NULL},     {"scattered", NULL, 2500, 250, 50, scattered, true, NULL},
	{"each", NULL, 2000, 200, 50, each, true, NULL},        {"slot", NULL, 20000, 2000, 500, slot, true, NULL},
	{"scopes", NULL, 2500, 250, 50, scopes, true, NULL},    {"executors", NULL, 128, 64, 16, wavefront, true, NULL},
	{"uneven", NULL, 128, 64, 16, uneven, true, NULL},      {0},
};

const struct bench_shape *bench_shape_find(const char *name)
{
	for (const struct bench_shape *s = bench_shapes; s->name; s++)
		if (!strcmp(name, s->name) || (s->peer && !strcmp(name, s->peer)))
			return s;
	return NULL;
}

/* ---- input --------------------------------------------------------------------------------------------------------- */

static uint32_t mixed(uint32_t i)
{
	return (i + 1) * 2654435761u >> 8;
}

void bench_shape_fill(const struct bench_shape *shape, unsigned tensor, uint32_t *data, uint64_t elements)
{
	const bool lengths = shape->walk == ragged && tensor == 0, begins = shape->walk == scattered && tensor == 0,
		   indices = shape->walk == scattered && tensor == 1;

	for (uint32_t i = 0; i < elements; i++)
		data[i] = lengths ? mixed(i) % 16 : begins ? 8 * i : indices ? mixed(i) % 1024 : 0;
}

/* ---- a walk -------------------------------------------------------------------------------------------------------- */

void bench_nest_walk(struct bench_nest *nest, const struct bench_shape *shape)
{
	static const uint8_t windows[BENCH_STEPS] = {1, 2, 2, 3, 4}, written[BENCH_STEPS] = {1, 2, 3, 4, 8}; /* bit per window */

	nest->number = 0;
	nest->owner = 0;
	nest->by = nest->work;
	nest->program = shape->program;
	for (int s = 0; s < BENCH_STEPS; s++) {
		struct bench_nest_call *call = &nest->calls[s];

		call->task = (struct ptowsp_task){.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
						  .args = &nest->by,
						  .arg_count = 1,
						  .tensors = call->windows,
						  .tensor_count = windows[s],
						  .tensor_stride = sizeof(*call->windows),
						  .kernel = (uint32_t)s,
						  .block_count = 1,
						  .workspace = nest->context};
		for (unsigned w = 0; w < BENCH_NEST_WINDOWS; w++)
			call->windows[w] = (struct ptowsp_tensor_arg){
				.rows = 4, .columns = 4, .dtype = PTOWSP_I32, .access = written[s] >> w & 1 ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_READ};
	}
	shape->walk(nest);
}

static ptowsp_status nothing(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)task, (void)out;
	return PTOWSP_OK;
}

uint64_t bench_nest_count(struct bench_nest *nest, const struct bench_shape *shape)
{
	nest->kernel = nothing;
	bench_nest_walk(nest, shape);
	return nest->number;
}

/* The best of many tries is taken. */
uint64_t bench_nest_work(unsigned ns)
{
	enum { TRYING_NS = 150000000, TRY_COUNT = 50000 };
	static double best; /* ns each; 0: not known yet */
	const uint64_t count = TRY_COUNT, until = best > 0 ? 0 : bench_now_ns() + TRYING_NS;
	const struct ptowsp_task task = {.args = &count, .arg_count = 1};

	while (ns && bench_now_ns() < until) {
		const uint64_t began = bench_now_ns();
		double each;

		step(&task, NULL);
		each = (double)(bench_now_ns() - began) / TRY_COUNT;
		best = best <= 0 || each < best ? each : best;
	}
	return ns ? (uint64_t)(ns / best + 0.5) : 0;
}
