/* SPDX-License-Identifier: MIT */
/* emit_cuda.c - the row for CUDA: a kernel is one block of threads. Tiles are shared memory; threads share the elements of each stage, and a barrier
 * ends it. */
#include "isa/emit/emit_state.h"

void isa_cuda_head(struct isa_emitter *e)
{
	const struct isa_program *p = e->p;

	isa_put(e,
		"/* Kernel %s as CUDA, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.\n"
		" * nvcc -fmad=false -I. %s.cu; it is launched in one block, of a multiple of 32 threads. */\n",
		e->symbol, e->symbol);
	isa_put(e, "#include \"isa/kernel_cuda.h\"\n\n");
	isa_param_names_put(e);
	isa_params_put(e, "static __device__ const");
	isa_put(e, "static __device__ const struct tile_kernel kernel = {%s, %s, %lu, %lu, %llu};\n\n", isa_quoted(p->name).text,
		p->header.param_count ? "params" : "NULL", (unsigned long)p->header.param_count, (unsigned long)p->arg_count,
		(unsigned long long)(isa_memory_bytes(e) + isa_parts_bytes(p)));
	isa_put(e, "static __device__ ptowsp_status %s_body(struct tile_call *call)\n{\n", e->symbol);
	e->out.depth = 1;
	isa_tiles_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

void isa_cuda_tail(struct isa_emitter *e)
{
	const unsigned long long bytes = isa_memory_bytes(e) + isa_parts_bytes(e->p);
	const bool parts = isa_parts_bytes(e->p);

	isa_put(e, "}\n\n");
	if (parts)
		isa_wholes_put(e, "static __device__ const");
	isa_put(e, "%sextern \"C\" __global__ void %s_on_device(struct tile_task task, struct tile_result *result)\n{\n", parts ? "\n" : "", e->symbol);
	isa_put(e, "\tTILE_SHARED(shared);\n");
	if (parts)
		isa_put(e, "\tstruct tile_part parts[%lu];\n", (unsigned long)e->p->header.param_count);
	isa_put(e, "\n\ttile_run%s(&kernel, %s&task, result, %lluu > TILE_SHARED_MOST ? task.workspace : shared, %s_body);\n}\n", parts ? "_parts" : "",
		parts ? "wholes, parts, " : "", bytes, e->symbol);
	isa_put(e, "\n#ifndef TILE_WITHOUT_LAUNCH\nextern \"C\" ptowsp_status %s(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)\n{\n",
		e->symbol);
	isa_put(e, "\treturn tile_launch(%s_on_device, %s, %lluu, task, out);\n}\n#endif\n", e->symbol, isa_quoted(e->p->name).text, bytes);
}
