/* llama_layer as C, written by ptowsp-pack: its loops, branches and tasks as calls of the task API (plugins/rt/task_api.h), the same for
 * every target of the kernels. Values are integers of 64 bits; compile with -fwrapv if they may be larger. */
#include "rt/task_api.h"

/* The kernels: functions as ptowsp/task.h says. */
extern ptowsp_status rmsnorm_tile_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status tile_matmul_64_(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status rope_tile_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status rmsnorm_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status tile_matmul_(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status rope_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_init_state_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_score_block_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_softmax_update_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_output_update_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_normalize_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_init_state(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_score_block(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_softmax_update(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_output_update(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status flash_attn_normalize(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status residual_add_tile_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status swiglu_tile_64(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status residual_add_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
extern ptowsp_status swiglu_tile(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);

struct llama_layer_memory {
	void *data;
	uint64_t elements;
};
/* Data of the tasks: memory and values from the caller, the rest by llama_layer_begin. */
struct llama_layer {
	struct {
		struct llama_layer_memory input; /* f32 */
		struct llama_layer_memory output; /* f32 */
		struct llama_layer_memory attn_norm_weights; /* f32 */
		struct llama_layer_memory wq; /* f32 */
		struct llama_layer_memory wk; /* f32 */
		struct llama_layer_memory wv; /* f32 */
		struct llama_layer_memory wo; /* f32 */
		struct llama_layer_memory cos_cache; /* f32 */
		struct llama_layer_memory sin_cache; /* f32 */
		struct llama_layer_memory mlp_norm_weights; /* f32 */
		struct llama_layer_memory w_gate; /* f32 */
		struct llama_layer_memory w_up; /* f32 */
		struct llama_layer_memory w_down; /* f32 */
		struct llama_layer_memory all_q_tiles; /* f32 */
		struct llama_layer_memory all_k_tiles; /* f32 */
		struct llama_layer_memory all_v_tiles; /* f32 */
		struct llama_layer_memory all_q_rope; /* f32 */
		struct llama_layer_memory all_k_rope; /* f32 */
		struct llama_layer_memory all_attn_out; /* f32 */
		struct llama_layer_memory all_m_vec; /* f32 */
		struct llama_layer_memory all_l_vec; /* f32 */
		struct llama_layer_memory all_hidden; /* f32 */
		struct llama_layer_memory temp_norm; /* f32 */
		struct llama_layer_memory temp_scores; /* f32 */
		struct llama_layer_memory temp_attn_weights; /* f32 */
		struct llama_layer_memory temp_scale; /* f32 */
		struct llama_layer_memory temp_gate; /* f32 */
		struct llama_layer_memory temp_up; /* f32 */
		struct llama_layer_memory temp_swiglu; /* f32 */
		struct llama_layer_memory temp_mlp_out; /* f32 */
		struct llama_layer_memory const_zeros_large; /* f32 */
		struct llama_layer_memory const_zeros_small; /* f32 */
		struct llama_layer_memory const_neg_inf; /* f32 */
	} memory;
	struct {
		int64_t num_tiles; /* i32 */
	} value;
	struct {
		uint32_t input, output, attn_norm_weights, wq, wk, wv, wo, cos_cache, sin_cache, mlp_norm_weights, w_gate, w_up, w_down, all_q_tiles, all_k_tiles, all_v_tiles, all_q_rope, all_k_rope, all_attn_out, all_m_vec, all_l_vec, all_hidden, temp_norm, temp_scores, temp_attn_weights, temp_scale, temp_gate, temp_up, temp_swiglu, temp_mlp_out, const_zeros_large, const_zeros_small, const_neg_inf;
	} tensor; /* numbers of rt_tasks_tensor */
	struct {
		uint32_t rmsnorm_tile_64, tile_matmul_64_, rope_tile_64, rmsnorm_tile, tile_matmul_, rope_tile, flash_attn_init_state_64, flash_attn_score_block_64, flash_attn_softmax_update_64, flash_attn_output_update_64, flash_attn_normalize_64, flash_attn_init_state, flash_attn_score_block, flash_attn_softmax_update, flash_attn_output_update, flash_attn_normalize, residual_add_tile_64, swiglu_tile_64, residual_add_tile, swiglu_tile;
	} kernel; /* numbers of rt_tasks_kernel */
};

/* Makes kernels and tensors known, before a run. */
void llama_layer_begin(struct rt_tasks *tasks, struct llama_layer *o);
void llama_layer_begin(struct rt_tasks *tasks, struct llama_layer *o)
{
	o->kernel.rmsnorm_tile_64 = rt_tasks_kernel(tasks, "rmsnorm_tile_64", PTOWSP_UNIT_ANY, rmsnorm_tile_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.rmsnorm_tile_64, 66304);
	o->kernel.tile_matmul_64_ = rt_tasks_kernel(tasks, "tile_matmul_64", PTOWSP_UNIT_ANY, tile_matmul_64_);
	rt_tasks_kernel_workspace(tasks, o->kernel.tile_matmul_64_, 131072);
	o->kernel.rope_tile_64 = rt_tasks_kernel(tasks, "rope_tile_64", PTOWSP_UNIT_ANY, rope_tile_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.rope_tile_64, 98304);
	o->kernel.rmsnorm_tile = rt_tasks_kernel(tasks, "rmsnorm_tile", PTOWSP_UNIT_ANY, rmsnorm_tile);
	rt_tasks_kernel_workspace(tasks, o->kernel.rmsnorm_tile, 33408);
	o->kernel.tile_matmul_ = rt_tasks_kernel(tasks, "tile_matmul", PTOWSP_UNIT_ANY, tile_matmul_);
	rt_tasks_kernel_workspace(tasks, o->kernel.tile_matmul_, 98304);
	o->kernel.rope_tile = rt_tasks_kernel(tasks, "rope_tile", PTOWSP_UNIT_ANY, rope_tile);
	rt_tasks_kernel_workspace(tasks, o->kernel.rope_tile, 49152);
	o->kernel.flash_attn_init_state_64 = rt_tasks_kernel(tasks, "flash_attn_init_state_64", PTOWSP_UNIT_ANY, flash_attn_init_state_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_init_state_64, 33280);
	o->kernel.flash_attn_score_block_64 = rt_tasks_kernel(tasks, "flash_attn_score_block_64", PTOWSP_UNIT_ANY, flash_attn_score_block_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_score_block_64, 98304);
	o->kernel.flash_attn_softmax_update_64 = rt_tasks_kernel(tasks, "flash_attn_softmax_update_64", PTOWSP_UNIT_ANY, flash_attn_softmax_update_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_softmax_update_64, 17920);
	o->kernel.flash_attn_output_update_64 = rt_tasks_kernel(tasks, "flash_attn_output_update_64", PTOWSP_UNIT_ANY, flash_attn_output_update_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_output_update_64, 114688);
	o->kernel.flash_attn_normalize_64 = rt_tasks_kernel(tasks, "flash_attn_normalize_64", PTOWSP_UNIT_ANY, flash_attn_normalize_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_normalize_64, 33024);
	o->kernel.flash_attn_init_state = rt_tasks_kernel(tasks, "flash_attn_init_state", PTOWSP_UNIT_ANY, flash_attn_init_state);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_init_state, 16640);
	o->kernel.flash_attn_score_block = rt_tasks_kernel(tasks, "flash_attn_score_block", PTOWSP_UNIT_ANY, flash_attn_score_block);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_score_block, 49152);
	o->kernel.flash_attn_softmax_update = rt_tasks_kernel(tasks, "flash_attn_softmax_update", PTOWSP_UNIT_ANY, flash_attn_softmax_update);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_softmax_update, 4864);
	o->kernel.flash_attn_output_update = rt_tasks_kernel(tasks, "flash_attn_output_update", PTOWSP_UNIT_ANY, flash_attn_output_update);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_output_update, 53248);
	o->kernel.flash_attn_normalize = rt_tasks_kernel(tasks, "flash_attn_normalize", PTOWSP_UNIT_ANY, flash_attn_normalize);
	rt_tasks_kernel_workspace(tasks, o->kernel.flash_attn_normalize, 16512);
	o->kernel.residual_add_tile_64 = rt_tasks_kernel(tasks, "residual_add_tile_64", PTOWSP_UNIT_ANY, residual_add_tile_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.residual_add_tile_64, 65536);
	o->kernel.swiglu_tile_64 = rt_tasks_kernel(tasks, "swiglu_tile_64", PTOWSP_UNIT_ANY, swiglu_tile_64);
	rt_tasks_kernel_workspace(tasks, o->kernel.swiglu_tile_64, 98304);
	o->kernel.residual_add_tile = rt_tasks_kernel(tasks, "residual_add_tile", PTOWSP_UNIT_ANY, residual_add_tile);
	rt_tasks_kernel_workspace(tasks, o->kernel.residual_add_tile, 32768);
	o->kernel.swiglu_tile = rt_tasks_kernel(tasks, "swiglu_tile", PTOWSP_UNIT_ANY, swiglu_tile);
	rt_tasks_kernel_workspace(tasks, o->kernel.swiglu_tile, 49152);
	o->tensor.input = rt_tasks_tensor(tasks, "input", o->memory.input.data, PTOWSP_F32, o->memory.input.elements / 128, 128);
	o->tensor.output = rt_tasks_tensor(tasks, "output", o->memory.output.data, PTOWSP_F32, o->memory.output.elements / 128, 128);
	o->tensor.attn_norm_weights = rt_tasks_tensor(tasks, "attn_norm_weights", o->memory.attn_norm_weights.data, PTOWSP_F32, o->memory.attn_norm_weights.elements / 128, 128);
	o->tensor.wq = rt_tasks_tensor(tasks, "wq", o->memory.wq.data, PTOWSP_F32, o->memory.wq.elements / 128, 128);
	o->tensor.wk = rt_tasks_tensor(tasks, "wk", o->memory.wk.data, PTOWSP_F32, o->memory.wk.elements / 128, 128);
	o->tensor.wv = rt_tasks_tensor(tasks, "wv", o->memory.wv.data, PTOWSP_F32, o->memory.wv.elements / 128, 128);
	o->tensor.wo = rt_tasks_tensor(tasks, "wo", o->memory.wo.data, PTOWSP_F32, o->memory.wo.elements / 128, 128);
	o->tensor.cos_cache = rt_tasks_tensor(tasks, "cos_cache", o->memory.cos_cache.data, PTOWSP_F32, o->memory.cos_cache.elements / 128, 128);
	o->tensor.sin_cache = rt_tasks_tensor(tasks, "sin_cache", o->memory.sin_cache.data, PTOWSP_F32, o->memory.sin_cache.elements / 128, 128);
	o->tensor.mlp_norm_weights = rt_tasks_tensor(tasks, "mlp_norm_weights", o->memory.mlp_norm_weights.data, PTOWSP_F32, o->memory.mlp_norm_weights.elements / 128, 128);
	o->tensor.w_gate = rt_tasks_tensor(tasks, "w_gate", o->memory.w_gate.data, PTOWSP_F32, o->memory.w_gate.elements / 128, 128);
	o->tensor.w_up = rt_tasks_tensor(tasks, "w_up", o->memory.w_up.data, PTOWSP_F32, o->memory.w_up.elements / 128, 128);
	o->tensor.w_down = rt_tasks_tensor(tasks, "w_down", o->memory.w_down.data, PTOWSP_F32, o->memory.w_down.elements / 128, 128);
	o->tensor.all_q_tiles = rt_tasks_tensor(tasks, "all_q_tiles", o->memory.all_q_tiles.data, PTOWSP_F32, o->memory.all_q_tiles.elements / 128, 128);
	o->tensor.all_k_tiles = rt_tasks_tensor(tasks, "all_k_tiles", o->memory.all_k_tiles.data, PTOWSP_F32, o->memory.all_k_tiles.elements / 128, 128);
	o->tensor.all_v_tiles = rt_tasks_tensor(tasks, "all_v_tiles", o->memory.all_v_tiles.data, PTOWSP_F32, o->memory.all_v_tiles.elements / 128, 128);
	o->tensor.all_q_rope = rt_tasks_tensor(tasks, "all_q_rope", o->memory.all_q_rope.data, PTOWSP_F32, o->memory.all_q_rope.elements / 128, 128);
	o->tensor.all_k_rope = rt_tasks_tensor(tasks, "all_k_rope", o->memory.all_k_rope.data, PTOWSP_F32, o->memory.all_k_rope.elements / 128, 128);
	o->tensor.all_attn_out = rt_tasks_tensor(tasks, "all_attn_out", o->memory.all_attn_out.data, PTOWSP_F32, o->memory.all_attn_out.elements / 128, 128);
	o->tensor.all_m_vec = rt_tasks_tensor(tasks, "all_m_vec", o->memory.all_m_vec.data, PTOWSP_F32, o->memory.all_m_vec.elements, 1);
	o->tensor.all_l_vec = rt_tasks_tensor(tasks, "all_l_vec", o->memory.all_l_vec.data, PTOWSP_F32, o->memory.all_l_vec.elements, 1);
	o->tensor.all_hidden = rt_tasks_tensor(tasks, "all_hidden", o->memory.all_hidden.data, PTOWSP_F32, o->memory.all_hidden.elements / 128, 128);
	o->tensor.temp_norm = rt_tasks_tensor(tasks, "temp_norm", o->memory.temp_norm.data, PTOWSP_F32, o->memory.temp_norm.elements / 128, 128);
	o->tensor.temp_scores = rt_tasks_tensor(tasks, "temp_scores", o->memory.temp_scores.data, PTOWSP_F32, 1, o->memory.temp_scores.elements);
	o->tensor.temp_attn_weights = rt_tasks_tensor(tasks, "temp_attn_weights", o->memory.temp_attn_weights.data, PTOWSP_F32, 1, o->memory.temp_attn_weights.elements);
	o->tensor.temp_scale = rt_tasks_tensor(tasks, "temp_scale", o->memory.temp_scale.data, PTOWSP_F32, o->memory.temp_scale.elements, 1);
	o->tensor.temp_gate = rt_tasks_tensor(tasks, "temp_gate", o->memory.temp_gate.data, PTOWSP_F32, o->memory.temp_gate.elements / 128, 128);
	o->tensor.temp_up = rt_tasks_tensor(tasks, "temp_up", o->memory.temp_up.data, PTOWSP_F32, o->memory.temp_up.elements / 128, 128);
	o->tensor.temp_swiglu = rt_tasks_tensor(tasks, "temp_swiglu", o->memory.temp_swiglu.data, PTOWSP_F32, o->memory.temp_swiglu.elements / 128, 128);
	o->tensor.temp_mlp_out = rt_tasks_tensor(tasks, "temp_mlp_out", o->memory.temp_mlp_out.data, PTOWSP_F32, o->memory.temp_mlp_out.elements / 128, 128);
	o->tensor.const_zeros_large = rt_tasks_tensor(tasks, "const_zeros_large", o->memory.const_zeros_large.data, PTOWSP_F32, o->memory.const_zeros_large.elements / 128, 128);
	o->tensor.const_zeros_small = rt_tasks_tensor(tasks, "const_zeros_small", o->memory.const_zeros_small.data, PTOWSP_F32, o->memory.const_zeros_small.elements, 1);
	o->tensor.const_neg_inf = rt_tasks_tensor(tasks, "const_neg_inf", o->memory.const_neg_inf.data, PTOWSP_F32, o->memory.const_neg_inf.elements, 1);
}

/* The orchestration function of rt_tasks_run; context is the struct. */
ptowsp_status llama_layer(struct rt_tasks *tasks, void *context);
ptowsp_status llama_layer(struct rt_tasks *tasks, void *context)
{
	const struct llama_layer *o = context;
	uint64_t t = 0;
	const int64_t num_tiles = o->value.num_tiles;

	{
		/* In blocks of 256, then one by one. */
		const int64_t tile_count = num_tiles;
		int64_t tile_base = 0;

		for (; tile_count - tile_base >= 256; tile_base += 256)
			for (int64_t tile = tile_base; tile < tile_base + 256; tile += 2) { /* tiles of 64 rows */
				rt_task_alloc(tasks, o->kernel.rmsnorm_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.input, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.attn_norm_weights, 0, 0, 1, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.wq, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.all_q_tiles, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.wk, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.all_k_tiles, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.wv, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.rope_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.all_q_tiles, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.cos_cache, 0, 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.sin_cache, 0, 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.rope_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.all_k_tiles, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.cos_cache, 0, 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.sin_cache, 0, 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
			}
		for (int64_t tile = tile_base; tile < tile_count; tile++) { /* tiles of 32 rows */
			rt_task_alloc(tasks, o->kernel.rmsnorm_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.input, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.attn_norm_weights, 0, 0, 1, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.wq, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.all_q_tiles, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.wk, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.all_k_tiles, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.wv, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.rope_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.all_q_tiles, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.cos_cache, 0, 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.sin_cache, 0, 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.rope_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.all_k_tiles, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.cos_cache, 0, 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.sin_cache, 0, 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
		}
	}
	{
		/* In blocks of 256, then one by one. */
		const int64_t q_tile_count = num_tiles;
		int64_t q_tile_base = 0;

		for (; q_tile_count - q_tile_base >= 256; q_tile_base += 256)
			for (int64_t q_tile = q_tile_base; q_tile < q_tile_base + 256; q_tile += 2) { /* tiles of 64 rows */
				rt_task_alloc(tasks, o->kernel.flash_attn_init_state_64, &t);
				rt_task_add_input(tasks, t, o->tensor.const_zeros_large, 0, 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.const_zeros_small, 0, 0, 64, 1);
				rt_task_add_input(tasks, t, o->tensor.const_neg_inf, 0, 0, 64, 1);
				rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
				rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
				rt_task_submit(tasks, t);
				{
					/* In blocks of 256, then one by one. */
					const int64_t kv_tile_count = num_tiles;
					int64_t kv_tile_base = 0;

					for (; kv_tile_count - kv_tile_base >= 256; kv_tile_base += 256)
						for (int64_t kv_tile = kv_tile_base; kv_tile < kv_tile_base + 256; kv_tile += 2) { /* tiles of 64 rows */
							rt_task_alloc(tasks, o->kernel.flash_attn_score_block_64, &t);
							rt_task_add_input(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * q_tile), 0, 64, 128);
							rt_task_add_input(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * kv_tile), 0, 64, 128);
							rt_task_add_output(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
							rt_task_submit(tasks, t);
							rt_task_alloc(tasks, o->kernel.flash_attn_softmax_update_64, &t);
							rt_task_add_input(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
							rt_task_add_input(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_add_output(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
							rt_task_add_output(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_submit(tasks, t);
							rt_task_alloc(tasks, o->kernel.flash_attn_output_update_64, &t);
							rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
							rt_task_add_input(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
							rt_task_add_input(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * kv_tile), 0, 64, 128);
							rt_task_add_input(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
							rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
							rt_task_submit(tasks, t);
						}
					for (int64_t kv_tile = kv_tile_base; kv_tile < kv_tile_count; kv_tile++) { /* tiles of 64 rows */
						rt_task_alloc(tasks, o->kernel.flash_attn_score_block_64, &t);
						rt_task_add_input(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * kv_tile), 0, 64, 128);
						rt_task_add_output(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_submit(tasks, t);
						rt_task_alloc(tasks, o->kernel.flash_attn_softmax_update_64, &t);
						rt_task_add_input(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_input(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_output(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_submit(tasks, t);
						rt_task_alloc(tasks, o->kernel.flash_attn_output_update_64, &t);
						rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_input(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * kv_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_submit(tasks, t);
					}
				}
				rt_task_alloc(tasks, o->kernel.flash_attn_normalize_64, &t);
				rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
				rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
				rt_task_submit(tasks, t);
			}
		for (int64_t q_tile = q_tile_base; q_tile < q_tile_count; q_tile++) { /* tiles of 32 rows */
			rt_task_alloc(tasks, o->kernel.flash_attn_init_state, &t);
			rt_task_add_input(tasks, t, o->tensor.const_zeros_large, 0, 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.const_zeros_small, 0, 0, 32, 1);
			rt_task_add_input(tasks, t, o->tensor.const_neg_inf, 0, 0, 32, 1);
			rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
			rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
			rt_task_submit(tasks, t);
			{
				/* In blocks of 256, then one by one. */
				const int64_t kv_tile_count = num_tiles;
				int64_t kv_tile_base = 0;

				for (; kv_tile_count - kv_tile_base >= 256; kv_tile_base += 256)
					for (int64_t kv_tile = kv_tile_base; kv_tile < kv_tile_base + 256; kv_tile += 2) { /* tiles of 64 rows */
						rt_task_alloc(tasks, o->kernel.flash_attn_score_block_64, &t);
						rt_task_add_input(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * kv_tile), 0, 64, 128);
						rt_task_add_output(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_submit(tasks, t);
						rt_task_alloc(tasks, o->kernel.flash_attn_softmax_update_64, &t);
						rt_task_add_input(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_input(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_output(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_submit(tasks, t);
						rt_task_alloc(tasks, o->kernel.flash_attn_output_update_64, &t);
						rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 4096);
						rt_task_add_input(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * kv_tile), 0, 64, 128);
						rt_task_add_input(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 64, 1);
						rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 64, 128);
						rt_task_submit(tasks, t);
					}
				for (int64_t kv_tile = kv_tile_base; kv_tile < kv_tile_count; kv_tile++) { /* tiles of 32 rows */
					rt_task_alloc(tasks, o->kernel.flash_attn_score_block, &t);
					rt_task_add_input(tasks, t, o->tensor.all_q_rope, (uint64_t)(32 * q_tile), 0, 32, 128);
					rt_task_add_input(tasks, t, o->tensor.all_k_rope, (uint64_t)(32 * kv_tile), 0, 32, 128);
					rt_task_add_output(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 1024);
					rt_task_submit(tasks, t);
					rt_task_alloc(tasks, o->kernel.flash_attn_softmax_update, &t);
					rt_task_add_input(tasks, t, o->tensor.temp_scores, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 1024);
					rt_task_add_input(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_add_output(tasks, t, o->tensor.all_m_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_add_output(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_add_output(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 1024);
					rt_task_add_output(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_submit(tasks, t);
					rt_task_alloc(tasks, o->kernel.flash_attn_output_update, &t);
					rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 32, 128);
					rt_task_add_input(tasks, t, o->tensor.temp_attn_weights, 0, (uint64_t)(1024 * (q_tile * 2)), 1, 1024);
					rt_task_add_input(tasks, t, o->tensor.all_v_tiles, (uint64_t)(32 * kv_tile), 0, 32, 128);
					rt_task_add_input(tasks, t, o->tensor.temp_scale, (uint64_t)(32 * q_tile), 0, 32, 1);
					rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 32, 128);
					rt_task_submit(tasks, t);
				}
			}
			rt_task_alloc(tasks, o->kernel.flash_attn_normalize, &t);
			rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.all_l_vec, (uint64_t)(32 * q_tile), 0, 32, 1);
			rt_task_add_output(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * q_tile), 0, 32, 128);
			rt_task_submit(tasks, t);
		}
	}
	{
		/* In blocks of 256, then one by one. */
		const int64_t tile_count = num_tiles;
		int64_t tile_base = 0;

		for (; tile_count - tile_base >= 256; tile_base += 256)
			for (int64_t tile = tile_base; tile < tile_base + 256; tile += 2) { /* tiles of 64 rows */
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.wo, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.residual_add_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.input, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.rmsnorm_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.mlp_norm_weights, 0, 0, 1, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.w_gate, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_gate, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.w_up, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_up, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.swiglu_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_gate, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.temp_up, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_swiglu, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.tile_matmul_64_, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_swiglu, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.w_down, 0, 0, 128, 128);
				rt_task_add_output(tasks, t, o->tensor.temp_mlp_out, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
				rt_task_alloc(tasks, o->kernel.residual_add_tile_64, &t);
				rt_task_add_input(tasks, t, o->tensor.temp_mlp_out, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_input(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_add_output(tasks, t, o->tensor.output, (uint64_t)(32 * tile), 0, 64, 128);
				rt_task_submit(tasks, t);
			}
		for (int64_t tile = tile_base; tile < tile_count; tile++) { /* tiles of 32 rows */
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.all_attn_out, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.wo, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.residual_add_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.input, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.rmsnorm_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.mlp_norm_weights, 0, 0, 1, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.w_gate, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_gate, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_norm, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.w_up, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_up, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.swiglu_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_gate, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.temp_up, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_swiglu, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.tile_matmul_, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_swiglu, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.w_down, 0, 0, 128, 128);
			rt_task_add_output(tasks, t, o->tensor.temp_mlp_out, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
			rt_task_alloc(tasks, o->kernel.residual_add_tile, &t);
			rt_task_add_input(tasks, t, o->tensor.temp_mlp_out, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_input(tasks, t, o->tensor.all_hidden, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_add_output(tasks, t, o->tensor.output, (uint64_t)(32 * tile), 0, 32, 128);
			rt_task_submit(tasks, t);
		}
	}
	return PTOWSP_OK;
}
