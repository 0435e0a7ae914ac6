/* SPDX-License-Identifier: MIT */
#include "tests/taskgraph/llama_layer.h"

#include "tests/check.h"
#include <string.h>

/* One call: kernel, then tensors: <name><index>, index i q k or 0; reads, '>' writes. */
struct call {
	const char *kernel, *accesses;
};
static const struct call phase1[] = {
	{"rmsnorm_tile", "input:i attn_norm:0 > temp_norm:i"},
	{"tile_matmul", "temp_norm:i wq:0 > q:i"},
	{"tile_matmul", "temp_norm:i wk:0 > k:i"},
	{"tile_matmul", "temp_norm:i wv:0 > v:i"},
	{"rope_tile", "q:i cos:0 sin:0 > q_rope:i"},
	{"rope_tile", "k:i cos:0 sin:0 > k_rope:i"},
};
static const struct call before[] = {{"flash_attn_init_state", "zeros_large:0 zeros_small:0 neg_inf:0 > attn_out:i l_vec:i m_vec:i"}};
static const struct call inner[] = {
	{"flash_attn_score_block", "q_rope:i k_rope:k > scores:i"},
	{"flash_attn_softmax_update", "scores:i m_vec:i l_vec:i > m_vec:i l_vec:i weights:i scale:i"},
	{"flash_attn_output_update", "attn_out:i weights:i v:k scale:i > attn_out:i"},
};
static const struct call after[] = {{"flash_attn_normalize", "attn_out:i l_vec:i > attn_out:i"}};
static const struct call phase3[] = {
	{"tile_matmul", "attn_out:i wo:0 > temp_norm:i"},      {"residual_add_tile", "temp_norm:i input:i > hidden:i"},
	{"rmsnorm_tile", "hidden:i mlp_norm:0 > temp_norm:i"}, {"tile_matmul", "temp_norm:i w_gate:0 > gate:i"},
	{"tile_matmul", "temp_norm:i w_up:0 > up:i"},          {"swiglu_tile", "gate:i up:i > swiglu:i"},
	{"tile_matmul", "swiglu:i w_down:0 > mlp:i"},          {"residual_add_tile", "mlp:i hidden:i > output:i"},
};

struct layer {
	struct builder *b;
	uint64_t (*cycles)(const char *kernel);
	char tensors[40][24], kernels[40][40];
	uint32_t tensor_count, kernel_count, m, zero;
};

static uint32_t tensor_of(struct layer *l, const char *name, size_t length)
{
	uint32_t t = 0;

	while (t < l->tensor_count && (strncmp(l->tensors[t], name, length) || l->tensors[t][length]))
		t++;
	if (t == l->tensor_count) {
		memcpy(l->tensors[t], name, length);
		builder_tensor(l->b, l->tensors[t], PTOWSP_F32, (int64_t)l->m * 32, 128);
		l->tensor_count++;
	}
	return t;
}

/* Kernels are told apart by name and number of tensors. */
static uint32_t kernel_of(struct layer *l, const char *name, uint32_t tensors)
{
	const char *full = check_fmt("%s/%u", name, tensors);
	uint32_t k = 0;

	while (k < l->kernel_count && strcmp(l->kernels[k], full))
		k++;
	if (k == l->kernel_count) {
		strcpy(l->kernels[l->kernel_count++], full);
		builder_kernel(l->b, name, strcmp(name, "tile_matmul") ? PTOWSP_UNIT_AIV : PTOWSP_UNIT_AIC, 1, tensors);
	}
	return k;
}

/* Tile `index` of the tensor: the loop of depth 0 or 1, or the first one. */
static uint32_t region_of(struct layer *l, uint32_t tensor, char index)
{
	uint32_t row = l->zero;

	if (index != '0')
		row = builder_expr(l->b, PTOWSP_EXPR_MUL, builder_expr(l->b, PTOWSP_EXPR_LOOP, index == 'k', 0, 0), builder_const(l->b, 32), 0);
	return builder_region(l->b, tensor, row, l->zero, 32, 128);
}

static void calls_emit(struct layer *l, const struct call *calls, size_t count)
{
	for (size_t c = 0; c < count; c++) {
		uint32_t regions[16], n = 0;
		char access[17] = "", mode = 'r';

		for (const char *at = calls[c].accesses; *at; at += strcspn(at, " "), at += *at == ' ') {
			size_t length = strcspn(at, ":");

			if (*at == '>') {
				mode = 'w';
				continue;
			}
			regions[n] = region_of(l, tensor_of(l, at, length), at[length + 1]);
			access[n++] = mode;
		}
		builder_task_list(l->b, kernel_of(l, calls[c].kernel, n), builder_const(l->b, l->cycles ? (int64_t)l->cycles(calls[c].kernel) : 1), n, access,
				  regions);
	}
}
#define EMIT(l, calls) calls_emit(l, calls, sizeof(calls) / sizeof(*(calls)))

struct builder *llama_layer_make(uint32_t m, uint64_t (*cycles)(const char *kernel))
{
	struct layer l = {.b = builder_create(), .cycles = cycles, .m = m};

	l.zero = builder_const(l.b, 0);
	builder_loop_n(l.b, PTOWSP_OP_PARALLEL_FOR, "i", m);
	EMIT(&l, phase1);
	builder_end(l.b);
	builder_loop_n(l.b, PTOWSP_OP_PARALLEL_FOR, "i", m);
	EMIT(&l, before);
	builder_loop_n(l.b, PTOWSP_OP_PARALLEL_FOR, "k", m);
	EMIT(&l, inner);
	builder_end(l.b);
	EMIT(&l, after);
	builder_end(l.b);
	builder_loop_n(l.b, PTOWSP_OP_PARALLEL_FOR, "i", m);
	EMIT(&l, phase3);
	builder_end(l.b);
	return l.b;
}
