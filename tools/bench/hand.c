/* SPDX-License-Identifier: MIT */
/* hand.c - code that one would write by hand, beside which kernels stand: chains of element-wise and row-wise operations (sinh by its series, silu, softmax, rmsnorm) as loops that
 * keep every intermediate value in a register where that is possible, with the element functions of the tile ISA, which compares how elements move, and with those of the C library;
 * products by OpenBLAS, which is opened if it is installed and is nobody's dependency. */
#include "isa/isa_tile.h"
#include "tools/bench/programs.h"
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { MOST = 256 };

/* ---- chains -------------------------------------------------------------------------------------------------------- */

/* As the kernels of a native payload are compiled. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

enum { TERMS = 6 };

CLONES static void sinh_loops(float *out, const float *in, size_t rows, size_t columns)
{
	for (size_t i = 0; i < rows * columns; i++) {
		const float x = in[i], square = x * x;
		float term = x, sum = x;

		for (int k = 1; k <= TERMS; k++) {
			term = term * square / (float)(2 * k * (2 * k + 1));
			sum += term;
		}
		out[i] = sum;
	}
}

#define SILU(name, exp)                                                                                                                                        \
	CLONES static void name(float *out, const float *in, size_t rows, size_t columns)                                                                      \
	{                                                                                                                                                      \
		for (size_t i = 0; i < rows * columns; i++)                                                                                                    \
			out[i] = in[i] / (exp(-in[i]) + 1);                                                                                                    \
	}
SILU(silu_loops, tile_exp_f32)
SILU(silu_library, expf)

#define SOFTMAX(name, exp)                                                                                                                                     \
	CLONES static void name(float *out, const float *in, size_t rows, size_t columns)                                                                      \
	{                                                                                                                                                      \
		for (size_t i = 0; i < rows; i++, in += columns, out += columns) {                                                                             \
			float most = in[0], sum = 0;                                                                                                           \
                                                                                                                                                               \
			for (size_t j = 1; j < columns; j++)                                                                                                   \
				most = in[j] > most ? in[j] : most;                                                                                            \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				out[j] = exp(in[j] - most);                                                                                                    \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				sum += out[j];                                                                                                                 \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				out[j] /= sum;                                                                                                                 \
		}                                                                                                                                              \
	}
SOFTMAX(softmax_loops, tile_exp_f32)
SOFTMAX(softmax_library, expf)

CLONES static void rmsnorm_loops(float *out, const float *in, size_t rows, size_t columns)
{
	for (size_t i = 0; i < rows; i++, in += columns, out += columns) {
		float sum = 0;

		for (size_t j = 0; j < columns; j++)
			sum += in[j] * in[j];
		sum = sqrtf(sum / (float)columns + 1e-5f);
		for (size_t j = 0; j < columns; j++)
			out[j] = in[j] / sum;
	}
}

/* ---- products ------------------------------------------------------------------------------------------------------ */

typedef void (*sgemm_fn)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float *a, int a_step, const float *b, int b_step,
			 float beta, float *c, int c_step);
enum { ROW_MAJOR = 101, AS_IT_IS = 111 };

/* A build with threads starts them when it is opened; the serial one of Debian is libopenblas0-serial. */
static sgemm_fn sgemm_find(void)
{
	void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	int (*parallel)(void) = NULL;
	void (*threads_set)(int) = NULL;
	sgemm_fn sgemm = NULL;

	if (!library)
		return NULL;
	*(void **)&sgemm = dlsym(library, "cblas_sgemm");
	*(void **)&parallel = dlsym(library, "openblas_get_parallel");
	*(void **)&threads_set = dlsym(library, "openblas_set_num_threads");
	if (parallel && parallel() && threads_set)
		threads_set(1);
	return sgemm;
}

/* Processors whose kernels have vectors of 64 bytes, and of 32: OpenBLAS takes old kernels on a processor that is newer than itself. */
static unsigned blas_vector(const char *core)
{
	static const struct {
		const char *core;
		unsigned bytes;
	} known[] = {{"SkylakeX", 64}, {"Cooperlake", 64}, {"Sapphirerapids", 64}, {"Haswell", 32}, {"Zen", 32}, {"Excavator", 32}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcasecmp(core, known[i].core))
			return known[i].bytes;
	return 16;
}

const char *bench_blas_kernels(void)
{
	static char text[160];
	char *(*name)(void) = NULL;
	const char *core, *newer = NULL;

	*(void **)&name = dlsym(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL), "openblas_get_corename");
	core = name ? name() : "an unknown processor";
#ifdef __x86_64__
	if (name && __builtin_cpu_supports("avx512bw") && blas_vector(core) < 64)
		newer = "AVX-512: OPENBLAS_CORETYPE=SkylakeX";
	else if (name && __builtin_cpu_supports("avx2") && blas_vector(core) < 32)
		newer = "AVX2: OPENBLAS_CORETYPE=Haswell";
#endif
	snprintf(text, sizeof(text), "kernels for %s%s%s%s", core, newer ? ", which flatter us, as this machine has " : "", newer ? newer : "",
		 newer ? " chooses newer ones" : "");
	return text;
}

static void sgemm(float *out, const float *in, size_t rows, size_t columns)
{
	const int n = (int)columns;
	static sgemm_fn fn;

	(void)rows;
	fn = fn ? fn : sgemm_find();
	fn(ROW_MAJOR, AS_IT_IS, AS_IT_IS, n, n, n, 1, in, n, in, n, 0, out, n);
}

/* ---- calls --------------------------------------------------------------------------------------------------------- */

/* Kernels of rows x columns elements; products count operations and not time. */
static const struct hand {
	const char *name;
	void (*run)(float *out, const float *in, size_t rows, size_t columns);
	bool product;
} hands[] = {
	{"sinh", sinh_loops, false},
	{"silu", silu_loops, false},
	{"silu_library", silu_library, false},
	{"softmax", softmax_loops, false},
	{"softmax_library", softmax_library, false},
	{"rmsnorm", rmsnorm_loops, false},
	{"sgemm", sgemm, true},
};

ptowsp_status bench_hand(void *context, double *value_out, struct ptowsp_error *error)
{
	static _Alignas(64) float in[MOST * MOST], out[MOST * MOST];
	const struct hand *hand = hands;
	unsigned side = 0, times;
	char name[32] = "";
	uint64_t began;
	double ns;

	(void)error;
	sscanf(((const struct bench_program *)context)->hand, "%31s %u", name, &side);
	while (strcmp(hand->name, name))
		hand++;
	times = side < 64 ? 10000 : 100;
	for (unsigned i = 0; i < MOST * MOST; i++)
		in[i] = (float)((int)(i * 37 % 97) - 48) / 24;
	began = bench_processor_ns();
	for (unsigned i = 0; i < times; i++) {
		hand->run(out, in, side, side);
		__asm__ volatile("" ::: "memory");
	}
	ns = (double)(bench_processor_ns() - began) / times;
	*value_out = hand->product ? 2.0 * side * side * side / ns : ns;
	return PTOWSP_OK;
}

bool bench_blas_is_here(void)
{
	return sgemm_find();
}
